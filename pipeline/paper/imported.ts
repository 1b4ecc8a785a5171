// Fees and transfers as a paper lists them: those of the venue's records, and those in imported rows of
// accounts known only from imports. Imported history of an account that the venue reports is kept beside its
// books (`movesOf`), so it is in neither list.
import type { Reader } from '../ledger/reader.ts'

const WITHOUT_VENUE = 'account not in (select account from entries)'

/** Books of an earlier version do not have everything that imported fees are read from. */
const knowsFees = (ledger: Reader): boolean =>
  ['imported_trades', 'imported_entries', 'entry_values', 'valuations'].every((table) =>
    ledger.tables.has(table),
  )

/** SQL of every fee: positive when paid, with its value as in the statement if the fee changed a balance. */
export function feesOf(ledger: Reader): string {
  const columns = 'account, product_line, coin, fee, value, currency, occurred_at'
  if (!knowsFees(ledger)) return `(select ${columns} from fees)`
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
 * SQL of every transfer between wallets. `imported_entries` determines which imported legs belong together.
 */
export function transfersOf(ledger: Reader): string {
  const columns =
    'occurred_at, account, ledger, coin, direction, quantity, kind, counter_account, counter_ledger, entry_id'
  const knowsLegs = ledger.tables.get('imported_entries')?.includes('counter_account') === true
  if (!knowsLegs) return `(select ${columns} from transfers)`
  return `(
    select ${columns} from transfers
    union all
    select occurred_at, account, ledger, coin, case when amount < 0 then 'out' else 'in' end, abs(amount), kind,
      counter_account, counter_ledger, imported_id
    from imported_entries where kind = 'transfer'
  )`
}
