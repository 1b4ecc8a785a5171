-- What each wallet held at the end of each UTC day, and what that was worth in the reporting currency at the newest price
-- that counted then. What has no price has no value, never zero.
-- grain: one row per account, ledger, coin and day on which it held or owed something
-- keys:  account, ledger, coin, day unique
-- columns:
--   account: Account.
--   ledger: Wallet.
--   coin: Coin.
--   day: UTC day.
--   quantity: Balance at the end of the day, borrowed or not.
--   borrowed: Of loans, the principal that the wallet owes in this coin.
--   price: Price of one coin in the reporting currency; null where none counts.
--   price_source: Source of the price of each step of the way, with ` > ` between them; null for the currency itself.
--   priced_at: Time of the oldest price on the way; null for the currency itself, and where none counts.
--   value: quantity times price: what is borrowed is in it; null without a price.
--   own_value: quantity less borrowed, times price, which is the `value` of `tieout report balances`; null without a price.
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
