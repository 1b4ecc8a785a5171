-- What imported rows add to the profit and loss besides lots: fees of moves between one's own accounts that only imports report,
-- and the part of any imported move that did not arrive, which is the network's fee, even if the venue's own record is the
-- outgoing leg. Fees of trades are in the cost or the proceeds of their lots.
-- grain: one row per imported fee of a move, and one per move of which a part did not arrive
with
moves as (
  select entry_id, coin, imported_id, account, occurred_at, amount, counter_entry_id
  from main.imported_entries
  where kind = 'transfer'
),
-- Moves of money, which is in no lot.
money_moves as (
  select sent.account as account, sent.occurred_at as occurred_at, sent.coin as coin, sent.amount as sent_amount,
    arrived.amount as arrived_amount, sent.entry_id as entry_id
  from moves as sent
  join moves as arrived on arrived.entry_id = sent.counter_entry_id
  where sent.amount < 0
  union all
  select sent.account, sent.occurred_at, sent.coin, sent.amount, arrived.amount, sent.entry_id
  from moves as sent
  join main.entries as arrived on arrived.entry_id = sent.counter_entry_id
  where sent.amount < 0
  union all
  select sent.account, sent.occurred_at, sent.coin, sent.amount, arrived.amount, sent.entry_id
  from moves as arrived
  join main.entries as sent on sent.entry_id = arrived.counter_entry_id
  where arrived.amount > 0
),
paid as (
  select fees.account as account, fees.occurred_at as occurred_at, fees.coin as coin, fees.amount as amount,
    fees.entry_id as entry_id
  from main.imported_entries as fees
  where fees.kind = 'fee' and fees.imported_id in (select imported_id from moves)
  union all
  select sent.account, sent.happened_at, sent.coin, arrived.quantity - sent.quantity,
    coalesce(moves.entry_id, sent.event_id)
  from main.lot_events as sent
  join main.lot_events as arrived on arrived.transfer_id = sent.transfer_id and arrived.coin = sent.coin
  left join moves on moves.imported_id = sent.event_id and moves.coin = sent.coin
  where sent.kind = 'transfer_out' and arrived.kind = 'transfer_in' and sent.quantity > arrived.quantity
    -- What is outside the books of its account is in no profit and loss.
    and not ends_with(sent.account, '/before')
  union all
  select account, occurred_at, coin, sent_amount + arrived_amount, entry_id
  from money_moves
  where sent_amount + arrived_amount < 0 and coin not in (select coin from main.lot_events)
)
select account, occurred_at, 'IMPORT' as product_line, cast(null as varchar) as symbol, coin,
  cast(0 as decimal(38, 18)) as realised_pnl, amount as fee, cast(0 as decimal(38, 18)) as funding,
  cast(0 as decimal(38, 18)) as interest, false as is_of_futures, entry_id
from paid
