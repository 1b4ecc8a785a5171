-- The balance that an answer reports for a wallet is the sum of the wallet's entries up to then. For a risk unit (4.16) a
-- difference is a notice, because the interface document does not define equity exactly. The last comparable reading is used:
-- every feed of the wallet is complete for a minute beyond it, and no record lies within a minute of it.
-- grain: one row per account, wallet and coin, and per coin of a risk unit
with
-- The feeds from which a wallet's records come.
wallet_feeds as (
  select accounts.account as account, 'UNIFIED' as ledger, 'tax.records' as feed, parts.part as part
  from main.accounts as accounts
  cross join (
    select * from (
      values ('SPOT'), ('MARGIN-crossed'), ('MARGIN-isolated'), ('USDT-FUTURES'), ('COIN-FUTURES'),
        ('USDC-FUTURES'), ('OTHER')
    ) as names (part)
  ) as parts
  where accounts.kind = 'unified'
  union all
  select accounts.account, lines.line,
    case when accounts.kind = 'unified' then 'tax.records' else 'tax.futuresRecords' end, lines.line
  from main.accounts as accounts
  cross join (select * from (values ('USDT-FUTURES'), ('COIN-FUTURES'), ('USDC-FUTURES')) as names (line)) as lines
),
uncovered as (
  select distinct subjects.account as account, subjects.feed as feed, subjects.page_id as page_id, subjects.coin as coin
  from staging.balance_subjects as subjects
  join wallet_feeds on wallet_feeds.account = subjects.member and wallet_feeds.ledger = subjects.ledger
  left join staging.covered_ranges as ranges
    on ranges.account = wallet_feeds.account and ranges.feed = wallet_feeds.feed
    and ranges.partition = wallet_feeds.part
    and subjects.read_at between ranges.starts_at and ranges.ends_at - interval 1 minute
  where ranges.account is null
),
crowded as (
  select distinct subjects.account as account, subjects.feed as feed, subjects.page_id as page_id, subjects.coin as coin
  from staging.balance_subjects as subjects
  join main.entries as entries
    on entries.account = subjects.member and entries.ledger = subjects.ledger and entries.coin = subjects.coin
    and entries.occurred_at > subjects.read_at - interval 1 minute
    and entries.occurred_at <= subjects.read_at + interval 1 minute
),
clear as (
  select subjects.account as account, subjects.member as member, subjects.ledger as ledger, subjects.coin as coin,
    subjects.reported as reported, subjects.page_id as page_id, subjects.read_at as read_at, subjects.feed as feed,
    dense_rank() over (
      partition by subjects.account, subjects.feed, subjects.ledger, subjects.coin
      order by subjects.read_at desc, subjects.page_id desc
    ) as newest
  from staging.balance_subjects as subjects
  left join uncovered
    on uncovered.account = subjects.account and uncovered.feed = subjects.feed
    and uncovered.page_id = subjects.page_id and uncovered.coin = subjects.coin
  left join crowded
    on crowded.account = subjects.account and crowded.feed = subjects.feed
    and crowded.page_id = subjects.page_id and crowded.coin = subjects.coin
  where uncovered.account is null and crowded.account is null
    and exists (select 1 from wallet_feeds where wallet_feeds.account = subjects.member and wallet_feeds.ledger = subjects.ledger)
),
latest as (select * from clear where newest = 1),
booked as (
  select latest.account as account, latest.feed as feed, latest.ledger as ledger, latest.coin as coin,
    latest.page_id as page_id,
    sum(coalesce(entries.amount, 0)) as quantity, max(entries.occurred_at) as last_at,
    max_by(entries.entry_id, (entries.place, entries.entry_id)) as last_id
  from latest
  left join main.entries as entries
    on entries.account = latest.member and entries.ledger = latest.ledger and entries.coin = latest.coin
    and entries.occurred_at <= latest.read_at
  group by latest.account, latest.feed, latest.ledger, latest.coin, latest.page_id
),
reported as (
  select account, feed, ledger, coin, page_id, any_value(reported) as reported_quantity,
    any_value(read_at) as reported_at,
    distinct_list(member) as members
  from latest
  group by account, feed, ledger, coin, page_id
),
differing as (
  select reported.account as account, reported.feed as feed, reported.ledger as ledger, reported.coin as coin,
    reported.page_id as page_id, reported.reported_quantity as reported_quantity, reported.reported_at as reported_at,
    reported.members as members, booked.quantity as quantity, booked.last_at as last_at, booked.last_id as last_id
  from reported
  join booked
    on booked.account = reported.account and booked.feed = reported.feed and booked.ledger = reported.ledger
    and booked.coin = reported.coin and booked.page_id = reported.page_id
  where reported.reported_quantity <> booked.quantity
),
caused as (
  select differing.account as account, differing.feed as feed, differing.ledger as ledger, differing.coin as coin,
    min(causes.cause) as cause
  from differing
  join staging.disturbances as causes
    on list_contains(differing.members, causes.account)
    and coalesce(causes.coin, differing.coin) = differing.coin
    and causes.starts_at <= differing.reported_at
  group by differing.account, differing.feed, differing.ledger, differing.coin
)
select case when caused.cause is null and differing.feed <> 'loan.ltv' then 'warning' else 'notice' end as severity,
  differing.account as account, differing.ledger as ledger, differing.coin as coin,
  differing.reported_at as occurred_at,
  reported_quantity as expected, quantity as found, quantity - reported_quantity as difference,
  differing.feed || ' reported a balance that differs from the sum of the entries up to then'
    || case
      when caused.cause is null then ': a record between the last one and that moment is missing, or one is wrong.'
      else '; this follows from ' || caused.cause || '.'
    end as explanation,
  cast(to_json([coalesce(last_id, '')]) as varchar) as evidence, differing.feed as culprit
from differing
left join caused
  on caused.account = differing.account and caused.feed = differing.feed and caused.ledger = differing.ledger
  and caused.coin = differing.coin
