// One query from start to end, as the console shows it. Cancelling interrupts the engine.
import { signal } from '@preact/signals'
import type {
  Cell,
  Column,
  ConsoleEnd,
  ConsoleLine,
  ConsoleTicket,
  Failure,
  Stamp,
} from '../../pipeline/serve/api.ts'
import { lines, post, send } from '../state/answer.ts'
import { isOfTheseBooks } from '../state/books.ts'
import { failureOf } from '../state/failure.ts'

export type ResultRow = readonly Cell[]

export interface Result {
  readonly sql: string
  readonly state: 'waiting' | 'running' | 'ended'
  readonly ahead: number
  /** The books that it ran on; null until it has started. */
  readonly stamp: Stamp | null
  readonly columns: readonly Column[]
  readonly rows: readonly ResultRow[]
  readonly end: ConsoleEnd | null
  readonly failure: Failure['error'] | null
}

export const result = signal<Result | null>(null)
/** Milliseconds since the query was sent, until it ended. */
export const elapsedMs = signal(0)

let current: string | null = null

export async function run(sql: string, timeout: number): Promise<void> {
  if (current !== null) await cancel()
  const id = crypto.randomUUID()
  current = id
  const begun = performance.now()
  const tick = setInterval(() => {
    elapsedMs.value = performance.now() - begun
  }, 100)
  elapsedMs.value = 0
  let now: Result = {
    ...{ sql, state: 'waiting', ahead: 0, stamp: null },
    ...{ columns: [], rows: [], end: null, failure: null },
  }
  const show = (change: Partial<Result>): void => {
    now = { ...now, ...change }
    if (current === id) result.value = now
  }
  show({})
  const rows: ResultRow[] = []
  try {
    for await (const line of lines<ConsoleLine>(await post('/api/console/run', { id, sql, timeout }))) {
      if (line.kind === 'waiting') show({ ahead: line.ahead })
      else if (line.kind === 'begun') {
        isOfTheseBooks(line.stamp)
        show({ state: 'running', stamp: line.stamp })
      } else if (line.kind === 'columns') show({ columns: line.columns })
      else if (line.kind === 'rows') {
        rows.push(...line.rows)
        show({ rows: [...rows] })
      } else show({ state: 'ended', end: line, failure: line.error ?? null })
    }
    if (now.end === null) show({ state: 'ended', failure: BROKEN })
  } catch (thrown) {
    // The connection may break in the middle of a row. The rows shown are then incomplete, and the page says so.
    const isPart = now.state === 'running' && thrown instanceof TypeError
    show({ state: 'ended', failure: isPart ? BROKEN : failureOf(thrown) })
  } finally {
    clearInterval(tick)
    elapsedMs.value = performance.now() - begun
    if (current === id) current = null
  }
}

const BROKEN: Failure['error'] = {
  name: 'BrokenOff',
  message: 'The connection was lost before the end of the answer, so rows may be missing.',
  action: 'Run the query again. If the server is not responding, restart `tieout serve` first.',
}

export async function cancel(): Promise<void> {
  if (current !== null) await send('/api/console/cancel', { id: current })
}

/** Lets the browser save all rows of a query. */
export async function download(sql: string, format: 'csv' | 'parquet'): Promise<void> {
  const ticket = await send<ConsoleTicket>('/api/console/download', { sql, format })
  const link = document.createElement('a')
  link.href = (ticket as ConsoleTicket).url
  link.download = ''
  link.click()
}
