-- Records of futures results with the position that each belongs to, by filled orders (staging.futures_episodes): the one
-- of its side, or of either side where the record has none, that was held at that moment. Where several may be meant,
-- and where orders do not reach, number is null. Funding is settled on the hour and may be stamped some seconds later:
-- within the first minute it is that of what was held on the hour.
-- grain: one row per entry of a realised result, fee or funding of futures
with
moves as (
  select entries.account as account, entries.product_line as line, entries.symbol as symbol, entries.coin as coin,
    entries.kind as kind, entries.amount as amount,
    entries.occurred_at as occurred_at, entries.place as place, entries.part as part,
    case
      when entries.kind = 'funding' and epoch_ms(entries.occurred_at) % 3600000 < 60000
        then utc_hour(entries.occurred_at)
      else entries.occurred_at
    end as held_at,
    types.side as side
  from main.entries as entries
  join staging.types as types on types.feed = entries.source_feed and types.type = entries.type
  where entries.product_line in ('USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES')
    and entries.kind in ('realised_pnl', 'liquidation', 'fee', 'funding')
),
-- Only what has positions at all is searched for the one that was held.
sides as (select distinct account, line, symbol, position_side from staging.futures_episodes),
asked as (
  select moves.account as account, moves.place as place, moves.part as part, moves.line as line,
    moves.symbol as symbol, moves.held_at as held_at, sides.position_side as position_side
  from moves
  join sides on sides.account = moves.account and sides.line = moves.line and sides.symbol = moves.symbol
  where sides.position_side = 'net' or (sides.position_side = 'long' and moves.side <> 'short')
    or (sides.position_side = 'short' and moves.side <> 'long')
),
candidates as (
  select asked.account as account, asked.place as place, asked.part as part, asked.held_at as held_at,
    episodes.position_side as position_side, episodes.number as number,
    episodes.hold_side as hold_side, episodes.first_filled_at as first_filled_at, episodes.ends_at as ends_at
  from asked
  asof join staging.futures_episodes as episodes
    on episodes.account = asked.account and episodes.line = asked.line and episodes.symbol = asked.symbol
    and episodes.position_side = asked.position_side and episodes.begins_at <= asked.held_at
),
-- An opening order may rest while the position of the other side is held: what was surely open comes first.
ranked as (
  select *,
    count(*) over (partition by account, place, part, first_filled_at <= held_at) as rival_count,
    row_number() over (
      partition by account, place, part
      order by case when first_filled_at <= held_at then 0 else 1 end, position_side
    ) as choice
  from candidates
  where ends_at is null or held_at <= ends_at
),
chosen as (
  select account, place, part, hold_side, number, position_side, ends_at
  from ranked
  where choice = 1 and rival_count = 1
),
reported as (
  select moves.account as account, moves.line as line, moves.symbol as symbol, moves.coin as coin,
    moves.kind as kind, moves.amount as amount, moves.occurred_at as occurred_at, moves.place as place,
    moves.part as part, moves.held_at as held_at, moves.side as side,
    coalesce(chosen.hold_side, case when moves.side = '' then null else moves.side end) as hold_side,
    chosen.position_side as position_side, chosen.number as number,
    case when chosen.number is null then 'unknown' when chosen.ends_at is null then 'open' else 'closed' end as state
  from moves
  left join chosen
    on chosen.account = moves.account and chosen.place = moves.place and chosen.part = moves.part
)
select * from reported
