-- The sum of the entries of a wallet and coin equals the last balance that the venue sent, plus what records without a balance
-- have moved since. If the chain of that wallet and coin is open, that is the cause, and this is a notice that names it.
-- grain: one row per account, ledger and coin that differ
with
differing as (
  select account, ledger, coin, quantity, venue_balance, as_of
  from main.balances
  where venue_balance is not null and quantity <> venue_balance
),
last_balances as (
  select chain.account as account, chain.ledger as ledger, chain.coin as coin, max(chain.place) as last_place
  from main.balance_chain as chain
  join differing
    on differing.account = chain.account and differing.ledger = chain.ledger and differing.coin = chain.coin
  group by chain.account, chain.ledger, chain.coin
),
moved_since as (
  select entries.account as account, entries.ledger as ledger, entries.coin as coin, sum(entries.amount) as moved
  from main.entries as entries
  join last_balances as lasts
    on lasts.account = entries.account and lasts.ledger = entries.ledger and lasts.coin = entries.coin
  where entries.place > lasts.last_place
  group by entries.account, entries.ledger, entries.coin
),
unequal as (
  select differing.account as account, differing.ledger as ledger, differing.coin as coin,
    differing.quantity as quantity, differing.venue_balance + coalesce(since.moved, 0) as due, differing.as_of as as_of
  from differing
  left join moved_since as since
    on since.account = differing.account and since.ledger = differing.ledger and since.coin = differing.coin
  where differing.quantity <> differing.venue_balance + coalesce(since.moved, 0)
),
open_chains as (
  select account, ledger, coin, count(*) as open_count, min(source_id) as one_id
  from main.balance_chain
  where status = 'open'
  group by account, ledger, coin
)
select case when open_chains.account is null then 'warning' else 'notice' end as severity,
  unequal.account as account, unequal.ledger as ledger, unequal.coin as coin, unequal.as_of as occurred_at,
  due as expected, quantity as found, quantity - due as difference,
  case
    when open_chains.account is null
      then 'The entries of this wallet do not add up to its last balance.'
    else 'Follows from ' || counted(open_count, 'open step', 'open steps') || ' of the balance chain, the first at record '
      || one_id || '.'
  end as explanation,
  cast(to_json([coalesce(one_id, '')]) as varchar) as evidence,
  '' as culprit
from unequal
left join open_chains
  on open_chains.account = unequal.account and open_chains.ledger = unequal.ledger
  and open_chains.coin = unequal.coin
