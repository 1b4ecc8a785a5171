// What the interface document says of the endpoints market.*, in words of our own: see stated.ts.
import { gone, inPage, ms, n, type Stated, t } from './stated.ts'

export const market: Readonly<Record<string, Stated>> = {
  'market.liquidations': {
    section: '4.18',
    request: 'GET /api/v3/market/liquidations',
    credential: 'none',
    rate: { count: 5, perMs: 1_000, scope: 'ip' },
    retentionDays: 3,
    pageSizeMax: 100,
    paging: 'cursor',
    partitions: 'USDT-FUTURES COIN-FUTURES USDC-FUTURES',
    good: { category: 'USDT-FUTURES', limit: '100' },
    broken: [
      [{ category: gone }, 'category is required'],
      [{ category: 'SPOT' }, 'category must be one of USDT-FUTURES, COIN-FUTURES, USDC-FUTURES'],
      [{ limit: '101' }, 'limit must be a whole number from 1 to 100'],
    ],
    publicClient: ({ v3 }) => v3.getLiquidations({ category: 'USDT-FUTURES' } as never),
    record: {
      table: 'liquidations',
      data: inPage,
      required: ['symbol', 'ts'],
      fields: {
        symbol: t('BTCUSDT'),
        side: t('sell'),
        price: n('98000.1'),
        amount: n('0.5'),
        ts: ms(1795025055743),
      },
    },
  },
}
