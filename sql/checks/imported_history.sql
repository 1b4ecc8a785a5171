-- Imported history of an account that the venue reports too ends where the account's books begin: what it holds then
-- is in its opening balances, or arrives later from a wallet that no feed reports.
-- Lots that all accounts hold together do not show it: there it is what was moved, less what was handed over.
-- Rows that the venue's records report too count once, and are a notice. A trade that none of them is, of a time of which
-- they tell of every wallet, is one that the venue has otherwise, or that no account of it made: its gain is beside theirs.
-- needs: lots, lot_matching
-- grain: one row per account and coin with more than that, per account and coin with such rows, and with such trades
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
),
told_spans as (
  select begins.account as account, begins.begins_at as begins_at, ends.last_at as last_at
  from (
    select wallets.account as account, max(wallets.begins_at) as begins_at
    from main.wallet_beginnings as wallets
    group by wallets.account
  ) as begins
  join (
    select entries.account as account, max(entries.occurred_at) as last_at
    from main.entries as entries
    group by entries.account
  ) as ends on ends.account = begins.account
),
untold as (
  select rows.account as account, case when rows.is_asset_money then rows.currency else rows.asset end as coin,
    rows.id as id, rows.occurred_at as occurred_at, spans.begins_at as begins_at
  from staging.imported_rows as rows
  join told_spans as spans on spans.account = rows.account
  where rows.type in ('buy', 'sell', 'income')
    and rows.occurred_at >= spans.begins_at and rows.occurred_at <= spans.last_at
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
union all
select 'warning', account, null, coin, min(occurred_at), 0, count(*), count(*),
  'Of ' || account || ' ' || counted(count(*), 'imported row of ' || coin || ' is', 'imported rows of ' || coin || ' are')
    || ' of a time of which the venue''s own records tell, and none of these is the same: no trade of that coin and quantity '
    || 'in the same minute. If the venue has them at another time (a file in another zone) or in several fills, their gains '
    || 'count twice. Withdraw the import (`tieout import --undo`) and import only what is older than '
    || substr(time_text(min(begins_at)), 1, 16) || ' (UTC), or its times and fills as the venue has them.',
  cast(to_json(first_of(ordered_list(id, id), 10)) as varchar), 'untold'
from untold
group by account, coin
