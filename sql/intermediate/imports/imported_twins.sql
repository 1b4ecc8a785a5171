-- Imported purchases, sales and income that the venue also reports: a record of the same account, coin and quantity within the
-- same minute, because exports truncate times; each record matches one row. The venue's record is used and the imported row is
-- not, so that what both report is counted once.
-- A row that names two coins is an exchange at the venue between these two in which either quantity matches, preferably both. A
-- row that names one coin, and otherwise its value in money, is any exchange or deal of that coin, whatever the venue has on the
-- other side. Failing that, a sale is what the venue took as a fee or as interest, and income is what it gave. Each step uses
-- what the steps before it left.
-- grain: one row per imported row that has such a record
-- keys:  id unique; entry_id unique
with
-- State currencies, then the configured one: the reporting currency otherwise follows from the trades.
monies as (
  select named.coin as coin, max(named.rank) as rank
  from (
    select currency as coin, 2 as rank from staging.fiat
    union all
    select reporting_currency, 1 from staging.settings where reporting_currency is not null
  ) as named
  group by named.coin
),
rows as (
  select imported.id as id, imported.place as place, imported.account as account, imported.type as type,
    utc_minute(imported.occurred_at) as minute, imported.asset as asset,
    case when imported.type = 'sell' then -imported.quantity else imported.quantity end as asset_change,
    case when imported.type <> 'income' and imported.total > 0 then imported.currency end as paid_in,
    case when imported.type = 'buy' then -imported.total else imported.total end as paid_change,
    coalesce(asset_money.rank, 0) as asset_rank, coalesce(total_money.rank, 0) as total_rank
  from main.imported_trades as imported
  left join monies as asset_money on asset_money.coin = imported.asset
  left join monies as total_money on total_money.coin = imported.currency
  where imported.type in ('buy', 'sell', 'income')
),
-- Both sides of a row, each with the other one.
sides as (
  select id, place, account, minute, asset as coin, asset_change as amount, paid_in as other_coin,
    paid_change as other_amount
  from rows
  where paid_in is not null
  union all
  select id, place, account, minute, paid_in, paid_change, asset, asset_change from rows where paid_in is not null
),
-- The side that is not money, and whether it is the only one.
chosen_sides as (
  select id, place, account, type, minute,
    case when paid_in is not null and total_rank < asset_rank then paid_in else asset end as coin,
    case when paid_in is not null and total_rank < asset_rank then paid_change else asset_change end as amount,
    paid_in is null or asset_rank > 0 or total_rank > 0 as is_alone
  from rows
),
whole_rows as (
  select id, account, minute, coin, amount, other_coin, other_amount,
    row_number() over (
      partition by account, minute, coin, amount, other_coin, other_amount order by place
    ) as nth
  from sides
  where amount < 0
),
whole_records as (
  select entry_id, account, exchange_place, minute, coin, amount, other_coin, other_amount,
    row_number() over (
      partition by account, minute, coin, amount, other_coin, other_amount order by occurred_at, place
    ) as nth
  from staging.twin_records
  where is_exchange and amount < 0 and other_coin is not null and other_amount is not null
),
whole_pairs as (
  select whole_rows.id as id, records.entry_id as entry_id, records.account as account,
    records.exchange_place as exchange_place
  from whole_rows
  join whole_records as records
    on records.account = whole_rows.account and records.minute = whole_rows.minute
    and records.coin = whole_rows.coin and records.amount = whole_rows.amount
    and records.other_coin = whole_rows.other_coin and records.other_amount = whole_rows.other_amount
    and records.nth = whole_rows.nth
),
half_rows as (
  select sides.id as id, sides.place as place, sides.account as account, sides.minute as minute, sides.coin as coin,
    sides.amount as amount, sides.other_coin as other_coin,
    row_number() over (
      partition by sides.account, sides.minute, sides.coin, sides.amount, sides.other_coin order by sides.place
    ) as nth
  from sides
  anti join whole_pairs as told on told.id = sides.id
),
half_records as (
  select records.entry_id as entry_id, records.account as account, records.exchange_place as exchange_place,
    records.minute as minute, records.coin as coin, records.amount as amount, records.other_coin as other_coin,
    row_number() over (
      partition by records.account, records.minute, records.coin, records.amount, records.other_coin
      order by records.occurred_at, records.place
    ) as nth
  from staging.twin_records as records
  anti join whole_pairs as told
    on told.account = records.account and told.exchange_place = records.exchange_place
  where records.is_exchange and records.other_coin is not null
),
-- One leg of a trade may match one row, and the other leg another.
half_choices as (
  select half_rows.id as id, records.entry_id as entry_id, records.account as account,
    records.exchange_place as exchange_place,
    row_number() over (partition by half_rows.id order by half_rows.amount, records.exchange_place) as choice_of_row,
    row_number() over (
      partition by records.account, records.exchange_place order by half_rows.amount, half_rows.place
    ) as choice_of_exchange
  from half_rows
  join half_records as records
    on records.account = half_rows.account and records.minute = half_rows.minute and records.coin = half_rows.coin
    and records.amount = half_rows.amount and records.other_coin = half_rows.other_coin
    and records.nth = half_rows.nth
),
named_pairs as (
  select id, entry_id, account, exchange_place from whole_pairs
  union all
  select id, entry_id, account, exchange_place from half_choices where choice_of_row = 1 and choice_of_exchange = 1
),
-- For an exchange whose other side is not known, a row may name any coin. Rows of one coin take the others first.
single_rows as (
  select sides.id as id, sides.place as place, sides.account as account, sides.minute as minute, sides.coin as coin,
    sides.amount as amount, sides.is_alone as is_alone,
    row_number() over (
      partition by sides.account, sides.minute, sides.coin, sides.amount, sides.is_alone order by sides.place
    ) as nth
  from chosen_sides as sides
  anti join named_pairs as told on told.id = sides.id
  where sides.type <> 'income'
),
single_records as (
  select records.entry_id as entry_id, records.account as account, records.minute as minute, records.coin as coin,
    records.amount as amount, records.is_other_known as is_other_known,
    row_number() over (
      partition by records.account, records.minute, records.coin, records.amount, records.is_other_known
      order by records.occurred_at, records.place
    ) as nth_of_its_kind,
    row_number() over (
      partition by records.account, records.minute, records.coin, records.amount
      order by records.is_other_known desc, records.occurred_at desc, records.place desc
    ) as nth_of_all
  from staging.twin_records as records
  anti join named_pairs as told
    on told.account = records.account and told.exchange_place = records.exchange_place
  where records.is_exchange
),
single_choices as (
  select single_rows.id as id, records.entry_id as entry_id,
    row_number() over (partition by records.entry_id order by single_rows.is_alone, single_rows.place) as choice
  from single_rows
  join single_records as records
    on records.account = single_rows.account and records.minute = single_rows.minute
    and records.coin = single_rows.coin and records.amount = single_rows.amount
  where (single_rows.is_alone and single_rows.nth = records.nth_of_all)
    or (not single_rows.is_alone and not records.is_other_known and single_rows.nth = records.nth_of_its_kind)
),
exchange_pairs as (
  select id, entry_id from named_pairs
  union all
  select id, entry_id from single_choices where choice = 1
),
lone_rows as (
  select sides.id as id, sides.account as account, sides.minute as minute, sides.coin as coin, sides.amount as amount,
    row_number() over (
      partition by sides.account, sides.minute, sides.coin, sides.amount order by sides.place
    ) as nth
  from chosen_sides as sides
  anti join exchange_pairs as told on told.id = sides.id
  where sides.is_alone and (sides.type = 'income' or sides.amount < 0)
),
lone_records as (
  select entry_id, account, minute, coin, amount,
    row_number() over (partition by account, minute, coin, amount order by occurred_at, place) as nth
  from staging.twin_records
  where not is_exchange
),
pairs as (
  select id, entry_id from exchange_pairs
  union all
  select lone_rows.id, records.entry_id
  from lone_rows
  join lone_records as records
    on records.account = lone_rows.account and records.minute = lone_rows.minute and records.coin = lone_rows.coin
    and records.amount = lone_rows.amount and records.nth = lone_rows.nth
)
select pairs.id as id, rows.account as account, rows.asset as coin, pairs.entry_id as entry_id
from pairs
join rows on rows.id = pairs.id
