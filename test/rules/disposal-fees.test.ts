// Where the form has the fees of a disposal apart from its proceeds: the boxes of the United Kingdom, with every kind of fee and
// of match. Every figure by hand; the gain is the proceeds less all costs, as it is when the fees come off the proceeds.
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { emptyConfig } from '../../pipeline/config/config.ts'
import type { LotEvent } from '../../pipeline/lots/event.ts'
import { computeLots } from '../lots/compute.ts'
import { ImportedBooks } from '../support/imports.ts'
import { figures, show } from './books.ts'

const TRADES = [
  // 20,050; 20,020, which is 2,002 each; 1 each.
  'a1,2024-05-01T12:00:00Z,desk,buy,BTC,1,GBP,20000,50,GBP',
  'a2,2024-05-02T12:00:00Z,desk,buy,ETH,10,GBP,20000,20,GBP',
  'a3,2024-05-03T12:00:00Z,desk,buy,BGB,100,GBP,100,,',
  // 0.1 BTC at 24,000 are 2,400, and the fee of 24 is halved: 1 ETH for 2,400 with a fee of 12, and BTC for 2,412, so that 1.1
  // cost 22,462.
  'b1,2024-07-01T12:00:00Z,desk,buy,BTC,0.1,ETH,1,24,GBP',
  // 6,000 USDT at 0.80 are 4,800, and 8 BGB at 1.25 are 10: 2 ETH for 4,800 with a fee of 5, and USDT for 4,805.
  'b2,2024-07-02T12:00:00Z,desk,sell,ETH,2,USDT,6000,8,BGB',
  // One disposal of 0.5 BTC for 12,600, with fees of 21: 0.1 is bought on the day, 0.15 within 30 days, 0.25 is of the pool.
  's1,2024-08-01T10:00:00Z,desk,sell,BTC,0.3,GBP,7500,15,GBP',
  'p1,2024-08-01T12:00:00Z,desk,buy,BTC,0.1,GBP,2480,2,GBP',
  's2,2024-08-01T18:00:00Z,desk,sell,BTC,0.2,GBP,5100,6,GBP',
  'p2,2024-08-20T12:00:00Z,desk,buy,BTC,0.15,GBP,3600,3,GBP',
  // A fee in the coin sold: 10 at 0.80 are 8. 1,190 for 952 with a fee of 8, and 10 for 8, of 6,000 at 4,805.
  's3,2024-09-10T12:00:00Z,desk,sell,USDT,1190,GBP,952,10,USDT',
  'g1,2024-10-01T12:00:00Z,desk,gift_out,ETH,1,GBP,2500,5,GBP',
  // Nobody knows what these cost.
  'x1,2025-06-01T12:00:00Z,desk,sell,XRP,100,GBP,60,1,GBP',
]

// 2,400, 4,800, 10 of BGB, 12,600, 960 and 2,500; fees of 12, 5, 0, 21, 8 and 5; costs of 2,002, 4,004, 8, 11,190 (2,482, 3,603
// and 5,105, which is 22,462 × 0.25 / 1.1), 961 (4,805 × 1,200 / 6,000) and 2,002.
const BOXES = [
  '13.1 Number of disposals: 6',
  '13.2 Disposal proceeds: 23270',
  '13.3 Allowable costs: 20218',
  'Fees of the disposals, among the allowable costs: 51',
  // 386, 791, 2, 1,389 and 493.
  '13.4 Gains in the year, before losses: 3061',
  '13.5 Losses in the year: 9',
  'Gains less losses of the year: 3052',
]

const prices = (currency: string, scale: (price: number) => number): string[] => [
  `2024-07-01T00:00:00Z,BTC,${currency},${scale(24_000)}`,
  `2024-07-02T00:00:00Z,USDT,${currency},${scale(0.8)}`,
  `2024-07-02T00:00:00Z,BGB,${currency},${scale(1.25)}`,
]

async function made(reports: Partial<typeof emptyConfig.reports>, rows: readonly string[]) {
  const books = new ImportedBooks({ reports: { ...emptyConfig.reports, ...reports } })
  await books.import('prices', ['time,asset,currency,price', ...rows, ''].join('\n'))
  await books.trades(...TRADES)
  await books.build()
  return books
}

const DAYS = [...new Set(TRADES.map((trade) => trade.split(',')[1]?.slice(0, 10) ?? ''))]

describe('the boxes of the United Kingdom', () => {
  let books: ImportedBooks
  beforeAll(async () => {
    books = await made(
      { rules: 'uk', currency: 'GBP' },
      prices('GBP', (price) => price),
    )
  })
  afterAll(() => books.close())
  const taxes = async (year: number) => figures(await show(books.dir, 'taxes', { rules: 'uk', year }))

  test('have proceeds before the fees of the disposals, and the fees among the costs', async () => {
    expect((await taxes(2024)).slice(0, BOXES.length)).toEqual(BOXES)
  })

  test('each piece has its share, and its proceeds are what they were', async () => {
    const pieces = await books.query(
      `select disposal_id, coin, quantity, proceeds, fees, gain from disposals where disposed_at < '2025-01-01'
       order by disposed_at, coin, quantity`,
    )
    expect(pieces.map(String)).toEqual([
      'b1,ETH,1,2388,12,386',
      'b2,BGB,8,10,0,2',
      'b2,ETH,2,4795,5,791',
      's1,BTC,0.1,2515.8,4.2,33.8',
      's1,BTC,0.15,3773.7,6.3,170.7',
      's1,BTC,0.25,6289.5,10.5,1184.5',
      's3,USDT,1200,952,8,-9',
      'g1,ETH,1,2495,5,493',
    ])
  })

  test('have a total of their own in the gains, whatever the rules', async () => {
    const totals = async (year: number, rules: string) =>
      (await show(books.dir, 'gains', { year, rules })).totals.map((row) =>
        [row[0], row[7], row.at(-1)].join(' '),
      )
    expect(await totals(2024, 'uk')).toEqual(['total 23219 51'])
    expect(await totals(2025, 'uk')).toEqual(['total without a known gain 59 1'])
    // The 24 of the purchase are part of its cost, all 10 of the sale are of the sale, and the gift is none.
    expect(await totals(2024, 'generic')).toEqual(['total 20731 39'])
  })

  test('proceeds of an unknown gain are before fees too', async () => {
    const shown = await taxes(2025)
    expect(shown).toContain('13.2 Disposal proceeds: 0')
    expect(shown).toContain('Known proceeds of what has no known gain: 60')
  })

  test('under rules whose form has them with the proceeds, they stay there', async () => {
    const shown = await show(books.dir, 'taxes', { rules: 'de', year: 2024 })
    // First in, first out: all of it is held up to one year. 2,400, 4,790 and 10, 12,579, 952, and no gift.
    expect(figures(shown)[0]).toBe('Proceeds of what was held up to one year: 20731')
  })
})

test('are the same from books in another currency: what is stated in pounds is not converted there and back', async () => {
  const rows = [
    ...prices('USD', (price) => price * 1.25),
    ...DAYS.map((day) => `${day}T00:00:00Z,GBP,USD,1.25`),
  ]
  const books = await made({ rules: 'generic', currency: 'USD' }, rows)
  try {
    const shown = await show(books.dir, 'taxes', { rules: 'uk', year: 2024, currency: 'GBP' })
    expect(figures(shown).slice(0, BOXES.length)).toEqual(BOXES)
  } finally {
    books.close()
  }
})

test('are stated with the proceeds even if the books have no price to value either', async () => {
  const books = new ImportedBooks({
    reports: { ...emptyConfig.reports, rules: 'generic', currency: 'USD' },
  })
  try {
    await books.trades(
      'a1,2024-05-01T12:00:00Z,desk,buy,BTC,1,GBP,20000,50,GBP',
      's1,2024-08-01T10:00:00Z,desk,sell,BTC,1,GBP,25000,40,GBP',
    )
    await books.build()
    const shown = await show(books.dir, 'taxes', { rules: 'uk', year: 2024, currency: 'GBP' })
    // Costs of 20,050 and 40.
    expect(figures(shown).slice(1, 5)).toEqual([
      '13.2 Disposal proceeds: 25000',
      '13.3 Allowable costs: 20090',
      'Fees of the disposals, among the allowable costs: 40',
      '13.4 Gains in the year, before losses: 4910',
    ])
  } finally {
    books.close()
  }
})

test('a return needs books that record them, under rules whose form has them apart', async () => {
  const books = await made(
    { rules: 'uk', currency: 'GBP' },
    prices('GBP', (price) => price),
  )
  try {
    const instance = await DuckDBInstance.create(join(books.dir, 'ledger.duckdb'))
    const connection = await instance.connect()
    await connection.run('alter table lot_events drop column value_before_fees')
    await connection.run('alter table disposals drop column fees')
    connection.closeSync()
    instance.closeSync()
    await expect(show(books.dir, 'taxes', { rules: 'uk', year: 2024 })).rejects.toMatchObject({
      name: 'UsageError',
      details: {
        where: 'table lot_events, table disposals',
        expected: 'value_before_fees and fees, which the return under uk rules reads',
      },
    })
    expect((await show(books.dir, 'gains', { rules: 'uk', year: 2024 })).rows).toHaveLength(8)
    expect((await show(books.dir, 'taxes', { rules: 'de', year: 2024 })).rows).not.toEqual([])
  } finally {
    books.close()
  }
})

test('a sale that is partly of borrowed coins divides its fee by quantity, whatever closes it', () => {
  const event = (kind: LotEvent['kind'], day: number, quantity: bigint, money: Partial<LotEvent> = {}) => ({
    ...{ account: 'main', coin: 'XRP', place: 0n, id: `${kind}${day}`, kind, quantity, value: null },
    ...{ happenedAtUs: BigInt(day) * 86_400_000_000n, ...money },
  })
  // 4 for 396 after a fee of 4, of which 1 is one's own and 3 are borrowed: 2 are bought back 77 days later, 1 stays open.
  const events = [
    event('acquire', 1, 1n, { value: 10n }),
    event('borrow', 2, 3n, { transferId: 'cross' }),
    event('dispose', 3, 4n, { value: 396n, fees: 4n }),
    event('acquire', 80, 2n, { value: 160n }),
  ]
  const { disposals, shortSales } = computeLots(events, { method: 'uk', scope: 'universal' })
  expect(disposals.map(({ quantity, proceeds, fees }) => [quantity, proceeds, fees])).toEqual([[1n, 99n, 1n]])
  expect(shortSales.map(({ quantity, proceeds, fees }) => [quantity, proceeds, fees])).toEqual([
    [2n, 198n, 2n],
    [1n, 99n, 1n],
  ])
  const repaid = computeLots([...events.slice(0, 3), event('acquire', 80, 3n, { value: 240n })], {
    method: 'fifo',
    scope: 'universal',
  })
  expect(repaid.shortSales.map(({ quantity, fees }) => [quantity, fees])).toEqual([[3n, 3n]])
  expect(repaid.disposals.map(({ quantity, proceeds, fees }) => [quantity, proceeds, fees])).toEqual([
    [1n, 99n, 1n],
  ])
})
