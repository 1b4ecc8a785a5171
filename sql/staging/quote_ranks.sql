-- Quote coins by preference; the user's list takes precedence over the shipped one.
-- grain: one row per coin
with
ranked as (
  select coin, cast(quote_coins.rank as integer) + precedence * 1000 as rank,
    row_number() over (partition by coin order by precedence) as choice
  from staging.quote_coins
)
select coin, rank from ranked where choice = 1
