// Futures in the older interface: positions, the assets of sub-accounts, and the contracts. Interface document, 4.12,
// 4.13, 4.17.
import { contract, position, subaccountAsset } from '../../models/futures.ts'
import { defineEndpoint } from '../endpoint.ts'
import { fields, oneOf, productType, type Report, text } from '../params.ts'

const partitions = ['USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'].map((label) => ({
  label,
  params: { productType: label },
}))

function capitalized({ marginCoin }: Readonly<Record<string, unknown>>, report: Report): void {
  if (typeof marginCoin === 'string' && marginCoin !== marginCoin.toUpperCase())
    report('marginCoin', 'must be in capital letters')
}

/** Open positions, latest first. Interface document, 4.12. */
export const positions = defineEndpoint({
  section: '4.12',
  name: 'futures.positions',
  method: 'GET',
  path: '/api/v2/mix/position/all-position',
  rate: { scope: 'uid', count: 5, perMs: 1_000 },
  params: fields({ productType, marginCoin: text.optional() }, capitalized),
  item: position,
  partitions,
  opened: 'product line',
  doc: 'Futures positions that are open now.',
})

/** Futures assets of every sub-account; one call in ten seconds. Interface document, 4.13. */
export const subaccountAssets = defineEndpoint({
  section: '4.13',
  name: 'futures.subaccountAssets',
  method: 'GET',
  path: '/api/v2/mix/account/sub-account-assets',
  rate: { scope: 'uid', count: 1, perMs: 10_000 },
  params: fields({ productType }),
  item: subaccountAsset,
  partitions,
  opened: 'product line',
  role: 'a parent account that is not an ND broker',
  doc: 'Futures assets of the sub-accounts.',
})

/** Contract configuration; the document’s sample writes the product type in lower case. Interface document, 4.17. */
export const contracts = defineEndpoint({
  section: '4.17',
  name: 'futures.contracts',
  method: 'GET',
  path: '/api/v2/mix/market/contracts',
  public: true,
  credential: 'none',
  rate: { scope: 'ip', count: 20, perMs: 1_000 },
  params: fields({
    productType: oneOf(
      'USDT-FUTURES',
      'COIN-FUTURES',
      'USDC-FUTURES',
      'usdt-futures',
      'coin-futures',
      'usdc-futures',
    ),
    symbol: text.optional(),
  }),
  item: contract,
  partitions,
  doc: 'Configuration of the futures contracts.',
})
