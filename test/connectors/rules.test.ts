// Every rule that the interface document states of a request: what keeps it is sent as it is, what breaks it is
// refused before anything is sent, by field, rule and section.
import { describe, expect, test } from 'vitest'
import { endpoints, findEndpoint } from '../../connectors/catalogue.ts'
import type { Params } from '../../connectors/endpoint.ts'
import { validateParams } from '../../connectors/params.ts'
import { UsageError } from '../../models/error.ts'

const DAY = 86_400_000
const T = 1_767_000_000_000
const span = (daysLong: number, moreMs = 0) => ({
  startTime: String(T - daysLong * DAY - moreMs),
  endTime: String(T),
})

/** For each endpoint a request that keeps every rule. */
const good: Readonly<Record<string, Params>> = {
  'broker.createApiKey': {
    subUid: '7',
    passphrase: '123456',
    label: 'nineteen characters',
    ipList: Array.from({ length: 30 }, (_, place) => `10.0.0.${place}`),
    permType: 'read_and_write',
    permList: ['spot_trade', 'wallet_transfer'],
  },
  'broker.modifyApiKey': { subUid: '7', apiKey: 'k', passphrase: 'p', permType: '', permList: [] },
  'broker.subaccountEmail': { subUid: '7' },
  'broker.customers': { ...span(30), pageNo: '1', pageSize: '1000', showSub: 'yes' },
  'broker.customerKyc': { ...span(90), limit: '1000', idLessThan: '5', showSub: 'no' },
  'wallet.subaccountTransfer': {
    fromType: 'spot',
    toType: 'isolated_margin',
    symbol: 'BTCUSDT',
    amount: '0.5',
    coin: 'BTC',
    fromUserId: '1',
    toUserId: '2',
  },
  'spot.placeOrder': {
    symbol: 'BTCUSDT',
    side: 'buy',
    orderType: 'limit',
    force: 'gtc',
    price: '1',
    size: '2',
    clientOid: 'c',
    requestTime: String(T),
    receiveWindow: '500',
    stpMode: 'cancel_both',
  },
  'trade.cancelOrder': { orderId: '1', clientOid: 'c', category: 'SPOT' },
  'trade.batchModifyOrders': {
    orders: Array.from({ length: 20 }, (_, place) => ({
      orderId: String(place),
      qty: '1',
      category: 'SPOT',
    })),
  },
  'trade.openOrders': { category: 'MARGIN', ...span(400), limit: '100', cursor: 'c' },
  'trade.orderHistory': { category: 'COIN-FUTURES', ...span(30), limit: '1' },
  'futures.positions': { productType: 'USDT-FUTURES', marginCoin: 'USDT' },
  'futures.subaccountAssets': { productType: 'USDC-FUTURES' },
  'account.settings': {},
  'account.repay': { repayableCoinList: ['USDT'], paymentCoinList: ['ETH'] },
  'loan.ltv': { riskUnitId: '1' },
  'futures.contracts': { productType: 'usdt-futures', symbol: 'BTCUSDT' },
  'market.liquidations': { category: 'USDT-FUTURES', limit: '100' },
  'tax.records': { bizType: 'MARGIN', marginType: 'isolated', ...span(7), limit: '500', cursor: '1' },
  'tax.futuresRecords': { ...span(30), limit: '500', idLessThan: '1' },
  'tax.p2pRecords': { ...span(30), coin: 'USDT' },
  'p2p.merchant': {},
  'p2p.orders': { ...span(90), status: 'Paid', side: 'sell', language: 'zh-CN', limit: '500' },
  'convert.smallBalances': { coinList: ['SHIB'] },
}

const gone = undefined

/** Endpoint, what is changed in its good request, and what is said of it. */
const broken: readonly (readonly [string, Record<string, unknown>, string])[] = [
  ['broker.createApiKey', { subUid: gone }, 'subUid is required'],
  ['broker.createApiKey', { passphrase: '12345' }, 'passphrase must have 6 to 32 characters'],
  ['broker.createApiKey', { passphrase: 'p'.repeat(33) }, 'passphrase must have 6 to 32 characters'],
  ['broker.createApiKey', { label: 'l'.repeat(20) }, 'label must be shorter than 20 characters'],
  ['broker.createApiKey', { label: gone }, 'label is required'],
  ['broker.createApiKey', { ipList: Array(31).fill('10.0.0.1') }, 'ipList must have at most 30 entries'],
  ['broker.createApiKey', { ipList: gone }, 'ipList is required unless permType is readonly'],
  ['broker.createApiKey', { permType: 'all' }, 'permType must be one of read_and_write, readonly'],
  ['broker.createApiKey', { permList: gone }, 'permList is required'],
  [
    'broker.createApiKey',
    { permList: ['withdraw'] },
    'permList[0] must be one of contract_order, contract_position, spot_trade, margin_trade, copytrading_trade, wallet_transfer',
  ],
  [
    'broker.createApiKey',
    { permType: 'readonly' },
    'permList may hold wallet_transfer only when permType is read_and_write',
  ],
  ['broker.modifyApiKey', { apiKey: gone }, 'apiKey is required'],
  ['broker.modifyApiKey', { passphrase: '' }, 'passphrase must not be empty'],
  ['broker.modifyApiKey', { label: 'l'.repeat(20) }, 'label must be shorter than 20 characters'],
  ['broker.modifyApiKey', { ipList: Array(31).fill('10.0.0.1') }, 'ipList must have at most 30 entries'],
  ['broker.modifyApiKey', { permType: gone }, 'permType is required'],
  ['broker.modifyApiKey', { permList: gone }, 'permList is required'],
  [
    'broker.modifyApiKey',
    { permType: 'readonly', permList: ['wallet_transfer'] },
    'permList may hold wallet_transfer only when permType is read_and_write',
  ],
  ['broker.subaccountEmail', { subUid: gone }, 'subUid is required'],
  ['broker.customers', { endTime: gone }, 'endTime must be given together with its other end'],
  ['broker.customers', { startTime: gone }, 'startTime must be given together with its other end'],
  ['broker.customers', span(30, 1), 'endTime must be at most 30 days after startTime'],
  ['broker.customers', { pageSize: '1001' }, 'pageSize must be a whole number from 1 to 1000'],
  ['broker.customers', { pageNo: '0' }, 'pageNo must be a positive whole number'],
  ['broker.customers', { showSub: 'maybe' }, 'showSub must be one of yes, no'],
  ['broker.customerKyc', { endTime: gone }, 'endTime must be given together with its other end'],
  ['broker.customerKyc', span(90, 1), 'endTime must be at most 90 days after startTime'],
  ['broker.customerKyc', { limit: '1001' }, 'limit must be a whole number from 1 to 1000'],
  [
    'wallet.subaccountTransfer',
    { fromType: 'earn' },
    'fromType must be one of spot, p2p, coin_futures, usdt_futures, usdc_futures, crossed_margin, isolated_margin',
  ],
  [
    'wallet.subaccountTransfer',
    { symbol: gone },
    'symbol is required for a transfer from or to isolated_margin',
  ],
  ['wallet.subaccountTransfer', { amount: '-1' }, 'amount must be a positive decimal number'],
  ['wallet.subaccountTransfer', { amount: '0.0' }, 'amount must be a positive decimal number'],
  ['wallet.subaccountTransfer', { toUserId: gone }, 'toUserId is required'],
  ['spot.placeOrder', { side: 'long' }, 'side must be one of buy, sell'],
  ['spot.placeOrder', { orderType: 'stop' }, 'orderType must be one of limit, market'],
  ['spot.placeOrder', { force: gone }, 'force is required when orderType is limit'],
  ['spot.placeOrder', { force: 'day' }, 'force must be one of gtc, post_only, fok, ioc'],
  ['spot.placeOrder', { price: gone }, 'price is required when orderType is limit'],
  ['spot.placeOrder', { size: gone }, 'size is required'],
  ['spot.placeOrder', { size: '1e3' }, 'size must be a positive decimal number'],
  ['spot.placeOrder', { triggerPrice: '1' }, 'triggerPrice is only for tpslType tpsl'],
  [
    'spot.placeOrder',
    { tpslType: 'tpsl', clientOid: gone },
    'triggerPrice is required when tpslType is tpsl',
  ],
  [
    'spot.placeOrder',
    { tpslType: 'tpsl', triggerPrice: '1' },
    'clientOid has no effect when tpslType is tpsl',
  ],
  ['spot.placeOrder', { tpslType: 'oco' }, 'tpslType must be one of normal, tpsl'],
  ['spot.placeOrder', { requestTime: gone }, 'requestTime is required with receiveWindow'],
  ['spot.placeOrder', { requestTime: 'now' }, 'requestTime must be Unix milliseconds'],
  [
    'spot.placeOrder',
    { stpMode: 'both' },
    'stpMode must be one of none, cancel_taker, cancel_maker, cancel_both',
  ],
  ['trade.cancelOrder', { orderId: gone, clientOid: gone }, 'orderId must be given, or clientOid'],
  [
    'trade.cancelOrder',
    { category: 'spot' },
    'category must be one of SPOT, MARGIN, USDT-FUTURES, COIN-FUTURES, USDC-FUTURES',
  ],
  ['trade.batchModifyOrders', { orders: [] }, 'orders must not be an empty list'],
  [
    'trade.batchModifyOrders',
    { orders: Array.from({ length: 21 }, (_, place) => ({ orderId: String(place) })) },
    'orders must have at most 20 entries',
  ],
  [
    'trade.batchModifyOrders',
    { orders: [{ orderId: '1' }, { orderId: '1' }] },
    'orders must name each order once, but orderId 1 stands twice',
  ],
  [
    'trade.batchModifyOrders',
    { orders: [{ clientOid: 'c' }, { clientOid: 'c' }] },
    'orders must name each order once, but clientOid c stands twice',
  ],
  ['trade.batchModifyOrders', { orders: [{ qty: '1' }] }, 'orders[0].orderId must be given, or clientOid'],
  [
    'trade.batchModifyOrders',
    {
      orders: [
        { orderId: '1', category: 'SPOT' },
        { orderId: '2', category: 'USDT-FUTURES' },
      ],
    },
    'orders must stay within one business line, found SPOT and USDT-FUTURES',
  ],
  [
    'trade.batchModifyOrders',
    { orders: [{ orderId: '1', autoCancel: 'YES' }] },
    'orders[0].autoCancel must be one of yes, no',
  ],
  ['trade.openOrders', { limit: '101' }, 'limit must be a whole number from 1 to 100'],
  ['trade.openOrders', { startTime: String(T + 1) }, 'endTime must not be before startTime'],
  ['trade.orderHistory', { category: gone }, 'category is required'],
  ['trade.orderHistory', span(30, 1), 'endTime must be at most 30 days after startTime'],
  ['trade.orderHistory', { limit: '101' }, 'limit must be a whole number from 1 to 100'],
  ['futures.positions', { productType: gone }, 'productType is required'],
  ['futures.positions', { marginCoin: 'usdt' }, 'marginCoin must be in capital letters'],
  [
    'futures.subaccountAssets',
    { productType: 'SPOT' },
    'productType must be one of USDT-FUTURES, COIN-FUTURES, USDC-FUTURES',
  ],
  ['account.settings', { coin: 'BTC' }, 'coin is no field of this endpoint'],
  ['account.repay', { repayableCoinList: gone }, 'repayableCoinList is required'],
  ['account.repay', { paymentCoinList: 'ETH' }, 'paymentCoinList must be a list'],
  ['account.repay', { paymentCoinList: [] }, 'paymentCoinList must not be an empty list'],
  ['loan.ltv', { riskUnitId: '' }, 'riskUnitId must not be empty'],
  ['futures.contracts', { productType: gone }, 'productType is required'],
  [
    'market.liquidations',
    { category: 'SPOT' },
    'category must be one of USDT-FUTURES, COIN-FUTURES, USDC-FUTURES',
  ],
  ['market.liquidations', { limit: '101' }, 'limit must be a whole number from 1 to 100'],
  [
    'tax.records',
    { bizType: 'spot' },
    'bizType must be one of SPOT, MARGIN, USDT-FUTURES, COIN-FUTURES, USDC-FUTURES, OTHER',
  ],
  ['tax.records', { marginType: 'cross' }, 'marginType must be one of isolated, crossed'],
  ['tax.records', { startTime: gone }, 'startTime is required'],
  ['tax.records', { endTime: gone }, 'endTime is required'],
  ['tax.records', span(7, 1), 'endTime must be at most 7 days after startTime'],
  ['tax.records', { limit: '501' }, 'limit must be a whole number from 1 to 500'],
  ['tax.futuresRecords', span(30, 1), 'endTime must be at most 30 days after startTime'],
  ['tax.futuresRecords', { limit: '501' }, 'limit must be a whole number from 1 to 500'],
  ['tax.futuresRecords', { endTime: gone }, 'endTime is required'],
  ['tax.p2pRecords', span(30, 1), 'endTime must be at most 30 days after startTime'],
  ['tax.p2pRecords', { limit: '1.5' }, 'limit must be a whole number from 1 to 500'],
  ['p2p.merchant', { uid: '1' }, 'uid is no field of this endpoint'],
  ['p2p.orders', span(90, 1), 'endTime must be at most 90 days after startTime'],
  ['p2p.orders', { status: 'paid' }, 'status must be one of pending_pay, Paid, Appeal, Completed, cancelled'],
  ['p2p.orders', { language: 'de-DE' }, 'language must be one of zh-CN, en-US'],
  ['p2p.orders', { limit: '-1' }, 'limit must be a positive whole number'],
  ['convert.smallBalances', { coinList: gone }, 'coinList is required'],
  ['convert.smallBalances', { coinList: [] }, 'coinList must not be an empty list'],
]

const withoutGone = (params: Record<string, unknown>): Params =>
  Object.fromEntries(Object.entries(params).filter(([, value]) => value !== gone))

describe('a request that keeps every rule', () => {
  test('is shown here for every endpoint', () => {
    expect(Object.keys(good)).toEqual(endpoints.map(({ name }) => name))
  })

  test.each(Object.entries(good))('to %s is sent as it is', (name, params) => {
    expect(validateParams(findEndpoint(name)!, params)).toEqual(params)
  })

  test('may give numbers, which become texts on the wire', () => {
    const params = { ...good['tax.records'], startTime: T - DAY, endTime: T, limit: 100 }
    expect(validateParams(findEndpoint('tax.records')!, params)).toMatchObject({
      startTime: String(T - DAY),
      endTime: String(T),
      limit: '100',
    })
  })

  test.each([
    ['a market order without force and price', { orderType: 'market', force: gone, price: gone }],
    ['a market order with force, which has no effect', { orderType: 'market', force: 'ioc', price: gone }],
    ['a TP/SL order with its trigger', { tpslType: 'tpsl', triggerPrice: '9', clientOid: gone }],
  ])('may be %s', (_, change) => {
    const params = withoutGone({ ...good['spot.placeOrder'], ...change })
    expect(validateParams(findEndpoint('spot.placeOrder')!, params)).toEqual(params)
  })

  test('may leave ipList out for a readonly key', () => {
    const params = withoutGone({
      ...good['broker.createApiKey'],
      permType: 'readonly',
      permList: ['spot_trade'],
      ipList: gone,
    })
    expect(validateParams(findEndpoint('broker.createApiKey')!, params)).toEqual(params)
  })

  test('may name the coins to convert in one text, as the document’s table has it', () => {
    expect(validateParams(findEndpoint('convert.smallBalances')!, { coinList: 'SHIB' })).toEqual({
      coinList: 'SHIB',
    })
  })
})

describe('a request that breaks a rule', () => {
  test.each(broken)('to %s with %j is refused: %s', (name, change, said) => {
    const endpoint = findEndpoint(name)!
    const params = withoutGone({ ...good[name], ...change })
    let error: unknown
    try {
      validateParams(endpoint, params)
    } catch (thrown) {
      error = thrown
    }
    expect(error).toBeInstanceOf(UsageError)
    expect((error as UsageError).message).toBe(`${name}: ${said}.`)
    expect((error as UsageError).details.where).toBe(`interface document, ${endpoint.section}`)
  })

  test('is told of all its violations at once', () => {
    const endpoint = findEndpoint('tax.records')!
    expect(() => validateParams(endpoint, { limit: '0', colour: 'red' })).toThrow(
      'tax.records: bizType is required; startTime is required; endTime is required; limit must be a whole number from 1 to 500; colour is no field of this endpoint.',
    )
  })

  test('of retention is refused where the venue’s time is given', () => {
    const endpoint = findEndpoint('tax.records')!
    const params = { bizType: 'SPOT', startTime: String(T), endTime: String(T + DAY) }
    expect(validateParams(endpoint, params, { now: T + 366 * DAY })).toEqual(params)
    expect(() => validateParams(endpoint, params, { now: T + 366 * DAY + 1 })).toThrow(
      'tax.records: startTime must be within the last 366 days.',
    )
  })
})
