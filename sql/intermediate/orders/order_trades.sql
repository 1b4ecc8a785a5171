-- What orders show of trades if an account has no tax records: one trade per filled or partly filled order. An order whose fills
-- were imported yields to them, because they have basis and gains: the imported rows of its account, coins and side within its
-- lifetime (to the second, as in many exports) add up to its quantity.
-- Base and quote follow from the symbol (symbol_coins).
-- grain: one row per account and order
with
-- Without one, the orders need not be gone through.
untaxed as (
  select distinct account from staging.record_pages
  where feed = 'trade.orderHistory' and account not in (select account from staging.tax_books)
),
filled as (
  select account, order_id, upper_case(orders.category) as category, symbol, lower_case(orders.side) as side, cum_exec_qty,
    cum_exec_value, created_time, coalesce(updated_time, created_time) as traded_at
  from main.orders
  where is_current and upper_case(orders.category) in ('SPOT', 'MARGIN') and cum_exec_qty > 0
    and account in (select account from untaxed)
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
    and account in (select account from untaxed)
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
-- To sum the fills of each order would compare every order of a market with every fill of it. So the fills are added up once
-- in their order; an order has what they add up to before its end less what they add up to before its beginning. Whole units
-- and fractions are added up apart, because a market may come to more than an amount can hold.
instants as (
  select account, asset, currency, type, occurred_at,
    sum(cast(floor(quantity) as decimal(38, 0))) as units, sum(quantity - floor(quantity)) as fractions
  from main.imported_trades
  where currency is not null
  group by account, asset, currency, type, occurred_at
),
fills as (
  select account, asset, currency, type, occurred_at,
    sum(instants.units) over so_far as units, sum(instants.fractions) over so_far as fractions
  from instants
  window so_far as (
    partition by account, asset, currency, type order by occurred_at rows between unbounded preceding and current row
  )
),
bounds as (
  select account, order_id, base, quote, side, utc_second(traded_at) + interval 1 second as passed_at, 1 as is_end
  from final
  union all
  select account, order_id, base, quote, side, utc_second(began_at), 0 from final
),
imported as (
  select bounds.account as account, bounds.order_id as order_id,
    sum(case when is_end = 1 then fills.units else -fills.units end) as units,
    sum(case when is_end = 1 then fills.fractions else -fills.fractions end) as fractions
  from bounds
  asof join fills
    on fills.account = bounds.account and fills.asset = bounds.base and fills.currency = bounds.quote
    and fills.type = bounds.side and fills.occurred_at < bounds.passed_at
  group by bounds.account, bounds.order_id
)
select final.account as account, final.order_id as order_id, category, symbol, side, base, quote,
  final.quantity as quantity, quote_amount, fee_coin, fee, other_fee_coin, other_fee, traded_at
from final
left join imported on imported.account = final.account and imported.order_id = final.order_id
-- units + fractions < quantity, both sides less the whole units of the quantity, so that every difference fits
where imported.units is null
  or imported.units - cast(floor(final.quantity) as decimal(38, 0))
    + cast(floor(imported.fractions - (final.quantity - floor(final.quantity))) as decimal(38, 0)) < 0
