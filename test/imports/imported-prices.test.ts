// What imported prices value: at which time, for how long, and over which other coin or currency.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { emptyConfig } from '../../pipeline/config/config.ts'
import { ImportedBooks } from '../support/imports.ts'
import { GAINS, gainsIn, outcome } from './small-books.ts'

let books: ImportedBooks

beforeEach(() => {
  books = new ImportedBooks({}, { only: GAINS })
})

afterEach(() => {
  books.close()
})

describe('imported prices', () => {
  const rates = ['Date,USD,JPY,ZAR,', '2026-01-02,1.0837,160.5,N/A,', '2026-01-01,1.1,160,20.5,', ''].join(
    '\r\n',
  )

  it('of the ECB value exactly what was paid in another currency, at the rate of the day', async () => {
    books.close()
    books = gainsIn('EUR')
    await books.import('prices', rates, 'eurofxref-hist.csv')
    await books.trades(
      'b1,2026-01-01T09:00:00Z,main,buy,BTC,1,USD,110,0,',
      's1,2026-01-02T23:59:59Z,main,sell,BTC,0.5,USD,108.37,1.0837,USD',
      's2,2026-01-02T23:59:59Z,main,sell,BTC,0.5,JPY,32100,0,',
    )
    expect(await books.gains()).toEqual([
      's1 <- b1: 0.5 for 99 cost 50 gain 49',
      's2 <- b1: 0.5 for 200 cost 50 gain 150',
    ])
    expect(
      await books.query("select coin, currency, price from prices where source = 'ecb' order by all"),
    ).toEqual([
      ['EUR', 'JPY', '160'],
      ['EUR', 'JPY', '160.5'],
      ['EUR', 'USD', '1.0837'],
      ['EUR', 'USD', '1.1'],
      ['EUR', 'ZAR', '20.5'],
    ])
  })

  it('of the ECB are read in the form of its daily file too', async () => {
    books.close()
    books = new ImportedBooks({}, { only: ['main.prices'] })
    await books.import('prices', 'Date, USD, JPY, \n15 October 2025, 1.0837, 160.5, \n', 'eurofxref.csv')
    await books.build()
    expect(await books.query('select currency, priced_at from prices order by all')).toEqual([
      ['JPY', '2025-10-15T00:00:00.000Z'],
      ['USD', '2025-10-15T00:00:00.000Z'],
    ])
  })

  it('between currencies count for five days, since markets close; after that the value is unknown', async () => {
    books.close()
    books = new ImportedBooks({ reports: { ...emptyConfig.reports, currency: 'EUR' } })
    await books.import('prices', rates, 'eurofxref-hist.csv')
    await books.trades(
      'b1,2026-01-07T00:00:00Z,main,buy,BTC,1,USD,108.37,0,',
      's1,2026-01-07T00:00:00.000001Z,main,sell,BTC,1,USD,108.37,0,',
    )
    expect(await books.gains()).toEqual(['s1 <- b1: 1 for ? cost 100 gain ?'])
    expect((await books.build()).openBreaks.map(({ checkName }) => checkName)).toEqual(['valuation'])
  })

  it('can be combined across a currency: from yen to dollars over the euro', async () => {
    books.close()
    books = gainsIn('USD')
    await books.import('prices', rates, 'eurofxref-hist.csv')
    await books.trades(
      'b1,2026-01-01T09:00:00Z,main,buy,BTC,1,JPY,16000,0,',
      's1,2026-01-01T10:00:00Z,main,sell,BTC,1,EUR,200,0,',
    )
    expect(await books.gains()).toEqual(['s1 <- b1: 1 for 220 cost 110 gain 110'])
  })

  it('value a coin that has prices only in another coin: a fee in BNB over USDT', async () => {
    books.close()
    books = new ImportedBooks(
      { reports: { ...emptyConfig.reports, currency: 'EUR' } },
      { only: ['main.lots'] },
    )
    await books.import(
      'prices',
      'time,asset,currency,price\n2026-01-01T00:00:00Z,USDT,EUR,0.9\n2026-01-01T08:00:00Z,BNB,USDT,500\n',
    )
    await books.trades('b1,2026-01-01T09:00:00Z,main,buy,BTC,1,EUR,1000,0.1,BNB')
    await books.build()
    expect(await books.query('select cost_basis_left from lots')).toEqual([['1045']])
  })

  it('for one moment and source are one: repeated they are nothing new, with another value they are refused', async () => {
    const file = (price: string) => `time,asset,currency,price\n2026-01-01,BTC,USD,${price}\n`
    await books.import('prices', file('100'))
    expect(await books.import('prices', file('100.0'))).toEqual(outcome(1, 0))
    await expect(books.import('prices', file('101'))).rejects.toMatchObject({
      details: { where: expect.stringMatching(/prices\.csv:2, column price$/), found: '101' },
    })
  })
})
