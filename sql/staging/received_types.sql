-- The types that each feed has sent, as they were spelled.
-- grain: one row per feed and type
select distinct feed, vocabulary, type from staging.record_days
