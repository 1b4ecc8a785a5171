-- The last reading of each open position that can be compared with the futures records.
-- grain: one row per open position
with
moves as (
  select account, product_line as line, symbol, coin, occurred_at
  from main.entries
  where product_line like '%-FUTURES' and kind in ('realised_pnl', 'liquidation', 'fee', 'funding')
),
-- Readings with a record of the contract within a minute of them may or may not include it.
clear as (
  select readings.*,
    row_number() over (
      partition by readings.account, readings.line, readings.symbol, readings.coin, readings.hold_side
      order by readings.read_at desc, readings.page_id desc, readings.page_row
    ) as newest
  from staging.position_readings as readings
  where not exists (
    select 1 from moves
    where moves.account = readings.account and moves.line = readings.line and moves.coin = readings.coin
      and coalesce(moves.symbol, readings.symbol) = readings.symbol
      and moves.occurred_at > readings.compared_at - interval 1 minute
      and moves.occurred_at <= readings.compared_at + interval 1 minute
      and readings.known_until >= readings.read_at
  )
)
select * from clear where newest = 1
