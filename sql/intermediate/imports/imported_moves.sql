-- Every coin that an imported row moves: the asset, the coin that it is paid with or sold for, and the fee. Money moves no lots;
-- and what a record of the venue moves is not moved again, nor is the fee on that record.
-- grain: one row per place and leg
with
sides as (
  select rows.place, 1 as leg, rows.id, rows.book_account, rows.occurred_at, rows.type,
    asset as coin,
    case when type in ('sell', 'gift_out', 'transfer_out') then -quantity else quantity end as amount
  from staging.imported_rows as rows
  where not is_asset_money and rows.place not in (select place from staging.imported_counterparts)
  union all
  select place, 2, id, book_account, occurred_at, type, currency,
    case when type = 'buy' then -total else total end
  from staging.imported_rows
  where type in ('buy', 'sell') and total > 0 and not is_total_money
  union all
  select rows.place, 3, rows.id, rows.book_account, rows.occurred_at, rows.type,
    rows.fee_currency, -rows.fee
  from staging.imported_rows as rows
  left join staging.imported_transfers as transfers on transfers.place = rows.place
  where rows.fee <> 0 and not rows.is_fee_money and not coalesce(transfers.is_fee_within, false)
    and rows.place not in (select place from staging.imported_counterparts)
)
select place, leg, id, book_account, occurred_at, type, coin, amount from sides
