-- The fees that the orders of a symbol that begin on a day report, and those that the records of the day charge, by coin; and
-- whether one of the orders reports none, which has no coin.
-- slices: first_day
-- by day: staging.order_spans, main.order_fee_details, main.trades, main.entries
-- grain: one row per account, line, symbol, first_day, coin and side
with
printed as (
  select spans.account as account, spans.line as line, spans.symbol as symbol, spans.first_day as first_day,
    spans.id as id, details.fee_coin as coin, details.fee as fee, least(18, details.fee_decimals) as decimals
  from staging.order_spans as spans
  join main.order_fee_details as details
    on details.account = spans.account and details.order_id = spans.order_id and details.is_current
  where spans.what = 'order' and details.fee_coin <> '' and details.fee is not null
),
charges as (
  select spans.account as account, spans.line as line, spans.symbol as symbol, spans.first_day as first_day,
    trades.fee_coin as coin, trades.fee as fee
  from staging.order_spans as spans
  join main.trades as trades on trades.trade_id = spans.id
  where spans.what = 'trade' and trades.fee <> 0
  union all
  select spans.account, spans.line, spans.symbol, spans.first_day, trades.other_fee_coin, trades.other_fee
  from staging.order_spans as spans
  join main.trades as trades on trades.trade_id = spans.id
  where spans.what = 'trade' and trades.other_fee <> 0
  union all
  select spans.account, spans.line, spans.symbol, spans.first_day, entries.coin, -entries.amount
  from staging.order_spans as spans
  join main.entries as entries on entries.entry_id = spans.id
  where spans.what = 'futures fee'
),
silent as (
  select spans.account as account, spans.line as line, spans.symbol as symbol, spans.first_day as first_day
  from staging.order_spans as spans
  anti join printed on printed.account = spans.account and printed.id = spans.id
  where spans.what = 'order'
)
select printed.account as account, printed.line as line, printed.symbol as symbol, printed.first_day as first_day,
  printed.coin as coin, 'reported' as side, sum(printed.fee) as fee, sum(units.last_decimal) as allowance,
  max(printed.decimals) as most_decimals
from printed
left join staging.last_decimals as units on units.decimals = printed.decimals
group by printed.account, printed.line, printed.symbol, printed.first_day, printed.coin
union all
select account, line, symbol, first_day, coin, 'charged', sum(charges.fee), cast(null as decimal(38, 18)), null
from charges
group by account, line, symbol, first_day, coin
union all
select account, line, symbol, first_day, cast(null as varchar), 'silent', cast(null as decimal(38, 18)),
  cast(null as decimal(38, 18)), null
from silent
group by account, line, symbol, first_day
