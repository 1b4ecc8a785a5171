-- Trades between two coins: fills and conversions assembled from tax records, filled orders of accounts without tax records,
-- and imported purchases and sales that no record of the venue reports. A conversion of several coins at once is not between
-- two coins: it has only its entries, which share a transaction_id.
-- grain: one row per trade_id
-- keys:  trade_id unique; it is the transaction_id of the trade's entries, which a trade from orders or an import does not have
-- slices: traded_at
-- by day: staging.trade_groups, staging.trade_orders
-- columns:
--   trade_id: transaction_id of the entries; for a trade from orders, account/feed/order id; for an import, its own id.
--   account: Account.
--   ledger: Wallet in which it happened; null for an import.
--   product_line: Business type: SPOT or MARGIN; null for an import.
--   kind: trade (order book) or conversion.
--   symbol: Base and quote coin together, whether or not the venue has a market of that name.
--   venue_symbol: The same as spelled in an order in the books; null for a conversion, for an import, and if no order spells it.
--   order_id: Order that it filled, if orders prove it (trade_orders); null elsewhere.
--   side: buy or sell, of the base coin.
--   base: Coin that is bought or sold.
--   quote: Coin in which it is priced.
--   quantity: Quantity of the base coin, before fees.
--   price: quote_amount / quantity, rounded half to even at 18 decimals.
--   quote_amount: Quantity of the quote coin, before fees.
--   fee: Fee, positive when paid and negative for a rebate.
--   fee_coin: Coin of the fee; null where there is none.
--   other_fee: A second fee of the same trade in another coin; zero for most. A third is only in the table fees.
--   other_fee_coin: Coin of the second fee; null where there is none.
--   traded_at: When it happened.
--   source: Feed that reports it; import if it was imported from elsewhere.
with
sided as (
  select groups.account as account, groups.group_place as group_place, groups.transaction_id as transaction_id,
    groups.feed as feed, groups.line as line, groups.product_line as product_line, groups.family as family,
    groups.occurred_at as occurred_at, groups.received_coin as received_coin, groups.received as received,
    groups.received_fee as received_fee, groups.received_place as received_place, groups.paid_coin as paid_coin,
    groups.paid as paid, groups.paid_fee as paid_fee, groups.paid_place as paid_place,
    groups.platform_fee_coin as platform_fee_coin, groups.platform_fee as platform_fee, groups.fee_place as fee_place,
    sides.side as side, sides.venue_symbol as venue_symbol,
    case when sides.side = 'buy' then groups.received_coin else groups.paid_coin end as base,
    case when sides.side = 'buy' then groups.paid_coin else groups.received_coin end as quote,
    case when sides.side = 'buy' then received else paid end as quantity,
    case when sides.side = 'buy' then paid else received end as quote_amount
  from staging.trade_groups as groups
  join staging.pair_sides as sides
    on sides.received_coin = groups.received_coin and sides.paid_coin = groups.paid_coin
),
fee_parts as (
  select account, group_place, platform_fee_coin as coin, platform_fee as fee from sided where platform_fee <> 0
  union all
  select account, group_place, received_coin, received_fee from sided where received_fee <> 0
  union all
  select account, group_place, paid_coin, paid_fee from sided where paid_fee <> 0
),
fees as (
  select account, group_place, coin, -sum(fee_parts.fee) as fee,
    row_number() over (partition by account, group_place order by coin) as nth
  from fee_parts
  group by account, group_place, coin
),
from_legs as (
  select sided.transaction_id as trade_id, sided.account as account,
    ledgers.ledger as ledger, sided.product_line as product_line,
    case when sided.family = 'spot' then 'trade' else 'conversion' end as kind,
    base || quote as symbol, case when sided.family = 'spot' then sided.venue_symbol end as venue_symbol,
    orders.order_id as order_id,
    side, base, quote, quantity, exact_divide(quote_amount, quantity) as price, quote_amount,
    coalesce(first_fee.fee, 0) as fee, first_fee.coin as fee_coin,
    coalesce(second_fee.fee, 0) as other_fee, second_fee.coin as other_fee_coin,
    sided.occurred_at as traded_at, sided.feed as source
  from sided
  join staging.line_ledgers as ledgers
    on ledgers.account = sided.account and ledgers.feed = sided.feed and ledgers.line = sided.line
  left join fees as first_fee
    on first_fee.account = sided.account and first_fee.group_place = sided.group_place and first_fee.nth = 1
  left join fees as second_fee
    on second_fee.account = sided.account and second_fee.group_place = sided.group_place
    and second_fee.nth = 2
  left join staging.trade_orders as orders
    on orders.account = sided.account and orders.group_place = sided.group_place
),
from_orders as (
  select account || '/trade.orderHistory/' || order_id as trade_id, account, category as ledger,
    category as product_line, 'trade' as kind, base || quote as symbol, order_trades.symbol as venue_symbol, order_id,
    side, base,
    quote, quantity,
    exact_divide(quote_amount, quantity) as price, quote_amount, fee, fee_coin,
    other_fee, other_fee_coin, traded_at, 'trade.orderHistory' as source
  from staging.order_trades
),
from_imports as (
  select id as trade_id, account, cast(null as varchar) as ledger, cast(null as varchar) as product_line,
    'trade' as kind, asset || currency as symbol, cast(null as varchar) as venue_symbol,
    cast(null as varchar) as order_id, type as side, asset as base, currency as quote, quantity,
    exact_divide(total, quantity) as price, total as quote_amount, fee, fee_currency as fee_coin,
    cast(0 as decimal(38, 18)) as other_fee, cast(null as varchar) as other_fee_coin,
    occurred_at as traded_at, 'import' as source
  from main.imported_trades
  anti join staging.imported_twins using (id)
  -- Without a currency, the row is a coin that was spent with no other received.
  where type in ('buy', 'sell') and currency is not null
)
select * from from_legs
union all
select * from from_orders
union all
select * from from_imports
