-- What came into or left what the accounts are worth, besides gains and changes of prices, each at its value then and signed
-- as it moves the worth. Coins count with the values that the lots engine is given, money as its entries. The two sides of
-- a fill and its fees cancel; a move to another account counts with the cost that moves along.
-- needs: lot_transfers
-- grain: one row per account, month and line
-- line: deposits, transfers, income, interest, futures_pnl, funding, fees, fills
with
-- Of what lies beside the books of its account (account/before) nothing counts.
coin_changes as (
  select account, event_id, happened_at as occurred_at,
    case when kind = 'acquire' then lot_events.value else -lot_events.value end as value
  from main.lot_events
  where kind in ('acquire', 'dispose', 'transfer_out') and lot_events.value is not null and not ends_with(account, '/before')
  union all
  -- A gift is a disposal under some rules; under the others it leaves with its cost.
  select account, event_id, happened_at, -value
  from main.lot_events
  anti join main.lot_transfers as sent on sent.transfer_id = lot_events.event_id and sent.coin = lot_events.coin
  where kind = 'give' and value is not null and not ends_with(account, '/before')
),
entry_lines as (
  select entries.entry_id as entry_id, entries.account as account, entries.occurred_at as occurred_at,
    entries.coin as coin, entries.amount as amount, effects.effect as effect,
    case
      when parts.funding <> 0 then 'funding'
      when parts.interest <> 0 then 'interest'
      when parts.fee <> 0 then 'fees'
      when parts.entry_id is not null then 'futures_pnl'
      when legs.status = 'trade' and entries.part in ('amount', 'fee') then 'fills'
      when effects.effect = 'cost' then 'fees'
      when effects.effect = 'income' then 'income'
      when effects.effect = 'move' then 'transfers'
      else 'deposits'
    end as line
  from main.entries as entries
  left join staging.kind_effects as effects on effects.kind = entries.kind
  left join staging.entry_pnl_parts as parts on parts.entry_id = entries.entry_id
  left join staging.trade_legs as legs on legs.account = entries.account and legs.place = entries.place
),
-- What an imported trade brings is a deposit as far as its money does not lie in the account: both sides of it are.
imported_lines as (
  select id as imported_id,
    case
      when type = 'income' then 'income'
      when type in ('transfer_in', 'transfer_out') then 'transfers'
      else 'deposits'
    end as line
  from staging.imported_rows
  where book_account = account
),
lines as (
  select coin_changes.account as account, coin_changes.occurred_at as occurred_at, coin_changes.value as value,
    coalesce(entry_lines.line, imported_lines.line, 'deposits') as line
  from coin_changes
  left join entry_lines on entry_lines.entry_id = coin_changes.event_id
  left join imported_lines on imported_lines.imported_id = coin_changes.event_id
  union all
  select entry_lines.account, occurred_at, amount, line
  from entry_lines
  cross join staging.reporting as reporting
  where entry_lines.coin = reporting.currency and entry_lines.effect is distinct from 'debt'
  union all
  select imported.account, imported.occurred_at, imported.amount, coalesce(imported_lines.line, 'deposits')
  from main.imported_entries as imported
  cross join staging.reporting as reporting
  left join imported_lines on imported_lines.imported_id = imported.imported_id
  where imported.coin = reporting.currency
  union all
  select from_account, moved_at, -cost_basis, 'transfers'
  from main.lot_transfers
  where cost_basis is not null and not ends_with(from_account, '/before')
  union all
  select to_account, arrived_at, cost_basis,
    case when ends_with(from_account, '/before') then 'deposits' else 'transfers' end
  from staging.lot_arrivals
  where cost_basis is not null and not ends_with(to_account, '/before')
)
select account, month_of(utc_day(occurred_at)) as month, line, sum(lines.value) as value
from lines
group by account, month_of(utc_day(occurred_at)), line
