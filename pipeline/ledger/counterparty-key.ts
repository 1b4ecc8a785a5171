// The key under which names of counterparties become pseudonyms. It is random, belongs to one folder of books and stays in it:
// who has the ledger, a report or an export without the key can neither read a name out of a pseudonym nor try names
// against it. A folder that loses it gets another one, and with it other pseudonyms.
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
  /** Told that a new key was made: nothing in the books tells whether there was another one before. */
  readonly onNote?: ((text: string) => void) | undefined
}

/** Hex text; null, and no file made, while nothing that names a counterparty has landed. CorruptionError for a file that holds no key. */
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
  `Made a new ${COUNTERPARTY_KEY_FILE}, from which P2P counterparties have their pseudonyms: keep a copy, since without ` +
  'it they change. If these books had another one before, put that in its place and build again.'

/** Table in which a build has the key; of its rows the ledger keeps a hash. */
export const KEY_TABLE = 'staging.counterparty_key'

/** Told where the file holds another key than the one by which the published ledger was made. */
export const OTHER_KEY =
  `The ${COUNTERPARTY_KEY_FILE} is another one than that of the ledger published before: every P2P counterparty has another ` +
  'pseudonym now, and what was noted under the old ones names nobody. If it came here by mistake, put the former one in its place and build again.'

function readKey(path: string, bytes: Buffer): string {
  const key = bytes.toString('latin1').trim()
  if (KEY.test(key)) return key
  throw new CorruptionError('The key of the counterparties is damaged.', {
    where: path,
    expected: '64 hexadecimal digits',
    found: `${bytes.length} bytes that are something else`,
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
