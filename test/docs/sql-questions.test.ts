// The questions of docs/sql.md, each as it stands there, asked of small books.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packageRoot } from '../../pipeline/config/root.ts'
import { type Ledger, openLedger } from '../../pipeline/ledger/ledger.ts'
import { lotsStep } from '../../pipeline/lots/step.ts'
import { allRows } from '../../pipeline/output/column.ts'
import { examples } from '../../pipeline/serve/examples.ts'
import { balanced, TestBooks } from '../support/books.ts'

const page = readFileSync(join(packageRoot, 'docs', 'sql.md'), 'utf8')
const questions = [...page.matchAll(/\*\*([^*]+)\*\*[^\n]*\n\n```sql\n([\s\S]*?)```/g)].map(
  ([, name = '', query = '']) => [name, query.trim()] as const,
)

let books: TestBooks
let ledger: Ledger

beforeAll(async () => {
  books = await TestBooks.open()
  await books.account('main', 'unified')
  await books.tax(
    'SPOT',
    balanced(
      [
        { id: '1', coin: 'BTC', type: 'ORDER_DEALT_IN', amount: '1', ts: '2026-01-05 00:00:00+00' },
        {
          id: '2',
          coin: 'USDT',
          type: 'ORDER_DEALT_FROZEN_OUT',
          amount: '-100',
          fee: '-1',
          ts: '2026-01-05 00:00:00+00',
        },
        { id: '3', coin: 'BTC', type: 'ORDER_DEALT_FROZEN_OUT', amount: '-1', ts: '2026-01-06 00:00:00+00' },
        { id: '4', coin: 'USDT', type: 'ORDER_DEALT_IN', amount: '130', ts: '2026-01-06 00:00:00+00' },
        { id: '5', coin: 'USDC', type: 'INCREASE_MARGIN', amount: '-40', ts: '2026-01-06 00:00:00+00' },
        { id: '6', coin: 'USDC', type: 'TRANSFER_OUT', amount: '-7', ts: '2026-01-06 00:00:00+00' },
      ],
      { USDT: '1000', USDC: '50' },
    ),
  )
  const file = { page_id: '90', imported_at: '2026-01-07 00:00:00+00' }
  await books.insert('imports', { ...file, kind: 'trades', file_name: 'trades.csv' })
  const rows = [
    { id: 'a', page_row: '0', fee: '3', fee_currency: 'USDT' },
    { id: 'b', page_row: '1', fee: '-1', fee_currency: 'USDT' },
  ]
  for (const row of rows) {
    await books.insert('imported_trades', {
      ...{ page_id: '90', nanos: '0', occurred_at: '2026-01-02 00:00:00+00', account: 'main', type: 'buy' },
      ...{ asset: 'ETH', quantity: '1', currency: 'USDT', total: '50' },
      ...row,
    })
  }
  const filled = {
    category: 'SPOT',
    symbol: 'SOLUSDT',
    side: 'buy',
    cum_exec_qty: '2',
    cum_exec_value: '300',
  }
  const times = { created_time: '2026-01-05 00:00:00+00', updated_time: '2026-01-05 00:00:00+00' }
  await books.page(
    'trade.orderHistory',
    [
      {
        ...{ order_id: '9', order_status: 'filled', ...filled, ...times },
        fee_detail: '[{"feeCoin":"BGB","fee":"0.5"},{"feeCoin":"SOL","fee":"0.001"}]',
      },
    ],
    { partition: 'SPOT', account: 'keyless' },
  )
  const limit = { order_type: 'limit', order_status: 'filled', symbol: 'ETHUSDT', side: 'buy', ...times }
  const better = { price: '50', avg_price: '49', cum_exec_qty: '2' }
  await books.page('trade.orderHistory', [{ ...limit, ...better, order_id: '10', category: 'SPOT' }], {
    partition: 'SPOT',
  })
  await books.page(
    'trade.orderHistory',
    [{ ...limit, ...better, avg_price: '47', order_id: '11', category: 'USDT-FUTURES' }],
    { partition: 'USDT-FUTURES' },
  )
  await books.statement({ feed: 'p2p.orders', status: 'failed', code: '40014', reason: 'no permission' })
  await books.statement({ feed: 'loan.ltv', status: 'not_applicable', code: '40084' })
  await books.build(
    { reportingCurrency: 'USDT' },
    { steps: [lotsStep({ method: 'fifo', scope: 'account' })] },
  )
  ledger = await openLedger(books.dir)
})

afterAll(async () => {
  ledger.close()
  await books.close()
})

const answer = async (name: string): Promise<unknown[][]> => {
  const [, query = ''] = questions.find(([one]) => one === name) ?? []
  return (await allRows((await ledger.stream(query)).rows)).map((row) => [...row])
}

test('there are ten, of at most ten lines each', () => {
  expect(questions).toHaveLength(10)
  expect(questions.filter(([, query]) => query.split('\n').length > 10)).toEqual([])
})

test.each(questions.map(([name]) => name))('%s is answered', async (name) => {
  expect(Array.isArray(await answer(name))).toBe(true)
})

test('answers are those of the books: 1,000 less 101 and the value of a fee, plus 130, and a gain of 29', async () => {
  expect((await answer('Net worth over time')).map((row) => row[1])).toEqual(['999', '1029'])
  expect(await answer('Fees by symbol')).toEqual([
    ['ETHUSDT', 'USDT', '2', '2', 0],
    ['BTCUSDT', 'USDT', '1', '1', 0],
    // Of an account without tax records, whose trades its orders tell: nothing values their fees.
    ['SOLUSDT', 'BGB', '0.5', null, 1],
    ['SOLUSDT', 'SOL', '0.001', null, 1],
  ])
  expect(await answer('Gains by holding period')).toEqual([
    ['up to a year', 'USDT', 1, '130', '101', '29', 0],
  ])
})

test('a feed that failed as a whole is complete on no day, and one that does not apply has no gaps', async () => {
  const days = ['2026-01-02', '2026-01-03', '2026-01-04', '2026-01-05', '2026-01-06']
  expect(await answer('Days on which a feed is not complete')).toEqual(
    days.map((day) => ['main', 'p2p.orders', '', day, 'failed', 'no permission']),
  )
})

test('margin that is set aside within an account was not sent to anyone outside', async () => {
  expect(await answer('Who sent what to whom')).toEqual([
    ['USDC', 'main:UNIFIED', 'margin', 1, '40'],
    ['USDC', 'main:UNIFIED', 'outside', 1, '7'],
  ])
})

test('a pair and the futures contract of the same name each have their own slippage, also in the console', async () => {
  const apart = [
    ['SPOT', 'ETHUSDT', 'buy', 1, '2', '2'],
    ['USDT-FUTURES', 'ETHUSDT', 'buy', 1, '2', '6'],
  ]
  expect(await answer('Slippage of limit orders')).toEqual(apart)
  const { sql = '' } = examples.find(({ title }) => title === 'Slippage of limit orders') ?? {}
  expect(await allRows((await ledger.stream(sql)).rows)).toEqual(apart)
})

const joins = page.slice(page.indexOf('## Joining tables'), page.indexOf('## What is allowed'))
const statements = [...joins.matchAll(/```sql\n([\s\S]*?)```/g), ...joins.matchAll(/`(select [^`]*)`/g)].map(
  ([, sql = '']) => sql,
)

test('the joins work as printed, and none counts a row twice', async () => {
  expect(statements).toHaveLength(4)
  const answers = new Map<string, unknown>()
  for (const sql of statements) answers.set(sql, await allRows((await ledger.stream(sql)).rows))
  const of = (start: string): unknown => answers.get(statements.find((sql) => sql.startsWith(start)) ?? '')
  expect(of('  select trades.symbol')).toEqual([['BTCUSDT', 2, '230', 'USDT', 0]])
  expect(of('select d.coin')).toEqual([['BTC', 1, '29']])
})

test('a position that pays in two coins has two rows, and is counted once as the page states', async () => {
  const [, count = ''] = /positions are counted as `([^`]+)`/.exec(joins) ?? []
  const rows = "(values ('a', 'USDT-FUTURES', 'BTCUSDT', 'USDT'), ('a', 'USDT-FUTURES', 'BTCUSDT', 'BGB'))"
  const positions = `select *, 'long' as hold_side, 1 as position_number, 'closed' as state
    from ${rows} as one (account, product_type, symbol, margin_coin)`
  const { rows: counted } = await ledger.stream(`select ${count} as positions from (${positions})`)
  expect(await allRows(counted)).toEqual([[1]])
})
