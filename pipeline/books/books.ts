// The folder of the books, opened by its single writer: first the lock, then the journal, then landing, then whatever
// was journaled but had not landed when the last process died.
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { endpoints } from '../../connectors/catalogue.ts'
import type { Endpoint } from '../../connectors/endpoint.ts'
import type { Clock } from '../../models/clock.ts'
import { closing } from '../../models/closing.ts'
import { UsageError } from '../../models/error.ts'
import type { RecordType } from '../../models/record.ts'
import { systemWords } from '../../models/system-error.ts'
import { counted } from '../../models/text.ts'
import type { Config } from '../config/config.ts'
import type { CommandContext } from '../config/context.ts'
import { completed, type EngineSettings, engineSettings, readerSettings } from '../engine/settings.ts'
import { BESIDE, type Disk, DiskError, nodeDisk } from '../journal/disk.ts'
import { ERASURE_FILES, resumeErasure } from '../journal/erase.ts'
import type { Journal } from '../journal/frame.ts'
import { type JournalOptions, openJournal } from '../journal/journal.ts'
import { acquireLock, isProcess, refusedByWriter } from '../journal/lock.ts'
import { finishRepair } from '../journal/repair.ts'
import { journalFolder, REPAIR_FILE, segmentNumbers } from '../journal/scan.ts'
import { openLanding } from '../landing/database.ts'
import { missing, OlderLanding } from '../landing/errors.ts'
import { landJournal, rebuildLanding } from '../landing/land-journal.ts'
import type { Landing, LandingOptions } from '../landing/landing.ts'
import { lastBuilt, lastLanded } from '../landing/last-landed.ts'
import type { LandingFeed } from '../landing/page.ts'
import { COUNTERPARTY_KEY_FILE } from '../ledger/counterparty-key.ts'
import { UNPUBLISHED_BREAKS_FILE } from '../ledger/publish.ts'
import { STEPS_OF_FILE } from '../ledger/steps.ts'
import { isInUse } from '../output/spill.ts'
import { mustBeOwnFiles, removeLanded } from './copies.ts'
import { describeUnsettled, unsettledWrites } from './writes.ts'

/** The record type that each feed lands, from the catalogue. */
export const landingFeeds: ReadonlyMap<string, LandingFeed> = new Map(
  endpoints.flatMap((endpoint) =>
    endpoint.item === null ? [] : [[endpoint.name, landingFeed(endpoint, endpoint.item)] as const],
  ),
)

function landingFeed({ rows, window }: Endpoint, record: RecordType): LandingFeed {
  if (window === null || window.time === '') return { record, rows }
  const { time, touches = [time] } = window
  return { record, rows, time, touches }
}

/** Every record type that lands, listed once. */
export const landingRecords: readonly RecordType[] = [
  ...new Set([...landingFeeds.values()].map((feed) => feed.record)),
]

/**
 * The landing database, opened read-only; null for a folder that has received nothing. Throws a UsageError while a run
 * is writing to these books, and also for a journal without a landing database (from a backup, or after an erasure was
 * killed), which is not the same as nothing received.
 */
export async function readLanding(dir: string, engine: EngineSettings): Promise<Landing | null> {
  const path = join(dir, 'landing.duckdb')
  if (!existsSync(path)) {
    const segments = await segmentNumbers(nodeDisk, journalFolder(dir))
    if (segments.length > 0) throw (await refusedByWriter(dir)) ?? missing(path)
    return null
  }
  const settings = { records: landingRecords, feeds: landingFeeds, readOnly: true }
  return await openLanding(dir, { ...settings, ...readerSettings(engine) }).catch(async (error: unknown) => {
    throw (await refusedByWriter(dir)) ?? error
  })
}

export interface Books {
  readonly dir: string
  readonly journal: Journal
  readonly landing: Landing
  close(): Promise<void>
}

export interface BooksOptions {
  readonly clock: Clock
  readonly command: string
  readonly onNote?: (text: string) => void
  /** Stops landing between two batches, with exit code 5. */
  readonly signal?: AbortSignal
  /**
   * Lands everything again from the journal, into a file that replaces the old one only when it is complete. If the old
   * file can be read, the journal must reach at least as far as it does; otherwise records that exist nowhere else
   * would be lost.
   */
  readonly rebuild?: boolean
  /**
   * For commands that work on existing books: prints a note if nothing has landed. `needed` refuses a folder without
   * books; `expected` creates them.
   */
  readonly existing?: 'needed' | 'expected'
  /** Used by the lock and the journal; DuckDB accesses the disk itself. */
  readonly disk?: Disk
  readonly journal?: Pick<JournalOptions, 'random' | 'segmentBytes'>
  readonly landing?: Partial<LandingOptions>
  /** Limits for DuckDB, unless `landing` sets a memory limit; a share of the machine by default. */
  readonly engine?: EngineSettings
}

/**
 * Throws a UsageError for a ledger without a journal, which the ledger of new books would replace. Also throws where
 * books are needed and there are none: a mistyped folder has no breaks and nothing that fails to verify. A folder with
 * only its configuration is the start of new books.
 */
export function mustBeBooks(dir: string, existing: BooksOptions['existing']): void {
  const has = (name: string): boolean => existsSync(join(dir, name))
  if (has('journal') || has('landing.duckdb')) return
  const ledgerAlone = has('ledger.duckdb')
  if (!ledgerAlone && (existing !== 'needed' || has('tieout.yaml'))) return
  throw new UsageError('There are no books in this folder.', {
    where: dir,
    expected: 'a folder with journal/, as `tieout nightly` and `tieout import` create it',
    found: ledgerAlone
      ? 'a ledger without the journal it was built from'
      : 'no journal/ and no landing.duckdb',
    action: ledgerAlone
      ? 'Use --dir to name the folder in which the ledger was built, or move ledger.duckdb aside to start new books here. `tieout sql` and `tieout report` can read it as it is. Nothing was changed.'
      : 'Name another folder with --dir, or start with `tieout init`. Nothing was changed.',
  })
}

const NOTHING_LANDED =
  'Nothing has landed in these books yet: run `tieout nightly` first, or `tieout import`.'

/**
 * Creates one level at a time: Node's recursive mkdir loops forever if the system reports an existing parent as
 * missing.
 */
function makeFolders(dir: string): void {
  if (existsSync(dir)) return
  const parent = dirname(dir)
  if (parent !== dir) makeFolders(parent)
  try {
    mkdirSync(dir, { mode: 0o700 })
  } catch (cause) {
    // Another process may have created it in the meantime.
    if (!existsSync(dir)) throw cause
  }
}

/** Creates the folder if necessary. Throws a UsageError that names it if it cannot be created or is not a folder. */
export function ensureFolder(dir: string): void {
  try {
    makeFolders(dir)
    if (!statSync(dir).isDirectory()) throw noFolder(dir, 'a file with that name')
  } catch (cause) {
    if (cause instanceof UsageError) throw cause
    const isLink = (cause as NodeJS.ErrnoException).code === 'EEXIST'
    throw noFolder(dir, isLink ? 'a broken link' : systemWords(cause), cause)
  }
}

const noFolder = (dir: string, found: string, cause?: unknown): UsageError =>
  new UsageError('The folder of the books cannot be created.', {
    where: dir,
    expected: 'a folder that can be written',
    found,
    action: 'Choose another folder with --dir, or change its permissions.',
    ...(cause === undefined ? {} : { cause }),
  })

/** Removes what dead runs left behind; folders in which a reader is spilling at this moment stay. */
function emptyTempFolder(tempDir: string, clock: Clock): void {
  try {
    mkdirSync(tempDir, { recursive: true, mode: 0o700 })
    for (const name of readdirSync(tempDir))
      if (!isInUse(tempDir, name, clock.wall(), isProcess))
        rmSync(join(tempDir, name), { recursive: true, force: true })
  } catch (cause) {
    throw new DiskError('The folder for unfinished work could not be emptied.', tempDir, cause)
  }
}

/** Files that are written only under the lock, in the folder of the books and in that of the journal. */
const WRITTEN_WHOLE = [
  'credentials.yaml',
  'tieout.yaml',
  COUNTERPARTY_KEY_FILE,
  UNPUBLISHED_BREAKS_FILE,
  STEPS_OF_FILE,
  REPAIR_FILE,
  ...ERASURE_FILES,
]

/** A new version of one of them (`nameBeside`), from a process that died before replacing the old one. */
const isUnfinished = (name: string): boolean =>
  WRITTEN_WHOLE.some((file) => name.startsWith(`.${file}.`)) && BESIDE.test(name)

/** Leaves no secrets in files that nobody knows about, and nothing half-written in the books. */
function removeUnfinished(dir: string): void {
  for (const folder of [dir, journalFolder(dir)].filter(existsSync)) {
    for (const name of readdirSync(folder).filter(isUnfinished)) {
      const path = join(folder, name)
      try {
        rmSync(path)
      } catch (cause) {
        throw new DiskError('A file that a killed run left unfinished could not be removed.', path, cause)
      }
    }
  }
}

const ERASURE_TO_END =
  'An erasure was interrupted. The data to be erased is no longer in the journal, but may be in the published ledger until a build replaces it.'

/** Opens the books for a command: its folder, clock, notes and configured engine. */
export function openBooksFor(
  context: CommandContext,
  config: Config,
  options: Pick<BooksOptions, 'command' | 'existing' | 'rebuild'>,
): Promise<Books> {
  const { dir, clock, signal, tell: onNote } = context
  return openBooks(dir, { ...options, clock, signal, onNote, engine: engineSettings(config.engine) })
}

/** Opens the books for writing; only one process can at a time. */
export async function openBooks(dir: string, options: BooksOptions): Promise<Books> {
  mustBeBooks(dir, options.existing)
  ensureFolder(dir)
  mustBeOwnFiles(dir)
  const { clock, disk = nodeDisk, signal } = options
  const lock = await acquireLock(dir, options.command, clock, disk)
  // On failure, everything opened so far is closed in reverse order, and the lock is released even if something cannot
  // be closed.
  const closers: (() => Promise<void>)[] = [() => lock.release()]
  const close = async (): Promise<void> => {
    const failures: unknown[] = []
    for (const closer of closers.splice(0).toReversed())
      await closer().catch((error: unknown) => failures.push(error))
    if (failures.length > 0) throw failures[0]
  }
  try {
    if (await finishRepair(dir, disk)) options.onNote?.('Finished an interrupted repair of the journal.')
    if (await resumeErasure(dir, clock, disk, () => removeLanded(dir, disk))) options.onNote?.(ERASURE_TO_END)
    removeUnfinished(dir)
    const tempDir = join(dir, 'tmp')
    emptyTempFolder(tempDir, clock)
    const engine = completed(options.landing?.memoryLimit === undefined ? options.engine : options.landing)
    const settings = { records: landingRecords, feeds: landingFeeds, tempDir, ...options.landing, ...engine }
    const rebuild = async (): Promise<void> => {
      const reaches = await lastLanded(dir, engine)
      const journal = await openJournal(dir, { mode: 'append', clock, disk, ...options.journal, ...reaches })
      await closing(journal, () => rebuildLanding(dir, journal, settings, undefined, signal))
    }
    if (options.rebuild === true) await rebuild()
    const landing = await openLanding(dir, settings).catch(async (error: unknown) => {
      if (!(error instanceof OlderLanding)) throw error
      options.onNote?.(`${error.message} It is being rebuilt from the journal.`)
      await rebuild()
      return openLanding(dir, settings)
    })
    closers.push(() => landing.close())
    const journal = await openJournal(dir, {
      mode: 'append',
      clock,
      disk,
      ...options.journal,
      landedSeq: Math.max(landing.landedSeq, await lastBuilt(landing.connection, dir)),
      ...(landing.chain === null ? {} : { expect: { seq: landing.landedSeq, chain: landing.chain } }),
    })
    closers.push(() => journal.close())
    const behind = journal.lastSeq - landing.landedSeq
    if (behind > 0) {
      options.onNote?.(
        `Landing ${counted(behind, 'journaled frame')} that had not landed when the last run ended.`,
      )
      await landJournal(journal, landing, undefined, signal)
    }
    if (options.existing !== undefined && landing.landedSeq === 0) options.onNote?.(NOTHING_LANDED)
    const unsettled = await unsettledWrites(landing.connection).catch(async (error: unknown) => {
      throw (await landing.damage()) ?? error
    })
    for (const write of unsettled) options.onNote?.(describeUnsettled(write))
    return { dir, journal, landing, close }
  } catch (error) {
    await close().catch(() => undefined) // The original error is the one to report.
    throw error
  }
}
