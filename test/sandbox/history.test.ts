import { mkdtemp, readFile, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { type Sandbox, startSandbox, type TruthOfAccount, writeSandboxConfig } from '../../sandbox/index.ts'
import {
  accountOf,
  DAY_MS,
  FUTURES,
  get,
  heldClock,
  NOW,
  P2P,
  PARTITIONS,
  type Row,
  readFeed,
  TAX,
} from './client.ts'

const SPEED = 1e9
const DAYS = 120

/** Decimal text as units of 10^-18: the tests add up for themselves. */
function units(text: string): bigint {
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.')
  const value = BigInt(whole + fraction.padEnd(18, '0'))
  return text.startsWith('-') ? -value : value
}

let sandbox: Sandbox
const fromMs = NOW.getTime() - DAYS * DAY_MS

beforeAll(async () => {
  const clock = heldClock()
  // A step with every look, so that requests never share an instant.
  const monotonicMs = () => {
    clock.advance(1e-4)
    return clock.monotonicMs()
  }
  sandbox = await startSandbox({ now: NOW, days: DAYS, speed: SPEED, monotonicMs })
})
afterAll(() => sandbox.close())

async function taxRecords(account: Sandbox['accounts'][number]): Promise<Row[]> {
  const partitions: Row[][] = []
  for (const partition of PARTITIONS) {
    partitions.push(await readFeed(sandbox, account.taxKey, TAX, partition, fromMs, NOW.getTime()))
  }
  return partitions.flat().sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1))
}

function truthOf(uid: string): TruthOfAccount {
  return sandbox.truth().accounts.find((account) => account.uid === uid)!
}

describe('the invented history', () => {
  test('each balance chain of a unified account closes from nothing to the truth', async () => {
    for (const account of sandbox.accounts.filter(({ kind }) => kind === 'unified')) {
      const balances = new Map<string, bigint>()
      for (const { coin, amount, fee, balance } of await taxRecords(account)) {
        const after = (balances.get(coin) ?? 0n) + units(amount) + units(fee)
        expect(units(balance)).toBe(after)
        expect(after >= 0n).toBe(true)
        balances.set(coin, after)
      }
      const truth = truthOf(account.uid).balances.filter(({ ledger }) => ledger === 'UNIFIED')
      expect(new Map(truth.map(({ coin, quantity }) => [coin, units(quantity)]))).toEqual(balances)
    }
  })

  test('the ids are in order of time', async () => {
    for (const account of sandbox.accounts.filter(({ kind }) => kind === 'unified')) {
      const times = (await taxRecords(account)).map(({ ts }) => Number(ts))
      expect(times).toEqual(times.toSorted((a, b) => a - b))
    }
  })

  test('paging returns each record once, and as many as the truth counts', async () => {
    for (const account of sandbox.accounts) {
      const { records } = truthOf(account.uid)
      if (account.kind === 'unified') expect(await taxRecords(account)).toHaveLength(records['tax.records'])
      let futures = 0
      for (const productType of ['USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES']) {
        futures += (await readFeed(sandbox, account, FUTURES, { productType }, fromMs, NOW.getTime())).length
      }
      expect(futures).toBe(records['tax.futuresRecords'])
      const p2p = await readFeed(sandbox, account, P2P, {}, fromMs, NOW.getTime())
      expect(p2p).toHaveLength(records['tax.p2pRecords'])
    }
  })

  test('order history and merchant orders hold what the truth counts', async () => {
    const parent = accountOf(sandbox, 'parent')
    const { records } = truthOf(parent.uid)
    let orders = 0
    for (const category of ['SPOT', 'MARGIN', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES']) {
      const feed = {
        path: '/api/v3/trade/history-orders',
        cursor: 'cursor',
        id: 'orderId',
        spanDays: 30,
        limit: 100,
        rows: (data: Row) => data.list,
      } as const
      orders += (
        await readFeed(sandbox, parent, feed, { category }, NOW.getTime() - 90 * DAY_MS, NOW.getTime())
      ).length
    }
    expect(orders).toBe(records['trade.orderHistory'])
    const answer = await get(sandbox, parent, '/api/v2/p2p/orderList', { limit: '1000' })
    expect(answer.data.orderList).toHaveLength(records['p2p.orders'])
    expect(answer.data.minOrderId).toBe(answer.data.orderList.at(-1).orderId)
  })

  test('a futures record has its counterpart in the tax records: same coin, time, amount and fee', async () => {
    const parent = accountOf(sandbox, 'parent')
    for (const bizType of ['USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES']) {
      const unified = await readFeed(sandbox, parent.taxKey, TAX, { bizType }, fromMs, NOW.getTime())
      const futures = await readFeed(
        sandbox,
        parent,
        FUTURES,
        { productType: bizType },
        fromMs,
        NOW.getTime(),
      )
      const key = ({ coin, marginCoin, ts, amount, fee }: Row) => [coin ?? marginCoin, ts, amount, fee].join()
      expect(unified.map(key).sort()).toEqual(futures.map(key).sort())
    }
  })

  test('the futures results of the truth are the sums of the futures records', async () => {
    for (const account of sandbox.accounts) {
      for (const { productType, symbol, realisedPnl, funding, fees } of truthOf(account.uid).futuresPnl) {
        const rows = await readFeed(sandbox, account, FUTURES, { productType }, fromMs, NOW.getTime())
        const of = rows.filter((row) => row.symbol === symbol)
        const isFunding = (row: Row) => row.futureTaxType === 'contract_main_settle_fee'
        const sum = (some: Row[], field: string) => some.reduce((total, row) => total + units(row[field]), 0n)
        expect(sum(of.filter(isFunding), 'amount')).toBe(units(funding))
        expect(
          sum(
            of.filter((row) => !isFunding(row)),
            'amount',
          ),
        ).toBe(units(realisedPnl))
        expect(sum(of, 'fee')).toBe(units(fees))
      }
    }
  })

  test('a P2P balance is what came in less what went out', async () => {
    for (const account of sandbox.accounts) {
      const rows = await readFeed(sandbox, account, P2P, {}, fromMs, NOW.getTime())
      const balances: Record<string, bigint> = {}
      for (const { coin, p2pTaxType, balance } of rows) {
        const quantity =
          p2pTaxType === 'buy' || p2pTaxType === 'transfer-in' ? units(balance) : -units(balance)
        balances[coin] = (balances[coin] ?? 0n) + quantity
      }
      const truth = truthOf(account.uid).balances.filter(({ ledger }) => ledger === 'P2P')
      expect(Object.fromEntries(truth.map(({ coin, quantity }) => [coin, units(quantity)]))).toEqual(balances)
    }
  })

  test('a year contains everything that can happen to an account', async () => {
    const rows = await taxRecords(accountOf(sandbox, 'parent'))
    const types = new Set(rows.map(({ type }) => type))
    for (const type of [
      'ORDER_DEALT_IN',
      'ORDER_DEALT_FROZEN_OUT',
      'ORDER_PLF_FEE_OUT',
      'TRANSFER_IN',
      'TRANSFER_OUT',
      'SYSTEM_TRANSFER_IN',
      'BORROW',
      'REPAYMENT',
      'INTEREST_SETTLEMENT_OUT',
      'FIXED_BORROW',
      'FIXED_ORDER_DEALT_IN',
      'OPEN_LONG',
      'CLOSE_SHORT',
      'CONTRACT_MAIN_SETTLE_FEE_USER_IN',
      'CONTRACT_MAIN_SETTLE_FEE_USER_OUT',
      'SMALL_ASSET_SOURCE_TOKEN_USER_OUT',
      'SMALL_ASSET_TARGET_TOKEN_USER_IN',
    ]) {
      expect(types).toContain(type)
    }
    expect([...types].some((type) => type.startsWith('BURST_CLOSE'))).toBe(true)
  })

  test('the fees and quantities of filled spot orders equal those of their tax records', async () => {
    const parent = accountOf(sandbox, 'parent')
    const day = { startTime: String(NOW.getTime() - 7 * DAY_MS), endTime: String(NOW.getTime()) }
    const { data } = await get(sandbox, parent, '/api/v3/trade/history-orders', { category: 'SPOT', ...day })
    const records = (await get(sandbox, parent.taxKey, TAX.path, { bizType: 'SPOT', ...day })).data as Row[]
    const filled = (data.list as Row[]).filter((order) => order.orderStatus === 'filled')
    const single = filled.filter((order) => {
      const legs = records.filter(({ ts }) => ts === order.updatedTime)
      return legs.length <= 3 && legs.some(({ amount }) => units(amount) === -units(order.cumExecValue))
    })
    expect(single.length).toBeGreaterThan(0)
    for (const order of single) {
      const legs = records.filter(({ ts }) => ts === order.updatedTime)
      const fees = legs.reduce(
        (sum, { type, amount, fee }) =>
          sum - units(fee) - (type === 'ORDER_PLF_FEE_OUT' ? units(amount) : 0n),
        0n,
      )
      expect(fees).toBe(units(order.feeDetail[0].fee))
      expect(legs.some(({ amount }) => units(amount) === units(order.cumExecQty))).toBe(true)
    }
  })
})

describe('the types of the v2 tax feeds', () => {
  const typesOf = async (account: Sandbox['accounts'][number], from = sandbox) => {
    const futures: Row[] = []
    for (const productType of ['USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES']) {
      futures.push(...(await readFeed(from, account, FUTURES, { productType }, fromMs, NOW.getTime())))
    }
    const p2p = await readFeed(from, account, P2P, {}, fromMs, NOW.getTime())
    return {
      futures,
      names: [...new Set(futures.map(({ futureTaxType }) => futureTaxType))].sort(),
      p2p: [...new Set(p2p.map(({ p2pTaxType }) => p2pTaxType))].sort(),
    }
  }

  test('are the futures ledger’s own names in a classic account, and its transfers have no symbol', async () => {
    const { futures, names, p2p } = await typesOf(accountOf(sandbox, 'classic'))
    expect(names.filter((name) => !name.startsWith('burst_'))).toEqual([
      'close_long',
      'close_short',
      'contract_main_settle_fee',
      'open_long',
      'open_short',
      'trans_from_exchange',
      'trans_to_exchange',
    ])
    for (const { futureTaxType, symbol, amount } of futures) {
      expect(symbol === '').toBe(futureTaxType.startsWith('trans_'))
      if (futureTaxType === 'trans_from_exchange') expect(units(amount) > 0n).toBe(true)
      if (futureTaxType === 'trans_to_exchange') expect(units(amount) < 0n).toBe(true)
    }
    const funding = futures.filter(({ futureTaxType }) => futureTaxType === 'contract_main_settle_fee')
    expect(new Set(funding.map(({ amount }) => units(amount) > 0n))).toEqual(new Set([true, false]))
    expect(p2p).toEqual(['buy', 'sell', 'transfer-in', 'transfer-out'])
  })

  test('buy and sell are opening and closing of futures if the account is in one-way mode', async () => {
    const sub = sandbox.accounts[4]!
    const { futures, names } = await typesOf(sub)
    expect(names).toEqual(['buy', 'contract_main_settle_fee', 'sell'])
    const results = futures.filter(({ futureTaxType, amount }) => futureTaxType === 'sell' && amount !== '0')
    expect(results.length).toBeGreaterThan(0)
    const unified = await readFeed(
      sandbox,
      sub.taxKey,
      TAX,
      { bizType: 'USDT-FUTURES' },
      fromMs,
      NOW.getTime(),
    )
    expect(new Set(unified.map(({ type }) => type))).toEqual(
      new Set([
        'BUY_DEAL',
        'SELL_DEAL',
        'CONTRACT_MAIN_SETTLE_FEE_USER_IN',
        'CONTRACT_MAIN_SETTLE_FEE_USER_OUT',
      ]),
    )
  })

  test('are those of the document if switched on, and everything else is the same', async () => {
    const documented = await startSandbox({
      now: NOW,
      days: DAYS,
      speed: SPEED,
      faults: 'documented-types',
    })
    const classic = accountOf(sandbox, 'classic')
    const { futures, names, p2p } = await typesOf(classic, documented)
    expect(names.filter((name) => !name.startsWith('BURST_'))).toEqual([
      'CLOSE_LONG',
      'CLOSE_SHORT',
      'CONTRACT_MAIN_SETTLE_FEE_USER_IN',
      'CONTRACT_MAIN_SETTLE_FEE_USER_OUT',
      'OPEN_LONG',
      'OPEN_SHORT',
      'TRANSFER_IN',
      'TRANSFER_OUT',
    ])
    expect(p2p).toEqual(['buy', 'sell', 'transfer_in', 'transfer_out'])
    const untyped = (rows: Row[]) => rows.map(({ futureTaxType: _, ...row }) => row)
    expect(untyped(futures)).toEqual(untyped((await typesOf(classic)).futures))
    await documented.close()
  })
})

describe('a seed', () => {
  test('gives the same accounts, truth and pages to the byte in two starts', async () => {
    const [first, second] = await Promise.all(
      [0, 1].map(() =>
        startSandbox({ seed: 7, now: NOW, days: 40, speed: 1e6, monotonicMs: heldClock().monotonicMs }),
      ),
    )
    expect(second!.accounts).toEqual(first!.accounts)
    expect(second!.truth()).toEqual(first!.truth())
    const window = { startTime: String(NOW.getTime() - 7 * DAY_MS), endTime: String(NOW.getTime()) }
    const page = (from: Sandbox) =>
      get(from, accountOf(from, 'parent').taxKey, TAX.path, { bizType: 'SPOT', ...window })
    expect(JSON.stringify((await page(second!)).data)).toBe(JSON.stringify((await page(first!)).data))
    await Promise.all([first!.close(), second!.close()])
  })

  test('gives a different history than another seed', async () => {
    const other = await startSandbox({ seed: 2, now: NOW, days: 2 })
    expect(other.accounts[0]!.uid).not.toBe(sandbox.accounts[0]!.uid)
    await other.close()
  })
})

test('a configuration names every endpoint and every account, and only its owner can read the credentials', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'sandbox-'))
  await writeSandboxConfig(dir, sandbox, { speed: 10 })
  const text = await readFile(join(dir, 'tieout.yaml'), 'utf8')
  const config = parse(text)
  expect(text).toContain(`\n  base_url: ${sandbox.baseUrl}\n`)
  expect(config.venue.budgets['tax.records']).toEqual({ count: 1, per_ms: 100 })
  for (const shared of ['tax.futuresRecords', 'tax.p2pRecords']) {
    expect(config.venue.budgets[shared]).toEqual({ count: 1, per_ms: 100, group: 'v2-tax' })
  }
  expect(Object.keys(config.accounts)).toEqual([
    'parent',
    'classic',
    'broker',
    'broker-sub',
    'sub-1',
    'sub-2',
  ])
  expect(config.accounts.classic).toEqual({ uid: sandbox.accounts[1]!.uid, credentials: 'file' })
  const path = join(dir, 'credentials.yaml')
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  const { apiKey, secret, passphrase, taxKey } = sandbox.accounts[0]!
  expect(parse(await readFile(path, 'utf8')).parent).toEqual({
    key: apiKey,
    secret,
    passphrase,
    tax_key: taxKey.apiKey,
    tax_secret: taxKey.secret,
    tax_passphrase: taxKey.passphrase,
  })
})

test('a past too long for memory is refused before it is invented', async () => {
  await expect(startSandbox({ now: NOW, days: 1e9 })).rejects.toThrow('days must be at most 3650: 1000000000')
})
