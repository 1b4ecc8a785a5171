// What the interface document says of the endpoints trade.*, in words of our own: see stated.ts.
import { limitOrder } from './spot.ts'
import { DAY, gone, inPage, j, last, ms, NOW, n, type Stated, t, type Value } from './stated.ts'

/** 2.3, the fields of open and of past orders. */
const order: Readonly<Record<string, Value>> = {
  orderId: t('1507942219670093824'),
  clientOid: t('a-1'),
  category: t('SPOT'),
  symbol: t('BTCUSDT'),
  orderType: t('limit'),
  side: t('buy'),
  price: n('63070.22'),
  qty: n('0.000951'),
  amount: n('59.97977922'),
  cumExecQty: n('0.000317'),
  cumExecValue: n('19.99325974'),
  avgPrice: n('63070.219999999999999999'),
  timeInForce: t('post_only'),
  orderStatus: t('partially_filled'),
  posSide: t('long'),
  holdMode: t('hedge_mode'),
  delegateType: t('bbo_companion5_loss'),
  reduceOnly: t('YES'),
  stpMode: t('cancel_maker'),
  feeDetail: j([
    { feeCoin: 'BGB', fee: '0.0001' },
    { feeCoin: null, fee: null },
  ]),
  createdTime: ms(1795025055743),
  updatedTime: ms(1795028655743),
}

/** What the venue sends of an order beyond the document. */
const beyondOrder: Readonly<Record<string, Value>> = {
  takeProfit: n('70000'),
  stopLoss: n('50000.5'),
  tpTriggerBy: t('mark'),
  slTriggerBy: t('market'),
  tpOrderType: t('limit'),
  slOrderType: t('market'),
  tpLimitPrice: n('70001'),
  slLimitPrice: n('49999'),
  marginMode: t('crossed'),
  tradeSide: t('open'),
}

const manyOrders = (count: number) =>
  Array.from({ length: count }, (_, place) => ({ orderId: String(place + 1), qty: '1' }))
const someOrder = { orderId: '1', qty: '1' }

export const trade: Readonly<Record<string, Stated>> = {
  'trade.cancelOrder': {
    section: '4.8',
    request: 'POST /api/v3/trade/cancel-order',
    writes: true,
    permission: 'UTA trade (read & write)',
    rate: { count: 10, perMs: 1_000, scope: 'uid' },
    good: { orderId: '1', clientOid: 'c', category: 'SPOT' },
    goodAtVenue: async (world) => ({
      orderId: (await world.dataOf('4.7', limitOrder)).orderId,
      category: 'SPOT',
    }),
    broken: [
      [
        { category: 'OPTIONS' },
        'category must be one of SPOT, MARGIN, USDT-FUTURES, COIN-FUTURES, USDC-FUTURES',
      ],
      [{ orderId: gone, clientOid: gone }, 'orderId must be given, or clientOid'],
      [
        { category: 'spot' },
        'category must be one of SPOT, MARGIN, USDT-FUTURES, COIN-FUTURES, USDC-FUTURES',
        'here',
      ],
    ],
  },
  'trade.batchModifyOrders': {
    section: '4.9',
    request: 'POST /api/v3/trade/batch-modify-order',
    writes: true,
    permission: 'UTA trade (read & write)',
    rate: { count: 10, perMs: 1_000, scope: 'uid' },
    good: {
      orders: Array.from({ length: 20 }, (_, place) => ({
        orderId: String(place),
        qty: '1',
        category: 'SPOT',
      })),
    },
    goodAtVenue: async (world) => ({
      orders: [
        {
          orderId: (await world.dataOf('4.7', limitOrder)).orderId,
          price: '1001',
          category: 'SPOT',
          autoCancel: 'no',
        },
        { orderId: (await world.dataOf('4.7', limitOrder)).orderId, qty: '0.02', category: 'SPOT' },
      ],
    }),
    broken: [
      [{ orders: manyOrders(21) }, 'orders must have at most 20 entries'],
      [{ orders: [someOrder, someOrder] }, 'orders must name each order once, but orderId 1 appears twice'],
      [{ orders: [{ qty: '1' }] }, 'orders[0].orderId must be given, or clientOid'],
      [{ orders: [{ ...someOrder, autoCancel: 'maybe' }] }, 'orders[0].autoCancel must be one of yes, no'],
      [
        { orders: [{ ...someOrder, category: 'OPTIONS' }] },
        'orders[0].category must be one of SPOT, MARGIN, USDT-FUTURES, COIN-FUTURES, USDC-FUTURES',
      ],
      [
        {
          orders: [
            { ...someOrder, category: 'SPOT' },
            { orderId: '2', qty: '1', category: 'USDT-FUTURES' },
          ],
        },
        'orders must stay within one business line, found SPOT and USDT-FUTURES',
      ],
      [{ orders: [] }, 'orders must not be an empty list', 'here'],
      [
        { orders: Array.from({ length: 21 }, (_, place) => ({ orderId: String(place) })) },
        'orders must have at most 20 entries',
        'here',
      ],
      [
        { orders: [{ orderId: '1' }, { orderId: '1' }] },
        'orders must name each order once, but orderId 1 appears twice',
        'here',
      ],
      [
        { orders: [{ clientOid: 'c' }, { clientOid: 'c' }] },
        'orders must name each order once, but clientOid c appears twice',
        'here',
      ],
      [
        { orders: [{ orderId: '1', clientOid: 'c' }, { clientOid: 'c' }] },
        'orders must name each order once, but clientOid c appears twice',
        'here',
      ],
      [
        {
          orders: [
            { orderId: '1', category: 'SPOT' },
            { orderId: '2', category: 'USDT-FUTURES' },
          ],
        },
        'orders must stay within one business line, found SPOT and USDT-FUTURES',
        'here',
      ],
      [
        { orders: [{ orderId: '1', autoCancel: 'YES' }] },
        'orders[0].autoCancel must be one of yes, no',
        'here',
      ],
    ],
  },
  'trade.openOrders': {
    section: '4.10',
    request: 'GET /api/v3/trade/unfilled-orders',
    permission: 'UTA trade (read)',
    rate: { count: 20, perMs: 1_000, scope: 'uid' },
    pageSizeMax: 100,
    paging: 'cursor',
    good: { category: 'MARGIN', ...last(400), limit: '100', cursor: 'c' },
    goodAtVenue: () => ({ category: 'MARGIN', limit: '100' }),
    broken: [
      [
        { category: 'OPTIONS' },
        'category must be one of SPOT, MARGIN, USDT-FUTURES, COIN-FUTURES, USDC-FUTURES',
      ],
      [{ limit: '101' }, 'limit must be a whole number from 1 to 100'],
      [{ startTime: String(NOW + 1) }, 'endTime must not be before startTime', 'here'],
    ],
    record: {
      table: 'open_orders',
      data: inPage,
      required: ['orderId', 'createdTime'],
      fields: { ...order },
      beyond: beyondOrder,
    },
  },
  'trade.orderHistory': {
    section: '4.11',
    request: 'GET /api/v3/trade/history-orders',
    permission: 'UTA trade (read)',
    rate: { count: 20, perMs: 1_000, scope: 'uid' },
    spanMaxDays: 30,
    retentionDays: 90,
    pageSizeMax: 100,
    paging: 'cursor',
    partitions: 'SPOT MARGIN USDT-FUTURES COIN-FUTURES USDC-FUTURES',
    good: { category: 'COIN-FUTURES', ...last(30), limit: '1' },
    goodAtVenue: () => ({ category: 'COIN-FUTURES', ...last(30), limit: '100' }),
    broken: [
      [{ category: gone }, 'category is required'],
      [
        { category: 'OPTIONS' },
        'category must be one of SPOT, MARGIN, USDT-FUTURES, COIN-FUTURES, USDC-FUTURES',
      ],
      [last(30, 1), 'endTime must be at most 30 days after startTime'],
      [
        { startTime: String(NOW - 92 * DAY), endTime: String(NOW - 91 * DAY) },
        'startTime must be within the last 90 days',
      ],
      [
        { startTime: gone, endTime: String(NOW - 91 * DAY) },
        'endTime must be within the last 90 days',
        'here',
      ],
      [{ limit: '101' }, 'limit must be a whole number from 1 to 100'],
    ],
    record: {
      table: 'orders',
      data: inPage,
      required: ['orderId', 'createdTime'],
      fields: { ...order, cancelReason: t('normal_cancel'), execType: t('offset') },
      beyond: beyondOrder,
    },
  },
}
