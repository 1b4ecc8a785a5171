// Writes as the books know them: what was about to be sent, and what became of it. A write with unknown outcome stays
// open until it is found at the venue or settled by hand, and is never sent a second time in the meantime.
import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api'
import { findEndpoint } from '../../connectors/catalogue.ts'
import type { Clock } from '../../models/clock.ts'
import type { Frame, FrameMeta, Journal, WriteOutcome } from '../journal/frame.ts'
import type { Landing } from '../landing/landing.ts'

export interface Write {
  /** Number of the intent's frame. */
  readonly seq: number
  readonly account: string
  /** Contract name. */
  readonly endpoint: string
  readonly path: string
  /** As sent, without secrets; null once erased. */
  readonly body: string | null
  /** Unix milliseconds. */
  readonly intendedAt: number
  /** Null if the process ended before recording it. */
  readonly outcome: WriteOutcome | null
  readonly code: string | null
  readonly message: string | null
}

type Row = [
  bigint,
  string,
  string,
  string,
  string | null,
  bigint,
  WriteOutcome | null,
  string | null,
  string | null,
]

/** Every write of these books, oldest first. The landing database must be attached as `landing`. */
export async function readWrites(connection: DuckDBConnection): Promise<Write[]> {
  return select(connection, 'true', [])
}

/** Writes with unknown outcome, oldest first, of one account or of all. */
export async function unsettledWrites(connection: DuckDBConnection, account?: string): Promise<Write[]> {
  const open = `(outcome is null or outcome = 'unknown')`
  return account === undefined
    ? select(connection, open, [])
    : select(connection, `${open} and account = $1`, [account])
}

async function select(connection: DuckDBConnection, where: string, values: DuckDBValue[]): Promise<Write[]> {
  const result = await connection.runAndReadAll(
    `select seq, account, endpoint, path, body, epoch_ms(intended_at), outcome, code, message
     from landing.main.writes where ${where} order by seq`,
    values,
  )
  return (result.getRows() as Row[]).map(
    ([seq, account, endpoint, path, body, intendedAt, outcome, code, message]) => ({
      seq: Number(seq),
      ...{ account, endpoint, path, body },
      intendedAt: Number(intendedAt),
      ...{ outcome, code, message },
    }),
  )
}

/** The message about a write with unknown outcome, and how to settle it. */
export function describeUnsettled(write: Write): string {
  const { seq, account, endpoint, intendedAt, outcome } = write
  const why =
    outcome === null ? 'the process ended before the answer arrived' : 'no conclusive answer arrived'
  const when = new Date(intendedAt).toISOString()
  return [
    `Write ${seq} (${endpoint} of account ${account}, ${when}) may have been carried out: ${why}.`,
    `  next:     ${howToSettle(write)}`,
  ].join('\n')
}

/** How to find out what became of a write, and how to record it. */
export function howToSettle({ seq, endpoint }: Write): string {
  const where = findEndpoint(endpoint)?.outcome ?? 'Look at the account itself.'
  return `${where} Then: tieout writes --settle ${seq} --as done, or --as refused.`
}

/** What a frame is written to. */
export interface Stores {
  readonly journal: Pick<Journal, 'append'>
  readonly landing: Pick<Landing, 'land'>
}

/** Journals a frame and lands it. */
export async function record(stores: Stores, meta: FrameMeta, body?: Uint8Array): Promise<Frame> {
  const frame = await stores.journal.append(meta, body)
  await stores.landing.land([frame])
  return frame
}

export interface Settlement {
  readonly outcome: WriteOutcome
  readonly code: string
  /** Our own words; null if the venue's are in the body. */
  readonly reason: string | null
}

/** Journals the outcome of a write. */
export async function settle(
  stores: Stores,
  clock: Clock,
  run: string,
  intent: number,
  settlement: Settlement,
  answer: { readonly body: Buffer; readonly redacted: number } = { body: Buffer.alloc(0), redacted: 0 },
): Promise<void> {
  const at = new Date(clock.wall()).toISOString()
  const redacted = answer.redacted === 0 ? {} : { redacted: answer.redacted }
  await record(stores, { kind: 'write-outcome', at, run, intent, ...settlement, ...redacted }, answer.body)
}
