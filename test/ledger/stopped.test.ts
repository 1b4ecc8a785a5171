// A build that is asked to stop in the middle of a statement that takes for ever: it ends then and there, and the published
// ledger stays as it was.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ExtraStep } from '../../pipeline/ledger/build.ts'
import { LEDGER_CHECKS, TestBooks } from '../support/books.ts'

let books: TestBooks

beforeEach(async () => {
  books = await TestBooks.open({ only: ['entries', ...LEDGER_CHECKS] })
})

afterEach(async () => {
  await books.close()
})

const at = '2026-01-05 10:00:00+00'
const row = { id: '7', coin: 'USDT', type: 'TRANSFER_IN', amount: '1', balance: '1', ts: at }

/** A step that takes minutes, and says when it has begun. */
function endless(begun: () => void): ExtraStep {
  return {
    name: 'endless',
    reads: [],
    writes: ['endless'],
    docs: { endless: 'Nothing, after a long time.\ngrain: one row' },
    columns: { endless: { n: 'A number.' } },
    run: async (connection) => {
      begun()
      await connection.run(
        'create table main.endless as select sum(sqrt(a.range)) as n from range(200000000000) as a',
      )
    },
  }
}

const published = (): Buffer => readFileSync(join(books.dir, 'ledger.duckdb'))

test('ends with code 5; nothing is published or left behind, and the next build continues', async () => {
  await books.tax('SPOT', [row])
  await books.build()
  const before = published()
  await books.tax('SPOT', [{ ...row, id: '8', amount: '2', balance: '3' }])

  const stop = new AbortController()
  const slow = endless(() => setTimeout(() => stop.abort(), 200))
  const building = books.build(
    {},
    { signal: stop.signal, steps: [slow], only: ['entries', 'endless', ...LEDGER_CHECKS] },
  )

  await expect(building).rejects.toMatchObject({
    name: 'BuildStopped',
    exitCode: 5,
    message: 'The build was stopped; the published ledger is unchanged.',
    details: { action: 'Run the build again: what has landed is kept.' },
  })
  expect(published().equals(before)).toBe(true)
  expect(readdirSync(join(books.dir, 'tmp'))).toEqual([])

  await books.build()
  expect(await books.query('select count(*) from entries')).toEqual([['2']])
}, 60_000)

test('that was asked to stop before it started creates nothing', async () => {
  await books.tax('SPOT', [row])
  const building = books.build({}, { signal: AbortSignal.abort() })
  await expect(building).rejects.toMatchObject({ name: 'BuildStopped' })
  expect(existsSync(join(books.dir, 'ledger.duckdb'))).toBe(false)
  expect(readdirSync(join(books.dir, 'tmp'))).toEqual([])
})
