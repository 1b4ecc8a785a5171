-- Every signed change of one coin in one account, from the one book of record of its account and line. Amount and fee
-- of a record are entries of their own; what moves nothing makes none. Balances from before the books are opening
-- entries, digits that the venue keeps but does not print are rounding entries: the sum of entries is the balance.
-- grain: one row per entry_id
-- keys:  entry_id unique; a transaction's legs share transaction_id
-- columns:
--   entry_id: account/feed/id/part.
--   transaction_id: account/feed/id of the first leg; legs of one trade share it.
--   account: Account.
--   ledger: Wallet whose balance moves.
--   product_line: Where the change arose: the business type.
--   coin: Coin.
--   amount: Signed change in units of the coin.
--   kind: What it is: trade, fee, realised_pnl, funding, transfer and so on.
--   occurred_at: When it happened.
--   source_feed: Endpoint whose record it is.
--   source_id: The venue's own id of the record.
--   part: Which part of the record: amount, fee, opening or rounding.
--   type: Type of the record as the venue spells it.
--   symbol: Futures contract; null elsewhere and where the venue does not tell.
--   place: Order of the record among all of the account.
--   page_id: Journal frame that first brought the record.
--   page_row: Place of the row in that page, from 0.
with
told as (
  select moves.account, moves.feed, moves.source_id, ledgers.ledger, moves.product_line, moves.coin,
    moves.amount, moves.fee, moves.kind, moves.occurred_at, moves.type, moves.place, moves.page_id,
    moves.page_row, coalesce(moves.symbol, witness.symbol) as symbol,
    moves.account || '/' || moves.feed || '/' || moves.source_id as record_id, legs.transaction_id
  from staging.moves as moves
  join staging.line_ledgers as ledgers
    on ledgers.account = moves.account and ledgers.feed = moves.feed and ledgers.line = moves.line
  left join staging.futures_witness as witness
    on witness.account = moves.account and witness.place = moves.place
  left join staging.trade_legs as legs on legs.account = moves.account and legs.place = moves.place
),
parts as (
  select record_id, transaction_id, account, ledger, product_line, coin, amount, kind, occurred_at,
    feed, source_id, 'amount' as part, type, symbol, place, page_id, page_row
  from told
  where amount <> 0
  union all
  select record_id, transaction_id, account, ledger, product_line, coin, fee, 'fee', occurred_at,
    feed, source_id, 'fee', type, symbol, place, page_id, page_row
  from told
  where fee <> 0
  union all
  select told.record_id, told.record_id || '/opening', told.account, chain.ledger, told.product_line, told.coin,
    chain.opening, 'opening', told.occurred_at, told.feed, told.source_id, 'opening', told.type,
    cast(null as varchar), told.place, told.page_id, told.page_row
  from main.balance_chain as chain
  join told on told.account = chain.account and told.place = chain.place
  where chain.opening <> 0
  union all
  select told.record_id, told.record_id || '/rounding', told.account, chain.ledger, told.product_line, told.coin,
    chain.rounding, 'rounding', told.occurred_at, told.feed, told.source_id, 'rounding', told.type,
    cast(null as varchar), told.place, told.page_id, told.page_row
  from main.balance_chain as chain
  join told on told.account = chain.account and told.place = chain.place
  where chain.rounding <> 0
)
select record_id || '/' || part as entry_id, coalesce(transaction_id, record_id) as transaction_id,
  account, ledger, product_line, coin, amount, kind, occurred_at, feed as source_feed, source_id, part,
  type, symbol, place, page_id, page_row
from parts
