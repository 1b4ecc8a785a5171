// Twenty example queries for the console. A test runs each of them, unchanged, over a demo's books.
import type { ConsoleExamples } from './api.ts'

const example = (title: string, sql: string): ConsoleExamples['examples'][number] => ({ title, sql })

export const examples: ConsoleExamples['examples'] = [
  example(
    'Holdings by coin, over all accounts',
    `select coin, sum(quantity) as quantity, sum(borrowed) as borrowed, count(*) as wallets
from balances
group by coin
order by coin`,
  ),
  example(
    'Net worth by day',
    `select day, sum(value) as net_worth, any_value(currency) as currency, sum(unpriced_coins) as missing_prices
from net_worth
group by day
order by day`,
  ),
  example(
    'Differences between the books and the venue',
    `select account, ledger, coin, quantity, venue_balance, quantity - venue_balance as difference
from balances
where quantity <> venue_balance
order by account, ledger, coin`,
  ),
  example(
    'The latest hundred entries',
    `select occurred_at, account, ledger, coin, amount, kind, symbol, entry_id
from entries
order by occurred_at desc, place desc
limit 100`,
  ),
  example(
    'Profit and loss by month',
    `select month, coin, sum(realised_pnl) as realised, sum(fees) as fees, sum(funding) as funding,
  sum(interest) as interest, sum(net_pnl) as net, sum(unknown_pieces) as unknown_pieces
from pnl_monthly
group by month, coin
order by month, coin`,
  ),
  example(
    'Fees by symbol',
    `select coalesce(fees.symbol, trades.symbol, fees.product_line) as symbol, fees.coin, sum(fees.fee) as fee,
  sum(value) as value, count(*) filter (value is null) as unpriced
from (select transaction_id, symbol, product_line, coin, fee, value from fees
  union all
  select trade_id, null, null, fee_coin, fee, if(fee < 0, -valuations.value, valuations.value) from trades
  left join valuations on entry_id = 'import/' || trade_id || '/fee' where source in ('import', 'trade.orderHistory')
  union all
  select trade_id, null, null, other_fee_coin, other_fee, null from trades where source = 'trade.orderHistory'
) as fees left join trades on trades.trade_id = fees.transaction_id where fees.fee <> 0
group by all order by value desc nulls last, symbol, fees.coin`,
  ),
  example(
    'Funding by month and contract',
    `select date_trunc('month', day)::date as month, symbol, margin_coin, sum(funding) as funding
from futures_pnl
group by all
order by month, symbol`,
  ),
  example(
    'Gains by holding period',
    `select case when holding_days > 365 then 'over a year' when holding_days >= 0 then 'up to a year' else 'not known' end
    as held,
  currency, count(*) as pieces, sum(proceeds) as proceeds, sum(cost_basis) as cost, sum(gain) as gain,
  count(*) filter (gain is null) as without_gain
from disposals
group by all
order by all`,
  ),
  example(
    'The largest gains and losses',
    `select disposed_at, account, coin, quantity, proceeds, cost_basis, gain, currency, disposal_id
from disposals
where gain is not null
order by abs(gain) desc
limit 50`,
  ),
  example(
    'Open lots and their cost',
    `select account, coin, count(*) as lots, sum(quantity_left) as quantity, sum(cost_basis_left) as cost,
  min(acquired_at) as oldest
from lots
group by account, coin
order by account, coin`,
  ),
  example(
    'Disposals without a known cost',
    `select account, coin, quantity, unvalued_quantity, disposals
from unknown_basis
order by account, coin`,
  ),
  example(
    'Who sent what to whom',
    `select coin, account || ':' || ledger as sender,
  coalesce(counter_account || ':' || counter_ledger, if(kind = 'margin_move', 'margin', 'outside')) as receiver,
  count(*) as transfers, sum(quantity) as quantity
from transfers
where direction = 'out'
group by all
order by all`,
  ),
  example(
    'Income by kind and month',
    `select date_trunc('month', occurred_at at time zone 'UTC')::date as month, kind, coin, sum(amount) as amount,
  sum(value) as value, any_value(currency) as currency
from income
group by all
order by all`,
  ),
  example(
    'Average price of P2P deals',
    `select coin, fiat, side, sum(quantity) as quantity,
  exact_divide(sum(fiat_amount), sum(quantity)) as average_price
from p2p_trades
where fiat_amount is not null
group by all
order by all`,
  ),
  example(
    'Exposure by coin on the last day',
    `select coin, sum(quantity - borrowed) as own_quantity, sum(own_value) as value, any_value(price) as price
from daily_valuation
where day = (select max(day) from daily_valuation)
group by coin
order by value desc nulls last`,
  ),
  example(
    'Turnover by symbol and side',
    `select symbol, side, quote, count(*) as trades, sum(quantity) as quantity, sum(quote_amount) as turnover
from trades
group by all
order by turnover desc nulls last`,
  ),
  example(
    'Slippage of limit orders',
    `select category, symbol, side, count(*) as orders, sum(cum_exec_qty) as quantity,
  sum(exact_multiply(cum_exec_qty, case when side = 'buy' then price - avg_price else avg_price - price end)) as better_by
from orders
where is_current and order_type = 'limit' and price > 0 and avg_price > 0
group by all
order by all`,
  ),
  example(
    'Open breaks, worst first',
    `select severity, check_name, account, coin, expected, found, difference, explanation, break_id
from breaks
where status = 'open'
order by case severity when 'error' then 0 when 'warning' then 1 else 2 end, occurred_at desc nulls last`,
  ),
  example(
    'Days on which a feed is not complete',
    `select coverage.account, coverage.feed, coverage.partition, calendar.day, coverage.status, coverage.reason
from calendar
join coverage on calendar.day >= coalesce(coverage.starts_at::date, calendar.day)
  and calendar.day <= coalesce(coverage.ends_at::date, calendar.day)
where coverage.status not in ('complete', 'empty', 'not_applicable')
order by all`,
  ),
  example(
    'All tables and their meaning',
    `select table_name, estimated_size as rows, comment
from duckdb_tables()
where schema_name = 'main'
union all
select view_name, null, comment
from duckdb_views()
where schema_name = 'main' and not internal
order by table_name`,
  ),
]
