// Public market data. Interface document, 4.18.
import { liquidation } from '../../models/market.ts'
import { days, defineEndpoint } from '../endpoint.ts'
import { fields, productType, text, wholeNumber } from '../params.ts'

/** Liquidations of the last three days; no time can be requested. Interface document, 4.18. */
export const liquidations = defineEndpoint({
  section: '4.18',
  name: 'market.liquidations',
  method: 'GET',
  path: '/api/v3/market/liquidations',
  public: true,
  credential: 'none',
  rate: { scope: 'ip', count: 5, perMs: 1_000 },
  params: fields({
    category: productType,
    symbol: text.optional(),
    limit: wholeNumber(100).optional(),
    cursor: text.optional(),
  }),
  item: liquidation,
  rows: 'list',
  page: {
    kind: 'cursor',
    param: 'cursor',
    from: 'cursor',
    names: 'page',
    sizeParam: 'limit',
    size: 100,
    sizeMax: 100,
  },
  retentionMs: days(3),
  partitions: ['USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'].map((label) => ({
    label,
    params: { category: label },
  })),
  doc: 'Liquidations on the market; what is not fetched within three days is gone.',
})
