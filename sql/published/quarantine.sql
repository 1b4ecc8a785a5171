-- Received rows that were quarantined because they do not have the form given in the interface document.
-- The same row received again is counted once.
-- grain: one row per account, feed, partition, field, reason and text of the row
-- keys:  page_id, page_row: where it was first received
-- columns:
--   account: Account that the row belongs to; null for a row of an answer with prices.
--   feed: Endpoint that sent it; prices.candles or prices.ecb for a source of prices.
--   partition: Part of the feed; for prices, the pair and whether they are hourly or daily.
--   page_id: Number of the journal frame that first brought it.
--   page_row: Position of the row in that page, from 0.
--   field: Field that does not fit.
--   reason: What was expected of the field.
--   raw: The row as received, without personal data.
--   first_seen_at: When it was first received.
with
received as (
  select account, feed, partition, field, reason, raw, page_id, page_row, first_seen_at,
    row_number() over (
      partition by account, feed, partition, field, reason, raw order by page_id, page_row
    ) as observation
  from landing.quarantine
)
select account, feed, partition, page_id, page_row, field, reason, raw, first_seen_at
from received
where observation = 1
