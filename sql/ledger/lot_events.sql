-- The input of the lots engine: every change of a coin other than the reporting currency, with its value in that currency.
-- The cost of an acquisition includes its fees and the proceeds of a disposal are net of them; a fee paid in any coin is
-- itself a disposal of that coin at its value then. Moves between one's own wallets carry their basis along, and the
-- principal of a loan has no basis.
-- A value that nothing states is null, never zero. The quantities of an account and coin add up to its entries, plus what
-- imported rows moved. A quantity whose basis is carried over from imported history is subtracted from its entry and appears
-- as a separate move.
-- grain: one row per entry in a coin other than the reporting currency, per part of an imported row that moves such a coin (what
--   it buys, what it pays, its fee), and per leg of what is carried over
-- keys:  coin, happened_at, place, account and event_id unique
-- slices: happened_at
-- by day: main.entries, main.valuations, staging.trade_sides, staging.fill_fees, main.transfers, main.p2p_trades
-- columns:
--   account: Account; account/before for imported rows and lots of an account that the venue reports, which are kept outside its books until their basis is carried over.
--   coin: Coin.
--   happened_at: When it happened.
--   place: Position among events of the same time; what is carried over has the place of the entry that it was subtracted from.
--   event_id: Entry, or id of the imported row.
--   kind: acquire, dispose, give, transfer_in, transfer_out, borrow or repay (the principal of a loan).
--   quantity: Quantity, without a sign.
--   value: acquire: cost including fees; dispose and give: proceeds net of fees; transfer_out: what the network took of it is worth;
--     null if nothing states it. Digits that the venue does not print, and demo funds, count as zero.
--   currency: Reporting currency.
--   transfer_id: Links the two legs of a move between one's own wallets, and no other leg; for a loan, the wallet that owes it; null elsewhere.
--   value_given: The value if the fee of a coin-to-coin exchange is attributed to the coin given (rules us, from 2025 on): the
--     coin received costs its market value, and the fee reduces the proceeds of the coin given. Elsewhere, and in books whose
--     currency is a coin, the same as value; null if nothing states it.
--   value_shared: The value if the fee of a coin-to-coin exchange is divided between the two coins (rules uk): half of it is in
--     the cost of the coin received, and the rest reduces the proceeds of the coin given. Elsewhere, and in books whose
--     currency is a coin, the same as value; null if nothing states it.
--   value_before_fees: dispose and give: the proceeds before any fee of the disposal, wherever the rules attribute its fees:
--     what it is above value, value_given or value_shared are the fees that these are net of, and a rebate if it is below. Elsewhere the
--     same as value; null if nothing states it.
--   is_kept_back: Whether it is a fee that a coin-to-coin exchange deducts from the coins it brings, in books kept in a state
--     currency. Under the rules us, from 2025 on, the fee is paid out of these very coins, whatever the method.
with
reporting as (select currency from staging.reporting),
legs as (
  select entries.account as account, entries.place as place, entries.part as part, entries.entry_id as entry_id,
    entries.amount as amount, values.value as value,
    coalesce(values.rank * 10 + values.steps, 999999) as distance
  from main.entries as entries
  join main.valuations as values on values.entry_id = entries.entry_id
),
amounts as (select account, place, value, distance from legs where part = 'amount'),
-- A fill that is not in the reporting currency is worth what the coin received is worth, unless the coin paid has a price
-- from better sources, or over fewer prices.
fills as (
  select sides.account as account, sides.group_place as group_place, sides.received_place as received_place,
    sides.paid_place as paid_place, sides.fee_side as fee_side, sides.is_of_coins as is_of_coins,
    case
      when sides.stated_value is not null then sides.stated_value
      when coalesce(received.distance, 999999) <= coalesce(paid.distance, 999999) then received.value
      else paid.value
    end as value
  from staging.trade_sides as sides
  left join amounts as received
    on received.account = sides.account and received.place = sides.received_place
  left join amounts as paid on paid.account = sides.account and paid.place = sides.paid_place
),
valued_fills as (
  select fills.account as account, fills.group_place as group_place, fills.received_place as received_place,
    fills.paid_place as paid_place, fills.fee_side as fee_side, fills.is_of_coins as is_of_coins, fills.value as value,
    case when fill_fees.account is null then 0 else fill_fees.value end as fee_value,
    case
      when fill_fees.account is null then 0
      else exact_ratio(fill_fees.value, cast(1 as decimal(38, 18)), cast(2 as decimal(38, 18)))
    end as half_fee
  from fills
  left join staging.fill_fees as fill_fees
    on fill_fees.account = fills.account and fill_fees.group_place = fills.group_place
),
-- Sides carry their part so that every join is on equal columns.
fill_sides as (
  select account, received_place as place, 'amount' as part,
    valued_fills.value + case when fee_side = 'received' then fee_value else 0 end as value,
    valued_fills.value + case when fee_side = 'received' and not is_of_coins then fee_value else 0 end as value_given,
    valued_fills.value
      + case when is_of_coins then half_fee when fee_side = 'received' then fee_value else 0 end as value_shared,
    valued_fills.value + case when fee_side = 'received' then fee_value else 0 end as value_before_fees
  from valued_fills
  union all
  select account, paid_place, 'amount', value - case when fee_side = 'paid' then fee_value else 0 end,
    value - case when fee_side = 'paid' or is_of_coins then fee_value else 0 end,
    value - case when is_of_coins then fee_value - half_fee when fee_side = 'paid' then fee_value else 0 end,
    value
  from valued_fills
  union all
  select account, place, 'amount', value, value_given, value_shared, value_before_fees from staging.set_values
),
kept_back as (
  select account, received_place as place, 'fee' as part from fills where is_of_coins
  union all
  select account, place, 'fee' from staging.set_values where is_received_for_coins
),
-- Moves whose other side is in an import, and what the network charged on the way.
counterparts as (
  select counterparts.entry_id as entry_id, counterparts.transfer_id as transfer_id,
    imported.network_value as network_value
  from staging.imported_counterparts as counterparts
  join staging.imported_values as imported on imported.place = counterparts.place
),
-- The money of a P2P deal is its cost or its proceeds, at that day's rate. The market value of the coin is used only if no
-- order states how much was paid.
fiat_values as (
  select p2p.entry_id as entry_id, coalesce(stated.stated_value, paid.value) as paid_value
  from main.p2p_trades as p2p
  join main.valuations as paid on paid.entry_id = p2p.entry_id || '/paid'
  cross join reporting
  left join staging.stated_values as stated
    on stated.id = p2p.entry_id and stated.coin = p2p.coin and stated.currency = reporting.currency
),
reported as (
  select entries.account as account, entries.coin as coin, entries.occurred_at as occurred_at, entries.place as place,
    entries.part as part, entries.entry_id as entry_id,
    entries.amount as amount, effects.effect as effect, fill_sides.place is not null as is_fill_side,
    fill_sides.value as fill_value, fill_sides.value_given as fill_value_given,
    fill_sides.value_shared as fill_value_shared, fill_sides.value_before_fees as fill_value_before_fees,
    values.value as own_value, fiat_values.entry_id is not null as is_paid, fiat_values.paid_value as paid_value,
    reporting.currency as currency,
    case
      when effects.effect = 'debt' then entries.ledger
      else coalesce(transfers.transfer_id, counterparts.transfer_id)
    end as transfer_id,
    counterparts.network_value as network_value,
    coalesce(basis_carry_overs.quantity_taken, 0) as quantity_taken,
    kept_back.place is not null and entries.amount < 0 as is_kept_back
  from main.entries as entries
  cross join reporting
  left join main.kinds as effects on effects.kind = entries.kind
  left join fill_sides
    on fill_sides.account = entries.account and fill_sides.place = entries.place
    and fill_sides.part = entries.part
  left join kept_back
    on kept_back.account = entries.account and kept_back.place = entries.place and kept_back.part = entries.part
  left join main.valuations as values on values.entry_id = entries.entry_id
  left join fiat_values on fiat_values.entry_id = entries.entry_id
  left join main.transfers as transfers on transfers.entry_id = entries.entry_id
  left join counterparts on counterparts.entry_id = entries.entry_id
  left join staging.basis_carry_overs as basis_carry_overs on basis_carry_overs.entry_id = entries.entry_id
  where entries.coin <> reporting.currency
),
valued as (
  select reported.*,
    case
      when is_fill_side then fill_value
      when effect = 'move' then network_value
      when effect in ('opening', 'unknown', 'debt') then null
      when effect in ('none', 'rounding') then 0
      when effect = 'fiat' and is_paid then paid_value
      else own_value
    end as value
  from reported
  where abs(amount) > quantity_taken
)
select account, coin, occurred_at as happened_at,
  -- What a deal sells arrived before it, and what it buys leaves after it.
  valued.place * 4 + case
    when part = 'opening' or (part = 'deal' and amount > 0) then 0
    when part = 'amount' then 1
    when part = 'fee' then 2
    else 3
  end as place,
  entry_id as event_id,
  case
    when effect = 'move' and amount < 0 then 'transfer_out'
    when effect = 'move' and transfer_id is not null then 'transfer_in'
    when effect = 'debt' then case when amount > 0 then 'borrow' else 'repay' end
    when amount > 0 then 'acquire'
    else 'dispose'
  end as kind,
  abs(amount) - quantity_taken as quantity, value, currency, transfer_id,
  case when is_fill_side then fill_value_given else value end as value_given,
  case when is_fill_side then fill_value_shared else value end as value_shared, is_kept_back,
  case when is_fill_side then fill_value_before_fees else value end as value_before_fees
from valued
union all
select account, coin, happened_at, place, event_id, kind, quantity, value, currency, transfer_id, value_given,
  value_shared, is_kept_back, value_before_fees
from staging.imported_lot_events
