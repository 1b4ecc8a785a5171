-- What imported rows change in the balances of an account known only from imports. An account that the venue reports has
-- its own entries, and imported history never adds to them.
-- Money is included if some of the account's rows bring or take it without a trade, as in an exchange's export. If none do,
-- nothing shows how much money the account held, and purchases are taken as paid from elsewhere.
-- grain: one row per imported row and part of it: a total and a fee in one coin are two
-- keys:  entry_id unique
-- columns:
--   entry_id: Id of the imported row and which part of it: asset, total or fee.
--   account: Account.
--   ledger: IMPORT.
--   coin: Coin or currency.
--   amount: Signed change in units of the coin.
--   kind: trade, fee, transfer, income, gift or opening.
--   occurred_at: When it happened.
--   imported_id: Id of the row in the user's file.
--   counter_account: For a move, the account of the other leg; null if no row states it.
--   counter_ledger: IMPORT if the other account is also known only from imports; null if the venue reports it, because the
--     other leg is then outside its books.
--   counter_entry_id: For a move, the entry of the other leg, in this table or, if the venue's record is that leg, in entries;
--     null if neither has it.
with
rows as (
  select imported.place as place, imported.id as id, imported.account as account, imported.occurred_at as occurred_at,
    imported.type as type, imported.asset as asset,
    imported.quantity as quantity, imported.currency as currency, imported.total as total, imported.fee as fee,
    imported.fee_currency as fee_currency,
    coalesce(transfers.is_fee_within, false) as is_fee_within,
    legs.twin_account as counter_account,
    case when legs.twin_book_account = legs.twin_account then 'IMPORT' end as counter_ledger,
    case
      when legs.twin_book_account = legs.twin_account then legs.twin_id || '/asset'
      else records.entry_id
    end as counter_entry_id
  from staging.imported_rows as imported
  left join staging.imported_legs as legs on legs.place = imported.place
  left join staging.imported_counterparts as records on records.place = legs.twin_place
  left join staging.imported_transfers as transfers on transfers.place = imported.place
  where imported.book_account = imported.account
),
parts as (
  select id, 'asset' as part, account, occurred_at, asset as coin,
    case when type in ('sell', 'gift_out', 'transfer_out') then -quantity else quantity end as amount,
    case
      when type in ('buy', 'sell') then 'trade'
      when type in ('transfer_in', 'transfer_out') then 'transfer'
      when type in ('gift_in', 'gift_out') then 'gift'
      else type
    end as kind,
    counter_account, counter_ledger, counter_entry_id
  from rows
  union all
  select id, 'total', account, occurred_at, currency, case when type = 'buy' then -total else total end, 'trade',
    cast(null as varchar), cast(null as varchar), cast(null as varchar)
  from rows
  where type in ('buy', 'sell') and total > 0
  union all
  select id, 'fee', account, occurred_at, fee_currency, -fee, 'fee', cast(null as varchar), cast(null as varchar),
    cast(null as varchar)
  from rows
  where fee <> 0 and not is_fee_within
),
-- Money that no row brings or takes other than in a trade.
uncounted as (
  select account, coin
  from parts
  where coin in (select currency from staging.fiat)
  group by account, coin
  having count(case when kind not in ('trade', 'fee') then 1 end) = 0
)
select parts.id || '/' || parts.part as entry_id, parts.account as account, 'IMPORT' as ledger, parts.coin as coin,
  parts.amount as amount, parts.kind as kind,
  parts.occurred_at as occurred_at, parts.id as imported_id, parts.counter_account as counter_account,
  parts.counter_ledger as counter_ledger, parts.counter_entry_id as counter_entry_id
from parts
anti join uncounted on uncounted.account = parts.account and uncounted.coin = parts.coin
