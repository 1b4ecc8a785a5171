-- What came in or went out without a trade: funding, interest, and what the venue gives.
-- grain: one row per entry
-- columns:
--   entry_id: Entry.
--   account: Account.
--   ledger: Wallet.
--   product_line: Business type.
--   kind: funding, interest or reward.
--   coin: Coin.
--   amount: Signed amount in units of the coin; negative when paid.
--   symbol: Futures contract; null elsewhere.
--   occurred_at: When it happened.
select entry_id, account, ledger, product_line, kind, coin, amount, symbol, occurred_at
from main.entries
where kind in ('funding', 'interest', 'reward')
