-- Every configured source of prices answered what it was last asked for each series; what it did not is asked again the
-- next night. Which came later is told by the numbers of frames: when a run began goes by what it called now, and when an
-- answer came by the clock of the machine. A run says beforehand, of every coin, that it has not asked, and takes that back
-- once it has: one that is stopped or killed meanwhile leaves that word. What of an answer is no price is told apart: its
-- times alone are asked for again.
-- grain: one row per source, and whether parts of answers alone are meant
with
ranked as (
  select page_id, run_id, source, asset, currency, unit, received_at, problem,
    starts_at is not null as is_of_a_part,
    row_number() over (partition by source, asset, currency, unit order by page_id desc) as nth
  from landing.price_pages
),
-- Whoever asked for prices last asked for all that was needed then; a night that needed none has its pages alone. So has one
-- that was stopped before it came to prices, which says nothing of them.
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
    then 'The price source ' || source || ' sent what is no price in ' || cast(series_count as varchar) || ' series (' || series
      || '): ' || problem || '. It stands in the table quarantine; all else of the answers counts. Its times are asked for '
      || 'again the next night; import prices to go without them.'
    else 'The price source ' || source || ' did not give ' || cast(series_count as varchar) || ' series (' || series || '): '
      || problem || '. They are pending and asked for again the next night; import prices to go without it.'
  end as explanation,
  '[]' as evidence, case when is_of_a_part then source || '/part' else source end as culprit
from failed
