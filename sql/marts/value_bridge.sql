-- The bridge from what an account was worth at the end of one month to what it was worth at the end of the next: what came in
-- and went out, what was earned and paid, gains on sales, and the change in the value of what is still held.
-- The lines are computed independently from the entries, the lots engine and the daily balances, and must close:
-- opening_value + the lines = closing_value. If something has no known value, cost or price, difference is what that leaves
-- unexplained: a coin without a price is in neither value and has no unrealised change.
-- Months are those of UTC, and sales that the rules merge into one day (uk) count at the first of them. In summer a day of London
-- begins in the last hour of a UTC day: if that hour ends a month, what was sold later on the same day is in the difference of
-- this month and, with the opposite sign, of the next.
-- needs: disposals, lot_matching
-- grain: one row per account and month; where all accounts hold their lots together, one row per month
-- keys:  account, month unique
-- columns:
--   account: Account; null for all accounts together, if lots are held across accounts.
--   month: First day of the UTC month.
--   currency: Reporting currency.
--   opening_value: Worth at the end of the month before, as in net_worth: of everything that has a price, null if nothing has;
--     zero in the first month.
--   initial_balances: What was held before the first record, in the month in which the books first show it: money at face
--     value less debts in it, and coins at cost where it is known.
--   deposits: Coins and money that came from outside, less what went there: P2P deals and gifts at their value then;
--     moves and records whose other side is not known, with the reporting currency at face value and coins at cost where it is
--     known; and what imported purchases were paid with and imported sales brought, if that money is not held in the account.
--   transfers: What came from other wallets of one's own, less what went there; coins at the cost that moves along. Over
--     all accounts it is zero, except for what is in transit.
--   income: Rewards, shared profit and adjustments at their value when received.
--   interest: Interest at its value then; negative when paid.
--   fees: Fees of futures, what networks charged on moves, and other fees that belong to no fill, at their value then;
--     negative when paid.
--   funding: Funding of futures at its value then; negative when paid.
--   futures_pnl: Results of futures positions at their value then, including liquidations.
--   liquidations: What liquidations on other lines took or made good, at its value then.
--   realised_gains: Gains of matched lots, as in disposals, except imported sales from before the books of their account.
--     Fees of fills are included.
--   unrealised_change: Change in the value of coins above their cost, and in the proceeds of open short sales above their
--     value; for coins given away, up to the time they were given.
--   unknown_cost_change: Change in the value of coins without a known cost; for coins given away, up to the time they were
--     given. It includes coins owed since before the books; repaying them takes off the cost of the coins repaid. It also
--     includes what becomes of other money in an imported account: its moves, and the change of its rate.
--   closing_value: Worth at the end of the month, or at the end of the books, as in net_worth; null if nothing has a price.
--   difference: closing_value less all the others: zero if everything is known, null if a value is null.
--   unknown_events: Number of events and pieces of lots in the month without a known value or cost.
--   unpriced_coins: Number of coins held or owed at the beginning or the end of the month without a price then, each counted once.
with
holding as (select scope = 'account' as is_by_account from main.lot_matching),
changes as (
  select case when is_by_account then account else '' end as holder, coin, month_of(day) as month,
    sum(basis_changes.quantity) as quantity,
    sum(basis_changes.cost) as cost, sum(basis_changes.unknown_events) as unknown_events
  from staging.basis_changes
  cross join holding
  group by all
),
worths as (
  select case when is_by_account then account else '' end as holder, coin,
    month_of(day) as month, sum(own_value) as value, any_value(daily_valuation.price) as price,
    sum(daily_valuation.quantity - daily_valuation.borrowed) as held,
    max(case when own_value is null then 1 else 0 end) as unpriced
  from main.daily_valuation
  cross join holding
  where day = month_end(day) or day = (select max(day) from main.daily_valuation)
  group by all
),
holders as (
  select holder, coin, min(month) as first_month
  from (select holder, coin, month from changes union all select holder, coin, month from worths)
  group by holder, coin
),
ends as (
  select max(month) as last_month
  from (select month from changes union all select month from worths)
),
months as (
  select holders.holder as holder, holders.coin as coin,
    unnest(months_between(holders.first_month, ends.last_month)) as month
  from holders
  cross join ends
),
states as (
  select months.holder as holder, months.coin as coin, months.month as month, worths.value as value,
    coalesce(worths.unpriced, 0) as unpriced, worths.price as price, worths.held as held,
    coalesce(changes.unknown_events, 0) as unknown_events,
    sum(coalesce(changes.quantity, 0)) over running as quantity, sum(coalesce(changes.cost, 0)) over running as cost
  from months
  left join worths
    on worths.holder = months.holder and worths.coin = months.coin and worths.month = months.month
  left join changes
    on changes.holder = months.holder and changes.coin = months.coin and changes.month = months.month
  window running as (
    partition by months.holder, months.coin order by months.month rows between unbounded preceding and current row
  )
),
-- Money needs no lots: its cost is its face value. What a coin without a price is worth above its cost is not known.
valued as (
  select states.holder as holder, states.coin as coin, states.month as month, states.value as value,
    states.unpriced as unpriced, lag(states.unpriced, 1, 0) over (
      partition by states.holder, states.coin order by states.month
    ) as unpriced_before, states.price as price, states.unknown_events as unknown_events,
    states.quantity as quantity, states.cost as cost,
    case
      when states.coin = reporting.currency then value
      -- Each wallet's value is rounded separately: the value of everything held is their sum, to the last digit.
      when unpriced = 0 and quantity = held then value
      when unpriced = 0 then coalesce(exact_multiply(quantity, price), 0)
    end as known_value
  from states
  cross join staging.reporting as reporting
),
closings as (
  select holder, month, sum(greatest(valued.unpriced, valued.unpriced_before)) as unpriced_coins,
    sum(valued.unknown_events) as unknown_events,
    case when count(valued.value) > 0 or sum(valued.unpriced) = 0 then coalesce(sum(valued.value), 0) end as value,
    coalesce(sum(case when valued.coin <> reporting.currency then known_value - cost end), 0) as unrealised,
    coalesce(sum(coalesce(valued.value, 0) - known_value), 0) as unknown_value
  from valued
  cross join staging.reporting as reporting
  group by holder, month
),
-- A month in which nothing is held any more is worth zero.
steps as (
  select closings.*, lag(value, 1, 0) over by_month as opening_value,
    unrealised - lag(unrealised, 1, 0) over by_month as unrealised_change,
    unknown_value - lag(unknown_value, 1, 0) over by_month as unknown_cost_change
  from closings
  window by_month as (partition by holder order by month)
),
flows as (
  select case when is_by_account then account else '' end as holder, month_of(day) as month,
    coalesce(sum(case when line = 'initial_balances' then value end), 0) as initial_balances,
    coalesce(sum(case when line = 'deposits' then value end), 0) as deposits,
    coalesce(sum(case when line = 'transfers' then value end), 0) as transfers,
    coalesce(sum(case when line = 'income' then value end), 0) as income,
    coalesce(sum(case when line = 'interest' then value end), 0) as interest,
    coalesce(sum(case when line = 'fees' then value end), 0) as fees,
    coalesce(sum(case when line = 'funding' then value end), 0) as funding,
    coalesce(sum(case when line = 'futures_pnl' then value end), 0) as futures_pnl,
    coalesce(sum(case when line = 'liquidations' then value end), 0) as liquidations,
    coalesce(sum(case when line = 'unrealised_change' then value end), 0) as given_gain,
    coalesce(sum(case when line = 'unknown_cost_change' then value end), 0) as given_unknown
  from staging.bridge_flows
  cross join holding
  group by case when is_by_account then account else '' end, month_of(day)
),
gains as (
  select case when is_by_account then parts.account else '' end as holder,
    month_of(utc_day(parts.occurred_at)) as month, sum(parts.realised_pnl) as realised_gains
  from staging.lot_pnl_parts as parts
  cross join holding
  anti join main.lot_events as before
    on before.event_id = parts.disposal_id and before.coin = parts.symbol and ends_with(before.account, '/before')
  group by all
),
bridged as (
  select steps.holder as holder, steps.month as month, steps.opening_value as opening_value,
    coalesce(flows.initial_balances, 0) as initial_balances, coalesce(flows.deposits, 0) as deposits,
    coalesce(flows.transfers, 0) as transfers, coalesce(flows.income, 0) as income,
    coalesce(flows.interest, 0) as interest, coalesce(flows.fees, 0) as fees, coalesce(flows.funding, 0) as funding,
    coalesce(flows.futures_pnl, 0) as futures_pnl, coalesce(flows.liquidations, 0) as liquidations,
    coalesce(gains.realised_gains, 0) as realised_gains,
    steps.unrealised_change + coalesce(flows.given_gain, 0) as unrealised_change,
    steps.unknown_cost_change + coalesce(flows.given_unknown, 0) as unknown_cost_change,
    steps.value as closing_value, steps.unknown_events as unknown_events,
    steps.unpriced_coins as unpriced_coins
  from steps
  left join flows on flows.holder = steps.holder and flows.month = steps.month
  left join gains on gains.holder = steps.holder and gains.month = steps.month
)
select nullif(holder, '') as account, month, reporting.currency as currency, opening_value, initial_balances, deposits,
  transfers, income, interest, fees, funding, futures_pnl, liquidations, realised_gains, unrealised_change,
  unknown_cost_change, closing_value,
  closing_value - opening_value - initial_balances - deposits - transfers - income - interest - fees - funding
    - futures_pnl - liquidations - realised_gains - unrealised_change - unknown_cost_change as difference,
  unknown_events, unpriced_coins
from bridged
cross join staging.reporting as reporting
