// Files that a user names for reading: how large they may be, and what they may be. A device never ends, and a file that
// is larger than any of its kind is a slip of the hand: both are refused before a byte of them is in memory.
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

/** CSV files; a million rows of trades are a tenth of it, and JavaScript holds no text of twice the size. */
export const LARGE_FILE_BYTES = 256 * MEBIBYTE

/** What is refused of a file, and what else there is to do about it. */
export interface InputRefusal {
  readonly message: string
  /** What the path should be of. */
  readonly expected: string
  /** Instead of the usual word, which is of the path and of rights. */
  readonly action?: string
}

/** The bytes of a file that the user names; UsageError for what is none, is too large or may not be read. */
export function readInputFile(path: string, maxBytes: number, refusal: InputRefusal): Buffer {
  try {
    return readFit(path, maxBytes)
  } catch (cause) {
    throw cause instanceof UsageError ? cause : unreadable(path, refusal, cause)
  }
}

/** The same, with the system's own error where it does not let the file be read. */
export function readFit(path: string, maxBytes: number): Buffer {
  refuseUnfit(path, maxBytes)
  return statsOf(path)?.isFIFO() ? readPipe(path, maxBytes) : readFileSync(path)
}

/** How long a pipe may stand there without anybody who writes into it. */
const WRITER_MS = 5000
const PAUSE_MS = 10

/**
 * All that is written into a pipe, as `--config <(…)` names one. It is opened without waiting: where nobody ever writes, the
 * process would stand in that call for ever and heed no signal.
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
        if (size > maxBytes) throw unfitFile(path, maxBytes, 'a pipe that gives more')
      } else if (piece !== null && size > 0) return Buffer.concat(pieces)
      else if (piece !== null && performance.now() > until) throw unwritten(path)
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
    }
  } finally {
    closeSync(file)
  }
}

/** What a pipe holds now: nothing where no writer has it open, null where one has and is silent. */
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
    expected: 'a regular file, or a pipe into which something is written',
    found: `a pipe into which nobody wrote for ${WRITER_MS / 1000} s`,
    action: 'Correct the name, or look why what should write into it did not.',
  })

/** The refusal of a file that the system would not let be read. */
export function unreadable(
  path: string,
  { message, expected, action = 'Correct the path, or the permissions of the file.' }: InputRefusal,
  cause: unknown,
): UsageError {
  return new UsageError(message, { where: path, expected, found: foundAt(path, cause), action, cause })
}

/** A link that leads nowhere is there, and what it leads to is not. */
function foundAt(path: string, cause: unknown): string {
  const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT'
  return isMissing && isLink(path) ? 'a link that leads nowhere (ENOENT)' : systemWords(cause)
}

/** Whether a link stands there, wherever it leads. */
export const isLink = (path: string): boolean => {
  try {
    return lstatSync(path).isSymbolicLink()
  } catch {
    return false
  }
}

/** UsageError for a device and for a file that is too large. Whatever else is wrong with a path, its reader will tell. */
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
 * What `read` gives, of a file that stayed as it was meanwhile. UsageError for one that grew, was cut, was written anew or gave
 * way to another: what was read of it may be a part of each. What is no regular file (a pipe) has nothing to stay.
 */
export async function readUnchanged<T>(path: string, read: () => Promise<T>): Promise<T> {
  const before = stateOf(path)
  const result = await read()
  const after = stateOf(path)
  if (before === null || before.state === after?.state) return result
  throw new UsageError('The file changed while it was read.', {
    where: path,
    expected: `the file as it was when reading began, of ${before.size} bytes`,
    found: after === null ? 'no file of this name' : `one of ${after.size} bytes, written since`,
    action: 'Wait until it has been written completely, then run again; nothing of it has been taken.',
  })
}

/** What tells a regular file from itself at another time; null for what is none. */
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
