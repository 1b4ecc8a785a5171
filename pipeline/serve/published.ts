// The published ledger as the server has it open: one edition at a time, replaced when another is published. A request keeps
// the edition that it started with until its last row, so no answer mixes two.
import { createHash } from 'node:crypto'
import { type BigIntStats, statSync } from 'node:fs'
import { join } from 'node:path'
import PQueue from 'p-queue'
import type { Clock } from '../../models/clock.ts'
import type { EngineSettings } from '../engine/settings.ts'
import { hashOfTables } from '../ledger/hash.ts'
import { keptHashes } from '../ledger/known-hash.ts'
import { type Ledger, type LedgerOptions, openLedger } from '../ledger/ledger.ts'
import { LEDGER_FILE } from '../ledger/publish.ts'
import type { Stamp } from './api.ts'

/** File watchers fail on network file systems, so the file is polled. */
const LOOK_EVERY_MS = 1_000

/** An edition that could not be opened is retried even if its file has not changed: permissions and memory may recover. */
const TRY_AGAIN_MS = 30_000

/** The longest that a query of a view may take. */
const VIEW_TIMEOUT_MS = 60_000

/**
 * Memory for the ledger that is open for the views: they read little at a time, and the page stays open all day beside the
 * machine's other work. Matching lots under another method uses what the configuration allows.
 */
const VIEW_MEMORY = '48MiB'

/** Each thread and each query has its own buffers; as many as fit into that memory. */
const VIEW_THREADS = 2
const VIEW_QUESTIONS = 2

export interface Edition {
  readonly ledger: Ledger
  readonly stamp: Stamp
}

interface Open extends Edition {
  stamp: Stamp
  users: number
  isRetired: boolean
}

export interface OpenOptions {
  readonly engine: EngineSettings
  readonly clock: Clock
  /** Ends every query. */
  readonly signal: AbortSignal
}

/** The hash, and the file that it belongs to. */
export interface HashAnswer {
  readonly publication: string
  readonly ledgerHash: string
}

export interface PublishedOptions extends OpenOptions {
  /** Called when another edition is open, or its hash has been calculated. */
  readonly onStamp: (stamp: Stamp) => void
  /** Calculates the hash of the ledger's whole content, which takes as long as reading it; nothing waits for it. */
  readonly hashApart: (dir: string, options: OpenOptions) => Promise<HashAnswer>
  /** Called for an edition that cannot be opened, while the previous one is still served; with null once the newest is served again. */
  readonly onUnopened: (error: unknown) => void
  /** Called with what prevents the ledger from being followed, for the log. */
  readonly onTrouble: (error: unknown) => void
}

export class Published {
  readonly #dir: string
  readonly #options: PublishedOptions
  readonly #asked = new PQueue({ concurrency: VIEW_QUESTIONS })
  #open: Open
  #key: string
  /** The edition that could not be opened, and when to retry. */
  #failed: { readonly key: string; readonly againAt: number } | null = null

  private constructor(dir: string, options: PublishedOptions, open: Open, key: string) {
    this.#dir = dir
    this.#options = options
    this.#open = open
    this.#key = key
  }

  /** Throws NoLedger if none is published yet, and the other errors of `openLedger`. */
  static async open(dir: string, options: PublishedOptions): Promise<Published> {
    const { key, open } = await openForViews(dir, options)
    const published = new Published(dir, options, open, key)
    void published.#watch()
    void published.#makeHash(open)
    return published
  }

  get stamp(): Stamp {
    return this.#open.stamp
  }

  /** Runs `use` over the current edition when its turn comes; `use` must not ask for another turn. */
  async use<T>(use: (edition: Edition) => Promise<T>): Promise<T> {
    return await this.#asked.add(async () => {
      const open = this.#open
      open.users += 1
      try {
        return await use({ ledger: open.ledger, stamp: open.stamp })
      } finally {
        open.users -= 1
        closeUnused(open)
      }
    })
  }

  /**
   * Runs `use` over a separate connection to the ledger that closes with it, for queries that create databases beside the
   * ledger or have their own signal.
   */
  async useApart<T>(use: (edition: Edition) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { release, ...edition } = await this.takeApart(signal)
    try {
      return await use(edition)
    } finally {
      release()
    }
  }

  /** Such a ledger for an answer that may take long; the caller must end it with `release`. */
  async takeApart(signal?: AbortSignal): Promise<Edition & { readonly release: () => void }> {
    const ended =
      signal === undefined ? this.#options.signal : AbortSignal.any([signal, this.#options.signal])
    const { open } = await openEdition(this.#dir, { ...this.#options, signal: ended }, {})
    const { publication, ledgerHash } = this.#open.stamp
    const stamp = open.stamp.publication === publication ? { ...open.stamp, ledgerHash } : open.stamp
    return { ledger: open.ledger, stamp, release: () => open.ledger.close() }
  }

  close(): void {
    this.#open.isRetired = true
    closeUnused(this.#open)
  }

  async #watch(): Promise<void> {
    const { clock, signal, onStamp, onTrouble, onUnopened } = this.#options
    for (;;) {
      await clock.sleep(LOOK_EVERY_MS, signal)
      if (signal.aborted) return
      const key = keyOf(this.#dir)
      if (key === this.#key) this.#isFollowed()
      if (key === null || key === this.#key) continue
      if (key === this.#failed?.key && clock.monotonic() < this.#failed.againAt) continue
      try {
        const next = await openForViews(this.#dir, this.#options)
        const before = this.#open
        this.#open = next.open
        this.#key = next.key
        before.isRetired = true
        closeUnused(before)
        this.#isFollowed()
        onStamp(next.open.stamp)
        void this.#makeHash(next.open)
      } catch (error) {
        if (signal.aborted) return
        if (key !== this.#failed?.key) onTrouble(error)
        this.#failed = { key, againAt: clock.monotonic() + TRY_AGAIN_MS }
        onUnopened(error)
      }
    }
  }

  #isFollowed(): void {
    if (this.#failed !== null) this.#options.onUnopened(null)
    this.#failed = null
  }

  /** The hash stored beside the ledger, else recalculated. */
  async #makeHash(open: Open): Promise<void> {
    const { signal, onStamp, onTrouble, hashApart } = this.#options
    try {
      const { publication } = open.stamp
      const kept = keptHashes(open.ledger)
      const found =
        kept === null
          ? await hashApart(this.#dir, this.#options)
          : { publication, ledgerHash: hashOfTables(kept) }
      // Another ledger has been published meanwhile, and is hashed in its turn.
      if (found.publication !== publication) return
      open.stamp = { ...open.stamp, ledgerHash: found.ledgerHash }
      if (!open.isRetired) onStamp(open.stamp)
    } catch (error) {
      if (!signal.aborted) onTrouble(error)
    }
  }
}

function closeUnused(open: Open): void {
  if (open.isRetired && open.users === 0) open.ledger.close()
}

/** What distinguishes one published file from another, or why that cannot be determined; null while there is none. */
function keyOf(dir: string): string | null {
  try {
    const stats: BigIntStats | undefined = statSync(join(dir, LEDGER_FILE), {
      bigint: true,
      throwIfNoEntry: false,
    })
    return stats === undefined ? null : `${stats.ino} ${stats.mtimeNs} ${stats.size}`
  } catch (cause) {
    // Opening the file reports this error with the file's name.
    return String((cause as NodeJS.ErrnoException).code)
  }
}

/** The published ledger opened for the user's own SQL, with its stamp; the caller closes it. */
export async function openSealed(
  dir: string,
  options: OpenOptions & { readonly timeoutMs: number },
): Promise<Edition> {
  const { open } = await openEdition(dir, options, { timeoutMs: options.timeoutMs, sealed: true })
  return open
}

async function openForViews(dir: string, options: OpenOptions): Promise<{ key: string; open: Open }> {
  const { engine } = options
  const limited = { ...engine, threads: Math.min(engine.threads, VIEW_THREADS) }
  const limits = { timeoutMs: VIEW_TIMEOUT_MS, memoryLimit: VIEW_MEMORY }
  return await openEdition(dir, { ...options, engine: limited }, limits)
}

/** The published ledger and what distinguishes it from another; the caller closes it. */
export async function openEdition(
  dir: string,
  { engine, clock, signal }: OpenOptions,
  limits: Pick<LedgerOptions, 'timeoutMs' | 'sealed' | 'memoryLimit'>,
): Promise<{ key: string; open: Open }> {
  for (;;) {
    const key = keyOf(dir)
    const ledger = await openLedger(dir, { engine, clock, signal, ...limits })
    // Another ledger may have been published while this one was opened.
    if (key === null || key !== keyOf(dir)) {
      ledger.close()
      continue
    }
    try {
      return { key, open: { ledger, stamp: await stampOf(ledger, key), users: 0, isRetired: false } }
    } catch (error) {
      ledger.close()
      throw error
    }
  }
}

async function stampOf(ledger: Ledger, key: string): Promise<Stamp> {
  const about = ledger.tables.get('about')?.includes('published_at') === true
  const at = about ? '(select published_at from about)' : 'null'
  const [publishedAt, errors, warnings] =
    (
      await ledger.query(
        `select ${at}, count(*) filter (severity = 'error'), count(*) filter (severity = 'warning')
         from breaks where status = 'open'`,
      )
    )[0] ?? []
  const [, mtimeNs] = key.split(' ')
  return {
    publication: createHash('sha256').update(key).digest('hex').slice(0, 16),
    ledgerHash: null,
    publishedAt: String(publishedAt ?? new Date(Number(BigInt(mtimeNs ?? 0) / 1_000_000n)).toISOString()),
    openErrors: Number(errors),
    openWarnings: Number(warnings),
  }
}
