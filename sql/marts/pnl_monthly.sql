-- Profit and loss per month: spot and margin by matched lots (fees and valued costs are in the gain), futures by
-- contract. Pieces whose proceeds or cost nobody knows have no gain and are counted apart.
-- needs: disposals
-- grain: one row per account, month, product_line, symbol and coin
-- keys:  account, month, product_line, symbol, coin unique
-- columns:
--   account: Account.
--   month: First day of the UTC month.
--   product_line: SPOT for what lots were matched for, else the futures product type.
--   symbol: Coin and reporting currency, or the contract; null where the venue does not tell it.
--   coin: Coin or currency of the amounts of the row.
--   realised_pnl: Gains of disposals, or results of futures positions.
--   fees: Futures fees; negative when paid. Zero for spot, where they are in the gain.
--   funding: Futures funding; negative when paid.
--   net_pnl: Sum of the three.
--   unknown_pieces: Pieces of disposals without a known gain.
with
spot as (
  select account, cast(date_trunc('month', disposed_at at time zone 'UTC') as date) as month,
    'SPOT' as product_line, coin || currency as symbol, currency as coin,
    coalesce(gain, 0) as realised, case when gain is null then 1 else 0 end as is_unknown
  from main.disposals
),
futures as (
  select account, cast(date_trunc('month', day) as date) as month, product_type as product_line, symbol,
    margin_coin as coin, realised_pnl, fees, funding
  from main.futures_pnl
)
select account, month, product_line, symbol, coin, sum(realised) as realised_pnl,
  cast(0 as decimal(38, 18)) as fees, cast(0 as decimal(38, 18)) as funding, sum(realised) as net_pnl,
  sum(is_unknown) as unknown_pieces
from spot
group by account, month, product_line, symbol, coin
union all
select account, month, product_line, symbol, coin, sum(realised_pnl), sum(fees), sum(funding),
  sum(realised_pnl) + sum(fees) + sum(funding), 0
from futures
group by account, month, product_line, symbol, coin
