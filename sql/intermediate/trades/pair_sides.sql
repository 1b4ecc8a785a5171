-- Which coin of a pair is the base and which the quote: as in an order of that symbol, else by the list of quote coins, else
-- alphabetically, so that both directions of a pair have one symbol. If an order determines it, that is also how the venue names
-- the market.
-- grain: one row per received and paid coin
with
pairs as (
  select distinct received_coin, paid_coin from staging.trade_groups
),
symbols as (
  select distinct symbol from main.orders where upper_case(category) in ('SPOT', 'MARGIN') and symbol is not null
),
ranked as (
  select pairs.received_coin as received_coin, pairs.paid_coin as paid_coin,
    bought.symbol is not null as is_bought_symbol,
    sold.symbol is not null as is_sold_symbol,
    coalesce(received_rank.rank, 1000000) as received_rank,
    coalesce(paid_rank.rank, 1000000) as paid_rank
  from pairs
  left join symbols as bought on bought.symbol = pairs.received_coin || pairs.paid_coin
  left join symbols as sold on sold.symbol = pairs.paid_coin || pairs.received_coin
  left join staging.quote_ranks as received_rank on received_rank.coin = pairs.received_coin
  left join staging.quote_ranks as paid_rank on paid_rank.coin = pairs.paid_coin
)
select received_coin, paid_coin,
  case
    when is_bought_symbol and not is_sold_symbol then 'buy'
    when is_sold_symbol and not is_bought_symbol then 'sell'
    when paid_rank < received_rank then 'buy'
    when received_rank < paid_rank then 'sell'
    when paid_coin > received_coin then 'buy'
    else 'sell'
  end as side,
  case
    when is_bought_symbol and not is_sold_symbol then received_coin || paid_coin
    when is_sold_symbol and not is_bought_symbol then paid_coin || received_coin
  end as venue_symbol
from ranked
