-- Where an account moves coins between its P2P wallet and its unified wallet, both feeds tell of each move.
-- grain: one row per move of which only the P2P feed tells
with
lonely as (
  select transfers.account, transfers.ledger, transfers.coin, transfers.occurred_at, transfers.quantity,
    transfers.direction, transfers.entry_id
  from main.transfers as transfers
  join staging.lonely_legs as legs
    on legs.account = transfers.account and legs.place = transfers.place and legs.of_what = 'transfer'
),
caused as (
  select lonely.entry_id, min(causes.cause) as cause
  from lonely
  join staging.disturbances as causes
    on causes.account = lonely.account and coalesce(causes.coin, lonely.coin) = lonely.coin
    and lonely.occurred_at between causes.starts_at - interval 5 minute and causes.ends_at + interval 5 minute
  group by lonely.entry_id
)
select case when caused.cause is null then 'warning' else 'notice' end as severity,
  lonely.account, lonely.ledger, lonely.coin, lonely.occurred_at,
  case when direction = 'in' then -quantity else quantity end as expected,
  cast(0 as decimal(38, 18)) as found,
  case when direction = 'in' then quantity else -quantity end as difference,
  'A transfer ' || direction || ' of the P2P wallet has no other leg in the unified wallet'
    || case
      when caused.cause is null then '. It stands on a suspense account.'
      else '; this follows from ' || caused.cause || '.'
    end as explanation,
  cast(to_json([lonely.entry_id]) as varchar) as evidence,
  lonely.entry_id as culprit
from lonely
left join caused on caused.entry_id = lonely.entry_id
