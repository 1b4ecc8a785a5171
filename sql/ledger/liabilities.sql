-- Loan principal still owed, by wallet: the amount borrowed less the amount repaid. A wallet that repaid more than its books
-- show as borrowed owed the difference before they began. Interest is paid when it is settled and is not part of this.
-- grain: one row per account, ledger and coin that ever owed something
-- keys:  account, ledger, coin unique
-- columns:
--   account: Account.
--   ledger: Wallet in which the coins were received.
--   coin: Coin owed.
--   quantity: Principal owed, in units of the coin; zero when fully repaid.
--   owed_before: The part of the debt that must date from before the books, because more was repaid than borrowed.
--   as_of: Time of the last borrowing or repayment.
with
running as (
  select *,
    sum(amount) over (
      partition by account, ledger, coin order by place, entry_id
      rows between unbounded preceding and current row
    ) as principal
  from staging.principal_moves
)
select account, ledger, coin, sum(amount) - least(min(principal), 0) as quantity,
  -least(min(principal), 0) as owed_before, max(occurred_at) as as_of
from running
group by account, ledger, coin
