-- What each kind of entry does: its counter account in double entry and its effect on lots. A row of the user's takes
-- precedence.
-- grain: one row per kind
-- keys:  kind unique
-- columns:
--   kind: Kind of an entry, such as trade or funding.
--   counter_account: Double-entry account that the counter side is posted to.
--   effect: What it does to lots: exchange, income, cost, move, debt, opening, rounding, fiat, none or unknown.
--   meaning: What it is, in one sentence.
with
ranked as (
  select kind, counter_account, effect, meaning, row_number() over (partition by kind order by precedence) as choice
  from staging.kinds
)
select kind, counter_account, effect, meaning from ranked where choice = 1
