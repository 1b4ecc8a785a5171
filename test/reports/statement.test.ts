// The values of a statement: what each balance and each movement was worth, and why where that is not known. Figures by hand.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { emptyConfig } from '../../pipeline/config/config.ts'
import { type Ledger, openLedger } from '../../pipeline/ledger/ledger.ts'
import { lotsStep } from '../../pipeline/lots/step.ts'
import { allRows } from '../../pipeline/output/column.ts'
import { makeReport, type ReportOptions } from '../../pipeline/reports/catalogue.ts'
import { writeReport } from '../../pipeline/reports/print.ts'
import { cells, show } from '../rules/books.ts'
import { balanced, type Move, TestBooks } from '../support/books.ts'
import { ImportedBooks } from '../support/imports.ts'
import { account, memoryTerminal } from './books.ts'
import { entry, objects, sharedLedgers } from './small-ledgers.ts'

const open = sharedLedgers()

let books: TestBooks
let ledger: Ledger
let id = 0

const at = (day: number, time: string): string => `2026-01-${String(day).padStart(2, '0')} ${time}+00`
const TYPES: Readonly<Record<string, string>> = {
  in: 'ORDER_DEALT_IN',
  out: 'ORDER_DEALT_FROZEN_OUT',
  gift: 'BONUS_GRANT_USER_IN',
}

/** Records of one moment: `in 2 BTC`, `gift 3 XYZ`. */
const records = (ts: string, ...written: string[]): Move[] =>
  written.map((each) => {
    const [type = '', amount = '', coin = ''] = each.split(' ')
    id += 1
    return { id: String(id), coin, type: TYPES[type] ?? type, amount, ts }
  })

let row = 0
async function price(asset: string, amount: string, pricedAt: string): Promise<void> {
  row += 1
  await books.insert('imported_prices', {
    ...{ page_id: '900', page_row: String(row), priced_at: pricedAt, asset },
    ...{ currency: 'EUR', price: amount, source: 'index' },
  })
}

beforeAll(async () => {
  books = await TestBooks.open()
  await books.account('main', 'unified')
  await books.tax(
    'SPOT',
    balanced([
      ...records(at(5, '12:00:00'), 'gift 1000 EUR'),
      ...records(at(6, '10:00:00'), 'in 2 BTC', 'out -100 EUR'),
      ...records(at(7, '10:00:00'), 'in 50 USDT', 'out -0.5 BTC'),
      ...records(at(8, '10:00:00'), 'gift 3 XYZ'),
      ...records(at(9, '10:00:00'), 'gift 1 USDT', 'gift 2 XYZ'),
    ]),
  )
  await price('BTC', '60', at(7, '09:00:00'))
  await price('USDT', '0.9', at(7, '09:00:00'))
  await price('USDT', '0.8', at(9, '08:00:00'))
  await price('XYZ', '7', at(9, '09:00:00'))
  await price('BTC', '70', at(9, '20:00:00'))
  await books.build(
    { accounts: [{ name: 'main' }], reportingCurrency: 'EUR' },
    { steps: [lotsStep({ method: 'fifo', scope: 'account' })] },
  )
  ledger = await openLedger(books.dir)
}, 60_000)

afterAll(async () => {
  ledger.close()
  await books.close()
})

async function lines(options: ReportOptions = {}) {
  const { rows, totals } = await makeReport(ledger, 'statement', options)
  const short = ([, , , coin, line, kind, amount, , value, , why]: readonly unknown[]) =>
    [coin ?? '*', kind ?? line, amount ?? '', value ?? `? ${why}`].join(' ')
  return { rows: (await allRows(rows)).map(short), totals: totals.map(short) }
}

describe('the values of a statement', () => {
  test('are those of the moment for movements and of the day for balances, or state why there is none', async () => {
    const { rows } = await lines()
    expect(rows).toEqual([
      'BTC opening 0 0',
      // Bought for 100 EUR, which the fill says; half a coin given at 60.
      'BTC trade 1.5 70',
      'BTC closing 1.5 105',
      'EUR opening 0 0',
      'EUR reward 1000 1000',
      'EUR trade -100 -100',
      'EUR closing 900 900',
      'USDT opening 0 0',
      'USDT reward 1 0.8',
      'USDT trade 50 45',
      'USDT closing 51 40.8',
      'XYZ opening 0 0',
      'XYZ reward 5 ? 1 of 2: no price of XYZ in EUR at that time',
      'XYZ closing 5 35',
    ])
  })

  test('of the opening balance is that of the evening before', async () => {
    const { rows } = await lines({ from: '2026-01-07', to: '2026-01-08' })
    // The one price of BTC on the 6th is what was paid for it: 50. Of XYZ nothing is held yet.
    expect(rows.filter((line) => /opening|closing/.test(line))).toEqual([
      'BTC opening 2 100',
      'BTC closing 1.5 ? no price of BTC in EUR on that day',
      'EUR opening 900 900',
      'EUR closing 900 900',
      'USDT opening 0 0',
      'USDT closing 50 ? no price of USDT in EUR on that day',
      'XYZ opening 0 0',
      'XYZ closing 3 ? no price of XYZ in EUR on that day',
    ])
  })

  test('that are missing because the books end are told from those without a price, at each end of the period', async () => {
    const { rows } = await lines({ from: '2026-01-09', to: '2026-02-28' })
    expect(rows.filter((line) => /XYZ (opening|closing)/.test(line))).toEqual([
      'XYZ opening 3 ? no price of XYZ in EUR on that day',
      'XYZ closing 5 ? the books end on 2026-01-09',
    ])
  })

  test('are those of the published entries, one by one', async () => {
    const values = await books.query(
      `select entries.coin, entries.amount, worths.value, worths.price_source
       from entries left join entry_values as worths using (entry_id) order by place`,
    )
    expect(values).toEqual([
      ['EUR', '1000', '1000', null],
      ['BTC', '2', '100', 'fill'],
      ['EUR', '-100', '-100', null],
      ['USDT', '50', '45', 'index'],
      ['BTC', '-0.5', '-30', 'index'],
      ['XYZ', '3', null, null],
      ['USDT', '1', '0.8', 'index'],
      ['XYZ', '2', '14', 'index'],
    ])
    expect(
      await books.query(
        `select coin, sum(worths.value) from entries join entry_values as worths using (entry_id)
         where coin <> 'XYZ' group by coin, kind order by coin, kind`,
      ),
    ).toEqual([
      ['BTC', '70'],
      ['EUR', '1000'],
      ['EUR', '-100'],
      ['USDT', '0.8'],
      ['USDT', '45'],
    ])
  })

  test('add up over the coins if every line has one; otherwise the number that have one is stated', async () => {
    expect((await lines()).totals).toEqual([
      '* opening  0',
      '* reward  ? 2 of 3 lines have a value',
      '* trade  15',
      '* closing  1080.8',
    ])
  })

  test('of a single line state why it has none; for several, how many have one, in correct English', async () => {
    // Nothing else moved on the 8th.
    const { totals } = await lines({ from: '2026-01-08', to: '2026-01-08' })
    expect(totals).toEqual([
      '* opening  1035',
      '* reward  ? no price of XYZ in EUR at that time',
      '* closing  ? 1 of 4 lines has a value',
    ])
  })

  test('that are missing are counted, and a price is advised only where one would help', async () => {
    const noted = async (options: ReportOptions) =>
      (await makeReport(ledger, 'statement', options)).notes.filter((note) => note.startsWith('No value for'))
    const prices = 'mport prices (`tieout import prices`) or fetch them (`tieout prices fetch`).'
    const ends =
      'The books end before the period does. Run `tieout nightly` to extend them; in books built from imports only, ' +
      'import a price of that day (`tieout import prices`).'
    expect(await noted({})).toEqual([
      `No value for 1 of 14 lines; no_value_because gives the reason for each. I${prices}`,
    ])
    expect(await noted({ from: '2026-01-10', to: '2026-02-28' })).toEqual([
      `No value for 4 of 8 lines; no_value_because gives the reason for each. ${ends}`,
    ])
    expect(await noted({ to: '2026-02-28' })).toEqual([
      `No value for 5 of 14 lines; no_value_because gives the reason for each. For 1 of them, i${prices} ${ends}`,
    ])
  })

  test('fit 100 columns of a terminal; --wide shows the rest', async () => {
    const shown = memoryTerminal(100)
    await writeReport(await makeReport(ledger, 'statement'), 'table', { dir: '/nowhere', terminal: shown })
    const table = shown.text().split('\n')
    expect(table.find((line) => line.startsWith('account'))).toMatch(
      /coin +line +kind +amount +(entries +)?value +currency/,
    )
    expect(Math.max(...table.slice(0, 20).map((line) => line.length))).toBeLessThanOrEqual(100)
    const wide = { ...memoryTerminal(100), wide: true }
    await writeReport(await makeReport(ledger, 'statement'), 'table', { dir: '/nowhere', terminal: wide })
    expect(wide.text()).toContain('no_value_because')
  })
})

describe('beside what prices and fills state', () => {
  let others: TestBooks

  beforeAll(async () => {
    others = await TestBooks.open({ only: ['main.entry_values', 'main.fees', 'main.price_sources'] })
    await others.account('main', 'unified')
    await others.account('desk', 'unified')
    const move = (nth: string, amount: string, balance: string) => ({
      ...{ id: nth, coin: 'USDT', type: 'TRANSFER_IN', amount, balance, ts: at(1, `10:00:0${nth}`) },
    })
    const feeAlone = { ...move('3', '0', '11.124'), fee: '-0.12' }
    await others.tax('SPOT', [move('1', '10.12', '10.123456'), move('2', '1.11', '11.239999'), feeAlone])
    const fill = (nth: string, amount: string, fee: string, paid: string) => [
      ...[{ id: `${nth}1`, coin: 'BTC', type: TYPES.in as string, amount, fee, ts: at(1, `12:0${nth}:00`) }],
      ...[
        { id: `${nth}2`, coin: 'EUR', type: TYPES.out as string, amount: paid, ts: at(1, `12:0${nth}:00`) },
      ],
    ]
    const fills = [...fill('1', '2', '-0.01', '-100'), ...fill('2', '1', '0.02', '-60')]
    await others.tax('SPOT', balanced(fills, { EUR: '160' }), { account: 'desk' })
    const priced = {
      page_id: '900',
      page_row: '1',
      priced_at: at(1, '09:00:00'),
      asset: 'USDT',
      currency: 'EUR',
    }
    await others.insert('imported_prices', { ...priced, price: '0.5', source: 'index' })
    const trade = (nth: string, cells: Record<string, string>) =>
      others.insert('imported_trades', {
        ...{ page_id: '901', page_row: nth, id: `k${nth}`, occurred_at: at(1, `11:00:0${nth}`), nanos: '0' },
        ...{ account: 'kraken', asset: 'BTC', currency: 'EUR', fee: '0', ...cells },
      })
    const file = { file_name: 'trades.csv', imported_at: at(2, '00:00:00') }
    await others.insert('imports', { ...file, page_id: '901', kind: 'trades' })
    await trade('1', { type: 'buy', quantity: '2', total: '100', fee: '3', fee_currency: 'USDT' })
    await trade('2', { type: 'sell', quantity: '1', total: '60' })
    await others.build({ accounts: [{ name: 'main' }], reportingCurrency: 'EUR' })
  }, 60_000)

  afterAll(() => others.close())

  test('digits that the venue does not print have their share of the value of their record', async () => {
    expect(
      await others.query(
        `select kind, amount, value from entries join entry_values using (entry_id)
         where account = 'main' order by place, part`,
      ),
    ).toEqual([
      ['transfer', '10.12', '5.06'],
      ['opening', '0.003456', '0.001728'],
      ['transfer', '1.11', '0.555'],
      ['rounding', '0.006543', '0.0032715'],
      // A record that moves nothing but its fee: 11.239999 − 0.12 and these digits are 11.124.
      ['fee', '-0.12', '-0.06'],
      ['rounding', '0.004001', '0.0020005'],
    ])
  })

  test('a fee of a fill has its own value, and one that is given back the opposite sign', async () => {
    expect(
      await others.query(
        `select source_id, part, amount, value, price_source from entries join entry_values using (entry_id)
         where account = 'desk' and coin = 'BTC' order by source_id, part`,
      ),
    ).toEqual([
      // 2 for 100 are 50 each, 1 for 60 is 60.
      ['11', 'amount', '2', '100', 'fill'],
      ['11', 'fee', '-0.01', '-0.5', 'trades'],
      ['21', 'amount', '1', '60', 'fill'],
      ['21', 'fee', '0.02', '1.2', 'trades'],
    ])
    expect(
      await others.query("select fee, value from fees where account = 'desk' order by occurred_at"),
    ).toEqual([
      ['0.01', '0.5'],
      ['-0.02', '-1.2'],
    ])
  })

  test('an imported row states the value of its coins, and its fee has its own', async () => {
    expect(
      await others.query(
        `select entry_id, amount, value, price_source
         from imported_entries join entry_values using (entry_id, imported_id) order by entry_id`,
      ),
    ).toEqual([
      ['k1/asset', '2', '100', 'import'],
      // 3 USDT at 0.5
      ['k1/fee', '-3', '-1.5', 'import'],
      ['k2/asset', '-1', '-60', 'import'],
    ])
  })
})

test('a move between imported accounts states no value, and no price would give it one', async () => {
  const imported = new ImportedBooks({ reports: { ...emptyConfig.reports, currency: 'EUR' } })
  try {
    await imported.import(
      'prices',
      'time,asset,currency,price\n2026-01-04T12:00:00Z,BTC,EUR,50\n2026-01-06T11:00:00Z,BTC,EUR,60\n',
    )
    await imported.trades(
      'b1,2026-01-02T12:00:00Z,a,buy,BTC,2,EUR,100,,',
      // At the very beginning of the period, so that it is not in the opening balance.
      't1:out,2026-01-05T00:00:00Z,a,transfer_out,BTC,1,,,,',
      't1:in,2026-01-05T00:00:00Z,b,transfer_in,BTC,1,,,,',
      'i1,2026-01-06T12:00:00Z,a,income,XYZ,3,,,,',
      // The first moment that is no longer in it.
      'i2,2026-01-07T00:00:00Z,a,income,BTC,5,,,,',
    )
    await imported.build()
    const shown = await show(imported.dir, 'statement', { from: '2026-01-05', to: '2026-01-06' })
    const none = 'an imported transfer between own accounts states no value'
    expect(cells(shown, 'line_id', 'amount', 'value', 'no_value_because')).toEqual([
      'a/IMPORT/BTC/opening 2 100 -',
      `a/IMPORT/BTC/movement/transfer -1 - ${none}`,
      'a/IMPORT/BTC/closing 1 60 -',
      'a/IMPORT/XYZ/opening 0 0 -',
      'a/IMPORT/XYZ/movement/income 3 - no price of XYZ in EUR at that time',
      'a/IMPORT/XYZ/closing 3 - no price of XYZ in EUR on that day',
      'b/IMPORT/BTC/opening 0 0 -',
      `b/IMPORT/BTC/movement/transfer 1 - ${none}`,
      'b/IMPORT/BTC/closing 1 60 -',
    ])
    expect(shown.notes.filter((note) => note.startsWith('No value for'))).toEqual([
      expect.stringMatching(/^No value for 4 of 9 lines; .* For 2 of them, import prices/),
    ])
  } finally {
    imported.close()
  }
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
