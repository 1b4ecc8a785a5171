-- Futures records of unified accounts beside the same records in the unified tax feed. Ids may differ, so they are matched one to
-- one by coin, time (that of funding as settled_at gives it), amount and fee, the k-th with the k-th among equals. The match
-- supplies the symbol, which the unified feed does not have; records unmatched on either side are left to the check.
-- grain: one row per pair, and one per unmatched record
-- slices: occurred_at
-- by day: staging.moves, main.futures_records
with
booked_records as (
  select account, place, source_id, line, coin, kind, occurred_at, amount, fee,
    settled_at(kind, occurred_at) as settled_at
  from staging.moves
  where feed = 'tax.records' and line in ('USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES')
    and (amount <> 0 or fee <> 0)
),
booked as (
  select *,
    row_number() over (partition by account, line, coin, settled_at, amount, fee order by place) as nth
  from booked_records
),
secondary_records as (
  select records.account as account, id as source_id, partition as line, margin_coin as coin,
    coalesce(types.kind, 'unclassified') as kind, ts as occurred_at, amount, coalesce(records.fee, 0) as fee, symbol,
    page_id, page_row,
    settled_at(types.kind, ts) as settled_at
  from main.futures_records as records
  left join staging.types as types
    on types.feed = 'tax.futuresRecords' and types.type = records.future_tax_type
  where is_current and (amount <> 0 or coalesce(records.fee, 0) <> 0)
    and records.account in (select account from staging.tax_books)
),
secondary as (
  select *,
    row_number() over (
      partition by account, line, coin, settled_at, amount, fee
      order by occurred_at, try_whole(source_id), page_id desc, page_row desc
    ) as nth
  from secondary_records
)
select
  coalesce(booked.account, secondary.account) as account,
  coalesce(booked.line, secondary.line) as line,
  coalesce(booked.coin, secondary.coin) as coin,
  coalesce(booked.kind, secondary.kind) as kind,
  coalesce(booked.occurred_at, secondary.occurred_at) as occurred_at,
  coalesce(booked.amount, secondary.amount) as amount,
  coalesce(booked.fee, secondary.fee) as fee,
  booked.place as place, booked.source_id as booked_id, secondary.source_id as secondary_id, secondary.symbol as symbol
from booked
full join secondary
  on secondary.account = booked.account and secondary.line = booked.line
  and secondary.coin = booked.coin and secondary.settled_at = booked.settled_at
  and secondary.amount = booked.amount and secondary.fee = booked.fee and secondary.nth = booked.nth
