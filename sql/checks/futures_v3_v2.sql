-- The unified tax feed and the futures feed report the same futures records, in the time for which both are complete, less a
-- day at each end. The unified feed is the book of record; the futures feed has the symbols. The unified feed has nothing from
-- before an account became unified, so anything older than its first record is not compared.
-- grain: one row per account, product type and coin
with
first_records as (
  select account, min(occurred_at) as first_at
  from staging.moves
  where feed = 'tax.records'
  group by account
),
alone as (
  select secondary.account as account, secondary.line as line, secondary.coin as coin,
    secondary.occurred_at as occurred_at, secondary.booked_id as booked_id, secondary.secondary_id as secondary_id,
    coalesce('tax.records/' || secondary.booked_id, 'tax.futuresRecords/' || secondary.secondary_id) as record_id,
    case when secondary.booked_id is null then 0 else secondary.amount + secondary.fee end as booked,
    case when secondary.secondary_id is null then 0 else secondary.amount + secondary.fee end as secondary
  from staging.futures_secondary as secondary
  join staging.both_covered as covered
    on covered.comparison = 'futures' and covered.account = secondary.account and covered.line = secondary.line
    and secondary.occurred_at between covered.starts_at and covered.ends_at
  left join first_records on first_records.account = secondary.account
  where (first_records.first_at is null or secondary.occurred_at >= first_records.first_at)
    and (secondary.booked_id is null or secondary.secondary_id is null)
    and secondary.kind in ('realised_pnl', 'liquidation', 'fee', 'funding', 'other', 'unclassified')
),
grouped as (
  select account, line, coin, count(*) as record_count, min(alone.occurred_at) as occurred_at,
    sum(alone.booked) as booked, sum(alone.secondary) as secondary,
    first_of(ordered_list(record_id, (alone.occurred_at, record_id)), 10) as ids
  from alone
  group by account, line, coin
),
caused as (
  select alone.account as account, alone.line as line, alone.coin as coin, min(causes.cause) as cause
  from alone
  join staging.disturbances as causes
    on causes.account = alone.account and causes.coin = alone.coin
    and alone.occurred_at between causes.starts_at and causes.ends_at
  group by alone.account, alone.line, alone.coin
)
select case when caused.cause is null then 'warning' else 'notice' end as severity,
  grouped.account as account, ledgers.ledger as ledger, grouped.coin as coin, grouped.occurred_at as occurred_at,
  booked as expected, secondary as found, secondary - booked as difference,
  counted(record_count, 'futures record appears', 'futures records appear') || ' in only one of the two feeds ('
    || grouped.line || ')'
    || case
      when caused.cause is null then ': one feed has omitted a record, or reports it differently.'
      else '; this follows from ' || caused.cause || '.'
    end as explanation,
  cast(to_json(ids) as varchar) as evidence,
  grouped.line as culprit
from grouped
left join caused
  on caused.account = grouped.account and caused.line = grouped.line and caused.coin = grouped.coin
left join staging.line_ledgers as ledgers
  on ledgers.account = grouped.account and ledgers.feed = 'tax.records' and ledgers.line = grouped.line
