// P2P, transfers between wallets, double entry, and balances day by day.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { balanced, type Cells, LEDGER_CHECKS, type Move, TestBooks } from '../support/books.ts'
import { sharedBooks } from '../support/many-books.ts'

/** What these books are made of. */
const MADE = [
  'balance_history',
  'balances',
  'p2p_trades',
  'postings',
  'transfers',
  ...LEDGER_CHECKS,
  'checks.p2p_match',
  'checks.transfer_legs',
]

let books: TestBooks

/** For tests whose transfers or days would meet those of others, or that build several times or otherwise: books of their own. */
function ownBooks(): void {
  beforeEach(async () => {
    books = await TestBooks.open({ only: MADE })
    await books.account('main', 'unified')
  })

  afterEach(async () => {
    await books.close()
  })
}

const shared = sharedBooks({ only: MADE }, (own) => own.account('main', 'unified'))

const span = ['2026-01-01 00:00:00+00', '2026-01-31 00:00:00+00'] as const

const p2p = (id: number, type: string, coin: string, quantity: string, ts: string): Cells => ({
  id: String(id),
  p2p_tax_type: type,
  coin,
  balance: quantity,
  ts,
})

const loud = (result: { openBreaks: readonly { severity: string; checkName: string }[] }): string[] =>
  result.openBreaks.filter(({ severity }) => severity !== 'notice').map(({ checkName }) => checkName)

const records = [
  p2p(1, 'buy', 'USDT', '100', '2026-01-10 10:00:00+00'),
  p2p(2, 'transfer-out', 'USDT', '60', '2026-01-10 11:00:00+00'),
  p2p(3, 'SELL', 'USDT', '30', '2026-01-11 10:00:00+00'),
]
const orders = [
  {
    order_id: 'o1',
    side: 'buy',
    coin: 'USDT',
    count: '100',
    fiat: 'EUR',
    amount: '92',
    price: '0.92',
    status: 'Completed',
    c_time: '2026-01-10 09:40:00+00',
    release_time: '2026-01-10 09:59:58+00',
  },
  {
    order_id: 'o2',
    side: 'sell',
    coin: 'USDT',
    count: '30',
    fiat: 'EUR',
    amount: '28.2',
    price: '0.94',
    status: 'Completed',
    c_time: '2026-01-11 09:40:00+00',
    release_time: '2026-01-11 10:00:03+00',
  },
  {
    order_id: 'o3',
    side: 'sell',
    coin: 'USDT',
    count: '30',
    status: 'cancelled',
    c_time: '2026-01-11 09:00:00+00',
  },
]

describe.concurrent('the P2P wallet', () => {
  const { it, books } = shared

  it('takes its signs from the types, and its fiat side from the merchant orders', async () => {
    await books.page('tax.p2pRecords', records, { covers: span })
    await books.page('p2p.orders', orders, { covers: span })
    expect(loud(await books.build())).toEqual([])
    expect(await books.query('select ledger, coin, quantity from balances')).toEqual([['P2P', 'USDT', '10']])
    expect(
      await books.query(
        'select side, quantity, fiat, fiat_amount, price, order_id from p2p_trades order by traded_at',
      ),
    ).toEqual([
      ['buy', '100', 'EUR', '92', '0.92', 'o1'],
      ['sell', '30', 'EUR', '28.2', '0.94', 'o2'],
    ])
  })

  it('matches equal consecutive deals in their order', async () => {
    const equal = [
      p2p(1, 'buy', 'USDT', '100', '2026-01-10 10:00:00+00'),
      p2p(3, 'sell', 'USDT', '30', '2026-01-11 10:00:04+00'),
      p2p(4, 'sell', 'USDT', '30', '2026-01-11 10:00:09+00'),
    ]
    await books.page('tax.p2pRecords', equal, { covers: span })
    const sold = { ...orders[1], fiat: 'EUR' }
    const completed = [
      orders[0] as Cells,
      { ...sold, order_id: 'o2', amount: '28', release_time: '2026-01-11 10:00:00+00' },
      { ...sold, order_id: 'o4', amount: '29', release_time: '2026-01-11 10:00:05+00' },
    ]
    await books.page('p2p.orders', completed, { covers: span })
    expect(loud(await books.build())).toEqual([])
    expect(await books.query('select order_id, fiat_amount from p2p_trades order by traded_at')).toEqual([
      ['o1', '92'],
      ['o2', '28'],
      ['o4', '29'],
    ])
  })

  it('is a break if an order or a record has no counterpart', async () => {
    await books.page('tax.p2pRecords', records.slice(0, 2), { covers: span })
    await books.page('p2p.orders', orders.slice(1), { covers: span })
    const result = await books.build()
    expect(result.openBreaks.filter(({ severity }) => severity === 'warning')).toMatchObject([
      { checkName: 'p2p_match', evidence: '["main/tax.p2pRecords/1/amount"]' },
      { checkName: 'p2p_match', evidence: '["p2p.orders/o2"]' },
    ])
  })
})

describe('the P2P wallet, in books of one test', () => {
  ownBooks()

  it('is one break where the quantity alone differs, for each of two own accounts that traded with each other', async () => {
    await books.account('desk', 'unified')
    const order = { ...(orders[0] as Cells), count: '101' }
    for (const [account, side] of [
      ['main', 'buy'],
      ['desk', 'sell'],
    ] as const) {
      const record = p2p(1, side, 'USDT', '100', '2026-01-10 10:00:00+00')
      await books.page('tax.p2pRecords', [record], { account, covers: span })
      await books.page('p2p.orders', [{ ...order, side }], { account, covers: span })
    }
    const { openBreaks } = await books.build()
    const told = openBreaks.filter(({ checkName }) => checkName === 'p2p_match')
    expect(told.map(({ account, evidence }) => [account, evidence]).sort()).toEqual([
      ['desk', '["desk/tax.p2pRecords/1/amount","p2p.orders/o1"]'],
      ['main', '["main/tax.p2pRecords/1/amount","p2p.orders/o1"]'],
    ])
    expect(told.map(({ explanation }) => explanation).sort()).toEqual([
      'A P2P buy and its completed merchant order report different quantities.',
      'A P2P sell and its completed merchant order report different quantities.',
    ])
  })

  it('says that answers about the other side have been erased, if they covered its time', async () => {
    await books.page('tax.p2pRecords', records.slice(0, 2), { covers: span })
    await books.page('p2p.orders', orders.slice(1), { covers: span })
    const half = (days: readonly [string, string]) => days.map((day) => `2026-01-${day} 00:00:00+00`)
    // The record of 10 January has no order, the order of 11 January no record.
    const near = await books.page('p2p.orders', [], { covers: half(['05', '15']) as [string, string] })
    const far = await books.page('p2p.orders', [], { covers: half(['13', '20']) as [string, string] })
    const other = await books.page('tax.p2pRecords', [], { covers: half(['01', '20']) as [string, string] })
    const explanations = async (...pages: number[]) => {
      await books.sql(`update landing.main.pages set is_erased = page_id in (${[0, ...pages].join(', ')})`)
      const { openBreaks } = await books.build()
      return openBreaks
        .filter(({ checkName }) => checkName === 'p2p_match')
        .map(({ explanation }) => explanation)
    }
    const noOrder = 'A P2P buy has no completed merchant order, so its fiat side is unknown.'
    const noRecord = 'A completed P2P sell order has no P2P record.'
    expect(await explanations(far)).toEqual([noOrder, noRecord])
    expect(await explanations(near, far)).toEqual([
      `${noOrder} Orders that were received for this time have been erased.`,
      noRecord,
    ])
    expect(await explanations(other)).toEqual([
      noOrder,
      `${noRecord} Records that were received for this time have been erased.`,
    ])
  })

  it('books no row of a type without a direction, and warns once', async () => {
    await books.page(
      'tax.p2pRecords',
      [...records, p2p(4, 'appeal_return', 'USDT', '7', '2026-01-12 10:00:00+00')],
      {
        covers: span,
      },
    )
    expect(loud(await books.build())).toEqual(['unknown_type'])
    expect(await books.query('select quantity from balances')).toEqual([['10']])
  })
})

describe('a transfer', () => {
  ownBooks()

  const out: Move = {
    id: '5',
    coin: 'USDT',
    type: 'TRANSFER_OUT',
    amount: '-60',
    ts: '2026-01-10 11:00:00+00',
  }
  const home: Move = {
    id: '6',
    coin: 'USDT',
    type: 'TRANSFER_IN',
    amount: '20',
    ts: '2026-01-12 11:00:00+00',
  }
  const moves = [
    p2p(1, 'transfer_in', 'USDT', '60', '2026-01-10 11:00:01+00'),
    p2p(2, 'transfer_out', 'USDT', '20', '2026-01-12 10:59:59+00'),
  ]

  it('has its other leg if both wallets are in the books', async () => {
    await books.tax('SPOT', balanced([out, home], { USDT: '100' }), { covers: span })
    await books.page('tax.p2pRecords', moves, { covers: span })
    expect(loud(await books.build())).toEqual([])
    expect(
      await books.query(
        'select ledger, direction, quantity, counter_ledger, transfer_id from transfers order by occurred_at, direction',
      ),
    ).toEqual([
      ['UNIFIED', 'out', '60', 'P2P', 'main/tax.records/5/amount'],
      ['P2P', 'in', '60', 'UNIFIED', 'main/tax.records/5/amount'],
      ['P2P', 'out', '20', 'UNIFIED', 'main/tax.p2pRecords/2/amount'],
      ['UNIFIED', 'in', '20', 'P2P', 'main/tax.p2pRecords/2/amount'],
    ])
  })

  it('between two accounts of the books has one too', async () => {
    await books.account('sub', 'unified', '1002')
    await books.tax('SPOT', balanced([out], { USDT: '100' }))
    await books.tax('SPOT', balanced([{ ...out, id: '9', type: 'TRANSFER_IN', amount: '60' }]), {
      account: 'sub',
    })
    expect(loud(await books.build())).toEqual([])
    expect(await books.query('select account, counter_account from transfers order by account')).toEqual([
      ['main', 'sub'],
      ['sub', 'main'],
    ])
  })

  const swift = (id: number, type: string, at: string): Move => ({
    id: String(id),
    coin: 'USDT',
    type,
    amount: type === 'TRANSFER_OUT' ? '-60' : '60',
    ts: `2026-01-10 11:00:${at}+00`,
  })
  const swiftly = (id: number, type: string, at: string): Cells =>
    p2p(id, type, 'USDT', '60', `2026-01-10 11:00:${at}+00`)
  const pairs = () =>
    books.query(
      `select entry_id, counter_entry_id from transfers where direction = 'out' order by occurred_at, place`,
    )

  it('followed by an equal one before it arrives is matched to its own leg', async () => {
    const outs = [swift(5, 'TRANSFER_OUT', '00.000'), swift(6, 'TRANSFER_OUT', '00.060')]
    await books.tax('SPOT', balanced(outs, { USDT: '200' }), { covers: span })
    const ins = [swiftly(1, 'transfer_in', '00.050'), swiftly(2, 'transfer_in', '00.110')]
    await books.page('tax.p2pRecords', ins, { covers: span })
    expect(loud(await books.build())).toEqual([])
    expect(await pairs()).toEqual([
      ['main/tax.records/5/amount', 'main/tax.p2pRecords/1/amount'],
      ['main/tax.records/6/amount', 'main/tax.p2pRecords/2/amount'],
    ])
  })

  it('that leaves with an equal one in a millisecond and arrives in another has its leg', async () => {
    const outs = [swift(5, 'TRANSFER_OUT', '00.000'), swift(6, 'TRANSFER_OUT', '00.000')]
    await books.tax('SPOT', balanced(outs, { USDT: '200' }), { covers: span })
    const ins = [swiftly(1, 'transfer_in', '00.030'), swiftly(2, 'transfer_in', '00.057')]
    await books.page('tax.p2pRecords', ins, { covers: span })
    expect(loud(await books.build())).toEqual([])
    expect(await pairs()).toEqual([
      ['main/tax.records/5/amount', 'main/tax.p2pRecords/1/amount'],
      ['main/tax.records/6/amount', 'main/tax.p2pRecords/2/amount'],
    ])
  })

  it('stays within its account if another makes an equal one at that time', async () => {
    await books.account('sub', 'unified', '1002')
    await books.tax('SPOT', balanced([swift(5, 'TRANSFER_OUT', '00.000')], { USDT: '60' }), { covers: span })
    await books.page('tax.p2pRecords', [swiftly(1, 'transfer_in', '00.057')], { covers: span })
    const other = { covers: span, account: 'sub' }
    await books.tax('SPOT', balanced([swift(6, 'TRANSFER_OUT', '00.010')], { USDT: '60' }), other)
    await books.page('tax.p2pRecords', [swiftly(2, 'transfer_in', '00.040')], other)
    expect(loud(await books.build())).toEqual([])
    expect(await pairs()).toEqual([
      ['main/tax.records/5/amount', 'main/tax.p2pRecords/1/amount'],
      ['sub/tax.records/6/amount', 'sub/tax.p2pRecords/2/amount'],
    ])
  })

  it('of two equal ones, one of which went elsewhere, is matched to the nearest', async () => {
    const outs = [swift(5, 'TRANSFER_OUT', '00.000'), swift(6, 'TRANSFER_OUT', '00.500')]
    await books.tax('SPOT', balanced(outs, { USDT: '200' }), { covers: span })
    await books.page('tax.p2pRecords', [swiftly(1, 'transfer_in', '00.550')], { covers: span })
    expect(loud(await books.build())).toEqual([])
    expect(await pairs()).toEqual([
      ['main/tax.records/5/amount', null],
      ['main/tax.records/6/amount', 'main/tax.p2pRecords/1/amount'],
    ])
  })

  it('whose other wallet no feed reports is no break', async () => {
    await books.tax('SPOT', balanced([out], { USDT: '100' }), { covers: span })
    expect(loud(await books.build())).toEqual([])
    expect(await books.query('select transfer_id, counter_entry_id from transfers')).toEqual([[null, null]])
  })

  it('that only the P2P wallet reports is a warning on a suspense account, if the account moves both ways', async () => {
    await books.tax('SPOT', balanced([out], { USDT: '100' }), { covers: span })
    await books.page('tax.p2pRecords', moves, { covers: span })
    const result = await books.build()
    expect(loud(result)).toEqual(['transfer_legs'])
    expect(result.openBreaks[0]).toMatchObject({ coin: 'USDT', evidence: '["main/tax.p2pRecords/2/amount"]' })
    expect(await books.query("select amount from postings where account_name = 'Equity:Suspense'")).toEqual([
      ['20'],
    ])
    expect(await books.query('select leg_of, coin from unmatched_legs')).toEqual([['transfer', 'USDT']])
  })

  it('is a notice if the unified chain is open there', async () => {
    const later: Move = { ...home, id: '7', ts: '2026-01-14 00:00:00+00', amount: '1' }
    const rows = balanced([out, home, later], { USDT: '100' }).filter(({ id }) => id !== '6')
    await books.tax('SPOT', rows, { covers: span })
    await books.page('tax.p2pRecords', moves, { covers: span })
    expect(loud(await books.build())).toEqual(['balance_chain'])
  })
})

describe.concurrent('double entry', () => {
  const { it, books } = shared

  it('names the account of each kind, and every transaction sums to zero', async () => {
    const at = '2026-01-10 12:00:00+00'
    await books.tax(
      'SPOT',
      balanced(
        [
          { id: '1', coin: 'ETH', type: 'ORDER_DEALT_IN', amount: '1', fee: '-0.001', ts: at },
          { id: '2', coin: 'USDT', type: 'ORDER_DEALT_FROZEN_OUT', amount: '-3000', ts: at },
          {
            id: '3',
            coin: 'USDT',
            type: 'INTEREST_SETTLEMENT_OUT',
            amount: '-2',
            ts: '2026-01-10 13:00:00+00',
          },
        ],
        { USDT: '5000' },
      ),
    )
    await books.build()
    expect(
      await books.query('select account_name, coin, sum(amount) from postings group by all order by 1, 2'),
    ).toEqual([
      ['Assets:Venue:main:UNIFIED', 'ETH', '0.999'],
      ['Assets:Venue:main:UNIFIED', 'USDT', '1998'],
      ['Equity:Opening', 'USDT', '-5000'],
      ['Equity:Trading', 'ETH', '-1'],
      ['Equity:Trading', 'USDT', '3000'],
      ['Expenses:Fees', 'ETH', '0.001'],
      ['Expenses:Interest', 'USDT', '2'],
    ])
    expect(
      await books.query(
        'select count(*) from (select 1 from postings group by transaction_id, coin having sum(amount) <> 0)',
      ),
    ).toEqual([['0']])
  })
})

describe('balances day by day', () => {
  ownBooks()

  it('are carried forward to the last day of the account, by UTC days', async () => {
    await books.tax(
      'SPOT',
      balanced([
        { id: '1', coin: 'BTC', type: 'TRANSFER_IN', amount: '1', ts: '2026-01-01 23:59:59.999+00' },
        { id: '2', coin: 'USDT', type: 'TRANSFER_IN', amount: '10', ts: '2026-01-02 00:00:00+00' },
        { id: '3', coin: 'USDT', type: 'TRANSFER_OUT', amount: '-4', ts: '2026-01-04 10:00:00+00' },
      ]),
    )
    await books.build()
    expect(
      await books.query('select coin, day, change, quantity from balance_history order by 1, 2'),
    ).toEqual([
      ['BTC', '2026-01-01', '1', '1'],
      ['BTC', '2026-01-02', '0', '1'],
      ['BTC', '2026-01-03', '0', '1'],
      ['BTC', '2026-01-04', '0', '1'],
      ['USDT', '2026-01-02', '10', '10'],
      ['USDT', '2026-01-03', '0', '10'],
      ['USDT', '2026-01-04', '-4', '6'],
    ])
  })
})
