// Landing over its file: one transaction at a time, and the questions between them.
import { join } from 'node:path'
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { TieoutError } from '../../models/error.ts'
import type { EngineSettings } from '../engine/settings.ts'
import type { Frame } from '../journal/frame.ts'
import { Batch } from './batch.ts'
import { LandingError, needsReopening, notLanded, unreadable } from './errors.ts'
import { keepPrivate, type OpenFile, openFile } from './file.ts'
import type { Landing, LandingOptions } from './landing.ts'
import { type LandingFeed, PageLander } from './page.ts'
import * as questions from './questions.ts'
import { type LandedSummary, LandingTransaction, progressKey, type Unfinished } from './transaction.ts'

/**
 * Opens `landing.duckdb` in the folder, and creates it unless `readOnly`. While one process has it open for writing,
 * every other process gets a LandingError, as it does for a damaged file or one of another version.
 */
export function openLanding(dir: string, options: LandingOptions): Promise<Landing> {
  return openLandingFile(join(dir, 'landing.duckdb'), options)
}

/** The same for a file with another name. */
export async function openLandingFile(path: string, options: LandingOptions): Promise<Landing> {
  const file = await openFile(path, options)
  try {
    return new LandingDatabase(file, options, await file.instance.connect(), await begunWindows(file))
  } catch (error) {
    await file.close(true)
    throw error
  }
}

class LandingDatabase implements Landing {
  landedSeq: number
  chain: string | null
  readonly instance: DuckDBInstance
  readonly connection: DuckDBConnection
  readonly engine: EngineSettings
  readonly #file: OpenFile
  readonly #feeds: ReadonlyMap<string, LandingFeed>
  readonly #landers: ReadonlyMap<string, PageLander>
  readonly #writing: DuckDBConnection
  readonly #begun: Map<string, Unfinished>
  readonly #covered = new Batch(questions.keyText, (keys) => questions.covered(this.connection, keys))
  readonly #wanted = new Batch(questions.keyText, (keys) => questions.wanted(this.connection, keys))
  readonly #unfinished = new Batch(questions.keyText, (keys) => questions.unfinished(this.connection, keys))
  /** By the feed in which the records of a list are looked for. */
  readonly #left = new Map<string, Batch<questions.PartitionKey, number>>()
  /** Transactions run one after the other, however many callers there are. */
  #turn: Promise<unknown> = Promise.resolve()
  #failed = false

  constructor(
    file: OpenFile,
    options: LandingOptions,
    writing: DuckDBConnection,
    begun: Map<string, Unfinished>,
  ) {
    this.#file = file
    this.#feeds = options.feeds
    this.#landers = new Map([...options.feeds].map(([name, feed]) => [name, new PageLander(feed)]))
    this.#writing = writing
    this.#begun = begun
    this.landedSeq = file.landedSeq
    this.chain = file.chain
    this.instance = file.instance
    this.connection = file.connection
    this.engine = file.engine
  }

  land(frames: readonly Frame[]): Promise<LandedSummary> {
    const landed = this.#turn.then(() => this.#land(frames))
    this.#turn = landed.catch(() => undefined)
    return landed
  }

  async #land(frames: readonly Frame[]): Promise<LandedSummary> {
    if (this.#failed) throw needsReopening(this.#file.path)
    this.#refuseGaps(frames)
    const last = frames.at(-1)
    if (last === undefined) return { frames: 0, pages: 0, rows: 0, quarantined: 0 }
    const transaction = new LandingTransaction(this.#writing, this.#file.tables, this.#feeds, this.#landers)
    try {
      await transaction.begin()
      for (const frame of frames) await transaction.land(frame)
      const summary = await transaction.commit(last, this.#begun)
      keepPrivate(this.#file.path)
      await this.#file.grown()
      this.landedSeq = last.seq
      this.chain = last.chain
      for (const [key, unfinished] of transaction.progress) {
        if (unfinished === null) this.#begun.delete(key)
        else this.#begun.set(key, unfinished)
      }
      return summary
    } catch (cause) {
      await this.#rollback(transaction)
      if (cause instanceof TieoutError) throw cause
      throw await notLanded(this.#file.path, this.landedSeq + 1, last.seq, cause, this.engine)
    }
  }

  /** After some failures, a full disk among them, DuckDB refuses everything until the file is opened again. */
  async #rollback(transaction: LandingTransaction): Promise<void> {
    try {
      await transaction.rollback()
    } catch {
      this.#failed = true
    }
  }

  #refuseGaps(frames: readonly Frame[]): void {
    const wrong = frames.findIndex((frame, index) => frame.seq !== this.landedSeq + 1 + index)
    if (wrong < 0) return
    throw new LandingError('Frames can only be landed in order, without a gap.', {
      where: this.#file.path,
      expected: `frame ${this.landedSeq + 1 + wrong}`,
      found: `frame ${frames[wrong]?.seq ?? 0}`,
      action: 'Run again: landing resumes from the journal. If it fails again, report it.',
    })
  }

  async covered(...of: questions.PartitionKey): Promise<questions.Claim[]> {
    return (await this.#read(this.#covered.of(of))) ?? []
  }

  async wanted(...of: questions.PartitionKey): Promise<questions.Wanted> {
    return (await this.#read(this.#wanted.of(of))) ?? { from: null, lost: [] }
  }

  async unfinished(...of: questions.PartitionKey): Promise<questions.UnfinishedWindow[]> {
    return (await this.#read(this.#unfinished.of(of))) ?? []
  }

  async oldestUnsettled(
    account: string,
    feed: string,
    partition: string,
    field: string,
    values: readonly string[],
  ): Promise<number | null> {
    const known = this.#feeds.get(feed)
    if (known === undefined || values.length === 0) return null
    const time = known.time ?? requiredTime(known)
    if (time === null) return null
    const state = { field, values }
    return this.#read(
      questions.oldestUnsettled(this.connection, [account, partition], known.record, time, state),
    )
  }

  async oldestThatLeft(
    account: string,
    feed: string,
    partition: string,
    list: Pick<questions.ListOfOpen, 'feed' | 'partition' | 'partitions'>,
  ): Promise<number | null> {
    const listed = this.#feeds.get(list.feed)
    const time = this.#feeds.get(feed)?.time
    if (listed === undefined || time === undefined) return null
    // For one list, only the account and the partition vary.
    const batch =
      this.#left.get(feed) ??
      new Batch(questions.keyText, (keys: readonly questions.PartitionKey[]) =>
        questions.oldestThatLeft(this.connection, keys, { ...list, record: listed.record, time }),
      )
    this.#left.set(feed, batch)
    return (await this.#read(batch.of([account, feed, partition]))) ?? null
  }

  async distinctValues(account: string, feed: string, field: string): Promise<string[]> {
    const known = this.#feeds.get(feed)
    return known === undefined
      ? []
      : this.#read(questions.distinctValues(this.connection, account, known.record, field))
  }

  writtenValues(account: string, endpoint: string, field: string): Promise<string[]> {
    return this.#read(questions.writtenValues(this.connection, account, endpoint, field))
  }

  wordOnFeed(account: string, feed: string): Promise<string | null> {
    return this.#read(questions.wordOnFeed(this.connection, account, feed))
  }

  account(name: string): Promise<questions.KnownAccount | null> {
    return this.#read(questions.account(this.connection, name))
  }

  uids(): Promise<Map<string, string>> {
    return this.#read(questions.uids(this.connection))
  }

  async uidsOfHistory(settings: string): Promise<Map<string, string>> {
    const known = this.#feeds.get(settings)
    return known === undefined
      ? new Map()
      : this.#read(questions.uidsOfHistory(this.connection, settings, known.record))
  }

  contentHashes(): Promise<Map<string, questions.ContentHash>> {
    return this.#read(questions.contentHashes(this.connection, this.#file.tables.values()))
  }

  async damage(): Promise<LandingError | null> {
    try {
      await this.contentHashes()
      return null
    } catch (error) {
      if (error instanceof LandingError) return error
      throw error
    }
  }

  /** A read that the database refuses means damage: the questions are ours and do not fail. */
  async #read<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer
    } catch (cause) {
      throw unreadable(this.#file.path, cause, this.engine)
    }
  }

  async close(): Promise<void> {
    await this.#turn
    this.#writing.closeSync()
    await this.#file.close(!this.#failed)
  }
}

/** The field with the time of a record, if no other is named: its required time. */
function requiredTime({ record }: LandingFeed): string | null {
  const times = Object.entries(record.fields).filter(([, field]) => field.kind === 'millis' && field.required)
  return times[0]?.[0] ?? null
}

/** The windows that are stored as begun and not finished. */
async function begunWindows({ connection }: OpenFile): Promise<Map<string, Unfinished>> {
  const result = await connection.runAndReadAll(
    `select account, feed, partition, epoch_ms(window_start), epoch_ms(window_end), cursor, page_id
     from landing.main.progress`,
  )
  const rows = result.getRows() as [string, string, string, bigint, bigint, string, bigint][]
  return new Map(
    rows.map(([account, feed, partition, start, end, cursor, pageId]) => {
      const window = { start: Number(start), end: Number(end) }
      const unfinished = { account, feed, partition, window, cursor, pageId: Number(pageId) }
      return [progressKey(unfinished, window), unfinished]
    }),
  )
}
