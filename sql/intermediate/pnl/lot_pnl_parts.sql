-- What each piece of a disposal adds to the profit and loss. A gain that nobody knows is null here and in every sum made of
-- nothing else. Reports run this select over the disposals of their own choice; whose months count is theirs to say.
-- needs: disposals
-- grain: one row per piece of a disposal
select account, disposed_at as occurred_at, 'LOTS' as product_line,
  -- Coins without a common currency stay lines of their own.
  coin as symbol, currency as coin, gain as realised_pnl, gain is null as is_unknown, disposal_id, quantity, proceeds,
  cost_basis
from main.disposals
