// How much room a build needs that found none, by files that take none themselves.
import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fullDisk } from '../../pipeline/ledger/publish.ts'
import { temporaryFolder } from '../support/cli.ts'

const TEBIBYTE = 2 ** 40

test('the estimate for the first build of books includes the log of the landing database', async () => {
  const folder = temporaryFolder()
  const sized = (name: string, bytes: number): string => {
    const path = join(folder, name)
    writeFileSync(path, '')
    truncateSync(path, bytes)
    return path
  }
  const landing = sized('landing.duckdb', 0)
  sized('landing.duckdb.wal', TEBIBYTE)
  const places = { published: join(folder, 'ledger.duckdb'), landing }
  const found = await fullDisk(join(folder, 'unfinished.duckdb'), places, new Error('no space'))
  // Eight times as much as has landed: 8 TiB are 8 * 1024 * 1024 MiB.
  expect(found?.details.expected).toBe('about 8388608 MiB free for a new ledger and its intermediate steps')
})
