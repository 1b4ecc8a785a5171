-- Steps of a chain that reach back to before all lines are covered, added up: together with the balance before its first record
-- they are what the wallet held before the books.
-- grain: one row per account, ledger and coin that has such a step with a gap
with
steps as (
  select gaps.account as account, gaps.coin as coin, ledgers.ledger as ledger,
    case
      when ledgers.chain_grouping = 'per-line' then gaps.line_gap
      when ledgers.chain_grouping = 'unified-isolated' then gaps.isolated_gap
      else gaps.unified_gap
    end as gap,
    case
      when ledgers.chain_grouping = 'per-line' then gaps.line_previous_at
      when ledgers.chain_grouping = 'unified-isolated' then gaps.isolated_previous_at
      else gaps.unified_previous_at
    end as previous_at
  from staging.chain_gaps as gaps
  join staging.line_ledgers as ledgers
    on ledgers.account = gaps.account and ledgers.feed = gaps.feed and ledgers.line = gaps.line
)
select steps.account as account, steps.ledger as ledger, steps.coin as coin, sum(steps.gap) as gap
from steps
join staging.book_starts as starts on starts.account = steps.account
where steps.gap <> 0 and steps.previous_at < starts.settled_at
group by steps.account, steps.ledger, steps.coin
