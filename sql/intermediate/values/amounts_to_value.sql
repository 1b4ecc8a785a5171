-- Amounts that need a price: entries (including opening entries, so that their worth then is known), the money paid or received
-- in P2P deals, and the parts of imported rows. Legs of a fill in the reporting currency need none, because the fill states its
-- value. One unit of each coin held at the end of a day also needs one, for the daily balances.
-- grain: one row per entry_id; for an imported row the part_id, for money of a P2P deal the entry_id with /paid, for a day's end `day/`, coin and day
-- slices: valued_at
-- by day: staging.trade_sides, main.entries, main.p2p_trades, main.balance_history
with
stated as (
  select account, received_place as place, 'amount' as part
  from staging.trade_sides
  where stated_value is not null
  union all
  select account, paid_place, 'amount' from staging.trade_sides where stated_value is not null
)
select entries.entry_id as entry_id, entries.coin as coin, abs(entries.amount) as quantity,
  entries.occurred_at as valued_at
from main.entries as entries
left join stated
  on stated.account = entries.account and stated.place = entries.place and stated.part = entries.part
where entries.part in ('amount', 'fee', 'deal', 'opening') and stated.account is null
union all
select entry_id || '/paid', fiat, fiat_amount, traded_at
from main.p2p_trades
where fiat is not null and fiat_amount is not null
union all
select part_id, coin, quantity, occurred_at from staging.imported_parts
union all
select distinct 'day/' || coin || '/' || cast(day as varchar), coin, cast(1 as decimal(38, 18)),
  day_start(plus_days(day, 1)) - interval 1 millisecond
from main.balance_history
where quantity <> 0 or borrowed <> 0
