// Futures against everything else that tells of them: open positions (4.12), orders and their fees (4.11), and the results
// of single positions, from flat to flat, computed by hand.
import { describe, expect, it } from 'vitest'
import { balanced, type Cells, LEDGER_CHECKS, type Move, type TestBooks } from '../support/books.ts'
import { builtTogether, type SharedBooks, sharedBooks, type Told } from '../support/many-books.ts'
import { runModel } from '../support/one-model.ts'

/** What these books are made of. */
const MADE = [
  'futures_pnl',
  'futures_positions_pnl',
  ...LEDGER_CHECKS,
  'checks.futures_v3_v2',
  'checks.order_fees',
  'checks.orders_vs_futures',
  'checks.positions',
]

/** All feeds are known until half past midnight, and positions are read some seconds later. */
const covers = ['2026-01-01 00:00:00+00', '2026-01-31 00:30:00+00'] as const
const at = (day: number, time = '12:00:00'): string => `2026-01-${String(day).padStart(2, '0')} ${time}+00`

/** `id type amount fee symbol when` */
type Line = readonly [id: string, type: string, amount: string, fee: string, symbol: string, ts: string]

/** A short position of three fills that is closed, then a long one that is still open: realised 30, fees 2.7, funding −1.5. */
const history: readonly Line[] = [
  ['1', 'OPEN_SHORT', '0', '-1', 'BTCUSDT', at(3)],
  ['2', 'CLOSE_SHORT', '-8', '-1.1', 'BTCUSDT', at(4)],
  ['3', 'OPEN_LONG', '0', '-1.2', 'BTCUSDT', at(5)],
  ['4', 'CONTRACT_MAIN_SETTLE_FEE_USER_OUT', '-2', '0', 'BTCUSDT', at(6, '08:00:00')],
  ['5', 'OPEN_LONG', '0', '-0.7', 'BTCUSDT', at(7)],
  ['6', 'CONTRACT_MAIN_SETTLE_FEE_USER_IN', '0.5', '0', 'BTCUSDT', at(8, '08:00:00')],
  ['7', 'CLOSE_LONG', '30', '-0.8', 'BTCUSDT', at(9)],
  ['8', 'OPEN_LONG', '0', '-5', 'ETHUSDT', at(9)],
]

const order = (
  id: string,
  symbol: string,
  side: string,
  posSide: string,
  qty: string,
  fee: string,
  ts: string,
) => ({
  order_id: id,
  category: 'USDT-FUTURES',
  symbol,
  side,
  pos_side: posSide,
  cum_exec_qty: qty,
  order_status: 'filled',
  fee_detail: `[{"feeCoin":"USDT","fee":"${fee}"}]`,
  created_time: ts,
  updated_time: ts,
})

const orders: readonly Cells[] = [
  order('901', 'BTCUSDT', 'sell', 'short', '0.4', '1', at(3)),
  order('902', 'BTCUSDT', 'buy', 'short', '0.4', '1.1', at(4)),
  order('903', 'BTCUSDT', 'buy', 'long', '0.5', '1.2', at(5)),
  order('904', 'BTCUSDT', 'buy', 'long', '0.3', '0.7', at(7)),
  order('905', 'BTCUSDT', 'sell', 'long', '0.3', '0.8', at(9)),
  order('906', 'ETHUSDT', 'buy', 'long', '2', '5', at(9)),
]

const position: Cells = {
  symbol: 'BTCUSDT',
  margin_coin: 'USDT',
  hold_side: 'long',
  pos_mode: 'hedge_mode',
  total: '0.5',
  achieved_profits: '30',
  deducted_fee: '2.7',
  total_fee: '-1.5',
  c_time: at(5),
  u_time: at(9),
}

interface Plant {
  readonly booked?: readonly Line[]
  readonly secondary?: readonly Line[]
  readonly filled?: readonly Cells[]
  readonly held?: readonly Cells[]
  readonly kind?: 'unified' | 'classic'
  /** The unified feed wants a key of its own, which is not there. */
  readonly isWithoutTaxKey?: boolean
  /** A record of the unified feed that is left out of the answer, though its balances count it. */
  readonly lost?: string
  /** When the positions are read. */
  readonly receivedAt?: string
}

async function land(
  books: TestBooks | SharedBooks,
  account: string,
  {
    booked = history,
    secondary = booked,
    filled = orders,
    held = [position],
    kind,
    isWithoutTaxKey = false,
    lost,
    receivedAt,
  }: Plant,
  uid?: string,
) {
  await books.account(account, kind ?? 'unified', uid)
  if (kind !== 'classic') {
    const moves: Move[] = booked.map(([id, type, amount, fee, , ts]) => ({
      id,
      coin: 'USDT',
      type,
      amount,
      fee,
      ts,
    }))
    const told = balanced(moves, { USDT: '1000' }).filter(({ id }) => id !== lost)
    if (!isWithoutTaxKey) await books.tax('USDT-FUTURES', told, { account, covers })
    await books.page('trade.orderHistory', filled, { account, partition: 'USDT-FUTURES', covers })
    await books.page('trade.openOrders', [], { account })
  }
  const records = secondary.map(([id, type, amount, fee, symbol, ts]) => {
    return { id: `7${id}`, symbol, margin_coin: 'USDT', future_tax_type: type, amount, fee, ts }
  })
  await books.futures('USDT-FUTURES', records, { account, covers })
  const received = receivedAt === undefined ? {} : { receivedAt }
  await books.page('futures.positions', held, { account, partition: 'USDT-FUTURES', ...received })
}

const together = builtTogether<Plant>({ only: MADE }, land)

const build = (plant: Plant = {}): Promise<Told> => together(plant)

const loud = ({ openBreaks }: Told): string[] =>
  openBreaks
    .filter(({ severity }) => severity !== 'notice')
    .map(({ checkName, expected, found }) => `${checkName}: ${plain(expected)} found ${plain(found)}`)

const plain = (amount: string | null): string => String(amount).replace(/\.?0+$/, '')

const without = (id: string): Line[] => history.filter((line) => line[0] !== id)
const changed = (id: string, to: (line: Line) => Line): Line[] =>
  history.map((line) => (line[0] === id ? to(line) : line))

const again = (id: string, under: string): Line[] =>
  history.flatMap((line): Line[] => {
    const [, ...rest] = line
    return line[0] === id ? [line, [under, ...rest]] : [line]
  })

describe.concurrent('a futures record of a classic account that is repeated under another id', () => {
  const closed = { kind: 'classic', filled: [], held: [] } as const

  it('is a break if it is funding, even after its position was closed', async () => {
    expect(loud(await build({ ...closed, secondary: history }))).toEqual([])
    const result = await build({ ...closed, secondary: again('4', '14') })
    expect(loud(result)).toEqual(['duplicate_records: -2 found -4'])
    expect(result.openBreaks.find(({ checkName }) => checkName === 'duplicate_records')).toMatchObject({
      severity: 'warning',
      account: 'main',
      ledger: 'USDT-FUTURES',
      coin: 'USDT',
      evidence: '["74","714"]',
      explanation:
        '2 futures records of type CONTRACT_MAIN_SETTLE_FEE_USER_OUT in BTCUSDT are identical except for their ids.',
    })
  })

  it('is the cause of the figures of an open position', async () => {
    const result = await build({ ...closed, secondary: again('4', '14'), held: [position] })
    expect(loud(result)).toEqual(['duplicate_records: -2 found -4'])
    expect(result.openBreaks.find(({ checkName }) => checkName === 'positions')).toMatchObject({
      severity: 'notice',
      explanation: expect.stringContaining(
        'this follows from the futures record 74, which was reported twice',
      ),
    })
  })

  it('is no break if it is a fill, since an order filled in equal parts reports the same', async () => {
    expect(loud(await build({ ...closed, secondary: again('2', '12') }))).toEqual([])
  })
})

describe.concurrent('a futures record of a unified account whose unified feed is not read', () => {
  const alone = { isWithoutTaxKey: true, held: [] } as const

  it('is compared with the orders, so that a repeated fill is a break if no position is known', async () => {
    expect(loud(await build(alone))).toEqual([])
    expect(loud(await build({ ...alone, secondary: again('5', '15') }))).toEqual([
      'order_fees: 0.7 found 1.4',
    ])
  })

  it('is not compared with them before the first order, when the account was a classic one', async () => {
    const late = orders.slice(2)
    expect(loud(await build({ ...alone, filled: late }))).toEqual([])
  })
})

describe.concurrent('an open position', () => {
  it('reports what the records since its opening add up to', async () => {
    expect(loud(await build())).toEqual([])
  })

  it.each([
    ['realised another result', { achieved_profits: '30.01' }, 'positions: 30.01 found 30'],
    ['paid other fees', { deducted_fee: '2.69' }, 'positions: 2.69 found 2.7'],
    ['was charged other funding', { total_fee: '-1.49' }, 'positions: -1.49 found -1.5'],
    ['was charged funding where none stands', { total_fee: null, c_time: at(5) }, 'positions: 0 found -1.5'],
  ])('that %s is one break', async (_what, cells, expected) => {
    expect(loud(await build({ held: [{ ...position, ...cells }] }))).toEqual([expected])
  })

  it('is one break even if every figure differs, and names the records since its opening', async () => {
    const wrong = { achieved_profits: '1', deducted_fee: '1', total_fee: '1' }
    const result = await build({ held: [{ ...position, ...wrong }] })
    expect(loud(result)).toEqual(['positions: 1 found 30'])
    const found = result.openBreaks.find(({ checkName }) => checkName === 'positions')
    expect(found?.explanation).toContain(
      'realised PnL 1 against 30, fees 1 against 2.7, funding 1 against -1.5',
    )
    expect(JSON.parse(found?.evidence ?? '')[0]).toBe('main/tax.records/3/fee')
  })

  it.each([
    ['of its own alone', '0', '2', []],
    ['of the order that turned it round too', '10', '3', []],
    ['of the order that turned it round in part', '0', '2.4', []],
    ['of neither', '0.01', '2', ['positions: 0.01 found 0']],
    ['of more than both', '0', '3.01', ['positions: 3.01 found 2']],
  ])('that was reversed reports what is %s', async (_what, profits, fees, expected) => {
    const booked: Line[] = [
      ['1', 'BUY_DEAL', '0', '-5', 'BTCUSDT', at(3)],
      ['2', 'SELL_DEAL', '10', '-1', 'BTCUSDT', at(4)],
      ['3', 'SELL_DEAL', '0', '-2', 'BTCUSDT', at(5)],
    ]
    const filled = [
      order('901', 'BTCUSDT', 'buy', '', '1', '5', at(3)),
      order('902', 'BTCUSDT', 'sell', '', '3', '1', at(4)),
      order('903', 'BTCUSDT', 'sell', '', '1', '2', at(5)),
    ]
    const turned = { hold_side: 'short', pos_mode: 'one_way_mode', total: '3', total_fee: null }
    const figures = { achieved_profits: profits, deducted_fee: fees, c_time: at(4), u_time: at(5) }
    expect(loud(await build({ booked, filled, held: [{ ...position, ...turned, ...figures }] }))).toEqual(
      expected,
    )
  })

  it('may report funding with either sign', async () => {
    expect(loud(await build({ held: [{ ...position, total_fee: '1.5' }] }))).toEqual([])
  })

  it('shows a record that a classic account misses, has twice or has wrong, where no balance shows it', async () => {
    const classic = { kind: 'classic', filled: [] } as const
    expect(loud(await build({ ...classic, secondary: without('7') }))).toEqual(['positions: 30 found 0'])
  })

  it.each([
    ['lacks', without('5'), 'positions: 2.7 found 2'],
    [
      'has twice',
      [...history, ['17', ...(history[6]?.slice(1) ?? [])] as unknown as Line],
      'positions: 30 found 60',
    ],
    [
      'has with the wrong sign of its fee',
      changed('5', ([id, type, amount, , ...rest]) => [id, type, amount, '0.7', ...rest]),
      'positions: 2.7 found 1.3',
    ],
    [
      'has with another funding',
      changed('4', ([id, type, , ...rest]) => [id, type, '-2.01', ...rest]),
      'positions: -1.5 found -1.51',
    ],
  ])('shows a record that a classic account %s', async (_what, secondary, expected) => {
    expect(loud(await build({ kind: 'classic', secondary, filled: [] }))).toEqual([expected])
  })

  it('follows from the open balance chain if there is one', async () => {
    expect(loud(await build({ lost: '7' })).map((text) => text.split(':')[0])).toEqual(['balance_chain'])
  })

  it('follows from a record that one of two feeds is missing', async () => {
    const result = await build({ booked: without('7'), secondary: history })
    expect(loud(result).map((text) => text.split(':')[0])).toEqual(['futures_v3_v2'])
  })

  it('is not compared if it changed after the records end, nor with a record in the same minute', async () => {
    const wrong = { ...position, achieved_profits: '99' }
    expect(loud(await build({ held: [{ ...wrong, u_time: '2026-01-31 00:30:01+00' }] }))).toEqual([])
  })

  it('leaves funding out if an hour may have erased some since the records end', async () => {
    const held = [{ ...position, total_fee: '-9' }]
    const late = { kind: 'classic', held, receivedAt: '2026-02-01 00:40:00+00' } as const
    expect(loud(await build(late))).toEqual([])
  })

  it('leaves funding out while both sides of the contract are held', async () => {
    const other = { ...position, hold_side: 'short', c_time: at(8), achieved_profits: '0', deducted_fee: '0' }
    expect(
      loud(
        await build({
          held: [
            { ...position, total_fee: '-9' },
            { ...other, total_fee: '7.5' },
          ],
        }),
      ),
    ).toEqual([])
  })
})

describe.concurrent('fees of futures orders', () => {
  it('differ if the order reports another fee', async () => {
    const filled = orders.map((one) =>
      one.order_id === '904' ? { ...one, fee_detail: '[{"feeCoin":"USDT","fee":"0.71"}]' } : one,
    )
    expect(loud(await build({ filled }))).toEqual(['order_fees: 0.71 found 0.7'])
  })

  it('differ if the order is missing', async () => {
    const filled = orders.filter(({ order_id }) => order_id !== '904')
    expect(loud(await build({ filled }))).toEqual(['order_fees: 0 found 0.7'])
  })

  it('may be cut off at their last decimal', async () => {
    const booked = changed('5', ([id, type, amount, , ...rest]) => [
      id,
      type,
      amount,
      '-0.7000000012',
      ...rest,
    ])
    const held = [{ ...position, deducted_fee: '2.7000000012' }]
    const told = '[{"feeCoin":"USDT","fee":"0.70000000"}]'
    const filled = orders.map((one) => (one.order_id === '904' ? { ...one, fee_detail: told } : one))
    expect(loud(await build({ booked, filled, held }))).toEqual([])
  })

  it.each(['[]', null, '[{"feeCoin":"","fee":""}]', '[{"feeCoin":null,"fee":null}]'])(
    'prove nothing if an order reports none: %s',
    async (feeDetail) => {
      const filled = orders.map((one) => (one.order_id === '904' ? { ...one, fee_detail: feeDetail } : one))
      expect(loud(await build({ filled }))).toEqual([])
    },
  )
})

describe.concurrent('the values of futures orders', () => {
  const closed = (value: string, price = '20000.00') =>
    orders.map((one) =>
      one.order_id === '901'
        ? { ...one, cum_exec_value: '8000', avg_price: '20000.00' }
        : one.order_id === '902'
          ? { ...one, cum_exec_value: value, avg_price: price }
          : one,
    )

  it('equal what a position has realised from flat to flat', async () => {
    expect(loud(await build({ filled: closed('8008') }))).toEqual([])
  })

  it.each([
    ['8008.01', []],
    ['8008.04', ['orders_vs_futures: -8.04 found -8']],
    ['8018', ['orders_vs_futures: -18 found -8']],
  ])('do so as far as the average price may be cut off: %s', async (value, expected) => {
    const told = await build({ filled: closed(value) })
    expect(loud(told)).toEqual(expected)
    // In the coin of the margin, which the figures are in.
    expect(told.openBreaks.map(({ coin }) => coin)).toEqual(expected.map(() => 'USDT'))
  })

  it.each([
    ['10', []],
    ['11', ['orders_vs_futures: 6 found 7']],
  ])(
    'equal what two positions have realised of which one order reversed the first: %s',
    async (result, expected) => {
      const value = (id: string, side: string, qty: string, price: string, worth: string, day: number) => ({
        ...order(id, 'BTCUSDT', side, '', qty, '1', at(day)),
        avg_price: price,
        cum_exec_value: worth,
      })
      const booked: Line[] = [
        ['1', 'BUY_DEAL', '0', '-1', 'BTCUSDT', at(3)],
        ['2', 'SELL_DEAL', result, '-1', 'BTCUSDT', at(4)],
        ['3', 'BUY_DEAL', '-4', '-1', 'BTCUSDT', at(6)],
      ]
      const filled = [
        value('901', 'buy', '1', '100.00', '100', 3),
        value('902', 'sell', '3', '110.00', '330', 4),
        value('903', 'buy', '2', '112.00', '224', 6),
      ]
      expect(loud(await build({ booked, filled, held: [] }))).toEqual(expected)
    },
  )

  it('are not compared if another order of the side extends into the position', async () => {
    const early = {
      created_time: at(3, '18:00:00'),
      updated_time: at(20),
      pos_side: 'short',
      cum_exec_value: '1',
    }
    const filled = [
      ...closed('8018'),
      { ...order('907', 'BTCUSDT', 'sell', 'short', '0.1', '0', at(20)), ...early },
    ]
    expect(loud(await build({ filled })).filter((text) => text.startsWith('orders_vs_futures'))).toEqual([])
  })
})

describe.concurrent('the results of a position', () => {
  const { it, books } = sharedBooks({ only: MADE })
  const build = async (plant: Plant = {}) => {
    await land(books, 'main', plant)
    await books.build()
  }

  const results = (account = 'main') =>
    books.query(
      `select symbol, hold_side, position_number, state, strftime(opened_at, '%d %H:%M'), strftime(closed_at, '%d %H:%M'),
       realised_pnl, fees, funding, net_pnl
     from futures_positions_pnl where account = '${account}'
     order by symbol, hold_side nulls last, position_number nulls last`,
    )

  const sums = async (account = 'main') => [
    await books.query(
      `select sum(realised_pnl), sum(fees), sum(funding), sum(net_pnl) from futures_positions_pnl
       where account = '${account}'`,
    ),
    await books.query(
      `select sum(realised_pnl), sum(fees), sum(funding), sum(net_pnl) from futures_pnl where account = '${account}'`,
    ),
  ]

  it('are those of its records, from flat to flat', async () => {
    await build()
    expect(await results()).toEqual([
      ['BTCUSDT', 'long', '1', 'open', '05 12:00', null, '30', '-2.7', '-1.5', '25.8'],
      ['BTCUSDT', 'short', '1', 'closed', '03 12:00', '04 12:00', '-8', '-2.1', '0', '-10.1'],
      ['ETHUSDT', 'long', '1', 'open', '09 12:00', null, '0', '-5', '0', '-5'],
    ])
    const [positions, days] = await sums()
    expect(positions).toEqual(days)
  })

  it('are those of two positions if it was closed and opened again', async () => {
    const booked: Line[] = [
      ...history,
      ['11', 'CLOSE_LONG', '-3', '-0.9', 'BTCUSDT', at(10)],
      ['12', 'OPEN_LONG', '0', '-0.4', 'BTCUSDT', at(11)],
      ['13', 'CLOSE_LONG', '7', '-0.5', 'BTCUSDT', at(12)],
    ]
    const filled = [
      ...orders,
      order('911', 'BTCUSDT', 'sell', 'long', '0.5', '0.9', at(10)),
      order('912', 'BTCUSDT', 'buy', 'long', '0.1', '0.4', at(11)),
      order('913', 'BTCUSDT', 'sell', 'long', '0.1', '0.5', at(12)),
    ]
    await build({ booked, filled, held: [] })
    expect((await results()).slice(0, 2)).toEqual([
      ['BTCUSDT', 'long', '1', 'closed', '05 12:00', '10 12:00', '27', '-3.6', '-1.5', '21.9'],
      ['BTCUSDT', 'long', '2', 'closed', '11 12:00', '12 12:00', '7', '-0.9', '0', '6.1'],
    ])
  })

  it('end where a position opened before the orders was closed, and the next one begins there', async () => {
    const booked: Line[] = [
      ['1', 'CLOSE_LONG', '20', '-1', 'BTCUSDT', at(3)],
      ['2', 'OPEN_LONG', '0', '-2', 'BTCUSDT', at(5)],
      ['3', 'CONTRACT_MAIN_SETTLE_FEE_USER_IN', '0.7', '0', 'BTCUSDT', at(6, '08:00:01')],
      ['4', 'CLOSE_LONG', '50', '-3', 'BTCUSDT', at(7)],
    ]
    const closed = [
      order('901', 'BTCUSDT', 'sell', 'long', '0.5', '1', at(3)),
      order('902', 'BTCUSDT', 'buy', 'long', '0.5', '2', at(5)),
      order('903', 'BTCUSDT', 'sell', 'long', '0.5', '3', at(7)),
    ]
    await build({ booked, filled: closed, held: [] })
    const rows = await results()
    expect(rows.map((row) => [...row.slice(1, 4), ...row.slice(5)])).toEqual([
      ['long', '1', 'closed', '03 12:00', '20', '-1', '0', '19'],
      ['long', '2', 'closed', '07 12:00', '50', '-5', '0.7', '45.7'],
    ])
    expect(rows[1]?.[4]).toBe('05 12:00')
  })

  it('in one-way mode, whose records report no side, follow the side of the orders', async () => {
    const booked: Line[] = [
      ['1', 'BUY_DEAL', '0', '-1', 'BTCUSDT', at(3)],
      ['2', 'CONTRACT_MAIN_SETTLE_FEE_USER_OUT', '-2', '0', 'BTCUSDT', at(3, '16:00:00')],
      ['3', 'SELL_DEAL', '10', '-1', 'BTCUSDT', at(4)],
      ['4', 'SELL_DEAL', '0', '-1', 'BTCUSDT', at(5)],
      ['5', 'CONTRACT_MAIN_SETTLE_FEE_USER_IN', '3', '0', 'BTCUSDT', at(5, '16:00:00')],
      ['6', 'BUY_DEAL', '-4', '-1', 'BTCUSDT', at(6)],
    ]
    const expected = [
      ['BTCUSDT', 'long', '1', 'closed', '03 12:00', '04 12:00', '10', '-2', '-2', '6'],
      ['BTCUSDT', 'short', '1', 'closed', '05 12:00', '06 12:00', '-4', '-2', '3', '-3'],
    ]
    const filled = (long: string, short: string) => [
      order('901', 'BTCUSDT', 'buy', long, '1', '1', at(3)),
      order('902', 'BTCUSDT', 'sell', long, '1', '1', at(4)),
      order('903', 'BTCUSDT', 'sell', short, '2', '1', at(5)),
      order('904', 'BTCUSDT', 'buy', short, '2', '1', at(6)),
    ]
    await land(books, 'main', { booked, filled: filled('long', 'short'), held: [] })
    await land(books, 'old', { booked, filled: filled('', ''), held: [] })
    await books.build()
    expect(await results()).toEqual(expected)
    expect(await results('old')).toEqual(expected)
  })

  it('are those of two positions if one order reversed it, whose fee is divided between neither', async () => {
    const booked: Line[] = [
      ['1', 'BUY_DEAL', '0', '-1', 'BTCUSDT', at(3)],
      ['2', 'CONTRACT_MAIN_SETTLE_FEE_USER_OUT', '-2', '0', 'BTCUSDT', at(3, '16:00:00')],
      ['3', 'SELL_DEAL', '10', '-3', 'BTCUSDT', at(4)],
      ['4', 'CONTRACT_MAIN_SETTLE_FEE_USER_IN', '3', '0', 'BTCUSDT', at(5, '16:00:00')],
      ['5', 'BUY_DEAL', '-4', '-2', 'BTCUSDT', at(6)],
    ]
    const filled = [
      order('901', 'BTCUSDT', 'buy', '', '1', '1', at(3)),
      order('902', 'BTCUSDT', 'sell', '', '3', '3', at(4)),
      order('903', 'BTCUSDT', 'buy', '', '2', '2', at(6)),
    ]
    await build({ booked, filled, held: [] })
    expect(await results()).toEqual([
      ['BTCUSDT', 'long', '1', 'closed', '03 12:00', '04 12:00', '10', '-1', '-2', '7'],
      ['BTCUSDT', 'short', '1', 'closed', '04 12:00', '06 12:00', '-4', '-2', '3', '-3'],
      ['BTCUSDT', null, null, 'unknown', '04 12:00', null, '0', '-3', '0', '-3'],
    ])
    const [positions, days] = await sums()
    expect(positions).toEqual(days)
  })

  it('are those of each position if it was reversed again and again, and is open at the end', async () => {
    const booked: Line[] = [
      ['1', 'BUY_DEAL', '0', '-1', 'BTCUSDT', at(3)],
      ['2', 'SELL_DEAL', '5', '-2', 'BTCUSDT', at(4)],
      ['3', 'BUY_DEAL', '-7', '-3', 'BTCUSDT', at(5)],
      // The resting order sells from eleven to one: long on the hour, short after its last fill.
      ['4', 'SELL_DEAL', '1', '-0.1', 'BTCUSDT', at(6, '12:30:00')],
      ['5', 'SELL_DEAL', '2', '-0.2', 'BTCUSDT', at(6, '13:00:10')],
      ['6', 'CONTRACT_MAIN_SETTLE_FEE_USER_OUT', '-0.5', '0', 'BTCUSDT', at(7, '16:00:00')],
    ]
    const resting = { created_time: at(6, '11:00:00'), updated_time: at(6, '13:00:10') }
    const filled = [
      order('901', 'BTCUSDT', 'buy', '', '1', '1', at(3)),
      order('902', 'BTCUSDT', 'sell', '', '2', '2', at(4)),
      order('903', 'BTCUSDT', 'buy', '', '3', '3', at(5)),
      { ...order('904', 'BTCUSDT', 'sell', '', '5', '0.3', at(6)), ...resting },
    ]
    const onHours: Line[] = [
      ...booked.slice(0, 3),
      ['7', 'CONTRACT_MAIN_SETTLE_FEE_USER_IN', '0.25', '0', 'BTCUSDT', at(6, '12:00:00')],
      ...booked.slice(3, 4),
      ['8', 'CONTRACT_MAIN_SETTLE_FEE_USER_IN', '0.75', '0', 'BTCUSDT', at(6, '13:00:00')],
      ...booked.slice(4),
    ]
    await build({ booked: onHours, filled, held: [] })
    expect(await results()).toEqual([
      ['BTCUSDT', 'long', '1', 'closed', '03 12:00', '04 12:00', '5', '-1', '0', '4'],
      ['BTCUSDT', 'long', '2', 'closed', '05 12:00', '06 13:00', '3', '0', '0.25', '3.25'],
      ['BTCUSDT', 'short', '1', 'closed', '04 12:00', '05 12:00', '-7', '0', '0', '-7'],
      ['BTCUSDT', 'short', '2', 'open', '06 13:00', null, '0', '0', '-0.5', '-0.5'],
      // Fees of all three orders, and the funding of an hour at which the order may have turned it already.
      ['BTCUSDT', null, null, 'unknown', '04 12:00', null, '0', '-5.3', '0.75', '-4.55'],
    ])
    const [positions, days] = await sums()
    expect(positions).toEqual(days)
  })

  it('are those of one position if another order was active while one reversed it', async () => {
    const booked: Line[] = [
      ['1', 'BUY_DEAL', '0', '-1', 'BTCUSDT', at(3)],
      ['2', 'BUY_DEAL', '0', '-0.5', 'BTCUSDT', at(4, '11:00:00')],
      ['3', 'SELL_DEAL', '10', '-3', 'BTCUSDT', at(4)],
    ]
    const filled = [
      order('901', 'BTCUSDT', 'buy', '', '1', '1', at(3)),
      order('902', 'BTCUSDT', 'buy', '', '0.5', '0.5', at(4, '11:00:00')),
      { ...order('903', 'BTCUSDT', 'sell', '', '3', '3', at(4)), created_time: at(4, '10:00:00') },
    ]
    await build({ booked, filled, held: [] })
    expect(await results()).toEqual([
      ['BTCUSDT', 'long', '1', 'open', '03 12:00', null, '10', '-4.5', '0', '5.5'],
    ])
  })

  it('are those of one position up to an order that certainly reversed it, if it may have been reversed before', async () => {
    const booked: Line[] = [
      ['1', 'BUY_DEAL', '0', '-1', 'BTCUSDT', at(3)],
      ['2', 'BUY_DEAL', '0', '-0.5', 'BTCUSDT', at(4, '11:00:00')],
      ['3', 'SELL_DEAL', '10', '-3', 'BTCUSDT', at(4)],
      ['4', 'BUY_DEAL', '-6', '-4', 'BTCUSDT', at(5)],
      ['5', 'SELL_DEAL', '7', '-2', 'BTCUSDT', at(6)],
    ]
    const filled = [
      order('901', 'BTCUSDT', 'buy', '', '1', '1', at(3)),
      order('902', 'BTCUSDT', 'buy', '', '0.5', '0.5', at(4, '11:00:00')),
      { ...order('903', 'BTCUSDT', 'sell', '', '3', '3', at(4)), created_time: at(4, '10:00:00') },
      order('904', 'BTCUSDT', 'buy', '', '4', '4', at(5)),
      order('905', 'BTCUSDT', 'sell', '', '2.5', '2', at(6)),
    ]
    await build({ booked, filled, held: [] })
    expect(await results()).toEqual([
      ['BTCUSDT', 'long', '1', 'closed', '03 12:00', '05 12:00', '4', '-4.5', '0', '-0.5'],
      ['BTCUSDT', 'long', '2', 'closed', '05 12:00', '06 12:00', '7', '-2', '0', '5'],
      ['BTCUSDT', null, null, 'unknown', '05 12:00', null, '0', '-4', '0', '-4'],
    ])
  })

  it('in one-way mode are those of a long position from before the orders, which a sale closes', async () => {
    const booked: Line[] = [
      ['0', 'BUY_DEAL', '0', '-1', 'BTCUSDT', at(2)],
      ['1', 'SELL_DEAL', '20', '-1', 'BTCUSDT', at(3)],
      ['2', 'BUY_DEAL', '0', '-2', 'BTCUSDT', at(5)],
      ['3', 'SELL_DEAL', '50', '-3', 'BTCUSDT', at(7)],
    ]
    const filled = [
      order('901', 'BTCUSDT', 'sell', '', '0.5', '1', at(3)),
      order('902', 'BTCUSDT', 'buy', '', '0.5', '2', at(5)),
      order('903', 'BTCUSDT', 'sell', '', '0.5', '3', at(7)),
    ]
    await build({ booked, filled, held: [] })
    expect(await results()).toEqual([
      ['BTCUSDT', 'long', '1', 'closed', '03 12:00', '03 12:00', '20', '-1', '0', '19'],
      ['BTCUSDT', 'long', '2', 'closed', '05 12:00', '07 12:00', '50', '-5', '0', '45'],
      ['BTCUSDT', null, null, 'unknown', '02 12:00', null, '0', '-1', '0', '-1'],
    ])
  })

  it('count as one position in every coin that it pays in', async () => {
    const booked: Line[] = [
      ['1', 'OPEN_LONG', '0', '-1', 'BTCUSDT', at(3)],
      ['2', 'CLOSE_LONG', '5', '-1', 'BTCUSDT', at(4)],
      ['3', 'CLOSE_LONG', '6', '0', 'BTCUSDT', at(6)],
    ]
    const filled = [
      order('901', 'BTCUSDT', 'buy', 'long', '1', '1', at(3)),
      order('902', 'BTCUSDT', 'sell', 'long', '1', '1', at(4)),
      order('903', 'BTCUSDT', 'buy', 'long', '1', '0', at(5)),
      order('904', 'BTCUSDT', 'sell', 'long', '1', '0', at(6)),
    ]
    await land(books, 'main', { booked, filled, held: [] })
    const fees = [
      { id: '91', type: 'ORDER_PLF_FEE_OUT', amount: '-0.3', fee: '0', ts: at(5) },
      { id: '92', type: 'ORDER_PLF_FEE_OUT', amount: '-0.4', fee: '0', ts: at(6) },
    ]
    await books.tax(
      'USDT-FUTURES',
      balanced(
        fees.map((fee) => ({ ...fee, coin: 'BGB' })),
        { BGB: '10' },
      ),
      { covers },
    )
    await books.futures(
      'USDT-FUTURES',
      fees.map(({ type, ...fee }) => ({
        ...fee,
        symbol: 'BTCUSDT',
        margin_coin: 'BGB',
        future_tax_type: type,
      })),
      { covers },
    )
    await books.build()
    expect(
      await books.query(
        `select margin_coin, position_number, state, strftime(opened_at, '%d %H:%M'), realised_pnl, fees
         from futures_positions_pnl order by position_number, margin_coin`,
      ),
    ).toEqual([
      ['USDT', '1', 'closed', '03 12:00', '5', '-2'],
      ['BGB', '2', 'closed', '05 12:00', '0', '-0.7'],
      ['USDT', '2', 'closed', '05 12:00', '6', '0'],
    ])
  })

  it('are separate only as far as orders reach; the rest is in one row, and nothing is lost', async () => {
    await land(books, 'main', { filled: orders.slice(2) })
    await land(books, 'old', { kind: 'classic', filled: [] })
    await books.build()
    expect((await results()).slice(0, 3)).toEqual([
      ['BTCUSDT', 'long', '1', 'open', '05 12:00', null, '30', '-2.7', '-1.5', '25.8'],
      ['BTCUSDT', 'short', null, 'unknown', '03 12:00', null, '-8', '-2.1', '0', '-10.1'],
      ['ETHUSDT', 'long', '1', 'open', '09 12:00', null, '0', '-5', '0', '-5'],
    ])
    expect(await results('old')).toEqual([
      ['BTCUSDT', 'long', null, 'unknown', '05 12:00', null, '30', '-2.7', '0', '27.3'],
      ['BTCUSDT', 'short', null, 'unknown', '03 12:00', null, '-8', '-2.1', '0', '-10.1'],
      ['BTCUSDT', null, null, 'unknown', '06 08:00', null, '0', '0', '-1.5', '-1.5'],
      ['ETHUSDT', 'long', null, 'unknown', '09 12:00', null, '0', '-5', '0', '-5'],
    ])
    const [positions, days] = await sums('old')
    expect(positions).toEqual(days)
  })
})

it('the last reading of a position is compared that has no record of its contract within a minute', async () => {
  const key = 'account varchar, line varchar, symbol varchar, coin varchar, hold_side varchar'
  const line = 'USDT-FUTURES'
  const reading = (symbol: string, page: string, read: string, known = '13:00:00', compared = read) => [
    ...['main', line, symbol, 'USDT', 'long', page, '1'],
    ...[at(5, read), at(5, known), at(5, compared)],
  ]
  const record = (symbol: string | null, coin: string, kind: string, time: string) => [
    ...['main', line, symbol, coin, kind, at(5, time)],
  ]
  const rows = await runModel('staging.compared_positions', {
    'main.entries': {
      columns: `account varchar, product_line varchar, symbol varchar, coin varchar, kind varchar,
        occurred_at timestamptz`,
      rows: [
        record('EDGE', 'USDT', 'fee', '09:59:00'),
        record('NEAR', 'USDT', 'funding', '10:01:00'),
        record('BEFORE', 'USDT', 'realised_pnl', '09:59:01'),
        record('COIN', 'BTC', 'fee', '10:00:00'),
        record('MOVED', 'USDT', 'transfer', '10:00:00'),
        record('ENDED', 'USDT', 'fee', '10:00:00'),
        // A record without a contract may be of any.
        record(null, 'USDT', 'liquidation', '11:00:00'),
      ],
    },
    'staging.position_readings': {
      columns: `${key}, page_id bigint, page_row bigint, read_at timestamptz, known_until timestamptz,
        compared_at timestamptz`,
      rows: [
        reading('EDGE', '1', '10:00:00'),
        reading('NEAR', '1', '10:00:00'),
        reading('BEFORE', '1', '10:00:00'),
        reading('COIN', '1', '10:00:00'),
        reading('MOVED', '1', '10:00:00'),
        // Records end before the reading: they are all in it.
        reading('ENDED', '1', '10:00:30', '10:00:00', '10:00:00'),
        // An older page may have been landed later.
        reading('LATE', '3', '09:00:00'),
        reading('LATE', '2', '12:00:00'),
        reading('ANY', '4', '09:00:00'),
        reading('ANY', '5', '11:00:00'),
      ],
    },
  })
  expect(rows.map(({ symbol, page_id }) => `${symbol} ${page_id}`).toSorted()).toEqual([
    'ANY 4',
    'COIN 1',
    'EDGE 1',
    'ENDED 1',
    'LATE 2',
    'MOVED 1',
  ])
})
