-- Futures records of unified accounts beside the same records in the unified tax feed: ids may differ, so they are
-- matched one to one by coin, time, amount and fee, the k-th to the k-th among equals. The match tells the symbol, which
-- the unified feed lacks; what stays alone on either side is for the check.
-- grain: one row per pair, or per record that stays alone
with
booked as (
  select account, place, source_id, line, coin, kind, occurred_at, amount, fee,
    row_number() over (
      partition by account, line, coin, occurred_at, amount, fee order by place
    ) as nth
  from staging.moves
  where feed = 'tax.records' and line in ('USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES')
    and (amount <> 0 or fee <> 0)
),
witnessed as (
  select records.account, id as source_id, partition as line, margin_coin as coin,
    coalesce(types.kind, 'unclassified') as kind, ts as occurred_at, amount, coalesce(fee, 0) as fee, symbol,
    row_number() over (
      partition by records.account, partition, margin_coin, ts, amount, coalesce(fee, 0)
      order by try_cast(id as hugeint), page_id desc, page_row desc
    ) as nth
  from main.futures_records as records
  left join staging.types as types
    on types.feed = 'tax.futuresRecords' and types.type = records.future_tax_type
  where is_current and (amount <> 0 or coalesce(fee, 0) <> 0)
    and records.account in (select account from staging.tax_books)
)
select
  coalesce(booked.account, witnessed.account) as account,
  coalesce(booked.line, witnessed.line) as line,
  coalesce(booked.coin, witnessed.coin) as coin,
  coalesce(booked.kind, witnessed.kind) as kind,
  coalesce(booked.occurred_at, witnessed.occurred_at) as occurred_at,
  coalesce(booked.amount, witnessed.amount) as amount,
  coalesce(booked.fee, witnessed.fee) as fee,
  booked.place, booked.source_id as booked_id, witnessed.source_id as witnessed_id, witnessed.symbol
from booked
full join witnessed
  on witnessed.account = booked.account and witnessed.line = booked.line
  and witnessed.coin = booked.coin and witnessed.occurred_at = booked.occurred_at
  and witnessed.amount = booked.amount and witnessed.fee = booked.fee and witnessed.nth = booked.nth
