-- Every current record of the books of record, in one form: what moved, in which coin, and what it means.
-- The unified tax feed is the book of record of its accounts; elsewhere the futures feed is; P2P always has its own.
-- `place` orders an account's records as they happened: by time, then id as a number; ids that are no numbers by
-- their place on the page, oldest first. P2P quantities have no sign: the type tells it, and for transfers the configuration
-- may say that it is the other way round. A trade without a role is none on a futures line: there buy and sell are results.
-- grain: one row per account and place
-- keys:  account, feed, source_id unique
with
unified as (
  select account, 'tax.records' as feed, id as source_id, biz_type as product_line, partition as line,
    coin, type, amount, coalesce(fee, 0) as fee, balance, ts as occurred_at,
    cast(null as varchar) as symbol, page_id, page_row
  from main.tax_records
  where is_current
),
futures as (
  select account, 'tax.futuresRecords' as feed, id as source_id, partition as product_line,
    partition as line, margin_coin as coin, future_tax_type as type, amount, coalesce(fee, 0) as fee,
    cast(null as decimal(38, 18)) as balance, ts as occurred_at, symbol, page_id, page_row
  from main.futures_records
  where is_current and account not in (select account from staging.tax_books)
),
p2p as (
  select p2p_records.account, 'tax.p2pRecords' as feed, id as source_id, 'P2P' as product_line,
    'P2P' as line, coin, p2p_records.type,
    case
      when (direction = 'out') <> (kind = 'transfer' and coalesce(choices.p2p_transfers, '') = 'reversed') then -balance
      else balance
    end as amount,
    cast(0 as decimal(38, 18)) as fee, cast(null as decimal(38, 18)) as balance, ts as occurred_at,
    cast(null as varchar) as symbol, page_id, page_row
  from (select *, p2p_tax_type as type from main.p2p_records) as p2p_records
  join staging.types as types
    on types.feed = 'tax.p2pRecords' and types.type = p2p_records.type and direction in ('in', 'out')
  left join staging.account_choices as choices on choices.account = p2p_records.account
  where is_current
),
books as (
  select * from unified
  union all
  select * from futures
  union all
  select * from p2p
),
final as (
  select books.account, books.feed, books.source_id,
    row_number() over (
      partition by books.account
      order by books.occurred_at, try_cast(books.source_id as hugeint), books.page_id desc,
        books.page_row desc, books.feed
    ) as place,
    books.product_line, books.line, books.coin, books.type,
    case
      when types.kind = 'trade' and types.role = '' and books.line like '%-FUTURES' then 'realised_pnl'
      else types.kind
    end as kind, types.family, types.role,
    books.amount, books.fee, books.balance, books.occurred_at, books.symbol, books.page_id, books.page_row
  from books
  join staging.types as types on types.feed = books.feed and types.type = books.type
  where books.coin not in (select coin from staging.sum_guard)
)
select * from final
