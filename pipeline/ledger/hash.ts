// One hash over the contents of the published ledger, so that two builds can be compared: rebuilt from the
// journal, run by run, or backfilled in any order, the same records give the same hash. Anything that depends
// on when runs happened is excluded: page numbers, when something was seen, runs, coverage, versions that the
// venue has since changed, the present state of things and the prices read from it, rows without an identity,
// breaks about the fetching itself, and the version that built it and when.
import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { identifier } from '../engine/quote.ts'
import { engineSettings, forFile, instanceOptions, readerSettings } from '../engine/settings.ts'
import { makeSpillFolder } from '../output/spill.ts'
import { feedRecords, recordItems } from './feeds.ts'
import type { FeedRecord } from './records.ts'

const LEFT_OUT_COLUMNS: ReadonlySet<string> = new Set([
  'page_id',
  'page_row',
  'first_seen_at',
  'last_seen_at',
  'run_id',
  'import_id',
  'imported_at',
  'explanation',
  'evidence',
  'figures_hash',
  // Hashed under a key that is random for each folder of books.
  'counterparty_id',
])

const isOfThePresent = ({ record }: FeedRecord): boolean =>
  record.nature === 'snapshot' || record.key.length === 0

const LEFT_OUT_TABLES: ReadonlySet<string> = new Set([
  'about',
  'made_tables',
  'runs',
  'coverage',
  'fetched_ranges',
  // Beginnings depend on what was fetched, and the calendar ends with the last run.
  'beginnings',
  'wallet_beginnings',
  'calendar',
  'price_sources',
  'open_orders_now',
  'positions_now',
  'unrealised',
  ...feedRecords.filter(isOfThePresent).map(({ record }) => record.table),
  ...recordItems.filter(isOfThePresent).map(({ items }) => items.table),
])

/** Tables with a column is_current. */
const RECORD_TABLES: ReadonlySet<string> = new Set([
  ...feedRecords.map(({ record }) => record.table),
  ...recordItems.map(({ items }) => items.table),
])

/** Checks about what was fetched or read when, not about the content of the records. */
const LEFT_OUT_CHECKS = [
  'coverage',
  'missing_credential',
  'drift',
  'unread_values',
  'quarantined_rows',
  'changed_record',
  'partition_clash',
  'retention_expiring',
  'price_sources',
  'positions',
  'balance_snapshots',
  'ltv_totals',
]

/** Hex SHA-256 over the tables of schema main; memory does not grow with the ledger. */
export async function ledgerHash(path: string): Promise<string> {
  return hashOfTables(await tableHashes(path))
}

/** The hash of a ledger from the hashes of its tables. */
export function hashOfTables(hashes: ReadonlyMap<string, string>): string {
  const whole = createHash('sha256')
  for (const [table, hash] of hashes) whole.update(`${table} ${hash}\n`)
  return whole.digest('hex')
}

/** The same by table, to show where two ledgers differ. */
export async function tableHashes(path: string): Promise<Map<string, string>> {
  const spill = makeSpillFolder(join(dirname(path), 'tmp'))
  const instance = await DuckDBInstance.create(path, {
    access_mode: 'READ_ONLY',
    ...instanceOptions(forFile(readerSettings(engineSettings()), path)),
    temp_directory: spill.path,
  })
  const connection = await instance.connect()
  try {
    await connection.run("set timezone = 'UTC'")
    await connection.run('begin transaction')
    return await hashesOf(connection)
  } finally {
    connection.closeSync()
    instance.closeSync()
    spill.remove()
  }
}

/**
 * The same for a ledger that is already open, with its times in UTC, on a connection that is in a
 * transaction.
 */
export async function hashesOf(connection: DuckDBConnection): Promise<Map<string, string>> {
  const hashes = new Map<string, string>()
  for (const [table, columns] of await comparedColumns(connection)) {
    hashes.set(table, await hashRows(connection, table, columns))
  }
  return hashes
}

async function comparedColumns(connection: DuckDBConnection): Promise<Map<string, string[]>> {
  const reader = await connection.runAndReadAll(
    `select table_name, column_name from duckdb_columns()
     where schema_name = 'main' and not internal order by table_name, column_name`,
  )
  const tables = new Map<string, string[]>()
  for (const [table, column] of reader.getRowsJson() as [string, string][]) {
    if (LEFT_OUT_TABLES.has(table) || LEFT_OUT_COLUMNS.has(column)) continue
    tables.set(table, [...(tables.get(table) ?? []), column])
  }
  return tables
}

/**
 * Rows as text, hashed one by one and then together in the order of their hashes. A stream that fails looks
 * like one that has ended, so it runs in a transaction, which then refuses any further statement.
 */
async function hashRows(
  connection: DuckDBConnection,
  table: string,
  columns: readonly string[],
): Promise<string> {
  const cells = columns.map((column) => `coalesce(cast(${identifier(column)} as varchar), chr(0))`)
  const rows = await connection.stream(
    `select sha256(concat_ws(chr(1), ${cells.join(', ')})) as row_hash from main.${identifier(table)} ${whatCounts(table)}
     order by row_hash`,
  )
  const hash = createHash('sha256').update(columns.join(','))
  for (;;) {
    const chunk = await rows.fetchChunk()
    if (chunk === null || chunk.rowCount === 0) break
    hash.update(chunk.getColumnValues(0).join(''))
  }
  await connection.run('select 1')
  return hash.digest('hex')
}

function whatCounts(table: string): string {
  if (RECORD_TABLES.has(table)) return 'where is_current'
  if (table === 'prices') return "where source not in ('marks', 'ltv')"
  if (table !== 'breaks') return ''
  const checks = LEFT_OUT_CHECKS.map((name) => `'${name}'`).join(', ')
  return `where status <> 'resolved' and check_name not in (${checks})`
}
