// The lots as a step of the build: `lot_events` in, disposals, open lots and what is missing out.
// Memory holds the open lots of one coin and one slice of events, never a whole history.
import type { DuckDBConnection } from '@duckdb/node-api'
import type { ExtraStep } from '../build/build.ts'
import { LotEngine, type LotOptions } from './engine.ts'
import { type HoldingRules, heldBy } from './held.ts'
import { NamedRows } from './named-lots.ts'
import { readCurrency, readEvents } from './reader.ts'
import { type Labels, Results } from './results.ts'
import { type LotTableName, lotTableNames, lotTables } from './tables.ts'

/** A step that tells what its tables mean, for whoever documents the ledger. */
export interface LotsStep extends ExtraStep {
  /** By table. */
  readonly docs: Readonly<Record<string, string>>
  /** By table and column. */
  readonly columns: Readonly<Record<string, Readonly<Record<string, string>>>>
}

export interface LotsStepOptions extends LotOptions {
  /** By default UTC days without terms, under the country whose matching the method is, else generic. */
  readonly holding?: HoldingRules
}

/**
 * Makes `disposals`, `lots`, `unknown_basis`, `lot_transfers` and `lot_problems` from `lot_events`: account, coin,
 * happened_at TIMESTAMPTZ, place BIGINT, event_id, kind, quantity and value DECIMAL(38,18), currency, transfer_id.
 * Throws a TieoutError for values in several currencies, an unknown kind, or an amount beyond DECIMAL(38,18).
 */
export function lotsStep(options: LotsStepOptions): LotsStep {
  return {
    name: 'lots',
    reads: ['lot_events'],
    writes: lotTableNames,
    docs: Object.fromEntries(lotTableNames.map((name) => [name, lotTables[name].doc])),
    columns: Object.fromEntries(lotTableNames.map((name) => [name, columnDocs(name)])),
    run: (connection) => runLots(connection, options),
  }
}

function columnDocs(table: LotTableName): Record<string, string> {
  return Object.fromEntries(Object.entries(lotTables[table].columns).map(([name, { doc }]) => [name, doc]))
}

async function runLots(connection: DuckDBConnection, options: LotsStepOptions): Promise<void> {
  const { selections = new Map(), allocations = [] } = options
  const labels = labelsOf(options, await readCurrency(connection))
  const named = await NamedRows.read(connection, selections, allocations)
  const results = await Results.open(connection, labels)
  const engine = new LotEngine(
    {
      ...options,
      selections: named.selections(selections),
      allocations: named.allocations(allocations),
    },
    results,
  )
  for await (const events of readEvents(connection)) for (const event of events) engine.apply(event)
  engine.finish()
  await results.finish(connection)
}

function labelsOf(options: LotsStepOptions, currency: string | null): Labels {
  const { method, changes = [] } = options
  const rules = method === 'uk' || method === 'ca' ? method : 'generic'
  const { holding = { rules, timeZone: 'UTC', termOf: null } } = options
  return {
    rules: holding.rules,
    currency,
    methodAt: (us) => changes.findLast((change) => change.fromUs <= us)?.method ?? method,
    lastMethod: changes.at(-1)?.method ?? method,
    heldFor: heldBy(holding),
  }
}
