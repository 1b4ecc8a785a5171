-- The two sides of each whole fill or conversion and, if one of the two is the reporting currency, the value exchanged in it.
-- is_of_coins: whether it is a coin-to-coin exchange, in books kept in a state currency. If the books are kept in a coin, that
-- coin has no lots, so it could not bear a fee.
-- grain: one row per account and group_place
-- slices: occurred_at
-- by day: staging.trade_groups
select groups.account as account, groups.group_place as group_place, groups.received_coin as received_coin,
  groups.received as received, groups.received_place as received_place,
  groups.paid_coin as paid_coin, groups.paid as paid, groups.paid_place as paid_place, sides.side as side,
  groups.occurred_at as occurred_at,
  case
    when groups.paid_coin = reporting.currency then groups.paid
    when groups.received_coin = reporting.currency then groups.received
  end as stated_value,
  -- The fee belongs to the side that is not money; between two coins, or two moneys, to the base.
  case
    when groups.paid_coin = reporting.currency then 'received'
    when groups.received_coin = reporting.currency then 'paid'
    when paid_money.currency is not null and received_money.currency is null then 'received'
    when received_money.currency is not null and paid_money.currency is null then 'paid'
    when sides.side = 'buy' then 'received'
    else 'paid'
  end as fee_side,
  received_money.currency is null and paid_money.currency is null and reporting_money.currency is not null
    as is_of_coins
from staging.trade_groups as groups
join staging.pair_sides as sides
  on sides.received_coin = groups.received_coin and sides.paid_coin = groups.paid_coin
cross join staging.reporting as reporting
left join staging.fiat as received_money on received_money.currency = groups.received_coin
left join staging.fiat as paid_money on paid_money.currency = groups.paid_coin
left join staging.fiat as reporting_money on reporting_money.currency = reporting.currency
