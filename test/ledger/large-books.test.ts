// The large books of the benchmark, here small: what they have that is awkward is found, and nothing else is wrong.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { buildLargeBooks } from '../../bench/built-books.ts'
import { landLargeBooks } from '../../bench/large-books.ts'
import { systemClock } from '../../models/clock.ts'
import { type Books, openBooks } from '../../pipeline/books/books.ts'
import type { LandingOptions } from '../../pipeline/landing/landing.ts'
import { buildLedger } from '../../pipeline/ledger/build.ts'
import { tableHashes } from '../../pipeline/ledger/hash.ts'
import { lotsStep } from '../../pipeline/lots/step.ts'

let dir: string

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tieout-large-'))
})

afterEach(() => {
  rmSync(dir, { recursive: true, force: true })
})

const open = (name: string, landing: Partial<LandingOptions> = {}): Promise<Books> =>
  openBooks(join(dir, name), { clock: systemClock, command: 'test', landing })

/** 67 rounds of each of five accounts, three of which end with a transfer. */
const ENTRIES = 4_000

it('the same seed gives the same books', async () => {
  const hashes = []
  for (const name of ['one', 'other']) {
    const books = await open(name)
    await landLargeBooks(books, ENTRIES)
    const found = await books.landing.contentHashes()
    // The chain of the journal begins with a number of its own.
    found.delete('state')
    hashes.push(found)
    await books.close()
  }
  expect(hashes[0]).toEqual(hashes[1])
})

it('balances close, transfers among accounts are paired, and an unknown type is found', async () => {
  const books = await open('one')
  const { rows } = await landLargeBooks(books, ENTRIES)
  const result = await buildLedger({
    dir: books.dir,
    landing: books.landing,
    now: new Date('2026-02-01T00:00:00Z'),
    clock: systemClock,
    config: { accounts: [], publishPersonalData: false },
    steps: [lotsStep({ method: 'fifo', scope: 'account' })],
  })
  const connection = books.landing.connection
  const ask = async (sql: string): Promise<unknown> => {
    await connection.run(`attach '${result.path}' as made (read_only)`)
    const reader = await connection.runAndReadAll(sql)
    await connection.run('detach made')
    return reader.getRowsJson()[0]
  }
  expect(new Set(result.openBreaks.map(({ checkName }) => checkName))).toEqual(
    // There are no prices of what the fees were paid in, and none of the coins from before the year.
    new Set(['unknown_basis', 'unknown_type', 'valuation']),
  )
  expect(await ask('select count(*) from made.transfers where counter_account <> account')).toEqual(['6'])
  expect(await ask('select count(*) > 0 from made.tax_records where first_seen_at is null')).toEqual([false])
  const landed = await ask('select cast(sum(row_count) as varchar) from landing.pages')
  expect(landed).toEqual([String(rows)])
  expect(
    await ask('select count(*) < (select count(*) from landing.tax_records) from made.tax_records'),
  ).toEqual([true])
  await books.close()
})

// With more memory they would stand in it; each of them is told by the file of its database, which has none in memory.
it('arrives at the same ledger if its intermediate steps are too large for memory', async () => {
  const built = async (books: Books) => {
    let stepsIn: unknown
    const look = {
      name: 'look',
      reads: ['entries'],
      writes: ['looked'],
      run: async (connection: DuckDBConnection) => {
        const reader = await connection.runAndReadAll(
          "select path from duckdb_databases() where database_name = 'staging'",
        )
        stepsIn = reader.getRowsJson()[0]?.[0]
        await connection.run('create table looked as select 1 as one')
      },
      docs: { looked: 'That it was looked.\ngrain: one row\nkeys:  one' },
      columns: { looked: { one: 'One.' } },
    }
    const steps = [lotsStep({ method: 'fifo', scope: 'account' }), look]
    const { path } = await buildLargeBooks(books.dir, books.landing, { full: true, steps })
    const hashes = await tableHashes(path)
    return { stepsIn, hashes }
  }
  const ample = await open('one')
  await landLargeBooks(ample, 2 * ENTRIES)
  const inMemory = await built(ample)
  await ample.close()
  const scarce = await open('one', { memoryLimit: '96MiB', threads: 1 })
  const inFiles = await built(scarce)
  await scarce.close()
  expect(inMemory.stepsIn).toBe(null)
  expect(inFiles.stepsIn).toMatch(/\.staging\.duckdb$/)
  expect(inFiles.hashes).toEqual(inMemory.hashes)
})
