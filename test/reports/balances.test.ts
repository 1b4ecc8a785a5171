// The report of balances: each figure against one worked out by hand from a small book.
import { describe, expect, test } from 'vitest'
import { makeReport } from '../../pipeline/reports/catalogue.ts'
import { balancesQuestion } from '../../pipeline/serve/views/accounts.ts'
import { account } from './books.ts'
import { entry, objects, sharedLedgers } from './small-ledgers.ts'

const open = sharedLedgers()

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
