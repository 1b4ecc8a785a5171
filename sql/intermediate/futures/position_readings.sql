-- Open positions as they were read, with how far the records of their futures are known. A reading can be compared with the
-- records if nothing of the contract can lie between the two. Either the records are complete for a minute beyond it and none
-- lies within a minute of it, or they end before it and the position shows that nothing was filled since (uTime). Funding does
-- not change a position, so in the second case no full hour, at which funding is settled, may lie in between or five minutes
-- before.
-- The newest readings are enough: the last one that can be compared is rarely older than the night before.
-- grain: one row per page and row of 4.12
with
recent as (
  select page_id, read_at
  from (
    select page_id, read_at,
      row_number() over (partition by account, partition order by read_at desc, page_id desc) as nth
    from staging.reading_times
    where feed = 'futures.positions'
  ) as numbered
  where nth <= 7
),
readings as (
  select positions.account as account, positions.partition as line, positions.symbol as symbol,
    positions.margin_coin as coin,
    lower_case(positions.hold_side) as hold_side, lower_case(positions.pos_mode) as pos_mode,
    positions.c_time as opened_at, positions.u_time as changed_at, positions.achieved_profits as achieved_profits,
    coalesce(positions.total_fee, 0) as funding, positions.deducted_fee as fees, positions.total as total,
    positions.page_id as page_id, positions.page_row as page_row, times.read_at as read_at
  from landing.positions as positions
  join recent as times on times.page_id = positions.page_id
  where positions.c_time is not null
),
books_of_record as (
  select readings.page_id as page_id, readings.page_row as page_row, ranges.ends_at as ends_at
  from readings
  join staging.covered_ranges as ranges
    on ranges.account = readings.account and ranges.partition = readings.line
    and readings.opened_at - interval 1 minute between ranges.starts_at and ranges.ends_at
  left join staging.tax_books as books on books.account = readings.account
  where ranges.feed = case when books.account is null then 'tax.futuresRecords' else 'tax.records' end
),
-- Only the futures feed has the symbols of a unified account.
second_readings as (
  select readings.page_id as page_id, readings.page_row as page_row, ranges.ends_at as ends_at
  from readings
  join staging.covered_ranges as ranges
    on ranges.account = readings.account and ranges.partition = readings.line and ranges.feed = 'tax.futuresRecords'
    and readings.opened_at - interval 1 minute between ranges.starts_at and ranges.ends_at
),
known as (
  select readings.account as account, readings.line as line, readings.symbol as symbol, readings.coin as coin,
    readings.hold_side as hold_side, readings.pos_mode as pos_mode, readings.opened_at as opened_at,
    readings.changed_at as changed_at, readings.achieved_profits as achieved_profits, readings.funding as funding,
    readings.fees as fees, readings.total as total, readings.page_id as page_id, readings.page_row as page_row,
    readings.read_at as read_at, least(books_of_record.ends_at, second_readings.ends_at) as known_until
  from readings
  join books_of_record
    on books_of_record.page_id = readings.page_id and books_of_record.page_row = readings.page_row
  join second_readings on second_readings.page_id = readings.page_id and second_readings.page_row = readings.page_row
),
judged as (
  select known.*, known_until >= read_at + interval 1 minute as is_known_beyond,
    utc_hour(known_until - interval 5 minute)
      = utc_hour(read_at + interval 1 minute) as is_same_hour
  from known
)
select account, line, symbol, coin, hold_side, pos_mode, opened_at, changed_at, achieved_profits, funding, fees, total,
  page_id, page_row, read_at, known_until,
  least(read_at, known_until) as compared_at,
  is_known_beyond or is_same_hour as is_funding_comparable
from judged
where is_known_beyond or changed_at <= known_until
