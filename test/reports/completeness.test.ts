// What makes figures incomplete, by how much, and what would complete them.
import { expect, test } from 'vitest'
import { openLedger } from '../../pipeline/ledger/ledger.ts'
import { withoutValue } from '../../pipeline/reports/completeness.ts'
import { book, show } from '../rules/books.ts'

const COST_OTHER =
  'without a known cost, whose arrival states none: import the purchase or the outgoing leg of the transfer that brought the coins in (`tieout import trades`), or the missing price (`tieout import prices`, or `tieout prices fetch`). If the venue states no reason for the arrival, give its type a meaning (`tax_types.csv` in the folder of the books).'
const COST_MISSING =
  'without a known cost, because the purchase is missing: import the older trades (`tieout import trades`), or what was held before (`tieout import lots`).'
const PROCEEDS =
  'without a price at that time: import prices (`tieout import prices`), or fetch them (`tieout prices fetch`).'

const warnings = async (dir: string, options = {}) =>
  (await show(dir, 'gains', { method: 'fifo', ...options })).warnings

test('a piece of unknown cost is named with its own quantity, beside a known one of the same sale', async () => {
  const dir = await book('USD', [
    'main buy b1 2025-01-01 1 BTC 100',
    'main buy b2 2025-01-02 1 BTC ?',
    'main sell s1 2025-02-01 1.5 BTC 300',
    'main buy e1 2025-01-01 1 ETH 10',
    'main sell s2 2025-02-01 1 ETH 17',
  ])
  expect(await warnings(dir)).toEqual([
    `INCOMPLETE: 1 of 3 pieces of disposals has no known gain and is excluded from the figures: 0.5 BTC (main). 1 piece ${COST_OTHER}`,
  ])
})

test('a piece of unknown proceeds needs a price, and no cost', async () => {
  const dir = await book('USD', [
    'main buy b1 2025-01-01 2 BTC 200',
    'main sell s1 2025-02-01 0.5 BTC ?',
    'main sell s2 2025-02-01 1 BTC 150',
  ])
  expect(await warnings(dir)).toEqual([
    `INCOMPLETE: 1 of 2 pieces of disposals has no known gain and is excluded from the figures: 0.5 BTC (main). 1 piece ${PROCEEDS}`,
  ])
})

test.each([
  ['0', `2 pieces ${COST_OTHER}`],
  ['0.5', `1 piece ${COST_MISSING} 1 piece ${COST_OTHER}`],
])('a piece without a lot lacks its purchase if more was sold than bought: %s', async (beyond, cures) => {
  const dir = await book(
    'USD',
    ['main buy b1 2025-01-01 1 BTC ?', 'main sell s1 2025-06-01 1.5 BTC 300'],
    [
      `create table unknown_basis as select 'main' as account, 'BTC' as coin, ${beyond}::decimal(38, 18) as quantity`,
    ],
  )
  expect(await warnings(dir)).toEqual([
    `INCOMPLETE: 2 of 2 pieces of disposals have no known gain and are excluded from the figures: 1.5 BTC (main). ${cures}`,
  ])
})

test('lines of income without a value are those of the account', async () => {
  const dir = await book('USD', [
    'main reward r1 2025-01-01 1 BTC ?',
    'main reward r2 2025-01-01 1 ETH 10',
    'cold reward r3 2025-01-01 1 SOL ?',
  ])
  const ledger = await openLedger(dir)
  try {
    const told = (account: string | null) => withoutValue(ledger, { account, from: null, before: null })
    const cure = 'Import prices (`tieout import prices`), or fetch them (`tieout prices fetch`).'
    expect(await told('main')).toEqual([
      `INCOMPLETE: 1 of 2 lines of income has no known value, because there is no price for BTC. ${cure}`,
    ])
    expect(await told(null)).toEqual([
      `INCOMPLETE: 2 of 3 lines of income have no known value, because there is no price for BTC, SOL. ${cure}`,
    ])
  } finally {
    ledger.close()
  }
})
