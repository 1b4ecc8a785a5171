// The printed report of books that imports alone tell of: no run has asked a venue.
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { TRADE_HEADER } from '../support/imports.ts'
import { command } from '../support/in-process.ts'
import { plain, table } from './read.ts'

/** Books of these rows of trades, under a configuration; their folder. */
async function importedBooks(configuration: string, rows: readonly string[]): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'paper-'))
  writeFileSync(join(dir, 'tieout.yaml'), configuration)
  const file = join(dir, 'trades.csv')
  writeFileSync(file, [TRADE_HEADER, ...rows, ''].join('\n'))
  const { code, stderr } = await command(['import', 'trades', file, '--dir', dir])
  if (code !== 0) throw new Error(stderr)
  return dir
}

async function paper(dir: string, ...words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await command(['report', ...words, '--format', 'html', '--dir', dir])
  if (code !== 0) throw new Error(stderr)
  return stdout
}

test('the summary has the gain of the months and of the lots if a disposal is known in part', async () => {
  const dir = await importedBooks('reports: { rules: ca, currency: CAD, time_zone: America/Toronto }\n', [
    'b1,2025-03-01T12:00:00Z,a,buy,BTC,1,CAD,10000,,',
    'b2,2025-03-01T12:00:00Z,a,buy,XRP,5,CAD,300,,',
    's1,2025-06-01T12:00:00Z,a,sell,BTC,1,CAD,9000,,',
    's2,2025-07-01T12:00:00Z,a,sell,XRP,20,CAD,2000,,',
  ])

  const page = await paper(dir, 'taxes', '--year', '2025')

  const figures = new Map(table(page, 'Summary').map((line) => [line.figure, line]))
  expect(figures.get('Proceeds')?.value).toBe('9500')
  expect(figures.get('Cost')?.value).toBe('10300')
  expect(figures.get('Net gain or loss')?.value).toBe('-800')
  expect(figures.get('Disposals without a known gain')).toMatchObject({
    value: '1',
    'what it counts': 'the known part of 1 of them is included in the figures above, the rest is not',
  })
  expect(
    table(page, 'Profit and loss by month and coin').map((line) => [line.month, line['realised pnl']]),
  ).toEqual([
    ['2025-06-01', '-1000'],
    ['2025-07-01', '200'],
  ])
  expect(table(page, 'Gains by lot').map((line) => [line.coin, line.proceeds, line.gain])).toEqual([
    ['BTC', '9000', '-1000'],
    ['XRP', '500', '200'],
    ['XRP', '1500', ''],
    ['', '9500', '-800'],
    ['', '1500', ''],
  ])
  const lines = table(page, 'Taxes 2025, rules ca, days of America/Toronto')
  expect(lines.find(({ figure }) => figure === 'Capital gain (or loss)')?.value).toBe('-800')
  expect(plain(page)).toContain('is excluded from the figures: 15 XRP (a)')
})

test('holdings at the end are those of the end of the period, even if no run has stated how far the books reach', async () => {
  const dir = await importedBooks('reports: { currency: USD }\n', [
    'b1,2024-06-01T00:00:00Z,a,buy,BTC,2,USD,100,,',
    's1,2026-06-01T00:00:00Z,a,sell,BTC,1.5,USD,120,,',
  ])
  const held = (page: string, when: string) =>
    [
      ...table(page, `At ${when}: quantity and value`).map((line) => line.quantity),
      ...table(page, `At ${when}: cost of open lots`).map((line) => line['cost basis left']),
    ].join(' ')

  const over = await paper(dir, 'statement', '--year', '2025')
  const goesOn = await paper(dir, 'statement', '--year', '2026')

  expect(held(over, 'the end (before 2026-01-01 00:00:00 UTC)')).toBe('2 100')
  expect(held(goesOn, 'the end of the books')).toBe('0.5 25')
})

describe('if the law looks ahead, the cost at the end of a year is what the disposals of that year leave', () => {
  const cost = (page: string, when: string) =>
    table(page, `At ${when}: cost of open lots`).map(
      (line) => `${line['quantity left']} for ${line['cost basis left']}`,
    )

  test('uk: what was sold and is matched with a later purchase stays in the pool', async () => {
    const dir = await importedBooks('reports: { rules: uk, currency: GBP }\n', [
      'b1,2024-05-01T12:00:00Z,a,buy,BTC,2,GBP,20000,,',
      's1,2025-03-20T12:00:00Z,a,sell,BTC,1,GBP,15000,,',
      'b2,2025-04-10T12:00:00Z,a,buy,BTC,1,GBP,12000,,',
      's2,2025-06-01T12:00:00Z,a,sell,BTC,0.5,GBP,9000,,',
      'b3,2026-06-01T12:00:00Z,a,buy,BTC,1,GBP,30000,,',
    ])

    const [first, second] = [
      await paper(dir, 'taxes', '--year', '2024'),
      await paper(dir, 'taxes', '--year', '2025'),
    ]

    // The sale of March costs 12,000, and leaves the pool as it was.
    expect(table(first, 'Gains by lot').map((line) => line['cost basis'])).toEqual(['12000', '12000'])
    const turn = '(before 2025-04-06 00:00:00 Europe/London)'
    expect(cost(first, `the end ${turn}`)).toEqual(['2 for 20000'])
    expect(cost(second, `the beginning ${turn}`)).toEqual(['2 for 20000'])
    expect(table(second, 'Gains by lot').map((line) => line['cost basis'])).toEqual(['5000', '5000'])
    expect(cost(second, 'the end (before 2026-04-06 00:00:00 Europe/London)')).toEqual(['1.5 for 15000'])
    expect(plain(first)).toContain(
      'Under uk rules, coins that were sold and are matched with a later purchase',
    )
    // Within a day: what it has sold by then is sold.
    const evening = await paper(dir, 'statement', '--to', '2025-06-01T18:00:00Z')
    expect(cost(evening, 'the end (before 2025-06-01 19:00:00 Europe/London)')).toEqual(['1.5 for 15000'])
    const morning = await paper(dir, 'statement', '--to', '2025-06-01T09:00:00Z')
    expect(cost(morning, 'the end (before 2025-06-01 10:00:00 Europe/London)')).toEqual(['2 for 20000'])
  })

  test('ca: a loss that is not denied because of later sales is in no cost', async () => {
    const dir = await importedBooks('reports: { rules: ca, currency: CAD, time_zone: America/Toronto }\n', [
      'b1,2025-03-01T12:00:00Z,a,buy,X,50,CAD,500,,',
      's1,2025-12-20T12:00:00Z,a,sell,X,20,CAD,100,,',
      'b2,2025-12-28T12:00:00Z,a,buy,X,15,CAD,90,,',
      's2,2026-01-10T12:00:00Z,a,sell,X,45,CAD,900,,',
    ])

    const page = await paper(dir, 'taxes', '--year', '2025')

    // Of 20 sold at a loss of 100, 15 were bought again, and none is held on 19 January: nothing is denied.
    expect(table(page, 'Gains by lot').map((line) => line.gain)).toEqual(['-100', '-100'])
    expect(cost(page, 'the end (before 2026-01-01 00:00:00 America/Toronto)')).toEqual(['45 for 390'])
    expect(plain(page)).not.toContain('are matched with a later purchase')
  })
})

test('gains by lot have the fees that their proceeds are net of, where the form has them apart', async () => {
  const rows = [
    'b1,2025-03-01T12:00:00Z,a,buy,X,50,CAD,500,,',
    's1,2025-12-20T12:00:00Z,a,sell,X,20,CAD,300,4,CAD',
    's2,2025-12-21T12:00:00Z,a,sell,X,10,CAD,150,3,CAD',
  ]
  const pieces = async (rules: string) => {
    const dir = await importedBooks(`reports: { rules: ${rules}, currency: CAD }\n`, rows)
    return table(await paper(dir, 'statement', '--year', '2025'), 'Gains by lot')
  }
  expect((await pieces('ca')).map((line) => [line.proceeds, line.fees])).toEqual([
    ['296', '4'],
    ['147', '3'],
    ['443', '7'],
  ])
  expect((await pieces('generic')).map((line) => line.fees)).toEqual([undefined, undefined, undefined])
})

test('the cover counts open breaks with correct plurals', async () => {
  const cover = async (...coins: readonly string[]): Promise<string> => {
    const sold = coins.map((coin) => `s-${coin},2025-06-01T00:00:00Z,a,sell,${coin},1,USD,50,,`)
    const page = await paper(await importedBooks('reports: { currency: USD }\n', sold), 'statement')
    return plain(page.split('<nav')[0] ?? '')
  }

  expect(await cover('BTC', 'ETH')).toContain(
    '2 of 2 pieces of disposals without a known gain; open breaks: 2 warnings; no gaps',
  )
  expect(await cover('BTC')).toContain(
    '1 of 1 piece of disposals without a known gain; open breaks: 1 warning; no gaps',
  )
})

test('plurals are correct, times have their zone, and what a row states is not called unpriced', async () => {
  const dir = await importedBooks('reports: { rules: us, currency: USD, time_zone: America/New_York }\n', [
    'i1,2025-06-01T00:00:00Z,a,income,SOL,10,USD,1300,,',
    'i2,2025-06-02T00:00:00Z,a,income,XYZ,1,,,,',
    'g1,2025-06-03T00:00:00Z,a,gift_out,SOL,1,USD,140,,',
    's1,2025-07-01T00:00:00Z,a,sell,SOL,5,USD,750,2,USD',
    's2,2025-08-01T00:00:00Z,a,sell,SOL,1,USD,0,,',
  ])

  const counts = (page: string) =>
    table(page, 'Summary')
      .filter(({ figure = '' }) => /^(Income|Fees)/.test(figure))
      .map((line) => line['what it counts'])
  const page = await paper(dir, 'taxes', '--year', '2025')
  expect(counts(page)).toEqual([
    '2 events, 1 of them without a value',
    '1 fee, 0 without a value; fees of trades are already in cost and proceeds',
  ])
  expect(counts(await paper(dir, 'statement', '--to', '2025-06-01T12:00:00Z'))).toEqual([
    '1 event, with a value',
  ])
  // Nothing says what XYZ was worth; SOL needs no price beside 1,300, 140 and nothing.
  expect(table(page, 'Amounts without a price').map((line) => line.coin)).toEqual(['XYZ'])
  expect(
    table(page, 'Columns').find((line) => line.column === 'acquired at (America/New_York)')?.meaning,
  ).toBe('When the lot was acquired; empty for a pool and if unknown.')
})

describe('imported fees and movements', () => {
  let page: string
  beforeAll(async () => {
    const dir = await importedBooks('reports: { currency: USD }\n', [
      'b1,2024-06-01T00:00:00Z,a,buy,BTC,2,USD,100,7,USD',
      'b2,2025-05-01T00:00:00Z,a,buy,BTC,1,USD,60,1,USD',
      'b3,2025-05-02T00:00:00Z,a,sell,BTC,0.1,USD,6,0.5,USD',
      'b4,2025-05-03T00:00:00Z,a,sell,BTC,0.1,USD,6,-0.25,XYZ',
      'm1:out,2025-07-01T00:00:00Z,a,transfer_out,BTC,0.5,,,,',
      'm1:in,2025-07-01T00:10:00Z,b,transfer_in,BTC,0.5,,,,',
      'm2:out,2025-09-01T00:00:00Z,a,transfer_out,BTC,0.2,,,,',
    ])
    page = await paper(dir, 'statement', '--year', '2025')
  })

  test('fees are in their section and in the summary, a rebate below zero', () => {
    expect(
      table(page, 'Fees').map((line) =>
        [line.account, line.coin, line.fee, line.value, line['number of fees']].join(' '),
      ),
    ).toEqual(['a USD 1.5 1.5 2', 'a XYZ -0.25  1'])
    expect(table(page, 'Summary').find(({ figure }) => figure === 'Fees paid')).toMatchObject({
      value: '1.5',
      'what it counts': '3 fees, 1 without a value; fees of trades are already in cost and proceeds',
    })
  })

  test('what the network took on the way is a fee, counted once where the row names it too', async () => {
    const dir = await importedBooks('reports: { currency: USD }\n', [
      'd1,2025-01-01T00:00:00Z,a,transfer_in,USD,5000,,,,',
      'b1,2025-05-01T00:00:00Z,a,buy,BTC,4,USD,400,,',
      // 0.25 BTC, worth 150 each then; and 4 dollars.
      'm1:out,2025-07-01T00:00:00Z,a,transfer_out,BTC,1,USD,150,,',
      'm1:in,2025-07-01T00:10:00Z,b,transfer_in,BTC,0.75,,,,',
      'm2:out,2025-07-02T00:00:00Z,a,transfer_out,USD,100,,,,',
      'm2:in,2025-07-02T00:10:00Z,b,transfer_in,USD,96,,,,',
      // Of 3 dollars that do not arrive the row names 2; the fee of 5 is on top, since nothing else is missing.
      'm3:out,2025-07-03T00:00:00Z,a,transfer_out,USD,103,,,2,USD',
      'm3:in,2025-07-03T00:10:00Z,b,transfer_in,USD,100,,,,',
      'm4:out,2025-07-04T00:00:00Z,a,transfer_out,BTC,1,,,5,USD',
      'm4:in,2025-07-04T00:10:00Z,b,transfer_in,BTC,1,,,,',
    ])
    const moved = await paper(dir, 'statement', '--year', '2025')
    expect(
      table(moved, 'Fees').map((line) =>
        [line.account, line.coin, line.fee, line.value, line['number of fees'], line['without value']].join(
          ' ',
        ),
      ),
    ).toEqual(['a BTC 0.25 37.5 1 0', 'a USD 12 12 3 0'])
    expect(table(moved, 'Summary').find(({ figure }) => figure === 'Fees paid')?.value).toBe('49.5')
    // As the profit and loss counts them.
    expect(
      table(moved, 'Profit and loss by month and coin')
        .filter((line) => line.fees !== '0')
        .map((line) => `${line.coin} ${line.fees}`),
    ).toEqual(['BTC -0.25', 'USD -12'])
  })

  test('movements are among the transfers, with their other side if a row states it', () => {
    expect(
      table(page, 'Transfers').map((line) =>
        [
          line.account,
          line.direction,
          line.quantity,
          line.coin,
          line['counter account'],
          line['entry id'],
        ].join(' '),
      ),
    ).toEqual(['a out 0.5 BTC b m1:out', 'b in 0.5 BTC a m1:in', 'a out 0.2 BTC  m2:out'])
  })

  test('the lines of the statement have the columns that the cover mentions', () => {
    expect(plain(page)).toContain('no_value_because gives the reason for each')
    const lines = table(page, 'Statement')
    expect(lines.find((line) => line.kind === 'trade')).toMatchObject({ coin: 'BTC', value: '48' })
    expect(lines.find((line) => line.kind === 'fee')).toMatchObject({
      coin: 'XYZ',
      value: '',
      'no value because': 'no price of XYZ in USD at that time',
    })
  })
})
