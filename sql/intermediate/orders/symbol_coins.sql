-- Base and quote coin of the symbols named in spot and margin orders, by the longest quote coin with which each ends.
-- grain: one row per symbol that ends in a quote coin
-- keys:  symbol unique
with
symbols as (
  select distinct symbol from main.orders where upper_case(category) in ('SPOT', 'MARGIN')
),
ranked as (
  select symbols.symbol as symbol, ranks.coin as quote,
    row_number() over (partition by symbols.symbol order by length(ranks.coin) desc, ranks.rank) as choice
  from symbols
  join staging.quote_ranks as ranks
    on symbols.symbol like '%' || ranks.coin and length(symbols.symbol) > length(ranks.coin)
)
select symbol, substr(symbol, 1, length(symbol) - length(quote)) as base, quote
from ranked
where choice = 1
