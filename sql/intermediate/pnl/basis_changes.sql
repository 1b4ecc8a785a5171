-- What each month adds to an account's coins of known cost and to their cost, and to borrowed coins that it sold and owes and to
-- their proceeds; and the number of the month's events or pieces without a known value or cost.
-- needs: disposals, lot_transfers, short_sales
-- grain: one row per account, coin and month
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
  -- A short sale takes off its proceeds until it is booked as a disposal.
  select account, coin, sold_at, proceeds is null, -quantity, -coalesce(proceeds, 0)
  from main.short_sales
  union all
  select sales.account, sales.coin, coalesce(counted.disposed_at, sales.closed_at), sales.proceeds is null,
    sales.quantity, coalesce(sales.proceeds, 0)
  from main.short_sales as sales
  left join main.disposals as counted
    on counted.disposal_id = sales.sale_id and counted.lot_id = sales.closing_id and counted.coin = sales.coin
  where sales.closed_at is not null
)
select account, coin, month_of(utc_day(occurred_at)) as month,
  sum(changes.quantity) as quantity, sum(changes.cost) as cost, count(case when is_unknown then 1 end) as unknown_events
from changes
where not ends_with(account, '/before')
group by account, coin, month_of(utc_day(occurred_at))
