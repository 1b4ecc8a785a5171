-- What imported rows of accounts that imports alone tell of add to the profit and loss besides lots: fees of moves between
-- own accounts. Those of trades are in the cost or the proceeds of their lots.
-- grain: one row per imported fee of a move
with
moves as (
  select imported_id from main.imported_entries where kind = 'transfer' group by imported_id
)
select fees.account as account, fees.occurred_at as occurred_at, fees.ledger as product_line,
  cast(null as varchar) as symbol, fees.coin as coin, cast(0 as decimal(38, 18)) as realised_pnl, fees.amount as fee,
  cast(0 as decimal(38, 18)) as funding, cast(0 as decimal(38, 18)) as interest, false as is_of_futures,
  fees.entry_id as entry_id
from main.imported_entries as fees
join moves on moves.imported_id = fees.imported_id
where fees.kind = 'fee'
