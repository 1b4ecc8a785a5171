-- What sales of borrowed coins change in the coins of known cost and in their cost: a short sale takes off its proceeds until it
-- is booked as a disposal.
-- needs: disposals, short_sales
-- slices: occurred_at
-- grain: one row per piece of a short sale, and another once it is closed
select sales.account as account, sales.coin as coin, sales.sold_at as occurred_at, sales.proceeds is null as is_unknown,
  -sales.quantity as quantity, -coalesce(sales.proceeds, 0) as cost
from main.short_sales as sales
union all
select sales.account, sales.coin, coalesce(counted.disposed_at, sales.closed_at), sales.proceeds is null,
  sales.quantity, coalesce(sales.proceeds, 0)
from main.short_sales as sales
left join main.disposals as counted
  on counted.disposal_id = sales.sale_id and counted.lot_id = sales.closing_id and counted.coin = sales.coin
where sales.closed_at is not null
