-- An open position has realised, paid in fees and been charged in funding what the futures records since its opening say:
-- achievedProfits (without fees and funding), deductedFee (positive when paid) and totalFee (funding; the sign is not
-- documented, so either will do). Compared is the last reading of each position that can be: see
-- staging.position_readings. Not compared are positions since whose opening a record has no symbol, or tells no side while
-- both sides were held; funding never tells the side. What the venue calls opened may differ from the first record by
-- two seconds.
-- grain: one row per open position
with
moves as (
  select account, product_line as line, symbol, coin, kind, amount, occurred_at, place, entry_id,
    case
      when upper(type) like '%LONG%' then 'long'
      when upper(type) like '%SHORT%' then 'short'
      else ''
    end as side,
    upper(type) like '%LONG%' or upper(type) like '%SHORT%' or upper(type) in ('BUY_DEAL', 'SELL_DEAL')
      or upper(type) like '%SSM%' or upper(type) like '%SINGLE_SIDE_MODE%' or kind = 'funding' as is_told
  from main.entries
  where product_line like '%-FUTURES' and kind in ('realised_pnl', 'liquidation', 'fee', 'funding')
),
-- Readings with a record of the contract within a minute of them may or may not have seen it.
clear as (
  select readings.*,
    row_number() over (
      partition by readings.account, readings.line, readings.symbol, readings.coin, readings.hold_side
      order by readings.read_at desc, readings.page_id desc, readings.page_row
    ) as newest
  from staging.position_readings as readings
  where not exists (
    select 1 from moves
    where moves.account = readings.account and moves.line = readings.line and moves.coin = readings.coin
      and coalesce(moves.symbol, readings.symbol) = readings.symbol
      and moves.occurred_at > readings.compared_at - interval 1 minute
      and moves.occurred_at <= readings.compared_at + interval 1 minute
      and readings.known_until >= readings.read_at
  )
),
latest as (select * from clear where newest = 1),
within_it as (
  select latest.account, latest.line, latest.symbol, latest.coin, latest.hold_side, moves.kind, moves.amount,
    moves.place, moves.entry_id, moves.occurred_at >= latest.opened_at as is_exact,
    moves.symbol is null or not moves.is_told as is_doubtful,
    moves.side not in ('', latest.hold_side) as is_of_other_side
  from latest
  join moves
    on moves.account = latest.account and moves.line = latest.line and moves.coin = latest.coin
    and coalesce(moves.symbol, latest.symbol) = latest.symbol
    and moves.occurred_at >= latest.opened_at - interval 2 second and moves.occurred_at <= latest.compared_at
),
-- Both sides of one contract: what tells no side may belong to either.
doubled as (
  select distinct latest.account, latest.line, latest.symbol, latest.coin, latest.hold_side
  from latest
  join landing.positions as other
    on other.account = latest.account and other.partition = latest.line and other.symbol = latest.symbol
    and other.margin_coin = latest.coin and lower(other.hold_side) <> latest.hold_side
  join staging.reading_times as times on times.page_id = other.page_id and times.read_at >= latest.opened_at
  union
  select distinct account, line, symbol, coin, hold_side from within_it where is_of_other_side
),
summed as (
  select account, line, symbol, coin, hold_side, bool_or(is_doubtful) as is_doubtful,
    sum(case when kind in ('realised_pnl', 'liquidation') and is_exact then amount else 0 end) as exact_profits,
    sum(case when kind in ('realised_pnl', 'liquidation') then amount else 0 end) as near_profits,
    sum(case when kind = 'fee' and is_exact then -amount else 0 end) as exact_fees,
    sum(case when kind = 'fee' then -amount else 0 end) as near_fees,
    sum(case when kind = 'funding' then amount else 0 end) as funding,
    list(entry_id order by place)[1:10] as ids
  from within_it
  where not is_of_other_side
  group by account, line, symbol, coin, hold_side
),
compared as (
  select latest.*, coalesce(summed.is_doubtful, false) as is_doubtful, doubled.symbol is not null as is_doubled,
    case
      when latest.achieved_profits = coalesce(summed.near_profits, 0) then coalesce(summed.near_profits, 0)
      else coalesce(summed.exact_profits, 0)
    end as our_profits,
    case
      when latest.fees = coalesce(summed.near_fees, 0) then coalesce(summed.near_fees, 0)
      else coalesce(summed.exact_fees, 0)
    end as our_fees,
    coalesce(summed.funding, 0) as our_funding, coalesce(summed.ids, []) as ids
  from latest
  left join summed
    on summed.account = latest.account and summed.line = latest.line and summed.symbol = latest.symbol
    and summed.coin = latest.coin and summed.hold_side = latest.hold_side
  left join doubled
    on doubled.account = latest.account and doubled.line = latest.line and doubled.symbol = latest.symbol
    and doubled.coin = latest.coin and doubled.hold_side = latest.hold_side
),
figures as (
  select *, 1 as nth, 'realised PnL' as figure, achieved_profits as told, our_profits as booked from compared
  union all
  select *, 2, 'fees', fees, our_fees from compared
  union all
  select *, 3, 'funding', funding, our_funding from compared where is_funding_comparable and not is_doubled
),
differing as (
  select *
  from figures
  where told <> booked and not (figure = 'funding' and told = -booked) and not is_doubtful
    and (not is_doubled or pos_mode = 'hedge_mode')
),
grouped as (
  select account, line, symbol, coin, hold_side, opened_at, any_value(compared_at) as known_at,
    min_by(told, nth) as first_told, min_by(booked, nth) as first_booked,
    string_agg(figure || ' ' || rtrim(rtrim(cast(told as varchar), '0'), '.') || ' against '
      || rtrim(rtrim(cast(booked as varchar), '0'), '.'), ', ' order by nth) as words,
    any_value(ids) as evidence_ids
  from differing
  group by account, line, symbol, coin, hold_side, opened_at
),
trouble as (
  select account, coin, starts_at, ends_at, cause from staging.disturbances
  union all
  select account, coin, occurred_at, occurred_at,
    'the futures record ' || coalesce(booked_id, witnessed_id) || ', which one of two feeds has (see futures_v3_v2)'
  from staging.futures_witness
  where booked_id is null or witnessed_id is null
),
caused as (
  select grouped.account, grouped.line, grouped.symbol, grouped.coin, grouped.hold_side, min(causes.cause) as cause
  from grouped
  join trouble as causes
    on causes.account = grouped.account and coalesce(causes.coin, grouped.coin) = grouped.coin
    and causes.ends_at >= grouped.opened_at and causes.starts_at <= grouped.known_at
  group by grouped.account, grouped.line, grouped.symbol, grouped.coin, grouped.hold_side
)
select case when caused.cause is null then 'warning' else 'notice' end as severity,
  grouped.account, ledgers.ledger, grouped.coin, grouped.opened_at as occurred_at,
  first_told as expected, first_booked as found, first_booked - first_told as difference,
  'The ' || grouped.hold_side || ' position in ' || grouped.symbol || ' (' || grouped.line || ') tells other figures '
    || 'than the futures records since its opening: ' || words
    || case
      when caused.cause is null then '. A record is missing, repeated or wrong.'
      else '; this follows from ' || caused.cause || '.'
    end as explanation,
  cast(to_json(evidence_ids) as varchar) as evidence,
  grouped.line || '/' || grouped.symbol || '/' || grouped.hold_side || '/' || cast(epoch_ms(grouped.opened_at) as varchar)
    as culprit
from grouped
left join caused
  on caused.account = grouped.account and caused.line = grouped.line and caused.symbol = grouped.symbol
  and caused.coin = grouped.coin and caused.hold_side = grouped.hold_side
left join (select distinct account, line, ledger from staging.line_ledgers where line like '%-FUTURES') as ledgers
  on ledgers.account = grouped.account and ledgers.line = grouped.line
