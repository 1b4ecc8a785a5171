// The published lots are matched as the configuration says, so that SQL, marts and reports tell the same gains; and the
// proof that lots add up to the books holds for lots of accounts and for lots that all accounts hold together.
import { afterEach, describe, expect, it } from 'vitest'
import { type Config, emptyConfig } from '../../pipeline/config/config.ts'
import { openLedger } from '../../pipeline/ledger/ledger.ts'
import { lotsStep } from '../../pipeline/lots/step.ts'
import { makeReport } from '../../pipeline/reports/catalogue.ts'
import { matchingOf } from '../../pipeline/rules/matching.ts'
import { TestBooks } from '../support/books.ts'
import { ImportedBooks } from '../support/imports.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** What the report of gains reads, and the profit and loss. */
const GAINS = ['disposals', 'lot_events', 'pnl_monthly', 'imported_trades', 'runs']

/** `only`: the tables that are built; all of them if absent. */
function configured(reports: Partial<Config['reports']>, only?: readonly string[]): ImportedBooks {
  const books = new ImportedBooks({ reports: { ...emptyConfig.reports, ...reports } }, { only })
  closers.push(() => books.close())
  return books
}

/** Bought dear in March, cheap in May, each by another account; one sold in June by the second. */
const DEAR_THEN_CHEAP = [
  'b1,2024-03-01T00:00:00Z,main,buy,BTC,1,USD,100,0,USD',
  'b2,2024-05-01T00:00:00Z,main,buy,BTC,1,USD,300,0,USD',
  's1,2024-06-01T00:00:00Z,main,sell,BTC,1,USD,250,0,USD',
]

const PIECES =
  'select method, rules, disposal_id, lot_id, cost_basis, gain from disposals order by disposed_at'

/** The first note of the report, which says how lots were matched. */
async function firstNote(books: ImportedBooks, reports: Parameters<typeof makeReport>[3]): Promise<string> {
  const ledger = await openLedger(books.dir)
  try {
    return (await makeReport(ledger, 'gains', {}, reports)).notes[0] ?? ''
  } finally {
    ledger.close()
  }
}

describe('the published disposals', () => {
  it('are first in, first out by account if nothing is configured', async () => {
    const books = configured({}, GAINS)
    await books.trades(...DEAR_THEN_CHEAP)
    await books.build()
    expect(await books.query(PIECES)).toEqual([['fifo', 'generic', 's1', 'b1', '100', '150']])
    expect(await books.query('select * from lot_matching')).toEqual([
      ['fifo', 'account', 'generic', 'UTC', 'disposal', null, false],
    ])
  })

  it('net fees in the coin bought if that is configured, and reports say so', async () => {
    const books = configured({ fees_in_kind: 'net' }, GAINS)
    // 0.01 of 1 BTC for 100 is kept back; it is worth its share, 1.
    await books.trades(
      'b1,2024-03-01T00:00:00Z,main,buy,BTC,1,USD,100,0.01,BTC',
      's1,2024-06-01T00:00:00Z,main,sell,BTC,0.5,USD,80,0.01,BTC',
    )
    await books.build()
    const sold = ['fifo', 'generic', 's1', 'b1']
    const gains = await books.query(PIECES)
    // What pays for a sale is disposed of beside it, netted or not.
    expect(gains.map((row) => row.slice(0, 4))).toEqual([sold, sold])
    expect(await books.query('select quantity_left, cost_basis_left from lots')).toEqual([
      ['0.48', '48.484848484848484848'],
    ])
    expect(await firstNote(books, { feesInKind: 'net' })).toBe(
      'As published: method fifo, scope account, rules generic, fees in kind netted.',
    )
    expect(await firstNote(books, { feesInKind: 'disposal' })).toBe(
      'Computed for this report: method fifo, scope account, rules generic.',
    )
    expect(await firstNote(books, { method: 'lifo', feesInKind: 'net' })).toBe(
      'Computed for this report: method lifo, scope account, rules generic, fees in kind netted.',
    )
  })

  it('follow the configured method, and so do the lots, the profit and loss and the report', async () => {
    const books = configured({ method: 'hifo' }, GAINS)
    await books.trades(...DEAR_THEN_CHEAP)
    await books.build()
    expect(await books.query(PIECES)).toEqual([['hifo', 'generic', 's1', 'b2', '300', '-50']])
    expect(await books.query('select method, lot_id, cost_basis_left from lots')).toEqual([
      ['hifo', 'b1', '100'],
    ])
    expect(await books.query('select realised_pnl from pnl_monthly')).toEqual([['-50']])
    expect(await firstNote(books, { method: 'hifo' })).toBe(
      'As published: method hifo, scope account, rules generic.',
    )
    expect(await firstNote(books, { method: 'lifo' })).toBe(
      'Computed for this report: method lifo, scope account, rules generic.',
    )
  })

  it('follow the configured rules: a pool over all accounts under uk', async () => {
    const books = configured({ rules: 'uk', currency: 'GBP' })
    await books.trades(...DEAR_THEN_CHEAP.map((row) => row.replaceAll('USD', 'GBP')))
    const { openBreaks, published } = await books.build()
    expect([openBreaks, published]).toEqual([[], true])
    expect(await books.query(PIECES)).toEqual([['uk', 'uk', 's1', null, '200', '50']])
    expect(await books.query('select account, method, quantity_left, cost_basis_left from lots')).toEqual([
      [null, 'uk', '1', '200'],
    ])
    expect(await books.query('select * from lot_matching')).toEqual([
      ['uk', 'universal', 'uk', 'Europe/London', 'disposal', null, true],
    ])
    expect(await firstNote(books, { rules: 'uk' })).toBe(
      'As published: method uk, scope universal, rules uk.',
    )
    expect(await firstNote(books, { rules: 'uk', scope: 'account' })).toBe(
      'Computed for this report: method uk, scope account, rules uk.',
    )
  })

  it('under us may have used lots of another account before 2025: the coins add up over all accounts', async () => {
    const books = configured({ rules: 'us', currency: 'USD' })
    await books.trades(
      'b1,2023-03-01T00:00:00Z,main,buy,BTC,2,USD,200,0,USD',
      'b2,2023-04-01T00:00:00Z,cold,buy,BTC,1,USD,150,0,USD',
      's1,2024-06-01T00:00:00Z,cold,sell,BTC,2,USD,500,0,USD',
      's2,2025-06-01T00:00:00Z,main,sell,BTC,0.5,USD,300,0,USD',
    )
    const { openBreaks, published } = await books.build()
    // What lies in the pool never came to the account that sold it.
    expect(openBreaks).toMatchObject([
      { severity: 'warning', checkName: 'imported_balance', account: 'cold', coin: 'BTC' },
    ])
    expect(published).toBe(true)
    expect(
      await books.query('select disposal_id, lot_id, quantity, gain, term from disposals order by 1'),
    ).toEqual([
      ['s1', 'b1', '2', '300', 'long'],
      ['s2', 'b2', '0.5', '225', 'long'],
    ])
    expect(await books.query('select account, lot_id, quantity_left from lots')).toEqual([
      ['main', 'b2', '0.5'],
    ])
    expect(await books.query('select scope from lot_matching')).toEqual([['universal, account from 2025']])
  })

  it('are not made with a method that the rules do not allow: the configuration is named', async () => {
    const books = configured({ rules: 'uk', method: 'fifo' })
    await expect(books.trades(...DEAR_THEN_CHEAP).then(() => books.build())).rejects.toMatchObject({
      name: 'UsageError',
      message: 'The rules do not allow this method.',
      details: { where: `${books.dir}/tieout.yaml, reports.method, reports.rules`, found: 'method fifo' },
    })
  })

  it.each([
    ['de', '0.01', 'none: under the rules de no long-term loss is carried forward'],
    ['uk', '1500', 'none: the rules uk do not distinguish terms'],
    ['us', '4000.01', 'at most the amount, 4000'],
  ])('are not made with losses that a return under %s could not take', async (rules, long_term, expected) => {
    const books = configured({ rules, losses: { into: 2024, amount: '4000', long_term } })
    await expect(books.trades(...DEAR_THEN_CHEAP).then(() => books.build())).rejects.toMatchObject({
      name: 'UsageError',
      message: 'The configured losses do not fit the rules.',
      details: { where: `${books.dir}/tieout.yaml, reports.losses.long_term`, expected, found: long_term },
    })
  })

  it.each([
    ['us', '4000'],
    ['de', '0'],
    // Without rules, no return takes them yet.
    ['generic', '9000'],
  ])('are made with losses that fit the rules %s', async (rules, long_term) => {
    const books = configured({ rules, losses: { into: 2024, amount: '4000', long_term } }, ['disposals'])
    await books.trades(...DEAR_THEN_CHEAP)
    expect((await books.build()).published).toBe(true)
  })

  it('are not made with the days of a zone that does not exist', async () => {
    const books = configured({ rules: 'ca', time_zone: 'America/Nowhere' })
    await expect(books.trades(...DEAR_THEN_CHEAP).then(() => books.build())).rejects.toMatchObject({
      name: 'UsageError',
      message: 'Unknown time zone.',
      details: { where: `${books.dir}/tieout.yaml, reports.time_zone`, found: 'America/Nowhere' },
    })
  })
})

describe('an account whose trades are known only from its orders', () => {
  it('has no lots and no gains, never guessed ones, and a notice says so', async () => {
    const books = await TestBooks.open()
    closers.push(() => books.close())
    const filled = { category: 'SPOT', symbol: 'ETHUSDT', side: 'sell', order_status: 'filled' }
    const at = { created_time: '2025-05-01 10:00:00+00', updated_time: '2025-05-01 10:00:00+00' }
    await books.page(
      'trade.orderHistory',
      [{ order_id: '77', cum_exec_qty: '2', cum_exec_value: '6001', ...filled, ...at }],
      { partition: 'SPOT', account: 'keyless' },
    )
    const { openBreaks } = await books.build({}, { steps: [lotsStep({ method: 'fifo', scope: 'account' })] })
    const [count] = await books.query(
      `select (select count(*) from trades), (select count(*) from disposals), (select count(*) from lots),
         (select count(*) from balances)`,
    )
    expect(count).toEqual(['1', '0', '0', '0'])
    expect(openBreaks.filter(({ checkName }) => checkName === 'orders_alone')).toMatchObject([
      {
        severity: 'notice',
        account: 'keyless',
        explanation:
          '1 trade of keyless is known only from its orders: without tax records it has no balances, lots, ' +
          'gains or income. Give it a tax key, or import its trades.',
      },
    ])
  })
})

describe('imported history of an account of the venue, with lots held over all accounts', () => {
  /** The venue sold 1 BTC for 100 USDT out of 2; a file tells of 5 that were bought for 200 before. */
  async function saleOutOfTwo(): Promise<TestBooks> {
    const books = await TestBooks.open()
    closers.push(() => books.close())
    await books.account('main', 'unified')
    const at = { ts: '2025-06-01 00:00:00+00' }
    await books.tax('SPOT', [
      { id: '1', coin: 'USDT', type: 'ORDER_DEALT_IN', amount: '100', balance: '100', ...at },
      { id: '2', coin: 'BTC', type: 'ORDER_DEALT_FROZEN_OUT', amount: '-1', balance: '1', ...at },
    ])
    const file = { page_id: '900', row_count: '1', sha256: '', imported_at: '2026-02-01 00:00:00+00' }
    await books.insert('imports', { ...file, kind: 'lots', file_name: 'lots.csv' })
    const bought = { id: 'l1', acquired_at: '2020-05-01 00:00:00+00', account: 'main', asset: 'BTC' }
    const row = { page_id: '900', page_row: '0', nanos: '0', quantity: '5', basis: '200', currency: 'USDT' }
    await books.insert('imported_lots', { ...bought, ...row })
    return books
  }

  for (const rules of ['uk', 'ca', 'us'])
    it(`${rules}: gives the sale its cost, adds up, and states what the venue never reported`, async () => {
      const books = await saleOutOfTwo()
      const result = await books.build({}, { steps: [lotsStep(matchingOf({ rules }).options)] })
      expect(await books.query('select account, quantity, cost_basis, gain from disposals')).toEqual([
        ['main', '1', '40', '60'],
      ])
      const open = result.openBreaks.map(({ severity, checkName, account, found }) => [
        severity,
        checkName,
        account,
        Number(found),
      ])
      expect(open).toEqual([['warning', 'imported_history', 'main', 3]])
      expect(result.published).toBe(true)
    })
})
