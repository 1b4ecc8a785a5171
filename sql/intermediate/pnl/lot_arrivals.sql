-- Pieces of lots that reached another account, with the time of arrival.
-- needs: lot_transfers
-- slices: arrived_at
-- grain: one row per piece of a transfer and lot
select sent.coin as coin, sent.from_account as from_account, sent.to_account as to_account, sent.quantity as quantity,
  sent.cost_basis as cost_basis, left_by.transfer_id as transfer_id,
  greatest(sent.moved_at, coalesce(arrived.happened_at, sent.moved_at)) as arrived_at
from main.lot_transfers as sent
join main.lot_events as left_by
  on left_by.event_id = sent.transfer_id and left_by.coin = sent.coin and left_by.kind = 'transfer_out'
left join main.lot_events as arrived
  on arrived.transfer_id = left_by.transfer_id and arrived.coin = sent.coin and arrived.kind = 'transfer_in'
where sent.to_account is not null
