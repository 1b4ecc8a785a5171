-- The outcome of everything that was to be changed at the venue is known.
-- grain: one row per write that was sent and whose answer never came
with
unsettled as (
  select seq, account, endpoint, intended_at, outcome
  from landing.writes
  where outcome is null or outcome = 'unknown'
)
select 'warning' as severity, account, cast(null as varchar) as ledger, cast(null as varchar) as coin,
  intended_at as occurred_at, cast(null as decimal(38, 18)) as expected,
  cast(null as decimal(38, 18)) as found, cast(null as decimal(38, 18)) as difference,
  'Write ' || cast(seq as varchar) || ' (' || endpoint || ') may have been carried out: ' ||
    case
      when outcome is null then 'the process ended before the answer came.'
      else 'no answer came.'
    end || ' Look at the venue, then settle it with tieout writes.' as explanation,
  cast(to_json([seq]) as varchar) as evidence,
  endpoint || '/' || cast(epoch_ms(intended_at) as varchar) as culprit
from unsettled
