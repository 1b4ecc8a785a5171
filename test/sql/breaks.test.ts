// Planted mistakes in one small book: the check that is meant for each fires, names the culprit, and nothing else does
// above a notice.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lotsStep } from '../../pipeline/lots/step.ts'
import { balanced, type Cells, type Move, type TaxRow, TestBooks } from '../support/books.ts'
import { builtTogether, type Told } from '../support/many-books.ts'

const span = ['2026-01-01 00:00:00+00', '2026-01-31 00:00:00+00'] as const
const at = (day: number, second = 0): string =>
  `2026-01-${String(day).padStart(2, '0')} 12:00:${String(second).padStart(2, '0')}+00`

/** `id line coin type amount fee when` */
const history: readonly [string, string, string, string, string, string, string][] = [
  ['101', 'SPOT', 'BGB', 'ORDER_DEALT_IN', '10', '0', at(5)],
  ['102', 'SPOT', 'USDT', 'ORDER_DEALT_FROZEN_OUT', '-40', '0', at(5)],
  ['103', 'SPOT', 'ETH', 'ORDER_DEALT_IN', '1', '0', at(6)],
  ['104', 'SPOT', 'BGB', 'ORDER_PLF_FEE_OUT', '-0.5', '0', at(6)],
  ['105', 'SPOT', 'USDT', 'ORDER_DEALT_FROZEN_OUT', '-3000', '0', at(6)],
  ['106', 'USDT-FUTURES', 'USDT', 'OPEN_LONG', '0', '-0.6', at(7)],
  ['107', 'USDT-FUTURES', 'USDT', 'CLOSE_LONG', '25', '-0.7', at(8)],
  ['108', 'SPOT', 'USDT', 'TRANSFER_OUT', '-100', '0', at(9)],
  ['109', 'SPOT', 'USDT', 'ORDER_DEALT_IN', '1550', '-1', at(10)],
  ['110', 'SPOT', 'ETH', 'ORDER_DEALT_FROZEN_OUT', '-0.5', '0', at(10)],
  ['111', 'SPOT', 'BGB', 'TRANSFER_OUT', '-1', '0', at(11)],
  ['112', 'SPOT', 'ETH', 'TRANSFER_OUT', '-0.25', '0', at(11, 1)],
  ['113', 'SPOT', 'USDT', 'TRANSFER_IN', '30', '0', at(12)],
]

type Line = TaxRow & { line: string }

const sound = (): Line[] => {
  const moves: Move[] = history.map(([id, , coin, type, amount, fee, ts]) => ({
    id,
    coin,
    type,
    amount,
    fee,
    ts,
  }))
  return balanced(moves, { USDT: '10000' }).map((row, nth) => ({ ...row, line: history[nth]?.[1] as string }))
}

const secondary: Cells[] = [
  {
    id: '1',
    symbol: 'BTCUSDT',
    margin_coin: 'USDT',
    future_tax_type: 'open_long',
    amount: '0',
    fee: '-0.6',
    ts: at(7),
  },
  {
    id: '2',
    symbol: 'BTCUSDT',
    margin_coin: 'USDT',
    future_tax_type: 'close_long',
    amount: '25',
    fee: '-0.7',
    ts: at(8),
  },
]

const wallet: Cells[] = [
  { id: '1', p2p_tax_type: 'transfer_in', coin: 'USDT', balance: '100', ts: at(9, 1) },
  { id: '2', p2p_tax_type: 'transfer_out', coin: 'USDT', balance: '30', ts: at(12, 0) },
]

const orders: Cells[] = [
  { order_id: '1', symbol: 'BGBUSDT', cum_exec_qty: '10', ts: at(5) },
  { order_id: '2', symbol: 'ETHUSDT', cum_exec_qty: '1', ts: at(6) },
  { order_id: '3', symbol: 'ETHUSDT', cum_exec_qty: '0.5', ts: at(10) },
].map(({ ts, ...order }) => ({
  ...order,
  category: 'SPOT',
  order_status: 'filled',
  created_time: ts,
  updated_time: ts,
}))

interface Plant {
  readonly tax: readonly Line[]
  readonly p2p: readonly Cells[]
  readonly filled: readonly Cells[]
}

/** Lands the book, with the tax records in the order in which they are given. */
async function land(books: TestBooks, account: string, { tax, p2p, filled }: Plant, uid?: string) {
  await books.account(account, 'unified', uid)
  for (const line of ['SPOT', 'USDT-FUTURES']) {
    const rows = tax.filter((row) => row.line === line).map(({ line: _line, ...row }) => row)
    await books.tax(line, rows, { account, covers: span })
  }
  await books.futures('USDT-FUTURES', secondary, { account, covers: span })
  await books.page('tax.p2pRecords', p2p, { account, covers: span })
  await books.page('trade.orderHistory', filled, { account, partition: 'SPOT', covers: span })
  await books.page('trade.openOrders', [], { account })
}

const steps = [lotsStep({ method: 'fifo', scope: 'account' })]

// The wallet shows nothing but transfers, so the configuration says that they are what they are called.
const buildOf = (books: TestBooks, accounts: readonly string[]) =>
  books.build(
    {
      accounts: accounts.map((name) => ({ name })),
      p2pTransfers: Object.fromEntries(accounts.map((name) => [name, 'moves' as const])),
    },
    { steps },
  )

const together = builtTogether<Plant>({}, land, buildOf)

const build = (tax: readonly Line[], p2p = wallet, filled = orders) => together({ tax, p2p, filled })

const loud = (result: Told): string[] =>
  result.openBreaks
    .filter(({ severity }) => severity !== 'notice')
    .map(({ checkName, evidence }) => `${checkName} ${evidence}`)

const change = (id: string, to: (row: Line) => Line): Line[] =>
  sound().map((row) => (row.id === id ? to(row) : row))

describe('a sound book', () => {
  let books: TestBooks

  beforeEach(async () => {
    books = await TestBooks.open()
    await land(books, 'main', { tax: sound(), p2p: wallet, filled: orders })
  })

  afterEach(async () => {
    await books.close()
  })

  it('has no break at all', async () => {
    expect((await buildOf(books, ['main'])).openBreaks).toEqual([])
  })

  it('has the unique keys that its models promise', async () => {
    await buildOf(books, ['main'])
    const promises = await books.query(
      `select table_name, regexp_extract(comment, 'keys: ([a-z_, ]+?) unique', 1),
         case when regexp_matches(comment, 'keys: [a-z_, ]+? unique where is_current') then 'where is_current' else '' end
       from duckdb_tables() where regexp_matches(comment, 'keys: [a-z_, ]+? unique')`,
    )
    expect(promises.length).toBeGreaterThan(30)
    for (const [table, keys, where] of promises) {
      const names = String(keys).replace(' and ', ', ')
      const twice = await books.query(
        `select ${names} from ${table} ${where} group by ${names} having count(*) > 1`,
      )
      expect([table, keys, twice]).toEqual([table, keys, []])
      expect(names).not.toBe('')
    }
  })
})

describe.concurrent('a planted mistake', () => {
  it.each([
    ['the received leg of a fill', '103', 'trade_legs ["104","105"]'],
    ['a fee leg', '104', 'balance_chain ["101","111"]'],
    ['the paid leg of a fill', '105', 'balance_chain ["102","106"]'],
    ['a futures record', '107', 'balance_chain ["106","108"]'],
    ['one side of a transfer', '113', 'transfer_legs ["main/tax.p2pRecords/2/amount"]'],
  ])('%s is dropped', async (_what, id, expected) => {
    expect(loud(await build(sound().filter((row) => row.id !== id)))).toEqual([expected])
  })

  it('a record comes twice under two ids', async () => {
    const doubled = sound().flatMap((row) => (row.id === '107' ? [row, { ...row, id: '1070' }] : [row]))
    expect(loud(await build(doubled))).toEqual(['balance_chain ["107","1070"]'])
  })

  it('an amount is wrong', async () => {
    const wrong = change('109', (row) => ({ ...row, amount: '1551' }))
    expect(loud(await build(wrong))).toEqual(['balance_chain ["108","109"]'])
  })

  it('a fee has the wrong sign', async () => {
    const wrong = change('107', (row) => ({ ...row, fee: '0.7' }))
    expect(loud(await build(wrong))).toEqual(['balance_chain ["106","107"]'])
  })

  it('a type is renamed', async () => {
    const wrong = change('105', (row) => ({ ...row, type: 'ORDER_DEALT_ELSEWHERE' }))
    expect(loud(await build(wrong))).toEqual(['unknown_type ["105"]'])
  })

  it('a record is changed after it was received', async ({ onTestFinished }) => {
    const books = await TestBooks.open()
    onTestFinished(() => books.close())
    await land(books, 'main', { tax: sound(), p2p: wallet, filled: orders })
    await buildOf(books, ['main'])
    const changed = sound().find((row) => row.id === '109') as Line
    const { line: _line, ...row } = { ...changed, amount: '1551' }
    await books.tax('SPOT', [row])
    const result = await books.build({}, { steps })
    expect(loud(result)).toEqual(['changed_record ["109"]'])
  })

  it('an order is missing', async () => {
    const result = await build(sound(), wallet, orders.slice(0, 2))
    expect(loud(result)).toEqual(['orders_vs_tax ["main/tax.records/109"]'])
    expect(result.openBreaks[0]).toMatchObject({ coin: 'ETH' })
  })

  it.each([
    ['its own days', at(7), '["main/tax.records/103"]'],
    [
      'the days of another one',
      at(5),
      '["trade.orderHistory/3","main/tax.records/103","main/tax.records/109"]',
    ],
  ])(
    'an order is missing while another is active over %s: what is in that run of days is named',
    async (_what, placed, ids) => {
      const [bgb = {}, eth = {}, sold = {}] = orders
      const living = { ...sold, created_time: placed }
      expect(loud(await build(sound(), wallet, [bgb, eth, living]))).toEqual([])
      expect(loud(await build(sound(), wallet, [bgb, living]))).toEqual([`orders_vs_tax ${ids}`])
    },
  )
})
