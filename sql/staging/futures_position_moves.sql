-- Records of futures results with the position that each belongs to, as filled orders tell (staging.futures_episodes): the one
-- of its side, or of either side where the record tells none, that was held at that moment. Where several may be meant,
-- and where orders do not reach, number is null.
-- grain: one row per entry of a realised result, fee or funding of futures
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
)
select * from told
