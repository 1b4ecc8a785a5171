// Exports carry the prices by which our balances are valued, so that beancount and hledger find the same values.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  alterBook,
  beanCheck,
  beancountValues,
  exported,
  hasBeancount,
  hasHledger,
  hledgerCheck,
  hledgerValue,
  type Line,
  publishBook,
} from './tools.ts'

const lines: readonly Line[] = [
  { id: 'b', at: '2026-01-05T10:00:00Z', coin: 'BTC', amount: '0.123456789012345678', value: '9000' },
  { id: 'd', at: '2026-01-05T11:00:00Z', coin: '1INCH', amount: '100', value: '20' },
  { id: 'c', at: '2026-01-06T10:00:00Z', coin: 'BTC', amount: '-0.1', value: '8000' },
]

/** EUR is moved nowhere in these books; what 1INCH was worth on the 6th nobody knows. */
const valued = async (): Promise<string> => {
  const dir = await publishBook(lines)
  await alterBook(dir, [
    `create or replace table daily_valuation (account varchar, ledger varchar, coin varchar, day date, price decimal(38, 18),
       currency varchar)`,
    `insert into daily_valuation values
       ('main', 'UNIFIED', 'BTC', '2026-01-05', 70000.123456789012345678, 'EUR'),
       ('main', 'P2P', 'BTC', '2026-01-05', 70000.123456789012345678, 'EUR'),
       ('main', 'UNIFIED', '1INCH', '2026-01-05', 0.000000000000000001, 'EUR'),
       ('main', 'UNIFIED', 'BTC', '2026-01-06', 80000.5, 'EUR'),
       ('main', 'UNIFIED', '1INCH', '2026-01-06', null, 'EUR'),
       ('main', 'UNIFIED', 'EUR', '2026-01-06', 1, 'EUR'),
       ('elsewhere', 'IMPORT', 'DOT', '2026-01-06', 4, 'EUR')`,
  ])
  return dir
}

test('prices are listed once for each coin and day, in the reporting currency, and what has none is named', async () => {
  const dir = await valued()
  const journal = readFileSync(await exported(dir, 'hledger'), 'utf8')
  expect(journal.split('\n').filter((line) => line.startsWith('P '))).toEqual([
    'P 2026-01-05 "1INCH" 0.000000000000000001 "EUR"',
    'P 2026-01-05 "BTC" 70000.123456789012345678 "EUR"',
    'P 2026-01-06 "BTC" 80000.5 "EUR"',
  ])
  expect(journal).toContain(
    '; 1INCH has no price after 2026-01-05, and no value in our books; other tools continue to use that price.',
  )
  expect(journal).toContain('commodity 1.00000000 "EUR"')
  const file = readFileSync(await exported(dir, 'beancount'), 'utf8')
  expect(file.split('\n').filter((line) => /^\d.* price /.test(line))).toEqual([
    '2026-01-05 price X.1INCH  0.000000000000000001 EUR',
    '2026-01-05 price BTC  70000.123456789012345678 EUR',
    '2026-01-06 price BTC  80000.5 EUR',
  ])
  expect(file).toContain('option "operating_currency" "EUR"')
  const lots = readFileSync(await exported(dir, 'beancount', 'fifo'), 'utf8')
  const isAboutPrices = (line: string): boolean => /^(\d.* price |; (Prices|1INCH))/.test(line)
  expect(lots.split('\n').filter(isAboutPrices)).toEqual(file.split('\n').filter(isAboutPrices))
  expect(lots.split('\n').filter(isAboutPrices)).toHaveLength(5)
})

test('a coin that never had a price is named, and a currency that is moved keeps its own decimals', async () => {
  const dir = await publishBook([
    ...lines,
    { id: 'u', at: '2026-01-05T10:00:00Z', coin: 'USDT', amount: '-9000.0123456789' },
  ])
  await alterBook(dir, [
    `create or replace table daily_valuation as from (values
       ('main', 'UNIFIED', 'BTC', date '2026-01-05', 70000::decimal(38, 18), 'USDT'),
       ('main', 'UNIFIED', 'BTC', date '2026-01-06', 70001.5, 'USDT'),
       ('main', 'UNIFIED', '1INCH', date '2026-01-05', null, 'USDT'),
       ('main', 'UNIFIED', '1INCH', date '2026-01-06', null, 'USDT'),
       ('main', 'UNIFIED', 'USDT', date '2026-01-06', 1, 'USDT')
     ) as valued(account, ledger, coin, day, price, currency)`,
  ])
  const journal = readFileSync(await exported(dir, 'hledger'), 'utf8')
  expect(journal.match(/^; .* no price.*/gm)).toEqual(['; 1INCH has no price.'])
  expect(journal.match(/^(P|commodity) .*/gm)).toEqual([
    'commodity 1. "1INCH"  ; coin:1INCH',
    'commodity 1.000000000000000000 "BTC"  ; coin:BTC',
    'commodity 1.0000000000 "USDT"  ; coin:USDT',
    'P 2026-01-05 "BTC" 70000 "USDT"',
    'P 2026-01-06 "BTC" 70001.5 "USDT"',
  ])
  await alterBook(dir, ["delete from daily_valuation where coin = '1INCH'"])
  const priced = readFileSync(await exported(dir, 'hledger'), 'utf8')
  expect(priced).toContain('; Prices in USDT: ')
  expect(priced).not.toMatch(/no price|No prices/)
})

test('books without a price state that nothing is valued, also if the only price is that of the currency in itself', async () => {
  const dir = await publishBook(lines)
  const nothing = async (): Promise<void> => {
    for (const kind of ['beancount', 'hledger'] as const)
      expect(readFileSync(await exported(dir, kind), 'utf8')).toContain(
        '; No prices: nothing in these books is valued.',
      )
  }
  await nothing()
  await alterBook(dir, [
    `create or replace table daily_valuation as
     select 'main' as account, 'UNIFIED' as ledger, 'USDT' as coin, date '2026-01-05' as day,
       1::decimal(38, 18) as price, 'USDT' as currency`,
  ])
  await nothing()
  await alterBook(dir, [
    "insert into daily_valuation values ('main', 'UNIFIED', 'BTC', date '2026-01-05', null, 'USDT')",
  ])
  await nothing()
})

// By exact fractions: 0.123456789012345678 × 70,000.123456789012345678, and 0.023456789012345678 × 80,000.5, each with
// 100 × 10^-18 of 1INCH beside it, rounded at the 18th decimal.
const FIFTH = '8641.990472442950698937'
const SIXTH = '1876.554849382160412939'

test.skipIf(!hasHledger)('hledger accepts the prices strictly, and values by them day by day', async () => {
  const journal = await exported(await valued(), 'hledger')
  expect(hledgerCheck(journal)).toBe('')
  expect(hledgerValue(journal, 'Assets', '2026-01-05', 'EUR')).toBe(FIFTH)
  expect(hledgerValue(journal, 'Assets', '2026-01-06', 'EUR')).toBe(SIXTH)
})

test.skipIf(!hasBeancount)(
  'beancount accepts the prices, and converts by them to its 28 digits',
  async () => {
    const file = await exported(await valued(), 'beancount')
    expect(beanCheck(file)).toBe('')
    const asked = [
      ['Assets', '2026-01-05', 'convert'],
      ['Assets', '2026-01-06', 'convert'],
    ] as const
    // Four digits stand before the point, so 24 behind it are kept: the first seventeen are ours.
    expect(beancountValues(file, asked).map((value) => value.slice(0, 22))).toEqual([
      FIFTH.slice(0, 22),
      SIXTH.slice(0, 22),
    ])
  },
)
