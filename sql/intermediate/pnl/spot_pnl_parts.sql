-- What each piece of a disposal adds to the profit and loss, with the line that it belongs to. A gain that nobody knows
-- is null here and in every sum made of nothing else. Reports run this select over the disposals of their own choice.
-- needs: disposals
-- grain: one row per piece of a disposal
select account, cast(date_trunc('month', disposed_at at time zone 'UTC') as date) as month,
  'SPOT' as product_line,
  -- Coins without a common currency stay lines of their own.
  concat(coin, currency) as symbol,
  currency as coin, disposed_at, gain as realised_pnl, gain is null as is_unknown,
  disposal_id, quantity, proceeds, cost_basis
from main.disposals
