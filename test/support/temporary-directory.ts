// Set up once for a test run: a separate temporary directory, which is removed with its contents at the end. Vitest asks for it
// once for each project, but one directory is enough, and a browser's socket in a deeper one would have too long a path. The
// default folder of the books in this repository belongs to the developer: a test that creates it fails the run.
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
