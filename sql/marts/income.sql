-- What came in or went out without a trade: interest, what the venue gives and takes, profit shared in copy trading, and
-- imported income. Funding is a part of the result of futures, and stands there alone (futures_pnl).
-- grain: one row per entry, or imported row of income
-- keys:  entry_id unique, an entry of entries or an imported row
-- columns:
--   entry_id: Entry, or id of the imported row.
--   account: Account.
--   ledger: Wallet; null for an import.
--   product_line: Business type; null for an import.
--   kind: interest, reward, profit_share or adjustment; income for an import.
--   coin: Coin.
--   amount: Signed amount in units of the coin; negative when paid.
--   occurred_at: When it happened.
select entry_id, account, ledger, product_line, kind, coin, amount, occurred_at
from main.entries
where kind in ('interest', 'reward', 'profit_share', 'adjustment')
union all
select id, account, cast(null as varchar), cast(null as varchar), 'income', asset, quantity,
  occurred_at
from main.imported_trades
where type = 'income'
