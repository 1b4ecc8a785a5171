-- The venue reports each P2P deal and move once, and each funding and transfer of a futures account. The same record received
-- again under its own id is one record and no break. Under another id it is counted twice in the books until the venue
-- withdraws it, and any other disagreement there follows from it. Elsewhere, equal records are two equal fills as often as not:
-- balance_chain detects duplicates for unified accounts, and futures_v3_v2, positions, order_fees, orders_vs_futures and
-- orders_vs_tax for the rest. A fill of a classic account, which has no orders, is only compared with its position, while open.
-- Market liquidations have no ids. Equal ones on one page are as many as are listed there. On two pages of one answer, a row may
-- have moved from one page to the other or there may be two, so they are counted as often as on one page, with a notice.
-- grain: one row per group of equal records; of liquidations one per account and product line
with
shown as (
  select rows.account as account, rows.partition as partition, rows.page_id as page_id, pages.first_page as first_page,
    rows.symbol as symbol, rows.side as side, rows.price as price, rows.amount as amount, rows.ts as ts,
    rows.extra as extra, count(*) as on_page
  from landing.liquidations as rows
  join staging.answer_pages as pages
    on pages.page_id = rows.page_id and pages.account = rows.account and pages.partition = rows.partition
  group by rows.account, rows.partition, rows.page_id, pages.first_page, rows.symbol, rows.side, rows.price, rows.amount,
    rows.ts, rows.extra
),
in_answers as (
  select account, partition, symbol, side, price, amount, ts, extra, first_page, sum(on_page) as in_answer,
    max(on_page) as on_one_page, max(page_id) as last_page
  from shown
  group by account, partition, symbol, side, price, amount, ts, extra, first_page
),
liquidated as (
  select account, partition, ts, max(in_answers.last_page) as last_page
  from in_answers
  group by account, partition, symbol, side, price, amount, ts, extra
  having max(in_answers.in_answer) > max(in_answers.on_one_page)
),
doubtful as (
  select account, partition, count(*) as kind_count, min(liquidated.ts) as first_at,
    first_of(ordered_list('market.liquidations page ' || cast(last_page as varchar), (liquidated.ts, last_page)), 10) as pages
  from liquidated
  group by account, partition
)
select 'warning' as severity, equal.account as account,
  case when equal.what = 'P2P' then 'P2P' else ledgers.ledger end as ledger, equal.coin as coin,
  equal.happened_at as occurred_at, equal.quantity as expected,
  exact_multiply(equal.quantity, cast(equal.record_count as decimal(38, 18))) as found,
  exact_multiply(equal.quantity, cast(equal.record_count - 1 as decimal(38, 18))) as difference,
  cast(equal.record_count as varchar) || ' ' || equal.what || ' records of type ' || equal.type
    || coalesce(' in ' || nullif(equal.symbol, ''), '') || ' are identical except for their ids.' as explanation,
  cast(to_json(equal.ids) as varchar) as evidence, equal.first_id as culprit
from staging.equal_records as equal
left join staging.line_ledgers as ledgers
  on ledgers.account = equal.account and ledgers.feed = equal.feed and ledgers.line = equal.line
union all
select 'notice', account, cast(null as varchar), cast(null as varchar), first_at, cast(null as decimal(38, 18)),
  cast(null as decimal(38, 18)), cast(null as decimal(38, 18)),
  counted(kind_count, 'liquidation', 'liquidations') || ' of ' || partition || ' (4.18) '
    || case when kind_count = 1 then 'appears' else 'appear' end
    || ' on two pages of one answer with identical cells: either one row that moved between pages, or two. The venue gives no ids, '
    || 'so they are counted as often as on one page; nothing in the books depends on them.',
  cast(to_json(pages) as varchar), partition
from doubtful
