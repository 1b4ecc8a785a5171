// Moves aside what a crash left unfinished at the end of the journal, before anything is appended. Nothing is thrown
// away: the bytes first go to journal/torn-<time>.bin, and are cut off once they are safe there.
import { join } from 'node:path'
import type { Clock } from '../../models/clock.ts'
import { closing } from '../../models/closing.ts'
import type { Disk, DiskFile } from './disk.ts'
import type { Tear } from './segment.ts'

/** What opening the journal moved aside. */
export interface Recovery {
  /** Where the bytes are now. */
  readonly file: string
  /** The segment, the offset in it and the number of bytes that were cut off there. */
  readonly segment: string
  readonly offset: number
  readonly bytes: number
}

const COPY_BYTES = 1 << 20

/** Moves an unfinished end out of its segment. */
export async function moveTear(disk: Disk, folder: string, tear: Tear, clock: Clock): Promise<Recovery> {
  const file = await freeName(disk, folder, clock)
  const segment = await disk.open(tear.path, 'change')
  await closing(segment, async () => {
    const torn = await disk.open(file, 'create', 0o600)
    await closing(torn, async () => {
      await copy(segment, tear.offset, torn)
      await torn.sync()
    })
    await disk.syncDir(folder)
    await segment.truncate(tear.offset)
    await segment.sync()
  })
  return { file, segment: tear.path, offset: tear.offset, bytes: tear.bytes }
}

/** Moves aside a segment file whose header was never finished. */
export async function moveUnfinished(
  disk: Disk,
  folder: string,
  path: string,
  clock: Clock,
): Promise<Recovery> {
  const file = await freeName(disk, folder, clock)
  await disk.rename(path, file)
  await disk.syncDir(folder)
  const moved = await disk.open(file, 'read')
  const bytes = await closing(moved, () => moved.size())
  return { file, segment: path, offset: 0, bytes }
}

async function copy(from: DiskFile, offset: number, to: DiskFile): Promise<void> {
  for (let done = 0; ; ) {
    const bytes = await from.read(offset + done, COPY_BYTES)
    if (bytes.length === 0) return
    await to.write(bytes, done)
    done += bytes.length
  }
}

/** A name that no earlier recovery has taken; colons are not allowed in names everywhere. */
export async function freeName(disk: Disk, folder: string, clock: Clock, what = 'torn'): Promise<string> {
  const taken = new Set(await disk.list(folder))
  const time = new Date(clock.wall()).toISOString().replaceAll(':', '')
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? `${what}-${time}.bin` : `${what}-${time}-${count}.bin`
    if (!taken.has(name)) return join(folder, name)
  }
}
