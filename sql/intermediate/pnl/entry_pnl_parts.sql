-- What each entry adds to the profit and loss besides lots, signed as it moves the balance: results, fees and funding of futures
-- with their contract and, for every line, interest, what a liquidation takes or makes good, the fees that belong to no
-- trade, such as that of a liquidation, and whatever else the user classifies as a cost. Fees of a trade are in the cost or the
-- proceeds of its lots, unless one side of it is missing.
-- This is where the kinds of entries that are included are named.
-- grain: one row per entry
-- slices: occurred_at
-- by day: main.entries
with
of_lines as (
  select entries.account as account, entries.occurred_at as occurred_at, entries.product_line as product_line,
    entries.symbol as symbol, entries.coin as coin, entries.amount as amount, entries.entry_id as entry_id,
    entries.transaction_id as transaction_id,
    case
      when entries.kind in ('realised_pnl', 'liquidation', 'fee', 'funding', 'interest') then entries.kind
      else 'cost'
    end as kind,
    entries.product_line in ('USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES') as is_line_of_futures
  from main.entries as entries
  left join main.kinds as effects on effects.kind = entries.kind
  where entries.kind in ('realised_pnl', 'liquidation', 'fee', 'funding', 'interest') or effects.effect = 'cost'
),
trades as (
  select entries.transaction_id as transaction_id
  from main.entries as entries
  join main.kinds as effects on effects.kind = entries.kind and effects.effect in ('exchange', 'fiat')
  group by entries.transaction_id
  having min(entries.amount) < 0 and max(entries.amount) > 0
),
fees_of_no_trade as (
  select fees.account as account, fees.occurred_at as occurred_at, fees.product_line as product_line,
    fees.symbol as symbol, fees.coin as coin, fees.kind as kind, fees.amount as amount, fees.entry_id as entry_id,
    fees.is_line_of_futures as is_line_of_futures
  from of_lines as fees
  anti join trades on trades.transaction_id = fees.transaction_id
  where fees.kind = 'cost' or (fees.kind = 'fee' and not fees.is_line_of_futures)
),
counted as (
  select account, occurred_at, product_line, symbol, coin, kind, amount, entry_id, is_line_of_futures
  from of_lines
  where kind not in ('fee', 'cost') or (kind = 'fee' and is_line_of_futures)
  union all
  select account, occurred_at, product_line, symbol, coin, kind, amount, entry_id, is_line_of_futures
  from fees_of_no_trade
)
select account, occurred_at, product_line, symbol, coin,
  case when kind in ('realised_pnl', 'liquidation') then amount else 0 end as realised_pnl,
  case when kind in ('fee', 'cost') then amount else 0 end as fee,
  case when kind = 'funding' then amount else 0 end as funding,
  case when kind = 'interest' then amount else 0 end as interest,
  is_line_of_futures and kind not in ('interest', 'cost') as is_of_futures,
  entry_id
from counted
