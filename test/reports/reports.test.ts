// The reports: each figure against one worked out by hand from a small book.
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { type Ledger, openLedger } from '../../pipeline/ledger/ledger.ts'
import { allRows } from '../../pipeline/output/column.ts'
import {
  makeReport,
  type ReportName,
  type ReportOptions,
  reportNames,
} from '../../pipeline/reports/catalogue.ts'
import { readPeriod } from '../../pipeline/reports/period.ts'
import { printReport, writeReport } from '../../pipeline/reports/print.ts'
import { balancesQuestion } from '../../pipeline/serve/views/accounts.ts'
import { account, futures, memoryTerminal, publish } from './books.ts'

const opened = new Map<string, Promise<Ledger>>()
afterAll(async () => {
  for (const ledger of opened.values()) (await ledger).close()
})

/** The ledger of these statements: one for all tests that give the same ones, since reports only read. */
async function open(...statements: string[]): Promise<Ledger> {
  const key = statements.join('\0')
  const ledger = opened.get(key) ?? publish(statements).then((dir) => openLedger(dir))
  opened.set(key, ledger)
  return await ledger
}

/** The rows of a report as objects, as its JSON has them. */
async function objects(
  ledger: Ledger,
  name: ReportName,
  options: ReportOptions = {},
): Promise<Record<string, unknown>[]> {
  const terminal = memoryTerminal()
  await writeReport(await makeReport(ledger, name, options), 'json', { dir: '/nowhere', terminal })
  return JSON.parse(terminal.text())
}

const entry = (id: string, at: string, coin: string, amount: string, kind: string, of = 'main'): string =>
  `insert into entries values ('${id}', 't${id}', '${of}', 'UNIFIED', 'SPOT', '${coin}', ${amount}, '${kind}',
    '${at}+00', 'tax.records', '${id}', 1, 0, null)`

/** Bought 1 BTC for 100 on 2 January and 1 for 200 on 2 February 2025; sold 1 for 250 on 31 December 2025. */
const LOTS = [
  account('main'),
  `insert into lot_events values
    ('main', 'BTC', '2025-01-02 00:00:00+00', 1, 'b1', 'acquire', 1, 100, 'USDT', null),
    ('main', 'BTC', '2025-02-02 00:00:00+00', 2, 'b2', 'acquire', 1, 200, 'USDT', null),
    ('main', 'BTC', '2025-12-31 23:59:59.999+00', 3, 's1', 'dispose', 1, 250, 'USDT', null)`,
  `insert into disposals values ('main', 'BTC', 'fifo', 'generic', '2025-12-31 23:59:59.999+00',
    '2025-01-02 00:00:00+00', 1, 250, 100, null, 150, 'USDT', 363, null, 's1', 'b1')`,
]

describe('balances', () => {
  const ENTRIES = [
    account('main'),
    entry('1', '2025-01-01 00:00:00', 'BTC', "'0.000000000000000001'", 'trade'),
    entry('2', '2025-06-30 23:59:59.999', 'BTC', "'12345678901234567890.1'", 'trade'),
    entry('3', '2025-07-01 00:00:00', 'BTC', '-1', 'trade'),
    `insert into balances values ('main', 'UNIFIED', 'BTC', '12345678901234567889.100000000000000001', null,
      '2025-07-01 00:00:00+00')`,
  ]

  test('of now are those of the published table, with its columns', async () => {
    expect(await objects(await open(...ENTRIES), 'balances')).toEqual([
      {
        account: 'main',
        ledger: 'UNIFIED',
        coin: 'BTC',
        quantity: '12345678901234567889.100000000000000001',
        venue_balance: null,
        as_of: '2025-07-01T00:00:00.000Z',
      },
    ])
  })

  test('of a date are the sum of the entries through its last instant', async () => {
    const quantities = async (to: string): Promise<unknown[]> =>
      (await objects(ledger, 'balances', { to })).map((row) => [row.quantity, row.as_of])
    const ledger = await open(...ENTRIES)
    expect(await quantities('2025-06-30')).toEqual([
      ['12345678901234567890.100000000000000001', '2025-06-30T23:59:59.999Z'],
    ])
    expect(await quantities('2025-06-30T23:59:59.998Z')).toEqual([
      ['0.000000000000000001', '2025-01-01T00:00:00.000Z'],
    ])
    expect(await quantities('2024-12-31')).toEqual([])
  })

  test('of a date after the last run have the prices of that date, if imports are of later days', async () => {
    const ledger = await open(
      ...ENTRIES.slice(0, 2),
      "insert into runs values ('r', '2025-01-02 03:00:00+00', '2025-01-02 03:10:00+00', 'nightly', 1, 1, 0, 'done')",
      `create table daily_valuation (account varchar, ledger varchar, coin varchar, day date, price decimal(38, 18),
        value decimal(38, 18), own_value decimal(38, 18), currency varchar, priced_at timestamptz)`,
      `insert into daily_valuation select 'main', 'UNIFIED', 'BTC', day::date, day(day), null, null, 'USD', day
       from range(timestamptz '2025-01-01 00:00:00+00', timestamptz '2025-01-09 00:00:00+00', interval 1 day) as days (day)`,
    )
    const prices = async (to: string): Promise<unknown[]> =>
      (await objects(ledger, 'balances', { to })).map((row) => row.price)
    expect(await prices('2025-01-01')).toEqual(['1'])
    expect(await prices('2025-01-05')).toEqual(['5'])
    expect(await prices('2025-01-20')).toEqual(['8'])
  })

  test('a zero quantity of a coin without a price is worth zero: only what is unknown has an empty cell', async () => {
    const ledger = await open(
      account('main'),
      entry('1', '2025-01-01 00:00:00', 'ADA', '1', 'trade'),
      entry('2', '2025-01-02 00:00:00', 'ADA', '-1', 'trade'),
      entry('3', '2025-01-02 00:00:00', 'ODD', '1', 'trade'),
      ...['ADA', 'ODD'].map(
        (coin) => `insert into balances values ('main', 'UNIFIED', '${coin}', ${coin === 'ADA' ? 0 : 1}, null,
          '2025-01-02 00:00:00+00')`,
      ),
      'alter table balances add column own decimal(38, 18)',
      'alter table balances add column borrowed decimal(38, 18) default 0',
      'update balances set own = quantity',
      `create table daily_valuation (account varchar, ledger varchar, coin varchar, day date, price decimal(38, 18),
        value decimal(38, 18), own_value decimal(38, 18), currency varchar, priced_at timestamptz)`,
      `insert into daily_valuation values
        ('main', 'UNIFIED', 'ODD', '2025-01-02', null, null, null, 'USD', null)`,
    )
    const worth = [
      { coin: 'ADA', price: null, value: '0', currency: 'USD' },
      { coin: 'ODD', price: null, value: null, currency: 'USD' },
    ]
    expect(await objects(ledger, 'balances')).toMatchObject(worth)
    expect(await objects(ledger, 'balances', { to: '2025-01-02' })).toMatchObject(worth)
    // The page says the same, with the same currency.
    const { sql, values } = balancesQuestion({})
    const page = await ledger.query(`select coin, own_value, currency from (${sql}) order by coin`, values)
    expect(page.map((row) => row.map((cell) => (cell === null ? null : String(cell))))).toEqual([
      ['ADA', '0', 'USD'],
      ['ODD', null, 'USD'],
    ])
  })

  test('of accounts with futures state that open positions are included only with what they have realised', async () => {
    const note =
      'Open futures positions are included only to the extent that they are realised. The unrealised part, as last valued by the venue, is in the table `unrealised`.'
    const ledger = await open(
      account('main'),
      account('other'),
      'create table unrealised (account varchar)',
      `insert into futures_pnl values ('main', 'USDT-FUTURES', 'BTCUSDT', 'USDT', '2025-01-01', 1, 0, 0, 1)`,
      'create table value_bridge (account varchar, month date, closing_value decimal(38, 18), unknown_events bigint, unpriced_coins bigint)',
    )
    for (const name of ['balances', 'net-worth'] as const) {
      expect((await makeReport(ledger, name, { account: 'main' })).notes).toContain(note)
      expect((await makeReport(ledger, name, { account: 'other' })).notes).not.toContain(note)
      const before = { account: 'main', to: '2024-12-31' }
      expect((await makeReport(ledger, name, before)).notes).not.toContain(note)
    }
  })

  test('whose sum could have overflowed are refused, never printed wrong', async () => {
    const ledger = await open(
      account('main'),
      ...['1', '2'].map((id) => entry(id, '2025-01-01 00:00:00', 'BTC', "'60000000000000000000'", 'trade')),
    )
    await expect(makeReport(ledger, 'balances', { to: '2025-12-31' })).rejects.toMatchObject({
      message: 'A sum is too large to be exact.',
      details: { where: expect.stringContaining('BTC') },
    })
  })
})

describe('gains', () => {
  test('as published have the columns of disposals', async () => {
    expect(await objects(await open(...LOTS), 'gains', { year: 2025 })).toEqual([
      {
        account: 'main',
        coin: 'BTC',
        method: 'fifo',
        rules: 'generic',
        disposed_at: '2025-12-31T23:59:59.999Z',
        acquired_at: '2025-01-02T00:00:00.000Z',
        quantity: '1',
        proceeds: '250',
        cost_basis: '100',
        denied_loss: null,
        gain: '150',
        currency: 'USDT',
        holding_days: 363,
        term: null,
        disposal_id: 's1',
        lot_id: 'b1',
        fees: '0',
      },
    ])
  })

  test('by another method are computed from the published events, and say so', async () => {
    const ledger = await open(...LOTS)
    const [gain] = await objects(ledger, 'gains', { method: 'lifo' })
    expect(gain).toMatchObject({
      method: 'lifo',
      rules: 'generic',
      cost_basis: '200',
      gain: '50',
      lot_id: 'b2',
    })
    expect(Object.keys(gain ?? {})).toEqual(ledger.tables.get('disposals'))
    const report = await makeReport(ledger, 'gains', { method: 'lifo' })
    expect(report.notes[0]).toBe('Computed for this report: method lifo, scope account, rules generic.')
    const [average] = await objects(ledger, 'gains', { method: 'average' })
    expect(average).toMatchObject({ method: 'average', cost_basis: '150', gain: '100', lot_id: null })
    const [uk] = await objects(ledger, 'gains', { rules: 'uk' })
    expect(uk).toMatchObject({ method: 'uk', rules: 'uk', cost_basis: '150', gain: '100' })
  })

  test('over all accounts take the oldest lot wherever it is', async () => {
    const ledger = await open(
      account('main'),
      account('desk'),
      `insert into lot_events values
        ('desk', 'BTC', '2025-01-01 00:00:00+00', 1, 'd1', 'acquire', 1, 10, 'USDT', null),
        ('main', 'BTC', '2025-01-02 00:00:00+00', 2, 'b1', 'acquire', 1, 100, 'USDT', null),
        ('main', 'BTC', '2025-03-01 00:00:00+00', 3, 's1', 'dispose', 1, 250, 'USDT', null)`,
    )
    const gains = async (scope: string): Promise<unknown[]> =>
      (await objects(ledger, 'gains', { method: 'fifo', scope })).map((row) => [
        row.account,
        row.lot_id,
        row.gain,
      ])
    expect(await gains('account')).toEqual([['main', 'b1', '150']])
    expect(await gains('universal')).toEqual([['main', 'd1', '240']])
  })

  test('exclude what has no known cost from the totals and name it', async () => {
    const ledger = await open(
      ...LOTS,
      `insert into disposals values ('main', 'ETH', 'fifo', 'generic', '2025-05-01 00:00:00+00', null, 2.5, 900,
        null, null, null, 'USDT', null, null, 's2', null)`,
    )
    const report = await makeReport(ledger, 'gains')
    const total = (row: readonly unknown[]): unknown => [row[0], row[7], row[8], row[10], row[11]]
    expect(report.totals.map(total)).toEqual([
      ['total', '250', '100', '150', 'USDT'],
      ['total without a known gain', '900', null, null, 'USDT'],
    ])
    expect(report.warnings).toEqual([
      'INCOMPLETE: 1 of 2 pieces of disposals has no known gain and is excluded from the figures: 2.5 ETH (main). ' +
        '1 piece without a known cost, because the purchase is missing: import the older trades (`tieout import trades`), or what was held before (`tieout import lots`).',
    ])
    expect(await allRows(report.rows)).toHaveLength(2)
  })

  test.each<[ReportOptions, string]>([
    [{ method: 'best' }, 'Unknown --method: best.'],
    [{ rules: 'fr' }, 'Unknown rules: fr.'],
    [{ rules: 'us', scope: 'universal' }, 'The rules do not allow this scope.'],
    [{ rules: 'de', scope: 'account,2026:universal' }, 'The rules do not allow this scope.'],
    [{ method: '2025:fifo' }, '--method does not state clearly what applies from when.'],
    [{ scope: 'planet' }, 'Unknown --scope: planet.'],
    [{ method: 'fifo', rules: 'uk' }, 'The rules do not allow this method.'],
    [{ currency: 'EUR' }, 'The gains are not calculated in EUR.'],
    [{ account: 'nobody' }, 'The ledger has no account nobody.'],
    [{ from: '2025-02-30' }, '--from is not a date.'],
    [{ year: 2025, from: '2025-01-01' }, '--year cannot be combined with --from or --to.'],
  ])('with %j are refused', async (options, message) => {
    await expect(makeReport(await open(...LOTS), 'gains', options)).rejects.toMatchObject({
      exitCode: 2,
      message,
    })
  })
})

describe('profit and loss', () => {
  test('adds spot by lots and futures as booked, by month and symbol, without mixing currencies', async () => {
    const ledger = await open(
      ...LOTS,
      ...[
        futures('1', '2025-12-01 00:00:00', 'USDT-FUTURES', 'BTCUSDT', 'USDT', '10', 'realised_pnl'),
        futures('2', '2025-12-01 00:00:00', 'USDT-FUTURES', 'BTCUSDT', 'USDT', '-1', 'fee'),
        futures('3', '2025-12-01 08:00:00', 'USDT-FUTURES', 'BTCUSDT', 'USDT', '-0.5', 'funding'),
        futures('4', '2025-12-31 00:00:00', 'USDT-FUTURES', 'BTCUSDT', 'USDT', '5', 'realised_pnl'),
        futures('5', '2025-12-31 00:00:00', 'USDT-FUTURES', 'BTCUSDT', 'USDT', '-1', 'fee'),
        futures('6', '2025-12-31 00:00:00', 'COIN-FUTURES', 'BTCUSD', 'BTC', '0.1', 'liquidation'),
        futures('7', '2026-01-01 00:00:00', 'USDT-FUTURES', null, 'USDT', '7', 'realised_pnl'),
        // What is no result of futures has no place there.
        futures('8', '2025-12-31 00:00:00', 'USDT-FUTURES', null, 'USDT', '1000', 'transfer'),
      ],
    )
    const line = (row: Record<string, unknown>): unknown => [
      row.line_id,
      row.realised_pnl,
      row.fees,
      row.funding,
      row.net_pnl,
    ]
    expect((await objects(ledger, 'pnl')).map(line)).toEqual([
      ['main/2025-12-01/COIN-FUTURES/BTCUSD/BTC', '0.1', '0', '0', '0.1'],
      ['main/2025-12-01/LOTS/BTC/USDT', '150', '0', '0', '150'],
      ['main/2025-12-01/USDT-FUTURES/BTCUSDT/USDT', '15', '-2', '-0.5', '12.5'],
      ['main/2026-01-01/USDT-FUTURES//USDT', '7', '0', '0', '7'],
    ])
    const report = await makeReport(ledger, 'pnl', { year: 2025 })
    expect(report.totals.map((row) => [row[2], row[4], row[5], row[9]])).toEqual([
      ['COIN-FUTURES', 'BTC', '0.1', '0.1'],
      ['LOTS', 'USDT', '150', '150'],
      ['USDT-FUTURES', 'USDT', '15', '12.5'],
      [null, 'USDT', '165', '162.5'],
    ])
  })

  test('follows the requested method, and counts what has no known gain', async () => {
    const ledger = await open(
      ...LOTS,
      `insert into lot_events values ('main', 'ETH', '2025-05-01 00:00:00+00', 4, 's2', 'dispose', 2, 900, 'USDT', null)`,
    )
    expect(await objects(ledger, 'pnl', { method: 'lifo' })).toMatchObject([
      { month: '2025-05-01', symbol: 'ETH', realised_pnl: null, net_pnl: null, unknown_pieces: 1 },
      { month: '2025-12-01', symbol: 'BTC', realised_pnl: '50', net_pnl: '50', unknown_pieces: 0 },
    ])
  })
})

describe('a statement', () => {
  test('leads from the opening balance through movements to the closing one', async () => {
    const ledger = await open(
      account('main'),
      account('desk'),
      entry('1', '2024-12-31 23:59:59.999', 'USDT', '100', 'opening'),
      entry('2', '2025-01-01 00:00:00', 'USDT', '-30.5', 'trade'),
      entry('3', '2025-03-01 00:00:00', 'USDT', '-0.1', 'trade'),
      entry('4', '2025-03-01 00:00:00', 'USDT', '2', 'funding'),
      entry('5', '2026-01-01 00:00:00', 'USDT', '1000', 'transfer'),
      entry('6', '2025-03-01 00:00:00', 'USDT', '5', 'transfer', 'desk'),
    )
    const rows = await objects(ledger, 'statement', { year: 2025, account: 'main' })
    expect(rows.map((row) => [row.line_id, row.amount, row.entries])).toEqual([
      ['main/UNIFIED/USDT/opening', '100', 1],
      ['main/UNIFIED/USDT/movement/funding', '2', 1],
      ['main/UNIFIED/USDT/movement/trade', '-30.6', 2],
      ['main/UNIFIED/USDT/closing', '71.4', 4],
    ])
    expect((await objects(ledger, 'statement')).filter((row) => row.line === 'closing')).toMatchObject([
      { account: 'desk', amount: '5' },
      { account: 'main', amount: '1071.4' },
    ])
  })

  test('states how much of a closing balance is owed, as of the end of the period', async () => {
    const ledger = await open(
      account('main'),
      entry('1', '2025-02-01 00:00:00', 'BTC', '2', 'borrow'),
      entry('2', '2025-03-01 00:00:00', 'BTC', '1', 'trade'),
      entry('3', '2025-04-01 00:00:00', 'BTC', '-0.5', 'repay'),
      entry('4', '2026-01-01 00:00:00', 'BTC', '-1.5', 'repay'),
      // Before the books began 0.25 were owed.
      `insert into liabilities values ('main', 'UNIFIED', 'BTC', 0.25, 0.25, '2026-01-01 00:00:00+00')`,
      `insert into postings select entry_id || '/counter', transaction_id, entry_id, account, 'Liabilities:main:BTC', coin,
         -amount, occurred_at from entries where kind in ('borrow', 'repay')`,
    )
    const end = async (options: object) => {
      const report = await makeReport(ledger, 'statement', options)
      const rows = (await allRows(report.rows)).map(([id, , , , , , amount, entries]) => [
        id,
        amount,
        entries,
      ])
      return [rows.slice(-2), report.notes.filter((note) => note.includes('`owed`')).length]
    }
    const [closing, owed] = ['main/UNIFIED/BTC/closing', 'main/UNIFIED/BTC/owed']
    expect(await end({ year: 2025 })).toEqual([
      [
        [closing, '2.5', 3],
        [owed, '1.75', 2],
      ],
      1,
    ])
    expect(await end({})).toEqual([
      [
        [closing, '1', 4],
        [owed, '0.25', 3],
      ],
      1,
    ])
    // As the balances have it.
    const own = (options: object) => objects(ledger, 'balances', options)
    expect(await own({ year: 2025 })).toMatchObject([{ quantity: '2.5', borrowed: '1.75', own: '0.75' }])
    const notes = async (options: object): Promise<unknown> =>
      (await makeReport(ledger, 'balances', options)).notes
    const told = expect.stringMatching(/^Values cover what is owned: quantity less borrowed /)
    expect(await notes({ year: 2025 })).toContainEqual(told)
    expect(await notes({ to: '2024-12-31' })).not.toContainEqual(told)
  })
})

test('a statement has no line for a debt that is repaid', async () => {
  const ledger = await open(
    account('main'),
    entry('1', '2025-02-01 00:00:00', 'BTC', '2', 'borrow'),
    entry('2', '2025-04-01 00:00:00', 'BTC', '-2', 'repay'),
    entry('3', '2025-02-03 00:00:00', 'BTC', '1', 'trade'),
    `insert into liabilities values ('main', 'UNIFIED', 'BTC', 0, 0, '2025-04-01 00:00:00+00')`,
    `insert into postings select entry_id || '/counter', transaction_id, entry_id, account,
       case kind when 'trade' then 'Equity:Trading' else 'Liabilities:main:BTC' end, coin, -amount, occurred_at from entries`,
  )
  const linesTo = async (to: string) =>
    (await objects(ledger, 'statement', { to })).map(({ line, kind, amount }) => `${kind ?? line} ${amount}`)
  expect(await linesTo('2025-02-28')).toEqual(['opening 0', 'borrow 2', 'trade 1', 'closing 3', 'owed 2'])
  expect(await linesTo('2025-04-30')).toEqual(['opening 0', 'borrow 2', 'repay -2', 'trade 1', 'closing 1'])
  // Nor does a balance without debts say that debts are deducted.
  const deducted = async (to: string) =>
    (await makeReport(ledger, 'balances', { to })).notes.some((note) =>
      note.startsWith('Values cover what is owned'),
    )
  expect([await deducted('2025-02-28'), await deducted('2025-04-30')]).toEqual([true, false])
})

describe('one zone in a report', () => {
  const BERLIN = { rules: 'de' }
  // Half past eleven at night in UTC is the next day, month and year in Berlin.
  const LATE = [
    account('main'),
    `insert into lot_events values
      ('main', 'BTC', '2025-01-02 00:00:00+00', 1, 'b1', 'acquire', 1, 100, 'EUR', null),
      ('main', 'BTC', '2025-12-31 23:30:00+00', 2, 's1', 'dispose', 1, 250, 'EUR', null)`,
    futures('1', '2025-12-31 23:30:00', 'USDT-FUTURES', 'BTCUSDT', 'USDT', '10', 'realised_pnl'),
    entry('2', '2025-12-31 23:30:00', 'EUR', '7', 'reward'),
    `insert into income values ('2', 'main', 'UNIFIED', 'EUR', 7, 'reward', '2025-12-31 23:30:00+00', 7, 'EUR')`,
  ]
  const reports = ['gains', 'pnl', 'income', 'statement', 'balances'] as const

  test('gains, P&L, income, statement and balances count the same days', async () => {
    const ledger = await open(...LATE)
    for (const name of reports) {
      const rows = async (year: number): Promise<unknown[]> => {
        const report = await makeReport(ledger, name, { year }, BERLIN)
        expect(report.title).toContain('days of Europe/Berlin')
        return (await allRows(report.rows)).filter(
          (row) => !row.includes('opening') && !row.includes('closing'),
        )
      }
      expect([name, (await rows(2025)).length]).toEqual([name, 0])
      expect([name, (await rows(2026)).length > 0]).toEqual([name, true])
    }
  })

  test('net worth has UTC months, and does not call other days its own', async () => {
    const ledger = await open(
      'create table value_bridge (account varchar, month date, unknown_events bigint, unpriced_coins bigint)',
    )
    const report = await makeReport(ledger, 'net-worth', { year: 2026 }, BERLIN)
    expect(report.title).toBe('Net worth by UTC month 2026')
    expect(report.facts).toContainEqual(['Time zone', 'UTC'])
  })

  test.each([
    'UTC',
    'America/New_York',
    'Europe/Berlin',
    // A day has begun fourteen hours before it does in UTC, or begins twelve hours later.
    'Pacific/Kiritimati',
    'Etc/GMT+12',
  ])('net worth of a year in %s has its twelve months', async (timeZone) => {
    const ledger = await open(
      'create table value_bridge (account varchar, month date, unknown_events bigint, unpriced_coins bigint)',
      `insert into value_bridge
       select 'main', month::date, 0, 0 from range(timestamp '2024-11-01', timestamp '2026-03-01', interval 1 month) as r(month)`,
    )
    const report = await makeReport(ledger, 'net-worth', { year: 2025 }, { rules: 'us', timeZone })
    const months = (await allRows(report.rows)).map((row) => row[1])
    expect([months[0], months.at(-1), months.length]).toEqual(['2025-01-01', '2025-12-01', 12])
  })

  test('a period that begins with a month of its zone shows no earlier month', async () => {
    const ledger = await open(...LATE)
    const options = { from: '2026-01-01', rules: 'de' }
    expect((await objects(ledger, 'pnl', options)).map(({ month }) => month)).toEqual([
      '2026-01-01',
      '2026-01-01',
    ])
  })

  test('rules that leave the zone to the taxpayer state that none is configured', async () => {
    const ledger = await open(...LATE)
    const notes = async (timeZone?: string, rules = 'us') =>
      (await makeReport(ledger, 'gains', { rules }, timeZone === undefined ? {} : { timeZone })).notes
    expect((await notes()).filter((note) => note.includes('so UTC is used'))).toHaveLength(1)
    expect((await notes()).join()).toContain('`reports: { time_zone: America/New_York }`')
    expect((await notes(undefined, 'ca')).join()).toContain('`reports: { time_zone: America/Toronto }`')
    expect((await notes('America/New_York')).filter((note) => note.includes('so UTC is used'))).toEqual([])
  })
})

test('interest is a line of the profit and loss', async () => {
  const interest = futures('5', '2025-04-01 00:00:00', 'MARGIN-crossed', null, 'USDT', '-0.25', 'interest')
  const lines = await objects(await open(...LOTS, interest), 'pnl', { year: 2025 })
  expect(lines.filter(({ interest }) => interest !== '0')).toMatchObject([
    { product_line: 'MARGIN-crossed', coin: 'USDT', interest: '-0.25', net_pnl: '-0.25' },
  ])
})

describe('every report', () => {
  const BREAKS = [
    account('main'),
    `insert into runs values ('r1', '2025-03-01 00:00:00+00', '2025-03-01 00:01:00+00', 'nightly', 1, 1, 0, 'done')`,
    `insert into breaks values
      ('k1', 'balance_chain', 'warning', 'main', 'UNIFIED', 'USDT', '2025-01-05 00:00:00+00', 3, 2, -1, 'one record is missing', '["1","3"]', '2025-03-01 00:00:00+00', 'open'),
      ('k2', 'retention', 'warning', 'main', null, null, null, null, null, null, 'w', '[]', '2025-03-01 00:00:00+00', 'open'),
      ('k3', 'double_entry', 'error', 'main', null, null, null, null, null, null, 'e', '[]', '2025-03-01 00:00:00+00', 'open'),
      ('k4', 'drift', 'notice', 'main', null, null, null, null, null, null, 'n', '[]', '2025-03-01 00:00:00+00', 'open'),
      ('k5', 'orders', 'warning', 'main', null, null, null, null, null, null, 'r', '[]', '2025-03-01 00:00:00+00', 'resolved')`,
  ]

  /** Tables of the days' values, for the reports that read nothing else. */
  const DAYS: Readonly<Record<string, readonly string[]>> = {
    'account-values': [
      'create table balance_history (account varchar, ledger varchar, coin varchar, day date, quantity decimal(38, 18), change decimal(38, 18), borrowed decimal(38, 18))',
      'create table daily_valuation (account varchar, ledger varchar, coin varchar, day date, value decimal(38, 18), own_value decimal(38, 18), currency varchar)',
    ],
    'net-worth': [
      'create table value_bridge (account varchar, month date, unknown_events bigint, unpriced_coins bigint)',
    ],
  }

  test.each(reportNames)('%s states its date, and which breaks are open', async (name) => {
    const options = name === 'taxes' ? { rules: 'us', year: 2025 } : {}
    const report = await makeReport(await open(...BREAKS, ...(DAYS[name] ?? [])), name, options)
    expect(report.notes).toContain('As of the run that ended at 2025-03-01T00:01:00.000Z.')
    expect(report.notes).toContain(
      'Open breaks: 1 error: double_entry (1); 2 warnings: balance_chain (1), retention (1).',
    )
  })

  const OTHERS = [
    account('other'),
    'alter table breaks add column note varchar',
    `insert into breaks values
      ('k6', 'retention', 'warning', 'other', null, null, null, null, null, null, 'o', '[]', '2025-03-01 00:00:00+00', 'open', null),
      ('k7', 'price_sources', 'warning', null, null, null, null, null, null, null, 'p', '[]', '2025-03-01 00:00:00+00', 'open', null),
      ('k8', 'retention', 'warning', 'main', null, null, null, null, null, null, 'x', '[]', '2025-03-01 00:00:00+00', 'explained', 'of main'),
      ('k9', 'retention', 'warning', 'other', null, null, null, null, null, null, 'y', '[]', '2025-03-01 00:00:00+00', 'explained', 'of other')`,
  ]

  test('of one account states its breaks and those of no account, and says so', async () => {
    const ledger = await open(...BREAKS, ...OTHERS)
    const standing = async (options: ReportOptions) =>
      (await makeReport(ledger, 'breaks', options)).notes.filter((note) => /breaks|Explained/.test(note))
    expect(await standing({ account: 'main' })).toEqual([
      'Open breaks (of main, and of no account): 1 error: double_entry (1); 3 warnings: balance_chain (1), price_sources (1), retention (1).',
      'Explained: retention k8: of main',
    ])
    expect(await standing({ account: 'other' })).toEqual([
      'Open breaks (of other, and of no account): 2 warnings: price_sources (1), retention (1).',
      'Explained: retention k9: of other',
    ])
    expect(await standing({})).toEqual([
      'Open breaks: 1 error: double_entry (1); 4 warnings: balance_chain (1), price_sources (1), retention (2).',
      'Explained: retention k8: of main',
      'Explained: retention k9: of other',
    ])
    const quiet = await open(...BREAKS, account('quiet'))
    expect((await makeReport(quiet, 'balances', { account: 'quiet' })).notes).toContain(
      'No open breaks of severity error or warning (of quiet, and of no account).',
    )
  })

  test('lists the breaks that it counts', async () => {
    const report = await makeReport(await open(...BREAKS, ...OTHERS), 'breaks', { account: 'other' })
    expect((await allRows(report.rows)).map(([id]) => id)).toEqual(['k7', 'k6', 'k9'])
  })

  test('net worth states what its months leave open, and for a period not in months that they are whole', async () => {
    const ledger = await open(
      account('main'),
      'create table value_bridge (account varchar, month date, unknown_events bigint, unpriced_coins bigint)',
      `insert into value_bridge values ('main', '2025-03-01', 2, 0), ('main', '2025-04-01', 0, 0),
        ('main', '2025-05-01', 0, 0), ('main', '2026-03-01', 0, 1), ('main', '2026-04-01', 0, 1)`,
    )
    const told = async (options: ReportOptions, rules = 'generic') => {
      const report = await makeReport(ledger, 'net-worth', options, { rules })
      const months = (await allRows(report.rows)).map((row) => String(row[1]))
      return [months, report.notes.filter((note) => /^(Months|Not known)/.test(note))]
    }
    const leftOpen =
      'A coin without a price is not included in any value; what cannot be attributed is shown as difference.'
    const whole =
      'Months are whole months: those that begin in the period are shown to their end, and a month already in progress when it begins is not shown.'
    expect(await told({ from: '2025-04-01', to: '2025-05-31' })).toEqual([['2025-04-01', '2025-05-01'], []])
    expect(await told({ from: '2025-04-01', to: '2025-05-31' }, 'de')).toEqual([
      ['2025-04-01', '2025-05-01'],
      [],
    ])
    expect(await told({ year: 2025 })).toEqual([
      ['2025-03-01', '2025-04-01', '2025-05-01'],
      [`Not known: the value or cost of 2 changes. ${leftOpen}`],
    ])
    // Both months may lack the price of the same coin.
    expect(await told({ year: 2025 }, 'uk')).toEqual([
      ['2025-05-01', '2026-03-01', '2026-04-01'],
      [whole, `Not known: the price of up to 1 coin at the end of a month. ${leftOpen}`],
    ])
  })

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

  test('of figures whose pieces lack gains begins with how many, in every format', async () => {
    const ledger = await open(
      ...LOTS,
      `insert into disposals values ('main', 'ETH', 'fifo', 'us', '2025-05-01 00:00:00+00', null, 2.5, null,
        null, null, null, 'USDT', null, null, 's2', null)`,
      `insert into lot_events values
        ('main', 'ETH', '2025-05-01 00:00:00+00', 4, 's2', 'dispose', 2.5, null, 'USDT', null)`,
    )
    for (const [name, options] of [
      ['gains', {}],
      ['pnl', {}],
      ['taxes', { rules: 'us', year: 2025 }],
      ['form-8949', { year: 2025 }],
    ] as const) {
      const report = await makeReport(ledger, name, options)
      const [, , first] = (await printReport(report)).split('\n')
      expect([name, first]).toEqual([
        name,
        expect.stringMatching(/^INCOMPLETE: [12] of [23] pieces of disposals ha/),
      ])
      const terminal = memoryTerminal()
      await writeReport(await makeReport(ledger, name, options), 'csv', { dir: '/nowhere', terminal })
      expect(terminal.told[0]).toMatch(/^INCOMPLETE/)
      const page = memoryTerminal()
      await writeReport(await makeReport(ledger, name, options), 'html', { dir: '/nowhere', terminal: page })
      expect(page.text().indexOf('INCOMPLETE')).toBeLessThan(page.text().indexOf('<table'))
      expect(page.text()).toContain('INCOMPLETE')
    }
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

  test('of breaks lists the open ones, the most severe first, with their ids', async () => {
    const breaks = await objects(await open(...BREAKS), 'breaks')
    expect(breaks.map((row) => [row.break_id, row.severity])).toEqual([
      ['k3', 'error'],
      ['k1', 'warning'],
      ['k2', 'warning'],
      ['k4', 'notice'],
    ])
  })

  test('of coverage lists intervals and what was never received', async () => {
    const ledger = await open(
      account('main'),
      `insert into coverage values
        ('main', 'tax.records', 'SPOT', '2025-01-01 00:00:00+00', '2025-03-01 00:00:00+00', 'complete', null, null, false, false),
        ('main', 'p2p.orders', '', null, null, 'not_applicable', '70102', 'no merchant', false, false)`,
    )
    expect((await objects(ledger, 'coverage')).map((row) => [row.feed, row.starts_at, row.status])).toEqual([
      ['p2p.orders', null, 'not_applicable'],
      ['tax.records', '2025-01-01T00:00:00.000Z', 'complete'],
    ])
  })

  test('of income filters by account and time', async () => {
    const ledger = await open(
      account('main'),
      `insert into income values
        ('i1', 'main', 'UNIFIED', 'USDT', 1.5, 'interest', '2025-03-01 00:00:00+00', null, null),
        ('i2', 'main', 'UNIFIED', 'USDT', 2, 'reward', '2026-03-01 00:00:00+00', null, null)`,
    )
    expect(await objects(ledger, 'income', { year: 2025, account: 'main' })).toMatchObject([
      { entry_id: 'i1', amount: '1.5', kind: 'interest' },
    ])
  })

  test('of balances is as of a moment, others are for a period', async () => {
    const ledger = await open(account('main'))
    const factOf = async (name: 'balances' | 'income', options: ReportOptions) =>
      (await makeReport(ledger, name, options)).facts?.[0]
    expect(await factOf('balances', {})).toEqual(['As of', 'the end of the books'])
    expect(await factOf('balances', { to: '2025-06-30' })).toEqual(['As of', 'the end of 2025-06-30'])
    expect(await factOf('balances', { year: 2025 })).toEqual(['As of', 'the end of 2025'])
    expect(await factOf('income', {})).toEqual(['Period', 'all of history'])
  })

  test('of income adds up what was received and, separately, what was paid', async () => {
    const ledger = await open(
      account('main'),
      `insert into income values
        ('i1', 'main', 'UNIFIED', 'USDT', 1.5, 'interest', '2025-03-01 00:00:00+00', 1.5, 'USDT'),
        ('i2', 'main', 'UNIFIED', 'USDT', -0.25, 'interest', '2025-03-02 00:00:00+00', -0.25, 'USDT'),
        ('i3', 'main', 'UNIFIED', 'USDT', -0.5, 'interest', '2025-03-03 00:00:00+00', -0.5, 'USDT'),
        ('i4', 'main', 'UNIFIED', 'BTC', -0.01, 'interest', '2025-03-04 00:00:00+00', -900, 'USDT'),
        ('i5', 'main', 'UNIFIED', 'BGB', 3, 'reward', '2025-03-05 00:00:00+00', 4, 'USDT'),
        ('i6', 'main', 'UNIFIED', 'BGB', 3, 'reward', '2026-03-05 00:00:00+00', 4, 'USDT')`,
    )
    const told =
      'Amounts below zero were paid, such as interest on loans; they are not part of any total received.'
    const report = await makeReport(ledger, 'income', { year: 2025 })
    const names = ['account', 'kind', 'coin', 'amount', 'value', 'currency']
    const places = names.map((name) => report.columns.findIndex((column) => column.name === name))
    expect(report.totals.map((row) => places.map((at) => row[at]))).toEqual([
      ['total received', 'interest', 'USDT', '1.5', '1.5', 'USDT'],
      ['total paid', 'interest', 'BTC', '-0.01', '-900', 'USDT'],
      ['total paid', 'interest', 'USDT', '-0.75', '-0.75', 'USDT'],
      ['total paid', 'interest', null, null, '-900.75', 'USDT'],
      ['total received', 'reward', 'BGB', '3', '4', 'USDT'],
    ])
    expect(report.notes).toContain(told)
    expect((await makeReport(ledger, 'income', { year: 2026 })).notes).not.toContain(told)
  })

  test('of income begins with how many of its lines have no known value, and shows the empty column', async () => {
    const ledger = await open(
      account('main'),
      `insert into income values
        ('i1', 'main', 'UNIFIED', 'ETH', 1, 'reward', '2025-06-02 00:00:00+00', null, 'USDT'),
        ('i2', 'main', 'UNIFIED', 'BTC', 1, 'reward', '2025-06-03 00:00:00+00', 90, 'USDT')`,
    )
    expect((await makeReport(ledger, 'income', { to: '2025-06-02' })).warnings).toEqual([
      'INCOMPLETE: 1 of 1 line of income has no known value, because there is no price for ETH. Import prices (`tieout import prices`), or fetch them (`tieout prices fetch`).',
    ])
    expect((await makeReport(ledger, 'income')).warnings).toEqual([
      expect.stringMatching(
        /^INCOMPLETE: 1 of 2 lines of income has no known value, because there is no price for ETH/,
      ),
    ])
    expect((await makeReport(ledger, 'income', { from: '2025-06-03' })).warnings).toEqual([])
    const terminal = memoryTerminal(80)
    await writeReport(await makeReport(ledger, 'income', { to: '2025-06-02' }), 'table', {
      dir: '/nowhere',
      terminal,
    })
    expect(terminal.text()).toMatch(/kind +occurred_at UTC +value +currency/)
  })

  test('refuses an option that it would ignore', async () => {
    await expect(makeReport(await open(), 'balances', { method: 'lifo' })).rejects.toMatchObject({
      exitCode: 2,
      message: 'The report balances does not take --method.',
      details: { expected: '--account, --to, --year' },
    })
  })

  test('prints the same figures in each format', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'reports-'))
    const ledger = await open(...LOTS)
    const files: string[] = []
    for (const format of ['table', 'csv', 'json', 'html', 'xlsx'] as const) {
      const terminal = memoryTerminal()
      const report = await makeReport(ledger, 'gains', { account: 'main', year: 2025 })
      const file = await writeReport(report, format, { out: dir, dir: '/nowhere', terminal })
      files.push(String(file).slice(dir.length + 1))
      expect(terminal.text()).toBe('')
      expect(terminal.told.length > 0).toBe(format === 'csv' || format === 'json')
    }
    expect(files).toEqual(['txt', 'csv', 'json', 'html', 'xlsx'].map((end) => `gains-main-2025.${end}`))
    for (const file of files.slice(0, 4)) {
      const text = readFileSync(join(dir, file), 'utf8')
      // A document says above the column that its times are in UTC.
      const time = file.endsWith('.html') ? '2025-12-31 23:59:59.999' : '2025-12-31T23:59:59.999Z'
      for (const figure of [time, '250', '150', 's1']) expect(text).toContain(figure)
    }
  })

  test('without rows says so, on a terminal and elsewhere', async () => {
    const ledger = await open(...LOTS)
    const report = () => makeReport(ledger, 'gains', { account: 'main', year: 2031 })
    expect((await printReport(await report())).split('\n').slice(0, 4)).toEqual([
      'Gains 2031, days of UTC',
      '',
      'None.',
      '',
    ])
    const terminal = { ...memoryTerminal(), width: 60 }
    await writeReport(await report(), 'table', { dir: '/nowhere', terminal })
    expect(terminal.text()).toMatch(/^Gains 2031, days of UTC\n\nNone\.\n\n/)
  })

  test('as a table on a terminal wraps its notes between words', async () => {
    const report = await makeReport(await open(...LOTS), 'gains', { account: 'main', year: 2025 })
    const note = 'A note that is longer than the sixty columns of the terminal that shows it to its reader.'
    const terminal = { ...memoryTerminal(), width: 60 }
    await writeReport({ ...report, warnings: [note], notes: [note] }, 'table', { dir: '/nowhere', terminal })
    const lines = terminal.text().split('\n')
    expect(lines.filter((line) => line.length > 60)).toEqual([])
    const broken = [
      'A note that is longer than the sixty columns of the',
      '  terminal that shows it to its reader.',
    ]
    expect(lines.join('\n').split(broken.join('\n'))).toHaveLength(3)
  })

  test('as a table shows title, rows, totals and notes', async () => {
    const ledger = await open(
      account('main'),
      `insert into balances values ('main', 'UNIFIED', 'BTC', 0.5, 0.5, '2025-03-01 00:00:00+00')`,
    )
    expect(await printReport(await makeReport(ledger, 'balances'))).toBe(
      [
        'Balances',
        '',
        'account  ledger   coin  quantity  venue_balance  as_of',
        '───────  ───────  ────  ────────  ─────────────  ────────────────────────',
        'main     UNIFIED  BTC        0.5            0.5  2025-03-01T00:00:00.000Z',
        '',
        'No run has reached the venue yet.',
        'No open breaks of severity error or warning.',
      ].join('\n'),
    )
  })

  test('as a workbook requires a file', async () => {
    const report = await makeReport(await open(), 'balances')
    const written = writeReport(report, 'xlsx', { dir: '/nowhere', terminal: memoryTerminal() })
    await expect(written).rejects.toMatchObject({ exitCode: 2 })
    expect(existsSync('balances.xlsx')).toBe(false)
  })
})

describe('a period', () => {
  test.each([
    [{}, null, null, ''],
    [{ year: 2024 }, '2024-01-01T00:00:00.000Z', '2025-01-01T00:00:00.000Z', '2024'],
    [
      { from: '2024-02-29', to: '2024-02-29' },
      '2024-02-29T00:00:00.000Z',
      '2024-03-01T00:00:00.000Z',
      'from 2024-02-29 to 2024-02-29',
    ],
    [
      { from: '2024-01-01T01:00:00+01:00' },
      '2024-01-01T00:00:00.000Z',
      null,
      'from 2024-01-01T01:00:00+01:00',
    ],
    [{ to: '2024-01-01T00:00:00Z' }, null, '2024-01-01T00:00:00.001Z', 'to 2024-01-01T00:00:00Z'],
    // The database reads no time of the year 10000.
    [{ to: '9999-12-31' }, null, '9999-12-31T23:59:59.999Z', 'to 9999-12-31'],
    [{ year: 9999 }, '9999-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z', '9999'],
  ])('%j', (options, from, before, label) => {
    expect(readPeriod(options)).toMatchObject({ from, before, label })
  })

  test.each([
    [{ from: '2025-02-02', to: '2025-02-01' }, 'The period ends before it begins.'],
    [{ to: '2025-02-30' }, '--to is not a date.'],
    [{ from: '2025-01-01T00:00:00' }, '--from is not a date.'],
    [{ year: 20.5 }, '--year is not a year.'],
  ])('%j is refused', (options, message) => {
    expect(() => readPeriod(options)).toThrow(message)
  })
})
