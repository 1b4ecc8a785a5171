-- What orders show of trades if an account has no tax records: one trade per filled or partly filled order. An order whose fills
-- were imported yields to them, because they have basis and gains: the imported rows of its account, coins and side within its
-- lifetime (to the second, as in many exports) add up to its quantity.
-- Base and quote follow from the symbol (symbol_coins).
-- grain: one row per account and order
with
filled as (
  select account, order_id, upper_case(orders.category) as category, symbol, lower_case(orders.side) as side, cum_exec_qty,
    cum_exec_value, created_time, coalesce(updated_time, created_time) as traded_at
  from main.orders
  where is_current and upper_case(orders.category) in ('SPOT', 'MARGIN') and cum_exec_qty > 0
    and account not in (select account from staging.tax_books)
),
split as (
  select filled.account as account, filled.order_id as order_id, filled.category as category,
    filled.symbol as symbol, filled.side as side, filled.cum_exec_qty as cum_exec_qty,
    filled.cum_exec_value as cum_exec_value, filled.created_time as created_time, filled.traded_at as traded_at,
    coins.base as base, coins.quote as quote
  from filled
  join staging.symbol_coins as coins on coins.symbol = filled.symbol
),
fees as (
  select account, order_id, fee_coin, sum(order_fee_details.fee) as fee,
    row_number() over (partition by account, order_id order by fee_coin) as nth
  from main.order_fee_details
  where is_current and fee_coin <> '' and order_fee_details.fee is not null
  group by account, order_id, fee_coin
),
final as (
  select split.account as account, split.order_id as order_id, category, symbol, side,
    base, quote,
    cum_exec_qty as quantity, cum_exec_value as quote_amount, first_fee.fee_coin as fee_coin,
    coalesce(first_fee.fee, 0) as fee, second_fee.fee_coin as other_fee_coin, coalesce(second_fee.fee, 0) as other_fee,
    traded_at, coalesce(created_time, traded_at) as began_at
  from split
  left join fees as first_fee
    on first_fee.account = split.account and first_fee.order_id = split.order_id and first_fee.nth = 1
  left join fees as second_fee
    on second_fee.account = split.account and second_fee.order_id = split.order_id and second_fee.nth = 2
),
imported as (
  select final.account as account, final.order_id as order_id, sum(imported.quantity) as quantity
  from final
  join main.imported_trades as imported
    on imported.account = final.account and imported.asset = final.base and imported.currency = final.quote
    and imported.type = final.side
    and imported.occurred_at >= utc_second(final.began_at)
    and imported.occurred_at < utc_second(final.traded_at) + interval 1 second
  group by final.account, final.order_id
)
select final.account as account, final.order_id as order_id, category, symbol, side, base, quote,
  final.quantity as quantity, quote_amount, fee_coin, fee, other_fee_coin, other_fee, traded_at
from final
left join imported on imported.account = final.account and imported.order_id = final.order_id
where coalesce(imported.quantity, 0) < final.quantity
