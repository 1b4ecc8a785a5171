// A build without a command, in books that a command has written. Of some tables alone: most of what a build of small books costs
// is planning some two hundred statements, so a test that reads two tables builds only these. Or several builds one after another
// in books that stay open, for tests that change what has landed in between.
import { Writable } from 'node:stream'
import { closing } from '../../models/closing.ts'
import { type Books, openBooksFor } from '../../pipeline/books/books.ts'
import { buildBooks } from '../../pipeline/books/night.ts'
import { type CommandContext, createContext, optionalConfig } from '../../pipeline/config/context.ts'
import type { BuildResult } from '../../pipeline/ledger/build.ts'

/** What a command on these books works with. It prints nothing, and nobody stops it. `now` is the time that `--now` would give. */
export function silentContext(dir: string, now?: string): CommandContext {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const stop = new AbortController().signal
  return createContext(
    { dir, logLevel: 'silent', now },
    { stdout: nowhere, stderr: nowhere, stop: () => stop },
  )
}

export interface OpenedBooks {
  readonly context: CommandContext
  readonly books: Books
  /** Builds with the configuration of these books, and publishes it whatever the checks find. */
  build(options?: Pick<Parameters<typeof buildBooks>[3], 'full' | 'only' | 'publish'>): Promise<BuildResult>
}

/** Opens books that exist. `now` is the time that `--now` would give; `threads`, of the engine, those of the configuration if absent. */
export async function openedBooks(
  dir: string,
  { now, threads }: { readonly now?: string | undefined; readonly threads?: number } = {},
): Promise<OpenedBooks> {
  const context = silentContext(dir, now)
  const configured = optionalConfig(context)
  const config =
    threads === undefined ? configured : { ...configured, engine: { ...configured.engine, threads } }
  const books = await openBooksFor(context, config, { command: 'build', existing: 'needed' })
  return {
    context,
    books,
    build: (options = {}) => buildBooks(context, config, books, { publishAnyway: true, ...options }),
  }
}

/**
 * Builds and publishes, with the configuration of these books, only the named tables and checks with everything they depend on.
 * `now` is the time that `--now` would give.
 */
export async function buildOnly(
  dir: string,
  only: readonly string[],
  { now }: { readonly now?: string } = {},
): Promise<BuildResult> {
  const { books, build } = await openedBooks(dir, { now })
  return await closing(books, () => build({ only }))
}
