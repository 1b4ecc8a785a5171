// Files that a user names for reading: how large they may be, and what they may be. A device never ends, and a file that
// is larger than any of its kind is a slip of the hand: both are refused before a byte of them is in memory.
import { type Stats, statSync } from 'node:fs'
import { UsageError } from '../../models/error.ts'

const MEBIBYTE = 2 ** 20

/** Configuration, credentials, and values of `call`. */
export const SMALL_FILE_BYTES = 4 * MEBIBYTE

/** CSV files; a million rows of trades are a tenth of it, and JavaScript holds no text of twice the size. */
export const LARGE_FILE_BYTES = 256 * MEBIBYTE

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
