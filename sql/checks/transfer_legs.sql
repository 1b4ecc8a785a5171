-- Both feeds report each move of coins between two of one's own wallets: between the P2P wallet and the unified wallet of an
-- account that moves coins between them, and between a sub-account and its parent if the sub-account is funded by its family
-- (see main.unmatched_legs).
-- grain: one row per move that only the P2P wallet, or only the sub-account, reports
with
unmatched as (
  select transfers.account as account, transfers.ledger as ledger, transfers.coin as coin,
    transfers.occurred_at as occurred_at, transfers.quantity as quantity,
    transfers.direction as direction, transfers.entry_id as entry_id, legs.leg_of as leg_of
  from main.transfers as transfers
  join main.unmatched_legs as legs
    on legs.account = transfers.account and legs.place = transfers.place and legs.leg_of in ('transfer', 'family')
),
concerned as (
  select entry_id, account, coin, occurred_at from unmatched
  union
  select unmatched.entry_id, families.parent, unmatched.coin, unmatched.occurred_at
  from unmatched
  join staging.families as families on families.sub = unmatched.account
  where unmatched.leg_of = 'family'
),
caused as (
  select concerned.entry_id as entry_id, min(causes.cause) as cause
  from concerned
  join staging.disturbances as causes
    on causes.account = concerned.account and coalesce(causes.coin, concerned.coin) = concerned.coin
    and concerned.occurred_at between causes.starts_at - interval 5 minute and causes.ends_at + interval 5 minute
  group by concerned.entry_id
)
select case when caused.cause is null then 'warning' else 'notice' end as severity,
  unmatched.account as account, unmatched.ledger as ledger, unmatched.coin as coin,
  unmatched.occurred_at as occurred_at,
  case when direction = 'in' then -quantity else quantity end as expected,
  cast(0 as decimal(38, 18)) as found,
  case when direction = 'in' then quantity else -quantity end as difference,
  'A transfer ' || direction
    || case
      when leg_of = 'family' then ' of a sub-account has no other leg in the accounts of its family'
      else ' of the P2P wallet has no other leg in the unified wallet'
    end
    || case
      when caused.cause is null then '. It is posted to a suspense account.'
      else '; this follows from ' || caused.cause || '.'
    end as explanation,
  cast(to_json([unmatched.entry_id]) as varchar) as evidence,
  unmatched.entry_id as culprit
from unmatched
left join caused on caused.entry_id = unmatched.entry_id
