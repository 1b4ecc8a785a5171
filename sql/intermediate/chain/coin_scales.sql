-- The largest gap allowed for digits that the venue keeps but does not print: one unit of the last decimal of the coin's
-- amounts, if its balances have more decimals; otherwise none. Only coins with a small gap are examined, and only in accounts
-- that have any gap with one balance per coin: without a gap, no allowance is needed.
-- Amounts are taken as printed with at least two decimals: a few round ones do not show what the venue prints.
-- grain: one row per account and coin
with
suspects as (
  select distinct account, coin
  from staging.chain_gaps
  where account in (select account from staging.chain_gaps where unified_gap <> 0)
    and (
      (unified_gap <> 0 and abs(unified_gap) <= 1)
      or (isolated_gap <> 0 and abs(isolated_gap) <= 1)
      or (line_gap <> 0 and abs(line_gap) <= 1)
    )
),
printed as (
  select moves.account as account, moves.coin as coin,
    rtrim(amount_text(amount), '0') as amount_text,
    rtrim(amount_text(fee), '0') as fee_text,
    rtrim(amount_text(coalesce(balance, 0)), '0') as balance_text
  from staging.moves as moves
  join suspects on suspects.account = moves.account and suspects.coin = moves.coin
  where feed in (select feed from staging.feeds where has_balance)
),
decimals as (
  select account, coin,
    max(greatest(
      2, length(amount_text) - position('.' in amount_text), length(fee_text) - position('.' in fee_text)
    )) as amount_decimals,
    max(length(balance_text) - position('.' in balance_text)) as balance_decimals
  from printed
  group by account, coin
)
select account, coin, amount_decimals, balance_decimals,
  case when balance_decimals > amount_decimals
    then cast('0.' || repeat('0', amount_decimals - 1) || '1' as decimal(38, 18))
    else cast(0 as decimal(38, 18))
  end as allowance
from decimals
