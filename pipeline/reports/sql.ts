// One question to the published ledger in the user's own SQL: it reads, and can do nothing else.
// The ledger is open read-only, without files, network or settings; DuckDB itself says what kind of statement it is.
import { type DuckDBPreparedStatement, StatementType } from '@duckdb/node-api'
import type { Clock } from '../../models/clock.ts'
import { TieoutError, UsageError } from '../../models/error.ts'
import { type Disk, nodeDisk } from '../disk.ts'
import { queryOutOfMemory } from '../engine/out-of-memory.ts'
import type { EngineSettings } from '../engine/settings.ts'
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
import { type Ledger, openLedger } from './ledger.ts'
import { type QueryResult, readRows, type Session } from './session.ts'

export const QUERY_FORMATS = ['table', 'csv', 'json', 'parquet'] as const
export type QueryFormat = (typeof QUERY_FORMATS)[number]

export interface QueryOptions {
  readonly format: QueryFormat
  /** File, or folder for a file `query.<format>`; standard output when absent. */
  readonly out?: string
  readonly terminal: Terminal
  readonly timeoutMs?: number
  /** Of which a reader takes a part, unless `memoryLimit` says how much. */
  readonly engine?: EngineSettings
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
  const ledger = await openLedger(dir, options)
  try {
    const session = await ledger.session()
    const statement = await readingStatement(session, query)
    const result = await session.start(statement)
    if (format === 'parquet') {
      const limit = ledger.room.memoryLimit
      await replaceFile(disk, file as string, (path) => writeParquet(path, result, limit, ledger.room))
      return
    }
    const pieces = textOf(format, readRows(result), file === null ? options.terminal.width : undefined)
    if (file === null) await writeOut(options.terminal.stdout, pieces)
    else await writeFileFrom(disk, file, pieces)
  } catch (error) {
    throw error instanceof TieoutError
      ? error
      : (queryOutOfMemory(ledger.room, error) ?? refusedQuery(ledger, error))
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

/** select, with, from, values, table, describe, show, summarize and explain are these two to DuckDB. */
const READING: ReadonlySet<StatementType> = new Set([StatementType.SELECT, StatementType.EXPLAIN])

const COMMENTS = /--[^\n]*|\/\*[\s\S]*?\*\//g

/** The one statement of the query, prepared; UsageError when it is not one that reads. */
async function readingStatement(session: Session, query: string): Promise<DuckDBPreparedStatement> {
  const expected = 'one statement that reads: select, with, from, values, describe, show, summarize, explain'
  if (/^[\s;]*$/.test(query.replace(COMMENTS, ''))) {
    throw new UsageError('The query is empty.', {
      expected,
      action: 'For example: tieout sql "from balances"',
    })
  }
  const statements = await session.connection.extractStatements(query)
  if (statements.count > 1) {
    throw new UsageError('The query is more than one statement.', {
      expected,
      found: `${statements.count} statements`,
      action:
        'Run them one by one. A pivot is one statement only when it lists its values: `on column in (…)`.',
    })
  }
  const statement = await session.run(() => statements.prepare(0))
  if (!READING.has(statement.statementType)) {
    throw new UsageError('The statement does not only read, and the published ledger is for reading.', {
      expected,
      found: StatementType[statement.statementType],
      action: 'Query the ledger, or copy ledger.duckdb and change the copy with DuckDB.',
    })
  }
  if (statement.parameterCount > 0) {
    throw new UsageError('The query has places for values that it was not given.', {
      found: `$${statement.parameterName(1)}`,
      action: 'Write the value into the query.',
    })
  }
  return statement
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
