// Fees and moves as a paper lists them: those of the venue's records, and those that imported rows state of accounts that
// imports alone tell of. Imported history of an account that the venue reports stands beside its books (`movesOf`), so it is
// in neither list.
import type { Reader } from '../ledger/reader.ts'

const WITHOUT_VENUE = 'account not in (select account from entries)'

/** Books of an earlier version do not have all that imported rows are read from. */
const knowsImports = (ledger: Reader): boolean =>
  ['imported_trades', 'imported_entries', 'entry_values', 'valuations'].every((table) =>
    ledger.tables.has(table),
  )

/** SQL of every fee: positive when paid, its value as the statement has it where the fee changed a balance. */
export function feesOf(ledger: Reader): string {
  const columns = 'account, product_line, coin, fee, value, currency, occurred_at'
  if (!knowsImports(ledger)) return `(select ${columns} from fees)`
  return `(
    select ${columns} from fees
    union all
    select trades.account, null, trades.fee_currency, trades.fee,
      coalesce(-moved.value, case when trades.fee < 0 then -priced.value else priced.value end),
      coalesce(moved.currency, priced.currency), trades.occurred_at
    from (select * from imported_trades where fee <> 0 and ${WITHOUT_VENUE}) as trades
    left join entry_values as moved
      on moved.imported_id = trades.id and moved.entry_id = trades.id || '/fee'
    left join valuations as priced on priced.entry_id = 'import/' || trades.id || '/fee'
  )`
}

/**
 * SQL of every move between wallets. Imported legs are tied by the part of their ids before the colon, the first leg out to
 * the first leg in, as the lots tie them.
 */
export function transfersOf(ledger: Reader): string {
  const columns =
    'occurred_at, account, ledger, coin, direction, quantity, kind, counter_account, counter_ledger, entry_id'
  if (!knowsImports(ledger)) return `(select ${columns} from transfers)`
  return `(
    with legs as (
      select id, account, asset, quantity, occurred_at, type, split_part(id, ':', 1) as transfer_id,
        row_number() over (partition by split_part(id, ':', 1), asset, type order by place) as nth,
        case when ${WITHOUT_VENUE} then 'IMPORT' end as ledger
      from imported_trades where type in ('transfer_out', 'transfer_in')
    )
    select ${columns} from transfers
    union all
    select legs.occurred_at, legs.account, legs.ledger, legs.asset,
      case when legs.type = 'transfer_out' then 'out' else 'in' end, legs.quantity, 'transfer',
      others.account, others.ledger, legs.id
    from legs
    left join legs as others
      on others.transfer_id = legs.transfer_id and others.asset = legs.asset and others.nth = legs.nth
      and others.type <> legs.type
    where legs.ledger is not null
  )`
}
