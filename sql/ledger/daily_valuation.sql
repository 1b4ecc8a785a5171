-- What each wallet held at the end of each UTC day, and its value in the reporting currency at the newest price that was
-- still valid then. A coin without a price has no value (null), never zero.
-- grain: one row per account, ledger, coin and day on which it held or owed something
-- keys:  account, ledger, coin, day unique
-- slices: day
-- by day: main.balance_history, main.valuations
-- columns:
--   account: Account.
--   ledger: Wallet.
--   coin: Coin.
--   day: UTC day.
--   quantity: Balance at the end of the day, including borrowed coins.
--   borrowed: Loan principal that the wallet owes in this coin.
--   price: Price of one coin in the reporting currency; null if no price is valid.
--   price_source: Source of the price for each step of the path, separated by ` > `; null for the reporting currency itself, and
--     if no price is valid.
--   priced_at: Time of the oldest price on the path; null for the reporting currency itself, and if no price is valid.
--   value: quantity times price, including what is borrowed; null without a price.
--   own_value: (quantity less borrowed) times price, which is the `value` of `tieout report balances`; null without a price.
--   currency: Reporting currency.
with
valued as (
  select history.account as account, history.ledger as ledger, history.coin as coin, history.day as day,
    history.quantity as quantity, history.borrowed as borrowed,
    valuations.value as price, valuations.sources as price_source, valuations.priced_at as priced_at,
    valuations.currency as currency,
    case when valuations.value = 1 then history.quantity else exact_multiply(history.quantity, valuations.value) end
      as value
  from main.balance_history as history
  join main.valuations as valuations
    on valuations.entry_id = 'day/' || history.coin || '/' || cast(history.day as varchar)
  where history.quantity <> 0 or history.borrowed <> 0
)
select account, ledger, coin, day, quantity, borrowed, price, price_source, priced_at, value,
  case when borrowed = 0 then value else exact_multiply(quantity - borrowed, price) end as own_value, currency
from valued
