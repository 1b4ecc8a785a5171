// Proof that the books are what was received: checks the journal's chain, the landed rows against the journal, the
// published ledger against what it records about itself, and the ledger's own invariants. Nothing is repaired here;
// problems are listed with what to do about them.

import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { closing } from '../../models/closing.ts'
import { TieoutError } from '../../models/error.ts'
import { counted } from '../../models/text.ts'
import type { Config } from '../config/config.ts'
import type { CommandContext } from '../config/context.ts'
import { type EngineSettings, readerSettings } from '../engine/settings.ts'
import { isErasing } from '../journal/erase.ts'
import { rangesOf } from '../journal/repair.ts'
import { verifyJournal } from '../journal/verify.ts'
import { openLandingFile } from '../landing/database.ts'
import { landJournal } from '../landing/land-journal.ts'
import { rowTables, tablesOf } from '../landing/tables.ts'
import { askMade, askPublished, type Found, type MadeTables } from '../ledger/kept.ts'
import { isOfThisProgram, openLedger } from '../ledger/ledger.ts'
import { isSame, NO_ROWS } from '../ledger/rows.ts'
import { type Books, landingFeeds, landingRecords, openBooksFor } from './books.ts'
import { buildBooks, type NightlyBuild } from './night.ts'
import { type LedgerFound, verifyLedger } from './verify-ledger.ts'

export interface Verification {
  readonly frames: number
  readonly bytes: number
  /** Frames whose bodies were erased on purpose. */
  readonly erased: readonly number[]
  /** Frames that were damaged or missing when the journal was repaired. */
  readonly setAside: readonly number[]
  /** Landed tables with their rows, each compared with a fresh landing of the journal. */
  readonly tables: readonly { readonly table: string; readonly rows: number }[]
  /**
   * Published tables, each compared with what the ledger records about it; null if no ledger is published or it cannot
   * be read.
   */
  readonly published: number | null
  /** How many published tables equal those of a full build; null if they were not compared. */
  readonly rebuilt: { readonly tables: number; readonly equal: number } | null
  readonly problems: readonly string[]
}

/** With `rebuild`, the published ledger is also compared with a full build, table by table. */
export async function verifyBooks(
  context: CommandContext,
  config: Config,
  { rebuild = false }: { readonly rebuild?: boolean } = {},
): Promise<Verification> {
  const journal = await verifyJournal(context.dir)
  const found = {
    frames: journal.frames,
    bytes: journal.bytes,
    erased: journal.erased,
    setAside: journal.setAside,
  }
  const problems = journal.problems.map(({ message, details: { where, expected, found: instead, action } }) =>
    [
      `journal: ${message}`,
      ` ${where ?? ''}`,
      expected && `; expected ${expected}`,
      instead && `; found ${instead}`,
      `. ${action}`,
    ]
      .filter((part) => part !== undefined)
      .join(''),
  )
  // Rows can only be compared with an intact journal.
  if (problems.length > 0) return { ...found, tables: [], published: null, rebuilt: null, problems }
  const books = await openBooksFor(context, config, { command: 'verify', existing: 'needed' })
  return await closing(books, async () => {
    const { tables, ledger, problems: stored } = await verifyStored(context, config, books)
    problems.push(...stored)
    const built = await buildBooks(context, config, books, {
      publishAnyway: false,
      publish: false,
      full: true,
    })
    for (const one of built.openBreaks.filter((open) => open.severity === 'error')) {
      problems.push(`ledger: ${one.checkName}: ${one.explanation}`)
    }
    const isUnreadable = ledger.tables === null && ledger.problems.length > 0
    const rebuilt =
      rebuild && !isUnreadable
        ? await compareWithPublished(context, built, books.landing.engine, problems)
        : null
    return { ...found, tables, published: ledger.tables, rebuilt, problems }
  })
}

/** What is stored, without a build: the landed rows against the journal, and the ledger against its own record. */
export async function verifyStored(
  context: CommandContext,
  config: Config,
  books: Books,
): Promise<Pick<Verification, 'tables' | 'problems'> & { readonly ledger: LedgerFound }> {
  const problems: string[] = []
  const tables = await compareWithFreshLanding(context, books, problems)
  const erasing = await isErasing(context.dir)
  // A ledger published on a server is checked only by its readers; a file beside it is older.
  const ledger =
    config.engine.clickhouse === undefined
      ? await verifyLedger(context, books, erasing)
      : { tables: null, problems: [] }
  problems.push(...ledger.problems, ...(erasing ? [ERASURE_LEFT] : []))
  return { tables, ledger, problems }
}

const ERASURE_LEFT =
  'ledger: an erasure was interrupted, and the published ledger may still hold the data to be erased; run tieout build'

/** Lands the whole journal again into a temporary file and compares every table by row count and content hash. */
async function compareWithFreshLanding(
  context: CommandContext,
  books: Books,
  problems: string[],
): Promise<Verification['tables']> {
  const path = join(books.dir, 'tmp', 'landing-verified.duckdb')
  const remove = (): void => {
    for (const file of [path, `${path}.wal`]) rmSync(file, { force: true })
  }
  remove()
  // The temporary file holds everything that has landed, personal data included: it is removed however the command
  // ends.
  process.once('exit', remove)
  try {
    return await compareWith(path, context, books, problems)
  } finally {
    process.off('exit', remove)
    remove()
  }
}

async function compareWith(
  path: string,
  context: CommandContext,
  books: Books,
  problems: string[],
): Promise<Verification['tables']> {
  const fresh = await openLandingFile(path, {
    records: landingRecords,
    feeds: landingFeeds,
    tempDir: dirname(path),
    ...readerSettings(books.landing.engine),
  })
  return await closing(fresh, async () => {
    await landJournal(books.journal, fresh, undefined, context.signal)
    const before = await books.landing.contentHashes()
    const again = await fresh.contentHashes()
    return [...before].map(([table, { rows, hash }]) => {
      const other = again.get(table)
      if (other?.hash !== hash) {
        problems.push(
          `landing: table ${table} holds ${rows} rows that differ from the ${other?.rows ?? 0} that the journal gives; run tieout rebuild`,
        )
      }
      context.log.info({ table, rows }, 'verified')
      return { table, rows }
    })
  })
}

/** Tables that differ from build to build, because they hold its time. */
const OF_THE_BUILD: ReadonlySet<string> = new Set(['main.about', 'main.breaks', 'main.made_tables'])

/** Compares the published ledger with a full build, table by table; tables with other rows become problems. */
async function compareWithPublished(
  { dir, clock, signal }: CommandContext,
  { found }: NightlyBuild,
  engine: EngineSettings,
  problems: string[],
): Promise<Verification['rebuilt']> {
  const wanted = [...found].filter(([table]) => table.startsWith('main.') && !OF_THE_BUILD.has(table))
  const ledger = await openLedger(dir, { engine, clock, signal })
  try {
    const there = wanted
      .map(([table]) => table)
      .filter((table) => ledger.tables.has(table.slice('main.'.length)))
    const published = await askPublished((question) => ledger.query(question), [...there, 'main.about'])
    const differ = wanted.filter(([table, rows]) => !isSame(rows, published.get(table)))
    for (const [table, { count }] of differ) {
      const instead = published.get(table)
      const says = instead === undefined ? 'is not there' : `has ${instead.count} rows that differ from`
      problems.push(`ledger: table ${table} ${says} the ${count} of a full build; run tieout build --full`)
    }
    if (differ.length > 0 && !(await isOfThisProgram(ledger))) problems.push(becauseBuilt(BY_ANOTHER))
    else if (differ.length > 0 && ledger.tables.has('made_tables')) {
      const made = await askMade((question) => ledger.query(question))
      problems.push(...builtFromOthers(made, found, differ))
    }
    return { tables: wanted.length, equal: wanted.length - differ.length }
  } catch (cause) {
    if (cause instanceof TieoutError) throw cause
    problems.push(`ledger: it cannot be read (${String(cause).split('\n')[0]}); run tieout build --full`)
    return { tables: wanted.length, equal: 0 }
  } finally {
    ledger.close()
  }
}

/**
 * Why tables may rightly differ from those of a build made now: they had other inputs. A ledger that was changed by
 * hand still records the same inputs.
 */
function builtFromOthers(
  made: MadeTables,
  found: ReadonlyMap<string, Found>,
  differ: readonly (readonly [table: string, Found])[],
): string[] {
  if (differ.every(([table, { decidedBy }]) => made.get(table)?.decidedBy === decidedBy)) return []
  const other = (kind: string): boolean =>
    [...found].some(([table, one]) => one.decidedBy === kind && !isSame(one, made.get(table) ?? NO_ROWS))
  return [becauseBuilt(other('received') ? 'before the last records landed' : OTHERWISE)]
}

const BY_ANOTHER = 'by another version of tieout'
const OTHERWISE = 'under another configuration or with other reference tables'

const becauseBuilt = (how: string): string =>
  `ledger: it was built ${how}, so these tables may differ for that reason; run tieout build`

export function describeVerification(result: Verification): string {
  const { rebuilt } = result
  const ofRows = new Set(rowTables(tablesOf(landingRecords)).map(({ name }) => name))
  const landed = result.tables.filter(({ table }) => ofRows.has(table))
  const rows = landed.reduce((sum, table) => sum + table.rows, 0)
  const lines = [
    `${counted(result.frames, 'frame')}, ${result.bytes} bytes in the journal.`,
    ...result.erased.map((seq) => `Frame ${seq} was erased: its body is gone, the chain holds.`),
    ...rangesOf(result.setAside).map(({ from, to }) =>
      from === to
        ? `Frame ${from} was damaged or missing when the journal was repaired; the chain holds without it.`
        : `Frames ${from} to ${to} were damaged or missing when the journal was repaired; the chain holds without them.`,
    ),
    ...(result.tables.length === 0
      ? []
      : [`${counted(rows, 'landed row')} in ${counted(landed.length, 'table')}.`]),
    ...(result.published === null
      ? []
      : [`${counted(result.published, 'table')} of the published ledger compared with what was built.`]),
    ...result.problems.map((problem) => `PROBLEM  ${problem}`),
    result.problems.length === 0 ? 'Everything verifies.' : `${counted(result.problems.length, 'problem')}.`,
    ...(rebuilt === null ? [] : [`${rebuilt.equal} of ${counted(rebuilt.tables, 'table')} equal`]),
  ]
  return lines.join('\n')
}
