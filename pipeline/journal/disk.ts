// All disk access for files that must not be lost: the journal, the lock, and files replaced as a whole. It is an
// interface, so that tests and a simulator can pass a failing disk; every failure is a DiskError.
import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import * as fs from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import { closing } from '../../models/closing.ts'
import { type ExitCode, TieoutError } from '../../models/error.ts'
import { systemWords } from '../../models/system-error.ts'
import { LARGE_FILES, RAISE_FILE_LIMIT } from '../engine/file-limit.ts'

export interface DiskFile {
  /**
   * Bytes from the position on; fewer than requested only at the end of the file. They may be returned in `into`, which
   * is at least as long.
   */
  read(position: number, length: number, into?: Buffer): Promise<Buffer>
  write(bytes: Uint8Array, position: number): Promise<void>
  truncate(length: number): Promise<void>
  /** Resolves once everything written, and the length, is safe on disk. */
  sync(): Promise<void>
  size(): Promise<number>
  close(): Promise<void>
}

/**
 * read: an existing file. change: an existing file, for reading and writing. create: a file that must not exist yet.
 */
export type OpenHow = 'read' | 'change' | 'create'

export interface Disk {
  /** The mode only applies to a created file. */
  open(path: string, how: OpenHow, mode?: number): Promise<DiskFile>
  /** The whole file, or null if there is none. */
  readFile(path: string): Promise<Buffer | null>
  /** Names in a folder, sorted, or null if there is no such folder. */
  list(path: string): Promise<string[] | null>
  /** Creates a folder and its missing parents. */
  makeDir(path: string, mode: number): Promise<void>
  /** Makes the creations, renames and removals in a folder durable. */
  syncDir(path: string): Promise<void>
  /** Atomic; replaces an existing file. */
  rename(from: string, to: string): Promise<void>
  /** Gives a file a second name, atomically; false if the new name is taken. */
  link(from: string, to: string): Promise<boolean>
  /** No error if there is no such file. */
  remove(path: string): Promise<void>
}

const NO_RIGHT =
  'Run this as the user of the nightly runs, give this user permission to read and write here, or name another folder with --dir.'

interface Trouble {
  readonly expected: string
  readonly action: string
  /** 1 if omitted. */
  readonly exitCode?: ExitCode
}

const noRight: Trouble = { expected: 'permission to read and write it', action: NO_RIGHT, exitCode: 2 }

/** A full disk is temporary (progress is kept); a folder without write permission is a set-up error. */
const TROUBLES: Readonly<Record<string, Trouble>> = {
  ENOSPC: {
    expected: 'free space on this disk',
    action: 'Free space on this disk, then run again. What was acknowledged is kept.',
    exitCode: 5,
  },
  EDQUOT: {
    expected: 'free space within the quota',
    action: 'Free space within the quota, then run again. What was acknowledged is kept.',
    exitCode: 5,
  },
  EACCES: noRight,
  EPERM: noRight,
  EROFS: {
    expected: 'a writable file system',
    action: 'Make the file system writable, or name another folder with --dir.',
    exitCode: 2,
  },
  ENOENT: {
    expected: 'a path that exists',
    action: 'Check that the folder exists and that the path is spelled correctly.',
    exitCode: 2,
  },
  ENOTDIR: {
    expected: 'a path of folders',
    action: 'Part of the path is a file where a folder was expected. Name another folder with --dir.',
    exitCode: 2,
  },
  EISDIR: {
    expected: 'a file',
    action: 'There is a folder where a file is expected. Move it, or name another folder with --dir.',
    exitCode: 2,
  },
  EEXIST: {
    expected: 'nothing at this path',
    action: 'Something else is at this path. Remove it, or name another folder with --dir.',
    exitCode: 2,
  },
  EMFILE: {
    expected: 'a limit of open files that allows one more',
    action: 'Raise the limit of open files (ulimit -n), then run again.',
  },
  EFBIG: {
    expected: LARGE_FILES,
    action: RAISE_FILE_LIMIT,
    exitCode: 2,
  },
  EIO: {
    expected: 'a disk without errors',
    action: 'Check the disk: it reported an I/O error. What was acknowledged is kept.',
  },
}

const OTHER: Trouble = {
  expected: 'a file or folder that can be read and written',
  action: 'Check the disk and the path, then run again.',
}

/** A file or folder could not be read or written; `code` is the system's (`ENOSPC`, `EACCES`, …). */
export class DiskError extends TieoutError {
  override readonly name = 'DiskError'
  override readonly exitCode: ExitCode
  readonly code: string

  constructor(message: string, path: string, cause: unknown) {
    const code = codeOf(cause)
    const { expected, action, exitCode = 1 } = TROUBLES[code] ?? OTHER
    super(message, { where: path, expected, found: systemWords(cause), action, cause })
    this.code = code
    this.exitCode = exitCode
  }
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : 'UNKNOWN'
}

/** Runs one operation; any failure becomes a DiskError that names the path. */
async function attempt<T>(doing: string, path: string, operation: () => Promise<T>): Promise<T> {
  try {
    return await operation()
  } catch (error) {
    throw new DiskError(`The disk refused to ${doing}.`, path, error)
  }
}

/** For codes that are an answer rather than a failure, such as ENOENT for a file that need not exist. */
async function unless<T, A>(code: string, answer: A, operation: Promise<T>): Promise<T | A> {
  try {
    return await operation
  } catch (error) {
    if (codeOf(error) === code) return answer
    throw error
  }
}

const FLAGS: Readonly<Record<OpenHow, number>> = {
  read: constants.O_RDONLY,
  change: constants.O_RDWR,
  create: constants.O_RDWR | constants.O_CREAT | constants.O_EXCL,
}

/** The machine's own disk, through node:fs. */
export const nodeDisk: Disk = {
  open: async (path, how, mode) => {
    const doing = how === 'create' ? 'create a file' : 'open a file'
    return fileOf(await attempt(doing, path, () => fs.open(path, FLAGS[how], mode)), path)
  },
  readFile: (path) =>
    unless(
      'ENOENT',
      null,
      attempt('read a file', path, () => fs.readFile(path)),
    ),
  list: (path) =>
    unless(
      'ENOENT',
      null,
      attempt('list a folder', path, async () => (await fs.readdir(path)).sort()),
    ),
  makeDir: (path, mode) =>
    attempt('create a folder', path, async () => {
      await fs.mkdir(path, { recursive: true, mode }).catch(async (error: unknown) => {
        if (codeOf(error) !== 'ENOENT') throw error
        // On a read-only file system, recursive creation in Node reports ENOENT for a folder that it may not create; a
        // single level returns the system's error.
        await fs.mkdir(path, { mode })
      })
    }),
  syncDir: (path) =>
    attempt('sync a folder', path, async () => {
      const handle = await fs.open(path, constants.O_RDONLY)
      await closing(handle, () => handle.sync())
    }),
  rename: (from, to) => attempt('rename a file', from, () => fs.rename(from, to)),
  link: async (from, to) => {
    const linked = attempt('link a file', to, () => fs.link(from, to)).then(() => true)
    return unless('EEXIST', false, linked)
  },
  remove: (path) =>
    unless(
      'ENOENT',
      undefined,
      attempt('remove a file', path, () => fs.unlink(path)),
    ),
}

function fileOf(handle: fs.FileHandle, path: string): DiskFile {
  return {
    read: (position, length, into) =>
      attempt('read a file', path, async () => {
        const bytes = into ?? Buffer.allocUnsafe(length)
        let filled = 0
        while (filled < length) {
          const { bytesRead } = await handle.read(bytes, filled, length - filled, position + filled)
          if (bytesRead === 0) break
          filled += bytesRead
        }
        return bytes.subarray(0, filled)
      }),
    write: (bytes, position) =>
      attempt('write a file', path, async () => {
        let done = 0
        while (done < bytes.length)
          done += (await handle.write(bytes, done, bytes.length - done, position + done)).bytesWritten
      }),
    truncate: (length) => attempt('shorten a file', path, () => handle.truncate(length)),
    sync: () => attempt('sync a file', path, () => handle.datasync()),
    size: () => attempt('measure a file', path, async () => (await handle.stat()).size),
    close: () => attempt('close a file', path, () => handle.close()),
  }
}

/**
 * A name next to this file that nobody else uses. The process id alone is not enough: one process may write the same
 * file twice at the same time, and in containers that share a folder every process may have the id 1.
 */
export const nameBeside = (path: string, ending: 'tmp' | 'old' = 'tmp'): string =>
  join(dirname(path), `.${basename(path)}.${process.pid}-${HOST}${randomBytes(4).toString('hex')}.${ending}`)

/** Distinguishes the processes of this host from those of others that share the folder. */
export const HOST = crc32(hostname()).toString(16).padStart(8, '0')

/** A name of that form; earlier versions left the host out. */
export const BESIDE = /\.(?<pid>\d+)-(?<host>[0-9a-f]{8})?[0-9a-f]{8}\.(tmp|old)$/

/**
 * Replaces a file as a whole: readers see either the old or the new bytes, even after a power cut. `write` creates the
 * new file at the path that it is given, in the same folder, so that the rename is atomic; if something fails, the new
 * file is removed.
 */
export async function replaceFile(
  disk: Disk,
  path: string,
  write: (temporary: string) => Promise<void>,
): Promise<void> {
  const temporary = nameBeside(path)
  try {
    await write(temporary)
    const written = await disk.open(temporary, 'change')
    await closing(written, () => written.sync())
    await disk.rename(temporary, path)
  } catch (error) {
    await disk.remove(temporary).catch(() => undefined)
    throw error
  }
  await disk.syncDir(dirname(path))
}

/** Replaces a file with these bytes. */
export async function writeFileAtomic(
  disk: Disk,
  path: string,
  bytes: Uint8Array | string,
  mode: number,
): Promise<void> {
  await replaceFile(disk, path, async (temporary) => {
    const file = await disk.open(temporary, 'create', mode)
    await closing(file, () => file.write(typeof bytes === 'string' ? Buffer.from(bytes) : bytes, 0))
  })
}
