// Methods of matching side by side, by hand-computed books: what an owner looks at before deciding on one.
import { describe, expect, test } from 'vitest'
import { openLedger } from '../../pipeline/ledger/ledger.ts'
import { allRows } from '../../pipeline/output/column.ts'
import { makeReport, type ReportOptions } from '../../pipeline/reports/catalogue.ts'
import { type Line, publishBook } from '../exports/tools.ts'

const event = (id: string, at: string, coin: string, amount: string, value: string | null): Line => ({
  id,
  at,
  coin,
  amount,
  value,
})

/** BTC at 100, 300 and 200, one sold for 250; ETH of unknown cost sold for 50. */
const book = [
  event('b1', '2025-01-01', 'BTC', '1', '100'),
  event('b2', '2025-02-01', 'BTC', '1', '300'),
  event('b3', '2025-03-01', 'BTC', '1', '200'),
  event('s1', '2025-04-01', 'BTC', '-1', '250'),
  event('d1', '2025-01-01', 'ETH', '2', null),
  event('s2', '2025-05-01', 'ETH', '-1', '50'),
]

async function compared(options: ReportOptions) {
  const ledger = await openLedger(await publishBook(book))
  try {
    const { columns, rows, totals, notes, importance } = await makeReport(ledger, 'gains', options)
    return { columns: columns.map(({ name }) => name), rows: await allRows(rows), totals, notes, importance }
  } finally {
    ledger.close()
  }
}

describe('report gains --methods', () => {
  test('shows proceeds, cost and gain of each method by coin, and their totals', async () => {
    const { columns, rows, totals, importance } = await compared({ methods: 'fifo,lifo,hifo' })
    const figures = ['proceeds', 'cost_basis', 'gain', 'unknown_pieces']
    expect(columns).toEqual([
      'coin',
      'currency',
      ...['fifo', 'lifo', 'hifo'].flatMap((method) => figures.map((figure) => `${method}_${figure}`)),
    ])
    const btc = ['250', '100', '150', 0, '250', '200', '50', 0, '250', '300', '-50', 0]
    const eth = [null, null, null, 1]
    expect(rows).toEqual([
      ['BTC', 'USDT', ...btc],
      ['ETH', 'USDT', ...eth, ...eth, ...eth],
    ])
    // A narrow terminal shows the gains first.
    expect(importance?.slice(0, 5)).toEqual(['coin', 'currency', 'fifo_gain', 'lifo_gain', 'hifo_gain'])
    expect(totals).toEqual([
      ['total', 'USDT', '250', '100', '150', 1, '250', '200', '50', 1, '250', '300', '-50', 1],
    ])
  })

  test('applies account and period as the report itself does, and a method that changes with a tax year', async () => {
    const { columns, rows } = await compared({ methods: 'fifo,2025:hifo,lifo', to: '2025-04-30' })
    expect(columns.slice(2, 5)).toEqual([
      'fifo,2025:hifo_proceeds',
      'fifo,2025:hifo_cost_basis',
      'fifo,2025:hifo_gain',
    ])
    expect(rows).toEqual([['BTC', 'USDT', '250', '300', '-50', 0, '250', '200', '50', 0]])
  })

  test.each(['fifo', 'fifo,fifo', ''])('%j has nothing to compare and is refused', async (methods) => {
    await expect(compared({ methods })).rejects.toThrow('--methods compares several methods.')
  })

  test('an unknown method, and --method beside it, are refused', async () => {
    await expect(compared({ methods: 'fifo,best' })).rejects.toThrow('Unknown --method: best.')
    await expect(compared({ methods: 'fifo,lifo', method: 'fifo' })).rejects.toThrow(
      '--methods and --method cannot be combined.',
    )
  })
})
