-- Changes in what the accounts are worth other than gains and price changes, each at its value then, with the sign of its effect
-- on the worth. Coins have the values given to the lots engine, money that of its entries. The two sides of a fill and its fees
-- cancel; coins that move have the cost that moves along. If the books have both sides of a move it is a transfer, in which the
-- accounts cancel. A move whose other side they do not know, or that is outside the books of its account, crosses their border
-- and is a deposit. What was held before the first record is an initial balance.
-- needs: disposals, lot_transfers
-- slices: day
-- by day: main.entries, main.transfers, main.lot_events, main.lot_transfers, main.disposals, staging.entry_pnl_parts
-- by day: staging.trade_legs, staging.counted_lot_events, staging.lot_arrivals
-- grain: one row per account, UTC day and line
-- line: initial_balances, deposits, transfers, income, interest, futures_pnl, liquidations, funding, fees, fills; the value of
--   gifts beyond their cost: unrealised_change, and unknown_cost_change for coins without a known cost; the latter also has the
--   cost of coins taken by a loan with unknown proceeds, and takes off what other lines have of other money
with
-- Nothing outside the books of its account (account/before) is included.
coin_changes as (
  select account, event_id, happened_at as occurred_at, kind,
    case when kind = 'acquire' then counted_value else -counted_value end as value
  from staging.counted_lot_events
  where counted_value is not null and not ends_with(account, '/before')
  union all
  -- A gift is a disposal under some rules; under the others it leaves at cost (gifts).
  select account, event_id, happened_at, kind, -value
  from main.lot_events
  anti join main.lot_transfers as sent on sent.transfer_id = lot_events.event_id and sent.coin = lot_events.coin
  where kind = 'give' and value is not null and not ends_with(account, '/before')
),
-- Moves of the reporting currency, which is in no lot, if the books have both legs: one is an imported row, the other
-- is another one or a record of the venue.
tied_moves as (
  select imported.entry_id as entry_id, imported.counter_entry_id as counter_entry_id
  from main.imported_entries as imported
  where imported.kind = 'transfer' and imported.counter_entry_id is not null
    and imported.coin = (select currency from staging.reporting)
),
-- What the network charged on them.
network_fees as (
  select parts.account as account, parts.occurred_at as occurred_at, parts.fee as amount
  from staging.imported_pnl_parts as parts
  anti join main.imported_entries as fees on fees.entry_id = parts.entry_id and fees.kind = 'fee'
  where parts.coin = (select currency from staging.reporting)
),
entry_lines as (
  select entries.entry_id as entry_id, entries.account as account, entries.occurred_at as occurred_at,
    entries.coin as coin, entries.amount as amount, effects.effect as effect,
    case
      when entries.part = 'opening' then 'initial_balances'
      when parts.funding <> 0 then 'funding'
      when parts.interest <> 0 then 'interest'
      when parts.fee <> 0 then 'fees'
      when entries.kind = 'liquidation' and not parts.is_of_futures then 'liquidations'
      when parts.entry_id is not null then 'futures_pnl'
      when legs.status in ('trade', 'set') and entries.part in ('amount', 'fee') then 'fills'
      when effects.effect = 'cost' then 'fees'
      when effects.effect = 'income' then 'income'
      -- Margin and locked coins stay within the account, though no record may have their other side.
      when effects.effect = 'move'
        and (transfers.counter_account is not null or entries.kind = 'margin_move' or tied_moves.counter_entry_id is not null)
        then 'transfers'
      else 'deposits'
    end as line
  from main.entries as entries
  left join main.kinds as effects on effects.kind = entries.kind
  left join main.transfers as transfers on transfers.entry_id = entries.entry_id
  left join tied_moves on tied_moves.counter_entry_id = entries.entry_id
  left join staging.entry_pnl_parts as parts on parts.entry_id = entries.entry_id
  left join staging.trade_legs as legs on legs.account = entries.account and legs.place = entries.place
),
-- What an imported trade brings is a deposit if its money is not held in the account: both sides of it are. The coins of a move
-- are among the lots that move; what is left of it here is its fee.
imported_lines as (
  select id as imported_id,
    case
      when type = 'opening' then 'initial_balances'
      when type = 'income' then 'income'
      when type in ('transfer_in', 'transfer_out') then 'fees'
      else 'deposits'
    end as line
  from staging.imported_rows
  where book_account = account
),
other_money as (
  select moves.account as account, moves.occurred_at as occurred_at,
    coalesce(imported_lines.line, 'deposits') as line,
    case
      when moves.kind = 'fee' then -worths.fee_value
      when moves.amount < 0 then -worths.row_value
      else worths.row_value
    end as value
  from main.imported_entries as moves
  join staging.fiat as fiat on fiat.currency = moves.coin
  join staging.imported_rows as rows on rows.id = moves.imported_id
  join staging.imported_values as worths on worths.place = rows.place
  left join imported_lines on imported_lines.imported_id = moves.imported_id
  where moves.kind <> 'transfer' and moves.coin <> (select currency from staging.reporting)
),
-- Gifts that are no disposals, each with the cost that its pieces take along: they leave at their value, and the part above cost
-- was gained up to then, though nobody realised it. A gift without a known value leaves at cost.
sent_gifts as (
  select gifts.account as account, gifts.event_id as event_id, gifts.coin as coin, gifts.happened_at as occurred_at,
    any_value(gifts.value) as value, any_value(gifts.quantity) as quantity,
    coalesce(sum(pieces.cost_basis), 0) as cost,
    coalesce(sum(case when pieces.cost_basis is not null then pieces.quantity end), 0) as known_quantity
  from main.lot_events as gifts
  join main.lot_transfers as pieces on pieces.transfer_id = gifts.event_id and pieces.coin = gifts.coin
  where gifts.kind = 'give' and not ends_with(gifts.account, '/before')
  group by gifts.account, gifts.event_id, gifts.coin, gifts.happened_at
),
gifts as (
  select sent_gifts.*, exact_ratio(sent_gifts.value, known_quantity, sent_gifts.quantity) as known_value
  from sent_gifts
),
lines as (
  select coin_changes.account as account, coin_changes.occurred_at as occurred_at, coin_changes.value as value,
    -- For a move it is what the network charged on the way.
    case when coin_changes.kind = 'transfer_out' then 'fees'
      else coalesce(entry_lines.line, imported_lines.line, 'deposits')
    end as line
  from coin_changes
  left join entry_lines on entry_lines.entry_id = coin_changes.event_id
  left join imported_lines on imported_lines.imported_id = coin_changes.event_id
  union all
  select entry_lines.account, occurred_at, amount, line
  from entry_lines
  cross join staging.reporting as reporting
  where entry_lines.coin = reporting.currency and entry_lines.effect is distinct from 'debt'
  union all
  -- What was owed before the first record comes with what was held then.
  select account, first_at, -owed_before, 'initial_balances'
  from staging.money_owed_before
  union all
  select imported.account, imported.occurred_at, imported.amount,
    case
      when imported.kind = 'transfer' and tied_moves.entry_id is not null then 'transfers'
      when imported.kind = 'transfer' then 'deposits'
      else coalesce(imported_lines.line, 'deposits')
    end
  from main.imported_entries as imported
  cross join staging.reporting as reporting
  left join imported_lines on imported_lines.imported_id = imported.imported_id
  left join tied_moves on tied_moves.entry_id = imported.entry_id
  where imported.coin = reporting.currency
  union all
  -- Other money that an imported account holds is in no lot. What it was paid for or came from is counted at its value then, so
  -- that the two sides of a trade cancel; the rest of its change is that of coins without a known cost, as are its moves.
  select account, occurred_at, value, line from other_money
  union all
  select account, occurred_at, -value, 'unknown_cost_change' from other_money
  union all
  -- What the network charged on such a move is not part of the transfer.
  select account, occurred_at, -amount, 'transfers' from network_fees
  union all
  select account, occurred_at, amount, 'fees' from network_fees
  union all
  select sent.from_account, sent.moved_at, -sent.cost_basis,
    case
      when legs.kind = 'margin_move' or (sent.to_account is not null and not ends_with(sent.to_account, '/before'))
        then 'transfers'
      else 'deposits'
    end
  from main.lot_transfers as sent
  left join main.transfers as legs on legs.entry_id = sent.transfer_id
  anti join gifts on gifts.event_id = sent.transfer_id and gifts.coin = sent.coin
  where sent.cost_basis is not null and not ends_with(sent.from_account, '/before')
  union all
  select account, occurred_at, -coalesce(gifts.value, gifts.cost), 'deposits' from gifts
  union all
  select account, occurred_at, known_value - gifts.cost, 'unrealised_change' from gifts where gifts.value is not null
  union all
  select account, occurred_at, gifts.value - known_value, 'unknown_cost_change' from gifts where gifts.value is not null
  union all
  -- The debt was in the worth as coins without a known cost, and is settled with coins of a known one.
  select repaid.account, repaid.disposed_at, -repaid.cost_basis, 'unknown_cost_change'
  from main.disposals as repaid
  join main.lot_events as repayments on repayments.event_id = repaid.disposal_id and repayments.coin = repaid.coin
  where repayments.kind = 'repay' and repaid.proceeds is null and repaid.cost_basis is not null
  union all
  -- What leaves by a record whose other side is not known has no proceeds: it leaves at cost, as moves do.
  select gone.account, gone.disposed_at, -gone.cost_basis, entry_lines.line
  from main.disposals as gone
  join entry_lines on entry_lines.entry_id = gone.disposal_id
  where entry_lines.effect = 'unknown' and entry_lines.line = 'deposits' and entry_lines.occurred_at = gone.disposed_at
    and gone.proceeds is null and gone.cost_basis is not null
  union all
  select arrivals.to_account, arrivals.arrived_at, arrivals.cost_basis,
    case
      when not ends_with(arrivals.from_account, '/before') then 'transfers'
      when taken_over.line = 'initial_balances' then 'initial_balances'
      else 'deposits'
    end
  from staging.lot_arrivals as arrivals
  left join entry_lines as taken_over on 'handover/' || taken_over.entry_id = arrivals.transfer_id
  where arrivals.cost_basis is not null and not ends_with(arrivals.to_account, '/before')
)
select account, utc_day(occurred_at) as day, line, sum(lines.value) as value
from lines
group by account, utc_day(occurred_at), line
