-- The legs of transfers and of margin moves. Equal legs of one wallet in the same millisecond are numbered in their sequence.
-- slices: occurred_at
-- by day: main.entries
-- grain: one row per leg
-- keys:  entry_id unique
select entry_id, account, ledger, product_line, coin, kind, occurred_at, place, amount,
  row_number() over (
    partition by account, ledger, product_line, coin, kind, occurred_at, amount order by place
  ) as nth
from main.entries
where kind in ('transfer', 'margin_move') and part = 'amount'
