-- The reporting currency is configured, or the trades leave no doubt about it.
-- grain: no row, or one
select 'notice' as severity, cast(null as varchar) as account, cast(null as varchar) as ledger,
  currency as coin, null_time() as occurred_at, cast(null as decimal(38, 18)) as expected,
  cast(null as decimal(38, 18)) as found, cast(null as decimal(38, 18)) as difference,
  'Trades are quoted in ' || cast(quote_count as varchar) || ' coins; gains are calculated in ' || currency
    || ', in which most are quoted. Set reports.currency to choose.' as explanation,
  '[]' as evidence, '' as culprit
from staging.reporting
where not is_configured and quote_count > 1
