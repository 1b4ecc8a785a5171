-- What imported rows do to lots, in the columns of lot_events: the asset, the coin on the other side of a coin-to-coin trade, and
-- a fee in a coin, which is a disposal of that coin at its value then or, if negative, an acquisition. Fees of a trade join the
-- basis of what was bought and reduce the proceeds of what was sold. value_given is the same with the fee of a coin-to-coin
-- purchase attributed to what was paid, and value_shared with half of that of any coin-to-coin trade attributed to either side
-- (lot_events); value_before_fees is that of a disposal without its fees, and is_kept_back marks a fee in the coin that such a trade brings. Also
-- included: what imported history carries over to the books of its account, as a move out of account/before that carries basis
-- and date along.
-- Places are below zero, so that at equal times imported rows come before the venue's.
-- grain: one row per part of an imported row, and per leg of what is carried over
-- keys:  coin, happened_at, place and account unique
with
last_row as (select coalesce(max(imported_rows.place), 0) as place from staging.imported_rows),
moves as (
  select moves.place as place, moves.leg as leg, moves.id as id, moves.book_account as book_account,
    moves.occurred_at as occurred_at, moves.type as type, transfers.pair_id as pair_id,
    moves.coin as coin, moves.amount as amount, rows.is_asset_money as is_asset_money,
    imported.row_value as row_value, imported.fee_value as fee_value, imported.network_value as network_value,
    stated.stated_value as stated_value,
    moves.type = 'buy' and rows.total > 0 and not rows.is_total_money and not rows.is_asset_money
      and reporting_money.currency is not null as is_of_coins,
    moves.type in ('buy', 'sell') and moves.leg <> 3 and rows.total > 0 and not rows.is_total_money
      and not rows.is_asset_money and reporting_money.currency is not null as is_shared,
    exact_ratio(imported.fee_value, cast(1 as decimal(38, 18)), cast(2 as decimal(38, 18))) as half_fee,
    moves.leg = 3 and moves.amount < 0 and rows.total > 0 and not rows.is_total_money and not rows.is_asset_money
      and reporting_money.currency is not null
      and moves.coin = case moves.type when 'buy' then rows.asset when 'sell' then rows.currency end as is_kept_back
  from staging.imported_moves as moves
  join staging.imported_rows as rows on rows.place = moves.place
  join staging.imported_values as imported on imported.place = moves.place
  cross join staging.reporting as reporting
  left join staging.fiat as reporting_money on reporting_money.currency = reporting.currency
  left join staging.imported_transfers as transfers on transfers.place = moves.place
  left join staging.stated_values as stated
    on stated.id = moves.id and stated.coin = moves.coin and stated.currency = reporting.currency
),
-- The fee belongs to the asset or, if that is money, to the coin on the other side.
valued as (
  select moves.*,
    case
      when leg = 3 then abs(fee_value)
      when leg = 1 and stated_value is not null then stated_value
      when type = 'transfer_out' then network_value
      when type = 'transfer_in' then null
      when leg = 2 and not is_asset_money then row_value
      when amount > 0 then row_value + fee_value
      else row_value - fee_value
    end as value,
    case
      when leg = 1 and pair_id is not null then type
      when amount > 0 then 'acquire'
      when leg = 1 and type = 'gift_out' then 'give'
      else 'dispose'
    end as kind
  from moves
),
handed_over as (
  select basis_carry_overs.entry_id, basis_carry_overs.account, basis_carry_overs.coin, basis_carry_overs.occurred_at, basis_carry_overs.quantity_taken,
    -- What was held before comes before what its first record brings.
    basis_carry_overs.place * 4 + case when basis_carry_overs.part = 'opening' then 0 else 1 end as place
  from staging.basis_carry_overs as basis_carry_overs
)
select book_account as account, coin, occurred_at as happened_at,
  (valued.place - last_row.place - 1) * 4 + leg as place, id as event_id, kind, abs(amount) as quantity, value,
  reporting.currency as currency,
  case when kind in ('transfer_in', 'transfer_out') then 'import/' || valued.pair_id end as transfer_id,
  case
    when not is_of_coins or leg = 3 then value
    when leg = 2 then row_value - fee_value
    else row_value
  end as value_given,
  case
    when not is_shared then value
    when amount > 0 then row_value + half_fee
    else row_value - (fee_value - half_fee)
  end as value_shared,
  coalesce(valued.is_kept_back, false) as is_kept_back,
  case when leg <> 3 and kind in ('dispose', 'give') then coalesce(row_value, value) else value end as value_before_fees
from valued
cross join last_row
cross join staging.reporting as reporting
union all
select account || '/before', coin, occurred_at, place, entry_id || '/before', 'transfer_out', quantity_taken,
  cast(null as decimal(38, 18)), reporting.currency, 'handover/' || entry_id,
  cast(null as decimal(38, 18)), cast(null as decimal(38, 18)), false, cast(null as decimal(38, 18))
from handed_over
cross join staging.reporting as reporting
union all
select account, coin, occurred_at, place, entry_id || '/handover', 'transfer_in', quantity_taken,
  cast(null as decimal(38, 18)), reporting.currency, 'handover/' || entry_id,
  cast(null as decimal(38, 18)), cast(null as decimal(38, 18)), false, cast(null as decimal(38, 18))
from handed_over
cross join staging.reporting as reporting
