// Methods side by side: what counts in each column. The figures of whole books are in test/evidence/freeze-methods.test.ts.
import { expect, test } from 'vitest'
import { book, cells, show } from '../rules/books.ts'

test('the cost of what was sold for an unknown amount is in no column, as its proceeds and gain are not', async () => {
  const dir = await book('USD', [
    'main buy b1 2025-01-01 2 BTC 200',
    'main sell s1 2025-02-01 1 BTC ?',
    'main sell s2 2025-02-02 1 BTC 150',
  ])
  const figures = ['fifo_proceeds', 'fifo_cost_basis', 'fifo_gain', 'fifo_unknown_pieces']
  expect(cells(await show(dir, 'gains', { methods: 'fifo,lifo' }), ...figures)).toEqual(['150 100 50 1'])
})

test('a selection of lots is that of the method specific alone', async () => {
  const dir = await book('USD', [
    'main buy b1 2025-01-01 1 BTC 100',
    'main buy b2 2025-01-02 1 BTC 300',
    'main buy b3 2025-01-03 1 BTC 200',
    'main sell s1 2025-02-01 1 BTC 400',
  ])
  const selection = new Map([['s1', [{ lotId: 'b2', quantity: 10n ** 18n }]]])
  const shown = await show(dir, 'gains', { methods: 'fifo,specific,lifo', selection })
  expect(cells(shown, 'fifo_gain', 'specific_gain', 'lifo_gain')).toEqual(['300 100 200'])
})
