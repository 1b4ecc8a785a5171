-- What orders tell of trades where an account has no tax records: one trade per filled or partly filled order.
-- Base and quote follow from the symbol, by the longest quote coin in which it ends.
-- grain: one row per account and order
with
filled as (
  select account, order_id, category, symbol, side, cum_exec_qty, cum_exec_value,
    coalesce(updated_time, created_time) as traded_at
  from main.orders
  where is_current and category in ('SPOT', 'MARGIN') and cum_exec_qty > 0
    and account not in (select account from staging.tax_books)
),
split as (
  select filled.*, ranks.coin as quote,
    row_number() over (
      partition by filled.account, filled.order_id order by length(ranks.coin) desc, ranks.rank
    ) as choice
  from filled
  join staging.quote_ranks as ranks
    on filled.symbol like '%' || ranks.coin and length(filled.symbol) > length(ranks.coin)
),
fees as (
  select account, order_id, fee_coin, sum(fee) as fee,
    row_number() over (partition by account, order_id order by fee_coin) as nth
  from main.order_fee_details
  where is_current and fee_coin <> '' and fee is not null
  group by account, order_id, fee_coin
)
select split.account, split.order_id, category, symbol, side,
  substr(symbol, 1, length(symbol) - length(quote)) as base, quote,
  cum_exec_qty as quantity, cum_exec_value as quote_amount, fee_coin, coalesce(fee, 0) as fee, traded_at
from split
left join fees on fees.account = split.account and fees.order_id = split.order_id and fees.nth = 1
where split.choice = 1
