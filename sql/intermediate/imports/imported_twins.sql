-- Imported purchases, sales and income that the venue tells of too: a record of the same account, coin and quantity within
-- the same minute, as exports cut times off, each record of one row. The venue's record counts and the imported row
-- does not, so that what both tell of counts once.
-- grain: one row per imported row that has such a record
-- keys:  id unique; entry_id unique
with
changes as (
  select id, account, asset as coin, case when type = 'sell' then -quantity else quantity end as amount,
    case when type = 'income' then 'income' else 'trade' end as what,
    utc_minute(occurred_at) as minute,
    row_number() over (
      partition by account, asset, type, quantity, utc_minute(occurred_at) order by place
    ) as nth
  from main.imported_trades
  where type in ('buy', 'sell', 'income')
),
records as (
  select entries.entry_id as entry_id, entries.account as account, entries.coin as coin, entries.amount as amount,
    case when effects.effect = 'income' then 'income' else 'trade' end as what,
    utc_minute(entries.occurred_at) as minute,
    row_number() over (
      partition by entries.account, entries.coin, entries.amount, effects.effect is not distinct from 'income',
        utc_minute(entries.occurred_at)
      order by entries.occurred_at, entries.place
    ) as nth
  from main.entries as entries
  left join staging.kind_effects as effects on effects.kind = entries.kind
  where entries.part = 'amount' and (entries.kind = 'trade' or effects.effect = 'income')
    and exists (
      select 1 from changes
      where changes.account = entries.account and changes.coin = entries.coin and changes.amount = entries.amount
    )
)
select changes.id as id, changes.account as account, changes.coin as coin, records.entry_id as entry_id
from changes
join records
  on records.account = changes.account and records.coin = changes.coin and records.amount = changes.amount
  and records.what = changes.what and records.minute = changes.minute and records.nth = changes.nth
