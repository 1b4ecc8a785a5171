-- The value of an amount in the reporting currency at its time, and the prices behind it: the path from its coin to that
-- currency over at most four prices. Each is the newest price of its source before that time that is still valid; if several
-- sources have one, the first in the policy is used. Among paths, the one whose lowest-ranked source ranks highest wins,
-- then the shortest, then the one whose oldest price is the most recent.
-- Reports in another currency run this same text.
-- grain: one row per entry whose value no fill states; part of an imported row (import/…); money of a P2P deal (…/paid); coin held
--   or owed at the end of a day (day/…)
-- keys:  entry_id unique
-- slices: valued_at
-- by day: staging.amounts_to_value, staging.price_ways
-- from day: staging.straight_prices
-- columns:
--   entry_id: Entry; for part of an imported row `import/`, its id and the part; for the money of a P2P deal the entry and `/paid`; for one coin at the end of a UTC day `day/`, coin and day.
--   coin: Coin or currency of the amount.
--   quantity: Amount that is valued, without a sign.
--   valued_at: Time for which it is valued.
--   value: Value in the reporting currency; null if no prices lead to it.
--   currency: Reporting currency.
--   steps: Number of prices used: 0 for the reporting currency itself; null if there is no value.
--   rank: Rank in the policy of the lowest-ranked source on the path (see price_sources): 0 for the reporting currency itself; null if there is no value.
--   path: Coins and currencies on the path, separated by ` > `; null if there is no value.
--   sources: Source of the price for each step, separated by ` > `; null for the reporting currency itself, and if there is no value.
--   priced_at: Time of the oldest price on the path; null if sources is null.
with
looked_up as (
  select amounts.entry_id as entry_id, amounts.coin as coin, amounts.quantity as quantity,
    amounts.valued_at as valued_at, straight.rank as rank, straight.price as price,
    straight.is_reverse as is_reverse, straight.source as source, straight.priced_at as priced_at,
    coalesce(straight.valid_until >= amounts.valued_at, false) as is_priced,
    reporting.currency as currency, amounts.coin = reporting.currency as is_reporting
  from staging.amounts_to_value as amounts
  cross join staging.reporting as reporting
  asof left join staging.straight_prices as straight
    on straight.coin = amounts.coin and straight.priced_at <= amounts.valued_at
),
rated as (
  select looked_up.entry_id as entry_id, looked_up.coin as coin, looked_up.quantity as quantity,
    looked_up.valued_at as valued_at, looked_up.currency as currency,
    case when is_reporting then 0 when is_priced then 1 else ways.steps end as steps,
    case when is_reporting then 0 when is_priced then looked_up.rank else ways.rank end as rank,
    case
      when is_reporting or (is_priced and is_reverse) then cast(1 as decimal(38, 18))
      when is_priced then looked_up.price
      else ways.numerator
    end as numerator,
    case
      when is_priced and is_reverse then looked_up.price
      when is_reporting or is_priced then cast(1 as decimal(38, 18))
      else ways.denominator
    end as denominator,
    case
      when is_reporting then looked_up.coin
      when is_priced then looked_up.coin || ' > ' || looked_up.currency
      else ways.path
    end as path,
    case when is_priced then looked_up.source else ways.sources end as sources,
    case when is_priced then looked_up.priced_at else ways.priced_at end as priced_at
  from looked_up
  left join staging.price_ways as ways
    on ways.coin = looked_up.coin and ways.valued_at = looked_up.valued_at
)
select entry_id, coin, quantity, valued_at,
  case
    when steps = 0 then quantity
    when denominator = 1 then exact_multiply(quantity, numerator)
    else exact_ratio(quantity, numerator, denominator)
  end as value,
  currency, steps, rank, path, sources, priced_at
from rated
