-- Unrealised gains and losses: open lots at the last valid price, short sales that are not closed, and open futures positions
-- as the venue valued them. Lots of unknown cost have separate rows, without a gain. Lots under account/before are not included
-- (see lots).
-- needs: lots, short_sales
-- grain: one row per account, product_line, symbol, hold_side, coin and is_cost_known
-- keys:  account, product_line, symbol, hold_side, coin, is_cost_known unique
-- columns:
--   account: Account; null for lots that all accounts hold together in a pool.
--   product_line: LOTS; SHORT for open short sales; else the futures product type.
--   symbol: Coin held or owed, or contract.
--   hold_side: long or short.
--   coin: Coin or currency of the amounts of the row.
--   is_cost_known: Whether the cost is known (for a short sale, the proceeds).
--   quantity: Quantity held, or for a short sale owed.
--   cost_basis: Its cost, or the proceeds of a short sale; null if not known, and for futures.
--   price: Price per unit; null if none is valid. For a coin-margined position it is in dollars, not in the coin of the row.
--   value: quantity times price; null for coin-margined positions, because it would not be in the coin of the row.
--   unrealised_pnl: Value less cost, for a short sale proceeds less value, for futures the venue's figure; null if value or cost is not known.
--   valued_at: Time of the price (the oldest on its path if there are several), for futures of the answer; null if no price is valid.
with
last_days as (select coin, max(daily_valuation.day) as day from main.daily_valuation group by coin),
-- The same in every account and wallet.
prices as (
  select distinct days.coin as coin, days.price as price, days.priced_at as priced_at, days.currency as currency
  from last_days
  join main.daily_valuation as days on days.coin = last_days.coin and days.day = last_days.day
),
held as (
  select account, 'LOTS' as product_line, coin as symbol, 'long' as hold_side, currency,
    cost_basis_left is not null as is_cost_known, sum(quantity_left) as quantity, sum(cost_basis_left) as cost_basis
  from main.lots
  where account is null or not ends_with(account, '/before')
  group by account, coin, currency, cost_basis_left is not null
  union all
  select account, 'SHORT', coin, 'short', currency, proceeds is not null, sum(quantity), sum(proceeds)
  from main.short_sales
  where closed_at is null
  group by account, coin, currency, proceeds is not null
),
valued as (
  select held.account as account, held.product_line as product_line, held.symbol as symbol,
    held.hold_side as hold_side, held.currency as currency, held.is_cost_known as is_cost_known,
    held.quantity as quantity, held.cost_basis as cost_basis, prices.price as price,
    exact_multiply(held.quantity, prices.price) as value, prices.priced_at as valued_at,
    coalesce(held.currency, prices.currency) as in_currency
  from held
  left join prices on prices.coin = held.symbol
)
select account, product_line, symbol, hold_side, in_currency as coin, is_cost_known, quantity, cost_basis, price, value,
  case when hold_side = 'long' then value - cost_basis else cost_basis - value end as unrealised_pnl, valued_at
from valued
union all
select positions.account, positions.partition, positions.symbol, positions.hold_side, positions.margin_coin, true,
  positions.total, cast(null as decimal(38, 18)), positions.mark_price,
  case when positions.partition <> 'COIN-FUTURES' then exact_multiply(positions.total, positions.mark_price) end,
  positions.unrealized_pl, lists.read_at
from main.positions as positions
join staging.newest_lists as lists
  on lists.account = positions.account and lists.partition = positions.partition and lists.feed = 'futures.positions'
where positions.is_current and positions.total <> 0
