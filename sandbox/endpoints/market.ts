// Public endpoints, which need no key: the contracts, and the market's liquidations of the last three days. Their
// budgets are per address. Interface document, 4.17, 4.18, 2.7 and 2.8.

import { FUTURES_LINES } from '../core/lines.ts'
import { type Contract, contractsOf } from '../core/market.ts'
import { money, ONE, text } from '../core/money.ts'
import { count, id, oneOf, oneOfAnyCase, optional, required, string, withDefault } from '../http/params.ts'
import { refusals } from '../http/refusals.ts'
import { publicEndpoint, retained } from './endpoint.ts'

const LAUNCHED_MS = Date.UTC(2021, 5, 1)

/** The published sample request has the product type in lower case. */
export const contracts = publicEndpoint({
  section: '4.17',
  name: 'futures.contracts',
  method: 'GET',
  path: '/api/v2/mix/market/contracts',
  rate: { count: 20, perMs: 1_000, scope: 'ip' },
  params: { productType: required(oneOfAnyCase(FUTURES_LINES)), symbol: optional(string) },
  handle: ({ params }) => {
    const listed = contractsOf(params.productType).filter(
      ({ symbol }) => params.symbol === undefined || symbol === params.symbol,
    )
    if (listed.length === 0) throw refusals.order(`Parameter ${params.symbol} does not exist`)
    return listed.map(contractRow)
  },
})

function contractRow(contract: Contract): Record<string, unknown> {
  const step = ONE / 10n ** BigInt(contract.quantityPlaces)
  return {
    symbol: contract.symbol,
    baseCoin: contract.base,
    quoteCoin: contract.quote,
    buyLimitPriceRatio: '0.05',
    sellLimitPriceRatio: '0.05',
    feeRateUpRatio: '0.005',
    makerFeeRate: '0.0002',
    takerFeeRate: '0.0006',
    openCostUpRatio: '0.01',
    supportMarginCoins: [contract.marginCoin],
    minTradeNum: text(step),
    priceEndStep: '1',
    volumePlace: String(contract.quantityPlaces),
    pricePlace: String(contract.pricePlaces),
    sizeMultiplier: text(step),
    symbolType: 'perpetual',
    minTradeUSDT: '5',
    maxSymbolOrderNum: '200',
    maxProductOrderNum: '400',
    maxPositionNum: '150',
    symbolStatus: 'normal',
    offTime: '-1',
    limitOpenTime: '-1',
    deliveryTime: '',
    deliveryStartTime: '',
    deliveryPeriod: '',
    launchTime: String(LAUNCHED_MS),
    fundInterval: '8',
    minLever: '1',
    maxLever: '125',
    posLimit: '0.1',
    maintainTime: '',
    maxMarketOrderQty: text(money('220')),
    maxOrderQty: text(money('1200')),
    isRwa: 'NO',
    openTime: '',
  }
}

const LIQUIDATION_DAYS = 3
const PAGE_MAX = 100

/** Records have no id, so the cursor has no meaning to a client. */
export const liquidations = publicEndpoint({
  section: '4.18',
  name: 'market.liquidations',
  method: 'GET',
  path: '/api/v3/market/liquidations',
  rate: { count: 5, perMs: 1_000, scope: 'ip' },
  params: {
    category: required(oneOf(FUTURES_LINES)),
    symbol: optional(string),
    limit: withDefault(count(PAGE_MAX), PAGE_MAX),
    cursor: optional(id),
  },
  paging: { param: 'cursor', rows: 'list', next: 'cursor', id: null },
  handle: ({ venue, params, nowMs }) => {
    const page = venue.liquidations.get(params.category)!.page({
      way: venue.manners.paging['market.liquidations'],
      fromMs: retained(LIQUIDATION_DAYS, nowMs, undefined),
      cursor: params.cursor,
      limit: params.limit,
      keep: ({ symbol }) => params.symbol === undefined || symbol === params.symbol,
    })
    return { list: page.map(({ cursor: _, ...row }) => row), cursor: page.at(-1)?.cursor ?? '' }
  },
})
