-- Entries whose other side should be in the books but is not:
-- legs of a fill without the rest of it;
-- moves between the P2P wallet and the unified wallet of an account that only the P2P feed reports, although both feeds are
-- complete; and
-- moves of a sub-account that its parent's records do not report, although both are complete. A sub-account may also be
-- funded from outside, so its moves are included only if at least twice as many of them have their other leg in an account
-- of the family.
-- Their counter side is a suspense account.
-- grain: one row per account and place
-- keys:  account, place unique
-- columns:
--   account: Account.
--   place: Position in the sequence of all records of the account, as in entries; the leg is the entry of part amount.
--   coin: Coin.
--   occurred_at: When it happened.
--   leg_of: What it is a leg of: trade, transfer (to or from the P2P wallet) or family (between a sub-account and its parent).
with
trade_legs as (
  select account, place, coin, occurred_at, 'trade' as leg_of
  from staging.trade_legs
  where status = 'leftover'
),
-- Only if the account is otherwise seen to move coins between the two wallets.
movers as (
  select account
  from main.transfers
  where ledger = 'P2P' and counter_account = account
  group by account
),
p2p_legs as (
  select transfers.account as account, transfers.place as place, transfers.coin as coin,
    transfers.occurred_at as occurred_at, 'transfer' as leg_of
  from main.transfers as transfers
  join staging.both_covered as covered
    on covered.comparison = 'transfers' and covered.account = transfers.account
    and transfers.occurred_at between covered.starts_at and covered.ends_at
  where transfers.ledger = 'P2P' and transfers.counter_entry_id is null
    and transfers.account in (select account from movers)
),
family_legs as (
  select transfers.account as account, transfers.place as place, transfers.coin as coin,
    transfers.occurred_at as occurred_at, transfers.counter_entry_id as counter_entry_id,
    transfers.product_line as product_line, families.parent as parent
  from main.transfers as transfers
  join staging.families as families on families.sub = transfers.account
  join main.entries as entries on entries.entry_id = transfers.entry_id
  join staging.types as types on types.feed = entries.source_feed and types.type = entries.type
  where transfers.kind = 'transfer' and transfers.ledger <> 'P2P'
    and types.canonical_type in ('TRANSFER_IN', 'TRANSFER_OUT')
    and (transfers.counter_account is null or transfers.counter_account <> transfers.account)
),
dependents as (
  select account
  from family_legs
  group by account
  having sum(case when counter_entry_id is not null then 1 else 0 end) >= 2
    and sum(case when counter_entry_id is not null then 1 else -2 end) >= 0
),
sub_legs as (
  select legs.account, legs.place, legs.coin, legs.occurred_at, 'family' as leg_of
  from family_legs as legs
  where legs.counter_entry_id is null and legs.account in (select account from dependents)
    and exists (
      select 1 from staging.covered_ranges as own
      where own.account = legs.account and own.feed = 'tax.records'
        and own.partition in (legs.product_line, legs.product_line || '-crossed')
        and legs.occurred_at between own.starts_at + interval 1 day and own.ends_at - interval 1 day
    )
    and exists (
      select 1 from staging.covered_ranges as theirs
      where theirs.account = legs.parent and theirs.feed = 'tax.records' and theirs.partition = 'SPOT'
        and legs.occurred_at between theirs.starts_at + interval 1 day and theirs.ends_at - interval 1 day
    )
)
select * from trade_legs
union all
select * from p2p_legs
union all
select distinct * from sub_legs
