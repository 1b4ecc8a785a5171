-- Futures results per position, from flat to flat, signed as they move the balance, from the one book of record of each
-- account. Which record belongs to which position is told by filled orders; what they do not tell apart (what is older
-- than the order history, accounts without one, funding while both sides of a contract were held) stands in one row
-- per contract and side, so that the rows always sum to futures_pnl.
-- grain: one row per account, product_type, symbol, margin_coin, hold_side and position_number
-- keys:  account, product_type, symbol, margin_coin, hold_side, position_number unique
-- columns:
--   account: Account.
--   product_type: USDT-FUTURES, COIN-FUTURES or USDC-FUTURES.
--   symbol: Contract; null where the venue does not tell.
--   margin_coin: Coin of all amounts of the row.
--   hold_side: long or short; null where the records do not tell.
--   position_number: Counts the positions of the contract and side from 1, the oldest first; null where they are not
--     told apart.
--   state: open or closed; unknown where positions are not told apart.
--   opened_at: First record of the position.
--   closed_at: Record that closed it; null unless it is closed.
--   realised_pnl: Result of what was closed, liquidations included.
--   fees: Fees; negative when paid.
--   funding: Funding; negative when paid.
--   net_pnl: Sum of the three.
with
moves as (
  select account, product_line as line, symbol, coin, kind, amount, occurred_at, place, part,
    case
      when upper(type) like '%LONG%' then 'long'
      when upper(type) like '%SHORT%' then 'short'
      else ''
    end as side
  from main.entries
  where product_line in ('USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES')
    and kind in ('realised_pnl', 'liquidation', 'fee', 'funding')
),
candidates as (
  select moves.account, moves.place, moves.part, moves.occurred_at, episodes.position_side, episodes.number,
    episodes.hold_side, episodes.first_filled_at, episodes.ends_at
  from moves
  asof join (select * from staging.futures_episodes where position_side = 'long') as episodes
    on episodes.account = moves.account and episodes.line = moves.line and episodes.symbol = moves.symbol
    and episodes.begins_at <= moves.occurred_at
  where moves.side <> 'short'
  union all
  select moves.account, moves.place, moves.part, moves.occurred_at, episodes.position_side, episodes.number,
    episodes.hold_side, episodes.first_filled_at, episodes.ends_at
  from moves
  asof join (select * from staging.futures_episodes where position_side = 'short') as episodes
    on episodes.account = moves.account and episodes.line = moves.line and episodes.symbol = moves.symbol
    and episodes.begins_at <= moves.occurred_at
  where moves.side <> 'long'
  union all
  select moves.account, moves.place, moves.part, moves.occurred_at, episodes.position_side, episodes.number,
    episodes.hold_side, episodes.first_filled_at, episodes.ends_at
  from moves
  asof join (select * from staging.futures_episodes where position_side = 'net') as episodes
    on episodes.account = moves.account and episodes.line = moves.line and episodes.symbol = moves.symbol
    and episodes.begins_at <= moves.occurred_at
),
-- An opening order may rest while the position of the other side is held: what was surely open comes first.
ranked as (
  select *,
    count(*) over (partition by account, place, part, first_filled_at <= occurred_at) as rival_count,
    row_number() over (
      partition by account, place, part
      order by case when first_filled_at <= occurred_at then 0 else 1 end, position_side
    ) as choice
  from candidates
  where ends_at is null or occurred_at <= ends_at
),
chosen as (
  select account, place, part, hold_side, number, position_side, ends_at
  from ranked
  where choice = 1 and rival_count = 1
),
told as (
  select moves.*,
    coalesce(chosen.hold_side, case when moves.side = '' then null else moves.side end) as hold_side,
    chosen.position_side, chosen.number,
    case when chosen.number is null then 'unknown' when chosen.ends_at is null then 'open' else 'closed' end as state
  from moves
  left join chosen
    on chosen.account = moves.account and chosen.place = moves.place and chosen.part = moves.part
),
summed as (
  select account, line, symbol, coin, hold_side, position_side, number, state,
    min(occurred_at) as opened_at, max(case when kind = 'funding' then null else occurred_at end) as last_filled_at,
    sum(case when kind in ('realised_pnl', 'liquidation') then amount else 0 end) as realised_pnl,
    sum(case when kind = 'fee' then amount else 0 end) as fees,
    sum(case when kind = 'funding' then amount else 0 end) as funding
  from told
  group by account, line, symbol, coin, hold_side, position_side, number, state
)
select account, line as product_type, symbol, coin as margin_coin, hold_side,
  case
    when number is null then null
    else row_number() over (
      partition by account, line, symbol, coin, hold_side, number is null order by opened_at, number
    )
  end as position_number,
  state, opened_at, case when state = 'closed' then last_filled_at end as closed_at,
  realised_pnl, fees, funding, realised_pnl + fees + funding as net_pnl
from summed
