-- Balances of wallets as reported by answers, where they can be compared with the entries. For a sub-account (4.13): equity less
-- the unrealised result, but not if it includes vouchers, nor if a unified account is reported as all zero, because the
-- interface document does not say that it reports those. If an account keeps a balance per business line, it is the balance of
-- the line. For a risk unit (4.16): equity of a coin over all accounts of the unit, if none of the coin is owed and no position
-- is margined in it; the interface document does not define equity more exactly.
-- grain: one row per answer, account and coin, and one per member of a risk unit
with
wallets as (
  select accounts.account as account, accounts.uid as uid, accounts.kind as kind,
    accounts.kind = 'unified' and coalesce(groupings.chain_grouping, '') <> 'per-line' as is_one_wallet
  from main.accounts as accounts
  left join main.balance_groupings as groupings on groupings.account = accounts.account
),
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
  select wallets.account as account, wallets.kind as kind, wallets.is_one_wallet as is_one_wallet,
    asset_rows.line as line, asset_rows.page_id as page_id,
    asset_rows.read_at as read_at,
    upper_case(coins.margin_coin) as coin, coins.account_equity as equity,
    coalesce(coins.unrealized_pl, 0) as unrealised,
    coalesce(coins.coupon, 0) + coalesce(coins.grant, 0) as vouchers
  from asset_rows
  join main.subaccount_asset_coins as coins
    on coins.page_id = asset_rows.content_page and coins.page_row = asset_rows.content_row
  join wallets on wallets.uid = asset_rows.user_id
),
reports_something as (
  select account, page_id from assets where equity <> 0 group by account, page_id
),
sub_readings as (
  select assets.account, assets.account as members, case when is_one_wallet then 'UNIFIED' else line end as ledger,
    line,
    coin, equity - unrealised as reported, page_id, read_at, 'futures.subaccountAssets' as feed
  from assets
  where equity is not null and vouchers = 0
    and (kind <> 'unified' or (account, page_id) in (select (account, page_id) from reports_something))
),
risk_rows as (
  select received.account as account, received.page_id as page_id, recent.read_at as read_at,
    min(contents.page_id) as content_page,
    min_by(contents.page_row, (contents.page_id, contents.page_row)) as content_row
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
  select distinct risk_rows.account as account, risk_rows.page_id as page_id, wallets.account as member
  from risk_rows
  join main.ltv_accounts as unit
    on unit.page_id = risk_rows.content_page and unit.page_row = risk_rows.content_row
  left join wallets on wallets.uid = unit.uid and wallets.is_one_wallet
),
-- A unit is not compared if it has an account that is not in the books or has several wallets, or a position in the coin.
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
)
select account, account as member, ledger, coin, reported, page_id, read_at, feed from sub_readings
union all
select account, member, 'UNIFIED', coin, reported, page_id, read_at, 'loan.ltv' from risk_readings
