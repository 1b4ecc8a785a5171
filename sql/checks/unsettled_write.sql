-- The outcome of every write sent to the venue is known.
-- grain: one row per write that was sent and never answered
with
-- Writes of one millisecond are distinguished by their position among all of them, which a settled one keeps.
numbered as (
  select seq, account, endpoint, intended_at, outcome,
    row_number() over (partition by account, endpoint, epoch_ms(intended_at) order by seq) as nth
  from landing.writes
),
unsettled as (
  select seq, account, endpoint, intended_at, outcome, nth
  from numbered
  where outcome is null or outcome = 'unknown'
)
select 'warning' as severity, account, cast(null as varchar) as ledger, cast(null as varchar) as coin,
  intended_at as occurred_at, cast(null as decimal(38, 18)) as expected,
  cast(null as decimal(38, 18)) as found, cast(null as decimal(38, 18)) as difference,
  'Write ' || cast(seq as varchar) || ' (' || endpoint || ') may have been carried out: ' ||
    case
      when outcome is null then 'the process ended before the answer came.'
      else 'no answer came.'
    end || ' Check at the venue, then settle it with `tieout writes`.' as explanation,
  cast(to_json([seq]) as varchar) as evidence,
  endpoint || '/' || cast(epoch_ms(intended_at) as varchar)
    || case when nth = 1 then '' else '/' || cast(nth as varchar) end as culprit
from unsettled
