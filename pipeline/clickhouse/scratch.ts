// A DuckDB beside a build on ClickHouse. It knows the columns of every table, because it builds all of them for books
// in which nothing has landed, and it runs the steps that are not SQL models (the lots, the breaks) on the rows that
// are transferred to it. It is a file under the configured memory limit, and is deleted with the build.
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { closing } from '../../models/closing.ts'
import { identifier, literal } from '../engine/quote.ts'
import { type EngineSettings, instanceOptions } from '../engine/settings.ts'
import type { Disk } from '../journal/disk.ts'
import { carriedColumns } from '../ledger/breaks.ts'
import { discardBuild } from '../ledger/publish.ts'
import { inWorkspace, type Workspace } from '../ledger/workspace.ts'
import { columnsOf } from './transfer.ts'

export interface ScratchOptions {
  readonly dir: string
  readonly engine: EngineSettings
  readonly disk: Disk
  /** A connection of the instance that holds what has landed. */
  readonly landing: DuckDBConnection
  /** Fills the previously published ledger, whose breaks are carried on; it stays empty if absent. */
  readonly previous?: ((connection: DuckDBConnection, table: string) => Promise<void>) | undefined
}

/** Does the work in an empty workspace with a landing database of the same tables, without rows. */
export async function inScratch<T>(
  options: ScratchOptions,
  work: (workspace: Workspace) => Promise<T>,
): Promise<T> {
  const { dir, engine, disk } = options
  const temporary = join(dir, 'tmp')
  const unfinished = join(temporary, `clickhouse-${process.pid}.duckdb`)
  const published = join(temporary, `clickhouse-${process.pid}-before.duckdb`)
  const landing = join(temporary, `clickhouse-${process.pid}-landing.duckdb`)
  const discard = async (): Promise<void> => {
    await discardBuild(disk, unfinished)
    for (const file of [published, landing])
      for (const end of ['', '.wal']) await disk.remove(`${file}${end}`)
  }
  await disk.makeDir(temporary, 0o700)
  await discard()
  const instance = await DuckDBInstance.create(':memory:', {
    ...instanceOptions(engine),
    temp_directory: temporary,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  })
  const connection = await instance.connect()
  const close = async (): Promise<void> => {
    connection.closeSync()
    instance.closeSync()
    await discard()
  }
  return await closing(close, async () => {
    await connection.run("set timezone = 'UTC'")
    await standLanding(connection, options.landing, landing)
    if (options.previous !== undefined) await standPrevious(connection, published, options.previous)
    return await inWorkspace(
      instance,
      { unfinished, published, breakColumns: carriedColumns, threads: engine.threads },
      async (workspace) => {
        // The workspace assumes what has landed here, which is nothing.
        await connection.run(`set threads = ${engine.threads}`)
        return await work(workspace)
      },
    )
  })
}

async function standLanding(
  connection: DuckDBConnection,
  landed: DuckDBConnection,
  file: string,
): Promise<void> {
  await connection.run(`attach ${literal(file)} as landing`)
  const statements = [...(await columnsOf(landed, ['landing']))].map(([table, columns]) => {
    const name = identifier(table.replace('landing.', ''))
    return `create table landing.main.${name} (${[...columns].map(([column, type]) => `${identifier(column)} ${type}`).join(', ')})`
  })
  await connection.run(statements.join(';\n'))
}

async function standPrevious(
  connection: DuckDBConnection,
  file: string,
  fill: NonNullable<ScratchOptions['previous']>,
): Promise<void> {
  await connection.run(`attach ${literal(file)} as earlier`)
  await fill(connection, 'earlier.main.breaks')
  await connection.run('detach earlier')
}
