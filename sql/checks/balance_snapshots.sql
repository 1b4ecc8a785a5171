-- What a wallet held when an answer reported it is the sum of its entries up to then. Sub-accounts (4.13): equity without what
-- is unrealised; not compared with vouchers in it, nor where a unified account is reported as all zero, for the interface does
-- not say that it reports those. Risk unit (4.16): equity of a coin over all accounts of the unit, where nothing of it is
-- owed and no position is margined in it; the interface does not say more exactly what equity is, so this is a notice.
-- Compared is the last reading that can be: every feed of the wallet is complete for a minute beyond it, and no record
-- stands within a minute of it.
-- grain: one row per account, wallet and coin, and per coin of a risk unit
with
-- The newest readings are enough: the last one that can be compared is rarely older than the night before.
recent as (
  select *,
    row_number() over (partition by account, feed, partition order by read_at desc, page_id desc) as nth
  from staging.reading_times
  where feed in ('futures.subaccountAssets', 'loan.ltv')
),
-- What one answer reported is the content of a published record, which may be older than the answer.
asset_rows as (
  select received.account as teller, received.user_id as user_id, received.partition as line,
    received.page_id as page_id, recent.read_at as read_at,
    contents.page_id as content_page, contents.page_row as content_row
  from landing.subaccount_assets as received
  join recent on recent.page_id = received.page_id and recent.nth <= 7
  join main.subaccount_assets as contents
    on contents.account = received.account and contents.user_id = received.user_id
    and contents.asset_list = received.asset_list and contents.extra is not distinct from received.extra
),
assets as (
  select accounts.account as account, accounts.kind as kind, asset_rows.line as line, asset_rows.page_id as page_id,
    asset_rows.read_at as read_at,
    upper_case(coins.margin_coin) as coin, coins.account_equity as equity,
    coalesce(coins.unrealized_pl, 0) as unrealised,
    coalesce(coins.coupon, 0) + coalesce(coins.grant, 0) as vouchers
  from asset_rows
  join main.subaccount_asset_coins as coins
    on coins.page_id = asset_rows.content_page and coins.page_row = asset_rows.content_row
  join main.accounts as accounts on accounts.uid = asset_rows.user_id
),
reports_something as (
  select account, page_id from assets where equity <> 0 group by account, page_id
),
sub_readings as (
  select assets.account, assets.account as members, case when kind = 'unified' then 'UNIFIED' else line end as ledger,
    line,
    coin, equity - unrealised as reported, page_id, read_at, 'futures.subaccountAssets' as feed
  from assets
  where equity is not null and vouchers = 0
    and (kind <> 'unified' or (account, page_id) in (select (account, page_id) from reports_something))
),
risk_rows as (
  select received.account as account, received.page_id as page_id, recent.read_at as read_at,
    min(contents.page_id) as content_page,
    min_by(contents.page_row, contents.page_id) as content_row
  from landing.ltv as received
  join recent on recent.page_id = received.page_id and recent.nth <= 7
  join main.ltv as contents
    on contents.account = received.account and contents.balance_info = received.balance_info
    and contents.sub_account_uids = received.sub_account_uids
    and contents.unpaid_info is not distinct from received.unpaid_info
  group by received.account, received.page_id, recent.read_at
),
risk_coins as (
  select risk_rows.account as account, risk_rows.page_id as page_id, risk_rows.read_at as read_at,
    upper_case(held.coin) as coin, held.amount as reported
  from risk_rows
  join main.ltv_balances as held
    on held.page_id = risk_rows.content_page and held.page_row = risk_rows.content_row
  where not exists (
    select 1 from main.ltv_debts as owed
    where owed.page_id = risk_rows.content_page and owed.page_row = risk_rows.content_row
      and coalesce(owed.coin, held.coin) = held.coin
  )
),
risk_members as (
  select distinct risk_rows.account as account, risk_rows.page_id as page_id, accounts.account as member
  from risk_rows
  join main.ltv_accounts as unit
    on unit.page_id = risk_rows.content_page and unit.page_row = risk_rows.content_row
  left join main.accounts as accounts on accounts.uid = unit.uid and accounts.kind = 'unified'
),
-- A unit with an account that the books do not know, or with a position in the coin, is not compared.
risk_readings as (
  select risk_coins.account as account, members.member as member, risk_coins.coin as coin,
    risk_coins.reported as reported, risk_coins.page_id as page_id, risk_coins.read_at as read_at
  from risk_coins
  join risk_members as members
    on members.account = risk_coins.account and members.page_id = risk_coins.page_id
  where risk_coins.reported is not null
    and not exists (
      select 1 from risk_members as strangers
      where strangers.account = risk_coins.account and strangers.page_id = risk_coins.page_id
        and strangers.member is null
    )
    and not exists (
      select 1 from landing.positions as positions
      join risk_members as holders on holders.member = positions.account
      where holders.account = risk_coins.account and holders.page_id = risk_coins.page_id
        and positions.margin_coin = risk_coins.coin
    )
),
subjects as (
  select account, account as member, ledger, coin, reported, page_id, read_at, feed from sub_readings
  union all
  select account, member, 'UNIFIED', coin, reported, page_id, read_at, 'loan.ltv' from risk_readings
),
-- The feeds that a wallet's records come from.
wallet_feeds as (
  select accounts.account as account, 'UNIFIED' as ledger, 'tax.records' as feed, parts.part as part
  from main.accounts as accounts
  cross join (
    select * from (
      values ('SPOT'), ('MARGIN-crossed'), ('MARGIN-isolated'), ('USDT-FUTURES'), ('COIN-FUTURES'),
        ('USDC-FUTURES'), ('OTHER')
    ) as names (part)
  ) as parts
  where accounts.kind = 'unified'
  union all
  select accounts.account, lines.line, 'tax.futuresRecords', lines.line
  from main.accounts as accounts
  cross join (select * from (values ('USDT-FUTURES'), ('COIN-FUTURES'), ('USDC-FUTURES')) as names (line)) as lines
  where accounts.kind <> 'unified'
),
uncovered as (
  select distinct subjects.account as account, subjects.feed as feed, subjects.page_id as page_id, subjects.coin as coin
  from subjects
  join wallet_feeds on wallet_feeds.account = subjects.member and wallet_feeds.ledger = subjects.ledger
  left join staging.covered_ranges as ranges
    on ranges.account = wallet_feeds.account and ranges.feed = wallet_feeds.feed
    and ranges.partition = wallet_feeds.part
    and subjects.read_at between ranges.starts_at and ranges.ends_at - interval 1 minute
  where ranges.account is null
),
crowded as (
  select distinct subjects.account as account, subjects.feed as feed, subjects.page_id as page_id, subjects.coin as coin
  from subjects
  join main.entries as entries
    on entries.account = subjects.member and entries.ledger = subjects.ledger and entries.coin = subjects.coin
    and entries.occurred_at > subjects.read_at - interval 1 minute
    and entries.occurred_at <= subjects.read_at + interval 1 minute
),
clear as (
  select subjects.account as account, subjects.member as member, subjects.ledger as ledger, subjects.coin as coin,
    subjects.reported as reported, subjects.page_id as page_id, subjects.read_at as read_at, subjects.feed as feed,
    dense_rank() over (
      partition by subjects.account, subjects.feed, subjects.ledger, subjects.coin
      order by subjects.read_at desc, subjects.page_id desc
    ) as newest
  from subjects
  left join uncovered
    on uncovered.account = subjects.account and uncovered.feed = subjects.feed
    and uncovered.page_id = subjects.page_id and uncovered.coin = subjects.coin
  left join crowded
    on crowded.account = subjects.account and crowded.feed = subjects.feed
    and crowded.page_id = subjects.page_id and crowded.coin = subjects.coin
  where uncovered.account is null and crowded.account is null
    and exists (select 1 from wallet_feeds where wallet_feeds.account = subjects.member and wallet_feeds.ledger = subjects.ledger)
),
latest as (select * from clear where newest = 1),
booked as (
  select latest.account as account, latest.feed as feed, latest.ledger as ledger, latest.coin as coin,
    latest.page_id as page_id,
    sum(coalesce(entries.amount, 0)) as quantity, max(entries.occurred_at) as last_at,
    max_by(entries.entry_id, entries.place) as last_id
  from latest
  left join main.entries as entries
    on entries.account = latest.member and entries.ledger = latest.ledger and entries.coin = latest.coin
    and entries.occurred_at <= latest.read_at
  group by latest.account, latest.feed, latest.ledger, latest.coin, latest.page_id
),
reported as (
  select account, feed, ledger, coin, page_id, any_value(reported) as reported_quantity,
    any_value(read_at) as reported_at,
    distinct_list(member) as members
  from latest
  group by account, feed, ledger, coin, page_id
),
differing as (
  select reported.account as account, reported.feed as feed, reported.ledger as ledger, reported.coin as coin,
    reported.page_id as page_id, reported.reported_quantity as reported_quantity, reported.reported_at as reported_at,
    reported.members as members, booked.quantity as quantity, booked.last_at as last_at, booked.last_id as last_id
  from reported
  join booked
    on booked.account = reported.account and booked.feed = reported.feed and booked.ledger = reported.ledger
    and booked.coin = reported.coin and booked.page_id = reported.page_id
  where reported.reported_quantity <> booked.quantity
),
caused as (
  select differing.account as account, differing.feed as feed, differing.ledger as ledger, differing.coin as coin,
    min(causes.cause) as cause
  from differing
  join staging.disturbances as causes
    on list_contains(differing.members, causes.account)
    and coalesce(causes.coin, differing.coin) = differing.coin
    and causes.starts_at <= differing.reported_at
  group by differing.account, differing.feed, differing.ledger, differing.coin
)
select case when caused.cause is null and differing.feed <> 'loan.ltv' then 'warning' else 'notice' end as severity,
  differing.account as account, differing.ledger as ledger, differing.coin as coin,
  differing.reported_at as occurred_at,
  reported_quantity as expected, quantity as found, quantity - reported_quantity as difference,
  differing.feed || ' reported another balance than the entries up to then'
    || case
      when caused.cause is null then ': a record between the last one and that moment is missing, or one is wrong.'
      else '; this follows from ' || caused.cause || '.'
    end as explanation,
  cast(to_json([coalesce(last_id, '')]) as varchar) as evidence, differing.feed as culprit
from differing
left join caused
  on caused.account = differing.account and caused.feed = differing.feed and caused.ledger = differing.ledger
  and caused.coin = differing.coin
