// Lists of what accounts were worth at most: by hand, from the days' values.
import { expect, test } from 'vitest'
import { alterBook } from '../exports/tools.ts'
import { cells, show } from '../rules/books.ts'
import { publish } from './books.ts'

/** `main BTC 2025-01-05 2 100`: account, coin, day, quantity and price of the end of that day; `?` where there is none. */
const valued = async (lines: readonly string[], currency = 'USD'): Promise<string> => {
  const parts = lines.map((line) => line.split(' ') as [string, string, string, string, string])
  const rows = parts.map(
    ([account, coin, day, quantity, price]) =>
      `('${account}', 'UNIFIED', '${coin}', date '${day}', ${quantity}, 0, ${price === '?' ? 'null' : price})`,
  )
  const names = [...new Set(parts.map(([account]) => account))]
  return await publish([
    ...names.map(
      (name) => `insert into accounts values ('${name}', 'venue', 'uid-${name}', 'unified', 'unified')`,
    ),
    `create table lines as select account, ledger, coin, day, quantity::decimal(38, 18) as quantity,
       borrowed::decimal(38, 18) as borrowed, price::decimal(38, 18) as price
     from (values ${rows.join(', ')}) as given (account, ledger, coin, day, quantity, borrowed, price)`,
    `create or replace table balance_history as select account, ledger, coin, day,
       (quantity - lag(quantity, 1, 0) over (partition by account, coin order by day))::decimal(38, 18) as change,
       quantity, borrowed from lines`,
    `create or replace table daily_valuation as
     select account, ledger, coin, day, (quantity * price::decimal(20, 0))::decimal(38, 18) as value,
       ((quantity - borrowed) * price::decimal(20, 0))::decimal(38, 18) as own_value, '${currency}' as currency
     from lines where quantity <> 0 or borrowed <> 0`,
    'drop table lines',
  ])
}

const COLUMNS = [
  'account',
  'highest_value',
  'highest_on',
  'end_value',
  'end_on',
  'days',
  'unpriced_days',
] as const

test('account-values: each account has its highest value of the year, the first day of it, and the value at the end', async () => {
  const dir = await valued([
    'main BTC 2024-12-31 2 900',
    'main BTC 2025-01-05 2 100',
    'main ETH 2025-01-05 5 10',
    'main BTC 2025-06-30 3 150',
    'main ETH 2025-06-30 0 12',
    'main BTC 2025-07-01 3 150',
    'main BTC 2025-12-31 3 120',
    'desk BTC 2025-03-01 1 80',
    'desk BTC 2025-12-31 1 120',
  ])
  const report = await show(dir, 'account-values', { year: 2025 })
  expect(cells(report, ...COLUMNS)).toEqual([
    'desk 120 2025-12-31 120 2025-12-31 2 0',
    'main 450 2025-06-30 360 2025-12-31 4 0',
  ])
  expect(cells(report, 'venue', 'uid', 'currency')).toEqual(['venue uid-desk USD', 'venue uid-main USD'])
  expect(report.totals.map((row) => [row[0], row[3], row[8]])).toEqual([
    ['sum of highest values', '570', 'USD'],
  ])
  expect(report.warnings).toEqual([])
  expect(report.notes[0]).toBe(
    'Values are in USD at each day’s price, which is not a Treasury rate. On the FBAR, highest values are rounded up to whole dollars.',
  )
})

test('account-values: a day without a price, and days after the last record, are mentioned before the figures', async () => {
  const dir = await valued(
    [
      'main BTC 2025-01-05 2 100',
      'main DOGE 2025-01-05 5 ?',
      'main BTC 2025-02-01 1 50',
      'old BTC 2025-02-01 0 50',
    ],
    'EUR',
  )
  const report = await show(dir, 'account-values', { year: 2025 })
  expect(cells(report, ...COLUMNS)).toEqual([
    'main 200 2025-01-05 - 2025-12-31 2 1',
    'old 0 2025-02-01 0 2025-12-31 1 0',
  ])
  expect(report.warnings).toEqual([
    'INCOMPLETE: on 1 day main held a coin without a price, so its highest value may be higher. Import prices (`tieout import prices`), or fetch them (`tieout prices fetch`).',
    'INCOMPLETE: the last record of main is from 2025-02-01, and it held coins then. Their value on later days of the period is not included.',
  ])
  expect(report.notes[0]).toContain(
    'Values are in EUR, and nothing is converted: FBAR and Form 8938 require USD',
  )
})

test('account-values: an account ends with its own last record if those of another continue', async () => {
  const dir = await valued([
    'main BTC 2025-02-01 1 50',
    'main BTC 2025-06-01 0 50',
    'b BTC 2025-01-01 1 50',
    'b BTC 2025-02-01 1 50',
    'b BTC 2025-06-01 1 60',
  ])
  const report = await show(dir, 'account-values', { year: 2025 })
  expect(report.warnings).toEqual([
    'INCOMPLETE: the last record of b is from 2025-01-01, and it still held coins at the end of the books, 2025-06-01. Their value on later days of the period is not included.',
  ])
})

test('account-values: an account without movements in the year is listed, and its values are unknown', async () => {
  const dir = await valued(['main BTC 2024-05-05 2 100'])
  const report = await show(dir, 'account-values', { year: 2025 })
  expect(cells(report, ...COLUMNS)).toEqual(['main - - - 2025-12-31 0 0'])
  expect(report.warnings).toHaveLength(1)
})

test('account-values: a year in progress ends with the day of the last run', async () => {
  const dir = await valued(['main BTC 2025-05-04 2 100', 'main BTC 2025-05-05 2 90'])
  await alterBook(dir, [
    "insert into runs values ('r', '2025-05-05T20:00:00Z', '2025-05-05T20:10:00Z', 'nightly', 1, 1, 0, 'done')",
  ])
  const report = await show(dir, 'account-values', { year: 2025 })
  expect(cells(report, ...COLUMNS)).toEqual(['main 200 2025-05-04 180 2025-05-05 2 0'])
  expect(report.warnings).toEqual([])
})

test('account-values: a year in progress ends with the last full day before the run ended', async () => {
  const dir = await valued(['main BTC 2025-05-05 2 100', 'main BTC 2025-05-06 2 90'])
  await alterBook(dir, [
    "insert into runs values ('r', '2025-05-07T03:00:00Z', '2025-05-07T03:10:00Z', 'nightly', 1, 1, 0, 'done')",
  ])
  const report = await show(dir, 'account-values', { year: 2025 })
  expect(cells(report, ...COLUMNS)).toEqual(['main 200 2025-05-05 180 2025-05-06 2 0'])
  expect(report.warnings).toEqual([])
})

test('a run that reached nobody, with a clock that was ahead, moves the end of no report', async () => {
  const dir = await valued(['main BTC 2025-05-05 2 100', 'main BTC 2025-05-06 2 90'])
  await alterBook(dir, [
    'alter table runs add column is_answered boolean',
    `insert into runs values
       ('r', '2025-05-07T03:00:00Z', '2025-05-07T03:10:00Z', 'nightly', 1, 1, 0, 'done', true),
       ('s', '2025-11-07T03:00:00Z', '2025-11-07T03:10:00Z', 'nightly', 1, 0, 0, 'failed', false)`,
    `insert into entries (entry_id, account, ledger, coin, amount, occurred_at)
       values ('e', 'main', 'UNIFIED', 'BTC', 2, '2025-05-05T01:00:00Z')`,
    'alter table daily_valuation add column price decimal(38, 18)',
    "alter table daily_valuation add column priced_at timestamptz default '2025-05-06T12:00:00Z'",
    'update daily_valuation set price = value / 2',
  ])
  const worth = await show(dir, 'account-values', { year: 2025 })
  expect(cells(worth, ...COLUMNS)).toEqual(['main 200 2025-05-05 180 2025-05-06 2 0'])
  const held = await show(dir, 'balances', { to: '2025-10-01' })
  expect(cells(held, 'coin', 'quantity', 'price', 'value')).toEqual(['BTC 2 90 180'])
})

test('account-values: years are calendar years and days are UTC days, whatever the rules', async () => {
  const dir = await valued(['main BTC 2025-02-01 2 100', 'main BTC 2025-12-31 2 90'], 'GBP')
  const report = await show(dir, 'account-values', { year: 2025 }, { rules: 'uk' })
  expect(cells(report, ...COLUMNS)).toEqual(['main 200 2025-02-01 180 2025-12-31 2 0'])
})

test('account-values: what is borrowed is included in the account, and shown separately', async () => {
  const dir = await valued(['main BTC 2025-12-31 2 100'])
  await alterBook(dir, ['update daily_valuation set own_value = 150'])
  const report = await show(dir, 'account-values', { year: 2025 })
  expect(cells(report, 'highest_value', 'of_which_borrowed')).toEqual(['200 50'])
  await alterBook(dir, ['update daily_valuation set own_value = value'])
  const owesNothing = await show(dir, 'account-values', { year: 2025 })
  expect(cells(owesNothing, 'highest_value', 'of_which_borrowed')).toEqual(['200 0'])
  const onLoans = expect.stringMatching(/^Values cover everything held, including borrowed coins/)
  expect(report.notes).toContainEqual(onLoans)
  const earlier = await show(dir, 'account-values', { year: 2024 })
  expect(earlier.notes).not.toContainEqual(onLoans)
})

test('account-values: a negative balance, of which imports lack something, counts as nothing, and the list says so', async () => {
  const dir = await valued([
    'k ETH 2025-01-05 10 2000',
    'k ETH 2025-03-05 10 2000',
    'k BTC 2025-03-05 -1 60000',
    'k ETH 2025-12-31 10 3000',
    'k BTC 2025-12-31 -1 90000',
  ])
  await alterBook(dir, [
    "update balance_history set ledger = 'IMPORT'",
    "update daily_valuation set ledger = 'IMPORT'",
  ])
  const report = await show(dir, 'account-values', { year: 2025 })
  expect(cells(report, ...COLUMNS)).toEqual(['k 30000 2025-12-31 - 2025-12-31 3 0'])
  expect(report.warnings).toEqual([
    'INCOMPLETE: on 2 days the balance of a coin or currency in k was below zero, because its imports take out more than they bring in. ' +
      'It is counted as zero, so the highest value may be higher. Import what is missing (`tieout import trades`).',
  ])
})

test('account-values: the value at the end is unknown if a coin has no price on that day', async () => {
  const dir = await valued(['main BTC 2025-12-31 2 100', 'main DOGE 2025-12-31 5 ?'])
  const report = await show(dir, 'account-values', { year: 2025 })
  expect(cells(report, ...COLUMNS)).toEqual(['main 200 2025-12-31 - 2025-12-31 1 1'])
})

test('account-values: an account that holds nothing but owes something is not one without anything', async () => {
  const dir = await valued(['main BTC 2025-02-01 0 50'])
  const row = async () =>
    cells(
      await show(dir, 'account-values', { year: 2025 }),
      'highest_value',
      'of_which_borrowed',
      'end_value',
    )
  expect(await row()).toEqual(['0 0 0'])
  await alterBook(dir, [
    'update balance_history set borrowed = 1',
    "insert into daily_valuation values ('main', 'UNIFIED', 'BTC', '2025-02-01', 0, -50, 'USD')",
  ])
  expect(await row()).toEqual(['0 50 -'])
})
