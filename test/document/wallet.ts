// What the interface document says of the endpoints wallet.*, in words of our own: see stated.ts.
import { gone, type Stated } from './stated.ts'

export const wallet: Readonly<Record<string, Stated>> = {
  'wallet.subaccountTransfer': {
    section: '4.6',
    request: 'POST /api/v2/spot/wallet/subaccount-transfer',
    writes: true,
    rate: { count: 20, perMs: 1_000, scope: 'uid' },
    good: {
      fromType: 'spot',
      toType: 'isolated_margin',
      symbol: 'BTCUSDT',
      amount: '0.5',
      coin: 'BTC',
      fromUserId: '1',
      toUserId: '2',
    },
    goodAtVenue: (world) => ({
      fromType: 'spot',
      toType: 'isolated_margin',
      symbol: 'BTCUSDT',
      amount: '1',
      coin: 'USDT',
      fromUserId: world.uidOf('parent'),
      toUserId: world.uidOf('sub'),
    }),
    broken: [
      [
        { fromType: 'earn' },
        'fromType must be one of spot, p2p, coin_futures, usdt_futures, usdc_futures, crossed_margin, isolated_margin',
      ],
      [
        { toType: 'earn' },
        'toType must be one of spot, p2p, coin_futures, usdt_futures, usdc_futures, crossed_margin, isolated_margin',
      ],
      [{ fromType: gone }, 'fromType is required'],
      [{ toType: gone }, 'toType is required'],
      [{ amount: gone }, 'amount is required'],
      [{ amount: '-1' }, 'amount must be a positive decimal number'],
      [{ coin: gone }, 'coin is required'],
      [{ fromUserId: gone }, 'fromUserId is required'],
      [{ toUserId: gone }, 'toUserId is required'],
      [{ symbol: gone }, 'symbol is required for a transfer from or to isolated_margin'],
      [
        { toType: 'spot', fromUserId: '1', toUserId: '1' },
        'toType must differ from fromType within one account',
      ],
      [{ amount: '0.0' }, 'amount must be a positive decimal number', 'here'],
    ],
  },
}
