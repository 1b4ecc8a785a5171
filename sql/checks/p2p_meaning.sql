-- It is known what an account's P2P transfers are. If an account shows nothing else, its own purchases and sales may be among
-- them, by their funding leg or with the opposite sign: that is a notice until the configuration states what they are.
-- If the configuration treats them as purchases and sales, and the feed reports purchases and sales too, they may be counted
-- twice.
-- grain: one row per account
with
wallets as (
  select account, count(*) as record_count,
    sum(case when kind = 'transfer' then 1 else 0 end) as transfer_count,
    sum(case when kind = 'p2p_trade' then 1 else 0 end) as trade_count,
    min(occurred_at) as first_at, min(place) as first_place
  from staging.moves
  where feed = 'tax.p2pRecords'
  group by account
),
judged as (
  select wallets.account as account, wallets.record_count as record_count, wallets.transfer_count as transfer_count,
    wallets.trade_count as trade_count, wallets.first_at as first_at, wallets.first_place as first_place,
    coalesce(choices.p2p_transfers, '') as meaning
  from wallets
  left join staging.account_choices as choices on choices.account = wallets.account
),
found as (
  select * from judged
  where (meaning = '' and transfer_count = record_count) or (meaning = 'trades' and trade_count > 0)
)
select case when found.meaning = '' then 'notice' else 'warning' end as severity,
  found.account as account, 'P2P' as ledger, cast(null as varchar) as coin, found.first_at as occurred_at,
  cast(null as decimal(38, 18)) as expected, cast(null as decimal(38, 18)) as found,
  cast(null as decimal(38, 18)) as difference,
  case
    when found.meaning = '' then 'All P2P records of this account (' || cast(found.record_count as varchar)
      || ') are transfers; they are booked as moves between its own wallets. If it bought and sold '
      || 'there, state what they are: set accounts.' || found.account || '.p2p_transfers in tieout.yaml to trades (each is the '
      || 'funding leg of a purchase or sale), reversed (the sign is the opposite) or moves (they are transfers, '
      || 'and this notice ends).'
    else 'The configuration treats the P2P transfers of this account as purchases and sales, yet '
      || counted(found.trade_count, 'P2P record reports one itself', 'P2P records report them directly')
      || ', so the coins moved may be counted twice. '
      || 'Set accounts.' || found.account || '.p2p_transfers to moves, or omit it.'
  end as explanation,
  cast(to_json([moves.feed || '/' || moves.source_id]) as varchar) as evidence, found.meaning as culprit
from found
join staging.moves as moves on moves.account = found.account and moves.place = found.first_place
