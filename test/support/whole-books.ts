// Whether books are whole, as `tieout verify` finds it, without its full build: for tests in which a command has just built them,
// or is about to.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { closing } from '../../models/closing.ts'
import { openBooksFor } from '../../pipeline/books/books.ts'
import { verifyStored } from '../../pipeline/books/verify.ts'
import { optionalConfig } from '../../pipeline/config/context.ts'
import { verifyJournal } from '../../pipeline/journal/verify.ts'
import { askLedger } from './ask-ledger.ts'
import { silentContext } from './build-only.ts'

/** What is wrong with what is stored, and the errors among the breaks of the published ledger, if there is one. */
export async function problemsOf(dir: string): Promise<string[]> {
  const journal = await verifyJournal(dir)
  // Rows can only be compared with an intact journal.
  if (journal.problems.length > 0) return journal.problems.map(({ message }) => message)
  const context = silentContext(dir)
  const config = optionalConfig(context)
  const books = await openBooksFor(context, config, { command: 'verify', existing: 'needed' })
  const { problems } = await closing(books, () => verifyStored(context, config, books))
  if (!existsSync(join(dir, 'ledger.duckdb'))) return [...problems]
  const [errors = []] = await askLedger(dir, [
    "select check_name, explanation from breaks where severity = 'error'",
  ])
  return [...problems, ...errors.map((one) => `ledger: ${one.check_name}: ${one.explanation}`)]
}
