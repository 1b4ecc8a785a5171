-- The value of each leg of a conversion of several coins. One exchange has one value, as a fill has: the total value of the coins
-- received, unless those paid have prices from better sources, or over fewer prices. Each side divides it in proportion to what
-- its coins were worth then; money among them is taken at face value. Fees belong to what was received, and reduce the proceeds
-- if that is money. A side of one coin needs no division; if one of several has no price, each is valued separately.
-- value_given is the same with the fees of a coin-to-coin exchange attributed to what was paid, value_shared with half of them
-- attributed to either side (lot_events), value_before_fees the same without fees on what was paid, and is_received_for_coins marks the coins that such an exchange brings.
-- grain: one row per account and place of a leg in another coin than the reporting currency that was received or paid
with
legs as (
  select legs.account as account, legs.group_place as group_place, legs.place as place, legs.role as role,
    values.value as own_value,
    coalesce(values.rank * 10 + values.steps, 999999) as distance,
    entries.coin = reporting.currency as is_money, fiat.currency is not null as is_fiat,
    reporting_money.currency is not null as is_in_fiat
  from staging.trade_legs as legs
  join main.entries as entries on entries.account = legs.account and entries.place = legs.place
  cross join staging.reporting as reporting
  left join staging.fiat as fiat on fiat.currency = entries.coin
  left join staging.fiat as reporting_money on reporting_money.currency = reporting.currency
  left join main.valuations as values on values.entry_id = entries.entry_id
  where legs.status = 'set' and legs.role in ('received', 'paid') and entries.part = 'amount'
),
sides as (
  select account, group_place, role, max(distance) as farthest,
    sum(case when is_money then 0 else 1 end) as coin_count,
    bool_and(is_in_fiat and not is_fiat) as is_of_coins,
    sum(case when is_money then own_value else 0 end) as money_value,
    case when count(*) = count(own_value) then sum(own_value) end as side_value
  from legs
  group by account, group_place, role
),
exchanges as (
  select received.account as account, received.group_place as group_place,
    case when received.farthest <= paid.farthest then received.side_value else paid.side_value end as exchange_value,
    case when fees.account is null then 0 else fees.value end as fee_value,
    case
      when fees.account is null then 0
      else exact_ratio(fees.value, cast(1 as decimal(38, 18)), cast(2 as decimal(38, 18)))
    end as half_fee,
    received.coin_count = 0 as is_sold,
    received.is_of_coins and paid.is_of_coins as is_of_coins
  from sides as received
  join sides as paid on paid.account = received.account and paid.group_place = received.group_place
  left join staging.fill_fees as fees
    on fees.account = received.account and fees.group_place = received.group_place
  where received.role = 'received' and paid.role = 'paid'
),
totals as (
  select account, group_place, 'received' as role,
    exchange_value + case when is_sold then 0 else fee_value end as total,
    exchange_value + case when is_sold or is_of_coins then 0 else fee_value end as total_given,
    exchange_value + case when is_of_coins then half_fee when is_sold then 0 else fee_value end as total_shared,
    exchange_value + case when is_sold then 0 else fee_value end as total_before_fees
  from exchanges
  where exchange_value is not null
  union all
  select account, group_place, 'paid', exchange_value - case when is_sold then fee_value else 0 end,
    exchange_value - case when is_sold or is_of_coins then fee_value else 0 end,
    exchange_value - case when is_of_coins then fee_value - half_fee when is_sold then fee_value else 0 end,
    exchange_value
  from exchanges
  where exchange_value is not null
),
-- Up to each leg and up to the one before it: so the shares add up to the total, whatever is rounded.
running as (
  select account, group_place, place, role, own_value,
    sum(own_value) over (
      partition by account, group_place, role order by place rows between unbounded preceding and current row
    ) as value_so_far
  from legs
  where not is_money
),
shared as (
  select sides.account as account, sides.group_place as group_place, sides.role as role,
    sides.coin_count as coin_count, sides.side_value - sides.money_value as coin_value,
    totals.total - sides.money_value as to_share, totals.total_given - sides.money_value as to_share_given,
    totals.total_shared - sides.money_value as to_share_shared,
    totals.total_before_fees - sides.money_value as to_share_before_fees
  from sides
  join totals
    on totals.account = sides.account and totals.group_place = sides.group_place and totals.role = sides.role
)
select running.account as account, running.place as place,
  running.role = 'received' and coalesce(exchanges.is_of_coins, false) as is_received_for_coins,
  case
    when shared.account is null then running.own_value
    when shared.coin_count = 1 then shared.to_share
    when shared.coin_value is null or shared.coin_value = 0 then running.own_value
    else exact_ratio(shared.to_share, running.value_so_far, shared.coin_value)
      - exact_ratio(shared.to_share, running.value_so_far - running.own_value, shared.coin_value)
  end as value,
  case
    when shared.account is null then running.own_value
    when shared.coin_count = 1 then shared.to_share_given
    when shared.coin_value is null or shared.coin_value = 0 then running.own_value
    else exact_ratio(shared.to_share_given, running.value_so_far, shared.coin_value)
      - exact_ratio(shared.to_share_given, running.value_so_far - running.own_value, shared.coin_value)
  end as value_given,
  case
    when shared.account is null then running.own_value
    when shared.coin_count = 1 then shared.to_share_shared
    when shared.coin_value is null or shared.coin_value = 0 then running.own_value
    else exact_ratio(shared.to_share_shared, running.value_so_far, shared.coin_value)
      - exact_ratio(shared.to_share_shared, running.value_so_far - running.own_value, shared.coin_value)
  end as value_shared,
  case
    when shared.account is null then running.own_value
    when shared.coin_count = 1 then shared.to_share_before_fees
    when shared.coin_value is null or shared.coin_value = 0 then running.own_value
    else exact_ratio(shared.to_share_before_fees, running.value_so_far, shared.coin_value)
      - exact_ratio(shared.to_share_before_fees, running.value_so_far - running.own_value, shared.coin_value)
  end as value_before_fees
from running
left join shared
  on shared.account = running.account and shared.group_place = running.group_place and shared.role = running.role
left join exchanges
  on exchanges.account = running.account and exchanges.group_place = running.group_place
