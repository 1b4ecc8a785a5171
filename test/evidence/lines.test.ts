// What the sum of a line is based on, from small books.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lineSteps } from '../../pipeline/evidence/lines.ts'
import { type Ledger, openLedger } from '../../pipeline/ledger/ledger.ts'
import { type PeriodOptions, readPeriod } from '../../pipeline/reports/period.ts'
import { account, futures as entry, publish } from '../reports/books.ts'

let ledger: Ledger
beforeAll(async () => {
  const loan = (id: string, at: string, coin: string, amount: string, kind: string): string =>
    entry(id, `${at} 12:00:00`, 'MARGIN-crossed', null, coin, amount, kind)
  ledger = await openLedger(
    await publish([
      account('main'),
      loan('1', '2025-02-01', 'BTC', '2', 'borrow'),
      loan('2', '2025-03-01', 'BTC', '1', 'trade'),
      loan('3', '2025-04-01', 'BTC', '-0.5', 'repay'),
      loan('4', '2026-01-01', 'BTC', '-1.75', 'repay'),
      loan('5', '2025-02-01', 'ETH', '3', 'borrow'),
      // Before the books began 0.25 BTC were owed.
      `insert into liabilities values ('main', 'UNIFIED', 'BTC', 0, 0.25, '2026-01-01 12:00:00+00'),
        ('main', 'UNIFIED', 'ETH', 3, 0, '2025-02-01 12:00:00+00')`,
      `insert into postings select entry_id || '/counter', transaction_id, entry_id, account, 'Liabilities:main', coin,
         -amount, occurred_at from entries where kind in ('borrow', 'repay')`,
    ]),
  )
})
afterAll(() => ledger.close())

/** The fields of the line. */
async function line(id: string, period: PeriodOptions = {}) {
  const [found] = await lineSteps(
    { matched: ledger, ledger, limit: 20, zone: 'UTC', period: readPeriod(period) },
    id,
  )
  const { entries, amount, owed_before } = found?.fields ?? {}
  return { entries, amount, owed_before }
}

test('a debt is the sum of its loans and of what was owed before the books began', async () => {
  // 1.75 in the statement of 2025, and nothing at the end.
  expect(await line('main/UNIFIED/BTC/owed', { year: 2025 })).toEqual({
    ...{ entries: 2, amount: '1.5', owed_before: '0.25' },
  })
  expect(await line('main/UNIFIED/BTC/owed')).toEqual({ entries: 3, amount: '-0.25', owed_before: '0.25' })
  expect(await line('main/UNIFIED/BTC/owed', { to: '2025-01-31' })).toEqual({
    ...{ entries: 0, amount: '0', owed_before: '0.25' },
  })
  expect(await line('main/UNIFIED/ETH/owed')).toEqual({ entries: 1, amount: '3', owed_before: undefined })
})

test('a balance is the sum of everything before the end of the period, an opening one before its beginning', async () => {
  expect(await line('main/UNIFIED/BTC/closing', { year: 2025 })).toMatchObject({ entries: 3, amount: '2.5' })
  expect(await line('main/UNIFIED/BTC', { year: 2025 })).toMatchObject({ entries: 3, amount: '2.5' })
  expect(await line('main/UNIFIED/BTC/opening', { year: 2026 })).toMatchObject({ entries: 3, amount: '2.5' })
  expect(await line('main/UNIFIED/BTC/opening')).toMatchObject({ entries: 0, amount: '0' })
  expect(await line('main/UNIFIED/BTC/movement/repay', { year: 2026 })).toMatchObject({
    ...{ entries: 1, amount: '-1.75' },
  })
})
