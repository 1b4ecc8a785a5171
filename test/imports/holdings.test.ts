// What an account that imports alone tell of is worth after its last record: up to the last imported price of what it holds.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openLedger } from '../../pipeline/ledger/ledger.ts'
import { makeReport, type ReportName, type ReportOptions } from '../../pipeline/reports/catalogue.ts'
import { ImportedBooks } from '../support/imports.ts'

let books: ImportedBooks

beforeEach(() => {
  books = new ImportedBooks()
})

afterEach(() => books.close())

const BOUGHT = 'b1,2025-03-01T00:00:00Z,a,buy,BTC,1,USD,50,,'
const YEAR = { year: 2025 }

const price = (...rows: readonly string[]) =>
  books.import('prices', ['time,asset,currency,price', ...rows, ''].join('\n'))

const lastDays = () =>
  books.query(
    'select (select max(day) from balance_history), (select max(day) from net_worth), (select max(day) from calendar)',
  )

async function notes(
  name: ReportName = 'balances',
  options: ReportOptions = YEAR,
): Promise<readonly string[]> {
  const ledger = await openLedger(books.dir)
  try {
    return (await makeReport(ledger, name, options)).notes
  } finally {
    ledger.close()
  }
}

it('what is bought and held has its value at the end of the year, in every report and table', async () => {
  await books.trades(BOUGHT)
  await price('2025-12-31T20:00:00Z,BTC,USD,100')
  const [balance] = await books.report('balances', YEAR)
  expect(balance).toMatchObject({ quantity: '1', price: '100', value: '100', currency: 'USD' })
  const statement = await books.read('statement', YEAR)
  expect(statement.find(({ line }) => line === 'closing')).toMatchObject({
    value: '100',
    no_value_because: null,
  })
  expect((await books.read('net-worth', YEAR)).at(-1)).toMatchObject({
    month: '2025-12-01',
    closing_value: '100',
  })
  const [account] = await books.read('account-values', YEAR)
  expect(account).toMatchObject({ highest_value: '100', end_value: '100', last_day: '2025-12-31' })
  expect(account?.unpriced_days).toBe(304)
  expect(await books.query('select day, value from net_worth where value is not null order by day')).toEqual([
    ['2025-03-01', '50'],
    ['2025-12-31', '100'],
  ])
  expect(await lastDays()).toEqual([['2025-12-31', '2025-12-31', '2025-12-31']])
  expect((await notes()).join(' ')).not.toContain('No value')
})

it('a day without a price has no value, and the report of balances states it', async () => {
  await books.trades(BOUGHT)
  await books.build()
  expect(await lastDays()).toEqual([['2025-03-01', '2025-03-01', '2025-03-01']])
  expect((await books.read('balances', YEAR))[0]?.value).toBeNull()
  expect(await notes()).toContain(
    'No value for 1 of 1 balance, because the books end on 2025-03-01. Run `tieout nightly` to extend them; in books built from imports only, import a price of that day (`tieout import prices`).',
  )
})

it('a move between own accounts states no value, and the statement advises no price for it', async () => {
  await books.trades(
    BOUGHT,
    't1:out,2025-03-02T00:00:00Z,a,transfer_out,BTC,1,,,,',
    't1:in,2025-03-02T01:00:00Z,b,transfer_in,BTC,1,,,,',
  )
  await price('2025-03-02T12:00:00Z,BTC,USD,60')
  const lines = await books.report('statement', { account: 'b' })
  expect(lines.map(({ line, value, no_value_because }) => [line, value, no_value_because])).toEqual([
    ['opening', '0', null],
    ['movement', null, 'an imported transfer between own accounts states no value'],
    ['closing', '60', null],
  ])
  const noted = (await notes('statement', { account: 'b' })).filter((note) => note.startsWith('No value'))
  expect(noted).toEqual(['No value for 1 of 3 lines; no_value_because gives the reason for each.'])
})

it('a price of what is no longer held, or that was withdrawn, values nothing else', async () => {
  await books.trades(BOUGHT, 's1,2025-03-05T00:00:00Z,a,sell,BTC,1,USD,60,,')
  await books.trades('b2,2025-03-06T00:00:00Z,a,buy,ETH,1,USD,10,,')
  await price('2025-12-31T20:00:00Z,BTC,USD,100')
  const { id } = await price('2025-11-30T20:00:00Z,ETH,USD,20')
  await price('2025-10-31T20:00:00Z,ETH,USD,15')
  await books.undo(Number(id))
  await books.build()
  expect((await lastDays())[0]).toEqual(['2025-10-31', '2025-10-31', '2025-10-31'])
})
