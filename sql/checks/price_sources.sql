-- Every configured source of prices answered the last request for each series; unanswered requests are repeated in the next
-- nightly run. The order of events is taken from frame numbers, because the start of a run is by its own idea of now and the time
-- of an answer by the machine's clock. A run first records for every coin that it has not been requested, and clears that once it
-- has been; a run that is stopped or killed in between leaves the record behind. Parts of an answer that are not prices are
-- listed separately: only their times are requested again.
-- grain: one row per source, and one per source of which only parts of answers are meant
with
ranked as (
  select page_id, run_id, source, asset, currency, unit, received_at, problem,
    starts_at is not null as is_of_a_part,
    row_number() over (partition by source, asset, currency, unit order by page_id desc) as nth
  from landing.price_pages
),
-- The last run that requested prices requested everything needed then. A nightly run that needed none has only its pages, and so
-- does one that was stopped before it reached prices, which proves nothing about them.
last_asked as (select max_by(run_id, page_id) as last_run from landing.price_pages),
last_night as (
  select coalesce(max(pages.page_id), 0) as page_id
  from landing.pages as pages
  join landing.runs as runs on runs.run_id = pages.run_id
  where runs.command in ('nightly', 'demo') and runs.outcome <> 'incomplete'
),
of_series as (
  select source, is_of_a_part, asset, currency, unit, min(received_at) as first_at, min(ranked.problem) as problem
  from ranked
  join last_asked on last_asked.last_run = ranked.run_id
  cross join last_night
  where (nth = 1 or is_of_a_part) and ranked.problem is not null and ranked.page_id > last_night.page_id
  group by source, is_of_a_part, asset, currency, unit
),
failed as (
  select source, is_of_a_part, count(*) as series_count, min(first_at) as since, min(of_series.problem) as problem,
    joined_list(asset || ' in ' || currency, ', ', (asset, currency)) as series
  from of_series
  group by source, is_of_a_part
)
select 'warning' as severity, cast(null as varchar) as account, cast(null as varchar) as ledger,
  cast(null as varchar) as coin, since as occurred_at, cast(null as decimal(38, 18)) as expected,
  cast(null as decimal(38, 18)) as found, cast(null as decimal(38, 18)) as difference,
  case when is_of_a_part
    then 'The price source ' || source || ' sent values that are not prices in ' || cast(series_count as varchar) || ' series (' || series
      || '): ' || problem || '. They are in the table quarantine; the rest of the answers is used. Their times are requested '
      || 'again in the next nightly run; import prices to do without them.'
    else 'The price source ' || source || ' did not deliver ' || cast(series_count as varchar) || ' series (' || series || '): '
      || problem || '. They are pending and requested again in the next nightly run; import prices to do without it.'
  end as explanation,
  '[]' as evidence, case when is_of_a_part then source || '/part' else source end as culprit
from failed
