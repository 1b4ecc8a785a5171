-- Entries whose other side should be in the books and is not: legs of a fill without the rest of it, and moves between
-- the P2P wallet and the unified wallet of an account of which only the P2P feed tells, while both feeds are complete.
-- Their counter side is a suspense account.
-- grain: one row per account and place
with
trade_legs as (
  select account, place, coin, occurred_at, group_place,
    'trade' as of_what
  from staging.trade_legs
  where status = 'leftover'
),
-- Only where the account is seen to move coins between the two wallets otherwise.
movers as (
  select account
  from main.transfers
  where ledger = 'P2P' and counter_account = account
  group by account
),
p2p_legs as (
  select transfers.account, transfers.place, transfers.coin, transfers.occurred_at,
    transfers.place as group_place, 'transfer' as of_what
  from main.transfers as transfers
  join staging.both_covered as covered
    on covered.comparison = 'transfers' and covered.account = transfers.account
    and transfers.occurred_at between covered.starts_at and covered.ends_at
  where transfers.ledger = 'P2P' and transfers.counter_entry_id is null
    and transfers.account in (select account from movers)
)
select * from trade_legs
union all
select * from p2p_legs
