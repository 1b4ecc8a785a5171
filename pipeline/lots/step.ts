// The lots as a step of the build: `lot_events` in, disposals, open lots and missing history out. Memory
// holds the open lots of one coin and one slice of events, never a whole history.
import { setImmediate as immediate } from 'node:timers/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import { closing } from '../../models/closing.ts'
import { literal } from '../engine/quote.ts'
import type { ExtraStep, StepRun } from '../ledger/build.ts'
import {
  type BroughtForward,
  broughtForward,
  CarryingForward,
  createMoments,
  dropMoments,
  momentsAfter,
} from './carried.ts'
import { canBeCarriedOn, LotEngine, type LotOptions } from './engine.ts'
import type { Allocation, Selections } from './event.ts'
import { type HoldingRules, heldBy } from './held.ts'
import { allocationsByRow, selectionsByRow } from './named-lots.ts'
import { type FeeReading, readCurrency, readEvents } from './reader.ts'
import { type Labels, Results } from './results.ts'
import { columnsAsDefined, defineTables, type MatchedBy, writeMatching } from './results-sql.ts'
import type { CarriedForward } from './running-book.ts'
import { type LotTable, type LotTableName, lotTables, MATCHING_TABLE, matchingTable } from './tables.ts'

/** A step that states what its tables mean, for the documentation of the ledger. */
export interface LotsStep extends ExtraStep {
  /** By table. */
  readonly docs: Readonly<Record<string, string>>
  /** By table and column. */
  readonly columns: Readonly<Record<string, Readonly<Record<string, string>>>>
}

export interface LotsStepOptions extends LotOptions, FeeReading {
  /** Method and scope as `lot_matching` names them; derived from the options if absent. */
  readonly named?: { readonly method: string; readonly scope: string }
  readonly selections?: Selections
  readonly allocations?: readonly Allocation[]
  /** The tables to fill; the others are left empty. All of them if absent. */
  readonly tables?: readonly LotTableName[]
  /** By default the rules `generic`: UTC days without terms. */
  readonly holding?: HoldingRules
  /** Stops the matching between two batches of events by throwing its reason. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Builds `disposals`, `lots`, `unknown_basis`, `lot_transfers`, `short_sales`, `borrowed_coins`,
 * `lot_problems` and `lot_matching` from `lot_events`: account, coin, happened_at TIMESTAMPTZ, place BIGINT,
 * event_id, kind, quantity, value and value_before_fees DECIMAL(38,18), currency, transfer_id, and value_given
 * if exchange fees belong to the coin given, value_shared if they belong to both. Throws a TieoutError for values in several
 * currencies, an unknown kind, or an amount beyond DECIMAL(38,18).
 */
export function lotsStep(options: LotsStepOptions): LotsStep {
  return {
    name: 'lots',
    reads: ['lot_events'],
    writes: tables.map(([name]) => name),
    docs: Object.fromEntries(tables.map(([name, { doc }]) => [name, doc])),
    columns: Object.fromEntries(tables.map(([name, table]) => [name, columnDocs(table)])),
    definitions: Object.fromEntries(tables.map(([name, table]) => [name, columnsAsDefined(table)])),
    times,
    ...decisionOf(options),
    run: (connection, run) => keepingOrder(connection, () => runLots(connection, options, run)),
    ...carryingOn(options),
  }
}

/** The time of a row, of tables of which only what is found anew is replaced. */
const times = {
  disposals: 'disposed_at',
  lot_transfers: 'moved_at',
  short_sales: 'sold_at',
  lot_problems: 'happened_at',
} as const satisfies Partial<Record<LotTableName, string>>

/** The name of a matching that a later run can carry on; null if none can. */
function carriedAs(options: LotsStepOptions): string | null {
  const { decidedBy = null } = decisionOf(options)
  return options.tables === undefined && canBeCarriedOn(options) ? decidedBy : null
}

function carryingOn(options: LotsStepOptions): Pick<ExtraStep, 'carryOn'> {
  const matching = carriedAs(options)
  if (matching === null) return {}
  return {
    carryOn: (connection, day) =>
      keepingOrder(connection, () => carryOn(connection, options, { matching, day })),
  }
}

/** The options reduced to words and numbers: the terms of the law follow from its name. */
function decisionOf({
  selections,
  allocations,
  signal: _,
  ...options
}: LotsStepOptions): Pick<ExtraStep, 'decidedBy'> {
  if (selections !== undefined || allocations !== undefined) return {}
  return {
    decidedBy: JSON.stringify(options, (_key, value) => (typeof value === 'bigint' ? String(value) : value)),
  }
}

const tables: readonly [string, LotTable][] = [...Object.entries(lotTables), [MATCHING_TABLE, matchingTable]]

function columnDocs({ columns }: LotTable): Record<string, string> {
  return Object.fromEntries(Object.entries(columns).map(([name, { doc }]) => [name, doc]))
}

/**
 * A build turns insertion order off, and DuckDB then appends the engine's results in whatever order its
 * threads finish.
 */
async function keepingOrder<T>(connection: DuckDBConnection, work: () => Promise<T>): Promise<T> {
  const setting = await connection.runAndReadAll("select current_setting('preserve_insertion_order')")
  await connection.run('set preserve_insertion_order = true')
  return await closing(
    () => connection.run(`set preserve_insertion_order = ${setting.getRows()[0]?.[0]}`),
    work,
  )
}

async function runLots(
  connection: DuckDBConnection,
  options: LotsStepOptions,
  { standing = new Set(), keepsSteps = false }: StepRun = {},
): Promise<void> {
  const matching = keepsSteps ? carriedAs(options) : null
  const moments = matching === null ? [] : await momentsAfter(connection, null)
  if (keepsSteps) await dropMoments(connection)
  if (moments.length > 0) await createMoments(connection)
  const write = await match(connection, options, { brought: null, moments, matching })
  await defineTables(
    connection,
    tables.filter(([name]) => !standing.has(name)),
  )
  await write()
}

/** Runs again from a moment before the given day; false if none is known. */
async function carryOn(
  connection: DuckDBConnection,
  options: LotsStepOptions,
  { matching, day }: { readonly matching: string; readonly day: string },
): Promise<boolean> {
  const brought = await broughtForward(connection, matching, day)
  if (brought === null) return false
  const moments = await momentsAfter(connection, brought.atUs)
  const write = await match(connection, options, { brought, moments, matching })
  await defineTables(
    connection,
    tables.filter(([name]) => !(name in times)),
  )
  for (const [name, time] of Object.entries(times))
    await connection.run(`delete from ${name} where ${happensFrom(brought, time)}`)
  await write()
  await connection.run('drop table if exists temp.lots_brought_forward')
  return true
}

/** The condition for what is found anew. */
function happensFrom({ atUs, fromStart }: BroughtForward, time: string): string {
  const later = `${time} >= make_timestamptz(${atUs})`
  return fromStart.length === 0 ? later : `${later} or coin in (${fromStart.map(literal).join(', ')})`
}

/** Matches the events, all of them or those that follow; returns what writes the results. */
async function match(
  connection: DuckDBConnection,
  options: LotsStepOptions,
  {
    brought,
    moments,
    matching,
  }: {
    readonly brought: BroughtForward | null
    readonly moments: readonly bigint[]
    readonly matching: string | null
  },
): Promise<() => Promise<void>> {
  const { selections = new Map(), allocations = [] } = options
  const labels = labelsOf(options, await readCurrency(connection))
  const byRow = {
    selections: await selectionsByRow(connection, selections),
    allocations: await allocationsByRow(connection, allocations),
  }
  const results = await Results.open(connection, labels, {
    wanted: options.tables,
    unknown: brought?.unknown ?? [],
  })
  const carrying =
    matching === null || moments.length === 0 ? null : await CarryingForward.open(connection, matching)
  const held = new Map<string, CarriedForward>()
  const engine = new LotEngine({ ...options, ...byRow }, results, {
    broughtForward: held,
    momentsUs: moments,
    carry: (atUs, coin, lots) => carrying?.add(atUs, coin, lots, results.unknownOf(coin)),
  })
  const coming = new Set(brought?.coins)
  const bring = async (coins: Iterable<string>): Promise<void> => {
    held.clear()
    for (const coin of coins)
      if (brought !== null && coming.delete(coin)) held.set(coin, await brought.lotsOf(coin))
  }
  const which = brought === null ? undefined : happensFrom(brought, 'happened_at')
  for await (const events of readEvents(connection, options, which)) {
    if (coming.size > 0) await bring(new Set(events.map(({ coin }) => coin)))
    for (const event of events) engine.apply(event)
    // Matching never waits for anything: without yielding, a server would not respond until it is done.
    await immediate()
    options.signal?.throwIfAborted()
  }
  for (const coin of [...coming]) {
    await bring([coin])
    engine.keep(coin)
  }
  engine.finish()
  return async () => {
    await results.finish(connection)
    await writeMatching(connection, matchedBy(options, labels.rules))
    await carrying?.finish(connection, moments)
  }
}

/** Method and scope in their sequence over time. */
function matchedBy(options: LotsStepOptions, rules: string): MatchedBy {
  const { changes = [], holding, timeZone = holding?.timeZone ?? 'UTC' } = options
  const { feesInKind = 'disposal', exchangeFeesGivenFromUs = null, sharesExchangeFees = false } = options
  const inTurn = (what: 'method' | 'scope'): string =>
    [options[what], ...changes.map((change) => `${change[what]} from ${dayOf(change.fromUs)}`)].join(', ')
  const { method, scope } = options.named ?? { method: inTurn('method'), scope: inTurn('scope') }
  return { method, scope, rules, timeZone, feesInKind, exchangeFeesGivenFromUs, sharesExchangeFees }
}

const GENERIC: HoldingRules = { rules: 'generic', timeZone: 'UTC', termOf: null }

const dayOf = (us: bigint): string => new Date(Number(us / 1_000n)).toISOString()

function labelsOf(options: LotsStepOptions, currency: string | null): Labels {
  const { method, scope, changes = [], holding = GENERIC, shortSales = 'when closed' } = options
  return {
    rules: holding.rules,
    currency,
    methodAt: (us) => changes.findLast((change) => change.fromUs <= us)?.method ?? method,
    lastMethod: changes.at(-1)?.method ?? method,
    isHeldTogether: (changes.at(-1)?.scope ?? scope) === 'universal',
    shortSales,
    heldFor: heldBy(holding),
  }
}
