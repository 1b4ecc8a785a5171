-- Currencies that are money and make no lots; the user's list takes precedence over the shipped one.
-- grain: one row per currency
with
ranked as (
  select currency, is_money, row_number() over (partition by currency order by precedence) as choice
  from staging.currencies
)
select currency from ranked where choice = 1 and lower_case(is_money) = 'yes'
