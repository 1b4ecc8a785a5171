-- First in, first out in plain SQL: an independent model that tests hold the engine to.
-- Along each account and coin, lots and disposals lie on one axis of running quantity; their ends cut it into pieces.
-- grain: one row per (account, coin, disposal_id, lot_id); what no lot covers has lot_id null
-- keys:  (account, coin, disposal_id, lot_id) unique; quantities in units of 10^-18, place on the lot from 0
-- scope: books without transfers, held by account
with
units as (
  select
    account, coin, event_id, kind, happened_at, place,
    cast(replace(cast(quantity as varchar), '.', '') as hugeint) as quantity
  from lot_events
),
running as (
  select
    *,
    sum(case when kind = 'acquire' then quantity else 0 end) over so_far as acquired,
    sum(case when kind = 'dispose' then quantity else 0 end) over so_far as wanted
  from units
  window so_far as (partition by account, coin order by happened_at, place rows unbounded preceding)
),
-- What was ever wanted beyond what was there stays missing, whatever is acquired later.
known as (
  select
    *,
    greatest(
      0,
      max(case when kind = 'dispose' then wanted - acquired else 0 end) over (
        partition by account, coin order by happened_at, place rows unbounded preceding
      )
    ) as missing
  from running
),
lots as (
  select account, coin, event_id as lot_id, acquired - quantity as starts, acquired as ends
  from known
  where kind = 'acquire'
),
disposals as (
  select
    account, coin, event_id as disposal_id, quantity,
    wanted - missing as ends,
    missing - lag(missing, 1, 0) over (partition by account, coin order by happened_at, place) as missing_quantity
  from known
  where kind = 'dispose'
),
-- One that found nothing ends where the one before it ended, so it must not stand on the axis.
takers as (
  select account, coin, disposal_id, ends from disposals where quantity > missing_quantity
),
cuts as (
  select account, coin, ends from takers
  union
  select lots.account, lots.coin, lots.ends
  from lots
  join (select account, coin, max(ends) as disposed from takers group by all) as totals
    on totals.account = lots.account and totals.coin = lots.coin and lots.ends < totals.disposed
),
stretches as (
  select account, coin, lag(ends, 1, 0) over (partition by account, coin order by ends) as starts, ends
  from cuts
)
select
  stretches.account,
  stretches.coin,
  takers.disposal_id,
  lots.lot_id,
  stretches.ends - stretches.starts as quantity,
  stretches.starts - lots.starts as lot_from
from stretches
asof join lots
  on lots.account = stretches.account and lots.coin = stretches.coin and lots.ends >= stretches.ends
asof join takers
  on takers.account = stretches.account and takers.coin = stretches.coin and takers.ends >= stretches.ends
union all
select account, coin, disposal_id, null as lot_id, missing_quantity as quantity, null as lot_from
from disposals
where missing_quantity > 0
