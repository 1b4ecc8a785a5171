-- The basis that imported history of an account carries over to its books: opening balances, and coins that came from a wallet
-- that no feed reports, or in a split or merger, take over what the imported rows of that account hold by then, oldest arrival
-- first. Coins that both the venue and an import report are thus counted once, with the time and cost that the import knows.
-- grain: one row per entry that takes anything over
with
arrivals as (
  select entries.entry_id as entry_id, entries.account as account, entries.coin as coin,
    entries.occurred_at as occurred_at, entries.place as place, entries.part as part,
    entries.amount as quantity,
    sum(entries.amount) over (
      partition by entries.account, entries.coin
      order by entries.occurred_at, entries.place, entries.part <> 'opening', entries.part
      rows between unbounded preceding and current row
    ) as arrived,
    row_number() over (
      partition by entries.account, entries.coin
      order by entries.occurred_at, entries.place, entries.part <> 'opening', entries.part
    ) as nth
  from main.entries as entries
  left join main.kinds as effects on effects.kind = entries.kind
  left join main.transfers as transfers on transfers.entry_id = entries.entry_id
  where entries.amount > 0
    and (
      effects.effect = 'opening'
      or (effects.effect = 'move' and entries.kind <> 'margin_move' and transfers.transfer_id is null)
    )
    and entries.entry_id not in (select entry_id from staging.imported_counterparts)
    and entries.account || '/before' in (select book_account from staging.imported_moves)
),
changes as (
  select book_account, coin, occurred_at, sum(amount) as change
  from staging.imported_moves
  group by book_account, coin, occurred_at
),
holdings as (
  select book_account, coin, occurred_at,
    sum(change) over (
      partition by book_account, coin order by occurred_at rows between unbounded preceding and current row
    ) as held
  from changes
),
-- What a later imported row needs is not given away before.
free as (
  select book_account, coin, occurred_at,
    min(holdings.held) over (
      partition by book_account, coin order by occurred_at rows between current row and unbounded following
    ) as held
  from holdings
),
offered as (
  select arrivals.entry_id as entry_id, arrivals.account as account, arrivals.coin as coin,
    arrivals.occurred_at as occurred_at, arrivals.place as place, arrivals.part as part,
    arrivals.quantity as quantity,
    arrivals.arrived as arrived, arrivals.nth as nth, greatest(coalesce(free.held, 0), 0) as held
  from arrivals
  asof left join free
    on free.book_account = arrivals.account || '/before' and free.coin = arrivals.coin
    and free.occurred_at <= arrivals.occurred_at
),
-- The total taken after each arrival: as much as arrived, and never more than was held at any arrival until then.
summed as (
  select offered.*,
    arrived + least(0, min(held - arrived) over (
      partition by account, coin order by nth rows between unbounded preceding and current row
    )) as taken_until
  from offered
),
taken as (
  select summed.*,
    taken_until - lag(taken_until, 1, 0) over (partition by account, coin order by nth) as quantity_taken
  from summed
)
select entry_id, account, coin, occurred_at, place, part, quantity, quantity_taken
from taken
where quantity_taken > 0
