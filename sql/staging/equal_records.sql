-- Records that are identical except for their ids, to the millisecond, where no feed reports balances that would show which of
-- them really happened: records of the P2P wallet and, in accounts whose futures feed is the book of record, funding and
-- transfers of futures. A position is charged once at any instant, and a transfer is made once. Fills are different: one order
-- filled in equal parts makes equal records.
-- slices: happened_at
-- by day: main.p2p_records, main.futures_records
-- grain: one row per account, feed, part of it, coin, symbol, type, amount, fee and millisecond
with
reported as (
  select account, 'tax.p2pRecords' as feed, '' as line, coin, cast(null as varchar) as symbol, p2p_tax_type as type,
    balance as amount, cast(0 as decimal(38, 18)) as fee, ts as happened_at, id
  from main.p2p_records
  where is_current
  union all
  select records.account, 'tax.futuresRecords', records.partition, records.margin_coin, records.symbol,
    records.future_tax_type, records.amount, coalesce(records.fee, 0), records.ts, records.id
  from main.futures_records as records
  join staging.types as types
    on types.feed = 'tax.futuresRecords' and types.type = records.future_tax_type
    and types.kind in ('funding', 'transfer')
  where records.is_current and records.amount <> 0
    and records.account not in (select account from staging.tax_books)
)
select account, feed, line, coin, symbol, type, amount + fee as quantity, happened_at, count(*) as record_count,
  case when feed = 'tax.p2pRecords' then 'P2P' else 'futures' end as what,
  min_by(id, try_whole(id)) as first_id,
  first_of(ordered_list(id, (try_whole(id), id)), 10) as ids
from reported
group by account, feed, line, coin, symbol, type, amount, fee, happened_at
having count(*) > 1
