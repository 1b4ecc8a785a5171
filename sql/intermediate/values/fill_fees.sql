-- The total value of the fees of a fill or a conversion; a rebate reduces it. One fee without a price makes the sum unknown, and
-- with it the cost or the proceeds that it belongs to.
-- grain: one row per account and group_place of a fill or conversion that has fees
-- slices: occurred_at
-- by day: staging.trade_legs, main.entries, main.valuations
with
fees as (
  select legs.account as account, legs.group_place as group_place, legs.occurred_at as occurred_at,
    entries.coin as coin,
    abs(entries.amount) as quantity,
    case when entries.amount < 0 then valuations.value else -valuations.value end as value
  from staging.trade_legs as legs
  join main.entries as entries on entries.account = legs.account and entries.place = legs.place
  join main.valuations as valuations on valuations.entry_id = entries.entry_id
  where legs.status in ('trade', 'set')
    and (entries.part = 'fee' or (legs.role = 'fee' and entries.part = 'amount'))
)
select account, group_place, any_value(fees.occurred_at) as occurred_at,
  case when count(*) = count(fees.value) then sum(fees.value) end as value,
  min(case when fees.value is null then coin end) as unpriced_coin
from fees
group by account, group_place
