-- A wallet whose feed has no balances never holds less than zero. If it does, more has left it than is known to have arrived:
-- a record is missing, repeated or wrong. A wallet with records within a month of the edge of the covered time may have held
-- something before the books; that, and anything that follows from a known cause, is a notice.
-- grain: one row per account, ledger and coin
with
moves as (
  select account, ledger, coin, source_feed, product_line, place, part, entry_id, occurred_at,
    sum(amount) over (
      partition by account, ledger, coin order by place, part rows between unbounded preceding and current row
    ) as held
  from main.entries
  where source_feed in (select feed from staging.feeds where is_booked and not has_balance)
),
-- An amount and its fee move together.
steps as (
  select account, ledger, coin, source_feed, any_value(product_line) as line, place,
    max_by(held, part) as held_after, min_by(entry_id, part) as first_entry_id, any_value(occurred_at) as moved_at
  from moves
  group by account, ledger, coin, source_feed, place
),
wallets as (
  select account, ledger, coin, source_feed, any_value(line) as wallet_line,
    min(moved_at) as first_at, min(held_after) as lowest,
    min(case when held_after < 0 then moved_at end) as below_at,
    min_by(first_entry_id, case when held_after < 0 then place end) as below_id
  from steps
  group by account, ledger, coin, source_feed
),
below as (
  select wallets.account as account, wallets.ledger as ledger, wallets.coin as coin,
    wallets.source_feed as source_feed, wallets.first_at as first_at, wallets.lowest as lowest,
    wallets.below_at as below_at, wallets.below_id as below_id,
    case when feeds.line is null then wallets.wallet_line else '' end as part_of_feed
  from wallets
  join staging.feeds as feeds on feeds.feed = wallets.source_feed
  where wallets.lowest < 0
),
begun_before as (
  select distinct below.account as account, below.ledger as ledger, below.coin as coin, below.source_feed as source_feed
  from below
  join staging.covered_ranges as ranges
    on ranges.account = below.account and ranges.feed = below.source_feed and ranges.partition = below.part_of_feed
    and below.first_at between ranges.starts_at + interval 31 day and ranges.ends_at
),
judged as (
  select below.account as account, below.ledger as ledger, below.coin as coin, below.lowest as lowest,
    below.below_at as below_at, below.below_id as below_id, begun_before.account is not null as is_of_the_books
  from below
  left join begun_before
    on begun_before.account = below.account and begun_before.ledger = below.ledger
    and begun_before.coin = below.coin and begun_before.source_feed = below.source_feed
),
caused as (
  select judged.account as account, judged.ledger as ledger, judged.coin as coin, min(causes.cause) as cause
  from judged
  join staging.disturbances as causes
    on causes.account = judged.account and coalesce(causes.coin, judged.coin) = judged.coin
    and causes.starts_at <= judged.below_at
  group by judged.account, judged.ledger, judged.coin
)
select case when caused.cause is null and is_of_the_books then 'warning' else 'notice' end as severity,
  judged.account as account, judged.ledger as ledger, judged.coin as coin, below_at as occurred_at,
  cast(0 as decimal(38, 18)) as expected, lowest as found, lowest as difference,
  'More has left this wallet than is known to have arrived'
    || case
      when caused.cause is not null then '; this follows from ' || caused.cause || '.'
      when is_of_the_books then ': a record is missing, repeated or wrong.'
      else '; it may have held something before the books begin.'
    end as explanation,
  cast(to_json([below_id]) as varchar) as evidence, '' as culprit
from judged
left join caused
  on caused.account = judged.account and caused.ledger = judged.ledger and caused.coin = judged.coin
