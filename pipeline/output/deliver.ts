// Where a report goes: standard output, a file, or a file in a folder under a name of its own.
// A file appears whole or not at all: written beside its place, synced, then renamed.
import { readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import type { Writable } from 'node:stream'
import { closing } from '../../models/closing.ts'
import { UsageError } from '../../models/error.ts'
import { systemWords } from '../../models/system-error.ts'
import { forTerminal } from '../../models/text.ts'
import { type Disk, DiskError, replaceFile } from '../journal/disk.ts'
import { clearLeft } from './left-beside.ts'

export type Pieces = AsyncIterable<string | Uint8Array>

export interface Terminal {
  readonly stdout: Writable
  /** Columns of the terminal; absent when standard output is none. */
  readonly width?: number
  /** Every column and every row of a table, however wide the terminal. */
  readonly wide?: boolean
  /** Writes a line for people to standard error. */
  readonly tell: (text: string) => void
}

/** Files of the books that no report may replace, in any case: some file systems do not tell case apart. */
const BOOKS =
  /^(ledger\.duckdb|landing\.duckdb|tieout\.yaml|credentials\.yaml|lock|journal|filings|counterparties\.key|tmp|breaks-unpublished\.json|run-state\.json)(\.wal)?$/i

/** A file name made of data (an account, a period): what is not plain becomes `_`, so that it names no other folder. */
export function safeFileName(parts: readonly string[], extension: string): string {
  const clean = parts
    .filter((part) => part !== '')
    .map((part) =>
      part
        .replace(/[^\p{L}\p{N}._-]+/gu, '_')
        .replace(/^\.+/, '_')
        .slice(0, 60),
    )
  return `${clean.join('-')}.${extension}`
}

/** A stream of this process, also where it is a file: what stood there before the process would go with the file. */
const STREAM = /^\/(dev\/(stdin|stdout|stderr|fd\/\d+)|proc\/[^/]+\/fd\/\d+)$/

/** Links that lead nowhere may lead to each other; the system follows no more than this either. */
const LINKS_MAX = 40

/** Where a link leads, though nothing is there yet: a file that replaced the link would stand in another place. */
async function endOfLinks(path: string, out: string): Promise<string> {
  let end = path
  for (let links = 0; links < LINKS_MAX; links += 1) {
    const next = await readlink(end).catch(() => null)
    if (next === null) return end
    end = resolve(dirname(end), next)
  }
  return refuse(out, Object.assign(new Error('too many links'), { code: 'ELOOP' }))
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'

/**
 * The file that `--out` means: a folder (or a path that ends in a slash) takes `name`, a link is followed.
 * UsageError when the place is no regular file, its folder is missing, or the books themselves are meant.
 */
export async function outFile(out: string, name: string, dir: string): Promise<string> {
  let file = resolve(out)
  let there = await stat(file).catch((error: unknown) => (isMissing(error) ? null : refuse(out, error)))
  if (there?.isDirectory() === true || out.endsWith(sep) || out.endsWith('/')) {
    file = join(file, name)
    there = await stat(file).catch((error: unknown) => (isMissing(error) ? null : refuse(out, error)))
  }
  if (STREAM.test(file) || (there !== null && !there.isFile())) {
    throw new UsageError('The output is not a regular file.', {
      where: out,
      expected: 'a file or a folder',
      action: 'Omit --out to write to standard output.',
    })
  }
  if (there === null) file = await endOfLinks(file, out)
  const folder = await realpath(dirname(file)).catch((error: unknown) => refuse(out, error))
  const target = there === null ? join(folder, basename(file)) : await realpath(file)
  const books = await realpath(dir).catch(() => resolve(dir))
  const inBooks = target.startsWith(books + sep) ? target.slice(books.length + 1).split(sep)[0] : undefined
  if (inBooks !== undefined && BOOKS.test(inBooks)) {
    throw new UsageError('The output would replace a part of the books.', {
      where: target,
      action: 'Choose another file name.',
    })
  }
  return target
}

function refuse(out: string, cause: unknown): never {
  const missing = isMissing(cause)
  throw new UsageError('The output cannot be written there.', {
    where: out,
    expected: 'a folder that exists and may be written to',
    found: missing ? 'no such folder' : systemWords(cause),
    action: missing ? 'Create the folder, or choose another one.' : 'Check its permissions and its space.',
    cause,
  })
}

/**
 * Writes text or bytes to a file, as they come. A failure leaves the file as it was; one of the disk is a UsageError, any
 * other passes through. Who may read the file that was there may read the new one, and nobody else.
 */
export async function writeFileFrom(disk: Disk, file: string, pieces: Pieces): Promise<void> {
  await clearLeft(file)
  const mode = await stat(file).then(
    ({ mode }) => mode & 0o777,
    () => 0o666,
  )
  const write = async (path: string): Promise<void> => {
    const written = await disk.open(path, 'create', mode)
    await closing(written, async () => {
      let position = 0
      for await (const piece of pieces) {
        const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece
        await written.write(bytes, position)
        position += bytes.length
      }
    })
  }
  await replaceFile(disk, file, write).catch((error: unknown) => {
    if (error instanceof DiskError) refuse(file, error)
    throw error
  })
}

/** The same text for a terminal, which would act upon some of it; a pipe and a file get it as it is. */
export async function* forScreen(
  width: number | undefined,
  pieces: AsyncIterable<string>,
): AsyncIterable<string> {
  for await (const piece of pieces) yield width === undefined ? piece : forTerminal(piece)
}

/** Writes to standard output as fast as it is read; a reader that leaves (`| head`) ends it without an error. */
export async function writeOut(stdout: Writable, pieces: Pieces): Promise<void> {
  // The callback of write tells of a failure; a stream without a listener would end the process as well.
  if (stdout.listenerCount('error') === 0) stdout.on('error', () => {})
  for await (const piece of pieces) {
    if (piece.length > 0 && !(await writePiece(stdout, piece))) return
  }
}

/** False when nobody reads any longer. */
async function writePiece(stdout: Writable, piece: string | Uint8Array): Promise<boolean> {
  return await new Promise((resolve, reject) => {
    stdout.write(piece, (error) => {
      if (error === null || error === undefined) resolve(true)
      // Whoever watches the stream has been told why it is gone.
      else if (['EPIPE', 'ERR_STREAM_DESTROYED'].includes(String((error as NodeJS.ErrnoException).code)))
        resolve(false)
      else reject(error)
    })
  })
}
