// `tieout sql`: where the answer to a query in the user's own SQL is written. answer.ts produces it.
import { type Clock, systemClock } from '../../models/clock.ts'
import { UsageError } from '../../models/error.ts'
import { type EngineSettings, engineSettings, OPTION } from '../engine/settings.ts'
import { type Disk, nodeDisk } from '../journal/disk.ts'
import { DEFAULT_TIMEOUT_MS } from '../ledger/limits.ts'
import { outFile, type Pieces, type Terminal, writeFileFrom, writeOut } from '../output/deliver.ts'
import type { Answer, QueryFormat } from './question.ts'

export interface QueryOptions {
  readonly format: QueryFormat
  /** File, or folder for a file `query.csv`, `query.txt` and so on; standard output if absent. */
  readonly out?: string
  readonly terminal: Terminal
  /** What answers: a child process, or this process. */
  readonly answer: Answer
  /** Time limit until the last row; 10 minutes by default. */
  readonly timeoutMs?: number
  /** What DuckDB may use: all of it, because a user's query has nowhere to spill to. */
  readonly engine?: EngineSettings
  /** Memory limit to use instead, as DuckDB writes it. */
  readonly memoryLimit?: string
  readonly clock?: Clock
  readonly signal?: AbortSignal
  readonly disk?: Disk
}

/**
 * Runs one reading statement on the published ledger of `dir`, writes the result and returns the file, or null for
 * standard output. UsageError (code 2) for
 * a statement that does not only read, for SQL that DuckDB refuses, and for a path that cannot be written.
 */
export async function runQuery(dir: string, query: string, options: QueryOptions): Promise<string | null> {
  const { format, out, terminal, disk = nodeDisk } = options
  if (format === 'parquet' && out === undefined) {
    throw new UsageError('Parquet cannot be written to a terminal.', {
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
  return file
}
