-- What records themselves state as the cost or proceeds of a coin, fees included, in the currency that they name: totals of
-- imported rows whose fee is in that currency too, opening lots, and the money of P2P deals. In books of that currency it is used
-- as stated, without a price. stated_fees are the fees of a sale or a gift that its value is net of. Reports in another currency run this same text, over published tables only.
-- grain: one row per id and coin
with
imported as (
  select id, asset, currency, case when type in ('sell', 'gift_out') then total - fee else total + fee end as net_total,
    case when type in ('sell', 'gift_out') then fee else cast(0 as decimal(38, 18)) end as fees
  from main.imported_trades
  where total is not null and currency is not null and type not in ('transfer_in', 'transfer_out')
    and (fee = 0 or fee_currency = currency)
)
select id, asset as coin, currency, net_total as stated_value, fees as stated_fees from imported
union all
select id, asset, currency, basis, cast(0 as decimal(38, 18)) from main.imported_lots where basis is not null and currency is not null
union all
select entry_id, coin, fiat, fiat_amount, cast(0 as decimal(38, 18)) from main.p2p_trades where fiat is not null and fiat_amount is not null
