// Set up once for a run of the tests: a temporary directory of their own, which is gone with all that is in it at the end.
// Vitest asks for it once for each project: one directory is enough, and a browser's socket in a deep one has too long a path.
// The folder that the books of this repository have without --dir is the developer's: a test that makes it fails the run.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'

const PREFIX = 'tieout-tests-'
const OWN_BOOKS = resolve(import.meta.dirname, '../../data/books')

export default function setup(): () => void {
  if (basename(tmpdir()).startsWith(PREFIX)) return () => undefined
  const before = process.env.TMPDIR
  const hadBooks = existsSync(OWN_BOOKS)
  const folder = mkdtempSync(join(tmpdir(), PREFIX))
  process.env.TMPDIR = folder
  return () => {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
    rmSync(folder, { recursive: true, force: true })
    if (hadBooks || !existsSync(OWN_BOOKS)) return
    process.stderr.write(`A test ran without --dir and made ${OWN_BOOKS}.\n`)
    process.exitCode = 1
  }
}
