-- The proof of the balances: each record's balance against the balance before it plus its own amount and fee, in the
-- grouping found for the account. A step is closed, open (something is missing or wrong between the two records),
-- edge (it reaches back to before all lines are covered) or start (the first of its chain).
-- grain: one row per account, ledger, coin and record of the unified tax feed that carries a balance
-- keys:  account, source_id unique
-- columns:
--   account: Account.
--   ledger: Wallet whose balance it is.
--   coin: Coin.
--   source_id: The venue's id of the record.
--   place: Order of the record among all of the account.
--   occurred_at: When it happened.
--   product_line: Business type that the record came from.
--   amount: Amount of the record.
--   fee: Fee of the record.
--   balance: Balance after the record, as the venue sends it.
--   expected_balance: Balance before it plus what has been received since.
--   gap: balance − expected_balance; null at a start.
--   rounding: The part of the gap that is digits the venue keeps but does not print.
--   opening: What was there before the first record, on that record; zero elsewhere.
--   status: start, closed, edge or open.
--   previous_source_id: The venue's id of the record before it in the chain; null at a start.
--   previous_at: When that record happened; null at a start.
with
grouped as (
  select gaps.account, gaps.place, gaps.coin, gaps.occurred_at, coalesce(scales.allowance, 0) as allowance,
    coalesce(starts.settled_at, cast('1970-01-01 00:00:00+00' as timestamptz)) as settled_at,
    case
      when groupings.chain_grouping = 'per-line' then gaps.line
      when groupings.chain_grouping = 'unified-isolated' and gaps.line = 'MARGIN-isolated' then gaps.line
      else 'UNIFIED'
    end as ledger,
    case groupings.chain_grouping
      when 'per-line' then gaps.line_gap
      when 'unified-isolated' then gaps.isolated_gap
      else gaps.unified_gap
    end as gap,
    case groupings.chain_grouping
      when 'per-line' then gaps.line_offset
      when 'unified-isolated' then gaps.isolated_offset
      else gaps.unified_offset
    end as chain_offset
  from staging.chain_gaps as gaps
  join main.balance_groupings as groupings on groupings.account = gaps.account
  left join staging.coin_scales as scales
    on scales.account = gaps.account and scales.coin = gaps.coin
  left join staging.book_starts as starts on starts.account = gaps.account
),
steps as (
  select grouped.*, moves.source_id, moves.product_line, moves.amount, moves.fee, moves.balance,
    lag(moves.source_id, 1, null) over (
      partition by grouped.account, grouped.ledger, grouped.coin order by grouped.place
    ) as previous_source_id,
    lag(grouped.occurred_at, 1, null) over (
      partition by grouped.account, grouped.ledger, grouped.coin order by grouped.place
    ) as previous_at
  from grouped
  join staging.moves as moves on moves.account = grouped.account and moves.place = grouped.place
),
judged as (
  select *,
    case
      when gap is null then 'start'
      when gap = 0 then 'closed'
      when previous_at < settled_at then 'edge'
      when abs(gap) <= allowance then 'closed'
      else 'open'
    end as status
  from steps
),
edges as (
  select account, ledger, coin, sum(gap) as before_all_lines
  from judged
  where status = 'edge'
  group by account, ledger, coin
),
final as (
  select judged.account, judged.ledger, judged.coin, source_id, place, occurred_at, product_line,
    amount, fee, balance, balance - gap as expected_balance, gap,
    case when status = 'closed' then gap else 0 end as rounding,
    case when status = 'start' then chain_offset + coalesce(before_all_lines, 0) else 0 end as opening,
    status, previous_source_id, previous_at
  from judged
  left join edges
    on edges.account = judged.account and edges.ledger = judged.ledger and edges.coin = judged.coin
)
select * from final
