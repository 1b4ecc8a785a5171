// Every movement of the books with what it did to lots, in the order in which it took effect: the published
// `lot_events` matched again by the lots engine, and the entries in the reporting currency, which are money.
import { UsageError } from '../../models/error.ts'
import { EVENTS_IN_ORDER } from '../lots/reader.ts'
import { lotsStep } from '../lots/step.ts'
import { loadTable } from '../output/load.ts'
import type { Row } from '../output/value.ts'
import type { Ledger } from '../reports/ledger.ts'
import type { Reader } from '../reports/reader.ts'
import { requireTable } from '../reports/report.ts'
import type { Source } from './books.ts'
import { consecutive } from './consecutive.ts'
import { unitsOf } from './digits.ts'
import type { LotBooking } from './lots-inventory.ts'

/** A piece of a lot that an event disposed of, sent away, or received. Amounts in units of 10^-18. */
export interface LotPiece {
  readonly role: 'disposed' | 'left' | 'arrived'
  readonly quantity: bigint
  /** Null where nobody knows; of disposals only. */
  readonly proceeds: bigint | null
  readonly costBasis: bigint | null
  /** Null where no lot is known. */
  readonly lotId: string | null
  readonly acquiredAt: string | null
}

export interface Movement {
  /** When it took effect, ISO-8601 in UTC. */
  readonly at: string
  /** `money` for an entry in the reporting currency. */
  readonly kind: 'acquire' | 'dispose' | 'transfer_out' | 'transfer_in' | 'money'
  readonly account: string
  readonly coin: string
  /** Signed for money, else without a sign; exact decimal text. */
  readonly quantity: string
  /** Value in the reporting currency; null where nobody knows. */
  readonly value: string | null
  /** Entry kind, such as trade or fee. */
  readonly entryKind: string
  readonly transactionId: string
  /** Double entry account of the wallet, and the one against which the entry stands. */
  readonly walletName: string
  readonly counterName: string
  readonly source: Source
  /** Of the other leg of a transfer, where it is known. */
  readonly twin: { readonly account: string; readonly quantity: string } | null
  readonly pieces: readonly LotPiece[]
}

/** A fee of a fill is in the cost or the proceeds, so it stands against the trade and is no expense again. */
const SOURCES = `
  with
  counters as (
    select entries.entry_id, entries.transaction_id, entries.kind, postings.account_name
    from entries
    left join postings on postings.posting_id = entries.entry_id || '/counter'
  ),
  trades as (
    select transaction_id, min(account_name) as account_name
    from counters where kind in ('trade', 'conversion') group by transaction_id
  )
  select entries.*, wallets.account_name as wallet_name,
    coalesce(
      case when entries.kind = 'fee' then trades.account_name end, counters.account_name, 'Equity:Suspense'
    ) as counter_name
  from entries
  join counters on counters.entry_id = entries.entry_id
  left join trades on trades.transaction_id = entries.transaction_id
  left join postings as wallets on wallets.entry_id = entries.entry_id`

const MOVEMENTS = `
  with
  events as (${EVENTS_IN_ORDER}),
  pieces as (
    select disposal_id as event_id, coin, 'disposed' as role, rowid as nth, quantity, proceeds, cost_basis, lot_id,
      acquired_at
    from disposals
    union all
    select transfer_id, coin, 'left', rowid, quantity, null, cost_basis, lot_id, acquired_at from lot_transfers
    union all
    select events.event_id, events.coin, 'arrived', lot_transfers.rowid, lot_transfers.quantity, null, cost_basis,
      lot_id, acquired_at
    from lot_transfers
    join events on events.twin_id = lot_transfers.transfer_id and events.coin = lot_transfers.coin
    where to_account is not null
  ),
  movements as (
    select effective_at as moved_at, number, event_id as entry_id, kind as event_kind, coin, quantity, value,
      twin_account, twin_quantity
    from events
    union all
    select occurred_at, 0, entry_id, 'money', coin, amount, amount, null, null
    from sources where coin = $currency
  )
  select movements.moved_at, movements.event_kind, sources.account, movements.coin, movements.quantity, movements.value,
    sources.kind, sources.transaction_id, sources.wallet_name, sources.counter_name, movements.entry_id,
    sources.source_feed, sources.source_id, sources.page_id, sources.page_row, movements.twin_account,
    movements.twin_quantity, pieces.role, pieces.quantity, pieces.proceeds, pieces.cost_basis, pieces.lot_id,
    pieces.acquired_at
  from movements
  left join sources on sources.entry_id = movements.entry_id
  left join pieces on pieces.event_id = movements.entry_id and pieces.coin = movements.coin
  order by movements.moved_at, movements.coin, movements.number, movements.entry_id,
    case pieces.role when 'left' then 0 else 1 end, pieces.nth`

export interface LotBooks {
  readonly currency: string
  /** Account names of both sides, each once. */
  readonly accountNames: readonly string[]
  movements(): AsyncIterable<Movement>
}

/**
 * Runs the lots engine over the published events, per account, and gives back what it did; it ends with the ledger.
 * UsageError when the ledger has no events, or none of them has a value in any currency.
 */
export async function readLotBooks(ledger: Ledger, booking: LotBooking): Promise<LotBooks> {
  for (const table of ['lot_events', 'entries', 'postings']) requireTable(ledger, table)
  const [found] = await ledger.query('select min(currency) from lot_events')
  const currency = found?.[0]
  if (typeof currency !== 'string') {
    throw new UsageError('The books have no lots to export.', {
      expected: 'changes of coins, valued in a reporting currency',
      action: 'Use `tieout export beancount` without --lots.',
    })
  }
  const reader = await ledger.scratch(async (connection) => {
    for (const [name, sql] of [
      ['lot_events', 'select * from lot_events'],
      ['sources', SOURCES],
    ] as const) {
      const session = await ledger.session()
      const statement = await session.run(() => session.connection.prepare(sql))
      await loadTable(connection, name, await session.start(statement))
    }
    await lotsStep({ method: booking, scope: 'account' }).run(connection)
  })
  const names = await reader.query(
    'select wallet_name from sources union select counter_name from sources order by 1',
  )
  return {
    currency,
    accountNames: names.map(([name]) => String(name)),
    movements: () => readMovements(reader, currency),
  }
}

async function* readMovements(reader: Reader, currency: string): AsyncIterable<Movement> {
  const { rows } = await reader.stream(MOVEMENTS, { currency })
  for await (const run of consecutive(rows, 10))
    yield { ...movementOf(run[0]), pieces: run.flatMap((row) => (row[17] === null ? [] : [pieceOf(row)])) }
}

const text = (cell: unknown): string => String(cell)
const textOrNull = (cell: unknown): string | null =>
  cell === null || cell === undefined ? null : String(cell)
const unitsOrNull = (cell: unknown): bigint | null => (cell === null ? null : unitsOf(String(cell)))

/** Cells stand as the last select of MOVEMENTS lists them. */
function movementOf(row: Row): Omit<Movement, 'pieces'> {
  return {
    at: text(row[0]),
    kind: text(row[1]) as Movement['kind'],
    account: text(row[2]),
    coin: text(row[3]),
    quantity: text(row[4]),
    value: textOrNull(row[5]),
    entryKind: text(row[6]),
    transactionId: text(row[7]),
    walletName: text(row[8]),
    counterName: text(row[9]),
    source: {
      entryId: text(row[10]),
      sourceFeed: text(row[11]),
      sourceId: text(row[12]),
      pageId: Number(row[13]),
      pageRow: Number(row[14]),
    },
    twin: row[15] === null ? null : { account: text(row[15]), quantity: text(row[16]) },
  }
}

function pieceOf(row: Row): LotPiece {
  return {
    role: text(row[17]) as LotPiece['role'],
    quantity: unitsOf(text(row[18])),
    proceeds: unitsOrNull(row[19] ?? null),
    costBasis: unitsOrNull(row[20] ?? null),
    lotId: textOrNull(row[21]),
    acquiredAt: textOrNull(row[22]),
  }
}
