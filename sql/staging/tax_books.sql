-- Accounts whose book of record is the unified tax feed: for them the futures records are only a secondary source.
-- grain: one row per account
select account from staging.record_days where feed = 'tax.records'
union
select account from landing.covered where feed = 'tax.records'
