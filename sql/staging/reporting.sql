-- The coin or currency in which gains are reckoned: the configured one, else the one in which most trades are quoted,
-- else the first of the quote coins.
-- grain: one row
with
quoted as (
  select quote, count(*) as trade_count from main.trades where kind = 'trade' group by quote
),
chosen as (
  select max(settings.reporting_currency) as configured,
    (select quote from quoted order by trade_count desc, quote limit 1) as most_quoted,
    (select coin from staging.quote_ranks order by rank, coin limit 1) as first_listed,
    (select count(*) from quoted) as quote_count
  from staging.settings as settings
)
select coalesce(configured, most_quoted, first_listed) as currency,
  configured is not null as is_configured, quote_count
from chosen
