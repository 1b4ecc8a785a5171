-- Entries and imported rows whose value determines a gain have a valid price in the reporting currency; if one has none, the
-- missing link is named. A coin is a warning if figures in a currency are evidently wanted: the configuration names one, or prices
-- were imported. Otherwise it is a notice, and the reports state what their figures are missing. Imported rows are always a
-- warning.
-- grain: one row per coin, and for imports one per account
with
import_rows as (
  select account, place, id, occurred_at from staging.unpriced_imports group by account, place, id, occurred_at
),
unpriced_rows as (
  select account, count(*) as row_count, min(import_rows.occurred_at) as occurred_at,
    first_by(id, place, 5) as ids
  from import_rows
  group by account
),
-- For each coin, the first row without its price.
import_coins as (
  select account, coin, min(unpriced_imports.occurred_at) as valued_at
  from staging.unpriced_imports
  where coin is not null
  group by account, coin
),
missing_of_imports as (
  select coins.account as account, joined_distinct(links.missing, '; ') as missing
  from import_coins as coins
  join staging.missing_links as links on links.coin = coins.coin and links.valued_at = coins.valued_at
  group by coins.account
)
select
  case
    when (select is_configured from staging.reporting) or exists (select 1 from landing.imported_prices) then 'warning'
    else 'notice'
  end as severity,
  account, cast(null as varchar) as ledger, unpriced.coin as coin, occurred_at,
  cast(null as decimal(38, 18)) as expected, cast(null as decimal(38, 18)) as found,
  cast(null as decimal(38, 18)) as difference,
  'Costs or proceeds of ' || counted(event_count, 'change', 'changes') || ' are unknown, because ' || unpriced.coin
    || ' has no price in ' || currency || ' for that time'
    || coalesce(case when event_count = 1 then ': ' else '; for the first of them ' end || links.missing, '')
    || '. Import what is missing (`tieout import prices`), or fetch it (`tieout prices fetch`).' as explanation,
  cast(to_json(ids) as varchar) as evidence, '' as culprit
from staging.unpriced_changes as unpriced
left join staging.missing_links as links
  on links.coin = unpriced.coin and links.valued_at = unpriced.occurred_at
union all
select 'warning', unpriced_rows.account, cast(null as varchar), cast(null as varchar), occurred_at,
  cast(null as decimal(38, 18)), cast(null as decimal(38, 18)), cast(null as decimal(38, 18)),
  counted(row_count, 'imported row has', 'imported rows have') || ' no price in ' || currency
    || ' for that time, so gains are unknown' || coalesce(': ' || missing, '')
    || '. Import what is missing (`tieout import prices`), or fetch it (`tieout prices fetch`).',
  cast(to_json(ids) as varchar), 'import'
from unpriced_rows
cross join staging.reporting
left join missing_of_imports on missing_of_imports.account = unpriced_rows.account
