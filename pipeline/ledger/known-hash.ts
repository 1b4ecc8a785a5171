// The hash of a published file, stored beside it once calculated: it takes as long as reading the whole
// ledger, and a published file is never written to. The stored hash applies only to that very file; `tmp/` is
// cleared by the next run that writes.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageVersion } from '../config/root.ts'
import { nameBeside } from '../journal/disk.ts'
import { hashesOf } from './hash.ts'
import type { Ledger } from './ledger.ts'

export type TableHashes = ReadonlyMap<string, string>

const FILE = 'ledger-hash.json'

/** Hashes of the tables as they are in the file now; stores them for `knownHashes`. */
export async function freshHashes(ledger: Ledger): Promise<TableHashes> {
  const session = await ledger.session()
  const tables = await session.run(() => hashesOf(session.connection)).finally(() => session.end())
  keep(ledger, tables)
  return tables
}

/** The same, from the stored hashes of this file if there are any. */
export async function knownHashes(ledger: Ledger): Promise<TableHashes> {
  return keptHashes(ledger) ?? (await freshHashes(ledger))
}

interface Kept {
  readonly identity: string
  /** The next version may exclude other columns. */
  readonly version: string
  readonly tables: Readonly<Record<string, string>>
}

/** The stored hashes of this file; null if there are none. */
export function keptHashes({ identity, room }: Ledger): TableHashes | null {
  if (identity === null) return null
  try {
    const found = JSON.parse(readFileSync(join(room.tempDir, FILE), 'utf8')) as Kept
    const isOfThis = found.identity === identity && found.version === packageVersion
    return isOfThis ? new Map(Object.entries(found.tables)) : null
  } catch {
    return null // Not there, or cut off: it is made again.
  }
}

function keep({ identity, room }: Ledger, tables: TableHashes): void {
  if (identity === null) return
  const file = join(room.tempDir, FILE)
  const beside = nameBeside(file)
  const kept: Kept = { identity, version: packageVersion, tables: Object.fromEntries(tables) }
  try {
    writeFileSync(beside, JSON.stringify(kept), { mode: 0o600 })
    renameSync(beside, file)
  } catch {
    rmSync(beside, { force: true }) // Books that are only read keep nothing.
  }
}
