// Every movement of the books with its effect on lots, in the order in which it took effect: the published
// `lot_events` matched again by the lots engine, and the entries in the reporting currency, which are money.
import type { DuckDBConnection } from '@duckdb/node-api'
import { UsageError } from '../../models/error.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Reader } from '../ledger/reader.ts'
import type { EventKind } from '../lots/event.ts'
import { EVENTS_IN_ORDER } from '../lots/reader.ts'
import { lotsStep } from '../lots/step.ts'
import type { Row } from '../output/cell.ts'
import { loadTable } from '../output/load.ts'
import { requireTable } from '../reports/report.ts'
import { dayOf, type Source } from './books.ts'
import { consecutive } from './consecutive.ts'
import { unitsOf } from './digits.ts'
import type { LotBooking } from './lots-inventory.ts'

/**
 * A piece of a lot that an event disposed of, sent away, or received, or a piece of a short sale that it sold
 * or closed. Amounts in units of 10^-18.
 */
export interface LotPiece {
  readonly role: 'disposed' | 'left' | 'arrived' | 'sold short' | 'closed'
  readonly quantity: bigint
  /** Null if unknown; only for disposals and short sales. */
  readonly proceeds: bigint | null
  readonly costBasis: bigint | null
  /** Identifies the lot; null if no lot is known. */
  readonly lotKey: string | null
  readonly acquiredAt: string | null
}

export interface Movement {
  /** Identifies the movement, and the lot that it may bring, among those of its coin. */
  readonly key: string
  /** When it took effect, ISO-8601 in UTC. */
  readonly at: string
  /** `money` for an entry in the reporting currency. */
  readonly kind: EventKind | 'money'
  readonly account: string
  readonly coin: string
  /** Signed for money, otherwise unsigned; exact decimal text. */
  readonly quantity: string
  /** Value in the reporting currency; null if unknown. */
  readonly value: string | null
  /** Entry kind, such as trade or fee. */
  readonly entryKind: string
  readonly transactionId: string
  /** Double entry account of the wallet; null for imported rows, which have none. */
  readonly walletName: string | null
  /** Counter account in the double entry. */
  readonly counterName: string
  readonly source: Source
  /** For the other leg of a transfer, if known. */
  readonly twin: { readonly account: string; readonly quantity: string } | null
  readonly pieces: readonly LotPiece[]
}

/**
 * The fee of a fill is included in the cost or the proceeds, so its counter account is the trade, not an
 * expense. Which transactions are fills is told as in sql/intermediate/pnl/entry_pnl_parts.
 */
const SOURCES = `
  with
  counters as (
    select entries.entry_id, entries.transaction_id, entries.amount, kinds.effect, postings.account_name
    from entries
    left join kinds on kinds.kind = entries.kind
    left join postings on postings.posting_id = entries.entry_id || '/counter'
  ),
  trades as (
    select transaction_id, min(account_name) as account_name
    from counters where effect in ('exchange', 'fiat') group by transaction_id
    having min(amount) < 0 and max(amount) > 0
  )
  select entries.*, wallets.account_name as wallet_name,
    coalesce(
      case when counters.effect = 'cost' then trades.account_name end, counters.account_name, 'Equity:Suspense'
    ) as counter_name
  from entries
  join counters on counters.entry_id = entries.entry_id
  left join trades on trades.transaction_id = entries.transaction_id
  left join postings as wallets on wallets.entry_id = entries.entry_id`

/** Rows of the user's files, by the id that an event takes from them. */
const IMPORTED = {
  imported_trades: 'select id, page_id, page_row from imported_trades',
  imported_lots: 'select id, page_id, page_row from imported_lots',
}

const NO_IMPORTS =
  'select null::varchar as id, null::bigint as page_id, null::integer as page_row where false'

/**
 * One imported row may produce several events with one id, so its unique place is appended to the id here.
 */
const EVENTS = `select * replace (concat(event_id, chr(31), place) as event_id) from lot_events`

/** The event id in a key. */
export const idOf = (key: string): string => key.slice(0, key.lastIndexOf('\u001f'))

/** Imported history that is carried over to an entry is named by that entry. */
const MOVEMENTS = `
  with
  events as (${EVENTS_IN_ORDER}),
  pieces as (
    -- A short sale that was bought again is a disposal by its sale; here the sale and the purchase have a part each.
    select coin, disposal_id as event_id, 'disposed' as role, quantity, proceeds, cost_basis, lot_id, acquired_at
    from disposals
    anti join short_sales
      on short_sales.coin = disposals.coin and short_sales.sale_id = disposals.disposal_id
      and short_sales.closing_id = disposals.lot_id
    union all
    select coin, sale_id, 'sold short', quantity, proceeds, cost_basis, null, null from short_sales
    union all
    select coin, closing_id, 'closed', quantity, proceeds, cost_basis, null, null from short_sales
    where closing_id is not null
    union all
    select coin, transfer_id, 'left', quantity, null, cost_basis, lot_id, acquired_at from lot_transfers
    union all
    select events.coin, events.event_id, 'arrived', lot_transfers.quantity, null, cost_basis, lot_id, acquired_at
    from lot_transfers
    join events on events.twin_id = lot_transfers.transfer_id and events.coin = lot_transfers.coin
    where to_account is not null
  ),
  movements as (
    select event_id as movement, regexp_replace(event_id, '\\x1f-?\\d+$', '') as event_id, number, kind as event_kind,
      effective_at as moved_at, account, coin, quantity, value, twin_account, twin_quantity
    from events
    union all
    select entry_id, entry_id, 0, 'money', occurred_at, account, coin, amount, amount, null, null
    from sources where coin = $currency
  )
  select concat(movements.coin, ' ', movements.movement), movements.movement, movements.moved_at,
    movements.event_kind, movements.account, movements.coin, movements.quantity, movements.value,
    coalesce(sources.kind, movements.event_kind), coalesce(sources.transaction_id, movements.event_id),
    sources.wallet_name, coalesce(sources.counter_name, 'Equity:Imported'), movements.event_id,
    coalesce(sources.source_feed, 'import'), coalesce(sources.source_id, movements.event_id),
    coalesce(sources.page_id, imported.page_id), coalesce(sources.page_row, imported.page_row),
    movements.twin_account, movements.twin_quantity,
    pieces.role, pieces.quantity, pieces.proceeds, pieces.cost_basis, pieces.lot_id, pieces.acquired_at
  from movements
  left join sources
    on sources.entry_id = regexp_replace(movements.event_id, '/(before|handover)$', '')
  -- A condition on the left side beside the key would make it a loop over both tables.
  left join imported on imported.id = case when sources.entry_id is null then movements.event_id end
  left join pieces on pieces.event_id = movements.movement and pieces.coin = movements.coin
  order by movements.moved_at, movements.coin, movements.number, movements.movement,
    case pieces.role when 'left' then 0 else 1 end, pieces.acquired_at nulls last, pieces.lot_id nulls last,
    pieces.quantity`

export interface LotBooks {
  readonly currency: string
  /** Account names of wallets and counter sides, each once. */
  readonly accountNames: readonly string[]
  /** Account and coin of every inventory. */
  readonly holdings: readonly { readonly account: string; readonly coin: string }[]
  /** UTC day of the first movement. */
  readonly firstDay: string
  movements(): AsyncIterable<Movement>
}

/**
 * Runs the lots engine over the published events, per account, and returns what it did; the result is closed
 * with the ledger. UsageError if the ledger has no events, or none of them has a value in any currency.
 */
export async function readLotBooks(ledger: Ledger, booking: LotBooking): Promise<LotBooks> {
  for (const table of ['lot_events', 'entries', 'postings']) requireTable(ledger, table)
  const [found] = await ledger.query('select min(currency), min(happened_at) from lot_events')
  const [currency, first] = found ?? []
  if (typeof currency !== 'string') {
    throw new UsageError('The books have no lots to export.', {
      expected: 'changes of coins, valued in a reporting currency',
      action: 'Use `tieout export beancount` without --lots.',
    })
  }
  const imported = Object.entries(IMPORTED).flatMap(([table, sql]) => (ledger.tables.has(table) ? [sql] : []))
  const reader = await ledger.scratch(async (connection, signal) => {
    await copyInto(connection, 'lot_events', ledger, EVENTS)
    await copyInto(connection, 'sources', ledger, SOURCES)
    await copyInto(connection, 'imported', ledger, imported.join(' union all ') || NO_IMPORTS)
    await lotsStep({ method: booking, scope: 'account', signal }).run(connection)
  })
  const names = await reader.query(
    'select wallet_name from sources union select counter_name from sources order by 1',
  )
  const held = await reader.query('select distinct account, coin from lot_events order by account, coin')
  return {
    currency,
    accountNames: names.map(([name]) => String(name)),
    holdings: held.map(([account, coin]) => ({ account: String(account), coin: String(coin) })),
    firstDay: dayOf(String(first)),
    movements: () => readMovements(reader, currency),
  }
}

async function copyInto(
  connection: DuckDBConnection,
  table: string,
  ledger: Ledger,
  sql: string,
): Promise<void> {
  const session = await ledger.session(sql)
  const statement = await session.run(() => session.connection.prepare(sql))
  await loadTable(connection, table, await session.start(statement))
}

async function* readMovements(reader: Reader, currency: string): AsyncIterable<Movement> {
  const { rows } = await reader.stream(MOVEMENTS, { currency })
  for await (const run of consecutive(rows, 0))
    yield { ...movementOf(run[0]), pieces: run.flatMap((row) => (row[19] === null ? [] : [pieceOf(row)])) }
}

const text = (cell: unknown): string => String(cell)
const textOrNull = (cell: unknown): string | null =>
  cell === null || cell === undefined ? null : String(cell)
const unitsOrNull = (cell: unknown): bigint | null =>
  cell === null || cell === undefined ? null : unitsOf(String(cell))

/** Cells are in the order of the last select of MOVEMENTS. */
function movementOf(row: Row): Omit<Movement, 'pieces'> {
  return {
    key: text(row[1]),
    at: text(row[2]),
    kind: text(row[3]) as Movement['kind'],
    account: text(row[4]),
    coin: text(row[5]),
    quantity: text(row[6]),
    value: textOrNull(row[7]),
    entryKind: text(row[8]),
    transactionId: text(row[9]),
    walletName: textOrNull(row[10]),
    counterName: text(row[11]),
    source: {
      entryId: text(row[12]),
      sourceFeed: text(row[13]),
      sourceId: text(row[14]),
      pageId: row[15] === null ? null : Number(row[15]),
      pageRow: row[16] === null ? null : Number(row[16]),
    },
    twin: row[17] === null ? null : { account: text(row[17]), quantity: text(row[18]) },
  }
}

function pieceOf(row: Row): LotPiece {
  return {
    role: text(row[19]) as LotPiece['role'],
    quantity: unitsOf(text(row[20])),
    proceeds: unitsOrNull(row[21]),
    costBasis: unitsOrNull(row[22]),
    lotKey: textOrNull(row[23]),
    acquiredAt: textOrNull(row[24]),
  }
}
