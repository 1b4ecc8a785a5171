-- The proof of the balances: each record's balance is compared with the balance before it plus the record's amount and fee,
-- in the grouping found for the account. A step is closed, open (something is missing or wrong between the two records),
-- edge (it reaches back to before all lines are covered) or start (the first of its chain).
-- grain: one row per account, ledger, coin and record of the unified tax feed that carries a balance
-- keys:  account, source_id unique
-- slices: occurred_at
-- by day: staging.chain_gaps
-- since: staging.moves at place where balance is not null per account, coin, line in staging.move_days
-- columns:
--   account: Account.
--   ledger: Wallet whose balance it is.
--   coin: Coin.
--   source_id: The venue's id of the record.
--   place: Position in the sequence of all records of the account: the number of the UTC day, and the position within it.
--   occurred_at: When it happened.
--   product_line: Business type under which the record was fetched.
--   amount: Amount of the record.
--   fee: Fee of the record.
--   balance: Balance after the record, as the venue sends it.
--   expected_balance: Balance before it plus everything received since; null at a start.
--   gap: balance − expected_balance; null at a start.
--   rounding: The part of the gap that consists of digits the venue keeps but does not print.
--   opening: Balance from before the first record, on that record; zero elsewhere.
--   status: start, closed, edge or open.
--   previous_place: Position of the record before it in the chain; null at a start.
--   previous_source_id: The venue's id of that record; null at a start.
--   previous_at: When that record happened; null at a start.
with
grouped as (
  select moves.account as account, moves.place as place, moves.coin as coin,
    coalesce(scales.allowance, 0) as allowance,
    coalesce(starts.settled_at, make_timestamptz(0)) as settled_at,
    ledgers.ledger as ledger,
    case
      when gaps.place is null then cast(0 as decimal(38, 18))
      when ledgers.chain_grouping = 'per-line' then gaps.line_gap
      when ledgers.chain_grouping = 'unified-isolated' then gaps.isolated_gap
      else gaps.unified_gap
    end as gap,
    case ledgers.chain_grouping
      when 'per-line' then gaps.line_opening
      when 'unified-isolated' then gaps.isolated_opening
      else gaps.unified_opening
    end as before_it,
    moves.source_id as source_id, moves.product_line as product_line,
    moves.amount as amount, moves.fee as fee, moves.balance as balance, moves.occurred_at as occurred_at
  from staging.moves as moves
  join staging.line_ledgers as ledgers
    on ledgers.account = moves.account and ledgers.feed = moves.feed and ledgers.line = moves.line
  left join staging.chain_gaps as gaps on gaps.account = moves.account and gaps.place = moves.place
  left join staging.coin_scales as scales
    on scales.account = moves.account and scales.coin = moves.coin
  left join staging.book_starts as starts on starts.account = moves.account
  where moves.balance is not null and moves.feed in (select feed from staging.feeds where has_balance)
),
-- A wallet is whatever has its own balance: the previous record in the chain is that of the same wallet and coin.
linked as (
  select *,
    lag(place, 1, null) over (partition by account, ledger, coin order by place) as previous_place,
    lag(source_id, 1, null) over (partition by account, ledger, coin order by place) as previous_source_id,
    lag(occurred_at, 1, null) over (partition by account, ledger, coin order by place) as previous_at
  from grouped
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
  from linked
),
final as (
  select judged.account as account, judged.ledger as ledger, judged.coin as coin, source_id, place, occurred_at,
    product_line,
    amount, fee, balance, balance - judged.gap as expected_balance, judged.gap as gap,
    case when status = 'closed' then judged.gap else 0 end as rounding,
    case when status = 'start' then before_it + coalesce(edges.gap, 0) else 0 end as opening,
    status, previous_place, previous_source_id, previous_at
  from judged
  left join staging.chain_edges as edges
    on edges.account = judged.account and edges.ledger = judged.ledger and edges.coin = judged.coin
)
select * from final
