// `tieout sql`: where the answer to a query in the user's own SQL goes. What answers it stands in answer.ts.
import { type Clock, systemClock } from '../../models/clock.ts'
import { UsageError } from '../../models/error.ts'
import { type EngineSettings, engineSettings, OPTION } from '../engine/settings.ts'
import { type Disk, nodeDisk } from '../journal/disk.ts'
import { DEFAULT_TIMEOUT_MS } from '../ledger/limits.ts'
import { outFile, type Pieces, type Terminal, writeFileFrom, writeOut } from '../output/deliver.ts'
import type { Answer, QueryFormat } from './question.ts'

export interface QueryOptions {
  readonly format: QueryFormat
  /** File, or folder for a file `query.csv`, `query.txt` and so on; standard output when absent. */
  readonly out?: string
  readonly terminal: Terminal
  /** Who answers: a process apart, or this one. */
  readonly answer: Answer
  /** Longest time until the last row; 10 minutes by default. */
  readonly timeoutMs?: number
  /** What DuckDB may use: all of it, since a query of the user's has nothing to spill to. */
  readonly engine?: EngineSettings
  /** What it may use instead, as DuckDB writes it. */
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
  const { format, out, terminal, disk = nodeDisk } = options
  if (format === 'parquet' && out === undefined) {
    throw new UsageError('Parquet is not written to a terminal.', {
      expected: '--out FILE with --format parquet',
      action: 'Name a file.',
    })
  }
  const file =
    out === undefined ? null : await outFile(out, `query.${format === 'table' ? 'txt' : format}`, dir)
  const share = options.engine ?? engineSettings()
  const { memoryLimit } = options
  const engine = memoryLimit === undefined ? share : { ...share, memoryLimit, memoryFrom: OPTION }
  const isWhole = format === 'table' && terminal.wide === true
  const question = {
    dir,
    query,
    format,
    engine,
    timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    ...(file === null && terminal.width !== undefined && !isWhole ? { width: terminal.width } : {}),
  }
  const stopping = {
    clock: options.clock ?? systemClock,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  }
  const deliver = (pieces: Pieces): Promise<void> =>
    file === null ? writeOut(terminal.stdout, pieces) : writeFileFrom(disk, file, pieces)
  await options.answer(question, stopping, deliver)
}
