-- Changes whose value determines a gain and is not known, each with the coin or the money that has no price.
-- slices: happened_at
-- by day: main.lot_events, main.entries, main.valuations, staging.trade_legs, staging.fill_fees
-- grain: one row per event of the lots engine
with
-- Legs carry their part so that the join is on equal columns: a condition on the other side only would compare each entry with
-- every leg.
legs as (
  select account, place, group_place, 'amount' as part from staging.trade_legs
  where status in ('trade', 'set')
),
-- If both sides have a coin without a price, nothing states what the exchange was worth, whatever its fee was.
unvalued as (
  select legs.account as account, legs.group_place as group_place
  from staging.trade_legs as legs
  join main.entries as entries on entries.account = legs.account and entries.place = legs.place
  cross join staging.reporting as reporting
  left join main.valuations as own on own.entry_id = entries.entry_id
  where legs.status in ('trade', 'set') and legs.role in ('received', 'paid') and entries.part = 'amount'
    and own.value is null and entries.coin <> reporting.currency
  group by legs.account, legs.group_place
  having min(legs.role) <> max(legs.role)
)
-- For a P2P deal it is the money that has no rate; for a fill it may be only a fee, which is also a change in itself.
select coalesce(paid.coin, case when unvalued.account is null then fees.unpriced_coin end, events.coin) as coin,
  events.happened_at as happened_at, events.currency as currency, events.account as account, events.place as place,
  events.event_id as event_id
from main.lot_events as events
join main.entries as entries on entries.entry_id = events.event_id
join main.kinds as effects on effects.kind = entries.kind
left join main.valuations as paid on paid.entry_id = events.event_id || '/paid' and paid.steps is null
left join legs on legs.account = entries.account and legs.place = entries.place and legs.part = entries.part
left join staging.fill_fees as fees on fees.account = legs.account and fees.group_place = legs.group_place
left join unvalued on unvalued.account = legs.account and unvalued.group_place = legs.group_place
where events.value is null and effects.effect in ('exchange', 'cost', 'income', 'fiat')
