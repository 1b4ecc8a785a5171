-- Orders of spot, margin and futures have paid the fees that the tax records charge, symbol by symbol and coin by coin, in the
-- time for which both feeds are complete, less a day at each end. Orders report a fee paid as positive, tax records as negative.
-- A run of days is not compared if its filled quantities differ (see orders_vs_tax), if an order in it has no fee or a futures
-- record no symbol, or if the venue closed a position itself. If records have more decimals than orders, the last decimal of
-- each order may be cut off.
-- grain: one row per account, symbol and coin of the fees
with
printed as (
  select spans.account as account, spans.line as line, spans.symbol as symbol, spans.island as island, spans.id as id,
    details.fee_coin as coin, details.fee as fee,
    least(18, details.fee_decimals) as decimals
  from staging.order_spans as spans
  join main.order_fee_details as details
    on details.account = spans.account and details.order_id = spans.order_id and details.is_current
  where spans.what = 'order'
),
items as (
  select printed.account as account, printed.line as line, printed.symbol as symbol, printed.island as island,
    printed.id as id, printed.coin as coin, printed.fee as fee, printed.decimals as decimals,
    units.last_decimal as last_decimal
  from printed
  left join staging.last_decimals as units on units.decimals = printed.decimals
),
reported as (
  select account, line, symbol, island, coin, sum(fee) as reported_fee, sum(last_decimal) as allowance,
    max(decimals) as most_decimals
  from items
  where coin <> '' and fee is not null
  group by account, line, symbol, island, coin
),
silent as (
  select distinct spans.account as account, spans.line as line, spans.symbol as symbol, spans.island as island
  from staging.order_spans as spans
  left join items
    on items.account = spans.account and items.id = spans.id and items.coin <> '' and items.fee is not null
  where spans.what = 'order' and items.id is null
),
charges as (
  select spans.account as account, spans.line as line, spans.symbol as symbol, spans.island as island, spans.id as id,
    trades.fee_coin as coin, trades.fee as fee
  from staging.order_spans as spans
  join main.trades as trades on trades.trade_id = spans.id
  where spans.what = 'trade' and trades.fee <> 0
  union all
  select spans.account, spans.line, spans.symbol, spans.island, spans.id, trades.other_fee_coin, trades.other_fee
  from staging.order_spans as spans
  join main.trades as trades on trades.trade_id = spans.id
  where spans.what = 'trade' and trades.other_fee <> 0
  union all
  select spans.account, spans.line, spans.symbol, spans.island, spans.id, entries.coin, -entries.amount
  from staging.order_spans as spans
  join main.entries as entries on entries.entry_id = spans.id
  where spans.what = 'futures fee'
),
charged as (
  select account, line, symbol, island, coin, sum(fee) as charged_fee
  from charges
  group by account, line, symbol, island, coin
),
compared as (
  select coalesce(reported.account, charged.account) as account, coalesce(reported.line, charged.line) as line,
    coalesce(reported.symbol, charged.symbol) as symbol, coalesce(reported.island, charged.island) as island,
    coalesce(reported.coin, charged.coin) as coin, coalesce(reported.reported_fee, 0) as reported_fee,
    coalesce(charged.charged_fee, 0) as charged_fee,
    charged.account is not null as is_charged,
    coalesce(reported.allowance, 0) as allowance,
    coalesce(reported.most_decimals, 18) as decimals
  from reported
  full join charged
    on charged.account = reported.account and charged.line = reported.line and charged.symbol = reported.symbol
    and charged.island = reported.island and charged.coin = reported.coin
),
beyond as (
  select *,
    length(rtrim(amount_text(charged_fee), '0')) - position('.' in amount_text(charged_fee)) > decimals
      and abs(charged_fee - reported_fee) < allowance as is_cut_off
  from compared
  where reported_fee <> charged_fee
),
unsuited as (
  select account, product_line as line, utc_day(occurred_at) as day, symbol
  from main.entries
  where product_line like '%-FUTURES' and kind in ('fee', 'liquidation')
    and (
      symbol is null or kind = 'liquidation' or upper_case(type) like '%BURST%' or upper_case(type) like '%FORCE%'
      or upper_case(type) like '%ADL%'
    )
),
inside as (
  select beyond.account as account, beyond.line as line, beyond.symbol as symbol, beyond.island as island,
    beyond.coin as coin, beyond.reported_fee as reported_fee, beyond.charged_fee as charged_fee, beyond.is_charged as is_charged,
    beyond.allowance as allowance, beyond.decimals as decimals, beyond.is_cut_off as is_cut_off,
    islands.begins_on as begins_on, islands.ends_on as ends_on
  from beyond
  join staging.order_islands as islands
    on islands.account = beyond.account and islands.line = beyond.line and islands.symbol = beyond.symbol
    and islands.island = beyond.island
  where not beyond.is_cut_off and islands.all_ordered >= islands.all_traded
    and (beyond.line like '%-FUTURES' or islands.all_ordered = islands.all_traded)
    and (
      beyond.reported_fee > beyond.charged_fee
      or beyond.account in (select account from landing.pages where feed = 'trade.openOrders')
    )
    and not exists (
      select 1 from silent
      where silent.account = beyond.account and silent.line = beyond.line and silent.symbol = beyond.symbol
        and silent.island = beyond.island
    )
    and not exists (
      select 1 from unsuited
      where unsuited.account = beyond.account and unsuited.line = beyond.line
        and coalesce(unsuited.symbol, beyond.symbol) = beyond.symbol
        and unsuited.day between islands.begins_on and islands.ends_on
    )
),
trouble as (
  select account, starts_at, ends_at, cause from staging.disturbances
  union all
  select account, occurred_at, occurred_at, 'the legs left over at record ' || source_id
  from staging.trade_legs
  where status = 'leftover'
  union all
  select account, occurred_at, occurred_at,
    'the futures record ' || coalesce(booked_id, secondary_id) || ', which one of two feeds has (see futures_v3_v2)'
  from staging.futures_secondary
  where booked_id is null or secondary_id is null
),
caused as (
  select inside.account as account, inside.symbol as symbol, inside.coin as coin, min(trouble.cause) as cause
  from inside
  join trouble
    on trouble.account = inside.account
    and utc_day(trouble.starts_at) <= inside.ends_on
    and utc_day(trouble.ends_at) >= inside.begins_on
  group by inside.account, inside.symbol, inside.coin
),
grouped as (
  select account, line, symbol, coin, sum(reported_fee) as reported, sum(charged_fee) as charged,
    min(begins_on) as first_day, count(*) as island_count
  from inside
  group by account, line, symbol, coin
),
numbered as (
  select account, line, symbol, island, coin, is_charged,
    row_number() over (partition by account, line, symbol, coin order by begins_on) as nth
  from inside
),
-- For the first island: what was charged there, or else the orders that report a fee that no record charges.
named as (
  select account, line, symbol, island, coin, true as is_charged, id from charges
  union all
  select account, line, symbol, island, coin, false, id from items where coin <> '' and fee is not null
),
first_ids as (
  select numbered.account as account, numbered.line as line, numbered.symbol as symbol, numbered.coin as coin,
    first_by(named.id, named.id, 5) as ids
  from numbered
  join named
    on named.account = numbered.account and named.line = numbered.line and named.symbol = numbered.symbol
    and named.island = numbered.island and named.coin = numbered.coin and named.is_charged = numbered.is_charged
  where numbered.nth = 1
  group by numbered.account, numbered.line, numbered.symbol, numbered.coin
)
select case when caused.cause is null then 'warning' else 'notice' end as severity,
  grouped.account as account, cast(null as varchar) as ledger, grouped.coin as coin,
  day_start(first_day) as occurred_at,
  reported as expected, charged as found, charged - reported as difference,
  'Fees of ' || grouped.symbol || ' orders (' || grouped.line || ') and of the tax records differ on '
    || counted(island_count, 'day or run of days', 'days or runs of days') || ', the first on ' || cast(first_day as varchar)
    || case when caused.cause is null then '.' else '; this follows from ' || caused.cause || '.' end
    as explanation,
  cast(to_json(first_ids.ids) as varchar) as evidence,
  grouped.line || '/' || grouped.symbol || '/' || grouped.coin as culprit
from grouped
join first_ids
  on first_ids.account = grouped.account and first_ids.line = grouped.line and first_ids.symbol = grouped.symbol
  and first_ids.coin = grouped.coin
left join caused
  on caused.account = grouped.account and caused.symbol = grouped.symbol and caused.coin = grouped.coin
