-- Every current record of the books of record, in one form: what moved, in which coin, and what it means.
-- The unified tax feed is the book of record of its accounts; elsewhere it is the feeds that yield to it. A feed of another
-- wallet, such as P2P, is always a book of record. Each record declares which its feed is (`books`, in models/).
-- `place` numbers an account's records in the order in which they happened, each UTC day by itself, so that a late record moves
-- only its own day: by time, then id as a number; ids that are not numbers by their position on the page, oldest first.
-- Quantities without a sign take that of their type; for transfers of the P2P wallet the configuration may reverse it. A trade
-- without a role is not a trade on a futures line: there, buy and sell are results.
-- grain: one row per account and place
-- keys:  account, feed, source_id unique
-- slices: occurred_at
-- by day: staging.moved_records
select records.account as account, records.feed as feed, records.source_id as source_id,
  day_number(records.occurred_at) * 10000000000 + row_number() over (
    partition by records.account, utc_day(records.occurred_at)
    order by records.occurred_at, try_whole(records.source_id), records.page_id desc,
      records.page_row desc, records.feed
  ) as place,
  records.product_line as product_line, records.line as line, records.coin as coin, records.type as type,
  case
    when types.kind = 'trade' and types.role = '' and records.line like '%-FUTURES' then 'realised_pnl'
    else types.kind
  end as kind, types.family as family, types.role as role,
  case
    when not is_unsigned then records.amount
    when (types.direction = 'out')
      <> (records.line = 'P2P' and types.kind = 'transfer' and coalesce(choices.p2p_transfers, '') = 'reversed')
      then -records.amount
    else records.amount
  end as amount,
  records.fee as fee, records.balance as balance, records.occurred_at as occurred_at, records.symbol as symbol,
  records.page_id as page_id, records.page_row as page_row
from staging.moved_records as records
join staging.types as types on types.feed = records.feed and types.type = records.type
left join staging.account_choices as choices on choices.account = records.account
where records.is_current
  and (not is_unsigned or types.direction in ('in', 'out'))
  and (not yields_to_unified or records.account not in (select account from staging.tax_books))
  and records.coin not in (select coin from staging.sum_guard)
