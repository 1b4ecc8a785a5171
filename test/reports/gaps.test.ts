// What the books do not cover: the instants at which they begin and end, by account, coin and wallet.
import { afterEach, describe, expect, test } from 'vitest'
import { type Ledger, openLedger } from '../../pipeline/ledger/ledger.ts'
import { endsOfBooks, fromOrdersAlone, isOutsideBooks, outsideTheBooks } from '../../pipeline/reports/gaps.ts'
import { type PeriodOptions, readPeriod } from '../../pipeline/reports/period.ts'
import { publish } from './books.ts'

const opened: Ledger[] = []
afterEach(() => {
  for (const ledger of opened.splice(0)) ledger.close()
})

/** `m BTC 2025-06-01 venue -`: account, coin, begins_at, source and last_at. */
async function books(lines: readonly string[], ...more: readonly string[]): Promise<Ledger> {
  const rows = lines.map((line) => {
    const [account, coin, begins, source, last] = line.split(' ')
    const at = (text = '-'): string => (text === '-' ? 'null::timestamptz' : `timestamptz '${text}'`)
    return `('${account}', '${coin}', ${at(begins)}, '${source}', ${at(last)})`
  })
  const ledger = await openLedger(
    await publish([
      'drop view beginnings',
      `create table beginnings as select * from (values ${rows.join(', ')})
         as given (account, coin, begins_at, source, last_at)`,
      ...more,
    ]),
  )
  opened.push(ledger)
  return ledger
}

const runUntil = (at: string): string =>
  `insert into runs values ('r', '${at}+00', '${at}+00', 'nightly', 1, 1, 0, 'done')`

const outside = (ledger: Ledger, period: PeriodOptions) =>
  isOutsideBooks(ledger, { account: undefined, period: readPeriod(period) })
const told = (ledger: Ledger, period: PeriodOptions) =>
  outsideTheBooks(ledger, { account: undefined, period: readPeriod(period) })

describe('an account whose imports reach further back for one coin', () => {
  const made = () =>
    books(
      ['m BTC 2025-06-01 venue -', 'm ETH 2024-01-01 import -', 'm ADA 2025-06-01 import -'],
      runUntil('2025-08-01 00:00:00'),
    )

  test('begins with its latest coin, except for that one', async () => {
    expect(await told(await made(), { year: 2025 })).toEqual([
      'The books of m begin at 2025-06-01T00:00:00.000Z: anything earlier in the period is not included in any figure, except for imported history (ETH from 2024-01-01T00:00:00.000Z onwards).',
    ])
  })

  test('covers nothing of a period that ends where the imports begin, and something a day later', async () => {
    const ledger = await made()
    expect(await outside(ledger, { from: '2023-06-01', to: '2023-12-31' })).toBe('before')
    expect(await outside(ledger, { from: '2023-06-01', to: '2024-01-01' })).toBe(null)
    expect(await outside(ledger, { year: 2024 })).toBe(null)
  })

  test('ends with the last run: a period that begins then is after the books', async () => {
    const ledger = await made()
    expect(await outside(ledger, { from: '2025-07-31' })).toBe(null)
    expect(await outside(ledger, { from: '2025-08-01' })).toBe('after')
    expect(await endsOfBooks(ledger)).toEqual(
      new Map([['m', { at: '2025-08-01T00:00:00.000Z', isImported: false }]]),
    )
  })
})

test('a period that ends with the first instant of the books is before them, one that begins with it within', async () => {
  const ledger = await books(['m BTC 2025-06-01 venue -'])
  expect(await told(ledger, { from: '2025-06-01' })).toEqual([])
  expect(await outside(ledger, { to: '2025-05-31' })).toBe('before')
  expect(await outside(ledger, { to: '2025-06-01' })).toBe(null)
})

describe('an account known only from imports', () => {
  const made = () => books(['k BTC 2023-03-01 import 2025-05-05T10:00:00'])

  test('covers the instant of its last row, and nothing after it', async () => {
    const ledger = await made()
    expect(await outside(ledger, { from: '2025-05-05T10:00:00Z' })).toBe(null)
    expect(await outside(ledger, { from: '2025-05-05T10:00:00.001Z' })).toBe('after')
  })

  test('is silent if more than 31 days of the period follow its last row', async () => {
    const ledger = await made()
    expect(await told(ledger, { from: '2024-01-01', to: '2025-06-05T09:59:59.999Z' })).toEqual([])
    expect(await told(ledger, { from: '2024-01-01', to: '2025-06-05T10:00:00Z' })).toEqual([
      'Imports cover k until 2025-05-05T10:00:00.000Z.',
    ])
  })

  test('has nothing in a period after its last row; days after the last run are no silence', async () => {
    const ledger = await made()
    expect(await told(ledger, { from: '2025-05-06', to: '2025-05-10' })).toEqual([
      'Imports cover k until 2025-05-05T10:00:00.000Z, and nothing in this period.',
    ])
    const run = await books(['k BTC 2023-03-01 import 2025-05-05T10:00:00'], runUntil('2025-06-05 00:00:00'))
    expect(await told(run, { year: 2025 })).toEqual([])
  })

  test('is after the books together with one that begins later', async () => {
    const ledger = await books([
      'k BTC 2023-03-01 import 2025-05-05T10:00:00',
      'l BTC 2027-01-01 import 2027-02-01',
    ])
    expect(await outside(ledger, { year: 2026 })).toBe('after')
    expect(await outside(ledger, { year: 2025 })).toBe(null)
    expect(await outside(ledger, { year: 2022 })).toBe('before')
  })

  test('has no end in books of an earlier version, which record none', async () => {
    const ledger = await books(
      ['k BTC 2023-03-01 import -'],
      'alter table beginnings drop column last_at',
      runUntil('2025-08-01 00:00:00'),
    )
    expect(await endsOfBooks(ledger)).toEqual(new Map())
    expect(await outside(ledger, { year: 2026 })).toBe(null)
  })
})

test('imported history of all coins of an account that the venue reports ends with the last run, and has no wallets', async () => {
  const ledger = await books(
    ['m BTC 2023-03-01 import -'],
    "insert into wallet_beginnings values ('m', 'UNIFIED', '2025-01-01 00:00:00+00')",
    runUntil('2025-08-01 00:00:00'),
  )
  expect(await endsOfBooks(ledger)).toEqual(
    new Map([['m', { at: '2025-08-01T00:00:00.000Z', isImported: false }]]),
  )
  expect(await told(ledger, { year: 2023 })).toEqual([
    'Imports cover m from 2023-03-01T00:00:00.000Z onwards.',
  ])
})

test('wallets that begin together are not named; of several, the one with its account has the imports', async () => {
  const wallet = (name: string, at: string): string => `('m', '${name}', '${at} 00:00:00+00')`
  const coins = ['m BTC 2025-06-01 venue -', 'm ETH 2024-01-01 import -']
  const made = (p2p: string) =>
    books(
      coins,
      `insert into wallet_beginnings values ${wallet('P2P', p2p)}, ${wallet('UNIFIED', '2025-06-01')}`,
    )
  const ofImports =
    'is not included in any figure, except for imported history (ETH from 2024-01-01T00:00:00.000Z onwards).'
  expect(await told(await made('2025-06-01'), { from: '2023-01-01' })).toEqual([
    `The books of m begin at 2025-06-01T00:00:00.000Z: anything earlier in the period ${ofImports}`,
  ])
  expect(await told(await made('2024-10-01'), { from: '2023-01-01' })).toEqual([
    'The books of m, P2P begin at 2024-10-01T00:00:00.000Z: anything earlier in the period there is not included in any figure.',
    `The books of m, UNIFIED begin at 2025-06-01T00:00:00.000Z: anything earlier in the period there ${ofImports}`,
  ])
})

test('accounts are known from orders alone by the source of their trades', async () => {
  const trade = (id: string, account: string, source: string): string =>
    `('${id}', '${account}', 'UNIFIED', 'BTC/USDT', 'buy', 'BTC', 'USDT', 1, 100, 100, 0, null, '2025-06-01 00:00:00+00', '${source}')`
  const ledger = await books(
    ['m BTC 2025-06-01 venue -'],
    `insert into trades values ${trade('1', 'm', 'tax.records')}, ${trade('2', 'o', 'trade.orderHistory')},
      ${trade('3', 'o', 'trade.orderHistory')}, ${trade('4', 'p', 'trade.orderHistory')}`,
  )
  const named = async (account?: string) =>
    (await fromOrdersAlone(ledger, { account, period: readPeriod({}) })).map((note) => note.split('. ')[0])
  expect(await named()).toEqual(['Known only from orders, without tax records: o (trades: 2), p (trades: 1)'])
  expect(await named('p')).toEqual(['Known only from orders, without tax records: p (trades: 1)'])
  expect(await named('m')).toEqual([])
})
