// A report in another currency than the books, by the prices that were imported into them.
import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ReportOptions } from '../../pipeline/reports/catalogue.ts'
import { alterBook } from '../exports/tools.ts'
import { BOUGHT, GAINS, gainsIn, SOLD } from '../imports/small-books.ts'
import { ImportedBooks } from '../support/imports.ts'

let books: ImportedBooks

beforeEach(() => {
  books = new ImportedBooks({}, { only: GAINS })
})

afterEach(() => {
  books.close()
})

/** Rows of an account that shares its books with others: its name is in front of their ids. */
const rowsOf = (account: string, ...rows: readonly string[]): string[] =>
  rows.map((row) => account + row.replace(',main,', `,${account},`))

/** The gains of such an account, with the ids as its test has them. */
const gainsOf = async (of: ImportedBooks, account: string, options: ReportOptions = {}): Promise<string[]> =>
  (await of.gains({ ...options, account })).map((line) => line.replaceAll(account, ''))

describe('books without a rate, each test with its own account', () => {
  let unrated: ImportedBooks

  beforeAll(async () => {
    unrated = new ImportedBooks({}, { only: GAINS })
    await unrated.trades(
      ...rowsOf('plain', BOUGHT, SOLD),
      ...rowsOf(
        'gifted',
        'i1,2026-01-01T00:00:00Z,main,income,BTC,1,USD,0,0,',
        's1,2026-01-02T00:00:00Z,main,sell,BTC,1,USD,150,0,',
      ),
      ...rowsOf('opened', 's1,2026-01-01T00:00:00Z,main,sell,BTC,1,USD,500,0,'),
    )
    await unrated.lots(...rowsOf('opened', 'l1,2020-05-01T12:00:00Z,main,BTC,2,100,USD'))
    await unrated.build()
  })
  afterAll(() => unrated.close())

  it('have opening lots of an account that the venue does not have as acquisitions there', async () => {
    expect(await gainsOf(unrated, 'opened')).toEqual(['s1 <- l1: 1 for 500 cost 50 gain 450'])
    const rows = await unrated.read('gains', { account: 'opened' })
    expect(rows.map((row) => row.acquired_at)).toEqual(['2020-05-01T12:00:00.000Z'])
  })

  it('show what is unknown in another currency, never zero', async () => {
    expect(await gainsOf(unrated, 'plain', { currency: 'EUR' })).toEqual(['s1 <- b1: 1 for ? cost ? gain ?'])
  })

  it('show zero as zero, whatever the rate', async () => {
    expect(await gainsOf(unrated, 'gifted', { currency: 'EUR' })).toEqual(['s1 <- i1: 1 for ? cost 0 gain ?'])
  })
})

describe('a report in another currency', () => {
  describe('with a rate for each of two days', () => {
    let rated: ImportedBooks

    beforeAll(async () => {
      rated = new ImportedBooks({}, { only: GAINS })
      await rated.import('prices', 'Date,USD,\n2026-01-02,1.25,\n2026-01-01,1.1,\n', 'eurofxref-hist.csv')
      await rated.trades(
        ...rowsOf(
          'stated',
          'b1,2026-01-01T09:00:00Z,main,buy,BTC,1,USD,110,0,',
          'b2,2026-01-01T10:00:00Z,main,buy,BTC,1,EUR,70,1,EUR',
          's1,2026-01-02T09:00:00Z,main,sell,BTC,2,USD,250,0,',
        ),
        ...rowsOf(
          'signed',
          'b1,2026-01-01T09:00:00Z,main,buy,BTC,1,USD,10,-21,USD',
          's1,2026-01-02T09:00:00Z,main,sell,BTC,1,USD,5,30,USD',
        ),
      )
      await rated.build()
    })
    afterAll(() => rated.close())

    it('values every event at the rate of its own time; what is stated in that currency needs no rate', async () => {
      expect(await gainsOf(rated, 'stated', { currency: 'EUR' })).toEqual([
        's1 <- b1: 1 for 100 cost 100 gain 0',
        's1 <- b2: 1 for 100 cost 71 gain 29',
      ])
      expect(await gainsOf(rated, 'stated')).toEqual([
        's1 <- b1: 1 for 125 cost 110 gain 15',
        's1 <- b2: 1 for 125 cost 78.1 gain 46.9',
      ])
    })

    it('keeps the sign of an amount: what a fee leaves less than nothing of', async () => {
      // -11 at 1.1, and -25 at 1.25.
      expect(await gainsOf(rated, 'signed', { currency: 'EUR' })).toEqual([
        's1 <- b1: 1 for -20 cost -10 gain -10',
      ])
    })
  })

  describe('of books in euros, in which each test has its own account and coins', () => {
    let euros: ImportedBooks

    beforeAll(async () => {
      euros = gainsIn('EUR')
      await euros.import('prices', 'Date,USD,\n2025-12-01,1.25,\n', 'eurofxref-hist.csv')
      await euros.import(
        'prices',
        [
          'time,asset,currency,price',
          '2025-12-01T09:30:00Z,BTC,EUR,800',
          '2025-12-01T09:30:00Z,BTCB,EUR,800',
          '2025-12-01T08:30:00Z,USDT,EUR,0.8',
          '2025-12-01T08:30:00Z,SOL,EUR,100',
          '2025-12-01T08:30:00Z,USDC,EUR,0.8',
          '2025-12-01T08:30:00Z,USDC,GBP,0.64',
          '',
        ].join('\n'),
      )
      await euros.trades(
        ...rowsOf(
          'fees',
          'b1,2025-12-01T09:00:00Z,main,buy,ETH,10,EUR,1000,0,',
          'x1,2025-12-01T10:00:00Z,main,buy,BTC,1,ETH,5,40,EUR',
          's1,2025-12-01T11:00:00Z,main,sell,BTC,1,EUR,900,0,',
        ),
        ...rowsOf(
          'signs',
          'b1,2025-12-01T09:00:00Z,main,buy,ETHB,10,EUR,1000,0,',
          'x1,2025-12-01T10:00:00Z,main,buy,BTCB,1,ETHB,5,1640,EUR',
        ),
        ...rowsOf(
          'coins',
          'b1,2025-12-01T09:00:00Z,main,buy,BTCC,1,EUR,800,0,',
          'b2,2025-12-01T09:00:00Z,main,buy,USDT,1000,EUR,800,0,',
          'b3,2025-12-01T09:00:00Z,main,buy,SOL,10,EUR,1000,0,',
          's1,2025-12-01T10:00:00Z,main,sell,BTCC,1,EUR,900,0,',
          's2,2025-12-01T11:00:00Z,main,sell,USDT,500,EUR,440,0,',
          's3,2025-12-01T12:00:00Z,main,sell,SOL,1,EUR,110,0,',
        ),
      )
      await euros.build()
    })
    afterAll(() => euros.close())

    it('attributes the fee of an exchange of two coins as the rules do, at the same rates', async () => {
      // Five of ETH cost 500 and bring 800. The 40 are in the cost of the BTC, off the proceeds of the ETH, or half in each.
      expect(await gainsOf(euros, 'fees', { rules: 'generic' })).toEqual([
        'x1 <- b1: 5 for 800 cost 500 gain 300',
        's1 <- x1: 1 for 900 cost 840 gain 60',
      ])
      expect(await gainsOf(euros, 'fees', { rules: 'generic', currency: 'USD' })).toEqual([
        'x1 <- b1: 5 for 1000 cost 625 gain 375',
        's1 <- x1: 1 for 1125 cost 1050 gain 75',
      ])
      expect(await gainsOf(euros, 'fees', { rules: 'us', currency: 'USD' })).toEqual([
        'x1 <- b1: 5 for 950 cost 625 gain 325',
        's1 <- x1: 1 for 1125 cost 1000 gain 125',
      ])
      expect(await gainsOf(euros, 'fees', { rules: 'uk', currency: 'USD' })).toEqual([
        'x1 <- b1: 5 for 975 cost 625 gain 350',
        's1 <- x1: 1 for 1125 cost 1025 gain 100',
      ])
      // In a coin there is no exchange of two coins beside it.
      expect(await gainsOf(euros, 'fees', { rules: 'us', currency: 'USDT' })).toEqual([
        'x1 <- b1: 5 for 1000 cost 625 gain 375',
        's1 <- x1: 1 for 1125 cost 1050 gain 75',
      ])
    })

    it('keeps the sign of what the fee of an exchange leaves of its proceeds', async () => {
      // 800 less 1,640, and less half of it: -840 and -20.
      expect(await gainsOf(euros, 'signs', { rules: 'us', currency: 'USD' })).toEqual([
        'x1 <- b1: 5 for -1050 cost 625 gain -1675',
      ])
      expect(await gainsOf(euros, 'signs', { rules: 'uk', currency: 'USD' })).toEqual([
        'x1 <- b1: 5 for -25 cost 625 gain -650',
      ])
    })

    it('has its rate over any of the quote coins', async () => {
      expect(await gainsOf(euros, 'coins', { currency: 'GBP' })).toEqual([
        's1 <- b1: 1 for 720 cost 640 gain 80',
        's2 <- b2: 500 for 352 cost 320 gain 32',
        's3 <- b3: 1 for 88 cost 80 gain 8',
      ])
    })

    it('may be in any coin that has a price, which then is no lot itself', async () => {
      expect(await gainsOf(euros, 'coins', { currency: 'USDT' })).toEqual([
        's1 <- b1: 1 for 1125 cost 1000 gain 125',
        's3 <- b3: 1 for 137.5 cost 125 gain 12.5',
      ])
      expect(await gainsOf(euros, 'coins', { currency: 'SOL' })).toEqual([
        's1 <- b1: 1 for 9 cost 8 gain 1',
        's2 <- b2: 500 for 4.4 cost 4 gain 0.4',
      ])
    })
  })

  it('takes stated amounts like books that were built in that currency: totals less their fees, rebates, gifts and lots', async () => {
    const fill = async (): Promise<void> => {
      // A third of a euro comes back from no rate.
      await books.import(
        'prices',
        'Date,USD,\n2026-01-02,1.2345678,\n2026-01-01,1.1234567,\n',
        'eurofxref-hist.csv',
      )
      await books.lots('l1,2026-01-01T08:00:00Z,main,BTC,3,0.333333333333333333,EUR')
      await books.trades(
        'b1,2026-01-01T09:00:00Z,main,buy,ETH,3,EUR,33.333333333333333333,0.777777777777777777,EUR',
        'b2,2026-01-01T10:00:00Z,main,gift_in,SOL,3,EUR,66.666666666666666667,0,',
        's1,2026-01-02T09:00:00Z,main,sell,BTC,3,EUR,44.444444444444444443,0.111111111111111111,EUR',
        's2,2026-01-02T09:00:00Z,main,sell,ETH,3,EUR,55.555555555555555557,-0.333333333333333331,EUR',
        's3,2026-01-02T09:00:00Z,main,sell,SOL,3,EUR,88.888888888888888889,0,',
      )
    }
    books.close()
    books = gainsIn('USD')
    await fill()
    const reported = await books.gains({ currency: 'EUR' })
    expect(reported).toEqual([
      's1 <- l1: 3 for 44.333333333333333332 cost 0.333333333333333333 gain 43.999999999999999999',
      's2 <- b1: 3 for 55.888888888888888888 cost 34.11111111111111111 gain 21.777777777777777778',
      's3 <- b2: 3 for 88.888888888888888889 cost 66.666666666666666667 gain 22.222222222222222222',
    ])
    books.close()
    books = gainsIn('EUR')
    await fill()
    expect(await books.gains()).toEqual(reported)
  })

  it('equals to the last digit books that were built in that currency: both run the models of valuation', async () => {
    const coins = [
      'time,asset,currency,price,source',
      '2026-01-02T08:00:00Z,USDT,USD,0.999,index',
      '2026-01-02T08:30:00Z,USDT,GBP,0.8,index',
      '',
    ].join('\n')
    const fill = async (): Promise<void> => {
      await books.import(
        'prices',
        'Date,USD,JPY,\n2026-01-02,1.25,160,\n2026-01-01,1.1,150,\n',
        'eurofxref-hist.csv',
      )
      await books.import('prices', coins)
      await books.trades(
        'b1,2026-01-01T09:00:00Z,main,buy,BTC,3,USD,100,0,',
        'b2,2026-01-01T10:00:00Z,main,buy,ETH,7,USD,70,1,USD',
        's1,2026-01-02T09:00:00Z,main,sell,BTC,2,USD,250,0,',
        's2,2026-01-09T09:00:00Z,main,sell,ETH,2,USD,250,0,',
      )
    }
    books.close()
    books = gainsIn('USD')
    await fill()
    // Yen over the euro; pounds over USDT, and before there is a price of it not at all; after five days nothing.
    const reported = {
      JPY: await books.gains({ currency: 'JPY' }),
      GBP: await books.gains({ currency: 'GBP' }),
    }
    expect(reported.GBP).toEqual([
      's1 <- b1: 2 for 200.2002002002002002 cost ? gain ?',
      's2 <- b2: 2 for ? cost ? gain ?',
    ])
    expect(reported.JPY[0]).toMatch(/^s1 <- b1: 2 for 32000 cost 9090\.909090909090909/)
    for (const currency of ['JPY', 'GBP'] as const) {
      books.close()
      books = gainsIn(currency)
      await fill()
      expect(await books.gains()).toEqual(reported[currency])
    }
  })

  it('needs the tables that it reads, which an older ledger may not have', async () => {
    await books.trades(BOUGHT, SOLD)
    const { path } = await books.build()
    const whole = readFileSync(path)
    for (const table of ['p2p_trades', 'price_sources']) {
      writeFileSync(path, whole)
      await alterBook(books.dir, [`drop table ${table}`])
      await expect(books.read('gains', { currency: 'EUR' })).rejects.toThrow(
        `The published ledger has no table ${table}.`,
      )
    }
  })

  it('is refused if gains are calculated in a coin: the books have to be built in the other currency', async () => {
    await books.trades(BOUGHT.replaceAll('USD', 'USDT'), SOLD.replaceAll('USD', 'USDT'))
    await expect(books.gains({ currency: 'EUR' })).rejects.toMatchObject({
      message: 'The gains are not calculated in EUR.',
      exitCode: 2,
    })
  })
})
