// Files that a user names for reading: how large they may be, and what they may be. A device never ends, and a file that
// is larger than any of its kind is a slip of the hand: both are refused before a byte of them is in memory.
import { lstatSync, readFileSync, type Stats, statSync } from 'node:fs'
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
  refuseUnfit(path, maxBytes)
  try {
    return readFileSync(path)
  } catch (cause) {
    throw unreadable(path, refusal, cause)
  }
}

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
  if (found === null) return
  throw new UsageError('The file cannot be read.', {
    where: path,
    expected: `a regular file of at most ${maxBytes / MEBIBYTE} MiB`,
    found,
    action: 'Correct the name, or split the file.',
  })
}

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
    action: 'Wait until it is written whole, then run again; nothing of it has been taken.',
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
