-- Every fee, of trades and futures and liquidations.
-- grain: one row per entry
-- keys:  entry_id unique
-- columns:
--   entry_id: Entry.
--   transaction_id: Transaction that the fee belongs to.
--   account: Account.
--   ledger: Wallet.
--   product_line: Business type.
--   coin: Coin of the fee.
--   fee: Fee in units of the coin, positive when paid and negative for a rebate.
--   symbol: Futures contract; null elsewhere.
--   occurred_at: When it happened.
select entry_id, transaction_id, account, ledger, product_line, coin, -amount as fee, symbol, occurred_at
from main.entries
where kind = 'fee'
