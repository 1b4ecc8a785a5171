import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ENDPOINTS } from '../../sandbox/endpoints/index.ts'
import { type Sandbox, type SandboxAccount, startSandbox } from '../../sandbox/index.ts'
import { stated } from '../document/index.ts'
import { accountOf, DAY_MS, get, heldClock, NOW, post, type Row } from './client.ts'

const clock = heldClock()
let sandbox: Sandbox
let parent: SandboxAccount

beforeAll(async () => {
  sandbox = await startSandbox({ now: NOW, days: 30, monotonicMs: clock.monotonicMs })
  parent = accountOf(sandbox, 'parent')
})
afterAll(() => sandbox.close())

/** A request ten seconds after the one before, so that no budget is in the way. */
async function read(account: SandboxAccount, path: string, params: Record<string, string> = {}) {
  clock.advance(10_000)
  return get(sandbox, account, path, params)
}

async function publicly(path: string, params: Record<string, string>): Promise<Row> {
  clock.advance(10_000)
  return (await fetch(`${sandbox.baseUrl}${path}?${new URLSearchParams(params)}`)).json()
}

const POSITIONS = '/api/v2/mix/position/all-position'
const ASSETS = '/api/v2/mix/account/sub-account-assets'
const EMAIL = '/api/v2/broker/account/subaccount-email'
const CUSTOMERS = '/api/v2/broker/customer-list'
const KYC = '/api/v2/broker/customer-kyc-result'
const LTV = '/api/v3/ins-loan/ltv-convert'
const LIQUIDATIONS = '/api/v3/market/liquidations'

test('the registry contains the endpoints of the document', () => {
  expect(ENDPOINTS.map(({ section, name }) => [section, name])).toEqual(
    stated.map(([name, { section }]) => [section, name]),
  )
})

test('the settings of an account contain the uid and the mode', async () => {
  const { data } = await read(parent, '/api/v3/account/settings')
  expect(data).toMatchObject({ uid: parent.uid, accountMode: 'unified', holdMode: 'hedge_mode' })
})

test('positions are those that the account still holds, newest first', async () => {
  const { data } = await read(parent, POSITIONS, { productType: 'USDT-FUTURES' })
  expect(data.length).toBeGreaterThan(0)
  expect(data[0]).toMatchObject({ marginCoin: 'USDT', posMode: 'hedge_mode', leverage: '10' })
  const times = data.map(({ cTime }: Row) => Number(cTime))
  expect(times).toEqual([...times].sort((a, b) => b - a))
  expect((await read(parent, POSITIONS, { productType: 'USDT-FUTURES', marginCoin: 'BTC' })).data).toEqual([])
  expect((await read(parent, POSITIONS)).code).toBe('40019')
})

test('a parent reads the assets and e-mail records of its sub-accounts, a broker only the latter', async () => {
  const broker = accountOf(sandbox, 'broker')
  const { data } = await read(parent, ASSETS, { productType: 'USDT-FUTURES' })
  const uids = data.map(({ userId }: Row) => userId)
  expect(uids).toHaveLength(2)
  expect((await read(parent, EMAIL, { subUid: uids[0] })).data).toMatchObject({ subUid: uids[0] })
  expect(await read(parent, EMAIL, { subUid: broker.uid })).toMatchObject({ status: 400, code: '40054' })
  expect((await read(broker, ASSETS, { productType: 'USDT-FUTURES' })).code).toBe('40099')
  expect((await read(broker, EMAIL, { subUid: sandbox.accounts[3]!.uid })).code).toBe('00000')
})

test('the risk rate is debt over assets, for the unit itself or for its primary account', async () => {
  const { data } = await read(parent, LTV)
  const { usdtBalance, unpaidUsdtAmount, ltv, balanceInfo } = data
  expect(Number(ltv)).toBeCloseTo(Number(unpaidUsdtAmount) / Number(usdtBalance), 3)
  const converted = balanceInfo.map((held: Row) => Number(held.convertedUsdtAmount))
  expect(converted.reduce((sum: number, part: number) => sum + part, 0)).toBeCloseTo(Number(usdtBalance), 3)
  expect((await read(parent, LTV, { riskUnitId: parent.uid })).data.usdtBalance).toBe(usdtBalance)
  const sub = sandbox.accounts[4]!
  expect((await read(sub, LTV)).code).toBe('40099')
  expect((await read(sub, LTV, { riskUnitId: parent.uid })).code).toBe('40099')
  expect((await read(parent, LTV, { riskUnitId: sub.uid })).code).toBe('40099')
})

describe('a broker’s customers', () => {
  const broker = () => accountOf(sandbox, 'broker')
  const list = async (body: Record<string, string>) => {
    clock.advance(1_000)
    return post(sandbox, broker(), CUSTOMERS, body)
  }

  test('of yesterday in UTC+8 are listed when no time is given', async () => {
    const { data } = await list({})
    const yesterday = [Date.parse('2026-02-28T00:00:00+08:00'), Date.parse('2026-02-28T23:59:59.999+08:00')]
    expect(data.length).toBeGreaterThan(0)
    for (const { registerTime } of data) {
      expect(Number(registerTime)).toBeGreaterThanOrEqual(yesterday[0]!)
      expect(Number(registerTime)).toBeLessThanOrEqual(yesterday[1]!)
    }
  })

  test('are paged by number, within thirty days', async () => {
    const nowMs = NOW.getTime()
    const month = { startTime: String(nowMs - 30 * DAY_MS), endTime: String(nowMs) }
    const all = (await list({ ...month, pageSize: '1000' })).data
    const pages = [1, 2].map((pageNo) => list({ ...month, pageSize: '10', pageNo: String(pageNo) }))
    expect((await Promise.all(pages)).flatMap(({ data }) => data)).toEqual(all.slice(0, 20))
    expect((await list({ ...month, uid: all[3].uid })).data).toEqual([all[3]])
    expect((await list({ ...month, pageSize: '1000', showSub: 'yes' })).data.length).toBeGreaterThan(
      all.length,
    )
    expect((await list({ startTime: month.startTime })).code).toBe('40019')
    expect((await list({ ...month, startTime: String(nowMs - 31 * DAY_MS) })).code).toBe('40705')
    expect((await list({ ...month, pageSize: '1001' })).code).toBe('40020')
  })

  test('have KYC results that are paged by the last user id', async () => {
    const nowMs = NOW.getTime()
    const window = { startTime: String(nowMs - 90 * DAY_MS), endTime: String(nowMs) }
    const seen: Row[] = []
    let idLessThan: Record<string, string> = {}
    for (;;) {
      const { data } = await read(broker(), KYC, { ...window, ...idLessThan, limit: '100' })
      if (data.userList.length === 0) break
      seen.push(...data.userList)
      idLessThan = { idLessThan: data.endId }
    }
    const all = (await read(broker(), KYC, { ...window, limit: '1000' })).data.userList
    expect(seen).toEqual(all)
    expect(new Set(all.map(({ kycResult }: Row) => kycResult))).toEqual(new Set(['passed', 'not_passed']))
    expect((await read(parent, KYC)).code).toBe('70231')
  })
})

test('a merchant’s totals equal those of its orders', async () => {
  const { orderList } = (await read(parent, '/api/v2/p2p/orderList', { limit: '1000' })).data
  const completed = orderList.filter(({ status }: Row) => status === 'Completed')
  const { data } = await read(parent, '/api/v2/p2p/merchantInfo')
  expect(data).toMatchObject({ totalTrades: String(completed.length), kycStatus: true })
  const sells = (
    await read(parent, '/api/v2/p2p/orderList', { limit: '1000', side: 'sell', status: 'Completed' })
  ).data
  expect(sells.orderList).toHaveLength(Number(data.totalSell))
})

describe('the public market', () => {
  test('lists contracts without a key, also by a product type in lower case', async () => {
    const { code, data } = await publicly('/api/v2/mix/market/contracts', { productType: 'usdt-futures' })
    expect(code).toBe('00000')
    expect(data.map(({ symbol }: Row) => symbol)).toContain('BTCUSDT')
    expect(data[0].supportMarginCoins).toEqual(['USDT'])
    const unknown = await publicly('/api/v2/mix/market/contracts', {
      productType: 'USDT-FUTURES',
      symbol: 'X',
    })
    expect(unknown.code).toBe('40034')
  })

  test('pages the liquidations of the last three days by its own cursor', async () => {
    const all: Row[] = []
    let cursor: Record<string, string> = {}
    for (;;) {
      const { data } = await publicly(LIQUIDATIONS, { category: 'USDT-FUTURES', limit: '50', ...cursor })
      if (data.list.length === 0) break
      all.push(...data.list)
      cursor = { cursor: data.cursor }
    }
    expect(all.length).toBeGreaterThan(100)
    for (const { ts } of all) expect(Number(ts)).toBeGreaterThan(NOW.getTime() - 3 * DAY_MS)
    expect(Object.keys(all[0]).sort()).toEqual(['amount', 'price', 'side', 'symbol', 'ts'])
  })

  test('has a budget per address', async () => {
    clock.advance(10_000)
    const ask = () => fetch(`${sandbox.baseUrl}${LIQUIDATIONS}?category=USDT-FUTURES`)
    const statuses: number[] = []
    for (let count = 0; count < 6; count++) statuses.push((await ask()).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
  })
})

describe('an account that only trades', () => {
  const CREATE_KEY = '/api/v2/broker/manage/create-subaccount-apikey'
  const MODIFY_KEY = '/api/v2/broker/manage/modify-subaccount-apikey'
  const TRANSFER = '/api/v2/spot/wallet/subaccount-transfer'

  /** What each endpoint answers that depends on what the account is. */
  async function refusalsOf(venue: Sandbox, account: SandboxAccount): Promise<Record<string, string>> {
    const answers = {
      '4.1': await post(venue, account, CREATE_KEY, {}),
      '4.2': await post(venue, account, MODIFY_KEY, {}),
      '4.3': await get(venue, account, EMAIL, { subUid: '1' }),
      '4.4': await post(venue, account, CUSTOMERS, {}),
      '4.5': await get(venue, account, KYC),
      '4.6': await post(venue, account, TRANSFER, {}),
      '4.13': await get(venue, account, ASSETS, { productType: 'USDT-FUTURES' }),
      '4.16': await get(venue, account, LTV),
      '4.22': await get(venue, account, '/api/v2/p2p/merchantInfo'),
      '4.23': await get(venue, account, '/api/v2/p2p/orderList'),
    }
    return Object.fromEntries(Object.entries(answers).map(([section, { code }]) => [section, code]))
  }

  const codes = {
    '4.1': '40029',
    '4.2': '40029',
    '4.3': '40029',
    '4.4': '70102',
    '4.5': '70231',
    '4.6': '40014',
    '4.13': '40054',
    '4.16': '40099',
    '4.22': '60039',
    '4.23': '60039',
  }

  test('is the classic one of the six; each endpoint refuses it with its own code', async () => {
    const classic = accountOf(sandbox, 'classic')
    clock.advance(10_000)
    expect(await refusalsOf(sandbox, classic)).toEqual({ ...codes, '4.16': '40084' })
  })

  test('is each of the six if they are plain: including the first, which is unified', async () => {
    const plain = await startSandbox({ now: NOW, days: 2, faults: 'plain-accounts' })
    expect(plain.accounts.map(({ kind, roles }) => [kind, roles])).toEqual(
      sandbox.accounts.map(({ kind }) => [kind, []]),
    )
    expect(await refusalsOf(plain, plain.accounts[0]!)).toEqual(codes)
    const { data } = await get(plain, plain.accounts[0]!, '/api/v3/account/settings')
    expect(data).toMatchObject({ uid: parent.uid, accountMode: 'unified' })
    expect(plain.truth().accounts[0]!.records).toMatchObject({ 'p2p.orders': 0 })
    expect(plain.truth().accounts[0]!.records['tax.records']).toBeGreaterThan(0)
    await plain.close()
  })
})
