-- Arrivals that state no cost, and what would supply it. The worksheet lists those of `worksheet`, by this same select over the
-- published ledger, so the check that recommends it reads this too. A lot that arrives by a transfer keeps the id of its
-- purchase: one with the id of the transfer is of coins whose other leg, or whose purchase, is in no books.
-- slices: happened_at
-- by day: main.lot_events, main.entries
-- grain: one row per event that brings coins without a value
-- keys:  event_id, coin and place unique
select events.event_id as event_id, events.account as account, events.coin as coin,
  events.happened_at as happened_at, events.place as place, events.quantity as quantity, entries.kind as entry_kind,
  case
    when events.kind = 'transfer_in' or entries.kind = 'margin_move' then 'transfer'
    when effects.effect in ('opening', 'move') then 'worksheet'
    when effects.effect = 'unknown' then 'type'
    else 'price'
  end as told_by
from main.lot_events as events
left join main.entries as entries on entries.entry_id = events.event_id
left join main.kinds as effects on effects.kind = entries.kind
where events.value is null and events.kind in ('acquire', 'transfer_in')
