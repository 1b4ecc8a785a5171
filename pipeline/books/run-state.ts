// The progress of a run, in a small file in the folder of the books, for anyone watching from another process. The file
// is replaced as a whole, at most four times a second and using at most a twentieth of the time, and is removed when
// the run ends. A process that died leaves its file behind, which is how its death is recognised. Nothing depends on
// the file: one that cannot be written or read is treated as missing.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { spendingOf } from '../../connectors/budgets.ts'
import { findEndpoint } from '../../connectors/catalogue.ts'
import type { Clock } from '../../models/clock.ts'
import { budgetOverrides, type Config } from '../config/config.ts'
import { describeSelf, holderSchema, mayLive } from '../journal/lock.ts'
import type { Progress } from '../sync/context.ts'

export const RUN_STATE_FILE = 'run-state.json'

const WRITE_EVERY_MS = 250
/** A thousand accounts make a large file, so it is written less often. */
const SHARE_OF_TIME = 1 / 20
const NOTES_KEPT = 20

const feedSchema = z.object({
  account: z.string(),
  feed: z.string(),
  requestsDone: z.int(),
  requestsPlanned: z.int(),
  rows: z.int(),
  /** Requests a minute that the budget of the feed allows; null for a feed without one. */
  budgetPerMinute: z.number().nullable(),
  /** How it ended; null while it is being fetched. */
  status: z.string().nullable(),
})

const schema = z.object({
  process: holderSchema,
  run: z.string(),
  phase: z.enum(['fetching', 'building']),
  updatedAt: z.string(),
  /** Milliseconds from the start to the last page. */
  fetchingMs: z.number(),
  feeds: z.array(feedSchema),
  notes: z.array(z.string()),
})

export type RunState = z.infer<typeof schema>
type FeedState = z.infer<typeof feedSchema>

export interface RunStateWriter {
  readonly report: (event: Progress) => void
  /** Fetching is finished; the books are being built. */
  readonly building: () => void
  /** The run has ended: the file is removed. */
  readonly end: () => void
}

export interface RunStateOptions {
  readonly run: string
  readonly command: string
  readonly clock: Clock
  readonly config: Config
}

/** Starts reporting the run of this process, which holds the lock of the books in `dir`. */
export async function tellRun(dir: string, options: RunStateOptions): Promise<RunStateWriter> {
  const { run, command, clock, config } = options
  const began = clock.monotonic()
  const state = {
    process: await describeSelf(command, clock),
    run,
    phase: 'fetching' as RunState['phase'],
    fetchingMs: 0,
    notes: [] as string[],
  }
  const feeds = new Map<string, FeedState>()
  const over = new AbortController()
  const file = join(dir, RUN_STATE_FILE)
  const temporary = `${file}.${process.pid}`
  let nextAt = Number.NEGATIVE_INFINITY
  let isWaiting = false

  const write = (): void => {
    const startedAt = clock.monotonic()
    const text = JSON.stringify({
      ...state,
      updatedAt: new Date(clock.wall()).toISOString(),
      feeds: [...feeds.values()],
    } satisfies RunState)
    try {
      writeFileSync(temporary, text, { mode: 0o600 })
      renameSync(temporary, file)
    } catch {} // A full disk is reported elsewhere.
    const tookMs = clock.monotonic() - startedAt
    nextAt = startedAt + Math.max(WRITE_EVERY_MS, tookMs / SHARE_OF_TIME)
  }
  const writeSoon = (): void => {
    if (isWaiting || over.signal.aborted) return
    const waitMs = nextAt - clock.monotonic()
    if (waitMs <= 0) {
      write()
      return
    }
    isWaiting = true
    void clock.sleep(waitMs, over.signal).then(() => {
      isWaiting = false
      if (!over.signal.aborted) write()
    })
  }
  const feedOf = (account: string, feed: string): FeedState => {
    const known = feeds.get(`${account} ${feed}`)
    if (known !== undefined) return known
    const budgetPerMinute = budgetOf(config, account, feed)
    const made = {
      account,
      feed,
      requestsDone: 0,
      requestsPlanned: 0,
      rows: 0,
      budgetPerMinute,
      status: null,
    }
    feeds.set(`${account} ${feed}`, made)
    return made
  }
  write()
  return {
    report: (event) => {
      if (event.kind === 'note') {
        state.notes = [...state.notes, event.text].slice(-NOTES_KEPT)
        writeSoon()
        return
      }
      const feed = feedOf(event.account, event.feed)
      if (event.kind === 'planned') feed.requestsPlanned += event.requests
      if (event.kind === 'finished') feed.status = event.status
      if (event.kind === 'page') {
        feed.requestsDone += 1
        feed.rows += event.rows
        state.fetchingMs = Math.round(clock.monotonic() - began)
      }
      writeSoon()
    },
    building: () => {
      state.phase = 'building'
      write()
    },
    end: () => {
      over.abort()
      for (const path of [temporary, file]) rmSync(path, { force: true })
    },
  }
}

function budgetOf(config: Config, account: string, feed: string): number | null {
  const endpoint = findEndpoint(feed)
  if (endpoint === undefined) return null
  const uid = config.accounts[account]?.uid
  const access = { name: account, ...(uid === undefined ? {} : { uid }) }
  const { count, perMs } = spendingOf(access, endpoint, budgetOverrides(config)).rate
  return Math.round((count / perMs) * 60_000 * 10) / 10
}

/**
 * The progress of the run that is writing the books in `dir`; null if there is none. `isDead`: the process ended
 * without removing the file.
 */
export async function readRun(dir: string): Promise<{ state: RunState; isDead: boolean } | null> {
  let read: unknown
  try {
    read = JSON.parse(readFileSync(join(dir, RUN_STATE_FILE), 'utf8'))
  } catch {
    return null
  }
  const parsed = schema.safeParse(read)
  if (!parsed.success) return null
  return { state: parsed.data, isDead: !(await mayLive(parsed.data.process)) }
}
