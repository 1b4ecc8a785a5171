-- What each open position reports beside the sums of the futures records since its opening. A position that began when an order
-- reversed the contract has none of that order's results, which belong to what it closed, and some of its fees: no record states
-- how much. It also agrees if the venue counts all of that order.
-- grain: one row per open position
with
-- Both sides of one contract: a record without a side may belong to either.
doubled as (
  select distinct latest.account as account, latest.line as line, latest.symbol as symbol, latest.coin as coin,
    latest.hold_side as hold_side
  from staging.compared_positions as latest
  join landing.positions as other
    on other.account = latest.account and other.partition = latest.line and other.symbol = latest.symbol
    and other.margin_coin = latest.coin and lower_case(other.hold_side) <> latest.hold_side
  join staging.reading_times as times on times.page_id = other.page_id and times.read_at >= latest.opened_at
  union
  select distinct account, line, symbol, coin, hold_side from staging.compared_position_moves where is_of_other_side
),
summed as (
  select account, line, symbol, coin, hold_side, bool_or(compared_position_moves.is_doubtful) as is_doubtful,
    bool_or(doubt = 'isolated') as may_hold_principal,
    sum(case when kind in ('realised_pnl', 'liquidation') and is_exact and not is_of_turn then amount else 0 end)
      as exact_profits,
    sum(case when kind in ('realised_pnl', 'liquidation') then amount else 0 end) as near_profits,
    sum(case when kind = 'fee' and is_exact and not is_of_turn then -amount else 0 end) as exact_fees,
    bool_or(is_of_turn) as is_turned,
    sum(case when kind = 'fee' then -amount else 0 end) as near_fees,
    sum(case when kind = 'funding' and is_exact then amount else 0 end) as exact_funding,
    sum(case when kind = 'funding' then amount else 0 end) as near_funding,
    first_of(ordered_list(entry_id, (place, entry_id)), 10) as ids
  from staging.compared_position_moves
  where not is_of_other_side
  group by account, line, symbol, coin, hold_side
)
select latest.account as account, latest.line as line, latest.symbol as symbol, latest.coin as coin,
  latest.hold_side as hold_side, latest.pos_mode as pos_mode, latest.opened_at as opened_at,
  latest.changed_at as changed_at, latest.achieved_profits as achieved_profits, latest.funding as funding,
  latest.fees as fees, latest.total as total, latest.page_id as page_id, latest.page_row as page_row,
  latest.read_at as read_at, latest.known_until as known_until, latest.compared_at as compared_at,
  latest.is_funding_comparable as is_funding_comparable, latest.newest as newest,
  coalesce(summed.is_doubtful, false) as is_doubtful,
  coalesce(summed.may_hold_principal, false) as may_hold_principal, doubled.symbol is not null as is_doubled,
  case
    when latest.achieved_profits = coalesce(summed.near_profits, 0) then coalesce(summed.near_profits, 0)
    else coalesce(summed.exact_profits, 0)
  end as our_profits,
  case
    when latest.fees = coalesce(summed.near_fees, 0) then coalesce(summed.near_fees, 0)
    when summed.is_turned and latest.fees between least(summed.exact_fees, summed.near_fees)
      and greatest(summed.exact_fees, summed.near_fees) then latest.fees
    else coalesce(summed.exact_fees, 0)
  end as our_fees,
  case
    when abs(latest.funding) = abs(coalesce(summed.near_funding, 0)) then coalesce(summed.near_funding, 0)
    else coalesce(summed.exact_funding, 0)
  end as our_funding,
  -- A list is never null in ClickHouse, so nothing could take its place.
  case when summed.symbol is null then [] else summed.ids end as ids
from staging.compared_positions as latest
left join summed
  on summed.account = latest.account and summed.line = latest.line and summed.symbol = latest.symbol
  and summed.coin = latest.coin and summed.hold_side = latest.hold_side
left join doubled
  on doubled.account = latest.account and doubled.line = latest.line and doubled.symbol = latest.symbol
  and doubled.coin = latest.coin and doubled.hold_side = latest.hold_side
