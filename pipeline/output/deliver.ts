// Where a report goes: standard output, a file, or a named file in a folder. A file appears completely or not
// at all: it is written under a temporary name, synced, then renamed.
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
  /** Columns of the terminal; absent if standard output is not a terminal. */
  readonly width?: number
  /** Every column and every row of a table, whatever the width of the terminal. */
  readonly wide?: boolean
  /** Writes a line for people to standard error. */
  readonly tell: (text: string) => void
}

/**
 * Files of the books that no report may replace, compared without case, because some file systems ignore
 * case.
 */
const BOOKS =
  /^(ledger\.duckdb|landing\.duckdb|tieout\.yaml|credentials\.yaml|lock|journal|filings|counterparties\.key|tmp|breaks-unpublished\.json|run-state\.json)(\.wal)?$/i

/**
 * A file name made from data (an account, a period): special characters become `_`, so that it cannot name
 * another folder.
 */
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

/**
 * A stream of this process, even if it is a file: replacing the file would discard what was written before
 * the process started.
 */
const STREAM = /^\/(dev\/(stdin|stdout|stderr|fd\/\d+)|proc\/[^/]+\/fd\/\d+)$/

/** Limit for dangling links that lead to each other; the system follows no more than this either. */
const LINKS_MAX = 40

/**
 * The target of a link that does not exist yet: a file that replaced the link would be in a different place.
 */
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
 * UsageError if the target is not a regular file, its folder is missing, or it is part of the books.
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
  throw new UsageError('The output cannot be written to this path.', {
    where: out,
    expected: 'an existing, writable folder',
    found: missing ? 'no such folder' : systemWords(cause),
    action: missing ? 'Create the folder, or choose another one.' : 'Check its permissions and free space.',
    cause,
  })
}

/**
 * Writes text or bytes to a file, as they come. On failure the file is left unchanged; a disk error becomes a
 * UsageError, any other error passes through. The new file can be read by whoever could read the old one, and
 * nobody else.
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

/**
 * The same text made safe for a terminal, which would interpret some of it; a pipe and a file get it
 * unchanged.
 */
export async function* forScreen(
  width: number | undefined,
  pieces: AsyncIterable<string>,
): AsyncIterable<string> {
  for await (const piece of pieces) yield width === undefined ? piece : forTerminal(piece)
}

/**
 * Writes to standard output as fast as it is read; a reader that goes away (`| head`) ends it without an
 * error.
 */
export async function writeOut(stdout: Writable, pieces: Pieces): Promise<void> {
  // The callback of write reports failures; without a listener on the stream they would end the process as
  // well.
  if (stdout.listenerCount('error') === 0) stdout.on('error', () => {})
  for await (const piece of pieces) {
    if (piece.length > 0 && !(await writePiece(stdout, piece))) return
  }
}

/** False once nobody reads any longer. */
async function writePiece(stdout: Writable, piece: string | Uint8Array): Promise<boolean> {
  return await new Promise((resolve, reject) => {
    stdout.write(piece, (error) => {
      if (error === null || error === undefined) resolve(true)
      // The stream's own listener has been told why it is gone.
      else if (['EPIPE', 'ERR_STREAM_DESTROYED'].includes(String((error as NodeJS.ErrnoException).code)))
        resolve(false)
      else reject(error)
    })
  })
}
