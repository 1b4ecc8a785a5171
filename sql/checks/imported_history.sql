-- Imported history of an account that the venue also reports ends where the account's books begin: what it holds then is in the
-- account's opening balances, or arrives later from a wallet that no feed reports.
-- Lots that all accounts hold together do not show this; there, it is what was moved less what was carried over.
-- Rows that the venue's records also report are counted once and are a notice. A trade that matches no record, from a time for
-- which the records cover every wallet, either is reported differently by the venue or was not made by this account: its gain is
-- counted in addition to theirs.
-- needs: lots, lot_matching
-- grain: one row per account and coin with more than that, one per account and coin with such rows, and one with such trades
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
    || 'balances nor a later arrival accounts for it. It is in no balance. Correct the import, or its account or time.'
    as explanation,
  cast(to_json(ids) as varchar) as evidence, '' as culprit
from left_over
union all
-- Rows that the venue also reports are counted once, as the venue reports them.
select 'notice', account, null, coin, null, 0, count(*), count(*),
  'In ' || account || ', '
    || counted(count(*), 'imported row of ' || coin || ' repeats', 'imported rows of ' || coin || ' repeat')
    || ' the venue''s own records: the same quantity in the same minute. Each is counted once, as the venue reports it.',
  cast(to_json(first_of(ordered_list(id, id), 10)) as varchar), 'twins'
from staging.imported_twins
group by account, coin
union all
select 'warning', account, null, coin, min(occurred_at), 0, count(*), count(*),
  'In ' || account || ', ' || counted(count(*), 'imported row of ' || coin || ' is', 'imported rows of ' || coin || ' are')
    || ' from a time that the venue''s own records cover, and matched by none of them: no trade of that coin and quantity '
    || 'in the same minute. If the venue has them at another time (a file in another time zone) or in several fills, their gains '
    || 'are counted twice. Withdraw the import (`tieout import --undo`) and import only what is older than '
    || substr(time_text(min(begins_at)), 1, 16) || ' (UTC), or import it with times and fills as the venue has them.',
  cast(to_json(first_of(ordered_list(id, id), 10)) as varchar), 'untold'
from untold
group by account, coin
