// Fees and transfers as a paper lists them: those of the venue's records, those in imported rows of accounts
// known only from imports, and what the network took of an imported move. Other imported history of an account
// that the venue reports is kept beside its books (`movesOf`), so it is in neither list.
import { shippedModel } from '../ledger/models.ts'
import type { Reader } from '../ledger/reader.ts'
import { canTellImported } from '../reports/pnl.ts'

const WITHOUT_VENUE = 'account not in (select account from entries)'

/** Books of an earlier version do not have everything that imported fees are read from. */
const knowsFees = (ledger: Reader): boolean =>
  ['imported_trades', 'imported_entries', 'entry_values', 'valuations'].every((table) =>
    ledger.tables.has(table),
  )

/**
 * SQL of what the network took of imported moves, by the entry of the outgoing leg; `moved_id` is its id in
 * `lot_events`. The profit and loss counts the same amounts.
 */
function networkFees(ledger: Reader): string | null {
  if (!canTellImported(ledger)) return null
  return `(
    select parts.account as account, parts.coin as coin, -parts.fee as fee, parts.occurred_at as occurred_at,
      parts.entry_id as entry_id, coalesce(legs.imported_id, parts.entry_id) as moved_id
    from (${shippedModel('staging.imported_pnl_parts').select}) as parts
    left join imported_entries as legs on legs.entry_id = parts.entry_id
    where legs.kind is distinct from 'fee'
  )`
}

/**
 * SQL of every fee: positive when paid, with its value as in the statement if the fee changed a balance. A fee
 * that an imported row names in the coin that moves is part of what the network took, unless it has an entry of
 * its own.
 */
export function feesOf(ledger: Reader): string {
  const columns = 'account, product_line, coin, fee, value, currency, occurred_at'
  if (!knowsFees(ledger)) return `(select ${columns} from fees)`
  const network = networkFees(ledger)
  const named = `select * from imported_trades where fee <> 0 and ${WITHOUT_VENUE}`
  const isWithin = `fee_currency = asset and id || '/asset' in (select entry_id from ${network})
    and id || '/fee' not in (select entry_id from imported_entries)`
  return `(
    select ${columns} from fees
    union all
    select trades.account, null, trades.fee_currency, trades.fee,
      coalesce(-moved.value, case when trades.fee < 0 then -priced.value else priced.value end),
      coalesce(moved.currency, priced.currency), trades.occurred_at
    from (${network === null ? named : `${named} and not coalesce(${isWithin}, false)`}) as trades
    left join entry_values as moved
      on moved.imported_id = trades.id and moved.entry_id = trades.id || '/fee'
    left join valuations as priced on priced.entry_id = 'import/' || trades.id || '/fee'
    ${
      network === null
        ? ''
        : `union all
    select taken.account, null, taken.coin, taken.fee,
      case when taken.coin = reporting.currency then taken.fee else moves.value end, reporting.currency,
      taken.occurred_at
    from ${network} as taken
    cross join (select any_value(currency) as currency from entry_values) as reporting
    left join lot_events as moves
      on moves.event_id = taken.moved_id and moves.coin = taken.coin and moves.kind = 'transfer_out'`
    }
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
