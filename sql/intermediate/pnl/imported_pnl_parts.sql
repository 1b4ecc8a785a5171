-- What imported rows of accounts that imports alone tell of add to the profit and loss besides lots: fees of moves between
-- own accounts, and what of a move did not arrive, which is what the network took. Fees of trades are in the cost or the
-- proceeds of their lots.
-- grain: one row per imported fee of a move, and per move of which a part did not arrive
with
moves as (
  select entry_id, account, ledger, coin, occurred_at, imported_id from main.imported_entries where kind = 'transfer'
),
paid as (
  select fees.account as account, fees.occurred_at as occurred_at, fees.ledger as ledger, fees.coin as coin,
    fees.amount as amount, fees.entry_id as entry_id
  from main.imported_entries as fees
  where fees.kind = 'fee' and fees.imported_id in (select imported_id from moves)
  union all
  select moves.account, moves.occurred_at, moves.ledger, moves.coin, arrived.quantity - sent.quantity, moves.entry_id
  from moves
  join main.lot_events as sent
    on sent.event_id = moves.imported_id and sent.coin = moves.coin and sent.kind = 'transfer_out'
  join main.lot_events as arrived
    on arrived.transfer_id = sent.transfer_id and arrived.coin = sent.coin and arrived.kind = 'transfer_in'
  where sent.quantity > arrived.quantity
)
select account, occurred_at, ledger as product_line, cast(null as varchar) as symbol, coin,
  cast(0 as decimal(38, 18)) as realised_pnl, amount as fee, cast(0 as decimal(38, 18)) as funding,
  cast(0 as decimal(38, 18)) as interest, false as is_of_futures, entry_id
from paid
