// What can go wrong with the landing database. It can always be made again from the journal, so every error here
// says how to go on, and none of them means that something received is lost.
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type ErrorDetails, type ExitCode, TieoutError, UsageError } from '../../models/error.ts'
import { fileLimited } from '../engine/file-limit.ts'
import { outOfMemory } from '../engine/out-of-memory.ts'
import type { EngineSettings } from '../engine/settings.ts'

/** The landing database could not be opened, read or written. */
export class LandingError extends TieoutError {
  override readonly name: string = 'LandingError'
  override readonly exitCode: ExitCode

  constructor(message: string, details: ErrorDetails, exitCode: ExitCode = 1) {
    super(message, details)
    this.exitCode = exitCode
  }
}

/** With less than this free a failed write is taken for a full disk. */
const FULL_BYTES = 64 * 2 ** 20

const MEBIBYTE = 2 ** 20

const GOES_ON = 'the journal has everything, and landing goes on from there.'

/** A transaction that failed: nothing of these frames has landed. */
export function notLanded(
  path: string,
  first: number,
  last: number,
  cause: unknown,
  engine: EngineSettings,
): Promise<TieoutError> {
  const message = `Frames ${first} to ${last} of the journal could not be landed; none of them has.`
  return notWritten(message, path, cause, engine)
}

/** Between two transactions: what has landed stands, and a file that was being made again is left as it was. */
export const landingStopped = (): LandingError =>
  new LandingError('Landing was stopped.', { action: `Run again: ${GOES_ON}` }, 5)

/** What was committed is safe: it stands in the log beside the file, and is taken up when the file is next opened. */
export const notClosed = (path: string, cause: unknown, engine: EngineSettings): Promise<TieoutError> =>
  notWritten('The landing database could not be closed in good order.', path, cause, engine)

async function notWritten(
  message: string,
  path: string,
  cause: unknown,
  engine: EngineSettings,
): Promise<TieoutError> {
  const free = await freeBytes(path)
  const full = free !== null && free < FULL_BYTES
  if (!full) {
    const short = outOfMemory(message, path, engine, cause)
    if (short !== null) return short
    const limited = fileLimited(message, path, cause)
    if (limited !== null) return limited
  }
  return new LandingError(
    message,
    {
      where: path,
      found: full ? `a disk with ${Math.floor(free / MEBIBYTE)} MiB free` : messageOf(cause),
      action: full
        ? `Free space on this disk, then run again: ${GOES_ON}`
        : `Run again: ${GOES_ON} If it fails again, run \`tieout rebuild\`.`,
      cause,
    },
    full ? 5 : 1,
  )
}

const NOT_OPENED = 'The landing database could not be opened.'

/** DuckDB lets one process write and shuts out every other one meanwhile, readers too; of what the system refuses it has the words alone. */
export const notOpened = (path: string, cause: unknown): TieoutError =>
  /permission denied/i.test(messageOf(cause))
    ? notOurs(path, cause)
    : (noRoom(NOT_OPENED, path, cause) ?? held(path, cause))

/** Opening writes, too: the first block of a new file, the tables, what a log has. Null for any other error. */
function noRoom(message: string, path: string, cause: unknown): TieoutError | null {
  const found = messageOf(cause)
  if (!/\b(no space left on device|disk quota exceeded)\b/i.test(found))
    return fileLimited(message, path, cause)
  return new LandingError(
    message,
    { where: path, found, action: `Free space on this disk, then run again: ${GOES_ON}`, cause },
    5,
  )
}

const notOurs = (path: string, cause: unknown): UsageError =>
  new UsageError('The landing database belongs to another user.', {
    where: path,
    expected: 'a file of the user that runs this command: only its owner may read it',
    found: messageOf(cause),
    action:
      'Run this as the user that the nightly runs have. Published figures need no such right (`tieout status`, `tieout report`, `tieout sql`).',
    cause,
  })

const held = (path: string, cause: unknown): LandingError =>
  new LandingError(NOT_OPENED, {
    where: path,
    expected: 'a DuckDB file that no other process holds: while one writes, no other can even read it',
    found: messageOf(cause),
    action:
      'If another tieout is at work in these books, wait for its end; published figures can be read at any time ' +
      '(`tieout sql`, `tieout report`). Otherwise run `tieout rebuild`, which makes the file again from the journal.',
    cause,
  })

/** What is read is not what was written, or cannot be read at all. */
export const damagedFile = (path: string, expected: string, found: string, cause?: unknown): LandingError =>
  new LandingError('The landing database is damaged.', {
    where: path,
    expected,
    found,
    action: 'Run `tieout rebuild`: it makes the file again from the journal.',
    ...(cause === undefined ? {} : { cause }),
  })

/** DuckDB holds a checksum against each block that it reads; that its memory does not suffice says nothing of the file. */
export const unreadable = (path: string, cause: unknown, engine: EngineSettings): TieoutError =>
  outOfMemory('The landing database could not be read for want of memory.', path, engine, cause) ??
  noRoom(NOT_OPENED, path, cause) ??
  damagedFile(path, 'a file whose every block has its checksum', messageOf(cause), cause)

export const alreadyOpen = (path: string): LandingError =>
  new LandingError('The landing database is open in this process already.', {
    where: path,
    expected: 'one owner: two DuckDB instances on one file silently lose rows',
    action: 'Use the landing that is open, or close it first.',
  })

export const missing = (path: string): UsageError =>
  new UsageError('There is no landing database here.', {
    where: path,
    action: 'Run `tieout sync` first, or `tieout rebuild` if there is a journal.',
  })

/** Made by an earlier version: it is made again from the journal. */
export class OlderLanding extends LandingError {
  override readonly name = 'OlderLanding'
}

export const older = (path: string, found: string, expected: number): OlderLanding =>
  new OlderLanding(
    'The landing database was made by an older version of tieout.',
    {
      where: path,
      expected: `schema version ${expected}`,
      found,
      action: 'Run `tieout rebuild`: it makes the file again from the journal.',
    },
    2,
  )

export const newer = (path: string, found: number, expected: number): LandingError =>
  new LandingError(
    'The landing database was made by a newer version of tieout.',
    {
      where: path,
      expected: `schema version ${expected}`,
      found: `schema version ${found}`,
      action:
        'Update tieout, then run again. To stay with this version run `tieout rebuild`: it makes the file again from the journal, as far as it knows the frames.',
    },
    2,
  )

/** A frame that this version cannot land: its chain holds, so what it says was written as it stands. */
export const fromNewerVersion = (message: string, seq: number, found: string): UsageError =>
  new UsageError(message, {
    where: `frame ${seq}`,
    found,
    action:
      'Update tieout to the version that wrote the frame, or a later one. Nothing of the journal is lost.',
  })

export const needsReopening = (path: string): LandingError =>
  new LandingError('The landing database failed and takes nothing more in this process.', {
    where: path,
    action: 'Run again: the journal has everything, and landing goes on from where it stopped.',
  })

const messageOf = (cause: unknown): string =>
  (cause instanceof Error ? cause.message : String(cause)).split('\n')[0] ?? ''

async function freeBytes(path: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(dirname(path))
    return bavail * bsize
  } catch {
    return null // The free space only explains the error; without it the error stands as it is.
  }
}
