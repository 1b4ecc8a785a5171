// Whether books are whole, as `tieout verify` finds it, without its full build: for tests in which a command has just built them,
// or is about to.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { closing } from '../../models/closing.ts'
import { optionsToRepeat, pasteable } from '../../models/suggested.ts'
import { openBooksFor } from '../../pipeline/books/books.ts'
import { describeVerification, verifyStored } from '../../pipeline/books/verify.ts'
import { optionalConfig } from '../../pipeline/config/context.ts'
import { verifyJournal } from '../../pipeline/journal/verify.ts'
import { askLedger } from './ask-ledger.ts'
import { silentContext } from './build-only.ts'

/** What `tieout verify` says of books whose journal is intact, without what its full build finds. */
export async function storedVerification(dir: string, now?: string): Promise<string> {
  const { problems, ...journal } = await verifyJournal(dir)
  if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join('\n'))
  const context = silentContext(dir, now)
  const config = optionalConfig(context)
  const books = await openBooksFor(context, config, { command: 'verify', existing: 'needed' })
  const { ledger, ...stored } = await closing(books, () => verifyStored(context, config, books))
  const verification = { ...journal, ...stored, published: ledger.tables, rebuilt: null }
  return pasteable(describeVerification(verification), optionsToRepeat({ dir }))
}

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
