-- Every configured source of prices answered what it was last asked for each series; what it did not is asked again the
-- next night.
-- grain: one row per source
with
ranked as (
  select source, asset, currency, unit, received_at, problem,
    row_number() over (partition by source, asset, currency, unit order by page_id desc) as nth
  from landing.price_pages
),
failed as (
  select source, count(*) as series_count, min(received_at) as since, min(ranked.problem) as problem,
    joined_list(asset || ' in ' || currency, ', ', (asset, currency)) as series
  from ranked
  where nth = 1 and ranked.problem is not null
    -- What was pending before the last run and is not asked for any more is no longer needed.
    and received_at >= coalesce((select max(started_at) from landing.runs), received_at)
  group by source
)
select 'warning' as severity, cast(null as varchar) as account, cast(null as varchar) as ledger,
  cast(null as varchar) as coin, since as occurred_at, cast(null as decimal(38, 18)) as expected,
  cast(null as decimal(38, 18)) as found, cast(null as decimal(38, 18)) as difference,
  'The price source ' || source || ' did not give ' || cast(series_count as varchar) || ' series (' || series || '): '
    || problem || '. They are pending and asked for again the next night; import prices to go without it.' as explanation,
  '[]' as evidence, source as culprit
from failed
