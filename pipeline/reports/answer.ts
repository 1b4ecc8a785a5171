// Answers a question in the user's own SQL from the published ledger. The query can read and do nothing else:
// the ledger is opened read-only, without files, network or settings, and the gate admits only statements
// that read.
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { TieoutError, UsageError } from '../../models/error.ts'
import { queryOutOfMemory } from '../engine/out-of-memory.ts'
import { type Ledger, openLedger } from '../ledger/ledger.ts'
import { type QueryResult, readRows } from '../ledger/session.ts'
import type { Column, RawResult, RowBatches } from '../output/column.ts'
import { csvText } from '../output/csv.ts'
import { forScreen, type Pieces } from '../output/deliver.ts'
import { jsonText } from '../output/json.ts'
import { writeParquet } from '../output/parquet.ts'
import { screenTable } from '../output/screen.ts'
import { makeSpillFolder } from '../output/spill.ts'
import { tableText } from '../output/table.ts'
import { readingStatement } from './gate.ts'
import { bytesOf } from './memory.ts'
import type { Answer, QueryFormat, Question } from './question.ts'

/** Answers in this process, whose memory is protected by nothing but DuckDB's own limit. */
export const answerHere: Answer = async (question, stopping, deliver) => {
  const { dir, engine, timeoutMs } = question
  bytesOf(engine.memoryLimit)
  const ledger = await openLedger(dir, { ...stopping, engine, timeoutMs, sealed: true })
  try {
    await answerFrom(ledger, question, deliver)
  } finally {
    ledger.close()
  }
}

/** Answers from an open, sealed ledger. */
export async function answerFrom(
  ledger: Ledger,
  question: Question,
  deliver: (pieces: Pieces) => Promise<void>,
): Promise<void> {
  const session = await ledger.session()
  try {
    const statement = await readingStatement(session, question.query)
    await deliver(piecesOf(question, await session.start(statement)))
  } catch (error) {
    throw refused(ledger, error)
  } finally {
    session.end()
  }
}

function piecesOf(question: Question, result: RawResult): Pieces {
  const { format, width } = question
  if (format === 'parquet') return parquetPieces(result, question)
  return printed(readRows(result), format, width)
}

/** Rows in one of the text formats. */
export function printed(
  { columns, rows }: QueryResult,
  format: Exclude<QueryFormat, 'parquet'>,
  width: number | undefined,
): Pieces {
  switch (format) {
    case 'csv':
      return forScreen(width, csvText(columns, rows))
    case 'json':
      return forScreen(width, jsonText(columns, rows))
    case 'table':
      return width === undefined ? tableText(columns, rows) : screenText(columns, rows, width)
  }
}

async function* screenText(columns: readonly Column[], rows: RowBatches, width: number): Pieces {
  const { table, notShown } = await screenTable(columns, rows, { width })
  yield `${[table, ...notShown].join('\n')}\n`
}

/** DuckDB writes Parquet only to files, so the answer goes through a private temporary file. */
async function* parquetPieces(result: RawResult, { engine }: Question): Pieces {
  const folder = makeSpillFolder()
  const file = join(folder.path, 'query.parquet')
  try {
    // The rows are buffered while the query that produces them still runs, and may spill.
    const limit = `${Math.ceil(bytesOf(engine.memoryLimit) / 4e6)}MB`
    await writeParquet(file, result, limit, { threads: engine.threads })
    yield* createReadStream(file)
  } finally {
    folder.remove()
  }
}

/** Turns the failure of a user's query into our own error. */
export function refused(ledger: Ledger, error: unknown): TieoutError {
  if (error instanceof TieoutError) return error
  return queryOutOfMemory(ledger.room, error) ?? refusedQuery(ledger, error)
}

/** DuckDB's message with its position in the query, and what can be queried instead. */
function refusedQuery(ledger: Ledger, cause: unknown): UsageError {
  const said = (cause as Error).message.replaceAll('\t', '  ').split('\n')
  return new UsageError('The query was refused.', {
    found: said.map((line, index) => (index === 0 || line === '' ? line : `            ${line}`)).join('\n'),
    action: remedyOf(said[0] ?? '', ledger),
    cause,
  })
}

/** What helps: a list of the tables if one was not found, and the exact macro if a product overflows. */
function remedyOf(said: string, ledger: Ledger): string {
  if (/^Catalog Error: Table/.test(said))
    return `Correct the query. Tables: ${[...ledger.tables.keys()].join(', ')}.`
  if (/Overflow in multiplication of DECIMAL/.test(said))
    return 'Amounts have 18 decimals, so their product overflows. Use exact_multiply(a, b) instead of a * b.'
  return 'Correct the query; `tieout tables` lists what can be queried.'
}
