// What the interface document says of the endpoints spot.*, in words of our own: see stated.ts.
import { gone, NOW, type Stated } from './stated.ts'

/** An order that nothing matches. */
export const limitOrder = {
  symbol: 'BTCUSDT',
  side: 'buy',
  orderType: 'limit',
  force: 'gtc',
  price: '1000',
  size: '0.01',
}

export const spot: Readonly<Record<string, Stated>> = {
  'spot.placeOrder': {
    section: '4.7',
    request: 'POST /api/v2/spot/trade/place-order',
    writes: true,
    rate: { count: 10, perMs: 1_000, scope: 'uid' },
    good: {
      symbol: 'BTCUSDT',
      side: 'buy',
      orderType: 'limit',
      force: 'gtc',
      price: '1',
      size: '2',
      clientOid: 'c',
      requestTime: String(NOW),
      receiveWindow: '500',
      stpMode: 'cancel_both',
    },
    goodAtVenue: (world) => ({
      ...limitOrder,
      requestTime: String(world.venueNow()),
      receiveWindow: '5000',
      stpMode: 'cancel_both',
    }),
    broken: [
      [{ symbol: gone }, 'symbol is required'],
      [{ side: gone }, 'side is required'],
      [{ side: 'long' }, 'side must be one of buy, sell'],
      [{ orderType: gone }, 'orderType is required'],
      [{ orderType: 'stop' }, 'orderType must be one of limit, market'],
      [{ force: gone }, 'force is required when orderType is limit'],
      [{ force: 'day' }, 'force must be one of gtc, post_only, fok, ioc'],
      [{ price: gone }, 'price is required when orderType is limit'],
      [{ price: 'cheap' }, 'price must be a positive decimal number'],
      [{ size: gone }, 'size is required'],
      [{ size: '-1' }, 'size must be a positive decimal number'],
      [{ triggerPrice: '900' }, 'triggerPrice is only for tpslType tpsl'],
      [{ tpslType: 'oco' }, 'tpslType must be one of normal, tpsl'],
      [{ requestTime: gone }, 'requestTime is required with receiveWindow'],
      [{ requestTime: 'NOW' }, 'requestTime must be Unix milliseconds'],
      [{ stpMode: 'both' }, 'stpMode must be one of none, cancel_taker, cancel_maker, cancel_both'],
      [{ size: '1e3' }, 'size must be a positive decimal number', 'here'],
      [{ triggerPrice: '1' }, 'triggerPrice is only for tpslType tpsl', 'here'],
      [{ tpslType: 'tpsl', clientOid: gone }, 'triggerPrice is required when tpslType is tpsl'],
      [{ tpslType: 'tpsl', triggerPrice: '1' }, 'clientOid has no effect when tpslType is tpsl', 'here'],
    ],
  },
}
