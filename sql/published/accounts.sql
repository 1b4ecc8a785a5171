-- The accounts of the books, with what the venue last reported about each. An account may also be known only from the
-- configuration or from an import.
-- grain: one row per account
-- keys:  account unique
-- columns:
--   account: Name of the account in the configuration, or in the import.
--   venue: Name of the venue; null if the venue has not reported the account, as for one known only from imports.
--   uid: The venue's own number for the account; null if neither the venue nor the configuration gives it.
--   kind: unified, classic or unknown; imported if the account is known only from imports.
--   account_mode: Account mode as the venue sends it; null for a classic account.
with
landed as (
  select account, venue, uid, kind, account_mode,
    row_number() over (partition by account order by page_id desc) as newest
  from landing.accounts
),
latest as (select * from landed where newest = 1),
named as (select account, uid from staging.account_choices),
known as (
  select
    coalesce(latest.account, named.account) as account,
    latest.venue as venue,
    coalesce(latest.uid, named.uid) as uid,
    coalesce(latest.kind, 'unknown') as kind,
    latest.account_mode as account_mode
  from latest
  full join named on named.account = latest.account
),
imported as (
  select account from main.imported_trades
  union
  select account from main.imported_lots
),
final as (
  select account, venue, uid, kind, account_mode from known
  union all
  select account, cast(null as varchar), cast(null as varchar), 'imported', cast(null as varchar)
  from imported
  where account not in (select account from known)
)
select * from final
