// Reports of accounts that are known only from imports: what they hold, and what they earned in money.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { emptyConfig } from '../../pipeline/config/config.ts'
import { ImportedBooks } from '../support/imports.ts'

let books: ImportedBooks

beforeEach(() => {
  books = new ImportedBooks()
})

afterEach(() => {
  books.close()
})

describe('income in money', () => {
  it('is in the return of its year even if no coin moved in it, which states the period that the file covers', async () => {
    const own = new ImportedBooks(
      { reports: { ...emptyConfig.reports, currency: 'EUR', rules: 'de' } },
      { only: ['main.disposals', 'main.entries', 'main.beginnings', 'main.income'] },
    )
    try {
      await own.trades(
        'i3,2023-06-01T00:00:00Z,A,income,EUR,307,,,,',
        'b1,2024-02-01T00:00:00Z,A,buy,BTC,0.01,EUR,400,,',
        's1,2024-03-01T00:00:00Z,A,sell,BTC,0.005,EUR,300,,',
        'i2,2025-04-01T00:00:00Z,A,income,EUR,305,,,,',
      )
      await own.build()
      const taxable = async (year: number) =>
        (await own.read('taxes', { rules: 'de', year })).find(({ figure }) =>
          /like, taxable/.test(String(figure)),
        )?.value
      expect([await taxable(2023), await taxable(2024), await taxable(2025)]).toEqual(['307', '0', '305'])
      expect(await taxable(2026)).toBe(null)
      expect(await own.query('select coin, begins_at, last_at from beginnings order by coin')).toEqual([
        ['BTC', '2024-02-01T00:00:00.000Z', '2024-03-01T00:00:00.000Z'],
        ['EUR', '2023-06-01T00:00:00.000Z', '2025-04-01T00:00:00.000Z'],
      ])
    } finally {
      own.close()
    }
  })
})

describe('balances of an account that is known only from imports', () => {
  const KRAKEN = [
    'd1:in,2025-12-31T00:00:00Z,kraken,transfer_in,EUR,1000,,,0,',
    'b1,2026-01-01T00:00:00Z,kraken,buy,BTC,2,EUR,800,1,EUR',
    's1,2026-01-02T00:00:00Z,kraken,sell,BTC,0.5,USDT,300,0.1,BNB',
    'i1,2026-01-02T12:00:00Z,kraken,income,BTC,0.25,EUR,100,0,',
    't1:out,2026-01-03T00:00:00Z,kraken,transfer_out,BTC,1,,,0.01,BTC',
    't1:in,2026-01-03T01:00:00Z,wallet,transfer_in,BTC,0.98,,,0,',
    'g1,2026-01-04T00:00:00Z,wallet,gift_out,BTC,0.08,EUR,30,0,',
    'c1,2026-01-04T00:00:00Z,card,buy,BTC,1,EUR,400,2,EUR',
  ]

  it('are in the reports and tables: coins, and money if the file contains its movements', async () => {
    await books.trades(...KRAKEN)
    await books.lots('l1,2025-01-01T00:00:00Z,wallet,ETH,2,50,EUR')
    const now = (await books.report('balances')).map(({ account, ledger, coin, quantity, own }) => [
      ...[account, ledger, coin, quantity, own],
    ])
    expect(now).toEqual([
      // 400 EUR were paid from elsewhere: the file does not tell of money on the card.
      ['card', 'IMPORT', 'BTC', '1', '1'],
      ['kraken', 'IMPORT', 'BNB', '-0.1', '-0.1'],
      // 2 - 0.5 + 0.25 - 1; the fee of 0.01 is a part of the 0.02 that did not arrive.
      ['kraken', 'IMPORT', 'BTC', '0.75', '0.75'],
      ['kraken', 'IMPORT', 'EUR', '199', '199'],
      ['kraken', 'IMPORT', 'USDT', '300', '300'],
      ['wallet', 'IMPORT', 'BTC', '0.9', '0.9'],
      ['wallet', 'IMPORT', 'ETH', '2', '2'],
    ])
    const before = await books.read('balances', { account: 'kraken', to: '2026-01-02' })
    expect(before.map(({ coin, quantity }) => [coin, quantity])).toEqual([
      ['BNB', '-0.1'],
      ['BTC', '1.75'],
      ['EUR', '199'],
      ['USDT', '300'],
    ])
    const lines = await books.read('statement', { account: 'kraken', from: '2026-01-02' })
    expect(
      lines.filter(({ coin }) => coin === 'BTC').map(({ line, kind, amount }) => [line, kind, amount]),
    ).toEqual([
      ['opening', null, '2'],
      ['movement', 'income', '0.25'],
      ['movement', 'trade', '-0.5'],
      ['movement', 'transfer', '-1'],
      ['closing', null, '0.75'],
    ])
    // Worth what the rows state; sold for USDT, which has no price, by the price of the coin: 400 for one.
    expect(
      lines.filter(({ coin }) => coin === 'BTC').map((each) => each.value ?? each.no_value_because),
    ).toEqual(['800', '100', '-200', 'an imported transfer between own accounts states no value', '300'])
    expect(
      await books.query(
        "select day, quantity from balance_history where account = 'wallet' and coin = 'BTC' order by day",
      ),
    ).toEqual([
      ['2026-01-03', '0.98'],
      ['2026-01-04', '0.9'],
    ])
    // They are no entries, and the double entry of the venue's books knows nothing of them.
    expect(await books.query('select count(*) from entries')).toEqual([[0]])
    expect((await books.build()).openBreaks.filter(({ severity }) => severity === 'error')).toEqual([])
  }, 120_000)
})
