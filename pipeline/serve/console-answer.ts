// Answers a console query, in a separate process: the rows as lines of JSON while they are read, up to a limit, and a last line
// that states whether they are complete. It uses the same gate and the same sealed ledger as `tieout sql`.
import type { Clock } from '../../models/clock.ts'
import type { EngineSettings } from '../engine/settings.ts'
import { readRows } from '../ledger/session.ts'
import type { Pieces } from '../output/deliver.ts'
import { refused } from '../reports/answer.ts'
import { readingStatement } from '../reports/gate.ts'
import type { ConsoleLine, Stamp } from './api.ts'
import { type Edition, openSealed } from './published.ts'

/** Everything an answer depends on, as passed from one process to the other. */
export interface ConsoleQuestion {
  readonly dir: string
  readonly sql: string
  readonly engine: EngineSettings
  readonly timeoutMs: number
  readonly rowsMax: number
  readonly bytesMax: number
  /** The stamp as the server knows it, because calculating the ledger's hash takes longer than answering a query. */
  readonly known: Stamp
}

export async function answerConsole(
  question: ConsoleQuestion,
  stopping: { readonly clock: Clock; readonly signal: AbortSignal },
  deliver: (pieces: Pieces) => Promise<void>,
): Promise<void> {
  const edition = await openSealed(question.dir, { ...stopping, ...question })
  try {
    await answerConsoleFrom(edition, question, stopping.clock, deliver)
  } finally {
    edition.ledger.close()
  }
}

/** Answers from an edition that has been opened and sealed. */
export async function answerConsoleFrom(
  edition: Edition,
  question: ConsoleQuestion,
  clock: Clock,
  deliver: (pieces: Pieces) => Promise<void>,
): Promise<void> {
  try {
    await deliver(lines(edition, question, clock))
  } catch (error) {
    throw refused(edition.ledger, error)
  }
}

const lineOf = (line: ConsoleLine): string => `${JSON.stringify(line)}\n`

async function* lines({ ledger, stamp }: Edition, question: ConsoleQuestion, clock: Clock): Pieces {
  const { rowsMax, bytesMax } = question
  const began = clock.monotonic()
  const end = (how: 'complete' | 'cut', rows: number, limit?: string): string =>
    lineOf({
      kind: 'end',
      how,
      rows,
      elapsedMs: Math.round(clock.monotonic() - began),
      ...(limit === undefined ? {} : { limit }),
    })
  const isKnown = stamp.publication === question.known.publication
  yield lineOf({ kind: 'begun', stamp: isKnown ? question.known : stamp })
  const session = await ledger.session()
  try {
    const statement = await readingStatement(session, question.sql)
    const { columns, rows } = readRows(await session.start(statement))
    yield lineOf({
      kind: 'columns',
      columns: columns.map(({ name, kind }) => ({ name, kind: kind ?? 'text' })),
    })
    let total = 0
    let bytes = 0
    for await (const batch of rows) {
      const shown = batch.slice(0, rowsMax - total)
      total += shown.length
      if (shown.length > 0) {
        const line = lineOf({ kind: 'rows', total, rows: shown })
        bytes += line.length
        yield line
      }
      if (shown.length < batch.length) return yield end('cut', total, `${rowsMax} rows`)
      if (bytes > bytesMax) return yield end('cut', total, `${Math.round(bytesMax / 1e6)} MB`)
    }
    yield end('complete', total)
  } finally {
    session.end()
  }
}
