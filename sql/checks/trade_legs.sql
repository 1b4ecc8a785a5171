-- Every leg of a fill has the other legs of its fill.
-- grain: one row per account, feed, line, family and millisecond with legs left over
with
leftover as (
  select legs.account as account, legs.feed as feed, legs.line as line, legs.family as family,
    legs.occurred_at as occurred_at, ledgers.ledger as ledger,
    count(*) as leg_count, first_of(ordered_list(legs.source_id, legs.place), 10) as ids,
    joined_distinct(legs.coin, ', ') as coins,
    min(legs.source_id) as culprit_id
  from staging.trade_legs as legs
  join staging.line_ledgers as ledgers
    on ledgers.account = legs.account and ledgers.feed = legs.feed and ledgers.line = legs.line
  where legs.status = 'leftover'
  group by legs.account, legs.feed, legs.line, legs.family, legs.occurred_at, ledgers.ledger
),
caused as (
  select leftover.account as account, leftover.feed as feed, leftover.line as line, leftover.family as family,
    leftover.occurred_at as occurred_at,
    min(causes.cause) as cause
  from leftover
  join staging.disturbances as causes
    on causes.account = leftover.account
    and leftover.occurred_at between causes.starts_at and causes.ends_at
  group by leftover.account, leftover.feed, leftover.line, leftover.family, leftover.occurred_at
)
select case when caused.cause is null then 'warning' else 'notice' end as severity,
  leftover.account as account, leftover.ledger as ledger, cast(null as varchar) as coin,
  leftover.occurred_at as occurred_at,
  cast(null as decimal(38, 18)) as expected, cast(null as decimal(38, 18)) as found,
  cast(null as decimal(38, 18)) as difference,
  counted(leg_count, 'leg in ' || coins || ' has', 'legs in ' || coins || ' have') || ' no counterpart'
    || case
      when caused.cause is null then ': a leg of the same trade is missing. What is unmatched is posted to a suspense account.'
      else '; this follows from ' || caused.cause || '.'
    end as explanation,
  cast(to_json(ids) as varchar) as evidence,
  leftover.feed || '/' || leftover.line || '/' || culprit_id as culprit
from leftover
left join caused
  on caused.account = leftover.account and caused.feed = leftover.feed and caused.line = leftover.line
  and caused.family = leftover.family and caused.occurred_at = leftover.occurred_at
