// One question to the published ledger in the user's own SQL: it reads, and can do nothing else.
// The ledger is open read-only, without files, network or settings, and the gate lets in only what reads.
import type { Clock } from '../../models/clock.ts'
import { TieoutError, UsageError } from '../../models/error.ts'
import { type Disk, nodeDisk } from '../disk.ts'
import { csvText } from '../output/csv.ts'
import {
  forScreen,
  outFile,
  type Pieces,
  replaceFile,
  type Terminal,
  writeFileFrom,
  writeOut,
} from '../output/deliver.ts'
import { jsonText } from '../output/json.ts'
import { writeParquet } from '../output/parquet.ts'
import { tableText } from '../output/table.ts'
import { readingStatement } from './gate.ts'
import { type Ledger, openLedger } from './ledger.ts'
import { bytesOf, defaultMemory } from './memory.ts'
import { type QueryResult, readRows } from './session.ts'

export const QUERY_FORMATS = ['table', 'csv', 'json', 'parquet'] as const
export type QueryFormat = (typeof QUERY_FORMATS)[number]

export interface QueryOptions {
  readonly format: QueryFormat
  /** File, or folder for a file `query.<format>`; standard output when absent. */
  readonly out?: string
  readonly terminal: Terminal
  readonly timeoutMs?: number
  readonly memoryLimit?: string
  readonly clock?: Clock
  readonly signal?: AbortSignal
  readonly disk?: Disk
}

/**
 * Runs one reading statement on the published ledger of `dir` and writes what it answers.
 * UsageError (code 2) for a statement that does not read, for SQL that DuckDB refuses, and for an unwritable place.
 */
export async function runQuery(dir: string, query: string, options: QueryOptions): Promise<void> {
  const { format, out, disk = nodeDisk } = options
  if (format === 'parquet' && out === undefined) {
    throw new UsageError('Parquet is not written to a terminal.', {
      expected: '--out FILE with --format parquet',
      action: 'Name a file.',
    })
  }
  const file = out === undefined ? null : await outFile(out, `query.${format}`, dir)
  const memoryLimit = options.memoryLimit ?? defaultMemory()
  const ledger = await openLedger(dir, { ...options, memoryLimit, sealed: true })
  try {
    const session = await ledger.session()
    const statement = await readingStatement(session, query)
    const result = await session.start(statement)
    if (format === 'parquet') {
      // The rows wait beside the query that makes them, and may spill there.
      const limit = `${Math.ceil(bytesOf(memoryLimit) / 4e6)}MB`
      await replaceFile(disk, file as string, (path) => writeParquet(path, result, limit))
      return
    }
    const pieces = textOf(format, readRows(result), file === null ? options.terminal.width : undefined)
    if (file === null) await writeOut(options.terminal.stdout, pieces)
    else await writeFileFrom(disk, file, pieces)
  } catch (error) {
    throw error instanceof TieoutError ? error : refusedQuery(ledger, error)
  } finally {
    ledger.close()
  }
}

function textOf(format: 'table' | 'csv' | 'json', result: QueryResult, width: number | undefined): Pieces {
  switch (format) {
    case 'csv':
      return forScreen(width, csvText(result.columns, result.rows))
    case 'json':
      return forScreen(width, jsonText(result.columns, result.rows))
    case 'table':
      return tableText(result.columns, result.rows, width === undefined ? {} : { width })
  }
}

/** What DuckDB said, with its position in the query, and what there is to ask for. */
function refusedQuery(ledger: Ledger, cause: unknown): UsageError {
  const said = (cause as Error).message.split('\n')
  return new UsageError('The query was refused.', {
    found: said.map((line, index) => (index === 0 || line === '' ? line : `            ${line}`)).join('\n'),
    action: `Correct the query. Tables: ${[...ledger.tables.keys()].join(', ')}.`,
    cause,
  })
}
