// The landing file, attached to an in-memory DuckDB as `landing`, with its schema checked or created. A file is opened
// only once per process: DuckDB does not notice a second instance and silently loses rows.
import { chmodSync, existsSync, mkdirSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { TieoutError } from '../../models/error.ts'
import type { RecordType } from '../../models/record.ts'
import { identifier, literal } from '../engine/quote.ts'
import { completed, type EngineSettings, forFile, instanceOptions, isSmallFile } from '../engine/settings.ts'
import type { Table } from '../engine/table.ts'
import {
  alreadyOpen,
  damagedFile,
  missing,
  newer,
  notClosed,
  notOpened,
  older,
  unreadable,
} from './errors.ts'
import { countedTables, createTableSql, SCHEMA_VERSION, tablesOf } from './tables.ts'

/** Memory and threads default to a share of the machine. */
export interface FileOptions extends Partial<EngineSettings> {
  /** Every record type that may land; each has its table even if it is empty. */
  readonly records: readonly RecordType[]
  readonly readOnly?: boolean
  /** Where DuckDB spills; by default `tmp` beside the file. */
  readonly tempDir?: string
}

export interface OpenFile {
  readonly path: string
  readonly instance: DuckDBInstance
  readonly connection: DuckDBConnection
  /** The limits of the instance. */
  readonly engine: EngineSettings
  readonly tables: ReadonlyMap<string, Table>
  readonly landedSeq: number
  readonly chain: string | null
  /** Lets the instance use all its threads once the file has become large. */
  grown(): Promise<void>
  /** An instance that has failed is not `intact`: it can write no more, and what is committed is in its log. */
  close(intact: boolean): Promise<void>
}

const OWNER_ONLY = 0o600

/**
 * Personal data from the venue is readable only by the owner, as in the journal, even in a folder that others can
 * enter: DuckDB creates the file and its log with the umask's permissions. The log is removed and recreated, so this is
 * repeated after each commit.
 */
export function keepPrivate(path: string): void {
  for (const file of [path, `${path}.wal`]) {
    const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? OWNER_ONLY
    if ((mode & 0o777) === OWNER_ONLY) continue
    try {
      chmodSync(file, OWNER_ONLY)
    } catch {
      // Another user's file, or a file system without modes: whoever set that up controls who can read it.
    }
  }
}

const openPaths = new Set<string>()

/** One name for a file, whatever links its folder is reached by. */
function realName(path: string): string {
  const folder = dirname(path)
  return existsSync(folder) ? join(realpathSync(folder), basename(path)) : path
}

/** Whether this process has the file open. */
export const isOpen = (file: string): boolean => openPaths.has(realName(resolve(file)))

/**
 * Throws a LandingError for a file that is locked, damaged or of another version, and a UsageError if there is none to
 * read.
 */
export async function openFile(file: string, options: FileOptions): Promise<OpenFile> {
  const path = resolve(file)
  const readOnly = options.readOnly === true
  if (readOnly && !existsSync(path)) throw missing(path)
  if (!readOnly) mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  if (isOpen(path)) throw alreadyOpen(path)
  const name = realName(path)
  openPaths.add(name)
  const engine = completed(options)
  let instance: DuckDBInstance | undefined
  try {
    instance = await createInstance(path, forFile(engine, path), options.tempDir)
    const connection = await instance.connect()
    await attach(connection, path, readOnly)
    if (!readOnly) keepPrivate(path)
    const tables = new Map(tablesOf(options.records).map((table) => [table.name, table]))
    const state = await checkSchema(connection, path, tables, readOnly)
    await checkCounts(connection, path, tables, state.rowTotal)
    const close = async (intact: boolean): Promise<void> => {
      try {
        if (intact) await letGo(connection, path, readOnly, engine)
      } finally {
        connection.closeSync()
        instance?.closeSync()
        openPaths.delete(name)
      }
    }
    let isSmall = isSmallFile(path)
    const grown = async (): Promise<void> => {
      if (!isSmall || isSmallFile(path)) return
      isSmall = false
      await connection.run(`set threads = ${engine.threads}`)
    }
    const { landedSeq, chain } = state
    return { path, instance, connection, engine, tables, landedSeq, chain, grown, close }
  } catch (error) {
    instance?.closeSync()
    openPaths.delete(name)
    throw error instanceof TieoutError ? error : unreadable(path, error, engine)
  }
}

/** Writes everything into the file, so that it needs no log, and releases it even if a connection is still open. */
async function letGo(
  connection: DuckDBConnection,
  path: string,
  readOnly: boolean,
  engine: EngineSettings,
): Promise<void> {
  try {
    if (!readOnly) await connection.run('checkpoint landing')
    await connection.run('detach landing')
  } catch (cause) {
    throw await notClosed(path, cause, engine)
  }
}

function createInstance(path: string, engine: EngineSettings, tempDir?: string): Promise<DuckDBInstance> {
  return DuckDBInstance.create(':memory:', {
    autoinstall_known_extensions: 'false',
    ...instanceOptions(engine),
    temp_directory: tempDir ?? join(dirname(path), 'tmp'),
  })
}

async function attach(connection: DuckDBConnection, path: string, readOnly: boolean): Promise<void> {
  await connection.run("set global TimeZone = 'UTC'")
  try {
    await connection.run(`attach ${literal(path)} as landing${readOnly ? ' (read_only)' : ''}`)
  } catch (cause) {
    throw notOpened(path, cause)
  }
}

interface State {
  readonly landedSeq: number
  readonly chain: string | null
  readonly rowTotal: bigint
}

/**
 * Creates the tables of a new file, and refuses a file whose tables are not the declared ones. This includes a missing
 * table that could be added, since the journal may hold rows for it that have never landed.
 */
async function checkSchema(
  connection: DuckDBConnection,
  path: string,
  tables: ReadonlyMap<string, Table>,
  readOnly: boolean,
): Promise<State> {
  const found = await foundTables(connection)
  if (!found.has('state')) {
    if (readOnly || found.size > 0) throw older(path, 'no table named state', SCHEMA_VERSION)
    await connection.run('begin')
    await createTables(connection, [...tables.values()])
    await connection.run(`insert into landing.main.state values (${SCHEMA_VERSION}, 0, null, 0)`)
    await connection.run('commit')
    return { landedSeq: 0, chain: null, rowTotal: 0n }
  }
  const state = await readState(connection, path)
  for (const table of tables.values()) {
    const columns = found.get(table.name)
    if (columns === undefined) throw older(path, `no table ${table.name}`, SCHEMA_VERSION)
    if (columns !== describe(table))
      throw older(path, `table ${table.name} with other columns`, SCHEMA_VERSION)
  }
  return state
}

/** The version is checked first: another version's state table may have other columns. */
async function readState(connection: DuckDBConnection, path: string): Promise<State> {
  const versions = await connection.runAndReadAll('select schema_version from landing.main.state')
  const version = versions.getRows()[0]?.[0]
  if (typeof version !== 'number') throw damagedFile(path, 'one row in the table state', 'none')
  if (version < SCHEMA_VERSION) throw older(path, `schema version ${version}`, SCHEMA_VERSION)
  if (version > SCHEMA_VERSION) throw newer(path, version, SCHEMA_VERSION)
  const rows = await connection.runAndReadAll('select landed_seq, chain, row_total from landing.main.state')
  const [landedSeq, chain, rowTotal] = rows.getRows()[0] as [bigint, string | null, bigint]
  return { landedSeq: Number(landedSeq), chain, rowTotal }
}

/** A file that was replaced beside its write-ahead log takes over a state whose rows it does not have. */
async function checkCounts(
  connection: DuckDBConnection,
  path: string,
  tables: ReadonlyMap<string, Table>,
  expected: bigint,
): Promise<void> {
  const all = countedTables(tables.values()).map(
    ({ name }) => `select 1 from landing.main.${identifier(name)}`,
  )
  const rows = await connection.runAndReadAll(`select count(*) from (${all.join(' union all ')})`)
  const found = rows.getRows()[0]?.[0] as bigint
  if (found !== expected) throw damagedFile(path, `${expected} rows in all`, `${found} rows`)
}

const describe = ({ columns }: Table): string =>
  columns
    .map(({ name, kind }) => `${name} ${kind === 'TIMESTAMPTZ' ? 'TIMESTAMP WITH TIME ZONE' : kind}`)
    .join(', ')

/** Columns of each table in the file, as `describe` spells them. */
async function foundTables(connection: DuckDBConnection): Promise<ReadonlyMap<string, string>> {
  const columns = await connection.runAndReadAll(
    `select table_name, column_name || ' ' || data_type from duckdb_columns()
     where database_name = 'landing' and schema_name = 'main' order by table_name, column_index`,
  )
  const found = new Map<string, string>()
  for (const [table, column] of columns.getRows() as [string, string][]) {
    const earlier = found.get(table)
    found.set(table, earlier === undefined ? column : `${earlier}, ${column}`)
  }
  return found
}

async function createTables(connection: DuckDBConnection, tables: readonly Table[]): Promise<void> {
  if (tables.length > 0) await connection.run(tables.map(createTableSql).join(';\n'))
}
