// The intermediate steps of a published ledger, kept in a file beside it: the next build can rebuild only the
// days that have changed. They belong to one state of the ledger, and are taken away while a build changes
// them: if it fails, or anything else replaces the ledger, the next build makes every step anew.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { literal } from '../engine/quote.ts'
import { type Disk, writeFileAtomic } from '../journal/disk.ts'
import { identityOf } from './identity.ts'
import type { MadeTables } from './kept.ts'
import type { KnownLanded } from './landed.ts'
import { LEDGER_FILE } from './publish.ts'
import { asked, NO_ROWS } from './rows.ts'
import type { Days } from './slices.ts'
import { stepsOf } from './workspace.ts'

export const STEPS_FILE = 'steps.duckdb'

/** Names the published file, as it was when its steps were put beside it. */
export const STEPS_OF_FILE = 'steps.json'

/**
 * Where the steps say which ledger they belong to, up to where landing had been read, and the rows of each day of its tables.
 */
const [OF, LANDED, DAYS] = ['staging.steps_of', 'staging.landed_until', 'table_days']

/** Moves the kept steps to where the build of this unfinished ledger works on them. */
export async function takeSteps(disk: Disk, dir: string, unfinished: string): Promise<void> {
  const kept = join(dir, STEPS_FILE)
  if (existsSync(kept)) await disk.rename(kept, stepsOf(unfinished))
}

/** Moves the steps of the ledger that has just been published beside it. */
export async function keepSteps(disk: Disk, dir: string, unfinished: string): Promise<void> {
  // They repeat what has landed.
  await chmod(stepsOf(unfinished), 0o600)
  await disk.rename(stepsOf(unfinished), join(dir, STEPS_FILE))
  const ledger = identityOf(join(dir, LEDGER_FILE))
  await writeFileAtomic(disk, join(dir, STEPS_OF_FILE), `${JSON.stringify({ ledger })}\n`, 0o600)
}

/** Removes the steps of a ledger that has been replaced. */
export async function removeSteps(disk: Disk, dir: string): Promise<void> {
  for (const name of [STEPS_FILE, STEPS_OF_FILE]) await disk.remove(join(dir, name))
}

/**
 * Whether the published file is the very one that a build put there, and nobody has written to it since: then the rows of
 * its tables are those that it records.
 */
export async function isAsPublished(disk: Disk, dir: string): Promise<boolean> {
  const bytes = await disk.readFile(join(dir, STEPS_OF_FILE))
  try {
    const { ledger } = JSON.parse(String(bytes)) as { readonly ledger?: unknown }
    return typeof ledger === 'string' && ledger === identityOf(join(dir, LEDGER_FILE))
  } catch {
    return false // Not there, or cut off: the tables are read.
  }
}

/** The steps of a published ledger. */
export interface Steps extends KnownLanded {
  /** Its intermediate tables, qualified. */
  readonly tables: ReadonlySet<string>
  /** By table, the rows of each day; what has landed as well. */
  readonly days: ReadonlyMap<string, Days>
}

/** The attached steps; null if they are not those of the ledger with these tables. */
export async function readSteps(connection: DuckDBConnection, published: MadeTables): Promise<Steps | null> {
  const ask = asked(connection)
  try {
    const [[ledger] = []] = await ask(`select ledger from ${OF}`)
    if (ledger !== stateOf(published)) return null
    const tables = await ask("select table_name from duckdb_tables() where database_name = 'staging'")
    const days = new Map<string, Map<string, { count: number; hash: string }>>()
    for (const [table, day, count, hash] of await ask(
      `select table_name, day, row_count, rows_hash from staging.${DAYS}`,
    )) {
      const own = days.get(String(table)) ?? new Map()
      days.set(String(table), own.set(String(day), { count: Number(count), hash: String(hash) }))
    }
    const [[seq, pages] = []] = await ask(`select seq, pages_hash from ${LANDED}`)
    return {
      tables: new Set(tables.map(([table]) => `staging.${String(table)}`)),
      days,
      until: typeof seq === 'string' && typeof pages === 'string' ? { seq: BigInt(seq), pages } : null,
    }
  } catch {
    return null
  }
}

/** Removes the tables of steps that belong to no ledger, except those that are given anew. */
export async function clearSteps(connection: DuckDBConnection, given: readonly string[]): Promise<void> {
  const reader = await connection.runAndReadAll(
    `select 'table', table_name from duckdb_tables() where database_name = 'staging'
     union all select 'view', view_name from duckdb_views() where database_name = 'staging' and not internal`,
  )
  const drops = reader
    .getRowsJson()
    .filter(([, name]) => !given.includes(`staging.${String(name)}`))
    .map(([kind, name]) => `drop ${kind} staging.${String(name)}`)
  if (drops.length > 0) await connection.run(drops.join(';\n'))
}

/** Notes in the steps which ledger they belong to, and writes them to their file. */
export async function writeSteps(
  connection: DuckDBConnection,
  published: MadeTables,
  { days, until }: KnownLanded,
): Promise<void> {
  await connection.run(`create or replace table ${OF} as select ${literal(stateOf(published))} as ledger`)
  const [seq, pages] = until === null ? ['null', 'null'] : [until.seq, literal(until.pages)]
  await connection.run(
    `create or replace table ${LANDED} as select cast(${seq} as bigint) as seq, cast(${pages} as varchar) as pages_hash`,
  )
  await connection.run(
    `create or replace table staging.${DAYS} (table_name varchar, day varchar, row_count bigint, rows_hash varchar)`,
  )
  const appender = await connection.createAppender(DAYS, 'main', 'staging')
  // A table without rows is known too.
  for (const [table, own] of days)
    for (const [day, { count, hash }] of own.size === 0 ? [['', NO_ROWS] as const] : own) {
      appender.appendVarchar(table)
      appender.appendVarchar(day)
      appender.appendBigInt(BigInt(count))
      appender.appendVarchar(hash)
      appender.endRow()
    }
  appender.closeSync()
  await connection.run('checkpoint staging')
}

/** A hash of what a ledger says of its tables. */
function stateOf(made: MadeTables): string {
  const rows = [...made].map(([table, one]) => [table, one.decidedBy, one.count, one.hash, one.madeAt])
  return createHash('sha256').update(JSON.stringify(rows.toSorted())).digest('hex')
}
