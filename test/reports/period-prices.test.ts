// A period that ends within a UTC day, as those of most zones do, is valued by the prices that counted at that moment. By hand.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { emptyConfig } from '../../pipeline/config/config.ts'
import type { ReportDefaults, ReportOptions } from '../../pipeline/reports/catalogue.ts'
import { cells, show } from '../rules/books.ts'
import { ImportedBooks } from '../support/imports.ts'

let books: ImportedBooks

beforeAll(async () => {
  books = new ImportedBooks({ reports: { ...emptyConfig.reports, currency: 'USD' } })
  await books.trades(
    'b1,2025-12-28T12:00:00Z,main,buy,ETH,2,USD,600,,',
    'b3,2025-12-30T12:00:00Z,main,buy,SOL,3,USD,50,,',
    // In New York still the 31st, in UTC no longer.
    'i1,2025-12-31T23:30:00-05:00,main,income,BTC,1,USD,90,,',
    'b2,2026-01-03T12:00:00Z,main,buy,ETH,1,USD,400,,',
  )
  await books.import(
    'prices',
    [
      'time,asset,currency,price,source',
      '2025-12-30T23:59:59Z,ETH,USD,310,index',
      '2025-12-31T20:00:00Z,ETH,USD,320,index',
      '2025-12-31T23:59:59Z,ETH,USD,330,index',
      '2025-12-31T23:59:59Z,BTC,EUR,80,index',
      '2025-12-30,EUR,USD,1.25,index',
      // One price a day, from its beginning in UTC.
      '2025-12-31,SOL,USD,20,index',
      '2026-01-01T04:59:59.999Z,ETH,USD,340,index',
      '2026-01-01T05:00:00Z,ETH,USD,999,index',
      '',
    ].join('\n'),
  )
  await books.build()
}, 60_000)
afterAll(() => books.close())

const NEW_YORK = { rules: 'us', timeZone: 'America/New_York' }
const BERLIN = { rules: 'de', timeZone: 'Europe/Berlin' }

const balances = async (zone: ReportDefaults, options: ReportOptions): Promise<string[]> =>
  cells(await show(books.dir, 'balances', options, zone), 'coin', 'quantity', 'price', 'value')

const statement = async (zone: ReportDefaults, options: ReportOptions): Promise<string[]> =>
  cells(await show(books.dir, 'statement', options, zone), 'line_id', 'amount', 'value').filter(
    (line) => !line.includes('/movement/'),
  )

describe('a period that ends within a UTC day', () => {
  it('has the prices of its own last moment, not those of the UTC day before', async () => {
    expect(await balances(NEW_YORK, { to: '2025-12-31' })).toEqual([
      // 80 EUR of 1.25 USD.
      'BTC 1 100 100',
      'ETH 2 340 680',
      'SOL 3 20 60',
    ])
    expect(await statement(NEW_YORK, { to: '2025-12-31' })).toEqual([
      'main/IMPORT/BTC/opening 0 0',
      'main/IMPORT/BTC/closing 1 100',
      'main/IMPORT/ETH/opening 0 0',
      'main/IMPORT/ETH/closing 2 680',
      'main/IMPORT/SOL/opening 0 0',
      'main/IMPORT/SOL/closing 3 60',
    ])
    expect(await statement(NEW_YORK, { from: '2026-01-01', to: '2026-01-01' })).toEqual([
      'main/IMPORT/BTC/opening 1 100',
      'main/IMPORT/BTC/closing 1 -',
      'main/IMPORT/ETH/opening 2 680',
      // A price of 1 January, 05:00 in UTC, counts until the same time of the 2nd.
      'main/IMPORT/ETH/closing 2 1998',
      'main/IMPORT/SOL/opening 3 60',
      'main/IMPORT/SOL/closing 3 -',
    ])
  })

  it('east of UTC uses no price of the day before if its own day has one', async () => {
    expect(await balances(BERLIN, { to: '2025-12-31' })).toEqual(['ETH 2 320 640', 'SOL 3 20 60'])
    expect(await balances({}, { to: '2025-12-31' })).toEqual(['ETH 2 330 660', 'SOL 3 20 60'])
  })
})

it('east of UTC a price that no longer counts is not taken from the end of the UTC day before', async () => {
  const other = new ImportedBooks({ reports: { ...emptyConfig.reports, currency: 'USD' } })
  try {
    await other.trades(
      'b1,2025-12-28T12:00:00Z,main,buy,ADA,4,USD,40,,',
      'b2,2026-01-03T12:00:00Z,main,buy,ADA,1,USD,10,,',
    )
    // Of the 30th alone: 47 hours old when the 31st ends in Berlin.
    await other.import('prices', 'time,asset,currency,price,source\n2025-12-30,ADA,USD,7,index\n')
    await other.build()
    const at = async (to: string, zone: ReportDefaults) =>
      cells(await show(other.dir, 'balances', { to }, zone), 'coin', 'quantity', 'price')
    expect(await at('2025-12-30', BERLIN)).toEqual(['ADA 4 7'])
    expect(await at('2025-12-31', BERLIN)).toEqual(['ADA 4 -'])
    expect(await at('2025-12-30', NEW_YORK)).toEqual(['ADA 4 7'])
    expect(await at('2025-12-31', NEW_YORK)).toEqual(['ADA 4 -'])
  } finally {
    other.close()
  }
})
