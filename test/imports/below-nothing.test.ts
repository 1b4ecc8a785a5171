// A coin that leaves an account without ever having come there: its history is missing, whatever lots lie elsewhere.
import { afterEach, expect, it } from 'vitest'
import { emptyConfig } from '../../pipeline/config/config.ts'
import { openLedger } from '../../pipeline/ledger/ledger.ts'
import { makeReport, type ReportName, type ReportOptions } from '../../pipeline/reports/catalogue.ts'
import { ImportedBooks } from '../support/imports.ts'

let books: ImportedBooks
afterEach(() => books.close())

const ukBooks = (only?: readonly string[]): ImportedBooks =>
  new ImportedBooks({ reports: { ...emptyConfig.reports, rules: 'uk', currency: 'GBP' } }, { only })

async function found(...rows: readonly string[]): Promise<unknown[][]> {
  books = ukBooks(['checks.imported_balance'])
  await books.trades(...rows)
  await books.build()
  return await books.query(
    `select severity, account, coin, occurred_at, found, explanation, evidence from breaks
     where check_name = 'imported_balance' order by all`,
  )
}

it('is a warning even if another account of the pool has the coins', async () => {
  expect(
    await found(
      'n1,2025-05-01T00:00:00Z,a,buy,BTC,2,GBP,100,,',
      'n2,2025-06-01T00:00:00Z,b,sell,BTC,1,GBP,90,,',
      'n3,2025-06-02T00:00:00Z,b,sell,BTC,0.5,GBP,40,,',
      'n4,2025-06-03T00:00:00Z,b,buy,BTC,3,GBP,300,,',
    ),
  ).toEqual([
    [
      'warning',
      'b',
      'BTC',
      '2025-06-01T00:00:00.000Z',
      '-1.5',
      'More BTC has left b than the imports bring in: since 2025-06-01 its balance has been negative, by up to 1.5. ' +
        'Import what is missing: the purchase or incoming transfer leg (`tieout import trades`), or what was held before (`tieout import lots`).',
      '["n2"]',
    ],
  ])
})

it('is no break if everything arrived before, or at the same moment, and money was paid from elsewhere', async () => {
  expect(
    await found(
      'n1,2025-05-01T00:00:00Z,a,sell,BTC,1,GBP,50,1,GBP',
      'n2,2025-05-01T00:00:00Z,a,buy,BTC,2,GBP,90,,',
      't1:out,2025-06-01T00:00:00Z,a,transfer_out,BTC,1,,,0.01,BTC',
      't1:in,2025-06-01T01:00:00Z,b,transfer_in,BTC,0.99,,,,',
      'n3,2025-06-02T00:00:00Z,b,sell,BTC,0.99,GBP,90,,',
    ),
  ).toEqual([])
})

it('is no break of a coin that rows only pay with: nothing states where it was held', async () => {
  expect(await found('n1,2025-05-01T00:00:00Z,a,buy,BTC,1,USDT,100,1,USDT')).toEqual([])
})

it('is a warning for what left to another account', async () => {
  const rows = await found(
    'n1,2025-05-01T00:00:00Z,a,buy,BTC,1,GBP,100,,',
    't1:out,2025-06-01T00:00:00Z,a,transfer_out,BTC,3,,,,',
    't1:in,2025-06-01T00:00:00Z,b,transfer_in,BTC,3,,,,',
  )
  expect(rows.map((row) => row.slice(0, 5))).toEqual([
    ['warning', 'a', 'BTC', '2025-06-01T00:00:00.000Z', '-2'],
  ])
})

it('is a notice for the coin in which gains are calculated, which is money in imports', async () => {
  books = new ImportedBooks(
    { reports: { ...emptyConfig.reports, currency: 'USDT' } },
    { only: ['checks.imported_balance'] },
  )
  await books.trades(
    'd1:in,2025-05-01T00:00:00Z,a,transfer_in,USDT,100,,,,',
    'n1,2025-05-02T00:00:00Z,a,buy,BTC,1,USDT,150,,',
  )
  await books.build()
  expect(
    await books.query("select severity, coin, found from breaks where check_name = 'imported_balance'"),
  ).toEqual([['notice', 'USDT', '-50']])
})

it('is a notice for money whose deposits are in the file', async () => {
  const [one, ...others] = await found(
    'd1:in,2025-05-01T00:00:00Z,a,transfer_in,GBP,100,,,,',
    'n1,2025-05-02T00:00:00Z,a,buy,BTC,1,GBP,150,,',
  )
  expect(others).toEqual([])
  expect(one?.slice(0, 5)).toEqual(['notice', 'a', 'GBP', '2025-05-02T00:00:00.000Z', '-50'])
  expect(one?.[5]).toContain('Import the missing deposits')
})

it('is mentioned by the reports whose values include it, for the days that they cover', async () => {
  books = ukBooks()
  await books.trades(
    'n1,2024-05-01T00:00:00Z,k,sell,BTC,0.5,GBP,30000,,',
    'n2,2024-05-01T00:00:00Z,k,sell,ETH,1,GBP,2000,,',
    'n3,2024-06-01T00:00:00Z,k,buy,ETH,1,GBP,2100,,',
    'n4,2025-06-01T00:00:00Z,k,buy,BTC,1,GBP,80000,,',
  )
  await books.build()
  const said = (coins: string): string =>
    `Imports take out more of k than they bring in: its balance of ${coins} is below zero, first on 2024-05-01, and its value is too ` +
    'low by that amount. Import the missing purchase, incoming transfer leg or deposit (`tieout import trades`), or what was held before (`tieout import lots`).'
  const ledger = await openLedger(books.dir)
  const notes = async (name: ReportName, options: ReportOptions = {}) =>
    (await makeReport(ledger, name, options)).notes.filter((note) => note.startsWith('Imports take'))
  try {
    for (const name of ['net-worth', 'statement'] as const) {
      expect(await notes(name, { year: 2024 })).toEqual([said('BTC, ETH')])
      expect(await notes(name, { year: 2026 })).toEqual([])
    }
    expect(await notes('balances', { to: '2024-12-31' })).toEqual([said('BTC')])
    expect(await notes('balances')).toEqual([])
  } finally {
    ledger.close()
  }
})
