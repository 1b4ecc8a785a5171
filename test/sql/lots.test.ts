// The input of the lots: what each change of a coin was worth, with fees where they belong, and what nobody knows.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lotsStep } from '../../pipeline/lots/step.ts'
import { balanced, type Move, TestBooks } from '../support/books.ts'

let books: TestBooks

const open = async (only?: readonly string[]): Promise<void> => {
  books = await TestBooks.open(only === undefined ? {} : { only })
  await books.account('main', 'unified')
}

/** What most of these tests look at. */
const EVENTS = ['lot_events', 'checks.reporting_currency']

afterEach(async () => {
  await books.close()
})

const types: Readonly<Record<string, string>> = {
  in: 'ORDER_DEALT_IN',
  out: 'ORDER_DEALT_FROZEN_OUT',
  fee: 'ORDER_PLF_FEE_OUT',
}

let id = 0

/** Legs of one moment, written `in 1 BTC` or `out -100 USDT -0.1` (with a fee). */
function legs(ts: string, ...written: string[]): Move[] {
  return written.map((leg) => {
    const [type = '', amount = '', coin = '', fee = '0'] = leg.split(' ')
    id += 1
    return { id: String(id), coin, type: types[type] ?? type, amount, fee, ts }
  })
}

beforeEach(() => {
  id = 0
})

const at = (hour: number, day = 10): string => `2026-01-${day} ${String(hour).padStart(2, '0')}:00:00+00`

const events = () =>
  books.query(
    "select coin, kind, quantity, value from lot_events where currency = 'USDT' order by happened_at, place",
  )

const steps = [lotsStep({ method: 'fifo', scope: 'account' })]

describe('a trade against the reporting currency', () => {
  beforeEach(() => open(EVENTS))

  it('has its fee in the basis, and a fee in a third coin is itself a disposal at its value at the time', async () => {
    await books.tax(
      'SPOT',
      balanced(
        [
          ...legs(at(1), 'in 10 BGB', 'out -40 USDT'),
          ...legs(at(2), 'in 1 ETH', 'fee -0.5 BGB', 'out -3000 USDT'),
          ...legs(at(3), 'in 3100 USDT', 'fee -0.25 BGB', 'out -1 ETH'),
        ],
        { USDT: '5000' },
      ),
    )
    await books.build()
    expect(await events()).toEqual([
      ['BGB', 'acquire', '10', '40'],
      ['ETH', 'acquire', '1', '3002'],
      ['BGB', 'dispose', '0.5', '2'],
      ['BGB', 'dispose', '0.25', '1'],
      ['ETH', 'dispose', '1', '3099'],
    ])
  })

  it('with a fee in the coin bought acquires it gross, and disposes of the fee', async () => {
    await books.tax('SPOT', balanced(legs(at(1), 'in 1 ETH -0.001', 'out -3000 USDT'), { USDT: '5000' }))
    await books.build()
    expect(await events()).toEqual([
      ['ETH', 'acquire', '1', '3003'],
      ['ETH', 'dispose', '0.001', '3'],
    ])
  })

  it('with a rebate has a lower basis', async () => {
    await books.tax('SPOT', balanced(legs(at(1), 'in 1 ETH', 'out -3000 USDT 0.5'), { USDT: '5000' }))
    await books.build()
    expect(await events()).toEqual([['ETH', 'acquire', '1', '2999.5']])
  })
})

describe('a trade of two coins', () => {
  beforeEach(() => open(EVENTS))

  it('is a disposal and an acquisition at the value of what was received, with the fee on the base', async () => {
    await books.tax(
      'SPOT',
      balanced(
        [
          ...legs(at(1), 'in 1 BTC', 'out -90000 USDT'),
          ...legs(at(2), 'in 1 ETH', 'out -3000 USDT'),
          ...legs(at(3), 'in 10 ETH', 'out -0.3 BTC -0.001'),
        ],
        { USDT: '200000' },
      ),
    )
    await books.build()
    expect((await events()).slice(2)).toEqual([
      ['ETH', 'acquire', '10', '30090'],
      ['BTC', 'dispose', '0.3', '30000'],
      ['BTC', 'dispose', '0.001', '90'],
    ])
  })
})

describe('what has no price', () => {
  beforeEach(() => open())

  it('has no value, never zero, and neither has what it is a fee of, and a notice says so', async () => {
    await books.tax(
      'SPOT',
      balanced(
        [
          ...legs(at(1), 'in 10 BGB', 'out -40 USDT'),
          ...legs(at(2, 12), 'in 1 ETH', 'fee -0.5 BGB', 'out -3000 USDT'),
        ],
        { USDT: '5000' },
      ),
    )
    const result = await books.build()
    expect((await events()).slice(1)).toEqual([
      ['ETH', 'acquire', '1', null],
      ['BGB', 'dispose', '0.5', null],
    ])
    expect(result.openBreaks).toMatchObject([{ severity: 'notice', checkName: 'valuation', account: 'main' }])
  })

  it('is unknown for coins from before the books and from outside', async () => {
    await books.tax('SPOT', balanced(legs(at(1), 'TRANSFER_IN 2 BTC', 'TRANSFER_OUT -1 BTC'), { BTC: '5' }))
    await books.build()
    expect(await events()).toEqual([
      ['BTC', 'acquire', '5', null],
      ['BTC', 'acquire', '2', null],
      ['BTC', 'transfer_out', '1', null],
    ])
  })
})

describe('a movement between own wallets', () => {
  beforeEach(() => open(EVENTS))

  it('is matched by its transfer, so that the basis moves with it', async () => {
    await books.tax('SPOT', balanced(legs(at(1), 'TRANSFER_OUT -1 BTC'), { BTC: '5' }))
    await books.page('tax.p2pRecords', [
      { id: '1', p2p_tax_type: 'transfer_in', coin: 'BTC', balance: '1', ts: '2026-01-10 01:00:01+00' },
    ])
    await books.build()
    expect(
      await books.query(
        "select kind, transfer_id from lot_events where kind like 'transfer%' order by kind desc",
      ),
    ).toEqual([
      ['transfer_out', 'main/tax.records/1/amount'],
      ['transfer_in', 'main/tax.records/1/amount'],
    ])
  })
})

describe('margin that is set aside within an account', () => {
  const set = (id: string, day: number, type: string, amount: string): Move => ({
    ...{ id, type, amount, coin: 'BTC' },
    ts: `2026-01-${String(day).padStart(2, '0')} 12:00:00+00`,
  })

  it('returns whenever its position ends, first out first back; what returns from before the books is unknown', async () => {
    await open(EVENTS)
    const moves = [
      set('1', 1, 'FIXED_BACK', '0.4'),
      set('2', 2, 'FIXED_INCREASE_MARGIN', '-0.4'),
      set('3', 3, 'FIXED_ORDER_PLACE_FROZEN', '-0.4'),
      set('4', 9, 'FIXED_ORDER_FROZEN_RETURN', '0.4'),
      set('5', 10, 'FIXED_BACK', '0.4'),
      set('6', 11, 'FIXED_INCREASE_MARGIN', '-0.4'),
      set('7', 12, 'FIXED_BACK', '0.3'),
    ]
    await books.tax('COIN-FUTURES', balanced(moves, { BTC: '5' }))
    await books.build()
    const first = 'main/tax.records/2/amount'
    const second = 'main/tax.records/3/amount'
    expect(
      await books.query('select kind, quantity, transfer_id from lot_events order by happened_at, place'),
    ).toEqual([
      ['acquire', '5', null],
      ['acquire', '0.4', null],
      ['transfer_out', '0.4', first],
      ['transfer_out', '0.4', second],
      ['transfer_in', '0.4', first],
      ['transfer_in', '0.4', second],
      ['transfer_out', '0.4', null],
      ['acquire', '0.3', null],
    ])
  })

  it('keeps its cost, and the books add up', async () => {
    await open()
    const all = balanced(
      [
        ...legs('2026-01-02 00:00:00+00', 'in 1 BTC', 'out -100 USDT'),
        set('50', 3, 'FIXED_INCREASE_MARGIN', '-0.4'),
        set('51', 12, 'FIXED_BACK', '0.4'),
        { id: '60', coin: 'USDT', type: 'ORDER_DEALT_IN', amount: '300', ts: '2026-02-20 00:00:00+00' },
        { id: '61', coin: 'BTC', type: 'ORDER_DEALT_FROZEN_OUT', amount: '-1', ts: '2026-02-20 00:00:00+00' },
      ],
      { USDT: '1000' },
    )
    const isMargin = ({ type }: { readonly type: string }) => type.startsWith('FIXED')
    await books.tax(
      'SPOT',
      all.filter((row) => !isMargin(row)),
    )
    await books.tax('COIN-FUTURES', all.filter(isMargin))
    const { openBreaks } = await books.build({}, { steps })
    expect(openBreaks).toEqual([])
    expect(await books.query('select quantity, proceeds, cost_basis, gain from disposals')).toEqual([
      ['1', '300', '100', '200'],
    ])
  })
})

describe('futures in a coin', () => {
  beforeEach(() => open(EVENTS))

  it('acquire and dispose of that coin at its price', async () => {
    await books.tax('SPOT', balanced(legs(at(1), 'in 1 BTC', 'out -90000 USDT'), { USDT: '100000' }))
    await books.tax('COIN-FUTURES', [
      {
        id: '50',
        coin: 'BTC',
        type: 'CLOSE_LONG',
        amount: '0.02',
        fee: '-0.001',
        balance: '1.019',
        ts: at(2),
      },
    ])
    await books.build()
    expect((await events()).slice(1)).toEqual([
      ['BTC', 'acquire', '0.02', '1800'],
      ['BTC', 'dispose', '0.001', '90'],
    ])
  })
})

describe('the lots', () => {
  beforeEach(() => open())

  it('add up to the entries for every coin, and their gains to the month', async () => {
    await books.tax(
      'SPOT',
      balanced(
        [
          ...legs(at(1), 'in 10 BGB', 'out -40 USDT'),
          ...legs(at(2), 'in 2 ETH', 'fee -0.5 BGB', 'out -6000 USDT'),
          ...legs(at(3), 'in 3100 USDT -3.1', 'out -1 ETH'),
          ...legs(at(4), 'TRANSFER_OUT -0.25 ETH'),
        ],
        { USDT: '10000' },
      ),
    )
    const result = await books.build({}, { steps })
    expect(result.openBreaks).toEqual([])
    expect(await books.query('select coin, quantity_left, cost_basis_left from lots order by 1')).toEqual([
      ['BGB', '9.5', '38'],
      ['ETH', '0.75', '2250.75'],
    ])
    expect(
      await books.query('select month, symbol, realised_pnl, unknown_pieces from pnl_monthly order by 2'),
    ).toEqual([
      ['2026-01-01', 'BGB', '0', '0'],
      ['2026-01-01', 'ETH', '95.9', '0'],
    ])
  })

  it('leave the fees of a fill whose rest is missing to the month: they are in no cost and no proceeds', async () => {
    const whole = balanced(
      [
        ...legs(at(1), 'in 10 BGB', 'out -40 USDT'),
        ...legs(at(2), 'in 1 ETH', 'fee -0.5 BGB', 'out -3000 USDT'),
        ...legs(at(3), 'in 3100 USDT -3.1', 'out -1 ETH'),
        ...legs(at(4), 'in 1 ETH', 'fee -0.25 BGB', 'out -3000 USDT'),
      ],
      { USDT: '10000' },
    )
    await books.tax(
      'SPOT',
      whole.filter(({ id: one }) => one !== '3' && one !== '7'),
    )
    await books.build({}, { steps })
    expect(
      await books.query(
        "select product_line, coin, fees, net_pnl from pnl_monthly where product_line <> 'LOTS' order by coin",
      ),
    ).toEqual([
      ['SPOT', 'BGB', '-0.5', '-0.5'],
      ['SPOT', 'USDT', '-3.1', '-3.1'],
    ])
  })

  it('with a missing record are no error, and what is missing is named once for each coin', async () => {
    const rows = balanced(
      [
        ...legs(at(1), 'in 1 ETH', 'out -3000 USDT'),
        ...legs(at(2), 'in 1 ETH', 'out -3000 USDT'),
        ...legs(at(3), 'in 6600 USDT', 'out -2 ETH'),
      ],
      { USDT: '10000' },
    ).filter(({ id: one }) => one !== '3')
    await books.tax('SPOT', rows)
    const result = await books.build({}, { steps })
    expect(result.openBreaks.filter(({ severity }) => severity !== 'notice')).toMatchObject([
      { checkName: 'balance_chain', coin: 'ETH' },
    ])
    expect(result.openBreaks.find(({ checkName }) => checkName === 'unknown_basis')).toMatchObject({
      coin: 'ETH',
      found: '1.000000000000000000',
    })
    expect(result.published).toBe(true)
  })
})

describe('the reporting currency', () => {
  beforeEach(() => open(EVENTS))

  it('is the configured one, and has no lots', async () => {
    await books.tax('SPOT', balanced(legs(at(1), 'in 1 ETH', 'out -3000 USDC'), { USDC: '5000' }))
    await books.build({ reportingCurrency: 'USDC' })
    expect(await books.query('select coin, value, currency from lot_events')).toEqual([
      ['ETH', '3000', 'USDC'],
    ])
  })

  it('is the one of most trades if several are used, and a notice says so', async () => {
    await books.tax(
      'SPOT',
      balanced(
        [
          ...legs(at(1), 'in 1 ETH', 'out -3000 USDC'),
          ...legs(at(2), 'in 1 ETH', 'out -3000 USDC'),
          ...legs(at(3), 'in 1 ETH', 'out -3001 USDT'),
        ],
        { USDC: '9000', USDT: '9000' },
      ),
    )
    const result = await books.build()
    expect(result.openBreaks.find(({ checkName }) => checkName === 'reporting_currency')).toMatchObject({
      severity: 'notice',
      coin: 'USDC',
    })
  })
})
