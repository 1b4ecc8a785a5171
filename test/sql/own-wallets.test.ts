// Moves between one's own accounts, wallets that hold less than nothing, and quantities and values that two feeds tell
// differently: one break each.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { balanced, type Cells, LEDGER_CHECKS, type Move, TestBooks } from '../support/books.ts'
import { sharedBooks } from '../support/many-books.ts'
import { runModel, runModels } from '../support/one-model.ts'

/** What these books are made of. */
const MADE = [
  'entries',
  'postings',
  ...LEDGER_CHECKS,
  'checks.orders_vs_tax',
  'checks.p2p_direction',
  'checks.p2p_match',
  'checks.transfer_legs',
]

let books: TestBooks

/** For tests whose accounts meet those of others, or that build several times or otherwise: books of their own. */
function ownBooks(): void {
  beforeEach(async () => {
    books = await TestBooks.open({ only: MADE })
  })

  afterEach(async () => {
    await books.close()
  })
}

const shared = sharedBooks({ only: MADE })

const covers = ['2026-01-01 00:00:00+00', '2026-03-31 00:00:00+00'] as const

const loud = async (of: TestBooks | typeof shared.books = books): Promise<string[]> =>
  (await of.build()).openBreaks
    .filter(({ severity }) => severity !== 'notice')
    .map(({ checkName, account, evidence }) => `${checkName} ${account} ${evidence}`)

/** What the parent sends on these days, and what the sub-account receives. */
const sent = (day: number, id: string): Move => {
  return { id, coin: 'USDT', type: 'TRANSFER_OUT', amount: `-${day}`, ts: at(day) }
}
const received = (day: number, id: string): Move => {
  return { id, coin: 'USDT', type: 'TRANSFER_IN', amount: String(day), ts: at(day) }
}
const at = (day: number): string => `2026-01-${String(day).padStart(2, '0')} 12:00:00+00`

async function family(
  outgoing: readonly Move[],
  incoming: readonly Move[],
  subs: readonly string[] = ['2000'],
) {
  await books.account('parent', 'unified', '1000')
  await books.account('desk', 'unified', '2000')
  await books.tax('SPOT', balanced(outgoing, { USDT: '1000' }), { account: 'parent', covers })
  await books.tax('SPOT', balanced(incoming), { account: 'desk', covers })
  const assets = subs.map((uid) => ({ user_id: uid, asset_list: '[]' }))
  await books.page('futures.subaccountAssets', assets, { account: 'parent', partition: 'USDT-FUTURES' })
}

describe('a transfer between a parent and its sub-account', () => {
  ownBooks()
  const both = [5, 6, 7, 8]

  it('has its other leg in the other account', async () => {
    await family(
      both.map((day) => sent(day, `1${day}`)),
      both.map((day) => received(day, `2${day}`)),
    )
    expect(await loud()).toEqual([])
  })

  it('is a warning if only the sub-account reports it, and is on a suspense account', async () => {
    await family(
      [5, 6, 8].map((day) => sent(day, `1${day}`)),
      both.map((day) => received(day, `2${day}`)),
    )
    expect(await loud()).toEqual(['transfer_legs desk ["desk/tax.records/27/amount"]'])
    expect(await books.query("select amount from postings where account_name = 'Equity:Suspense'")).toEqual([
      ['-7'],
    ])
    expect(await books.query('select account, leg_of from unmatched_legs')).toEqual([['desk', 'family']])
  })

  it('is a notice if the parent’s balance chain is open there', async () => {
    const lost = balanced(
      both.map((day) => sent(day, `1${day}`)),
      { USDT: '1000' },
    ).filter(({ id }) => id !== '17')
    await family(
      [],
      both.map((day) => received(day, `2${day}`)),
    )
    await books.tax('SPOT', lost, { account: 'parent' })
    expect(await loud()).toEqual(['balance_chain parent ["16","18"]'])
  })

  it.each([
    ['is often funded from outside', [5, 6], ['2000']],
    ['is not known to be one', [5, 6, 8], []],
  ])('is no break if the sub-account %s', async (_what, days, subs) => {
    await family(
      days.map((day) => sent(day, `1${day}`)),
      both.map((day) => received(day, `2${day}`)),
      subs,
    )
    expect(await loud()).toEqual([])
  })
})

const p2p = (id: string, type: string, balance: string, day: number): Cells => {
  return {
    id,
    p2p_tax_type: type,
    coin: 'USDT',
    balance,
    ts: `2026-02-${String(day).padStart(2, '0')} 12:00:00+00`,
  }
}

describe.concurrent('a wallet without balances', () => {
  const { it, books } = shared

  it('that would hold less than nothing is missing a record, and the one that shows it is named', async () => {
    await books.account('main', 'unified')
    const rows = [
      p2p('1', 'transfer_in', '10', 5),
      p2p('2', 'transfer_out', '8', 6),
      p2p('3', 'transfer_out', '3', 7),
    ]
    await books.page('tax.p2pRecords', rows, { covers })
    expect(await loud(books)).toEqual(['negative_balance main ["main/tax.p2pRecords/3/amount"]'])
  })

  it('is a notice if its records begin near the edge of what is covered', async () => {
    await books.account('main', 'unified')
    await books.page('tax.p2pRecords', [p2p('2', 'transfer_out', '8', 6)], {
      covers: ['2026-01-20 00:00:00+00', '2026-03-31 00:00:00+00'],
    })
    expect(await loud(books)).toEqual([])
    expect(
      await books.query("select severity, found from breaks where check_name = 'negative_balance'"),
    ).toEqual([['notice', '-8']])
  })
})

describe('a P2P record', () => {
  ownBooks()
  beforeEach(() => books.account('main', 'unified'))

  it('that comes again under its own id is one record, and under another id one break', async () => {
    const one = p2p('1', 'transfer_in', '10', 5)
    await books.page('tax.p2pRecords', [one], { covers })
    await books.page('tax.p2pRecords', [one], { covers })
    expect(await loud()).toEqual([])
    await books.page('tax.p2pRecords', [{ ...one, id: '2' }], { covers })
    expect(await loud()).toEqual(['duplicate_records main ["1","2"]'])
    expect(
      await books.query(
        "select expected, found, difference from breaks where status = 'open' and expected is not null",
      ),
    ).toEqual([['10', '20', '10']])
  })

  it('of a type that is classified without a direction is quarantined with a warning', async () => {
    const types = 'feed,type,kind,direction,family,role,note\ntax.p2pRecords,ADJUST,transfer,either,,,\n'
    writeFileSync(join(books.dir, 'tax_types.csv'), types)
    await books.page('tax.p2pRecords', [p2p('1', 'adjust', '10', 5)], { covers })
    expect(await loud()).toEqual(['p2p_direction main ["1"]'])
    expect(await books.query('select count(*) from entries')).toEqual([['0']])
  })
})

describe.concurrent('a P2P purchase of a different quantity than its merchant order', () => {
  const { it, books } = shared

  it('is one break that names both', async () => {
    await books.account('main', 'unified')
    const order = { order_id: '77', side: 'buy', coin: 'USDT', count: '12', status: 'Completed' }
    const times = { c_time: '2026-02-05 11:50:00+00', release_time: '2026-02-05 12:00:00+00' }
    await books.page('tax.p2pRecords', [p2p('1', 'buy', '11', 5)], { covers })
    await books.page('p2p.orders', [{ ...order, ...times }], { covers })
    expect(await loud(books)).toEqual(['p2p_match main ["main/tax.p2pRecords/1/amount","p2p.orders/77"]'])
  })
})

/** What the breaks say, in the order of the words. */
const words = (of: TestBooks | typeof shared.books, check: string): Promise<(string | null)[][]> =>
  of.query(`select explanation from breaks where check_name = '${check}' order by 1`)

describe.concurrent('an order that does not state what it is about', () => {
  const { it, books } = shared

  it('is a break described in words if it has no side', async () => {
    await books.account('main', 'unified')
    const order = { order_id: '77', side: null, coin: 'USDT', count: '11', status: 'Completed' }
    const times = { c_time: '2026-02-05 11:50:00+00', release_time: '2026-02-05 12:00:00+00' }
    await books.page('tax.p2pRecords', [p2p('1', 'buy', '11', 5)], { covers })
    await books.page('p2p.orders', [{ ...order, ...times }], { covers })
    await books.build()
    expect(await words(books, 'p2p_match')).toEqual([
      ['A P2P buy has no completed merchant order, so its fiat side is unknown.'],
      ['A completed P2P order has no P2P record.'],
    ])
  })
})

describe('an order that does not state what it is about, in books that are built twice', () => {
  ownBooks()

  it('is a break described in words if it has no symbol, and a notice if something is known to be missing', async () => {
    await books.account('main', 'unified')
    const ts = '2026-02-05 12:00:00+00'
    const states = { order_status: 'filled', created_time: ts, updated_time: ts }
    const order = {
      order_id: '77',
      category: 'SPOT',
      symbol: null,
      cum_exec_qty: '0.3',
      cum_exec_value: '900',
    }
    await books.page('trade.orderHistory', [{ ...order, ...states }], { partition: 'SPOT', covers })
    await books.tax('SPOT', [], { covers })
    await books.build()
    const explanation =
      'Orders without a symbol and the trades of the tax records differ in quantity on 1 day or run of days, the first on 2026-02-05'
    expect(await words(books, 'orders_vs_tax')).toEqual([[`${explanation}.`]])
    const change = { id: '1', coin: 'BTC', type: 'TRANSFER_IN', amount: '1', ts }
    await books.tax(
      'SPOT',
      [
        { ...change, balance: '1' },
        { ...change, id: '2', balance: '3' },
      ],
      { covers },
    )
    await books.build()
    const [[caused]] = (await words(books, 'orders_vs_tax')) as [[string]]
    expect(caused).toBe(`${explanation}; this follows from the open balance chain of BTC at record 2.`)
  })
})

describe.concurrent('an order that reports a different value than its trades', () => {
  const { it, books } = shared
  const ts = '2026-02-05 12:00:00+00'
  const legs: Move[] = [
    { id: '1', coin: 'ETH', type: 'ORDER_DEALT_IN', amount: '0.3', ts },
    { id: '2', coin: 'USDT', type: 'ORDER_DEALT_FROZEN_OUT', amount: '-900.12345678', ts },
  ]
  const filled = (value: string): Cells => {
    const states = { order_status: 'filled', created_time: ts, updated_time: ts }
    return {
      order_id: '77',
      category: 'SPOT',
      symbol: 'ETHUSDT',
      cum_exec_qty: '0.3',
      cum_exec_value: value,
      ...states,
    }
  }

  it.each([
    ['900.12345678', [], undefined],
    ['900.12', [], undefined],
    ['900.13', [], undefined],
    ['900.1', ['orders_vs_tax main ["main/tax.records/1","trade.orderHistory/77"]'], '-0.02345678'],
    ['900.13345678', ['orders_vs_tax main ["main/tax.records/1","trade.orderHistory/77"]'], '0.01'],
  ])('is a break beyond what was cut off at the last decimal: %s', async (value, expected, more) => {
    await books.account('main', 'unified')
    await books.tax('SPOT', balanced(legs, { USDT: '1000' }), { covers })
    await books.page('trade.orderHistory', [filled(value)], { partition: 'SPOT', covers })
    await books.page('trade.openOrders', [], {})
    expect(await loud(books)).toEqual(expected)
    expect(
      await books.query(
        "select coin, expected, found, expected - found from breaks where check_name = 'orders_vs_tax'",
      ),
    ).toEqual(more === undefined ? [] : [['USDT', value, '900.12345678', more]])
  })

  it('is compared however its category is spelt', async () => {
    await books.account('main', 'unified')
    await books.tax('SPOT', balanced(legs, { USDT: '1000' }), { covers })
    const spelt = { ...filled('900.1'), category: 'Spot', side: 'BUY' }
    await books.page('trade.orderHistory', [spelt], { partition: 'SPOT', covers })
    expect(await loud(books)).toEqual(['orders_vs_tax main ["main/tax.records/1","trade.orderHistory/77"]'])
    expect(await books.query('select category from orders')).toEqual([['Spot']])
    expect(await books.query('select order_id, venue_symbol from trades')).toEqual([['77', 'ETHUSDT']])
  })

  it('is one with a different quantity, in the base coin, even if no trade tells what that is', async () => {
    await books.account('main', 'unified')
    await books.tax('SPOT', [], { covers })
    await books.page('trade.orderHistory', [filled('900')], { partition: 'SPOT', covers })
    expect(await loud(books)).toEqual(['orders_vs_tax main ["trade.orderHistory/77"]'])
    expect(await books.query('select coin, expected, found from breaks')).toEqual([['ETH', '0.3', '0']])
  })
})

it('legs whose other side should be known: of fills, of wallets and accounts that otherwise show both, well within what is covered', async () => {
  const day = (date: number, time = '12:00:00'): string =>
    `2026-01-${String(date).padStart(2, '0')} ${time}+00`
  let place = 0
  /** A leg of the tenth at noon; `to` is the account of its other leg. */
  const leg = (account: string, to: string | null, more: Readonly<Record<string, string>> = {}) => {
    place += 1
    const { ledger = 'UNIFIED', kind = 'transfer', type = 'in' } = more
    return { account, to, ledger, kind, type, place: String(place), id: `${account}/${place}` }
  }
  const twoKnown = (account: string, more = {}) => [
    leg(account, 'parent', more),
    leg(account, 'parent', more),
  ]
  const legs = [
    ...['sub', 'pair', 'early', 'late', 'of-early'].flatMap((account) => [
      ...twoKnown(account),
      leg(account, null),
    ]),
    // Sent as well as received.
    leg('sub', 'parent', { type: 'out' }),
    leg('sub', 'parent'),
    leg('sub', null, { type: 'out' }),
    // Of another type, or margin.
    ...[leg('sub', null, { type: 'deposit' }), leg('sub', null, { kind: 'margin_move' })],
    // One known leg is no habit, and neither are two of four.
    ...[leg('one', 'parent'), leg('one', null)],
    ...[...twoKnown('half'), leg('half', null), leg('half', null)],
    // What stays within the account, or is of its P2P wallet, says nothing of its family.
    ...[leg('inside', 'inside'), leg('inside', 'inside'), leg('inside', null)],
    ...[...twoKnown('seller', { ledger: 'P2P' }), leg('seller', null)],
    ...['mover', 'uncovered'].flatMap((account) => [
      leg(account, account, { ledger: 'P2P' }),
      leg(account, null, { ledger: 'P2P' }),
    ]),
    ...[leg('stranger', 'mover', { ledger: 'P2P' }), leg('stranger', null, { ledger: 'P2P' })],
  ]
  const subs = ['sub', 'pair', 'early', 'late', 'one', 'half', 'inside', 'seller']
  const covered = (account: string, from: string, to: string) => [account, 'tax.records', 'SPOT', from, to]
  const rows = await runModel('main.unmatched_legs', {
    'staging.trade_legs': {
      columns: 'account varchar, place bigint, coin varchar, occurred_at timestamptz, status varchar',
      rows: [
        ['filled', '1', 'BTC', day(10), 'leftover'],
        ['filled', '2', 'BTC', day(10), 'trade'],
      ],
    },
    'main.transfers': {
      columns: `account varchar, place bigint, coin varchar, occurred_at timestamptz, ledger varchar, counter_account varchar,
        counter_entry_id varchar, kind varchar, entry_id varchar, product_line varchar`,
      rows: legs.map(({ account, to, ledger, kind, place, id }) => [
        ...[
          account,
          place,
          'USDT',
          day(10),
          ledger,
          to,
          to === null ? null : `${to}/other`,
          kind,
          id,
          'SPOT',
        ],
      ]),
    },
    'staging.both_covered': {
      columns: 'comparison varchar, account varchar, starts_at timestamptz, ends_at timestamptz',
      rows: [
        ['transfers', 'mover', day(1), day(20)],
        ['transfers', 'stranger', day(1), day(20)],
        ['transfers', 'uncovered', day(11), day(20)],
        ['orders', 'uncovered', day(1), day(20)],
      ],
    },
    'staging.families': {
      columns: 'sub varchar, parent varchar',
      rows: [...subs.map((sub) => [sub, 'parent']), ['of-early', 'young']],
    },
    'main.entries': {
      columns: 'entry_id varchar, source_feed varchar, type varchar',
      rows: legs.map(({ id, type }) => [id, 'tax.records', type]),
    },
    'staging.types': {
      columns: 'feed varchar, type varchar, canonical_type varchar',
      rows: [
        ['tax.records', 'in', 'TRANSFER_IN'],
        ['tax.records', 'out', 'TRANSFER_OUT'],
        ['tax.records', 'deposit', 'DEPOSIT'],
      ],
    },
    'staging.covered_ranges': {
      columns: 'account varchar, feed varchar, partition varchar, starts_at timestamptz, ends_at timestamptz',
      rows: [
        ...['parent', 'of-early', ...subs]
          .filter((account) => !['early', 'late'].includes(account))
          .map((account) => covered(account, day(1), day(20))),
        // Less than a day before it, or after it.
        covered('early', day(9, '12:00:01'), day(20)),
        covered('late', day(1), day(11, '11:59:59')),
        covered('young', day(9, '12:00:01'), day(20)),
      ],
    },
  })
  expect(rows.map(({ account, leg_of }) => `${account} ${leg_of}`).toSorted()).toEqual([
    'filled trade',
    'mover transfer',
    'pair family',
    'sub family',
    'sub family',
  ])
})

it('margin comes back first out first, beyond what was set aside from before the books; of turns, only those near and between wallets', async () => {
  const day = (date: number): string => `2026-01-0${date} 12:00:00+00`
  const entry = (id: string, place: string, amount: string, kind = 'margin_move', part = 'amount') => [
    ...[`main/${id}`, 'main', 'UNIFIED', 'SPOT', 'USDT', kind, part, day(1), place, amount],
  ]
  const [, rows = []] = await runModels(['staging.transfer_legs', 'main.transfers'], {
    'main.entries': {
      columns: `entry_id varchar, account varchar, ledger varchar, product_line varchar, coin varchar, kind varchar, part varchar,
        occurred_at timestamptz, place bigint, amount decimal(38, 18)`,
      rows: [
        entry('out1', '1', '-5'),
        entry('back1', '2', '5'),
        entry('beyond', '3', '5'),
        entry('out2', '4', '-5'),
        entry('out3', '5', '-5'),
        // Between wallets, though of the same quantity: known as a pair.
        entry('to', '6', '-5'),
        entry('from', '7', '5'),
        entry('back2', '8', '5'),
        entry('other', '9', '6'),
        entry('fee', '10', '-1', 'margin_move', 'fee'),
        ...['near', 'far', 'within'].flatMap((name) => [
          entry(`${name}-out`, '11', '-7', 'transfer'),
          entry(`${name}-in`, '12', '7', 'transfer'),
        ]),
        entry('trade', '13', '7', 'trade'),
      ],
    },
    'staging.transfer_turns': {
      columns: 'first_id varchar, second_id varchar, farthest_ms bigint, stays_in_wallet bigint',
      rows: [
        ['main/near-out', 'main/near-in', '300000', '0'],
        ['main/far-out', 'main/far-in', '300001', '0'],
        ['main/within-out', 'main/within-in', '1', '1'],
      ],
    },
    'staging.nearest_transfers': {
      columns: 'first_id varchar, second_id varchar',
      rows: [['main/to', 'main/from']],
    },
  })
  const short = (id: string | null | undefined): string => id?.slice('main/'.length) ?? '-'
  expect(
    rows
      .map((one) => `${short(one.entry_id)} ${short(one.counter_entry_id)} ${short(one.transfer_id)}`)
      .toSorted(),
  ).toEqual([
    ...['back1 out1 out1', 'back2 out2 out2', 'beyond - -', 'far-in - -', 'far-out - -', 'from to to'],
    ...['near-in near-out near-out', 'near-out near-in near-out', 'other - -', 'out1 back1 out1'],
    ...['out2 back2 out2', 'out3 - -', 'to from to', 'within-in - -', 'within-out - -'],
  ])
})
