-- Every signed change of one coin in one account, from the single book of record for that account and line. The amount and
-- the fee of a record are separate entries; a record that moves nothing makes none. Balances from before the books are
-- opening entries, and digits that the venue keeps but does not print are rounding entries, so that the sum of the entries
-- is the balance. If the configuration states that an account's P2P transfers are the funding legs of its own purchases and
-- sales, each such transfer has a deal entry beside it, which reverses what the transfer brought in or took out.
-- grain: one row per entry_id
-- keys:  entry_id unique; a transaction's legs share transaction_id
-- slices: occurred_at
-- by day: staging.moves, staging.futures_secondary, staging.trade_legs, main.balance_chain
-- columns:
--   entry_id: account/feed/id/part.
--   transaction_id: account/feed/id of the first leg; legs of one trade share it.
--   account: Account.
--   ledger: Wallet whose balance moves.
--   product_line: Where the change arose: the business type.
--   coin: Coin.
--   amount: Signed change in units of the coin.
--   kind: What it is, such as trade, fee, realised_pnl, funding or transfer.
--   occurred_at: When it happened.
--   source_feed: Endpoint whose record it is.
--   source_id: The venue's own id of the record.
--   part: Which part of the record it is: amount, fee or deal; opening or rounding if it is not part of a record.
--   type: Type of the record as the venue spells it.
--   symbol: Futures contract; null elsewhere and if the venue does not report it.
--   place: Position in the sequence of all records of the account: the number of the UTC day, and the position within it.
--   page_id: Journal frame that first brought the record.
--   page_row: Position of the row in that page, from 0.
with
reported as (
  select moves.account as account, moves.feed as feed, moves.source_id as source_id, ledgers.ledger as ledger,
    moves.product_line as product_line, moves.coin as coin,
    moves.amount as amount, moves.fee as fee, moves.kind as kind, moves.occurred_at as occurred_at,
    moves.type as type, moves.place as place, moves.page_id as page_id,
    moves.page_row as page_row, coalesce(moves.symbol, secondary.symbol) as symbol,
    moves.account || '/' || moves.feed || '/' || moves.source_id as record_id, legs.transaction_id as transaction_id
  from staging.moves as moves
  join staging.line_ledgers as ledgers
    on ledgers.account = moves.account and ledgers.feed = moves.feed and ledgers.line = moves.line
  left join staging.futures_secondary as secondary
    on secondary.account = moves.account and secondary.place = moves.place
  left join staging.trade_legs as legs on legs.account = moves.account and legs.place = moves.place
),
parts as (select * from (values ('amount'), ('fee')) as names (part)),
parts_of_records as (
  select record_id || '/' || part as entry_id, coalesce(reported.transaction_id, record_id) as transaction_id,
    account, ledger, product_line, coin, case when part = 'fee' then fee else reported.amount end as amount,
    case when part = 'fee' then 'fee' else reported.kind end as kind, occurred_at, feed as source_feed, source_id,
    part, type, symbol, place, page_id, page_row
  from reported
  cross join parts
  where (part = 'fee' and fee <> 0) or (part = 'amount' and reported.amount <> 0)
),
deals as (
  select moves.account || '/' || moves.feed || '/' || source_id || '/deal' as entry_id,
    moves.account || '/' || moves.feed || '/' || source_id as transaction_id, moves.account as account,
    ledgers.ledger as ledger, product_line, coin,
    -moves.amount as amount, 'p2p_trade' as kind, occurred_at, moves.feed as source_feed, source_id, 'deal' as part,
    type, symbol, place, page_id, page_row
  from staging.moves as moves
  join staging.line_ledgers as ledgers
    on ledgers.account = moves.account and ledgers.feed = moves.feed and ledgers.line = moves.line
  join staging.account_choices as choices on choices.account = moves.account and choices.p2p_transfers = 'trades'
  where moves.feed = 'tax.p2pRecords' and moves.kind = 'transfer' and moves.amount <> 0
),
-- What no record shows by itself: the balance from before the books, and digits that are not printed.
chain_parts as (
  select account, place, ledger, 'opening' as part, opening as amount from main.balance_chain where opening <> 0
  union all
  select account, place, ledger, 'rounding', rounding from main.balance_chain where rounding <> 0
),
balancing as (
  select moves.account || '/' || feed || '/' || source_id || '/' || part as entry_id,
    moves.account || '/' || feed || '/' || source_id || '/' || part as transaction_id,
    moves.account as account, ledger, product_line, coin, chain_parts.amount as amount, part as kind, occurred_at,
    feed as source_feed, source_id, part, type, cast(null as varchar) as symbol, moves.place as place, page_id, page_row
  from chain_parts
  join staging.moves as moves on moves.account = chain_parts.account and moves.place = chain_parts.place
)
select * from parts_of_records
union all
select * from deals
union all
select * from balancing
