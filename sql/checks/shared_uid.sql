-- No account of the venue is in the books under two names, as can happen after a renaming in the configuration: what was read
-- under both is counted twice in every sum over accounts.
-- grain: one row per name after the first
with
first_pages as (
  select account, min(page_id) as first_page from main.entries where page_id is not null group by account
),
named as (
  select accounts.uid as uid, accounts.account as account, first_pages.first_page as first_page
  from main.accounts as accounts
  join first_pages on first_pages.account = accounts.account
  where accounts.uid is not null
),
firsts as (
  select uid, min_by(named.account, first_page) as account from named group by uid
)
select 'warning' as severity, named.account as account, cast(null as varchar) as ledger,
  cast(null as varchar) as coin, null_time() as occurred_at, cast(null as decimal(38, 18)) as expected,
  cast(null as decimal(38, 18)) as found, cast(null as decimal(38, 18)) as difference,
  named.account || ' is the same account as ' || firsts.account || ' (uid ' || named.uid
    || '): what was read under both names is counted twice. Name it ' || firsts.account
    || ' in the configuration, then erase the second reading: `tieout erase --account ' || named.account
    || '` shows it, `--yes` erases it.' as explanation,
  cast(to_json([firsts.account, named.account]) as varchar) as evidence, firsts.account as culprit
from named
join firsts on firsts.uid = named.uid
where firsts.account <> named.account
