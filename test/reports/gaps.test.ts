// What the books do not cover: the instants at which they begin and end, by account, coin and wallet.
import { afterEach, describe, expect, test } from 'vitest'
import { type Ledger, openLedger } from '../../pipeline/ledger/ledger.ts'
import { allRows } from '../../pipeline/output/column.ts'
import { makeReport, type ReportOptions } from '../../pipeline/reports/catalogue.ts'
import { endsOfBooks, fromOrdersAlone, isOutsideBooks, outsideTheBooks } from '../../pipeline/reports/gaps.ts'
import { type PeriodOptions, readPeriod } from '../../pipeline/reports/period.ts'
import { account, publish } from './books.ts'
import { LOTS, objects, sharedLedgers } from './small-ledgers.ts'

const open = sharedLedgers()

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

describe('a report', () => {
  test('states what part of its period is before the books, or after the last run', async () => {
    const ledger = await open(
      ...LOTS,
      `insert into runs values ('r1', '2025-12-31 00:00:00+00', '2026-01-01 00:00:00+00', 'nightly', 1, 1, 0, 'done')`,
    )
    const notesOf = async (options: ReportOptions) =>
      (await makeReport(ledger, 'gains', options)).notes.filter((note) => /books|period/.test(note))
    expect(await notesOf({})).toEqual([
      'Anything that happened before the books begin is not included: main 2025-01-02T00:00:00.000Z.',
    ])
    expect(await notesOf({ from: '2025-01-02', to: '2025-12-31' })).toEqual([])
    expect(await notesOf({ year: 2025 })).toEqual([
      'The books of main begin at 2025-01-02T00:00:00.000Z: anything earlier in the period is not included in any figure.',
    ])
    expect(await notesOf({ year: 2024 })).toEqual([
      'The books of main begin at 2025-01-02T00:00:00.000Z: they cover nothing in this period.',
    ])
    expect(await notesOf({ year: 2026, account: 'main' })).toEqual([
      'The period extends past that run: anything later is not included in any figure.',
    ])
  })

  test('states for which wallets the period begins before the books: those of P2P reach further back', async () => {
    const entry = (id: string, wallet: string, feed: string, at: string) =>
      `insert into entries values ('${id}', 't${id}', 'main', '${wallet}', 'SPOT', 'BTC', 1, 'trade', '${at}', '${feed}',
        '${id}', 1, 0, null)`
    const ledger = await open(
      account('main'),
      entry('p1', 'P2P', 'tax.p2pRecords', '2024-11-05 00:00:00+00'),
      entry('u1', 'UNIFIED', 'tax.records', '2025-06-02 00:00:00+00'),
      `insert into wallet_beginnings values ('main', 'P2P', '2024-10-01 00:00:00+00'),
        ('main', 'UNIFIED', '2025-06-01 00:00:00+00')`,
      'drop view beginnings',
      `create view beginnings as select 'main' as account, 'BTC' as coin, timestamptz '2025-06-01 00:00:00+00' as begins_at,
        'venue' as source, 0::decimal(38, 18) as opening`,
    )
    const notesOf = async (options: ReportOptions) =>
      (await makeReport(ledger, 'statement', options)).notes.filter((note) => /books/.test(note))
    const ofTrades =
      'The books of main, UNIFIED begin at 2025-06-01T00:00:00.000Z: anything earlier in the period there is not included in any figure.'
    expect(await notesOf({ year: 2025 })).toEqual([ofTrades])
    expect(await notesOf({ from: '2024-01-01' })).toEqual([
      'The books of main, P2P begin at 2024-10-01T00:00:00.000Z: anything earlier in the period there is not included in any figure.',
      ofTrades,
    ])
    expect(await notesOf({ from: '2025-06-01' })).toEqual([])
    expect(await notesOf({})).toEqual([
      'Anything that happened before the books begin is not included: main, P2P 2024-10-01T00:00:00.000Z; main, UNIFIED 2025-06-01T00:00:00.000Z.',
    ])
  })

  test('states for an account known only from imports since when, by its first row and in one short sentence', async () => {
    const coins = Array.from(
      { length: 250 },
      (_, at) => `('main', 'C${at}', timestamptz '2024-06-01 00:00:00+00')`,
    )
    const ledger = await open(
      ...LOTS,
      'drop view beginnings',
      `create view beginnings as select *, 'import' as source, 0::decimal(38, 18) as opening from (values
        ('main', 'BTC', timestamptz '2022-01-01 12:00:00+00'), ('main', 'OLD', null), ${coins.join(', ')}
      ) as given (account, coin, begins_at)`,
    )
    const notesOf = async (options: ReportOptions) =>
      (await makeReport(ledger, 'gains', options)).notes.filter((note) => /books|period|Imports/.test(note))
    expect(await notesOf({ year: 2024 })).toEqual([])
    expect(await notesOf({ year: 2022 })).toEqual([
      'Imports cover main from 2022-01-01T12:00:00.000Z onwards.',
    ])
    expect(await notesOf({ year: 2021 })).toEqual([
      'Imports cover main from 2022-01-01T12:00:00.000Z onwards, and nothing in this period.',
    ])
  })

  test('of taxes for a year before the books has no figures: what is unknown is not zero', async () => {
    const ledger = await open(...LOTS)
    const figures = await objects(ledger, 'taxes', { rules: 'de', year: 2024 })
    expect(new Set(figures.map((row) => row.value))).toEqual(new Set([null]))
    const inBooks = await objects(ledger, 'taxes', { rules: 'de', year: 2027 })
    expect(inBooks.find((row) => row.figure === 'Proceeds of what was held up to one year')?.value).toBe('0')
  })

  test('states for an account known only from imports until when, if they end a month before the period does', async () => {
    const ended = (...more: string[]) =>
      open(
        ...LOTS,
        'drop view beginnings',
        `create view beginnings as select * from (values
          ('k', 'BTC', timestamptz '2023-03-01 00:00:00+00', 'import', timestamptz '2025-05-05 10:00:00+00'),
          ('k', 'ETH', timestamptz '2023-02-01 00:00:00+00', 'import', timestamptz '2024-01-01 00:00:00+00'),
          ('k', 'OLD', null, 'import', null)
        ) as given (account, coin, begins_at, source, last_at)`,
        ...more,
      )
    const ledger = await ended()
    const notesOf = async (options: ReportOptions, of = ledger) =>
      (await makeReport(of, 'statement', options)).notes.filter((note) => /period|Imports/.test(note))
    const until = ['Imports cover k until 2025-05-05T10:00:00.000Z.']
    expect(await notesOf({ year: 2025 })).toEqual(until)
    expect(await notesOf({ from: '2024-01-01', to: '2025-06-05' })).toEqual(until)
    expect(await notesOf({ from: '2024-01-01', to: '2025-06-04' })).toEqual([])
    expect(await notesOf({ year: 2024 })).toEqual([])
    expect(await notesOf({})).toEqual([])
    expect(await notesOf({ from: '2023-01-01', to: '2025-12-31' })).toEqual([
      'Imports cover k from 2023-02-01T00:00:00.000Z until 2025-05-05T10:00:00.000Z.',
    ])
    const nothing = ['Imports cover k until 2025-05-05T10:00:00.000Z, and nothing in this period.']
    expect(await notesOf({ year: 2026 })).toEqual(nothing)
    expect(await notesOf({ from: '2025-05-06', to: '2025-05-10' })).toEqual(nothing)
    // Where runs end before the period does, what comes after them is for a later one to tell.
    const nightly = (at: string) =>
      ended(`insert into runs values ('r1', '${at}', '${at}', 'nightly', 1, 1, 0, 'done')`, account('main'))
    expect(await notesOf({ year: 2025 }, await nightly('2025-06-05 00:00:00+00'))).toEqual([
      'The period extends past that run: anything later is not included in any figure.',
    ])
    expect(await notesOf({ year: 2025 }, await nightly('2025-06-05 10:00:01+00'))).toEqual([
      'The period extends past that run: anything later is not included in any figure.',
      ...until,
    ])
  })

  test('of taxes for a year after the books has no figures either, and states why', async () => {
    const told =
      'This year begins after the books end: its figures are empty, not zero. Run `tieout nightly` to extend the books, or import newer files if they are built from imports.'
    const run =
      "insert into runs values ('r1', '2026-04-07 00:00:00+00', '2026-04-07 00:00:00+00', 'nightly', 1, 1, 0, 'done')"
    const view = (...rows: string[]) => [
      'drop view beginnings',
      `create view beginnings as select * from (values ${rows.join(', ')}) as given (account, coin, begins_at, source, last_at)`,
    ]
    const venue = `('main', 'BTC', timestamptz '2025-01-02 00:00:00+00', 'venue', null)`
    const imports = `('k', 'ETH', timestamptz '2025-01-02 00:00:00+00', 'import', timestamptz '2025-05-05 10:00:00+00')`
    const proceeds = async (ledger: Ledger, year: number, of?: string) => {
      const report = await makeReport(ledger, 'taxes', { rules: 'us', year, account: of })
      const values = new Set((await allRows(report.rows)).map((row) => row[5]))
      return [values.size === 1 && values.has(null) ? 'empty' : 'figures', report.notes.includes(told)]
    }
    const [known, empty] = [
      ['figures', false],
      ['empty', true],
    ]
    const ofVenue = await open(...LOTS, run, ...view(venue))
    expect(await proceeds(ofVenue, 2026)).toEqual(known)
    expect(await proceeds(ofVenue, 2027)).toEqual(empty)
    expect(await proceeds(ofVenue, 2024)).toEqual(['empty', false])
    const unreached = [
      'alter table runs add column is_answered boolean default true',
      "insert into runs values ('r2', '2027-02-01 00:00:00+00', '2027-02-01 00:00:00+00', 'nightly', 9, 0, 8, 'incomplete', false)",
    ]
    const misled = await open(...LOTS, run, ...unreached, ...view(venue))
    expect(await proceeds(misled, 2027)).toEqual(empty)
    expect((await makeReport(misled, 'balances')).notes[0]).toBe(
      'As of the run that ended at 2026-04-07T00:00:00.000Z.',
    )
    const ofImports = await open(...LOTS, ...view(imports))
    expect(await proceeds(ofImports, 2025)).toEqual(known)
    expect(await proceeds(ofImports, 2026)).toEqual(empty)
    // What one of two accounts tells of is known; of the other alone nothing is.
    const ofBoth = await open(...LOTS, run, account('k'), ...view(venue, imports))
    expect(await proceeds(ofBoth, 2026)).toEqual(known)
    expect(await proceeds(ofBoth, 2026, 'k')).toEqual(empty)
    expect(await proceeds(ofBoth, 2027)).toEqual(empty)
    // A disposal in the year is there, whatever else is not.
    const later = await open(...LOTS, ...view(imports.replace('2025-05-05', '2024-12-30')))
    expect(await proceeds(later, 2025)).toEqual(known)
  })

  test('names accounts that are known only from orders', async () => {
    const ledger = await open(
      ...LOTS,
      account('desk'),
      `insert into trades values
        ('desk/trade.orderHistory/1', 'desk', 'SPOT', 'BTCUSDT', 'sell', 'BTC', 'USDT', 1, 300, 300, 0, null, '2025-05-01 00:00:00+00', 'trade.orderHistory'),
        ('t1', 'main', 'UNIFIED', 'BTCUSDT', 'sell', 'BTC', 'USDT', 1, 250, 250, 0, null, '2025-12-31 00:00:00+00', 'tax.records')`,
    )
    const told =
      'Known only from orders, without tax records: desk (trades: 1). Their balances, lots, gains and income are not included in any figure. To include them, configure a tax key for the account or import its trades.'
    expect((await makeReport(ledger, 'gains')).notes).toContain(told)
    expect((await makeReport(ledger, 'balances', { account: 'desk' })).notes).toContain(told)
    expect((await makeReport(ledger, 'gains', { account: 'main' })).notes).not.toContain(told)
  })
})
