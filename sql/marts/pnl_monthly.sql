-- Profit and loss per month: by matched lots (fees and valued costs are in the gain), by contract for futures, interest, what
-- liquidations on margin took or made good, and the fees that belong to no trade.
-- Amounts are in the coin of their row. Pieces with unknown proceeds or cost have no gain and are counted separately; a month
-- in which no gain is known has a null gain, not zero.
-- needs: disposals
-- grain: one row per account, month, product_line, symbol and coin
-- keys:  account, month, product_line, symbol, coin unique
-- columns:
--   account: Account.
--   month: First day of the UTC month; sales that the rules merge into one day (uk) count at the first of them.
--   product_line: LOTS for gains of matched lots, wherever the coins were sold; IMPORT for costs of imported moves; else the
--     business type.
--   symbol: For LOTS the coin disposed of, for futures the contract; null if the venue does not report it, and for all other
--     lines.
--   coin: Coin or currency of the amounts of the row; null if no currency is known.
--   realised_pnl: Gains of disposals, results of futures positions, or what liquidations on other lines took or made good;
--     null if no gain is known.
--   fees: Fees of futures and, on other lines, those that belong to no trade, such as a liquidation fee; negative when paid.
--     Zero for LOTS, where fees of trades are in the gain.
--   funding: Futures funding; negative when paid.
--   interest: Interest; negative when paid.
--   net_pnl: Sum of the four; null if no gain is known.
--   unknown_pieces: Pieces of disposals without a known gain.
with
lots as (
  select account, month_of(utc_day(occurred_at)) as month, product_line, symbol, coin,
    realised_pnl, is_unknown
  from staging.lot_pnl_parts
),
others as (
  select account, month_of(day) as month, product_line, symbol, coin, realised_pnl, fee, funding, interest
  from staging.pnl_days
  union all
  select account, month_of(utc_day(occurred_at)), product_line, symbol, coin, realised_pnl, fee, funding, interest
  from staging.imported_pnl_parts
)
select account, month, product_line, symbol, coin, sum(lots.realised_pnl) as realised_pnl,
  cast(0 as decimal(38, 18)) as fees, cast(0 as decimal(38, 18)) as funding, cast(0 as decimal(38, 18)) as interest,
  sum(lots.realised_pnl) as net_pnl, count(case when is_unknown then 1 end) as unknown_pieces
from lots
group by account, month, product_line, symbol, coin
union all
select account, month, product_line, symbol, coin, sum(realised_pnl), sum(fee), sum(funding), sum(interest),
  sum(realised_pnl) + sum(fee) + sum(funding) + sum(interest), 0
from others
group by account, month, product_line, symbol, coin
