-- Orders of spot, margin and futures have paid the fees that the tax records charge, symbol by symbol and coin by coin, in the
-- time for which both feeds are complete, less a day at each end. Orders report a fee paid as positive, tax records as negative.
-- A run of days is not compared if its filled quantities differ (see orders_vs_tax), if an order in it has no fee or a futures
-- record no symbol, or if the venue closed a position itself. If records have more decimals than orders, the last decimal of
-- each order may be cut off.
-- grain: one row per account, symbol and coin of the fees
with
days as (
  select days.account as account, days.line as line, days.symbol as symbol, runs.island as island, days.coin as coin,
    days.side as side, days.fee as fee, days.allowance as allowance, days.most_decimals as most_decimals
  from staging.order_fee_days as days
  join staging.order_runs as runs
    on runs.account = days.account and runs.line = days.line and runs.symbol = days.symbol
    and runs.first_day = days.first_day
),
silent as (
  select distinct account, line, symbol, island from days where side = 'silent'
),
compared as (
  select account, line, symbol, island, coin,
    coalesce(sum(case when side = 'reported' then days.fee end), 0) as reported_fee,
    coalesce(sum(case when side = 'charged' then days.fee end), 0) as charged_fee,
    bool_or(side = 'charged') as is_charged,
    coalesce(sum(days.allowance), 0) as allowance,
    coalesce(max(days.most_decimals), 18) as decimals
  from days
  where side <> 'silent'
  group by account, line, symbol, island, coin
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
firsts as (
  select numbered.account as account, numbered.line as line, numbered.symbol as symbol, numbered.coin as coin,
    numbered.is_charged as is_charged, spans.what as what, spans.id as id, spans.order_id as order_id
  from numbered
  join staging.order_runs as runs
    on runs.account = numbered.account and runs.line = numbered.line and runs.symbol = numbered.symbol
    and runs.island = numbered.island
  join staging.order_spans as spans
    on spans.account = runs.account and spans.line = runs.line and spans.symbol = runs.symbol
    and spans.first_day = runs.first_day
  where numbered.nth = 1
),
-- For the first island: what was charged there, or else the orders that report a fee that no record charges.
named as (
  select firsts.account as account, firsts.line as line, firsts.symbol as symbol, firsts.coin as coin, firsts.id as id
  from firsts
  join main.trades as trades on trades.trade_id = firsts.id
  where firsts.is_charged and firsts.what = 'trade'
    and ((trades.fee <> 0 and trades.fee_coin = firsts.coin)
      or (trades.other_fee <> 0 and trades.other_fee_coin = firsts.coin))
  union all
  select firsts.account, firsts.line, firsts.symbol, firsts.coin, firsts.id
  from firsts
  join main.entries as entries on entries.entry_id = firsts.id and entries.coin = firsts.coin
  where firsts.is_charged and firsts.what = 'futures fee'
  union all
  select firsts.account, firsts.line, firsts.symbol, firsts.coin, firsts.id
  from firsts
  join main.order_fee_details as details
    on details.account = firsts.account and details.order_id = firsts.order_id and details.is_current
    and details.fee_coin = firsts.coin and details.fee is not null
  where not firsts.is_charged and firsts.what = 'order'
),
first_ids as (
  select account, line, symbol, coin, first_by(named.id, named.id, 5) as ids
  from named
  group by account, line, symbol, coin
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
