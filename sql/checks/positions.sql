-- The realised result, fees and funding that an open position reports equal those of the futures records since it was opened:
-- achievedProfits (without fees and funding), deductedFee (positive when paid) and totalFee (funding; its sign is not
-- documented, so either is accepted). For each position the last comparable reading is used: see staging.position_readings. A
-- position is not compared if, since it was opened, a record has no symbol, or has no side while both sides were held; funding
-- never has a side. The venue's opening time may differ from the first record by two seconds. The charge for an order that
-- reversed a contract may belong to the closed position or to the open one.
-- grain: one row per open position
with
figures as (
  select *, 1 as nth, 'realised PnL' as figure, achieved_profits as reported,
    our_profits as booked from staging.position_sums
  union all
  select *, 2, 'fees', fees, our_fees from staging.position_sums
  union all
  select *, 3, 'funding', funding, our_funding from staging.position_sums where is_funding_comparable and not is_doubled
),
differing as (
  select *
  from figures
  where reported <> booked and not (figure = 'funding' and reported = -booked) and not is_doubtful
    and (not is_doubled or pos_mode = 'hedge_mode')
),
grouped as (
  select account, line, symbol, coin, hold_side, opened_at, any_value(compared_at) as known_at,
    min_by(reported, nth) as first_reported, min_by(booked, nth) as first_booked,
    joined_list(figure || ' ' || rtrim(rtrim(amount_text(reported), '0'), '.') || ' against '
      || rtrim(rtrim(amount_text(booked), '0'), '.'), ', ', nth) as words,
    any_value(ids) as evidence_ids, bool_or(differing.may_hold_principal) as may_hold_principal
  from differing
  group by account, line, symbol, coin, hold_side, opened_at
),
trouble as (
  select account, coin, starts_at, ends_at, cause from staging.disturbances
  union all
  select account, coin, occurred_at, occurred_at,
    'the futures record ' || coalesce(booked_id, secondary_id) || ', which one of two feeds has (see futures_v3_v2)'
  from staging.futures_secondary
  where booked_id is null or secondary_id is null
),
caused as (
  select grouped.account as account, grouped.line as line, grouped.symbol as symbol, grouped.coin as coin,
    grouped.hold_side as hold_side, min(causes.cause) as cause
  from grouped
  join trouble as causes
    on causes.account = grouped.account and coalesce(causes.coin, grouped.coin) = grouped.coin
    and causes.ends_at >= grouped.opened_at and causes.starts_at <= grouped.known_at
  group by grouped.account, grouped.line, grouped.symbol, grouped.coin, grouped.hold_side
)
select case when caused.cause is null then 'warning' else 'notice' end as severity,
  grouped.account as account, ledgers.ledger as ledger, grouped.coin as coin, grouped.opened_at as occurred_at,
  first_reported as expected, first_booked as found, first_booked - first_reported as difference,
  'The ' || grouped.hold_side || ' position in ' || grouped.symbol || ' (' || grouped.line || ') reports figures that differ '
    || 'from the futures records since its opening: ' || words
    || case
      when caused.cause is null and may_hold_principal
        then '. A record is missing, repeated or wrong, or amounts of isolated margin include principal (see doubtful_type).'
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
