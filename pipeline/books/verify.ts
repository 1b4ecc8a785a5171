// Proof that the books are what was received: the journal's chain, the landed rows against the journal, and the
// ledger's own invariants. Nothing is repaired here; what is wrong is named, with what to do.

import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { CommandContext } from '../config/context.ts'
import { engineSettings, readerSettings } from '../engine/settings.ts'
import { verifyJournal } from '../journal/verify.ts'
import { openLanding } from '../landing/database.ts'
import { landJournal } from '../landing/land-journal.ts'
import { landingFeeds, landingRecords, openBooks } from './books.ts'
import { buildBooks } from './night.ts'

export interface Verification {
  readonly frames: number
  readonly bytes: number
  /** Frames whose bodies were erased on purpose. */
  readonly erased: readonly number[]
  /** Frames that a repair found damaged and set aside. */
  readonly setAside: readonly number[]
  /** Landed tables with their rows, each compared with a fresh landing of the journal. */
  readonly tables: readonly { readonly table: string; readonly rows: number }[]
  readonly problems: readonly string[]
}

export async function verifyBooks(context: CommandContext, config: Config): Promise<Verification> {
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
  // Rows can only be held against a journal that is whole.
  if (problems.length > 0) return { ...found, tables: [], problems }
  const books = await openBooks(context.dir, {
    clock: context.clock,
    command: 'verify',
    onNote: context.tell,
    engine: engineSettings(config.engine),
  })
  try {
    const tables = await compareWithFreshLanding(context, books, problems)
    const built = await buildBooks(context, config, books, { publishAnyway: false, publish: false })
    for (const one of built.openBreaks.filter((open) => open.severity === 'error')) {
      problems.push(`ledger: ${one.checkName}: ${one.explanation}`)
    }
    return { ...found, tables, problems }
  } finally {
    await books.close()
  }
}

/** Lands the whole journal again into a temporary file and compares every table by row count and content hash. */
async function compareWithFreshLanding(
  context: CommandContext,
  books: Awaited<ReturnType<typeof openBooks>>,
  problems: string[],
): Promise<Verification['tables']> {
  const fresh = await openLanding(join(books.dir, 'tmp'), {
    records: landingRecords,
    feeds: landingFeeds,
    ...readerSettings(books.landing.engine),
  })
  try {
    await landJournal(books.journal, fresh)
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
  } finally {
    await fresh.close()
  }
}

export function describeVerification(result: Verification): string {
  const rows = result.tables.reduce((sum, table) => sum + table.rows, 0)
  const lines = [
    `${result.frames} frames, ${result.bytes} bytes in the journal.`,
    ...result.erased.map((seq) => `Frame ${seq} was erased: its body is gone, the chain holds.`),
    ...result.setAside.map(
      (seq) => `Frame ${seq} was found damaged and set aside by a repair; the chain holds.`,
    ),
    ...(result.tables.length === 0 ? [] : [`${rows} landed rows in ${result.tables.length} tables.`]),
    ...result.problems.map((problem) => `PROBLEM  ${problem}`),
    result.problems.length === 0 ? 'Everything verifies.' : `${result.problems.length} problems.`,
  ]
  return lines.join('\n')
}
