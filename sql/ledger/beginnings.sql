-- The time from which the books know everything that happened to a coin in an account: where the venue's records begin, or
-- earlier if imported trades account for everything held then. An imported opening lot states a cost but no history.
-- grain: one row per account and coin
-- keys:  account, coin unique
-- columns:
--   account: Account.
--   coin: Coin.
--   begins_at: Time from which the history is complete; null if only opening lots are known.
--   source: venue or import.
--   last_at: For an account known only from imports, the time of the last row that moves the coin; null if the venue reports
--     the account, or if only opening lots are known. Of money, only rows that bring or take it as their asset count, here and in
--     begins_at; money that is merely paid or received in trades has no row.
--   opening: Quantity held then whose history is unknown, in units of the coin.
with
venue as (
  select days.account as account, coalesce(any_value(starts.settled_at), min(days.first_at)) as begins_at
  from staging.entry_days as days
  left join staging.book_starts as starts on starts.account = days.account
  group by days.account
),
handed as (
  select entries.account as account, entries.coin as coin, sum(entries.amount) as opening,
    sum(coalesce(carried.quantity_taken, 0)) as taken
  from main.entries as entries
  left join staging.basis_carry_overs as carried on carried.entry_id = entries.entry_id
  where entries.part = 'opening'
  group by entries.account, entries.coin
),
imported as (
  select moves.book_account as book_account, moves.coin as coin,
    min(case when rows.type <> 'opening' then moves.occurred_at end) as first_at,
    max(case when rows.type <> 'opening' then moves.occurred_at end) as last_at,
    sum(case when rows.type = 'opening' then moves.amount else 0 end) as opening
  from (
    select place, book_account, coin, occurred_at, amount from staging.imported_moves
    union all
    -- Money is not a lot, but the rows that bring it are also evidence of their account's history.
    select place, book_account, asset, occurred_at, quantity
    from staging.imported_rows
    where is_asset_money and book_account = account
  ) as moves
  join staging.imported_rows as rows on rows.place = moves.place
  group by moves.book_account, moves.coin
),
reported_by_venue as (
  select distinct account, coin from staging.entry_days
),
coins as (
  select account, coin from reported_by_venue
  union
  select venue.account, imported.coin
  from imported join venue on venue.account || '/before' = imported.book_account
)
select coins.account as account, coins.coin as coin,
  case
    when imported.first_at < venue.begins_at and coalesce(handed.opening, 0) <= coalesce(handed.taken, 0)
    then imported.first_at
    else venue.begins_at
  end as begins_at,
  case
    when imported.first_at < venue.begins_at and coalesce(handed.opening, 0) <= coalesce(handed.taken, 0)
    then 'import'
    else 'venue'
  end as source,
  null_time() as last_at,
  greatest(coalesce(handed.opening, 0) - case when imported.first_at is null then 0 else coalesce(handed.taken, 0) end, 0)
    as opening
from coins
join venue on venue.account = coins.account
left join handed on handed.account = coins.account and handed.coin = coins.coin
left join imported on imported.book_account = coins.account || '/before' and imported.coin = coins.coin
union all
select book_account, coin, first_at, 'import', last_at, opening
from imported
where not ends_with(book_account, '/before')
