-- Orders that have filled something and trades of the books, with the days that they span. An order that is still open has no end.
-- One that has ended is in both lists for a while, created on the same day.
-- slices: first_day
-- by day: main.orders, main.open_orders, main.trades, main.entries
-- grain: one row per order and per trade
with
tradable as (
  select * from (values ('SPOT'), ('MARGIN'), ('USDT-FUTURES'), ('COIN-FUTURES'), ('USDC-FUTURES')) as lines (line)
),
spans as (
  select account, upper_case(category) as line, symbol, 'order' as what, cum_exec_qty as ordered,
    cast(0 as decimal(38, 18)) as traded,
    case when cum_exec_value < 1000000000000000 then cum_exec_value end as ordered_value,
    cast(0 as decimal(38, 18)) as traded_value, utc_day(created_time) as first_day,
    case
      when lower_case(order_status) in ('filled', 'cancelled')
        then utc_day(coalesce(updated_time, created_time))
      else far_day()
    end as last_day,
    'trade.orderHistory/' || order_id as id, order_id
  from main.orders
  where is_current and upper_case(category) in (select line from tradable) and cum_exec_qty > 0
    and cum_exec_qty < 1000000000000000
  union all
  select account, upper_case(category), symbol, 'open order', 0, 0, 0, 0, utc_day(created_time),
    far_day(), 'trade.openOrders/' || order_id, order_id
  from main.open_orders as resting
  where is_current and upper_case(category) in (select line from tradable) and cum_exec_qty > 0
    and not exists (
      select 1 from main.orders as ended
      where ended.account = resting.account and ended.order_id = resting.order_id
        and utc_day(ended.created_time) = utc_day(resting.created_time)
    )
  union all
  select account, product_line, symbol, 'trade', 0, quantity, 0, quote_amount, utc_day(traded_at),
    utc_day(traded_at), trade_id, cast(null as varchar)
  from main.trades
  where kind = 'trade' and source = 'tax.records'
  union all
  select account, product_line, symbol, 'futures fee', 0, 0, 0, 0, utc_day(occurred_at),
    utc_day(occurred_at), entry_id, cast(null as varchar)
  from main.entries
  where kind = 'fee' and product_line like '%-FUTURES' and source_feed in ('tax.records', 'tax.futuresRecords')
    and symbol is not null
)
select account, line, symbol, what, ordered, traded, ordered_value, traded_value, first_day, last_day, id, order_id
from spans
