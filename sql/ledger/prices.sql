-- Prices of coins: from one's own trades (all trades of a pair at one moment make one price), as imported, as the
-- configured sources answered, and as included in answers about positions and lending.
-- grain: one row per coin, currency, priced_at and source
-- keys:  coin, currency, priced_at, source unique
-- slices: priced_at
-- by day: main.trades, main.p2p_trades
-- columns:
--   coin: Coin that is priced.
--   currency: Coin or currency in which it is priced.
--   priced_at: Time of the price.
--   price: Price of one coin, rounded half to even at 18 decimals.
--   source: trades, p2p, candles (of the venue), ecb (its reference rates), marks (of positions), ltv (of institutional
--     lending), the source that an import names, or import if it names none.
--   page_id: Journal frame that brought it; null for one's own trades and deals.
--   page_row: Position of the row in it, from 0; null for one's own trades and deals.
with
traded as (
  select base as coin, quote as currency, traded_at as priced_at, 'trades' as source,
    sum(quote_amount) as value, sum(trades.quantity) as quantity
  from main.trades
  where kind = 'trade'
  group by base, quote, traded_at
),
for_fiat as (
  select coin, fiat as currency, traded_at as priced_at, 'p2p' as source,
    sum(fiat_amount) as value, sum(p2p_trades.quantity) as quantity
  from main.p2p_trades
  where fiat is not null and fiat_amount > 0
  group by coin, fiat, traded_at
),
together as (
  select * from traded
  union all
  select * from for_fiat
),
given as (
  select asset, currency, priced_at, price, source, page_id, page_row, 0 as precedence
  from landing.imported_prices
  anti join landing.import_withdrawals using (page_id)
  union all
  -- A daily candle closes with the last moment of its day: timed at the midnight after it, it would miss the end of the day.
  select asset, currency,
    case when source = 'candles' and unit = '1d' then priced_at - interval 1 millisecond else priced_at end,
    price, source, page_id, page_row, case when unit = '1h' then 1 else 2 end
  from landing.fetched_prices
  union all
  select coin, currency, priced_at, price, source, page_id, page_row, 3 from staging.read_prices
),
-- If one source has several for one moment, the user's own takes precedence, then that of the shorter candle, then the first.
ranked as (
  select *,
    row_number() over (
      partition by asset, currency, priced_at, source order by precedence, page_id, page_row
    ) as observation
  from given
)
select coin, currency, priced_at, exact_divide(value, quantity) as price, source,
  cast(null as bigint) as page_id, cast(null as integer) as page_row
from together
where quantity > 0 and value > 0
union all
select asset, currency, priced_at, price, source, page_id, page_row from ranked where observation = 1
