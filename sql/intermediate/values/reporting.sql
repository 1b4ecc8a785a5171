-- The coin or currency in which gains are calculated: the configured one, else the one in which most trades are, else the first of
-- the quote coins. Imported coin-to-coin trades set the currency only if no import is in money.
-- grain: one row
with
imported as (
  select currency, type in ('buy', 'sell') as is_trade
  from main.imported_trades
  where currency is not null and type not in ('transfer_in', 'transfer_out')
  union all
  select currency, false from main.imported_lots
),
imported_money as (
  select imported.currency as currency from imported join staging.fiat as fiat on fiat.currency = imported.currency
),
named as (
  select quote from main.trades where kind = 'trade' and source <> 'import'
  union all
  select currency from imported_money
  union all
  select currency from imported where is_trade and not exists (select 1 from imported_money)
),
quoted as (
  select quote, count(*) as trade_count from named group by quote
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
