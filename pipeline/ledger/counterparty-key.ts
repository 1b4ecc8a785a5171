// The key under which names of counterparties become pseudonyms. It is random, belongs to one folder of books
// and stays in it: with the ledger, a report or an export but without the key, nobody can read a name from a
// pseudonym or test names against it. A folder that loses its key gets a new one, and with it new pseudonyms.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { CorruptionError } from '../../models/error.ts'
import { type Disk, writeFileAtomic } from '../journal/disk.ts'
import { feedRecords } from './feeds.ts'

export const COUNTERPARTY_KEY_FILE = 'counterparties.key'

const KEY = /^[0-9a-f]{64}$/

interface KeyOptions {
  readonly disk: Disk
  /** Called if a new key was created: nothing in the books shows whether there was an earlier one. */
  readonly onNote?: ((text: string) => void) | undefined
}

/**
 * Hex text; null, without creating a file, while nothing that names a counterparty has landed.
 * CorruptionError for a file that holds no key.
 */
export async function counterpartyKey(
  connection: DuckDBConnection,
  dir: string,
  { disk, onNote }: KeyOptions,
): Promise<string | null> {
  const path = join(dir, COUNTERPARTY_KEY_FILE)
  const kept = await disk.readFile(path)
  if (kept !== null) return readKey(path, kept)
  if (!(await namesCounterparties(connection))) return null
  const key = randomBytes(32).toString('hex')
  await writeFileAtomic(disk, path, `${key}\n`, 0o600)
  onNote?.(NEW_KEY)
  return key
}

const NEW_KEY =
  `Created a new ${COUNTERPARTY_KEY_FILE}, the key to the pseudonyms of P2P counterparties. Keep a copy: without ` +
  'it the pseudonyms change. If these books had a different key before, restore that file and run `tieout build`.'

/** Database in memory in which a build has the key: intermediate steps may be kept in a file, and it must not be in any. */
export const KEY_DATABASE = 'counterparty_key'
/** The key, as models read it; the ledger keeps a hash of its rows. */
export const KEY_TABLE = 'staging.counterparty_key'

/** Reported if the file holds a different key from that of the published ledger. */
export const OTHER_KEY =
  `The ${COUNTERPARTY_KEY_FILE} differs from that of the previously published ledger: every P2P counterparty now has a new ` +
  'pseudonym, and anything noted under the old ones no longer matches anybody. If this is a mistake, restore the former key and run `tieout build`.'

function readKey(path: string, bytes: Buffer): string {
  const key = bytes.toString('latin1').trim()
  if (KEY.test(key)) return key
  throw new CorruptionError('The key of the counterparties is damaged.', {
    where: path,
    expected: '64 hexadecimal digits',
    found: `${bytes.length} bytes that are not a key`,
    action: 'Restore the file from a backup; or remove it, and counterparties get new pseudonyms.',
  })
}

async function namesCounterparties(connection: DuckDBConnection): Promise<boolean> {
  const tables = feedRecords.flatMap(({ record }) => (record.counterparty === null ? [] : [record.table]))
  for (const table of tables) {
    const reader = await connection.runAndReadAll(`select 1 from landing.${table} limit 1`)
    if (reader.currentRowCount > 0) return true
  }
  return false
}
