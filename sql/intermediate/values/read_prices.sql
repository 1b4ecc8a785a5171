-- Prices included in answers about the present: the mark price of an open position in a perpetual contract, which prices its base
-- coin in its quote coin, and the price that the risk rate of institutional lending gives a margin coin, in USDT. Each is valid
-- from the moment for which the answer was true, on the clock of the records.
-- grain: one row per coin, currency, priced_at and source
-- keys:  coin, currency, priced_at, source unique
with
contracts as (
  select symbol, upper_case(min(contracts.base_coin)) as base_coin, upper_case(min(contracts.quote_coin)) as quote_coin
  from main.contracts
  where lower_case(symbol_type) = 'perpetual'
  group by symbol
),
marks as (
  select contracts.base_coin as coin, contracts.quote_coin as currency, times.read_at as priced_at,
    positions.mark_price as price, 'marks' as source, positions.page_id as page_id, positions.page_row as page_row
  from landing.positions as positions
  join staging.reading_times as times on times.page_id = positions.page_id
  join contracts on contracts.symbol = positions.symbol
),
-- What one answer reported is the content of a published record, which may be older than the answer.
contents as (
  select account, balance_info, min(ltv.page_id) as page_id, min_by(ltv.page_row, (ltv.page_id, ltv.page_row)) as page_row
  from main.ltv
  group by account, balance_info
),
lending as (
  select upper_case(held.coin) as coin, 'USDT' as currency, times.read_at as priced_at, held.price as price, 'ltv' as source,
    received.page_id as page_id, received.page_row as page_row
  from landing.ltv as received
  join staging.reading_times as times on times.page_id = received.page_id
  join contents on contents.account = received.account and contents.balance_info = received.balance_info
  join main.ltv_balances as held on held.page_id = contents.page_id and held.page_row = contents.page_row
),
together as (
  select * from marks
  union all
  select * from lending
)
-- Several accounts may be asked at one moment: the first answer is used.
select coin, currency, priced_at, source, min_by(together.price, (together.page_id, together.page_row)) as price,
  min(together.page_id) as page_id, min_by(together.page_row, (together.page_id, together.page_row)) as page_row
from together
where together.price > 0 and coin <> currency
group by coin, currency, priced_at, source
