// The fee of an exchange of two coins: under the rules of the United States it belongs from 2025 on to the coin given, under
// those of the United Kingdom half to each coin, under all others to the base. Every figure by hand; what both sides count for
// is the same together in every case.
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { emptyConfig } from '../../pipeline/config/config.ts'
import { lotsStep } from '../../pipeline/lots/step.ts'
import { allRows } from '../../pipeline/output/column.ts'
import { makeReport, type ReportName, type ReportOptions } from '../../pipeline/reports/catalogue.ts'
import { laws } from '../../pipeline/rules/catalogue.ts'
import { type LotChoice, matchingOf } from '../../pipeline/rules/matching.ts'
import { explained } from '../evidence/explain-books.ts'
import { balanced, type Move, TestBooks } from '../support/books.ts'
import { gainLine, ImportedBooks } from '../support/imports.ts'
import { PublishedLedger } from '../support/published-ledger.ts'

let books: TestBooks | undefined
/** Books that several tests read and none changes. */
let shared: Promise<TestBooks> | undefined
const closers: (() => void)[] = []
afterEach(async () => {
  if (books !== (await shared)) await books?.close()
  books = undefined
  for (const close of closers.splice(0)) close()
})
afterAll(async () => (await shared)?.close())

/** What the report of gains reads, and the lots with it. */
const LOTS = ['disposals', 'lot_events', 'runs']
const VALUED = [...LOTS, 'value_bridge']

const types: Readonly<Record<string, string>> = {
  in: 'ORDER_DEALT_IN',
  out: 'ORDER_DEALT_FROZEN_OUT',
  fee: 'ORDER_PLF_FEE_OUT',
  dust: 'SMALL_ASSET_SOURCE_TOKEN_USER_OUT',
  swept: 'SMALL_ASSET_TARGET_TOKEN_USER_IN',
}

/** `2026-01-12T12:00: in 1 ETH -0.001, out -3000 USDT`: legs of one moment, each with its own fee. */
function moves(...moments: readonly string[]): Move[] {
  return moments.flatMap((moment, nth) => {
    const [ts = '', legs = ''] = moment.split(': ')
    return legs.split(', ').map((leg, at) => {
      const [type = '', amount = '', coin = '', fee = '0'] = leg.split(' ')
      return { id: `${nth + 1}${at + 1}`, coin, type: types[type] ?? type, amount, fee, ts: `${ts}:00+00` }
    })
  })
}

/** Prices in USD by coin and day. */
type Prices = Readonly<Record<string, Readonly<Record<string, string>>>>

interface Asked {
  readonly choice?: LotChoice
  readonly prices: Prices
  readonly reportingCurrency?: string
  readonly opening?: Readonly<Record<string, string>>
  readonly only?: readonly string[]
}

async function built(
  given: readonly Move[],
  { choice = { rules: 'us' }, prices, reportingCurrency = 'USD', opening = { USD: '100000' }, only }: Asked,
) {
  books = await TestBooks.open(only === undefined ? {} : { only })
  const file = { page_id: '900', kind: 'prices', file_name: 'prices.csv' }
  await books.insert('imports', { ...file, imported_at: '2026-02-01 00:00:00+00' })
  const rows = Object.entries(prices).flatMap(([asset, byDay]) =>
    Object.entries(byDay).map(([day, price]) => ({ asset, priced_at: `${day} 00:00:00+00`, price })),
  )
  for (const [at, row] of rows.entries())
    await books.insert('imported_prices', {
      page_id: '900',
      page_row: String(at),
      currency: 'USD',
      source: 'market',
      ...row,
    })
  await books.account('main', 'unified')
  const swept = (move: Move): boolean => move.type.startsWith('SMALL')
  const all = balanced(given, opening)
  await books.tax(
    'SPOT',
    all.filter((row) => !swept(row)),
  )
  if (all.some(swept)) await books.tax('OTHER', all.filter(swept))
  return await books.build({ reportingCurrency }, { steps: [lotsStep(matchingOf(choice).options)] })
}

const pieces = async (coin = '%') =>
  (
    await books!.query(
      `select coin, quantity, proceeds, cost_basis, gain from disposals where coin like '${coin}'
       order by disposed_at, coin, quantity desc`,
    )
  ).map((row) => row.map((cell) => cell ?? '?').join(' '))

const lots = async (coin: string) =>
  (
    await books!.query(
      `select quantity_left, cost_basis_left from lots where coin = '${coin}' order by acquired_at, quantity_left desc`,
    )
  ).map((row) => row.map((cell) => cell ?? '?').join(' '))

const bridge = () =>
  books!.query(
    'select realised_gains, unrealised_change, closing_value, difference from value_bridge order by month',
  )

/** What the reports of a test read. */
const ledger = new PublishedLedger()
afterAll(() => ledger.close())

async function report(dir: string, name: ReportName, options: ReportOptions) {
  const made = await makeReport(await ledger.of(dir), name, options)
  const rows = await allRows(made.rows)
  return {
    rows: rows.map((row) =>
      Object.fromEntries(made.columns.map(({ name: column }, at) => [column, row[at]])),
    ),
    notes: made.notes,
  }
}

/** A copy of published books without some columns, as an earlier version published them. */
async function withoutColumns(dir: string, columns: Readonly<Record<string, string>>): Promise<string> {
  const copy = mkdtempSync(join(tmpdir(), 'tieout-columns-'))
  closers.push(() => rmSync(copy, { recursive: true }))
  cpSync(join(dir, 'ledger.duckdb'), join(copy, 'ledger.duckdb'))
  const instance = await DuckDBInstance.create(join(copy, 'ledger.duckdb'))
  const connection = await instance.connect()
  for (const [table, column] of Object.entries(columns))
    await connection.run(`alter table ${table} drop column ${column}`)
  connection.closeSync()
  instance.closeSync()
  return copy
}

/** Coin, quantity, proceeds, cost and gain of each piece of a report. */
const gainsOf = async (dir: string, options: ReportOptions): Promise<string[]> =>
  (await report(dir, 'gains', options)).rows
    .map(({ coin, quantity, proceeds, cost_basis, gain }) =>
      [coin, quantity, proceeds, cost_basis, gain].map((cell) => String(cell)).join(' '),
    )
    .toSorted()

const day = (number: number): string => `2026-01-${number}`
const everyDay = (price: string): Record<string, string> =>
  Object.fromEntries(Array.from({ length: 22 }, (_, at) => [day(10 + at), price]))

const PRICES: Prices = {
  USDT: everyDay('1'),
  BGB: everyDay('5'),
  ETH: { ...everyDay('3200'), [day(12)]: '3000', [day(16)]: '3300' },
}

/** 10,000 USDT and 10 BGB for dollars, the second with a fee; then ETH for USDT with every kind of fee, and a sale. */
const FEES: readonly string[] = [
  `${day(10)} 12:00: in 10000 USDT, out -10000 USD`,
  // A fee of 1 USD: 41 for 10.
  `${day(11)} 12:00: in 10 BGB, out -40 USD -1`,
  // Kept back from what is bought: 0.001 at 3,000 are 3.
  `${day(12)} 12:00: in 1 ETH -0.001, out -3000 USDT`,
  // In a third coin: 0.4 at 5 are 2.
  `${day(13)} 12:00: in 0.5 ETH, fee -0.4 BGB, out -1600 USDT`,
  // In the coin given.
  `${day(14)} 12:00: in 0.5 ETH, out -1600 USDT -1.6`,
  // A rebate: 0.0005 at 3,200 are 1.6.
  `${day(15)} 12:00: in 0.5 ETH 0.0005, out -1600 USDT`,
  // A sale: its fee came off what the coin given brought all along.
  `${day(16)} 12:00: in 3300 USDT -3.3, out -1 ETH`,
]

const UNDER_US = [
  'USDT 3000 2997 3000 -3',
  'ETH 0.001 3 3 0',
  // 10 BGB cost 41.
  'BGB 0.4 2 1.64 0.36',
  'USDT 1600 1598 1600 -2',
  'USDT 1600 1598.4 1600 -1.6',
  'USDT 1.6 1.6 1.6 0',
  'USDT 1600 1601.6 1600 1.6',
  // 0.999 of the first at 3,000 each, and 0.001 of the second at 3,200.
  'ETH 0.999 3293.4033 2997 296.4033',
  'ETH 0.001 3.2967 3.2 0.0967',
  'USDT 3.3 3.3 3.3 0',
]

const UNDER_OTHERS = [
  'USDT 3000 3000 3000 0',
  'ETH 0.001 3 3.003 -0.003',
  'BGB 0.4 2 1.64 0.36',
  'USDT 1600 1600 1600 0',
  'USDT 1600 1600 1600 0',
  'USDT 1.6 1.6 1.6 0',
  'USDT 1600 1600 1600 0',
  // The first cost 3,003 and has 0.999 left of 1; the second 1,602 for 0.5.
  'ETH 0.999 3293.4033 2999.997 293.4063',
  'ETH 0.001 3.2967 3.204 0.0927',
  'USDT 3.3 3.3 3.3 0',
]

/** The books of `FEES` under all other rules, built whole and once for the tests that only read them. */
let underOthers: ReturnType<typeof built> | undefined
async function builtUnderOthers() {
  underOthers ??= built(moves(...FEES), { prices: PRICES, choice: {} })
  shared ??= underOthers.then(() => books!)
  books = await shared
  return await underOthers
}

describe('an exchange of two coins under us', () => {
  it('deducts its fee from the proceeds of the coin given; the coin received costs what it was worth', async () => {
    const { openBreaks } = await built(moves(...FEES), { prices: PRICES })
    expect((await pieces()).toSorted()).toEqual(UNDER_US.toSorted())
    expect(await lots('ETH')).toEqual(['0.499 1596.8', '0.5 1600', '0.5 1600', '0.0005 1.6'])
    // What was bought with money has its fee in the cost.
    expect(await lots('BGB')).toEqual(['9.6 39.36'])
    // 89,959 USD, 5,495.1 USDT, 1.4995 ETH at 3,300 and 9.6 BGB at 5; ETH cost 4,798.4.
    expect(await bridge()).toEqual([['291.86', '158.59', '100450.45', '0']])
    expect(openBreaks.filter(({ severity }) => severity !== 'notice')).toEqual([])
  })

  it('includes it in the cost under all other rules; both sides together are the same', async () => {
    const { openBreaks } = await builtUnderOthers()
    expect((await pieces()).toSorted()).toEqual(UNDER_OTHERS.toSorted())
    expect(await lots('ETH')).toEqual(['0.499 1598.796', '0.5 1601.6', '0.5 1598.4', '0.0005 1.6'])
    // ETH cost 4,800.396: 1.996 less was lost at once, and as much less is not realised yet.
    expect(await bridge()).toEqual([['293.856', '156.594', '100450.45', '0']])
    expect(openBreaks.filter(({ severity }) => severity !== 'notice')).toEqual([])
    // Two legs of four exchanges; what one side gains the other loses.
    expect(
      await books!.query(
        `select count(*), sum(case kind when 'acquire' then value - value_given else value_given - value end)
         from lot_events where value_given <> value`,
      ),
    ).toEqual([['8', '0']])
    for (const [name, law] of Object.entries(laws))
      expect([name, law.exchangeFeesGivenFrom, law.sharesExchangeFees]).toEqual([
        name,
        name === 'us' ? 2025 : null,
        name === 'uk',
      ])
    // A fee that is netted stands in no cost, so the two readings do not go together.
    const both = Object.values(laws).filter(
      (law) => law.exchangeFeesGivenFrom !== null && law.feesInKind.includes('net'),
    )
    expect(both).toEqual([])
  })

  it('is the same in a report whose rules are not those of the books, and in the return', async () => {
    await builtUnderOthers()
    const { dir } = books!
    expect(await gainsOf(dir, { rules: 'us' })).toEqual(UNDER_US.toSorted())
    expect(await gainsOf(dir, {})).toEqual(UNDER_OTHERS.toSorted())
    const taxes = await report(dir, 'taxes', { rules: 'us', year: 2026 })
    // In whole dollars each: 2,997 + 3 + 2 + 1,598 + 1,598 + 2 + 1,602 + 3,293 + 3 + 3, and what they cost.
    expect(
      taxes.rows.filter(({ line }) => line === '3').map(({ figure, value }) => `${figure}: ${value}`),
    ).toEqual([
      'Short-term, Form 8949 box I: proceeds (d): 11101',
      'Short-term, Form 8949 box I: cost or other basis (e): 10810',
      'Short-term, Form 8949 box I: adjustments (g): 0',
      'Short-term, Form 8949 box I: gain or (loss) (h): 291',
    ])
  })

  it('is the same in another fiat currency; in a coin, which then has no lots, the fee stays in the cost', async () => {
    await built(moves(...FEES), {
      prices: { ...PRICES, EUR: everyDay('1.25') },
      choice: {},
      reportingCurrency: 'EUR',
      only: LOTS,
    })
    const gains = async (currency: string) => await gainsOf(books!.dir, { rules: 'us', currency })
    expect(await gains('USD')).toEqual(UNDER_US.toSorted())
    expect((await gains('USDT')).filter((piece) => piece.startsWith('ETH'))).toEqual(
      UNDER_OTHERS.filter((piece) => piece.startsWith('ETH')).toSorted(),
    )
  })

  it('requires books that were built with both values; other rules do not', async () => {
    await builtUnderOthers()
    const dir = await withoutColumns(books!.dir, {
      lot_events: 'value_given',
      lot_matching: 'exchange_fees_given_from',
    })
    await expect(gainsOf(dir, { rules: 'us' })).rejects.toMatchObject({
      name: 'UsageError',
      details: {
        where: 'table lot_events',
        action: 'Run `tieout build` to publish the ledger again.',
      },
    })
    expect(await gainsOf(dir, {})).toEqual(UNDER_OTHERS.toSorted())
    expect(await gainsOf(dir, { rules: 'generic', scope: 'universal' })).toEqual(UNDER_OTHERS.toSorted())
  })

  it('applies from the first instant of 2025 in the zone of the return', async () => {
    const given = moves(
      '2024-12-30T12:00: in 10000 USDT, out -10000 USD',
      '2024-12-31T23:59: in 1 ETH, out -3000 USDT -3',
      '2025-01-01T03:00: in 1 ETH, out -3000 USDT -3',
      '2025-01-01T06:00: in 1 ETH, out -3000 USDT -3',
    )
    const days = ['2024-12-30', '2024-12-31', '2025-01-01']
    const of = (price: string) => Object.fromEntries(days.map((one) => [one, price]))
    const prices = { USDT: of('1'), ETH: of('3000') }
    await built(given, { prices, choice: { rules: 'us' }, only: LOTS })
    expect(await lots('ETH')).toEqual(['1 3003', '1 3000', '1 3000'])
    expect((await pieces('USDT')).filter((piece) => piece.startsWith('USDT 3000'))).toEqual([
      'USDT 3000 3000 3000 0',
      'USDT 3000 2997 3000 -3',
      'USDT 3000 2997 3000 -3',
    ])
    expect(await books!.query('select exchange_fees_given_from from lot_matching')).toEqual([
      ['2025-01-01 00:00:00+00'],
    ])
    await books!.close()
    await built(given, { prices, choice: { rules: 'us', timeZone: 'America/New_York' }, only: VALUED })
    // It was still 10 in the evening of the 31st, though January in UTC, by which the bridge goes.
    expect(await lots('ETH')).toEqual(['1 3003', '1 3003', '1 3000'])
    expect(await bridge()).toEqual([
      ['0', '-3', '99997', '0'],
      ['-3', '-3', '99991', '0'],
    ])
  })

  it('does not apply to fiat money, where the fee stays with the coin', async () => {
    await built(
      moves(
        `${day(10)} 12:00: in 1 ETH, out -2500 EUR -2.5`,
        `${day(11)} 12:00: in 1200 USDT -3, out -1000 EUR`,
        `${day(13)} 12:00: in 500 EUR, out -600 USDT -6`,
      ),
      {
        prices: { ...PRICES, EUR: everyDay('1.2') },
        opening: { EUR: '10000' },
        only: LOTS,
      },
    )
    // 2.5 EUR are 3 USD; 1 ETH is worth 3,200.
    expect(await lots('ETH')).toEqual(['1 3203'])
    // Also where the market has the coin as its quote: 1,200 USDT cost 1,203, and half of them bring 600 less 6.
    expect(await lots('USDT')).toEqual(['591 592.4775'])
    expect(await pieces('USDT')).toEqual([
      'USDT 3 3 3.0075 -0.0075',
      'USDT 600 594 601.5 -7.5',
      'USDT 6 6 6.015 -0.015',
    ])
    expect((await pieces('EUR')).map((piece) => piece.split(' ').slice(0, 3).join(' '))).toEqual([
      'EUR 2500 3200',
      'EUR 2.5 3',
      'EUR 1000 1200',
    ])
  })

  it('whose fee has no price makes the proceeds unknown, and not the cost', async () => {
    await built(
      moves(
        `${day(10)} 12:00: in 10000 USDT, out -10000 USD`,
        `${day(12)} 12:00: in 1 ETH, fee -5 XYZ, out -3000 USDT`,
      ),
      { prices: PRICES, opening: { USD: '100000', XYZ: '10' }, only: LOTS },
    )
    expect(await lots('ETH')).toEqual(['1 3000'])
    expect(await pieces('USDT')).toEqual(['USDT 3000 ? 3000 ?'])
  })

  it('is paid with the very coins from which it is deducted, whatever the method', async () => {
    await built(
      moves(
        // Older coins that cost less: 0.995 and 2,000.
        `${day(10)} 12:00: in 10000 USDT, out -9950 USD`,
        `${day(11)} 12:00: in 1 ETH, out -2000 USD`,
        `${day(12)} 12:00: in 1 ETH -0.001, out -3000 USDT`,
        // For dollars the rule says nothing, and the method decides; 0.002 at 3,200 are 6.4.
        `${day(13)} 12:00: in 1 ETH -0.002, out -3200 USD`,
        // All of a purchase may be kept back.
        `${day(14)} 12:00: in 0.01 ETH -0.01, out -32 USDT`,
        `${day(16)} 12:00: in 1650 USDT -3.3, out -0.5 ETH`,
      ),
      { prices: PRICES, choice: {}, only: LOTS },
    )
    const { dir } = books!
    const KEPT = ['ETH 0.001 3 3 0', 'ETH 0.01 32 32 0', 'USDT 3.3 3.3 3.3 0']
    // At 2,000 the unit, or at the 3,206.4 that the newest and dearest cost: its own.
    const [OLDEST, NEWEST] = ['ETH 0.002 6.4 4 2.4', 'ETH 0.002 6.4 6.4128 -0.0128']
    for (const [method, forDollars] of [
      ['fifo', OLDEST],
      ['lofo', OLDEST],
      ['specific', OLDEST],
      ['lifo', NEWEST],
      ['hifo', NEWEST],
    ] as const) {
      const fees = (await gainsOf(dir, { rules: 'us', method })).filter((piece) =>
        /^(ETH 0\.0\d+|USDT 3\.3) /.test(piece),
      )
      expect([method, fees]).toEqual([method, [...KEPT, forDollars].toSorted()])
    }
    // A lot that is named for it changes nothing; what is named for a fee in dollars does.
    const [oldest, , dearest] = await books!.query(
      "select event_id from lot_events where coin = 'ETH' and kind = 'acquire' order by happened_at",
    )
    const [kept, ofDollars] = await books!.query(
      "select event_id from lot_events where coin = 'ETH' and kind = 'dispose' order by happened_at",
    )
    const named = (disposal: unknown, lot: unknown, quantity: bigint) =>
      [String(disposal), [{ lotId: String(lot), quantity }]] as const
    const selection = new Map([
      named(kept?.[0], oldest?.[0], 10n ** 15n),
      named(ofDollars?.[0], dearest?.[0], 2n * 10n ** 15n),
    ])
    const fees = (await gainsOf(dir, { rules: 'us', method: 'specific', selection })).filter((piece) =>
      /^ETH 0\.00[12] /.test(piece),
    )
    expect(fees).toEqual(['ETH 0.001 3 3 0', NEWEST])
    const { notes } = await report(dir, 'gains', { rules: 'us', method: 'specific', selection })
    expect(notes.filter((note) => note.startsWith('Named lots'))).toEqual([
      `Named lots that were not taken, because under the rules a fee that an exchange withholds is paid from the very coins that it brings in: 0.001 ETH of ${oldest?.[0]} for ${kept?.[0]}.`,
    ])
    // Under other rules the oldest pay all of them.
    const others = (await gainsOf(dir, {})).filter((piece) => /^(ETH 0\.001|USDT 3\.3) /.test(piece))
    expect(others).toEqual(['ETH 0.001 3 2 1', 'USDT 3.3 3.3 3.2835 0.0165'])
  })

  it('of several coins at once deducts its fee from the proceeds of the coins given, by their value', async () => {
    const dust = moves(
      `${day(10)} 12:00: in 1 BTC, out -100 USD`,
      `${day(11)} 12:00: in 1 ETH, out -20 USD`,
      `${day(20)} 12:00: dust -0.1 BTC, dust -0.2 ETH, swept 4 BGB -0.1`,
    )
    const prices = { BTC: everyDay('120'), ETH: everyDay('30'), BGB: everyDay('4') }
    await built(dust, { prices, only: VALUED })
    // 4 BGB are worth 16, of which the fee takes 0.4; BTC has two thirds of 15.6.
    expect(await pieces()).toEqual(['BGB 0.1 0.4 0.4 0', 'BTC 0.1 10.4 10 0.4', 'ETH 0.2 5.2 4 1.2'])
    expect(await lots('BGB')).toEqual(['3.9 15.6'])
    expect((await bridge()).map(([gains, , , difference]) => [gains, difference])).toEqual([['1.6', '0']])
  })

  it('stays as it is in books whose currency is a coin, which has no lots', async () => {
    await built(
      moves(
        `${day(12)} 12:00: in 1 ETH, out -3000 USDT -3`,
        `${day(13)} 12:00: in 2 BGB, out -0.1 ETH -0.001`,
      ),
      {
        prices: PRICES,
        reportingCurrency: 'USDT',
        opening: { USDT: '10000' },
        only: LOTS,
      },
    )
    expect(
      await books!.query('select count(*) from lot_events where value_given is distinct from value'),
    ).toEqual([['0']])
  })
})

describe('imported trades of two coins under us', () => {
  const PRICE_HEADER = 'time,asset,currency,price'

  function imported(rules: 'us' | 'generic'): ImportedBooks {
    const made = new ImportedBooks({ reports: { ...emptyConfig.reports, rules, currency: 'USD' } })
    closers.push(() => made.close())
    return made
  }

  const TRADES = [
    'u1,2025-03-01T12:00:00Z,kraken,buy,USDT,5000,USD,5000,5,USD',
    // 0.001 of 1 ETH for 3,000: a fee of 3.
    'b1,2025-03-02T12:00:00Z,kraken,buy,ETH,1,USDT,3000,0.001,ETH',
    's1,2025-03-03T12:00:00Z,kraken,sell,ETH,0.5,USDT,1600,1.6,USDT',
  ]

  const PRICED = ['2025-03-02', '2025-03-03'].map((one) => `${one}T00:00:00Z,USDT,USD,1`)

  it('have their fee on the side of the coin given; those for money do not', async () => {
    const made = imported('us')
    await made.import('prices', [PRICE_HEADER, ...PRICED, ''].join('\n'))
    await made.trades(...TRADES)
    const { openBreaks } = await made.build()
    expect(openBreaks.filter(({ severity }) => severity !== 'notice')).toEqual([])
    expect((await made.gains()).toSorted()).toEqual(
      [
        // 5,000 USDT cost 5,005.
        'b1 <- u1: 3000 for 2997 cost 3003 gain -6',
        'b1 <- b1: 0.001 for 3 cost 3 gain 0',
        's1 <- b1: 0.5 for 1598.4 cost 1500 gain 98.4',
        // Kept back from the 1,600 USDT of the sale, which pay it themselves.
        's1 <- s1: 1.6 for 1.6 cost 1.6 gain 0',
      ].toSorted(),
    )
    expect((await made.gains({ rules: 'generic' })).toSorted()).toEqual(
      [
        'b1 <- u1: 3000 for 3000 cost 3003 gain -3',
        'b1 <- b1: 0.001 for 3 cost 3.003 gain -0.003',
        's1 <- b1: 0.5 for 1598.4 cost 1501.5 gain 96.9',
        's1 <- u1: 1.6 for 1.6 cost 1.6016 gain -0.0016',
      ].toSorted(),
    )
    expect((await made.query('select difference from value_bridge')).map(String)).toEqual(['0'])
    // The lot of ETH, and the USDT of its sale, whose values do not differ.
    const [lot] = (await explained(made.dir, 'b1')).steps
    const events = lot!.steps.filter(({ what }) => what === 'event').map(({ fields }) => fields)
    expect(events.map(({ coin, kind, value, value_given }) => [coin, kind, value, value_given])).toEqual([
      ['ETH', 'acquire', '3003', '3000'],
      ['ETH', 'dispose', '3', undefined],
      ['USDT', 'dispose', '3000', '2997'],
    ])
  })
})

// HMRC CRYPTO22150: the fee of an exchange of tokens is attributable to both, deducted once, and divided justly and reasonably
// (TCGA 1992 ss. 38, 52(4)).
describe('an exchange of two coins under uk', () => {
  const UK = { rules: 'uk' }

  it('has half of its fee in the cost of the coin received, and the other half off the proceeds of the coin given', async () => {
    const given = moves(
      `${day(10)} 12:00: in 10000 USDT, out -10000 USD`,
      // With money, the whole fee is in the cost: 41 for 10.
      `${day(11)} 12:00: in 10 BGB, out -40 USD -1`,
      // In a third coin: 0.4 at 5 are 2.
      `${day(13)} 12:00: in 0.5 ETH, fee -0.4 BGB, out -1600 USDT`,
      // A sale: 3.3 USDT are 3.3, and 1,650 USDT cost 1,651.65.
      `${day(16)} 12:00: in 1650 USDT -3.3, out -0.5 ETH`,
    )
    const { openBreaks } = await built(given, { prices: PRICES, choice: UK })
    expect((await pieces()).toSorted()).toEqual(
      [
        'BGB 0.4 2 1.64 0.36',
        // Bought back within 30 days: 1,600 of 1,650.
        'USDT 1600 1599 1601.6 -2.6',
        'ETH 0.5 1648.35 1601 47.35',
        'USDT 3.3 3.3 3.3033 -0.0033',
      ].toSorted(),
    )
    // 46.7 of the last purchase cost 46.7467.
    expect(await lots('USDT')).toEqual(['10046.7 10046.7467'])
    // 89,959 USD, 10,046.7 USDT and 9.6 BGB at 5; nothing but the BGB, bought for 39.36, is worth other than it cost by more.
    expect(await bridge()).toEqual([['45.1067', '8.5933', '100053.7', '0']])
    expect(openBreaks.filter(({ severity }) => severity !== 'notice')).toEqual([])
  })

  it('has it so where several coins are exchanged at once', async () => {
    await built(
      moves(
        `${day(10)} 12:00: in 10 USDT, out -10 USD`,
        `${day(10)} 13:00: in 0.01 ETH, out -30 USD`,
        // Worth 10 and 32, for 8 BGB at 5: 40, of which 10/42 and 32/42. The fee of 0.084 BGB is 0.42: half of it is 0.21,
        // of which the USDT bear 0.05 and the ETH 0.16.
        `${day(12)} 12:00: dust -10 USDT, dust -0.01 ETH, swept 8 BGB -0.084`,
      ),
      {
        prices: { ...PRICES, ETH: { ...PRICES.ETH, [day(12)]: '3200' } },
        choice: UK,
        only: LOTS,
      },
    )
    const [eth, usdt] = (await pieces()).filter((piece) => !piece.startsWith('BGB'))
    expect(eth).toBe('ETH 0.01 30.31619047619047619 30 0.31619047619047619')
    expect(usdt).toBe('USDT 10 9.47380952380952381 10 -0.52619047619047619')
    // 8 cost 40.21, and 0.084 of them 0.422205.
    expect(await pieces('BGB')).toEqual(['BGB 0.084 0.42 0.422205 -0.002205'])
    expect(await lots('BGB')).toEqual(['7.916 39.787795'])
  })

  const PRICED = ['2025-06-10', '2025-07-20', '2025-09-01'].map((one) => `${one}T00:00:00Z,USDT,GBP,0.8`)
  const TRADES = [
    // 0.8008 each.
    'u1,2025-05-01T12:00:00Z,kraken,buy,USDT,5000,GBP,4000,4,GBP',
    // Worth 2,400, and the fee 2.40: 1.20 each.
    'b1,2025-06-10T12:00:00Z,kraken,buy,ETH,1,USDT,3000,0.001,ETH',
    // A rebate of 0.1 of 10 for 400 is 4: 2 off the cost of SOL, and 2 more for the USDT.
    'r1,2025-07-20T12:00:00Z,kraken,buy,SOL,10,USDT,500,-0.1,SOL',
    // Worth 1,280, and the fee 1.28: 0.64 each.
    's1,2025-09-01T12:00:00Z,kraken,sell,ETH,0.5,USDT,1600,1.6,USDT',
  ]

  /** A folder into which the prices and trades have been imported, and of which each test has a copy. */
  let landed: Promise<string> | undefined
  async function landedTrades(): Promise<string> {
    const made = new ImportedBooks()
    await made.import('prices', ['time,asset,currency,price', ...PRICED, ''].join('\n'))
    await made.trades(...TRADES)
    return made.dir
  }
  afterAll(async () => {
    if (landed !== undefined) rmSync(await landed, { recursive: true })
  })

  async function imported(
    extra: Partial<typeof emptyConfig.reports> = {},
    only?: readonly string[],
  ): Promise<ImportedBooks> {
    const reports = { ...emptyConfig.reports, rules: 'uk', currency: 'GBP', ...extra } as const
    const made = new ImportedBooks({ reports }, { only })
    closers.push(() => made.close())
    landed ??= landedTrades()
    cpSync(await landed, made.dir, { recursive: true })
    return made
  }

  it('has it so in imported purchases, sales and rebates, and in the return', async () => {
    const made = await imported()
    const { openBreaks } = await made.build()
    expect(openBreaks.filter(({ severity }) => severity !== 'notice')).toEqual([])
    expect((await made.gains()).toSorted()).toEqual(
      [
        'b1 <- -: 3000 for 2398.8 cost 2402.4 gain -3.6',
        'b1 <- b1: 0.001 for 2.4 cost 2.4012 gain -0.0012',
        'r1 <- -: 500 for 402 cost 400.4 gain 1.6',
        // 0.999 ETH cost 2,398.7988.
        's1 <- -: 0.5 for 1279.36 cost 1200.6 gain 78.76',
        // 1,600 USDT cost 1,280.64.
        's1 <- s1: 1.6 for 1.28 cost 1.28064 gain -0.00064',
      ].toSorted(),
    )
    expect(
      (await made.query('select coin, quantity_left, cost_basis_left from lots order by coin')).map(String),
    ).toEqual([
      'ETH,0.499,1198.1988',
      'SOL,10.1,402',
      // 1,500 at 1,201.20, and 1,598.4 at 1,279.35936.
      'USDT,3098.4,2480.55936',
    ])
    const { rows } = await report(made.dir, 'taxes', { rules: 'uk', year: 2025 })
    // Before the fees of 1.20 and 0.64, which are costs; the rebate is no cost, but part of what the USDT brought.
    expect(
      rows.filter(({ line }) => /^13/.test(String(line))).map(({ line, value }) => `${line}: ${value}`),
    ).toEqual(['13.1: 5', '13.2: 4085.68', '13.3: 4008.92184', '13.4: 80.36', '13.5: 3.60184'])
  })

  it('is the same in a report whose rules are not those of the books, and in another currency', async () => {
    const made = await imported({ rules: 'generic', method: 'average' }, LOTS)
    await made.import(
      'prices',
      [
        'time,asset,currency,price',
        ...[...PRICED, '2025-05-01'].map((one) => `${one.slice(0, 10)}T00:00:00Z,GBP,USD,1.25`),
        '',
      ].join('\n'),
      'usd.csv',
    )
    await made.build()
    const ethereum = async (options: ReportOptions) =>
      (await report(made.dir, 'gains', options)).rows
        .map(gainLine)
        .filter((piece) => piece.startsWith('s1 <- -: 0.5'))
    expect(await ethereum({})).toEqual(['s1 <- -: 0.5 for 1278.72 cost 1201.2 gain 77.52'])
    expect(await ethereum({ rules: 'uk' })).toEqual(['s1 <- -: 0.5 for 1279.36 cost 1200.6 gain 78.76'])
    expect(await ethereum({ rules: 'uk', currency: 'USD' })).toEqual([
      's1 <- -: 0.5 for 1599.2 cost 1500.75 gain 98.45',
    ])
  })

  it('is no fee if fees in kind count as coins that never came; others then stay with the base', async () => {
    const made = await imported({ fees_in_kind: 'net' }, LOTS)
    await made.build()
    const found = await made.gains()
    expect(found).toContain('b1 <- -: 3000 for 2400 cost 2402.4 gain -2.4')
    expect(found.filter((piece) => piece.startsWith('b1 <- b1'))).toEqual([])
    expect(await made.query('select fees_in_kind, exchange_fees_shared from lot_matching')).toEqual([
      ['net', false],
    ])
  })

  it('loses nothing of a fee that is no even number of units', async () => {
    const made = new ImportedBooks(
      { reports: { ...emptyConfig.reports, rules: 'uk', currency: 'GBP' } },
      { only: LOTS },
    )
    closers.push(() => made.close())
    await made.import('prices', ['time,asset,currency,price', ...PRICED, ''].join('\n'))
    await made.trades(
      TRADES[0]!,
      'b1,2025-06-10T12:00:00Z,kraken,buy,ETH,1,USDT,3000,0.000000000000000003,GBP',
    )
    await made.build()
    const events = await made.query(
      "select coin, value, value_shared from lot_events where event_id = 'b1' order by coin",
    )
    expect(events.map(String)).toEqual([
      'ETH,2400.000000000000000003,2400.000000000000000002',
      'USDT,2400,2399.999999999999999999',
    ])
  })

  it('needs books that were built with the value', async () => {
    const made = await imported({ rules: 'generic' }, LOTS)
    await made.build()
    const dir = await withoutColumns(made.dir, {
      lot_events: 'value_shared',
      lot_matching: 'exchange_fees_shared',
    })
    await expect(report(dir, 'gains', { rules: 'uk' })).rejects.toMatchObject({
      name: 'UsageError',
      details: { where: 'table lot_events', expected: 'value_shared, which the rules read' },
    })
    expect((await report(dir, 'gains', {})).rows).not.toEqual([])
  })
})
