// What can go wrong with the landing database. It can always be rebuilt from the journal, so every error here states
// how to continue, and none of them means that received data is lost.
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

/** With less free space than this, a failed write is attributed to a full disk. */
const FULL_BYTES = 64 * 2 ** 20

const MEBIBYTE = 2 ** 20

const GOES_ON = 'the journal has everything, and landing resumes from there.'

/** A transaction that failed: nothing of these frames has landed. */
export function notLanded(
  path: string,
  first: number,
  last: number,
  cause: unknown,
  engine: EngineSettings,
): Promise<TieoutError> {
  const message = `Frames ${first} to ${last} of the journal could not be landed; none of them has landed.`
  return notWritten(message, path, cause, engine)
}

/** Between two transactions: what has landed stays, and a file that was being rebuilt is left as it was. */
export const landingStopped = (): LandingError =>
  new LandingError('Landing was stopped.', { action: `Run again: ${GOES_ON}` }, 5)

/**
 * Everything committed is safe: it is in the write-ahead log beside the file, and is applied when the file is next
 * opened.
 */
export const notClosed = (path: string, cause: unknown, engine: EngineSettings): Promise<TieoutError> =>
  notWritten('The landing database could not be closed cleanly.', path, cause, engine)

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

/**
 * While one process writes, DuckDB shuts out every other one, readers too. For the system's refusals it only passes on
 * the message.
 */
export const notOpened = (path: string, cause: unknown): TieoutError =>
  /permission denied/i.test(messageOf(cause))
    ? notOurs(path, cause)
    : (noRoom(NOT_OPENED, path, cause) ?? held(path, cause))

/** Opening writes too: the first block of a new file, the tables, the content of a log. Null for any other error. */
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
    expected: 'a file owned by the user that runs this command, because only its owner may read it',
    found: messageOf(cause),
    action:
      'Run this as the user of the nightly runs. Published figures do not need this (`tieout status`, `tieout report`, `tieout sql`).',
    cause,
  })

const held = (path: string, cause: unknown): LandingError =>
  new LandingError(NOT_OPENED, {
    where: path,
    expected:
      'a DuckDB file that no other process has open for writing: while one does, no other can even read it',
    found: messageOf(cause),
    action:
      'If another tieout is working on these books, wait until it ends; published figures can be read at any time ' +
      '(`tieout sql`, `tieout report`). Otherwise run `tieout rebuild`, which rebuilds the file from the journal.',
    cause,
  })

/** What is read is not what was written, or cannot be read at all. */
export const damagedFile = (path: string, expected: string, found: string, cause?: unknown): LandingError =>
  new LandingError('The landing database is damaged.', {
    where: path,
    expected,
    found,
    action: 'Run `tieout rebuild` to rebuild the file from the journal.',
    ...(cause === undefined ? {} : { cause }),
  })

/** DuckDB checks a checksum for each block that it reads; running out of memory proves nothing about the file. */
export const unreadable = (path: string, cause: unknown, engine: EngineSettings): TieoutError =>
  outOfMemory('The landing database could not be read: not enough memory.', path, engine, cause) ??
  noRoom(NOT_OPENED, path, cause) ??
  damagedFile(path, 'a file in which every block matches its checksum', messageOf(cause), cause)

export const alreadyOpen = (path: string): LandingError =>
  new LandingError('The landing database is already open in this process.', {
    where: path,
    expected: 'one owner: two DuckDB instances on one file silently lose rows',
    action: 'Use the open landing database, or close it first.',
  })

export const missing = (path: string): UsageError =>
  new UsageError('There is no landing database here.', {
    where: path,
    action: 'Run `tieout sync` first, or `tieout rebuild` if there is a journal.',
  })

/** Created by an earlier version: it is rebuilt from the journal. */
export class OlderLanding extends LandingError {
  override readonly name = 'OlderLanding'
}

export const older = (path: string, found: string, expected: number): OlderLanding =>
  new OlderLanding(
    'The landing database was created by an older version of tieout.',
    {
      where: path,
      expected: `schema version ${expected}`,
      found,
      action: 'Run `tieout rebuild` to rebuild the file from the journal.',
    },
    2,
  )

export const newer = (path: string, found: number, expected: number): LandingError =>
  new LandingError(
    'The landing database was created by a newer version of tieout.',
    {
      where: path,
      expected: `schema version ${expected}`,
      found: `schema version ${found}`,
      action:
        'Update tieout, then run again. To stay with this version, run `tieout rebuild`: it rebuilds the file from the journal as far as it knows the frames.',
    },
    2,
  )

/** A frame that this version cannot land. The chain is intact, so this is what was written. */
export const fromNewerVersion = (message: string, seq: number, found: string): UsageError =>
  new UsageError(message, {
    where: `frame ${seq}`,
    found,
    action:
      'Update tieout to the version that wrote the frame, or a later one. Nothing in the journal is lost.',
  })

export const needsReopening = (path: string): LandingError =>
  new LandingError('The landing database failed and accepts nothing more in this process.', {
    where: path,
    action: 'Run again: the journal has everything, and landing resumes where it stopped.',
  })

const messageOf = (cause: unknown): string =>
  (cause instanceof Error ? cause.message : String(cause)).split('\n')[0] ?? ''

async function freeBytes(path: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(dirname(path))
    return bavail * bsize
  } catch {
    return null // The free space only explains the error; without it the error is reported unchanged.
  }
}
