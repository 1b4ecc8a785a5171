// What a terminal shows of a table: figures whole or not at all, and by name what is not there.
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import type { Row } from '../../pipeline/output/cell.ts'
import { asBatches, type Column } from '../../pipeline/output/column.ts'
import { ROWS_ON_SCREEN, screenTable } from '../../pipeline/output/screen.ts'
import { importance as importances } from '../../pipeline/reports/importance.ts'

const columns: Column[] = [
  { name: 'gain_id' },
  { name: 'coin' },
  { name: 'sold_at', kind: 'time' },
  { name: 'gain', kind: 'amount' },
  { name: 'currency' },
  { name: 'reason' },
]
const row: Row = [
  'main/1234567890123456789',
  'BTC',
  '2026-01-05T10:20:30.456Z',
  '1234567.123456789012345678',
  'USDT',
  'a sentence that nobody can read when it is cut to nothing',
]
const show = (width: number, rows: readonly Row[] = [row], importance?: readonly (string | string[])[]) =>
  screenTable(columns, asBatches(rows), { width, importance })

describe('a table on a terminal', () => {
  test('that is wide enough is complete, with times to the millisecond', async () => {
    const { table, notShown } = await show(200)
    expect(table).toContain('2026-01-05T10:20:30.456Z')
    expect(table).toContain(row[5])
    expect(notShown).toEqual([])
  })

  test('that is too narrow shows what matters most, in the order of the table, and names the rest', async () => {
    const { table, notShown } = await show(60, [row], [['gain', 'currency'], 'coin', 'reason'])
    expect(table.split('\n')).toEqual([
      'coin                        gain  currency  reason',
      '────  ──────────────────────────  ────────  ────────────────',
      'BTC   1234567.123456789012345678  USDT      a sentence that',
      '                                            nobody can read',
      '                                            when it is cut',
      '                                            to nothing',
    ])
    expect(notShown).toEqual(['Left out at 60 columns (--wide shows all): gain_id, sold_at.'])
  })

  test('includes an amount that no row has if there is space, after everything informative', async () => {
    const unknown: Row = ['', 'BTC', null, null, 'USDT', 'no price']
    const importance = [['gain', 'currency'], 'coin', 'reason']
    const { table } = await show(34, [unknown], importance)
    expect(table.split('\n')[0]).toBe('coin  gain  currency  reason')
    expect((await show(26, [unknown], importance)).table.split('\n')[0]).toBe('coin  currency  reason')
  })

  test('labels a sum in the first column if the column that labels it is left out', async () => {
    const sums: Row[] = [
      ['total', null, null, '1234567.123456789012345678', 'USDT', null],
      ['total without a known gain', null, null, null, 'USDT', null],
      ['all', 'BTC', null, '1', 'USDT', null],
    ]
    const at = async (width: number) => {
      const screen = { width, importance: [['gain', 'currency'], 'coin'], totals: sums }
      const { table } = await screenTable(columns, asBatches([row]), screen)
      return table
        .split('\n')
        .slice(4)
        .map((line) => line.slice(0, 16).trim())
    }
    expect(await at(54)).toEqual(['total', 'total without a', 'known gain', 'BTC'])
    // No figure makes room for it.
    expect((await at(42))[2]).toMatch(/^BTC/)
  })

  test('continues the words of a row in up to six lines, and states where they continue', async () => {
    const words = 'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen'
    const { table } = await show(26, [['', 'BTC', null, '12', '', words]], ['gain', 'reason'])
    expect(table.split('\n')).toEqual([
      'gain  reason',
      '────  ────────────────────',
      '  12  one two three four',
      '      five six seven eight',
      '      nine ten eleven',
      '      twelve thirteen',
      '      fourteen fifteen',
    ])
    const more = [['', 'BTC', null, '12', '', `${words} sixteen seventeen eighteen nineteen`]]
    expect((await show(26, more, ['gain', 'reason'])).table.split('\n').slice(-2)).toEqual([
      '      fourteen fifteen',
      '      sixteen seventeen e…',
    ])
  })

  test('breaks a word that is wider than its column, by the columns that its characters occupy', async () => {
    const { table } = await show(
      22,
      [['', 'BTC', null, '12', '', '日本語の長い一つの言葉日本語の長い一つの言葉']],
      ['gain', 'reason'],
    )
    expect(table.split('\n').slice(2)).toEqual([
      '  12  日本語の長い一つ',
      '      の言葉日本語の長',
      '      い一つの言葉',
    ])
  })

  test('keeps a name of up to 32 characters in one piece, and leaves a column out for it', async () => {
    const named: Row = ['', 'futures.subaccountAssets', null, '1', 'USDT', 'some words of a sentence']
    const { table, notShown } = await show(44, [named], ['coin', 'reason', 'currency'])
    expect(table.split('\n')).toEqual([
      'coin                      reason',
      '────────────────────────  ──────────────────',
      'futures.subaccountAssets  some words of a',
      '                          sentence',
    ])
    expect(notShown[0]).toContain('currency')
  })

  test('has no space for a column without values if space is short', async () => {
    const empty: Row = ['', 'BTC', null, null, null, 'some words of a sentence']
    const { table } = await show(24, [empty], [['gain', 'currency'], 'coin', 'reason'])
    expect(table.split('\n')[0]).toBe('coin  reason')
  })

  test('never cuts a figure or an id: at each width a figure is shown to its last digit, or its column is not', async () => {
    for (let width = 20; width <= 160; width += 1) {
      const { table, notShown } = await show(width)
      for (const [index, name] of [
        [0, 'gain_id'],
        [3, 'gain'],
      ] as const) {
        const isThere = table.includes(String(row[index]))
        expect(isThere || notShown.some((line) => line.includes(name))).toBe(true)
        expect(isThere).toBe(table.split('\n')[0]?.split(/\s+/).includes(name))
      }
      for (const line of table.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(width)
    }
  })

  test('shows columns that only have a meaning together either all or not at all', async () => {
    const { table } = await show(34, [row], ['coin', ['gain', 'currency']])
    expect(table.split('\n')[0]).toBe('coin')
  })

  test('with many rows shows the first, and states how many follow and where they are', async () => {
    const rows = Array.from({ length: 1000 }, (_, index): Row => ['', `C${index}`, null, '1', '', ''])
    const { table, notShown } = await show(200, rows)
    expect(table.split('\n')).toHaveLength(2 + ROWS_ON_SCREEN)
    expect(notShown).toEqual([
      '… the first 25 of 1000 rows: --wide shows all, --out FILE.csv writes them to a file.',
    ])
  })

  test('sums all rows below those it shows', async () => {
    const rows = Array.from({ length: 30 }, (): Row => [null, 'BTC', null, '1', 'USDT', ''])
    const { table } = await screenTable(columns, asBatches(rows), {
      width: 12,
      importance: ['coin', 'gain'],
      totals: [['total', null, null, '30', 'USDT', null]],
    })
    expect(table.split('\n').at(-1)).toBe('total    30')
  })

  test('shows times to the minute of UTC if space is short', async () => {
    const { table } = await show(40, [row], ['coin', 'sold_at'])
    expect(table.split('\n')[0]).toBe('coin  sold_at UTC')
    expect(table).toContain('2026-01-05 10:20')
  })

  test.each([
    ['net-worth', 'difference', ['opening_value', 'realised_gains', 'deposits', 'fees', 'closing_value']],
    ['form-8949', 'cost_basis', ['proceeds', 'gain']],
  ])('of %s shows %s only beside what explains it', async (name, column, others) => {
    const of: Column[] = ['account', 'description', ...others, column].map((each) => ({
      name: each,
      kind: each === 'account' || each === 'description' ? 'text' : 'amount',
    }))
    const cells: Row = of.map(({ kind }) => (kind === 'text' ? 'main' : '12345.678'))
    for (const width of [40, 50, 60, 70, 80, 100]) {
      const { table } = await screenTable(of, asBatches([cells]), { width, importance: importances[name] })
      const [heading = ''] = table.split('\n')
      if (heading.includes(column)) for (const other of others) expect(heading).toContain(other)
      if (width === 100) expect(heading).toContain(column)
    }
  })

  test('of a statement shows where a balance is before what it is worth', async () => {
    const of: Column[] = [
      { name: 'account' },
      { name: 'ledger' },
      { name: 'coin' },
      { name: 'line' },
      { name: 'kind' },
      { name: 'amount', kind: 'amount' },
      { name: 'entries', kind: 'number' },
      { name: 'value', kind: 'amount' },
      { name: 'currency' },
      { name: 'no_value_because' },
    ]
    const line = (ledger: string, kind: string, amount: string, value: string | null): Row => [
      ...['broker-sub', ledger, 'USDT', kind === '' ? 'closing' : 'movement', kind],
      ...[amount, 12, value, 'USDT', value === null ? 'no price of USDT in USDT on that day' : null],
    ]
    const rows = [
      line('UNIFIED', 'transfer', '-0.5', '-0.5'),
      line('USDT-FUTURES', '', '1234567.123456789012345678', '1234567.123456789012'),
      line('UNIFIED', '', '1', null),
    ]
    const at = async (width: number) => {
      const screen = { width, importance: importances.statement }
      const { table } = await screenTable(of, asBatches(rows), screen)
      return table.split('\n')[0]?.split(/\s+/).join(' ')
    }
    // 10 + 12 + 4 + 8 + 8 + 26 with five gaps of two are 78; the value is 20 wide, its currency 8, the reason 16.
    expect(await at(78)).toBe('account ledger coin line kind amount')
    expect(await at(99)).toBe('account ledger coin line kind amount entries')
    // The notes below have the currency.
    expect(await at(100)).toBe('account ledger coin line kind amount value')
    expect(await at(110)).toBe('account ledger coin line kind amount value currency')
    expect(await at(128)).toBe('account ledger coin line kind amount value currency no_value_because')
  })
})
