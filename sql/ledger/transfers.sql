-- Moves between wallets, each leg with its other leg if the books know it. Two legs match if the same coin and quantity left
-- one wallet and entered another of one's own within five minutes, each being the nearest to the other. Equal legs in the
-- same millisecond are distinguished by their sequence. Equal transfers within a second of each other are paired in sequence
-- if as many went out as came in, because the nearest leg may belong to the next transfer. Margin set aside within an
-- account is returned whenever its position or order ends: among equal quantities, first out is first back. A transfer with
-- no other leg comes from or goes to a wallet that no feed reports, which imported rows may (imported_entries); margin with no
-- other leg stays within the account.
-- grain: one row per leg
-- keys:  entry_id unique
-- slices: occurred_at
-- columns:
--   entry_id: Entry of this leg.
--   transfer_id: Entry of the outgoing leg, on both legs; null if the other leg is not known.
--   account: Account of this leg.
--   ledger: Wallet of this leg.
--   product_line: Business type of this leg.
--   coin: Coin.
--   direction: in or out.
--   quantity: Quantity moved, without a sign. A move between two wallets of the books is listed on both legs, so a sum over both directions includes it twice.
--   kind: transfer, or margin_move within the account.
--   occurred_at: When this leg happened.
--   counter_entry_id: Entry of the other leg; null if it is not known.
--   counter_account: Account of the other leg; null if it is not known.
--   counter_ledger: Wallet of the other leg; null if it is not known.
--   place: Position in the sequence of all records of the account: the number of the UTC day, and the position within it.
with
legs as (
  select entry_id, account, ledger, product_line, coin, kind, occurred_at, place, abs(amount) as quantity,
    case when amount < 0 then 'out' else 'in' end as direction
  from staging.transfer_legs
),
pairs as (
  select first_id as out_id, second_id as in_id from staging.transfer_turns
  where farthest_ms <= 300000 and stays_in_wallet = 0
  union all
  select first_id, second_id from staging.nearest_transfers
),
set_aside as (
  select entry_id, account, coin, quantity, direction, place,
    case when direction = 'out' then 1 else -1 end as change
  from legs
  where kind = 'margin_move'
    and entry_id not in (select out_id from pairs) and entry_id not in (select in_id from pairs)
),
levels as (
  select *,
    sum(change) over running as level,
    sum(greatest(change, 0)) over running as outs,
    sum(greatest(-change, 0)) over running as ins
  from set_aside
  window running as (
    partition by account, coin, quantity order by place, entry_id
    rows between unbounded preceding and current row
  )
),
-- What is returned beyond everything set aside was set aside before the books began.
floors as (
  select *,
    least(
      min(levels.level) over (
        partition by account, coin, quantity order by place, entry_id
        rows between unbounded preceding and current row
      ),
      0
    ) as lowest
  from levels
),
returns as (
  select *,
    lag(lowest, 1, 0) over (partition by account, coin, quantity order by place, entry_id) as lowest_before
  from floors
),
all_pairs as (
  select out_id, in_id from pairs
  union all
  select went.entry_id, back.entry_id
  from returns as went
  join returns as back
    on back.account = went.account and back.coin = went.coin and back.quantity = went.quantity
    and back.ins + back.lowest = went.outs
  where went.direction = 'out' and back.direction = 'in' and back.lowest = back.lowest_before
),
counters as (
  select out_id as entry_id, in_id as counter_entry_id, out_id as transfer_id from all_pairs
  union all
  select in_id, out_id, out_id from all_pairs
)
select legs.entry_id as entry_id, counters.transfer_id as transfer_id, legs.account as account, legs.ledger as ledger,
  legs.product_line as product_line, legs.coin as coin,
  legs.direction as direction, legs.quantity as quantity, legs.kind as kind, legs.occurred_at as occurred_at,
  counters.counter_entry_id as counter_entry_id,
  counter.account as counter_account, counter.ledger as counter_ledger, legs.place as place
from legs
left join counters on counters.entry_id = legs.entry_id
left join legs as counter on counter.entry_id = counters.counter_entry_id
