-- What each piece of a disposal adds to the profit and loss. An unknown gain is null here, and in every sum that has no known
-- gain. Reports run this select over the disposals that they choose, and choose whose months apply.
-- needs: disposals
-- view: every row repeats a disposal
-- grain: one row per piece of a disposal
select account, disposed_at as occurred_at, 'LOTS' as product_line,
  -- Coins without a common currency have separate lines.
  coin as symbol, currency as coin, gain as realised_pnl, gain is null as is_unknown, disposal_id, quantity, proceeds,
  cost_basis
from main.disposals
