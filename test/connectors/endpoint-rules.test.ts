// Each rule that the interface document states of a request, restated from its parts 2 to 8: refused here before
// anything is sent, by field, rule and section; and refused by the sandbox, which knows nothing of our check, when that
// is switched off. What keeps every rule is answered, so no refusal here has another cause.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endpoints } from '../../connectors/catalogue.ts'
import { openVenue } from '../../connectors/client.ts'
import type { Endpoint, Params } from '../../connectors/endpoint.ts'
import {
  NotApplicable,
  OutcomeUnknown,
  PassingFailure,
  PermissionRefused,
  RateRefused,
  VenueError,
} from '../../connectors/errors.ts'
import { validateParams } from '../../connectors/params.ts'
import { defaultProfile } from '../../connectors/profile.ts'
import type { AccountClient, Venue } from '../../connectors/venue.ts'
import { systemClock } from '../../models/clock.ts'
import { UsageError } from '../../models/error.ts'
import { type Sandbox, type SandboxAccount, startSandbox } from '../../sandbox/index.ts'

const SPEED = 1_000
const DAY = 86_400_000
const now = Date.parse('2026-03-01T12:00:00Z')

let sandbox: Sandbox
let venue: Venue

beforeAll(async () => {
  sandbox = await startSandbox({ now: new Date(now), days: 3, speed: SPEED })
  venue = openVenue({
    profile: { ...defaultProfile, ipRate: { scope: 'ip', count: 100, perMs: 10 } },
    baseUrl: sandbox.baseUrl,
    clock: systemClock,
    // No pause before a second try of a code that nothing is known of.
    random: () => 0,
    budgets: Object.fromEntries(
      endpoints.map(({ name, rate }) => [name, { count: rate.count, perMs: rate.perMs / SPEED }]),
    ),
    quietSince: 0,
  })
  // The first answer tells the venue's time.
  await clientOf('parent').request(sectionOf('4.14'), {})
})

afterAll(async () => {
  await venue.close()
  await sandbox.close()
})

/** The accounts of the sandbox in their order: two of the subs belong to the parent, one to the broker. */
const CAST = ['parent', 'classic', 'broker', 'brokersSub', 'sub', 'otherSub'] as const
type Who = (typeof CAST)[number]

const accountOf = (who: Who): SandboxAccount => sandbox.accounts[CAST.indexOf(who)]!
const uidOf = (who: Who): string => accountOf(who).uid

function clientOf(who: Who): AccountClient {
  const { uid, apiKey, secret, passphrase, taxKey } = accountOf(who)
  const tax = { key: taxKey.apiKey, secret: taxKey.secret, passphrase: taxKey.passphrase }
  return venue.account({ name: who, uid, api: { key: apiKey, secret, passphrase }, tax })
}

/** Who may call an endpoint, where that is not the parent. */
const caller: Readonly<Record<string, Who>> = {
  '4.1': 'broker',
  '4.2': 'broker',
  '4.3': 'broker',
  '4.4': 'broker',
  '4.5': 'broker',
}

const sectionOf = (section: string): Endpoint => endpoints.find((endpoint) => endpoint.section === section)!

/** The last so many days, and a little more. */
const last = (days: number, moreMs = 0) => ({
  startTime: String(now - days * DAY - moreMs),
  endTime: String(now),
})

type Fields = Readonly<Record<string, unknown>>

const limitOrder = {
  symbol: 'BTCUSDT',
  side: 'buy',
  orderType: 'limit',
  force: 'gtc',
  price: '1000',
  size: '0.01',
}

async function dataOf(section: string, params: Params): Promise<Record<string, string>> {
  const answer = await clientOf(caller[section] ?? 'parent').request(sectionOf(section), params)
  return answer.envelope.data as Record<string, string>
}

const newKey = (): Fields => ({
  subUid: uidOf('brokersSub'),
  passphrase: '123456',
  label: 'nineteen characters',
  ipList: Array.from({ length: 30 }, (_, place) => `10.0.0.${place}`),
  permType: 'read_and_write',
  permList: [
    'contract_order',
    'contract_position',
    'spot_trade',
    'margin_trade',
    'copytrading_trade',
    'wallet_transfer',
  ],
})

/** By section a request that keeps every rule, up to its limits. */
const good: Readonly<Record<string, () => Fields | Promise<Fields>>> = {
  '4.1': newKey,
  '4.2': async () => {
    const { apiKey } = await dataOf('4.1', { ...newKey(), passphrase: '654321' })
    const { subUid } = newKey()
    return { subUid, apiKey, passphrase: '654321', label: 'another', ipList: [], permType: '', permList: [] }
  },
  '4.3': () => ({ subUid: uidOf('brokersSub') }),
  '4.4': () => ({ ...last(30, -60_000), pageNo: '1', pageSize: '1000', showSub: 'yes' }),
  '4.5': () => ({ ...last(90), limit: '1000', showSub: 'no' }),
  '4.6': () => ({
    fromType: 'spot',
    toType: 'isolated_margin',
    symbol: 'BTCUSDT',
    amount: '1',
    coin: 'USDT',
    fromUserId: uidOf('parent'),
    toUserId: uidOf('sub'),
  }),
  '4.7': () => ({
    ...limitOrder,
    requestTime: String(venue.venueNow()),
    receiveWindow: '5000',
    stpMode: 'cancel_both',
  }),
  '4.8': async () => ({ orderId: (await dataOf('4.7', limitOrder)).orderId, category: 'SPOT' }),
  '4.9': async () => ({
    orders: [
      {
        orderId: (await dataOf('4.7', limitOrder)).orderId,
        price: '1001',
        category: 'SPOT',
        autoCancel: 'no',
      },
      { orderId: (await dataOf('4.7', limitOrder)).orderId, qty: '0.02', category: 'SPOT' },
    ],
  }),
  '4.10': () => ({ category: 'MARGIN', limit: '100' }),
  '4.11': () => ({ category: 'COIN-FUTURES', ...last(30), limit: '100' }),
  '4.12': () => ({ productType: 'USDT-FUTURES', marginCoin: 'USDT' }),
  '4.13': () => ({ productType: 'USDC-FUTURES' }),
  '4.14': () => ({}),
  '4.15': () => ({ repayableCoinList: ['USDT'], paymentCoinList: ['BTC'] }),
  '4.16': () => ({}),
  '4.17': () => ({ productType: 'usdt-futures' }),
  '4.18': () => ({ category: 'USDT-FUTURES', limit: '100' }),
  '4.19': () => ({ bizType: 'MARGIN', marginType: 'isolated', ...last(7), limit: '500' }),
  '4.20': () => ({ productType: 'COIN-FUTURES', ...last(30), limit: '500' }),
  '4.21': () => ({ coin: 'USDT', ...last(30), limit: '500' }),
  '4.22': () => ({}),
  '4.23': () => ({ ...last(90), status: 'Paid', side: 'sell', language: 'zh-CN', limit: '100' }),
  '4.24': () => ({ coinList: ['PEPE'] }),
}

const gone = undefined
const manyOrders = (count: number) =>
  Array.from({ length: count }, (_, place) => ({ orderId: String(place + 1), qty: '1' }))
const order = { orderId: '1', qty: '1' }

/** Section, what is changed in its good request, the field that breaks a rule, and the rule. */
const rules: readonly (readonly [string, Fields | (() => Fields), string, string])[] = [
  ['4.1', { subUid: gone }, 'subUid', 'is required'],
  ['4.1', { passphrase: gone }, 'passphrase', 'is required'],
  ['4.1', { passphrase: '12345' }, 'passphrase', '6 to 32 characters'],
  ['4.1', { passphrase: 'p'.repeat(33) }, 'passphrase', '6 to 32 characters'],
  ['4.1', { label: gone }, 'label', 'is required'],
  ['4.1', { label: 'twenty characters ..' }, 'label', 'shorter than 20'],
  ['4.1', { ipList: Array(31).fill('10.0.0.1') }, 'ipList', 'at most 30'],
  ['4.1', { ipList: gone }, 'ipList', 'required unless permType is readonly'],
  ['4.1', { permType: gone }, 'permType', 'is required'],
  ['4.1', { permType: 'write' }, 'permType', 'read_and_write, readonly'],
  ['4.1', { permList: gone }, 'permList', 'is required'],
  ['4.1', { permList: ['withdraw'] }, 'permList', 'contract_order, contract_position, spot_trade'],
  ['4.1', { permType: 'readonly' }, 'permList', 'wallet_transfer only when permType is read_and_write'],

  ['4.2', { subUid: gone }, 'subUid', 'is required'],
  ['4.2', { apiKey: gone }, 'apiKey', 'is required'],
  ['4.2', { passphrase: gone }, 'passphrase', 'is required'],
  ['4.2', { label: 'twenty characters ..' }, 'label', 'shorter than 20'],
  ['4.2', { ipList: Array(31).fill('10.0.0.1') }, 'ipList', 'at most 30'],
  ['4.2', { permType: gone }, 'permType', 'is required'],
  ['4.2', { permType: 'write' }, 'permType', 'read_and_write, readonly'],
  ['4.2', { permList: gone }, 'permList', 'is required'],
  ['4.2', { permList: ['withdraw'] }, 'permList', 'contract_order, contract_position, spot_trade'],
  ['4.2', { permType: 'readonly', permList: ['wallet_transfer'] }, 'permList', 'read_and_write'],

  ['4.3', { subUid: gone }, 'subUid', 'is required'],

  ['4.4', { endTime: gone }, 'endTime', 'together with its other end'],
  ['4.4', { startTime: gone }, 'startTime', 'together with its other end'],
  ['4.4', () => last(30, 60_001), 'endTime', 'at most 30 days after startTime'],
  [
    '4.4',
    () => ({ startTime: String(now - 32 * DAY), endTime: String(now - 31 * DAY) }),
    'startTime',
    'last 30 days',
  ],
  ['4.4', { startTime: 'yesterday' }, 'startTime', 'Unix milliseconds'],
  ['4.4', { pageSize: '1001' }, 'pageSize', '1 to 1000'],
  ['4.4', { showSub: 'maybe' }, 'showSub', 'yes, no'],

  ['4.5', { endTime: gone }, 'endTime', 'together with its other end'],
  ['4.5', { startTime: gone }, 'startTime', 'together with its other end'],
  ['4.5', () => last(90, 60_001), 'endTime', 'at most 90 days after startTime'],
  ['4.5', { limit: '1001' }, 'limit', '1 to 1000'],
  ['4.5', { showSub: 'maybe' }, 'showSub', 'yes, no'],

  [
    '4.6',
    { fromType: 'earn' },
    'fromType',
    'spot, p2p, coin_futures, usdt_futures, usdc_futures, crossed_margin',
  ],
  [
    '4.6',
    { toType: 'earn' },
    'toType',
    'spot, p2p, coin_futures, usdt_futures, usdc_futures, crossed_margin',
  ],
  ['4.6', { fromType: gone }, 'fromType', 'is required'],
  ['4.6', { toType: gone }, 'toType', 'is required'],
  ['4.6', { amount: gone }, 'amount', 'is required'],
  ['4.6', { amount: '-1' }, 'amount', 'positive decimal number'],
  ['4.6', { coin: gone }, 'coin', 'is required'],
  ['4.6', { fromUserId: gone }, 'fromUserId', 'is required'],
  ['4.6', { toUserId: gone }, 'toUserId', 'is required'],
  ['4.6', { symbol: gone }, 'symbol', 'required for a transfer from or to isolated_margin'],

  ['4.7', { symbol: gone }, 'symbol', 'is required'],
  ['4.7', { side: gone }, 'side', 'is required'],
  ['4.7', { side: 'long' }, 'side', 'buy, sell'],
  ['4.7', { orderType: gone }, 'orderType', 'is required'],
  ['4.7', { orderType: 'stop' }, 'orderType', 'limit, market'],
  ['4.7', { force: gone }, 'force', 'required when orderType is limit'],
  ['4.7', { force: 'day' }, 'force', 'gtc, post_only, fok, ioc'],
  ['4.7', { price: gone }, 'price', 'required when orderType is limit'],
  ['4.7', { price: 'cheap' }, 'price', 'positive decimal number'],
  ['4.7', { size: gone }, 'size', 'is required'],
  ['4.7', { size: '-1' }, 'size', 'positive decimal number'],
  ['4.7', { triggerPrice: '900' }, 'triggerPrice', 'only for tpslType tpsl'],
  ['4.7', { tpslType: 'tpsl' }, 'triggerPrice', 'required when tpslType is tpsl'],
  ['4.7', { tpslType: 'oco' }, 'tpslType', 'normal, tpsl'],
  ['4.7', { requestTime: gone }, 'requestTime', 'required with receiveWindow'],
  ['4.7', { requestTime: 'now' }, 'requestTime', 'Unix milliseconds'],
  ['4.7', { stpMode: 'both' }, 'stpMode', 'none, cancel_taker, cancel_maker, cancel_both'],

  ['4.8', { orderId: gone }, 'orderId', 'must be given, or clientOid'],
  ['4.8', { category: 'OPTIONS' }, 'category', 'SPOT, MARGIN, USDT-FUTURES, COIN-FUTURES, USDC-FUTURES'],

  ['4.9', { orders: manyOrders(21) }, 'orders', 'at most 20'],
  ['4.9', { orders: [order, order] }, 'orders', 'each order once'],
  ['4.9', { orders: [{ qty: '1' }] }, 'orderId', 'must be given, or clientOid'],
  ['4.9', { orders: [{ ...order, autoCancel: 'maybe' }] }, 'autoCancel', 'yes, no'],
  ['4.9', { orders: [{ ...order, category: 'OPTIONS' }] }, 'category', 'SPOT, MARGIN, USDT-FUTURES'],
  [
    '4.9',
    {
      orders: [
        { ...order, category: 'SPOT' },
        { orderId: '2', qty: '1', category: 'USDT-FUTURES' },
      ],
    },
    'orders',
    'within one business line',
  ],

  ['4.10', { category: 'OPTIONS' }, 'category', 'SPOT, MARGIN, USDT-FUTURES, COIN-FUTURES, USDC-FUTURES'],
  ['4.10', { limit: '101' }, 'limit', '1 to 100'],

  ['4.11', { category: gone }, 'category', 'is required'],
  ['4.11', { category: 'OPTIONS' }, 'category', 'SPOT, MARGIN, USDT-FUTURES, COIN-FUTURES, USDC-FUTURES'],
  ['4.11', () => last(30, 1), 'endTime', 'at most 30 days after startTime'],
  [
    '4.11',
    () => ({ startTime: String(now - 92 * DAY), endTime: String(now - 91 * DAY) }),
    'startTime',
    'last 90 days',
  ],
  ['4.11', { limit: '101' }, 'limit', '1 to 100'],

  ['4.12', { productType: gone }, 'productType', 'is required'],
  ['4.12', { productType: 'SPOT' }, 'productType', 'USDT-FUTURES, COIN-FUTURES, USDC-FUTURES'],
  ['4.12', { marginCoin: 'usdt' }, 'marginCoin', 'capital letters'],

  ['4.13', { productType: gone }, 'productType', 'is required'],
  ['4.13', { productType: 'SPOT' }, 'productType', 'USDT-FUTURES, COIN-FUTURES, USDC-FUTURES'],

  ['4.15', { repayableCoinList: gone }, 'repayableCoinList', 'is required'],
  ['4.15', { paymentCoinList: gone }, 'paymentCoinList', 'is required'],
  ['4.15', { repayableCoinList: 'USDT' }, 'repayableCoinList', 'must be a list'],

  ['4.17', { productType: gone }, 'productType', 'is required'],
  ['4.17', { productType: 'SPOT' }, 'productType', 'USDT-FUTURES, COIN-FUTURES, USDC-FUTURES'],

  ['4.18', { category: gone }, 'category', 'is required'],
  ['4.18', { category: 'SPOT' }, 'category', 'USDT-FUTURES, COIN-FUTURES, USDC-FUTURES'],
  ['4.18', { limit: '101' }, 'limit', '1 to 100'],

  ['4.19', { bizType: gone }, 'bizType', 'is required'],
  [
    '4.19',
    { bizType: 'OPTIONS' },
    'bizType',
    'SPOT, MARGIN, USDT-FUTURES, COIN-FUTURES, USDC-FUTURES, OTHER',
  ],
  ['4.19', { marginType: 'both' }, 'marginType', 'isolated, crossed'],
  ['4.19', { startTime: gone }, 'startTime', 'is required'],
  ['4.19', { endTime: gone }, 'endTime', 'is required'],
  ['4.19', () => last(7, 1), 'endTime', 'at most 7 days after startTime'],
  [
    '4.19',
    () => ({ startTime: String(now - 368 * DAY), endTime: String(now - 367 * DAY) }),
    'startTime',
    'last 366 days',
  ],
  ['4.19', { limit: '501' }, 'limit', '1 to 500'],

  ['4.20', { productType: 'SPOT' }, 'productType', 'USDT-FUTURES, COIN-FUTURES, USDC-FUTURES'],
  ['4.20', { startTime: gone }, 'startTime', 'is required'],
  ['4.20', { endTime: gone }, 'endTime', 'is required'],
  ['4.20', () => last(30, 1), 'endTime', 'at most 30 days after startTime'],
  ['4.20', { limit: '501' }, 'limit', '1 to 500'],

  ['4.21', { startTime: gone }, 'startTime', 'is required'],
  ['4.21', { endTime: gone }, 'endTime', 'is required'],
  ['4.21', () => last(30, 1), 'endTime', 'at most 30 days after startTime'],
  ['4.21', { limit: '501' }, 'limit', '1 to 500'],

  ['4.23', () => last(90, 1), 'endTime', 'at most 90 days after startTime'],
  ['4.23', { status: 'open' }, 'status', 'pending_pay, Paid, Appeal, Completed, cancelled'],
  ['4.23', { side: 'long' }, 'side', 'buy, sell'],
  ['4.23', { language: 'de-DE' }, 'language', 'zh-CN, en-US'],

  ['4.24', { coinList: gone }, 'coinList', 'is required'],
]

const withoutGone = (fields: Fields): Params =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== gone))

/** What the venue answers to a request that is sent as it is. */
async function refusalOf(who: Who, endpoint: Endpoint, params: Params): Promise<unknown> {
  try {
    await clientOf(who).request(endpoint, params, { unchecked: true })
    return 'it was answered'
  } catch (error) {
    return error
  }
}

/** A refusal of this request as such: not of its rate, and not a failure that passes. */
function expectRefused(refusal: unknown): VenueError {
  expect(refusal).toBeInstanceOf(VenueError)
  for (const other of [PassingFailure, RateRefused, OutcomeUnknown]) expect(refusal).not.toBeInstanceOf(other)
  return refusal as VenueError
}

describe('a request that keeps every rule', () => {
  test('stands here for every endpoint of the interface document', () => {
    expect(Object.keys(good)).toEqual(endpoints.map(({ section }) => section))
  })

  test.each(Object.keys(good))('of section %s is answered', async (section) => {
    const params = validateParams(sectionOf(section), (await good[section]!()) as Params, { now })
    expect(await refusalOf(caller[section] ?? 'parent', sectionOf(section), params)).toBe('it was answered')
  })
})

describe('a request that breaks a rule', () => {
  test.each(rules)(
    'of section %s with %j is refused here and by the venue: %s %s',
    async (section, change, field, rule) => {
      const endpoint = sectionOf(section)
      const changed = typeof change === 'function' ? change() : change
      const params = withoutGone({ ...(await good[section]!()), ...changed })
      let local: unknown
      try {
        validateParams(endpoint, params, { now })
      } catch (error) {
        local = error
      }
      expect(local).toBeInstanceOf(UsageError)
      expect((local as UsageError).message).toMatch(field)
      expect((local as UsageError).message).toMatch(rule)
      expect((local as UsageError).details.where).toBe(`interface document, ${section}`)
      const refused = expectRefused(await refusalOf(caller[section] ?? 'parent', endpoint, params))
      expect([NotApplicable, PermissionRefused].some((other) => refused instanceof other)).toBe(false)
    },
  )
})

test('a TP/SL order takes no clientOid: it is refused here, and the venue answers with one of its own', async () => {
  const endpoint = sectionOf('4.7')
  const params = { ...limitOrder, tpslType: 'tpsl', triggerPrice: '900', clientOid: 'mine' }
  expect(() => validateParams(endpoint, params)).toThrow('clientOid has no effect when tpslType is tpsl')
  const answer = await clientOf('parent').request(endpoint, params, { unchecked: true })
  expect((answer.envelope.data as { clientOid?: string }).clientOid).not.toBe('mine')
})

test('a market order takes no account of force, and needs no price', async () => {
  const order = { symbol: 'BTCUSDT', side: 'buy', orderType: 'market', size: '20', force: 'post_only' }
  expect(await dataOf('4.7', order)).toHaveProperty('orderId')
})

test('a receiveWindow that has passed when the request arrives is refused', async () => {
  const params = { ...limitOrder, receiveWindow: '1000', requestTime: String(venue.venueNow() - 60_000) }
  expectRefused(await refusalOf('parent', sectionOf('4.7'), params))
})

describe('an endpoint is refused to an account that the document excludes', () => {
  /** Section, who asks, and what kind of account it is for. */
  const excluded: readonly (readonly [string, Who, string])[] = [
    ['4.1', 'parent', 'an ND broker main account'],
    ['4.2', 'parent', 'an ND broker main account'],
    ['4.13', 'broker', 'a parent account that is not an ND broker, and that has opened this product line'],
    ['4.14', 'classic', 'a unified account'],
    ['4.16', 'sub', 'an institutional lending unit'],
    ['4.19', 'classic', 'a unified account'],
    ['4.22', 'sub', 'a P2P merchant'],
    ['4.23', 'sub', 'a P2P merchant'],
  ]

  test.each(excluded)('section %s to the %s account: it is for %s', async (section, who, expected) => {
    const refused = await refusalOf(who, sectionOf(section), (await good[section]!()) as Params)
    expect(refused).toBeInstanceOf(NotApplicable)
    expect((refused as NotApplicable).details.expected).toBe(expected)
  })

  test('transfers to all but the parent, whose key must be bound to an address, and only within its own house', async () => {
    const transfer = { fromType: 'spot', toType: 'spot', amount: '1', coin: 'USDT' }
    const between = (from: Who, to: Who) => ({ ...transfer, fromUserId: uidOf(from), toUserId: uidOf(to) })
    const ask = (by: Who, params: Params) => refusalOf(by, sectionOf('4.6'), params)
    expect(await ask('parent', between('sub', 'otherSub'))).toBe('it was answered')
    expect(await ask('parent', between('sub', 'parent'))).toBe('it was answered')
    expectRefused(await ask('sub', between('sub', 'parent')))
    expectRefused(await ask('broker', between('broker', 'brokersSub')))
    expectRefused(await ask('parent', between('sub', 'brokersSub')))
  })

  test('the unified tax records to a key that is not a tax key', async () => {
    const { uid, apiKey, secret, passphrase } = accountOf('parent')
    const client = venue.account({ name: 'parent', uid, tax: { key: apiKey, secret, passphrase } })
    const params = { bizType: 'SPOT', ...last(1) }
    const refused = await client.request(sectionOf('4.19'), params).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(PermissionRefused)
    expect((refused as PermissionRefused).details.expected).toBe('tax API key')
  })

  test('writing to a key that may only read', async () => {
    const readonly = { ...newKey(), ipList: [], permType: 'readonly', permList: ['spot_trade'] }
    const { apiKey = '', secretKey = '' } = await dataOf('4.1', readonly)
    const api = { key: apiKey, secret: secretKey, passphrase: '123456' }
    const client = venue.account({ name: 'brokersSub', uid: uidOf('brokersSub'), api })
    const refused = await client.request(sectionOf('4.7'), limitOrder).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(PermissionRefused)
  })
})
