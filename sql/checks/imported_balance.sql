-- A coin of an account known only from imports never falls below zero. If it does, no file contains its acquisition; until that
-- is imported the balance is too low, and lots that all accounts hold together give the sale the cost of coins held elsewhere.
-- Everything at one moment is taken together, whichever row comes first. For money it is a notice, because purchases may have
-- been paid from elsewhere, and likewise for a coin that rows pay with and never bring or take. Money that no row brings or
-- takes without a trade has no balance (docs/imports.md). What the account's own lots are short of is reported by
-- unknown_basis.
-- needs: unknown_basis
-- grain: one row per account and coin
with
-- As in imported_rows: state currencies, and the one in which gains are calculated.
money as (
  select currency as coin from staging.fiat
  union
  select currency from staging.reporting
),
moments as (
  select account, ledger, coin, occurred_at, sum(amount) as change, min(imported_id) as first_id,
    count(case when ends_with(entry_id, '/asset') then 1 end) as own_rows
  from main.imported_entries
  group by account, ledger, coin, occurred_at
),
balances as (
  select account, ledger, coin, occurred_at, first_id,
    sum(own_rows) over (partition by account, ledger, coin) as all_own_rows,
    sum(moments.change) over (
      partition by account, ledger, coin order by occurred_at rows between unbounded preceding and current row
    ) as held
  from moments
),
below as (
  select account, ledger, coin, min(held) as lowest, min(balances.occurred_at) as below_at,
    min_by(first_id, balances.occurred_at) as below_id, max(all_own_rows) as own_rows
  from balances
  where held < 0
  group by account, ledger, coin
)
select case when money.coin is null and own_rows > 0 then 'warning' else 'notice' end as severity,
  below.account as account, below.ledger as ledger, below.coin as coin, below.below_at as occurred_at,
  cast(0 as decimal(38, 18)) as expected, lowest as found, lowest as difference,
  'More ' || below.coin || ' has left ' || below.account || ' than the imports bring in: since '
    || substr(time_text(below.below_at), 1, 10) || ' its balance has been negative, by up to '
    || rtrim(rtrim(amount_text(-lowest), '0'), '.') || '. '
    || case
      when money.coin is null and own_rows > 0
        then 'Import what is missing: the purchase or incoming transfer leg (`tieout import trades`), or what was held '
          || 'before (`tieout import lots`).'
      else 'Import the missing deposits (`tieout import trades`); if purchases were paid from elsewhere, for example by card, '
        || 'only this balance is wrong.'
    end as explanation,
  cast(to_json([below_id]) as varchar) as evidence, '' as culprit
from below
left join money on money.coin = below.coin
left join (
  select account, coin from main.unknown_basis where quantity > 0 group by account, coin
) as told on told.account = below.account and told.coin = below.coin
where told.account is null
