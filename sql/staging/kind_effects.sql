-- What each kind of entry does: its counter account in double entry, and its effect on lots. The user's row wins.
-- grain: one row per kind
with
ranked as (
  select kind, counter_account, effect, row_number() over (partition by kind order by precedence) as choice
  from staging.kinds
)
select kind, counter_account, effect from ranked where choice = 1
