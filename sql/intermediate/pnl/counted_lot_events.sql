-- Lot events with the value that the lots were given: value_given if the published rules attribute the fee of an exchange to the
-- coin given, value_shared if they divide it between both coins (lot_matching), else value.
-- needs: lot_matching
-- grain: one row per event of kind acquire, dispose or transfer_out
-- slices: happened_at
-- by day: main.lot_events
select events.account as account, events.coin as coin, events.event_id as event_id, events.happened_at as happened_at,
  events.kind as kind, events.quantity as quantity,
  case
    when events.happened_at >= matching.exchange_fees_given_from then events.value_given
    when matching.exchange_fees_shared then events.value_shared
    else events.value
  end as counted_value
from main.lot_events as events
cross join main.lot_matching as matching
where events.kind in ('acquire', 'dispose', 'transfer_out')
