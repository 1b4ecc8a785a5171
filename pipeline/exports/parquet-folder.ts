// Every published table as a separate Parquet file, in a folder that appears as a whole: it is filled under a
// temporary name and then renamed. A folder that contains anything but an earlier export is never touched.
import { mkdir, readdir, readFile, realpath, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { closing } from '../../models/closing.ts'
import { UsageError } from '../../models/error.ts'
import { systemWords } from '../../models/system-error.ts'
import { packageVersion } from '../config/root.ts'
import { queryOutOfMemory } from '../engine/out-of-memory.ts'
import { identifier } from '../engine/quote.ts'
import { type Disk, DiskError, nameBeside, writeFileAtomic } from '../journal/disk.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { clearLeft } from '../output/left-beside.ts'
import { writeParquet } from '../output/parquet.ts'

/** Marks a folder as created by an export, and lists its tables. */
export const MANIFEST = 'tieout-export.json'

export interface ParquetExport {
  readonly folder: string
  readonly tables: readonly string[]
}

/**
 * Writes `<table>.parquet` for every table of schema main, exact decimals included, and the manifest.
 * UsageError for a folder that contains other files, for one that cannot be written, and for the folder of
 * the books.
 */
export async function exportParquet(
  ledger: Ledger,
  out: string,
  dir: string,
  disk: Disk,
): Promise<ParquetExport> {
  const folder = await target(out, dir)
  await clearLeft(folder)
  const isThere = await mayBeReplaced(folder)
  const mode = isThere ? (await stat(folder)).mode & 0o777 : 0o777
  const filling = nameBeside(folder)
  const old = nameBeside(folder, 'old')
  try {
    const close = () => rm(filling, { recursive: true, force: true })
    return await closing(close, async () => {
      await mkdir(filling, { mode }).catch((cause: unknown) => refuse(folder, cause))
      const tables = [...ledger.tables.keys()]
      for (const table of tables)
        await writeTable(ledger, table, join(filling, `${fileNameOf(table)}.parquet`), disk)
      const manifest = `${JSON.stringify({ tieout: packageVersion, tables }, null, 2)}\n`
      await writeFileAtomic(disk, join(filling, MANIFEST), manifest, 0o666)
      if (isThere) await disk.rename(folder, old)
      await disk.rename(filling, folder).catch(async (error: unknown) => {
        if (isThere) await disk.rename(old, folder)
        throw error
      })
      await disk.syncDir(dirname(folder))
      await rm(old, { recursive: true, force: true })
      return { folder, tables }
    })
  } catch (error) {
    if (error instanceof DiskError) refuse(folder, error)
    const found = writingFailed(error, filling)
    if (found !== null) refuse(folder, error, found)
    throw queryOutOfMemory(ledger.room, error) ?? error
  }
}

/** The system's message to DuckDB, which wrote into the folder; null for any other error. */
function writingFailed(error: unknown, filling: string): string | null {
  const message = error instanceof Error ? error.message : ''
  if (!message.startsWith('IO Error: ') || !message.includes(filling)) return null
  return message.split('": ').at(-1) ?? message
}

async function writeTable(ledger: Ledger, table: string, path: string, disk: Disk): Promise<void> {
  const question = `from main.${identifier(table)}`
  const session = await ledger.session(question)
  const statement = await session.run(() => session.connection.prepare(question))
  await writeParquet(path, await session.start(statement), ledger.room.memoryLimit, ledger.room)
  const file = await disk.open(path, 'change')
  await closing(file, () => file.sync())
}

/** Tables are named by us; a name from elsewhere still cannot name another folder. */
const fileNameOf = (table: string): string => table.replace(/[^\w-]/g, '_')

/** The target path, with links followed; never the folder of the books, nor one around it. */
async function target(out: string, dir: string): Promise<string> {
  const given = resolve(out)
  const parent = await realpath(dirname(given)).catch((cause: unknown) => refuse(out, cause))
  const folder = await realpath(given).catch(() => join(parent, basename(given)))
  const books = await realpath(dir)
  if (`${books}${sep}`.startsWith(`${folder}${sep}`)) {
    throw new UsageError('The output would replace the books.', {
      where: folder,
      action: 'Choose another folder.',
    })
  }
  return folder
}

/** False if nothing is there. */
async function mayBeReplaced(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch((cause: NodeJS.ErrnoException) =>
    cause.code === 'ENOENT' ? null : refuse(folder, cause),
  )
  if (names === null) return false
  const own = new Set([MANIFEST, ...(await tablesOf(folder)).map((table) => `${fileNameOf(table)}.parquet`)])
  const foreign = names.find((name) => !own.has(name))
  if (foreign === undefined && (names.length === 0 || names.includes(MANIFEST))) return true
  throw new UsageError('The output folder contains other files.', {
    where: folder,
    expected: 'a new folder, an empty one, or one created by an earlier export',
    found: names.includes(MANIFEST) ? String(foreign) : `${foreign}, and no ${MANIFEST}`,
    action: 'Choose another folder, or empty this one.',
  })
}

/** The tables of the existing export, by its manifest; empty if it has no readable one. */
async function tablesOf(folder: string): Promise<string[]> {
  try {
    const { tables } = JSON.parse(await readFile(join(folder, MANIFEST), 'utf8')) as { tables: unknown }
    return Array.isArray(tables) ? tables.map(String) : []
  } catch {
    return []
  }
}

function refuse(folder: string, cause: unknown, found = systemWords(cause)): never {
  throw new UsageError('The output folder cannot be written.', {
    where: folder,
    expected: 'an existing, writable parent folder',
    found,
    action: 'Check the path, its permissions and the free space on its disk.',
    cause,
  })
}
