-- What came in or went out without a trade: funding, interest, what the venue gives and takes, profit shared in copy
-- trading, and imported income.
-- grain: one row per entry, or imported row of income
-- keys:  entry_id unique, an entry of entries or an imported row
-- columns:
--   entry_id: Entry, or id of the imported row.
--   account: Account.
--   ledger: Wallet; null for an import.
--   product_line: Business type; null for an import.
--   kind: funding, interest, reward, profit_share or adjustment; income for an import.
--   coin: Coin.
--   amount: Signed amount in units of the coin; negative when paid.
--   symbol: Futures contract; null elsewhere.
--   occurred_at: When it happened.
select entry_id, account, ledger, product_line, kind, coin, amount, symbol, occurred_at
from main.entries
where kind in ('funding', 'interest', 'reward', 'profit_share', 'adjustment')
union all
select id, account, cast(null as varchar), cast(null as varchar), 'income', asset, quantity,
  cast(null as varchar), occurred_at
from main.imported_trades
where type = 'income'
