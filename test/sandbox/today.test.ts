import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Books } from '../../sandbox/core/books.ts'
import { money } from '../../sandbox/core/money.ts'
import { type Sandbox, type SandboxAccount, startSandbox } from '../../sandbox/index.ts'
import { accountOf, DAY_MS, FUTURES, get, heldClock, NOW, P2P, type Row, readFeed, TAX } from './client.ts'

const DAYS = 90
const fromMs = NOW.getTime() - DAYS * DAY_MS
let sandbox: Sandbox
let parent: SandboxAccount

beforeAll(async () => {
  const clock = heldClock()
  const monotonicMs = () => {
    clock.advance(1e-4)
    return clock.monotonicMs()
  }
  sandbox = await startSandbox({ now: NOW, days: DAYS, speed: 1e9, monotonicMs })
  parent = accountOf(sandbox, 'parent')
})
afterAll(() => sandbox.close())

const futuresOf = (account: SandboxAccount) => readFeed(sandbox, account, FUTURES, {}, fromMs, NOW.getTime())
const spotOf = (account: SandboxAccount) =>
  readFeed(sandbox, account.taxKey, TAX, { bizType: 'SPOT' }, fromMs, NOW.getTime())

describe('funding', () => {
  const lateness = async (account: SandboxAccount): Promise<number[]> =>
    (await futuresOf(account))
      .filter(({ futureTaxType }) => futureTaxType === 'contract_main_settle_fee')
      .map(({ ts }) => Number(ts) % (8 * 3_600_000))

  test('of a classic account is stamped 10 to 15 seconds after the hour, each time with a different delay', async () => {
    const delays = await lateness(accountOf(sandbox, 'classic'))
    expect(delays.length).toBeGreaterThan(100)
    for (const delay of delays) {
      expect(delay).toBeGreaterThanOrEqual(10_000)
      expect(delay).toBeLessThanOrEqual(15_000)
    }
    expect(new Set(delays).size).toBeGreaterThan(50)
  })

  test('of a unified account is stamped on the hour', async () => {
    const delays = await lateness(parent)
    expect(delays.length).toBeGreaterThan(100)
    expect(new Set(delays)).toEqual(new Set([0]))
  })
})

describe('a past transfer', () => {
  /** Milliseconds from the leg that pays to the one that receives, for each leg of the first list. */
  function apart(paying: Row[], receiving: Row[]): number[] {
    return paying.map((out) => {
      const twins = receiving.filter(
        (into) =>
          (into.amount ?? into.balance) === (out.amount ?? out.balance).replace('-', '') &&
          Math.abs(Number(into.ts) - Number(out.ts)) <= 57,
      )
      expect(twins).toHaveLength(1)
      return Number(twins[0].ts) - Number(out.ts)
    })
  }
  const expectApart = (gaps: number[]): void => {
    expect(gaps.length).toBeGreaterThan(3)
    for (const gap of gaps.map(Math.abs)) expect(gap >= 24 && gap <= 57).toBe(true)
    expect(new Set(gaps.map(Math.sign))).toEqual(new Set([-1, 1]))
  }
  const ofType = (rows: Row[], type: string) => rows.filter((row) => (row.type ?? row.p2pTaxType) === type)

  test('between the P2P wallet and the account is recorded 24 to 57 ms apart, with either leg first', async () => {
    const [spot, p2p] = [
      await spotOf(parent),
      await readFeed(sandbox, parent, P2P, {}, fromMs, NOW.getTime()),
    ]
    expectApart([
      ...apart(ofType(p2p, 'transfer-out'), ofType(spot, 'TRANSFER_IN')),
      ...apart(
        ofType(spot, 'TRANSFER_OUT').filter(({ amount }) => amount === '-1500'),
        ofType(p2p, 'transfer-in'),
      ),
    ])
  })

  test('between a parent and its sub-accounts is too', async () => {
    const [main, one, two] = [
      await spotOf(parent),
      await spotOf(sandbox.accounts[4]!),
      await spotOf(sandbox.accounts[5]!),
    ]
    // What a sub-account pays out goes to its P2P wallet or to the parent.
    const fromSub = ofType(one, 'TRANSFER_OUT')
    const fromMain = ofType(main, 'TRANSFER_OUT').filter(({ amount }) => amount !== '-1500')
    expectApart([
      ...apart(fromSub, ofType(main, 'TRANSFER_IN')),
      ...apart(fromMain, [...ofType(one, 'TRANSFER_IN'), ...ofType(two, 'TRANSFER_IN')]),
    ])
  })

  test('that is received first cannot be spent twice: its amount is held until it is paid', () => {
    const books = new Books()
    books.open('1')
    books.move('1', 'UNIFIED', 'USDT', money('100'))
    books.hold('1', 'UNIFIED', 'USDT', money('70'))
    expect(books.balance('1', 'UNIFIED', 'USDT')).toBe(money('30'))
    expect(books.move('1', 'UNIFIED', 'USDT', money('-20'))).toBe(money('80'))
    books.hold('1', 'UNIFIED', 'USDT', money('-70'))
    expect(books.balance('1', 'UNIFIED', 'USDT')).toBe(money('80'))
  })
})

describe('orders', () => {
  const historyOf = (category: string): Promise<Row[]> =>
    readFeed(
      sandbox,
      parent,
      {
        path: '/api/v3/trade/history-orders',
        cursor: 'cursor',
        id: 'orderId',
        spanDays: 30,
        limit: 100,
        rows: (data) => data.list,
      },
      { category },
      fromMs,
      NOW.getTime(),
    )
  const PRESETS = [
    'takeProfit',
    'stopLoss',
    'tpTriggerBy',
    'slTriggerBy',
    'tpOrderType',
    'slOrderType',
    'tpLimitPrice',
    'slLimitPrice',
  ]

  test('have their own clientOid, unique and never the orderId', async () => {
    const orders = (await Promise.all(['SPOT', 'MARGIN', 'USDT-FUTURES'].map(historyOf))).flat()
    expect(orders.length).toBeGreaterThan(500)
    for (const { orderId, clientOid } of orders) expect(clientOid).not.toBe(orderId)
    expect(new Set(orders.map(({ clientOid }) => clientOid)).size).toBe(orders.length)
  })

  test('have today’s fields: all of them null in most, a margin mode except in spot, a trade side in futures', async () => {
    const beyond = (row: Row) =>
      Object.keys(row).filter((name) => [...PRESETS, 'marginMode', 'tradeSide'].includes(name))
    const [spot, margin, futures] = await Promise.all(['SPOT', 'MARGIN', 'USDT-FUTURES'].map(historyOf))
    for (const row of spot!) expect(beyond(row)).toEqual(PRESETS)
    for (const row of margin!) expect(beyond(row)).toEqual([...PRESETS, 'marginMode'])
    for (const row of futures!) expect(beyond(row)).toEqual([...PRESETS, 'marginMode', 'tradeSide'])
    expect(new Set(margin!.map(({ marginMode }) => marginMode))).toEqual(new Set(['crossed', 'isolated']))
    for (const { tradeSide, reduceOnly } of futures!) {
      expect(tradeSide).toBe(reduceOnly === 'YES' ? 'close' : 'open')
    }
    const guarded = futures!.filter(({ takeProfit }) => takeProfit !== null)
    expect(guarded.length).toBeGreaterThan(0)
    expect(guarded.length).toBeLessThan(futures!.length / 5)
    expect(guarded.every(({ stopLoss, tpTriggerBy }) => stopLoss !== null && tpTriggerBy === 'market')).toBe(
      true,
    )
  })

  test('have a null trade side in the one-way mode', async () => {
    const { data } = await get(sandbox, sandbox.accounts[4]!, '/api/v3/trade/history-orders', {
      category: 'USDT-FUTURES',
    })
    expect(new Set(data.list.map(({ tradeSide }: Row) => tradeSide))).toEqual(new Set([null]))
  })

  test('sometimes have the newer time in force and the newer cancel reason', async () => {
    const orders = await historyOf('SPOT')
    const forces = new Set(orders.map(({ timeInForce }) => timeInForce))
    expect(forces).toEqual(new Set(['gtc', 'ioc', 'rpi']))
    const cancelled = orders.filter(({ orderStatus }) => orderStatus === 'cancelled')
    const late = cancelled.filter(({ cancelReason }) => cancelReason === 'cancel_receiveWindow')
    expect(late.length).toBeGreaterThan(0)
    expect(late.length).toBeLessThan(cancelled.length / 3)
    expect(orders.filter(({ timeInForce }) => timeInForce === 'rpi').length).toBeLessThan(orders.length / 5)
  })
})

test('positions have a cash dividend, which is empty, and settings the level of the account', async () => {
  const { data } = await get(sandbox, parent, '/api/v2/mix/position/all-position', {
    productType: 'USDT-FUTURES',
  })
  expect(new Set(data.map(({ cashDividend }: Row) => cashDividend))).toEqual(new Set(['']))
  const level = async (account: SandboxAccount) =>
    (await get(sandbox, account, '/api/v3/account/settings')).data.accountLevel
  expect([await level(parent), await level(sandbox.accounts[4]!)]).toEqual(['advanced', 'basic'])
})
