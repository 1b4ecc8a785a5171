// The lots as a step of the build: `lot_events` in, disposals, open lots and what is missing out.
// Memory holds the open lots of one coin and one slice of events, never a whole history.
import type { DuckDBConnection } from '@duckdb/node-api'
import type { ExtraStep } from '../build/build.ts'
import { dayIn } from './day.ts'
import { LotEngine, type LotOptions } from './engine.ts'
import type { DisposalPiece, MovedPiece, Sink } from './event.ts'
import { readCurrency, readEvents } from './reader.ts'
import { type LotTableName, lotTables } from './tables.ts'
import { UnknownBasis } from './unknown-basis.ts'
import { TableWriter } from './writer.ts'

/** A step that tells what its tables mean, for whoever documents the ledger. */
export interface LotsStep extends ExtraStep {
  /** By table. */
  readonly docs: Readonly<Record<string, string>>
  /** By table and column. */
  readonly columns: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** How rules count what was held. Days are numbered from 1970-01-01. */
export interface Holding {
  /** For the column `rules`. */
  readonly rules: string
  /** IANA name; whose days are counted. */
  readonly timeZone: string
  /** Null where the rules tell no terms apart. */
  readonly termOf: ((acquiredDay: number, disposedDay: number) => string) | null
}

export interface LotsStepOptions extends LotOptions {
  /** By default UTC days without terms, under the country whose matching the method is, else generic. */
  readonly holding?: Holding
}

const tableNames = Object.keys(lotTables) as LotTableName[]

/**
 * Makes `disposals`, `lots`, `unknown_basis`, `lot_transfers` and `lot_problems` from `lot_events`: account, coin,
 * happened_at TIMESTAMPTZ, place BIGINT, event_id, kind, quantity and value DECIMAL(38,18), currency, transfer_id.
 * Throws a TieoutError for values in several currencies, an unknown kind, or an amount beyond DECIMAL(38,18).
 */
export function lotsStep(options: LotsStepOptions): LotsStep {
  return {
    name: 'lots',
    reads: ['lot_events'],
    writes: tableNames,
    docs: Object.fromEntries(tableNames.map((name) => [name, lotTables[name].doc])),
    columns: Object.fromEntries(tableNames.map((name) => [name, columnDocs(name)])),
    run: (connection) => runLots(connection, options),
  }
}

function columnDocs(table: LotTableName): Record<string, string> {
  return Object.fromEntries(Object.entries(lotTables[table].columns).map(([name, { doc }]) => [name, doc]))
}

type Writers = Record<LotTableName, TableWriter>

async function runLots(connection: DuckDBConnection, options: LotsStepOptions): Promise<void> {
  const currency = await readCurrency(connection)
  const writers = {} as Writers
  for (const name of tableNames) writers[name] = await TableWriter.create(connection, name)
  const unknown = new UnknownBasis()
  const engine = new LotEngine(options, rowsInto(writers, options, currency, unknown))
  for await (const events of readEvents(connection)) for (const event of events) engine.apply(event)
  engine.finish()
  for (const row of unknown.rows())
    writers.unknown_basis.append([row.account, row.coin, row.quantity, row.unvaluedQuantity, row.disposals])
  for (const name of tableNames) writers[name].close()
}

function rowsInto(
  writers: Writers,
  options: LotsStepOptions,
  currency: string | null,
  unknown: UnknownBasis,
): Sink {
  const methodAt = methodsInTime(options)
  const { holding = { rules: ruleNameOf(options.method), timeZone: 'UTC', termOf: null } } = options
  const heldFor = holdingOf(holding)
  const method = options.changes?.at(-1)?.method ?? options.method
  return {
    piece: (piece) => {
      unknown.disposed(piece)
      const { days, term } = heldFor(piece)
      writers.disposals.append(
        disposalRow(piece, methodAt(piece.disposedAtUs), holding.rules, currency, days, term),
      )
    },
    lot: ({ account, coin, acquiredAtUs, quantityLeft, costBasisLeft, lotId }) =>
      writers.lots.append([
        account,
        coin,
        method,
        acquiredAtUs,
        quantityLeft,
        costBasisLeft,
        currency,
        lotId,
      ]),
    moved: (piece) => {
      unknown.moved(piece)
      writers.lot_transfers.append(transferRow(piece, methodAt(piece.movedAtUs), currency))
    },
    problem: ({ problem, account, coin, happenedAtUs, eventId, lotId, quantity }) =>
      writers.lot_problems.append([problem, account, coin, happenedAtUs, eventId, lotId, quantity]),
  }
}

/** What an account held before its own books begin stands beside them as `account/before`. */
const accountItself = (account: string): string => account.replace(/\/before$/, '')

/** The cells of `disposals`, in the order of its columns. */
function disposalRow(
  piece: DisposalPiece,
  method: string,
  rules: string,
  currency: string | null,
  holdingDays: number | null,
  term: string | null,
) {
  return [
    accountItself(piece.account),
    piece.coin,
    method,
    rules,
    piece.disposedAtUs,
    piece.acquiredAtUs,
    piece.quantity,
    piece.proceeds,
    piece.costBasis,
    piece.deniedLoss,
    piece.gain,
    currency,
    holdingDays,
    term,
    piece.disposalId,
    piece.lotId,
  ]
}

/** The cells of `lot_transfers`, in the order of its columns. */
function transferRow(piece: MovedPiece, method: string, currency: string | null) {
  return [
    piece.coin,
    method,
    piece.eventId,
    piece.movedAtUs,
    piece.fromAccount,
    piece.toAccount,
    piece.acquiredAtUs,
    piece.quantity,
    piece.costBasis,
    currency,
    piece.lotId,
    piece.basis,
  ]
}

const ruleNameOf = (method: string): string => (method === 'uk' || method === 'ca' ? method : 'generic')

function methodsInTime({ method, changes = [] }: LotOptions): (us: bigint) => string {
  return (us) => changes.findLast((change) => change.fromUs <= us)?.method ?? method
}

/** Days and term from purchase to sale; null without a date, or where the purchase came later. */
function holdingOf({ timeZone, termOf }: Holding) {
  const dayOf = dayIn(timeZone)
  return ({ acquiredAtUs, disposedAtUs }: DisposalPiece) => {
    if (acquiredAtUs === null || acquiredAtUs > disposedAtUs) return { days: null, term: null }
    const acquired = dayOf(acquiredAtUs)
    const disposed = dayOf(disposedAtUs)
    return { days: disposed - acquired, term: termOf === null ? null : termOf(acquired, disposed) }
  }
}
