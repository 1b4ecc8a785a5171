-- The value of each change of a balance in the reporting currency at its time, with the sign of the change: from the fill or
-- the imported row that states it, else from a price (valuations). An amount with no stated value and no price is null, never
-- zero.
-- A P2P deal is valued at the price of its coin; what was paid for it is its value in lot_events.
-- Digits that the venue keeps but does not print are worth their share of what their record moves or, if it moves nothing, of
-- its fee.
-- grain: one row per row of entries and of imported_entries
-- keys:  entry_id, imported_id unique
-- slices: occurred_at
-- by day: staging.trade_sides, main.entries, main.valuations
-- columns:
--   entry_id: Row of entries; row of imported_entries if imported_id is given.
--   imported_id: Id of the imported row; null for an entry of the venue.
--   value: Value of the amount at its time, with its sign; null if nothing states it and no price is valid, and for a move in
--     imported_entries that states none, unless it is of the reporting currency.
--   currency: Reporting currency.
--   price_source: Source of the value: `fill` for the sides of a trade in the reporting currency, `import` for a row that states
--     it or is valued as a whole, else the source of the price for each step of the path, separated by ` > `; null for the
--     reporting currency itself, and without a value.
--   occurred_at: When it happened.
with
stated as (
  select account, received_place as place, stated_value from staging.trade_sides where stated_value is not null
  union all
  select account, paid_place, stated_value from staging.trade_sides where stated_value is not null
),
printed as (
  select entries.entry_id as entry_id, entries.account as account, entries.place as place, entries.part as part,
    entries.amount as amount, entries.occurred_at as occurred_at,
    case
      when entries.coin = reporting.currency then abs(entries.amount)
      when stated.stated_value is not null and entries.part = 'amount' then stated.stated_value
      else valuations.value
    end as size,
    case
      when entries.coin = reporting.currency then null
      when stated.stated_value is not null and entries.part = 'amount' then 'fill'
      else valuations.sources
    end as price_source,
    reporting.currency as currency
  from main.entries as entries
  cross join staging.reporting as reporting
  left join main.valuations as valuations on valuations.entry_id = entries.entry_id
  left join stated on stated.account = entries.account and stated.place = entries.place
),
-- What a record moves or, if that is nothing, its fee.
amounts as (
  select account, place, quantity, size, price_source
  from (
    select account, place, abs(amount) as quantity, size, price_source,
      row_number() over (partition by account, place order by part) as choice
    from printed
    where part in ('amount', 'fee')
      and (account, place) in (select (account, place) from main.entries where part = 'rounding')
  ) as parts
  where choice = 1
),
sizes as (
  select printed.entry_id as entry_id, printed.amount as amount, printed.currency as currency,
    printed.occurred_at as occurred_at,
    case
      when printed.size is null and printed.part = 'rounding' and amounts.size is not null
        then exact_ratio(amounts.size, abs(printed.amount), amounts.quantity)
      else printed.size
    end as size,
    case
      when printed.size is null and printed.part = 'rounding' then amounts.price_source
      else printed.price_source
    end as price_source
  from printed
  left join amounts on amounts.account = printed.account and amounts.place = printed.place
),
imported as (
  select moves.entry_id as entry_id, moves.imported_id as imported_id, moves.amount as amount,
    moves.occurred_at as occurred_at,
    case
      when moves.coin = reporting.currency then abs(moves.amount)
      when moves.entry_id = moves.imported_id || '/fee' then abs(worths.fee_value)
      else abs(worths.row_value)
    end as size,
    moves.coin = reporting.currency as is_currency, reporting.currency as currency
  from main.imported_entries as moves
  cross join staging.reporting as reporting
  left join staging.imported_rows as rows on rows.id = moves.imported_id
  left join staging.imported_values as worths on worths.place = rows.place
)
select entry_id, cast(null as varchar) as imported_id, case when amount < 0 then -size else size end as value,
  currency, case when size is not null then sizes.price_source end as price_source, occurred_at
from sizes
union all
select entry_id, imported_id, case when amount < 0 then -size else size end, currency,
  case when size is not null and not is_currency then 'import' end, occurred_at
from imported
