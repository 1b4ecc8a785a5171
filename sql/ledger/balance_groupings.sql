-- How the venue keeps the balances of each account, inferred from the data: the grouping that closes the most steps of the
-- chains. The first record of a chain proves nothing, so a grouping gains nothing by splitting the history into more
-- chains, and a single missing record cannot tip the result. If the data leave it open, a unified account gets one balance
-- per coin, any other account one per business line.
-- grain: one row per account
-- keys:  account unique
-- columns:
--   account: Account.
--   chain_grouping: unified (one balance per coin), unified-isolated (isolated margin apart) or per-line.
--   is_configured: Whether it is set in the configuration.
--   unified_closed: Steps that close with one balance per coin.
--   unified_open: Steps that stay open with one balance per coin.
--   isolated_closed: Steps that close with one balance per coin and isolated margin apart.
--   isolated_open: Steps that stay open with one balance per coin and isolated margin apart.
--   line_closed: Steps that close with one balance per coin and business line.
--   line_open: Steps that stay open with one balance per coin and business line.
with
judged as (
  select gaps.account as account, unified_gap, isolated_gap, line_gap, coalesce(scales.allowance, 0) as allowance
  from staging.chain_gaps as gaps
  left join staging.coin_scales as scales
    on scales.account = gaps.account and scales.coin = gaps.coin
),
-- A start is not a step, and anything not in chain_gaps closes under every grouping.
exceptions as (
  select account,
    sum(case when unified_gap is null then 1 else 0 end) as unified_starts,
    sum(case when abs(unified_gap) > allowance then 1 else 0 end) as unified_open,
    sum(case when isolated_gap is null then 1 else 0 end) as isolated_starts,
    sum(case when abs(isolated_gap) > allowance then 1 else 0 end) as isolated_open,
    sum(case when line_gap is null then 1 else 0 end) as line_starts,
    sum(case when abs(line_gap) > allowance then 1 else 0 end) as line_open
  from judged
  group by account
),
counted as (
  select exceptions.account as account,
    steps - unified_starts - unified_open as unified_closed, unified_open,
    steps - isolated_starts - isolated_open as isolated_closed, isolated_open,
    steps - line_starts - line_open as line_closed, line_open
  from exceptions
  join staging.chain_steps as records on records.account = exceptions.account
),
found as (
  select counted.account as account, counted.unified_closed as unified_closed, counted.unified_open as unified_open,
    counted.isolated_closed as isolated_closed, counted.isolated_open as isolated_open,
    counted.line_closed as line_closed, counted.line_open as line_open,
    choices.chain_grouping is not null as is_configured,
    case
      when choices.chain_grouping is not null then choices.chain_grouping
      when line_closed > greatest(unified_closed, isolated_closed) then 'per-line'
      when line_closed = greatest(unified_closed, isolated_closed)
        and coalesce(accounts.kind, 'unknown') <> 'unified' then 'per-line'
      when isolated_open < unified_open then 'unified-isolated'
      else 'unified'
    end as chain_grouping
  from counted
  left join main.accounts as accounts on accounts.account = counted.account
  left join staging.account_choices as choices on choices.account = counted.account
)
select account, chain_grouping, is_configured, unified_closed, unified_open, isolated_closed,
  isolated_open, line_closed, line_open
from found
