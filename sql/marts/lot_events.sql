-- What the lots engine matches: every change of a coin other than the reporting currency, with its value in that
-- currency. The basis of an acquisition has its fees in it, the proceeds of a disposal have them taken off; a fee in
-- any coin is itself a disposal of that coin at its value then. Moves between own wallets carry their basis along.
-- A value that nothing tells is null, never zero. The quantities of an account and coin add up to its entries.
-- grain: one row per entry in another coin than the reporting currency
-- keys:  event_id unique
-- columns:
--   account: Account.
--   coin: Coin.
--   happened_at: When it happened.
--   place: Order among events of the same time.
--   event_id: Entry.
--   kind: acquire, dispose, transfer_in or transfer_out.
--   quantity: Quantity, without a sign.
--   value: acquire: cost with fees; dispose: proceeds after fees; null where nothing tells it.
--   currency: Reporting currency.
--   transfer_id: Ties the two legs of a move between own wallets; null elsewhere.
with
reporting as (select currency from staging.reporting),
fills as (
  select sides.account, sides.group_place, sides.received_place, sides.paid_place, sides.fee_side,
    coalesce(sides.stated_value, received_value.value, paid_value.value) as value
  from staging.trade_sides as sides
  left join main.entries as received
    on received.account = sides.account and received.place = sides.received_place
    and received.part = 'amount' and sides.stated_value is null
  left join staging.entry_values as received_value on received_value.entry_id = received.entry_id
  left join main.entries as paid
    on paid.account = sides.account and paid.place = sides.paid_place
    and paid.part = 'amount' and sides.stated_value is null
  left join staging.entry_values as paid_value on paid_value.entry_id = paid.entry_id
),
-- What the fees of a fill were worth together; a rebate counts against them. A fee without a price counts nothing.
fill_fees as (
  select legs.account, legs.group_place,
    sum(case when entries.amount < 0 then values.value else -values.value end) as fee_value
  from staging.trade_legs as legs
  join main.entries as entries
    on entries.account = legs.account and entries.place = legs.place
    and (entries.part = 'fee' or (legs.role = 'fee' and entries.part = 'amount'))
  join staging.entry_values as values on values.entry_id = entries.entry_id
  where legs.status = 'trade' and values.value is not null
  group by legs.account, legs.group_place
),
fill_sides as (
  select fills.account, received_place as place,
    value + case when fee_side = 'received' then coalesce(fee_value, 0) else 0 end as value
  from fills
  left join fill_fees
    on fill_fees.account = fills.account and fill_fees.group_place = fills.group_place
  union all
  select fills.account, paid_place,
    value - case when fee_side = 'paid' then coalesce(fee_value, 0) else 0 end
  from fills
  left join fill_fees
    on fill_fees.account = fills.account and fill_fees.group_place = fills.group_place
),
fiat_values as (
  select p2p.entry_id, p2p.fiat_amount
  from main.p2p_trades as p2p
  join reporting on reporting.currency = p2p.fiat
),
told as (
  select entries.account, entries.coin, entries.occurred_at, entries.place, entries.part, entries.entry_id,
    entries.amount, effects.effect, fill_sides.place is not null as is_fill_side, fill_sides.value as fill_value,
    values.value as own_value, fiat_values.fiat_amount, transfers.transfer_id, reporting.currency
  from main.entries as entries
  cross join reporting
  left join staging.kind_effects as effects on effects.kind = entries.kind
  left join fill_sides
    on fill_sides.account = entries.account and fill_sides.place = entries.place and entries.part = 'amount'
  left join staging.entry_values as values on values.entry_id = entries.entry_id
  left join fiat_values on fiat_values.entry_id = entries.entry_id
  left join main.transfers as transfers on transfers.entry_id = entries.entry_id
  where entries.coin <> reporting.currency
)
select account, coin, occurred_at as happened_at,
  place * 4 + case part when 'opening' then 0 when 'amount' then 1 when 'fee' then 2 else 3 end as place,
  entry_id as event_id,
  case
    when effect = 'move' and amount < 0 then 'transfer_out'
    when effect = 'move' and transfer_id is not null then 'transfer_in'
    when amount > 0 then 'acquire'
    else 'dispose'
  end as kind,
  abs(amount) as quantity,
  case
    when is_fill_side then fill_value
    when effect in ('move', 'opening', 'unknown') then null
    when effect in ('none', 'rounding') then 0
    when effect = 'fiat' then coalesce(fiat_amount, own_value)
    else own_value
  end as value,
  currency, transfer_id
from told
