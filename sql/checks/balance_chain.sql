-- Every step of a balance chain closes. Consecutive steps that stay open have one cause and are one break. If the account's
-- coverage has a gap at that time, or the venue has changed one of the two records, that is the cause and has its own break;
-- this one is then a notice.
-- grain: one row per run of open steps of one chain
with
open_steps as (
  select account, ledger, coin, place, source_id, occurred_at, previous_place, previous_source_id, previous_at,
    expected_balance, balance, gap
  from main.balance_chain
  where status = 'open'
),
numbered as (
  select open_steps.account as account, open_steps.ledger as ledger, open_steps.coin as coin,
    open_steps.place as place, open_steps.source_id as source_id, open_steps.occurred_at as occurred_at,
    open_steps.previous_place as previous_place, open_steps.previous_source_id as previous_source_id,
    open_steps.previous_at as previous_at, open_steps.expected_balance as expected_balance,
    open_steps.balance as balance, open_steps.gap as gap,
    sum(case when before.place is null then 1 else 0 end) over (
      partition by open_steps.account, open_steps.ledger, open_steps.coin order by open_steps.place
      rows between unbounded preceding and current row
    ) as run_number
  from open_steps
  left join open_steps as before
    on before.account = open_steps.account and before.place = open_steps.previous_place
),
runs as (
  select account, ledger, coin, run_number, count(*) as step_count,
    min_by(previous_source_id, place) as first_id, max_by(source_id, place) as last_id,
    min_by(source_id, place) as culprit_id,
    min(previous_at) as begins_at, max(occurred_at) as ends_at,
    min_by(expected_balance, place) as expected, min_by(balance, place) as found, sum(gap) as difference
  from numbered
  group by account, ledger, coin, run_number
),
explained as (
  select runs.*,
    exists (
      select 1 from staging.missing_ranges as missing
      join staging.feeds as feeds on feeds.feed = missing.feed and feeds.has_balance
      where missing.account = runs.account
        and missing.starts_at <= runs.ends_at and missing.ends_at >= runs.begins_at
    ) as in_a_hole,
    exists (
      select 1 from staging.record_versions as versions
      join staging.feeds as feeds on feeds.feed = versions.feed and feeds.has_balance
      where versions.account = runs.account
        and versions.record_id in (runs.first_id, runs.culprit_id, runs.last_id)
    ) as by_a_change
  from runs
)
select case when in_a_hole or by_a_change then 'notice' else 'warning' end as severity,
  account, ledger, coin, ends_at as occurred_at, expected, found, difference,
  'The balance of ' || coin || ' does not follow from the records between ' || first_id
    || ' and ' || last_id || ': ' ||
    case
      when in_a_hole then 'tax records of that time are missing (see the check coverage).'
      when by_a_change then 'the venue has changed a record there (see the check changed_record).'
      when step_count > 1 then 'a record there is missing, repeated or wrong.'
      else 'a record between the two is missing, or the second is wrong.'
    end as explanation,
  cast(to_json(
    case when culprit_id = last_id then [first_id, last_id] else [first_id, culprit_id, last_id] end
  ) as varchar) as evidence,
  first_id || '>' || culprit_id as culprit
from explained
