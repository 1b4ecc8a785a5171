// The landing database: the journal's content as typed rows, and the progress made. It belongs to the single writer,
// and can always be rebuilt: landing is a pure function of the journal's frames in their order.
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import type { EngineSettings } from '../engine/settings.ts'
import type { Frame } from '../journal/frame.ts'
import type { LandingError } from './errors.ts'
import type { FileOptions } from './file.ts'
import type { LandingFeed } from './page.ts'
import type { Claim, ContentHash, KnownAccount, UnfinishedWindow, Wanted } from './questions.ts'
import type { LandedSummary } from './transaction.ts'

export interface LandingOptions extends FileOptions {
  /** By contract name: what the rows of a feed are, and where they are in `data`. */
  readonly feeds: ReadonlyMap<string, LandingFeed>
}

export interface Landing {
  /** Number of the last frame that has landed; 0 for a new database. */
  readonly landedSeq: number
  /** Hex of the journal's chain hash there; null for a new database. */
  readonly chain: string | null
  /**
   * Lands the frames that follow `landedSeq` without a gap, as one transaction. Throws a CorruptionError for a page
   * that can no longer be read and a LandingError if the database fails; in both cases nothing has landed.
   */
  land(frames: readonly Frame[]): Promise<LandedSummary>
  /** Ranges proven complete; they may overlap. */
  covered(account: string, feed: string, partition: string): Promise<Claim[]>
  wanted(account: string, feed: string, partition: string): Promise<Wanted>
  unfinished(account: string, feed: string, partition: string): Promise<UnfinishedWindow[]>
  /** Unix milliseconds of the oldest record whose current version has one of the values in the field; null for none. */
  oldestUnsettled(
    account: string,
    feed: string,
    partition: string,
    field: string,
    values: readonly string[],
  ): Promise<number | null>
  /**
   * Unix milliseconds of the oldest record that has left a list and has not been looked for here since; null for none.
   */
  oldestThatLeft(
    account: string,
    feed: string,
    partition: string,
    list: { readonly feed: string; readonly partition: string; readonly partitions: readonly string[] },
  ): Promise<number | null>
  /** The distinct values of a field that a feed has returned for an account. */
  distinctValues(account: string, feed: string, field: string): Promise<string[]>
  /** The distinct values of a field in what was sent to an endpoint for an account. */
  writtenValues(account: string, endpoint: string, field: string): Promise<string[]>
  /** The newest statement about a feed as a whole, such as pending; null if there is none. */
  wordOnFeed(account: string, feed: string): Promise<string | null>
  account(name: string): Promise<KnownAccount | null>
  /** The uid of each account that has reported one, by account. */
  uids(): Promise<Map<string, string>>
  /** The uid, as reported by `settings`, of the account whose history the books have under each name. */
  uidsOfHistory(settings: string): Promise<Map<string, string>>
  /** Rows and content of every table, for comparison with another landing of the same journal. */
  contentHashes(): Promise<Map<string, ContentHash>>
  /** Reads every block of every table; returns the error if something cannot be read, or null. */
  damage(): Promise<LandingError | null>
  /** The instance to which the file is attached as `landing`; all other readers in this process use it. */
  readonly instance: DuckDBInstance
  /** The limits of that instance. */
  readonly engine: EngineSettings
  /** For questions; transactions have a connection of their own. */
  readonly connection: DuckDBConnection
  close(): Promise<void>
}
