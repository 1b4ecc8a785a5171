// Two versions of a report held against each other: which lines are the same line, and what of a column counts that one of
// the two does not have.
import { expect, test } from 'vitest'
import { differenceOf, keyOf } from '../../pipeline/evidence/difference.ts'
import type { Row } from '../../pipeline/output/cell.ts'
import { allRows, asBatches, type Column } from '../../pipeline/output/column.ts'

interface Lines {
  readonly columns: readonly string[]
  readonly rows: readonly Row[]
}

/** As a report has its lines. */
const made = ({ columns, rows }: Lines) => ({
  columns: columns.map((name) => ({ name })),
  rows: asBatches(rows),
})

test('a column added by another version makes no difference for lines in which it is zero', async () => {
  const before = {
    columns: ['account', 'income'],
    rows: [
      ['main', '5'],
      ['spare', '7'],
      ['desk', '0'],
    ],
  }
  const after = {
    columns: ['account', 'income', 'liquidations'],
    rows: [
      ['main', '5', '0'],
      ['spare', '9', '-2'],
      ['desk', '', '0'],
    ],
  }
  const { summary, rows } = await differenceOf('year', ['account'], before, made(after))
  expect(summary).toBe('2 lines changed.')
  expect(await allRows(rows)).toEqual([
    ['changed', 'spare', 'income', '7', '9'],
    ['changed', 'spare', 'liquidations', '', '-2'],
    ['changed', 'desk', 'income', '0', ''],
  ])
  expect((await differenceOf('year', ['account'], after, made(before))).summary).toBe('2 lines changed.')
})

/** What differs between two versions of a report, as its own columns name its lines. */
async function changes(
  name: string,
  columns: readonly Column[],
  before: readonly Row[],
  after: readonly Row[],
): Promise<unknown[][]> {
  const lines = (rows: readonly Row[]) => ({ columns: columns.map(({ name: column }) => column), rows })
  const { rows } = await differenceOf('filing', keyOf(name, columns), lines(before), made(lines(after)))
  return (await allRows(rows)).map((row) => [...row])
}

test('futures of a return are distinguished by their coin: adding another coin before them changes none of them', async () => {
  const columns = ['form', 'line', 'figure', 'value', 'currency'].map((name) =>
    name === 'value' ? ({ name, kind: 'amount' } as const) : { name },
  )
  const future = (value: string, coin: string): Row => ['Futures', null, 'COIN-FUTURES: fees', value, coin]
  expect(
    await changes('taxes', columns, [future('-2', 'ETH')], [future('-0.1', 'BTC'), future('-2.5', 'ETH')]),
  ).toEqual([
    ['changed', 'Futures |  | COIN-FUTURES: fees | ETH', 'value', '-2', '-2.5'],
    ['added', 'Futures |  | COIN-FUTURES: fees | BTC', 'form', '', 'Futures'],
    ['added', 'Futures |  | COIN-FUTURES: fees | BTC', 'figure', '', 'COIN-FUTURES: fees'],
    ['added', 'Futures |  | COIN-FUTURES: fees | BTC', 'value', '', '-0.1'],
    ['added', 'Futures |  | COIN-FUTURES: fees | BTC', 'currency', '', 'BTC'],
  ])
})

test('a highest value on another day is a change of its account, not an account removed and one added', async () => {
  const columns = [
    { name: 'account' },
    { name: 'highest_value', kind: 'amount' },
    { name: 'highest_on', kind: 'date' },
    { name: 'days' },
  ] as const
  expect(
    await changes(
      'account-values',
      columns,
      [['alpha', '21000', '2023-06-20', '364']],
      [['alpha', '24000', '2023-07-01', '364']],
    ),
  ).toEqual([
    ['changed', 'alpha', 'highest_value', '21000', '24000'],
    ['changed', 'alpha', 'highest_on', '2023-06-20', '2023-07-01'],
  ])
})

test('lines with the same key are distinguished by their order, however many there are', async () => {
  const rows = Array.from({ length: 30_000 }, (_, nth): Row => ['main', String(nth)])
  const lines = (of: readonly Row[]) => ({ columns: ['account', 'income'], rows: of })
  const after = made(lines([...rows.slice(0, -1), ['main', 'x']]))
  const changed = await differenceOf('year', ['account'], lines(rows), after)
  expect(await allRows(changed.rows)).toEqual([['changed', 'main (30000)', 'income', '29999', 'x']])
})

test('lines are compared as they are read, and reported in the order of the filing, new ones last', async () => {
  const before = {
    columns: ['account', 'income'],
    rows: ['a', 'b', 'c', 'd'].map((account) => [account, '1']),
  }
  // One row in the place of all: whoever kept it until the end would find the last line in each of them.
  async function* rows() {
    const row: [string, string] = ['', '']
    for (const [account, income] of [
      ['d', '2'],
      ['a', '1'],
      ['b', '3'],
    ] as const) {
      row[0] = account
      row[1] = income
      yield [row]
    }
    yield [['e', '5']]
  }
  const after = { columns: [{ name: 'account' }, { name: 'income' }], rows: rows() }
  const found = await differenceOf('year', ['account'], before, after)
  expect(found.summary).toBe('1 line removed, 2 lines changed, 1 line added.')
  expect(await allRows(found.rows)).toEqual([
    ['removed', 'c', 'account', 'c', ''],
    ['removed', 'c', 'income', '1', ''],
    ['changed', 'b', 'income', '1', '3'],
    ['changed', 'd', 'income', '1', '2'],
    ['added', 'e', 'account', '', 'e'],
    ['added', 'e', 'income', '', '5'],
  ])
})

test('a line whose name looks like that of a repeated one keeps it', async () => {
  const lines = (last: string): Lines => ({
    columns: ['account', 'income'],
    rows: [
      ['a (2)', '1'],
      ['a', '2'],
      ['a', last],
    ],
  })
  const found = await differenceOf('year', ['account'], lines('3'), made(lines('4')))
  expect(await allRows(found.rows)).toEqual([['changed', 'a (3)', 'income', '3', '4']])
})

test('a report without all columns of its key is identified by everything that is not a figure', () => {
  const columns: readonly Column[] = [
    { name: 'coin' },
    { name: 'currency' },
    { name: 'fifo_gain', kind: 'amount' },
    { name: 'fifo_unknown_pieces', kind: 'number' },
  ]
  expect(keyOf('gains', columns)).toEqual(['coin', 'currency'])
  expect(keyOf('net-worth', columns)).toEqual(['coin', 'currency'])
  const all = ['coin', 'lot_id', 'disposal_id', 'acquired_at', 'term'].map((name) => ({ name }))
  expect(keyOf('gains', all)).toEqual(['disposal_id', 'coin', 'lot_id', 'acquired_at'])
})
