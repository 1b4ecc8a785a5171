-- Profit and loss per month: spot and margin by matched lots (fees and valued costs are in the gain), futures by
-- contract. Pieces whose proceeds or cost nobody knows have no gain and are counted apart; a month in which no gain is
-- known has none, not zero.
-- needs: disposals
-- grain: one row per account, month, product_line, symbol and coin
-- keys:  account, month, product_line, symbol, coin unique
-- columns:
--   account: Account.
--   month: First day of the UTC month.
--   product_line: SPOT for what lots were matched for, else the futures product type.
--   symbol: Coin and reporting currency, or the contract; null where the venue does not tell it.
--   coin: Coin or currency of the amounts of the row; null where no currency is known.
--   realised_pnl: Gains of disposals, or results of futures positions; null where no gain is known.
--   fees: Futures fees; negative when paid. Zero for spot, where they are in the gain.
--   funding: Futures funding; negative when paid.
--   net_pnl: Sum of the three.
--   unknown_pieces: Pieces of disposals without a known gain.
select account, month, product_line, symbol, coin, sum(realised_pnl) as realised_pnl,
  cast(0 as decimal(38, 18)) as fees, cast(0 as decimal(38, 18)) as funding, sum(realised_pnl) as net_pnl,
  count(*) filter (is_unknown) as unknown_pieces
from staging.spot_pnl_parts
group by account, month, product_line, symbol, coin
union all
select account, cast(date_trunc('month', day) as date), product_type, symbol, margin_coin, sum(realised_pnl),
  sum(fees), sum(funding), sum(net_pnl), 0
from main.futures_pnl
group by account, date_trunc('month', day), product_type, symbol, margin_coin
