// Files that a user names for reading: what they may be, and how large. A device never ends, and a file larger than any
// of its kind is a mistake; both are refused before a byte is read into memory.
import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs'
import { UsageError } from '../../models/error.ts'
import { systemWords } from '../../models/system-error.ts'

const MEBIBYTE = 2 ** 20

/** Configuration, credentials, and values of `call`. */
export const SMALL_FILE_BYTES = 4 * MEBIBYTE

/** CSV files. A million rows of trades take a tenth of this, and JavaScript cannot hold a string twice as large. */
export const LARGE_FILE_BYTES = 256 * MEBIBYTE

/** The details of a refused file, and an alternative next step. */
export interface InputRefusal {
  readonly message: string
  /** What the path should point to. */
  readonly expected: string
  /** Replaces the usual next step, which is to check the path and the permissions. */
  readonly action?: string
}

/**
 * The bytes of a file that the user names. Throws a UsageError if it is not a file, is too large or may not be read.
 */
export function readInputFile(path: string, maxBytes: number, refusal: InputRefusal): Buffer {
  try {
    return readFit(path, maxBytes)
  } catch (cause) {
    throw cause instanceof UsageError ? cause : unreadable(path, refusal, cause)
  }
}

/** The same, but throws the system's own error if the file cannot be read. */
export function readFit(path: string, maxBytes: number): Buffer {
  refuseUnfit(path, maxBytes)
  return statsOf(path)?.isFIFO() ? readPipe(path, maxBytes) : readFileSync(path)
}

/** How long a pipe may be open without a writer. */
const WRITER_MS = 5000
const PAUSE_MS = 10

/**
 * Everything that is written into a pipe, as `--config <(…)` names one. It is opened in non-blocking mode: if nobody
 * ever wrote, the process would hang in that call and respond to no signal.
 */
function readPipe(path: string, maxBytes: number): Buffer {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const pieces: Buffer[] = []
    let size = 0
    for (const until = performance.now() + WRITER_MS; ; ) {
      const piece = readNow(file)
      if (piece !== null && piece.length > 0) {
        pieces.push(piece)
        size += piece.length
        if (size > maxBytes) throw unfitFile(path, maxBytes, 'a pipe that delivers more')
      } else if (piece !== null && size > 0) return Buffer.concat(pieces)
      else if (piece !== null && performance.now() > until) throw unwritten(path)
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
    }
  } finally {
    closeSync(file)
  }
}

/** What a pipe holds now: empty if no writer has it open, null if one has and is silent. */
function readNow(file: number): Buffer | null {
  const room = Buffer.alloc(2 ** 16)
  try {
    return room.subarray(0, readSync(file, room))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return null
    throw error
  }
}

const unwritten = (path: string): UsageError =>
  new UsageError('The file cannot be read.', {
    where: path,
    expected: 'a regular file, or a pipe with a writer',
    found: `a pipe that nothing was written to for ${WRITER_MS / 1000} s`,
    action: 'Correct the name, or check why nothing was written to the pipe.',
  })

/** The error for a file that the system does not allow to be read. */
export function unreadable(
  path: string,
  { message, expected, action = 'Correct the path, or the permissions of the file.' }: InputRefusal,
  cause: unknown,
): UsageError {
  return new UsageError(message, { where: path, expected, found: foundAt(path, cause), action, cause })
}

/** A broken link exists, but its target does not. */
function foundAt(path: string, cause: unknown): string {
  const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT'
  return isMissing && isLink(path) ? 'a broken link (ENOENT)' : systemWords(cause)
}

/** Whether the path is a link, even a broken one. */
export const isLink = (path: string): boolean => {
  try {
    return lstatSync(path).isSymbolicLink()
  } catch {
    return false
  }
}

/**
 * Throws a UsageError for a device and for a file that is too large. Any other problem with the path is left to its
 * reader.
 */
export function refuseUnfit(path: string, maxBytes: number): void {
  const stats = statsOf(path)
  const found = stats === null ? null : unfit(stats, maxBytes)
  if (found !== null) throw unfitFile(path, maxBytes, found)
}

const unfitFile = (path: string, maxBytes: number, found: string): UsageError =>
  new UsageError('The file cannot be read.', {
    where: path,
    expected: `a regular file of at most ${maxBytes / MEBIBYTE} MiB`,
    found,
    action: 'Correct the name, or split the file.',
  })

/**
 * What `read` returns, for a file that did not change in the meantime. Throws a UsageError for a file that grew, was
 * truncated, rewritten or replaced: what was read may be a mixture. Anything but a regular file (a pipe) is not
 * checked.
 */
export async function readUnchanged<T>(path: string, read: () => Promise<T>): Promise<T> {
  const before = stateOf(path)
  const result = await read()
  const after = stateOf(path)
  if (before === null || before.state === after?.state) return result
  throw new UsageError('The file changed while it was being read.', {
    where: path,
    expected: `the file as it was when reading started, with ${before.size} bytes`,
    found: after === null ? 'no file with this name' : `a file of ${after.size} bytes, written since`,
    action: 'Wait until the file is complete and run the command again. Nothing of it was used.',
  })
}

/** What shows that a regular file has not changed; null for anything else. */
function stateOf(path: string): { readonly state: string; readonly size: bigint } | null {
  try {
    const stats = statSync(path, { bigint: true })
    const { dev, ino, size, mtimeNs } = stats
    return stats.isFile() ? { state: `${dev} ${ino} ${size} ${mtimeNs}`, size } : null
  } catch {
    return null
  }
}

function statsOf(path: string): Stats | null {
  try {
    return statSync(path)
  } catch {
    return null
  }
}

function unfit(stats: Stats, maxBytes: number): string | null {
  if (stats.isCharacterDevice() || stats.isBlockDevice()) return 'a device'
  return stats.size > maxBytes ? `${Math.ceil(stats.size / MEBIBYTE)} MiB` : null
}
