// Whether books are whole, as `tieout verify` finds it, without its full build: for tests in which a command has just built them,
// or is about to.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { closing } from '../../models/closing.ts'
import { landingFeeds, landingRecords, openBooksFor } from '../../pipeline/books/books.ts'
import { verifyLedger } from '../../pipeline/books/verify-ledger.ts'
import { optionalConfig } from '../../pipeline/config/context.ts'
import { isErasing } from '../../pipeline/journal/erase.ts'
import { verifyJournal } from '../../pipeline/journal/verify.ts'
import { openLandingFile } from '../../pipeline/landing/database.ts'
import { landJournal } from '../../pipeline/landing/land-journal.ts'
import { askLedger } from './ask-ledger.ts'
import { silentContext } from './build-only.ts'
import { temporaryFolder } from './cli.ts'

/**
 * What is wrong with the journal, with what has landed compared with a fresh landing of the journal, or with the published
 * ledger compared with what it records about itself; the errors among its breaks; and an erasure that is unfinished.
 */
export async function problemsOf(dir: string): Promise<string[]> {
  const journal = await verifyJournal(dir)
  const problems = journal.problems.map(({ message }) => message)
  const context = silentContext(dir)
  const books = await openBooksFor(context, optionalConfig(context), {
    command: 'verify',
    existing: 'needed',
  })
  await closing(books, async () => {
    const tempDir = temporaryFolder()
    const fresh = await openLandingFile(join(tempDir, 'landing.duckdb'), {
      ...{ records: landingRecords, feeds: landingFeeds, tempDir },
      ...books.landing.engine,
    })
    await closing(fresh, async () => {
      await landJournal(books.journal, fresh)
      const again = await fresh.contentHashes()
      for (const [table, { hash }] of await books.landing.contentHashes())
        if (again.get(table)?.hash !== hash) problems.push(`landing: ${table} is not what the journal gives`)
    })
    rmSync(tempDir, { recursive: true, force: true })
    const erasing = await isErasing(dir)
    if (erasing) problems.push('An erasure is unfinished.')
    problems.push(...(await verifyLedger(context, books, erasing)).problems)
  })
  const [errors = []] = await askLedger(dir, [
    "select check_name, explanation from breaks where severity = 'error'",
  ])
  return [
    ...problems,
    ...errors.map((one) => `ledger: ${String(one.check_name)}: ${String(one.explanation)}`),
  ]
}
