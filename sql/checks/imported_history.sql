-- Imported history of an account that the venue reports too ends where the account's books begin: what it holds then
-- is in its opening balances, or arrives later from a wallet that no feed reports.
-- Lots that all accounts hold together do not show it: there it is what was moved, less what was handed over.
-- Rows that the venue's records report too count once, and are a notice.
-- needs: lots, lot_matching
-- grain: one row per account and coin with more than that, and per account and coin with such rows
with
matching as (select scope like '%universal' as is_held_together from main.lot_matching),
left_lots as (
  select account, coin, sum(quantity_left) as quantity, first_of(ordered_list(lot_id, lot_id), 10) as ids
  from main.lots
  where account like '%/before'
  group by account, coin
),
left_moves as (
  select account, coin, sum(amount) as quantity, [] as ids
  from (
    select book_account as account, coin, amount from staging.imported_moves
    union all
    select account || '/before', coin, -quantity_taken from staging.basis_carry_overs
  ) as moves
  where account like '%/before'
  group by account, coin
  having sum(amount) > 0
),
left_over as (
  select replace(parts.account, '/before', '') as account, coin, quantity, ids
  from (
    select left_lots.account as account, left_lots.coin as coin, left_lots.quantity as quantity, left_lots.ids as ids
    from left_lots
    cross join matching
    where not is_held_together
    union all
    select left_moves.account, left_moves.coin, left_moves.quantity, left_moves.ids
    from left_moves
    cross join matching
    where is_held_together
  ) as parts
)
select 'warning' as severity, account, cast(null as varchar) as ledger, coin, null_time() as occurred_at,
  cast(0 as decimal(38, 18)) as expected, quantity as found, quantity as difference,
  'Imported history reports ' || coin || ' in ' || account || ' that the venue never reported: neither its opening '
    || 'balances nor an arrival from elsewhere has it. It counts in no balance; correct the import, or its account or time.'
    as explanation,
  cast(to_json(ids) as varchar) as evidence, '' as culprit
from left_over
union all
-- What the venue tells of too counts once, as the venue has it.
select 'notice', account, null, coin, null, 0, count(*), count(*),
  'Of ' || account || ' '
    || counted(count(*), 'imported row of ' || coin || ' reports', 'imported rows of ' || coin || ' report')
    || ' what the venue''s own records report: the same quantity in the same minute. Each counts once, as the venue has it.',
  cast(to_json(first_of(ordered_list(id, id), 10)) as varchar), 'twins'
from staging.imported_twins
group by account, coin
