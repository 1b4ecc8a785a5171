-- Orders that have filled something and trades of the books, with the run of days to which they belong. An order may fill over
-- several days, so days that an order spans are compared together: no order crosses from one run of days (island) into another.
-- An order that is still open has no end.
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
),
-- A run of days ends where no span of its days reaches the next one. So days are marked, which are few, and not spans.
days as (
  select account, line, symbol, first_day, max(greatest(first_day, spans.last_day)) as last_day
  from spans
  group by account, line, symbol, first_day
),
marked as (
  select *,
    case
      when first_day <= max(last_day) over (
        partition by account, line, symbol order by first_day rows between unbounded preceding and 1 preceding
      ) then 0
      else 1
    end as is_new
  from days
),
numbered as (
  select *,
    sum(is_new) over (
      partition by account, line, symbol order by first_day rows between unbounded preceding and current row
    ) as island
  from marked
)
select spans.account as account, spans.line as line, spans.symbol as symbol, numbered.island as island, what, ordered,
  traded, ordered_value, traded_value,
  spans.first_day as first_day, spans.last_day as last_day, id, order_id
from spans
join numbered
  on numbered.account = spans.account and numbered.line = spans.line
  and numbered.symbol is not distinct from spans.symbol and numbered.first_day is not distinct from spans.first_day
