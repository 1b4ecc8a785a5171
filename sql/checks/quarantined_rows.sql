-- No received row had to be quarantined. Prices, which are requested again, are reported by price_sources.
-- grain: one row per account, feed, field and reason
with
grouped as (
  select account, feed, field, reason, count(*) as row_count, min(first_seen_at) as occurred_at,
    first_of(ordered_list(cast(page_id as varchar) || ':' || cast(page_row as varchar), (page_id, page_row)), 10) as places
  from main.quarantine
  where account is not null
  group by account, feed, field, reason
)
select 'warning' as severity, account, cast(null as varchar) as ledger, cast(null as varchar) as coin, occurred_at,
  cast(null as decimal(38, 18)) as expected, cast(null as decimal(38, 18)) as found,
  cast(null as decimal(38, 18)) as difference,
  counted(row_count, 'row of ' || feed || ' was', 'rows of ' || feed || ' were') || ' quarantined'
    || case when coalesce(field, '') = '' then '' else ' because of the field ' || field end
    || ': ' || coalesce(reason, '') || '. '
    || case when row_count = 1 then 'It is' else 'They are' end || ' in the table quarantine and in no balance.'
    as explanation,
  cast(to_json(places) as varchar) as evidence,
  feed || '/' || coalesce(field, '') || '/' || coalesce(reason, '') as culprit
from grouped
