// A build of some tables alone: most of what a build of small books costs is planning some two hundred statements, so a test that
// reads two tables of books that a command has written builds only these.
import { Writable } from 'node:stream'
import { closing } from '../../models/closing.ts'
import { openBooksFor } from '../../pipeline/books/books.ts'
import { buildBooks } from '../../pipeline/books/night.ts'
import { createContext, optionalConfig } from '../../pipeline/config/context.ts'
import type { BuildResult } from '../../pipeline/ledger/build.ts'

/**
 * Builds and publishes, with the configuration of these books, only the named tables and checks with everything they depend on.
 * `now` is the time that `--now` would give.
 */
export async function buildOnly(
  dir: string,
  only: readonly string[],
  { now }: { readonly now?: string } = {},
): Promise<BuildResult> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const stop = new AbortController().signal
  const context = createContext(
    { dir, logLevel: 'silent', now },
    { stdout: nowhere, stderr: nowhere, stop: () => stop },
  )
  const config = optionalConfig(context)
  const books = await openBooksFor(context, config, { command: 'build', existing: 'needed' })
  return await closing(books, () => buildBooks(context, config, books, { publishAnyway: true, only }))
}
