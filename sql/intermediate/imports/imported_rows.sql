-- Imported rows as input for the lots: trades, transfers, income and gifts, and opening lots as acquisitions. Money (a state
-- currency, or the currency in which gains are calculated) is distinguished from coins.
-- The rows of an account that the venue also reports happened before its books: they are kept separately as account/before, and
-- their holdings are carried over when its books begin. Rows that the venue also reports are excluded (imported_twins).
-- grain: one row per place
-- keys:  place unique; id unique
with
rows as (
  select id, occurred_at, nanos, 1 as rank, place as place_of_its_kind, account, type, asset, quantity, currency, total,
    fee, fee_currency
  from main.imported_trades
  anti join staging.imported_twins using (id)
  union all
  select id, acquired_at, nanos, 0, cast(row_number() over (order by page_id, page_row) as bigint), account, 'opening',
    asset, quantity, currency, basis,
    cast(0 as decimal(38, 18)), cast(null as varchar)
  from main.imported_lots
),
money as (
  select currency as coin from staging.fiat
  union
  select currency from staging.reporting
),
venue_accounts as (
  select account from main.entries group by account
),
guarded as (select coin from staging.sum_guard)
select row_number() over (order by occurred_at, nanos, rows.rank, place_of_its_kind) as place,
  id, occurred_at, rows.account as account,
  case when venue_accounts.account is null then rows.account else rows.account || '/before' end as book_account,
  type, asset, quantity, currency, total, fee, fee_currency,
  asset_money.coin is not null as is_asset_money,
  total_money.coin is not null as is_total_money,
  fee_money.coin is not null as is_fee_money,
  case when type in ('transfer_in', 'transfer_out') then split_part(id, ':', 1) end as transfer_id
from rows
left join venue_accounts on venue_accounts.account = rows.account
left join money as asset_money on asset_money.coin = rows.asset
left join money as total_money on total_money.coin = rows.currency
left join money as fee_money on fee_money.coin = rows.fee_currency
where asset not in (select coin from guarded)
  and coalesce(currency, '') not in (select coin from guarded)
  and coalesce(fee_currency, '') not in (select coin from guarded)
