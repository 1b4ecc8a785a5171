-- What each day adds to an account's coins of known cost and to their cost, and to borrowed coins that it sold and owes and to
-- their proceeds; and the number of the day's events or pieces without a known value or cost.
-- needs: disposals, lot_transfers, short_sales
-- slices: day
-- by day: main.lot_events, main.disposals, main.lot_transfers, main.short_sales, staging.counted_lot_events
-- by day: staging.lot_arrivals, staging.short_sale_changes
-- grain: one row per account, coin and UTC day
with
-- Sales of what is kept outside the books of its account (account/before) are listed in disposals under the account itself.
sold_before as (
  select event_id, coin
  from main.lot_events
  where ends_with(account, '/before') and kind in ('dispose', 'give', 'transfer_out')
),
changes as (
  select account, coin, happened_at as occurred_at, counted_value is null as is_unknown,
    case when counted_value is null then 0 else events.quantity end as quantity, coalesce(counted_value, 0) as cost
  from staging.counted_lot_events as events
  where kind = 'acquire'
  union all
  select account, coin, disposed_at, gain is null,
    case when cost_basis is null then 0 else -quantity end, coalesce(denied_loss, 0) - coalesce(cost_basis, 0)
  from main.disposals
  anti join sold_before on sold_before.event_id = disposals.disposal_id and sold_before.coin = disposals.coin
  union all
  select from_account, coin, moved_at, cost_basis is null,
    case when cost_basis is null then 0 else -quantity end, -coalesce(cost_basis, 0)
  from main.lot_transfers
  union all
  select to_account, coin, arrived_at, cost_basis is null,
    case when cost_basis is null then 0 else quantity end, coalesce(cost_basis, 0)
  from staging.lot_arrivals
  union all
  -- Fees that are netted have no piece: they reduce the quantity bought, and its cost by their value.
  select fees.account, fees.coin, fees.happened_at, fees.value is null,
    case when fees.value is null then 0 else -fees.quantity end, -coalesce(fees.value, 0)
  from main.lot_events as fees
  join main.lot_matching as matching on matching.fees_in_kind = 'net'
  anti join main.disposals as pieces on pieces.disposal_id = fees.event_id and pieces.coin = fees.coin
  anti join main.short_sales as sales on sales.sale_id = fees.event_id and sales.coin = fees.coin
  where fees.kind = 'dispose'
  union all
  select account, coin, occurred_at, is_unknown, quantity, cost
  from staging.short_sale_changes
)
select account, coin, utc_day(occurred_at) as day,
  sum(changes.quantity) as quantity, sum(changes.cost) as cost, count(case when is_unknown then 1 end) as unknown_events
from changes
where not ends_with(account, '/before')
group by account, coin, utc_day(occurred_at)
