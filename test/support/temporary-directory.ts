// Set up once for a test run: a separate temporary directory, which is removed with its contents at the end. Vitest asks for it
// once for each project, but one directory is enough, and a browser's socket in a deeper one would have too long a path. It is
// in shared memory where there is plenty of that: no test asks what a disk keeps when its power fails (the simulator does, on a
// disk of its own), and small builds wait for a real one a tenth of their time. The default folder of the books in this
// repository belongs to the developer: a test that creates it fails the run.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { SHARED_MEMORY } from './fast-folder.ts'

const PREFIX = 'tieout-tests-'
const OWN_BOOKS = resolve(import.meta.dirname, '../../data/books')

/** A whole run has up to 1.2 GB in it at a time. */
const ENOUGH_BYTES = 8 * 2 ** 30

/** A new directory in shared memory; null if there is too little, or if it runs no programs, which some tests install. */
function inSharedMemory(): string | null {
  if (process.env.TMPDIR !== undefined || !existsSync(SHARED_MEMORY)) return null
  const { bavail, bsize } = statfsSync(SHARED_MEMORY)
  if (bavail * bsize < ENOUGH_BYTES) return null
  const folder = mkdtempSync(join(SHARED_MEMORY, PREFIX))
  try {
    writeFileSync(join(folder, 'program'), '#!/bin/sh\n', { mode: 0o700 })
    execFileSync(join(folder, 'program'))
    return folder
  } catch {
    rmSync(folder, { recursive: true, force: true })
    return null
  }
}

export default function setup(): () => void {
  if (basename(tmpdir()).startsWith(PREFIX)) return () => undefined
  const before = process.env.TMPDIR
  const hadBooks = existsSync(OWN_BOOKS)
  const folder = inSharedMemory() ?? mkdtempSync(join(tmpdir(), PREFIX))
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
