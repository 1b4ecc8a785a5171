// Spot orders in the older interface, which is the only one that places them. Interface document, 4.7.
import { defineEndpoint } from '../endpoint.ts'
import { fields, millis, oneOf, positive, type Report, side, text, wholeNumber } from '../params.ts'

type Order = Readonly<Record<string, unknown>>

/** force and price apply to a limit order; a market order ignores them. */
function limitOrder({ orderType, force, price }: Order, report: Report): void {
  if (orderType !== 'limit') return
  if (force === undefined) report('force', 'is required when orderType is limit')
  if (price === undefined) report('price', 'is required when orderType is limit')
}

function takeProfitOrStopLoss({ tpslType, triggerPrice, clientOid }: Order, report: Report): void {
  const isTpsl = tpslType === 'tpsl'
  if (isTpsl && triggerPrice === undefined) report('triggerPrice', 'is required when tpslType is tpsl')
  if (!isTpsl && triggerPrice !== undefined) report('triggerPrice', 'is only for tpslType tpsl')
  if (isTpsl && clientOid !== undefined) report('clientOid', 'has no effect when tpslType is tpsl')
}

/**
 * Neither its own id nor the time within which the venue accepts it is part of an order; `normal` and `none` are
 * defaults.
 */
const idleFields = ({ orderType, tpslType, stpMode }: Order): readonly string[] => [
  ...['clientOid', 'requestTime', 'receiveWindow'],
  ...(orderType === 'market' ? ['force', 'price'] : []),
  ...(tpslType === 'normal' ? ['tpslType'] : []),
  ...(stpMode === 'none' ? ['stpMode'] : []),
]

function windowNeedsTime({ receiveWindow, requestTime }: Order, report: Report): void {
  if (receiveWindow !== undefined && requestTime === undefined)
    report('requestTime', 'is required with receiveWindow')
}

/** Places an order; clientOid prevents a second one for six hours. Interface document, 4.7. */
export const placeOrder = defineEndpoint({
  section: '4.7',
  name: 'spot.placeOrder',
  method: 'POST',
  path: '/api/v2/spot/trade/place-order',
  writes: true,
  rate: { scope: 'uid', count: 10, perMs: 1_000 },
  params: fields(
    {
      symbol: text,
      side,
      orderType: oneOf('limit', 'market'),
      force: oneOf('gtc', 'post_only', 'fok', 'ioc').optional(),
      price: positive.optional(),
      size: positive,
      clientOid: text.optional(),
      triggerPrice: positive.optional(),
      tpslType: oneOf('normal', 'tpsl').optional(),
      requestTime: millis.optional(),
      receiveWindow: wholeNumber().optional(),
      stpMode: oneOf('none', 'cancel_taker', 'cancel_maker', 'cancel_both').optional(),
      presetTakeProfitPrice: positive.optional(),
      executeTakeProfitPrice: positive.optional(),
      presetStopLossPrice: positive.optional(),
      executeStopLossPrice: positive.optional(),
    },
    limitOrder,
    takeProfitOrStopLoss,
    windowNeedsTime,
  ),
  rows: 'object',
  idleFields,
  outcome:
    'Look for the order with `tieout call trade.openOrders`, then in trade.orderHistory: by its clientOid, or for a ' +
    'TP/SL order, to which the venue gives its own, by symbol, side and size.',
  doc: 'Places a spot order; traders who are copied may place one a second, all others ten.',
})
