-- The totals of the risk rate (4.16) are the sums of their parts. Total assets are the converted amounts of the margin coins,
-- each its quantity times its price. Total debt is what is owed, principal and interest, at the prices of the same answer (USDT
-- is taken as one), if those are reported. The rate is debt divided by assets; the document does not state this explicitly, so a
-- difference there is a notice. Each figure may have been cut off at its last decimal.
-- grain: one row per account, for its latest answer
with
latest as (
  select account, ltv, usdt_balance, unpaid_usdt_amount, page_id, page_row, last_seen_at
  from (
    select *, row_number() over (partition by account order by last_seen_at desc, page_id desc) as newest
    from main.ltv
  ) as answers
  where newest = 1
),
held as (
  select balances.account as account, upper_case(balances.coin) as coin, price, price_decimals, amount,
    converted_usdt_amount as value,
    converted_usdt_amount_decimals as value_decimals
  from main.ltv_balances as balances
  join latest on latest.page_id = balances.page_id and latest.page_row = balances.page_row
),
decimals as (
  select latest.account as account, greatest(2, coalesce(max(held.value_decimals), 2)) as value_decimals,
    greatest(2, coalesce(max(held.price_decimals), 2)) as price_decimals
  from latest
  left join held on held.account = latest.account
  group by latest.account
),
units as (
  select account,
    cast('0.' || repeat('0', least(18, value_decimals) - 1) || '1' as decimal(38, 18)) as value_unit,
    cast('0.' || repeat('0', least(18, price_decimals) - 1) || '1' as decimal(38, 18)) as price_unit
  from decimals
),
assets as (
  select held.account as account, coin, price, amount, value, value_unit, price_unit,
    exact_multiply(amount, price) as product,
    exact_multiply(abs(amount), price_unit) + value_unit as allowance
  from held
  join units on units.account = held.account
),
debts as (
  select owed.account as account, upper_case(owed.coin) as coin, unpaid_qty + coalesce(unpaid_interest, 0) as owed
  from main.ltv_debts as owed
  join latest on latest.page_id = owed.page_id and latest.page_row = owed.page_row
),
-- A coin may be listed again, for example for another account of the unit.
prices as (
  select account, coin, max(assets.price) as price, max(assets.price_unit) as price_unit
  from assets
  group by account, coin
),
priced_debts as (
  select debts.account as account, debts.coin as coin, debts.owed as owed,
    case when debts.coin = 'USDT' then cast(1 as decimal(38, 18)) else prices.price end as price,
    case when debts.coin = 'USDT' then cast(0 as decimal(38, 18)) else prices.price_unit end as price_unit
  from debts
  left join prices on prices.account = debts.account and prices.coin = debts.coin
),
asset_sums as (
  select account, sum(value) as total, sum(value_unit) + max(value_unit) as allowance,
    bool_or(value is null) as is_unknown
  from assets
  group by account
),
-- A debt that is repaid but still listed is zero at any price.
debt_sums as (
  select priced_debts.account, sum(exact_multiply(owed, coalesce(price, 0))) as total,
    sum(exact_multiply(owed, coalesce(price_unit, 0))) as price_allowance,
    bool_or(owed is null or (price is null and owed <> 0)) as is_unknown
  from priced_debts
  group by account
),
found as (
  select latest.account as account, 'assets' as figure, '' as coin, latest.usdt_balance as expected,
    coalesce(asset_sums.total, 0) as found,
    coalesce(asset_sums.allowance, units.value_unit) as allowance, 'warning' as severity, 1 as nth,
    'Total assets in USDT do not equal the sum over the margin coins.' as words
  from latest
  join units on units.account = latest.account
  left join asset_sums on asset_sums.account = latest.account
  where not coalesce(asset_sums.is_unknown, false)
  union all
  select assets.account, 'asset', assets.coin, assets.value, assets.product, assets.allowance, 'warning', 2,
    'The converted amount of a margin coin is not its quantity times its price.'
  from assets
  where assets.value is not null and assets.product is not null
  union all
  select latest.account, 'debt', '', latest.unpaid_usdt_amount, coalesce(debt_sums.total, 0),
    coalesce(debt_sums.price_allowance, 0) + units.value_unit, 'warning', 3,
    'Total debt in USDT does not equal what is owed at the prices of the same answer.'
  from latest
  join units on units.account = latest.account
  left join debt_sums on debt_sums.account = latest.account
  where not coalesce(debt_sums.is_unknown, false)
  union all
  select latest.account, 'rate', '', latest.ltv, exact_divide(latest.unpaid_usdt_amount, latest.usdt_balance),
    cast(
      case
        when length(rtrim(amount_text(latest.ltv), '0')) - position('.' in amount_text(latest.ltv)) <= 2
          then '0.01'
        else '0.' || repeat(
          '0', length(rtrim(amount_text(latest.ltv), '0')) - position('.' in amount_text(latest.ltv)) - 1
        ) || '1'
      end as decimal(38, 18)
    ),
    'notice', 4, 'The risk rate is not total debt divided by total assets.'
  from latest
  where latest.usdt_balance > 0
),
differing as (
  select found.*, found.found - found.expected as difference,
    row_number() over (partition by found.account order by found.nth, found.coin) as choice
  from found
  where abs(found.found - found.expected) >= found.allowance
),
grouped as (
  select account, max(severity) as gravest,
    max(case when choice = 1 then coin end) as first_coin,
    max(case when choice = 1 then expected end) as first_expected,
    max(case when choice = 1 then found end) as first_found,
    max(case when choice = 1 then difference end) as first_difference,
    joined_list(words || case when coin = '' then '' else ' (' || coin || ')' end, ' ', choice) as all_words
  from differing
  group by account
)
select grouped.gravest as severity, grouped.account as account, cast(null as varchar) as ledger,
  case when first_coin = '' then 'USDT' else first_coin end as coin, latest.last_seen_at as occurred_at,
  first_expected as expected, first_found as found, first_difference as difference, all_words as explanation,
  cast(to_json([cast(latest.page_id as varchar)]) as varchar) as evidence, '' as culprit
from grouped
join latest on latest.account = grouped.account
