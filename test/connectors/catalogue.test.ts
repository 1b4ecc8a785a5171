// The catalogue against the tables of the interface document, restated here as data: parts 2, 3, 4, 5 and 8.
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { catalogueEntry, endpoints, findEndpoint } from '../../connectors/catalogue.ts'
import { columnName, type RecordType } from '../../models/record.ts'
import { recordDocs } from '../../pipeline/ledger/records.ts'

/** section, name, method, path, permission, count, perMs, scope, span, retention (days), page size, paging, writes. */
const document = `
4.1  broker.createApiKey        POST /api/v2/broker/manage/create-subaccount-apikey  - 10 1000 uid  -  -    -    -           writes
4.2  broker.modifyApiKey        POST /api/v2/broker/manage/modify-subaccount-apikey  - 10 1000 uid  -  -    -    -           writes
4.3  broker.subaccountEmail     GET  /api/v2/broker/account/subaccount-email         - 10 1000 uid  -  -    -    -           reads
4.4  broker.customers           POST /api/v2/broker/customer-list                    - 10 1000 uid  30 30   1000 page-number reads
4.5  broker.customerKyc         GET  /api/v2/broker/customer-kyc-result              - 10 1000 uid  90 -    1000 cursor      reads
4.6  wallet.subaccountTransfer  POST /api/v2/spot/wallet/subaccount-transfer         - 20 1000 uid  -  -    -    -           writes
4.7  spot.placeOrder            POST /api/v2/spot/trade/place-order                  - 10 1000 uid  -  -    -    -           writes
4.8  trade.cancelOrder          POST /api/v3/trade/cancel-order                      w 10 1000 uid  -  -    -    -           writes
4.9  trade.batchModifyOrders    POST /api/v3/trade/batch-modify-order                w 10 1000 uid  -  -    -    -           writes
4.10 trade.openOrders           GET  /api/v3/trade/unfilled-orders                   r 20 1000 uid  -  -    100  cursor      reads
4.11 trade.orderHistory         GET  /api/v3/trade/history-orders                    r 20 1000 uid  30 90   100  cursor      reads
4.12 futures.positions          GET  /api/v2/mix/position/all-position               - 5  1000 uid  -  -    -    -           reads
4.13 futures.subaccountAssets   GET  /api/v2/mix/account/sub-account-assets          - 1 10000 uid  -  -    -    -           reads
4.14 account.settings           GET  /api/v3/account/settings                        m 20 1000 uid  -  -    -    -           reads
4.15 account.repay              POST /api/v3/account/repay                           M 5  1000 uid  -  -    -    -           writes
4.16 loan.ltv                   GET  /api/v3/ins-loan/ltv-convert                    m 3  1000 uid  -  -    -    -           reads
4.17 futures.contracts          GET  /api/v2/mix/market/contracts                    - 20 1000 ip   -  -    -    -           reads
4.18 market.liquidations        GET  /api/v3/market/liquidations                     - 5  1000 ip   -  3    100  cursor      reads
4.19 tax.records                GET  /api/v3/tax/records                             t 1  1000 uid  7  366  500  last-id     reads
4.20 tax.futuresRecords         GET  /api/v2/tax/future-record                       - 1  1000 uid  30 -    500  last-id     reads
4.21 tax.p2pRecords             GET  /api/v2/tax/p2p-record                          - 1  1000 uid  30 -    500  last-id     reads
4.22 p2p.merchant               GET  /api/v2/p2p/merchantInfo                        - 10 1000 uid  -  -    -    -           reads
4.23 p2p.orders                 GET  /api/v2/p2p/orderList                           - 10 1000 uid  90 -    -    cursor      reads
4.24 convert.smallBalances      POST /api/v2/convert/bgb-convert                     - 10 1000 uid  -  -    -    -           writes
`

const permissions: Readonly<Record<string, string | null>> = {
  '-': null,
  r: 'UTA trade (read)',
  w: 'UTA trade (read & write)',
  m: 'UTA mgt. (read)',
  M: 'UTA mgt. (read & write)',
  t: 'tax API key',
}

const orNull = (cell: string | undefined) => (cell === '-' ? null : cell)
const numberOrNull = (cell: string | undefined) => (cell === '-' ? null : Number(cell))

const expected = document
  .trim()
  .split('\n')
  .map((line) => {
    const [
      section,
      name,
      method,
      path,
      permission,
      count,
      perMs,
      scope,
      span,
      retention,
      size,
      paging,
      does,
    ] = line.split(/\s+/)
    return {
      section,
      name,
      method,
      path,
      public: scope === 'ip',
      writes: does === 'writes',
      permission: permissions[permission!],
      rate: { count: Number(count), perMs: Number(perMs), scope },
      spanMaxDays: numberOrNull(span),
      retentionDays: numberOrNull(retention),
      pageSizeMax: numberOrNull(size),
      paging: orNull(paging),
    }
  })

describe('the catalogue', () => {
  test.each(expected)('agrees with section $section: $name', (entry) => {
    const declared = findEndpoint(entry.name!)
    expect(declared && catalogueEntry(declared)).toEqual(entry)
  })

  test('has the 24 endpoints in the order of their sections and nothing else', () => {
    expect(endpoints.map(({ section }) => section)).toEqual(
      Array.from({ length: 24 }, (_, place) => `4.${place + 1}`),
    )
  })

  test('signs by the tax key at 4.19, not at all at the public endpoints, else by the API key', () => {
    const by = (credential: string) =>
      endpoints.filter((endpoint) => endpoint.credential === credential).map(({ section }) => section)
    expect([by('tax'), by('none'), by('api').length]).toEqual([['4.19'], ['4.17', '4.18'], 21])
  })

  test('says of every write how to find out what became of it', () => {
    const silent = endpoints.filter(({ writes, outcome }) => writes && outcome === undefined)
    expect(silent).toEqual([])
  })

  test('has the partitions of the architecture', () => {
    const labels = Object.fromEntries(
      endpoints
        .filter(({ partitions }) => partitions.length > 1)
        .map(({ name, partitions }) => [name, partitions.map(({ label }) => label).join(' ')]),
    )
    const futures = 'USDT-FUTURES COIN-FUTURES USDC-FUTURES'
    expect(labels).toEqual({
      'trade.orderHistory': `SPOT MARGIN ${futures}`,
      'futures.positions': futures,
      'futures.subaccountAssets': futures,
      'futures.contracts': futures,
      'market.liquidations': futures,
      'tax.records': `SPOT MARGIN-crossed MARGIN-isolated ${futures} OTHER`,
      'tax.futuresRecords': futures,
    })
  })
})

/** Response fields of part 2, by the endpoint that carries them. */
const fieldsOfPart2: Readonly<Record<string, string>> = {
  'broker.subaccountEmail': 'subUid subaccountName subaccountEmail ctime utime',
  'broker.customers': 'uid registerTime',
  'broker.customerKyc': 'uid kycResult',
  'trade.openOrders':
    'orderId clientOid category symbol orderType side price qty amount cumExecQty cumExecValue avgPrice timeInForce orderStatus posSide holdMode delegateType reduceOnly stpMode feeDetail createdTime updatedTime',
  'trade.orderHistory':
    'orderId clientOid category symbol orderType side price qty amount cumExecQty cumExecValue avgPrice timeInForce orderStatus posSide holdMode delegateType reduceOnly stpMode feeDetail createdTime updatedTime cancelReason execType',
  'futures.positions':
    'marginCoin symbol holdSide openDelegateSize marginSize available locked total leverage achievedProfits openPriceAvg marginMode posMode unrealizedPL liquidationPrice keepMarginRate markPrice marginRatio breakEvenPrice totalFee deductedFee grant assetMode autoMargin takeProfit stopLoss takeProfitId stopLossId cTime uTime',
  'futures.subaccountAssets': 'userId assetList',
  'account.settings': 'uid accountMode assetMode holdMode stpMode symbolConfigList coinConfigList',
  'loan.ltv': 'ltv subAccountUids usdtBalance unpaidUsdtAmount unpaidInfo balanceInfo',
  'futures.contracts':
    'symbol baseCoin quoteCoin buyLimitPriceRatio sellLimitPriceRatio feeRateUpRatio makerFeeRate takerFeeRate openCostUpRatio supportMarginCoins minTradeNum priceEndStep volumePlace pricePlace sizeMultiplier symbolType minTradeUSDT maxSymbolOrderNum maxProductOrderNum maxPositionNum symbolStatus offTime limitOpenTime deliveryTime deliveryStartTime deliveryPeriod launchTime fundInterval minLever maxLever posLimit maintainTime maxMarketOrderQty maxOrderQty isRwa openTime',
  'market.liquidations': 'symbol side price amount ts',
  'tax.records': 'id coin type amount fee balance ts',
  'tax.futuresRecords': 'id symbol marginCoin futureTaxType amount fee ts',
  'tax.p2pRecords': 'id coin p2pTaxType balance ts',
  'p2p.merchant':
    'registerTime nickName merchantId kycStatus emailBindStatus mobileBindStatus email mobile avgPaymentTime avgReleaseTime totalTrades totalBuy totalSell totalCompletionRate trades30d sell30d buy30d completionRate30d',
  'p2p.orders':
    'orderId orderNo advNo side count coin price fiat withdrawTime representTime releaseTime paymentTime amount status buyerRealName sellerRealName cTime uTime paymentInfo',
}

/** What the venue sends beyond part 2. */
const beyondOrders =
  'takeProfit stopLoss tpTriggerBy slTriggerBy tpOrderType slOrderType tpLimitPrice slLimitPrice marginMode tradeSide'
const beyondPart2: Readonly<Record<string, string>> = {
  'trade.openOrders': beyondOrders,
  'trade.orderHistory': beyondOrders,
  'futures.positions': 'cashDividend',
  'account.settings': 'accountLevel',
}

describe('records', () => {
  const landing = endpoints.filter((endpoint) => endpoint.item !== null)

  test('of every reading endpoint have the fields of part 2, in its order', () => {
    expect(landing.map(({ name }) => name)).toEqual(Object.keys(fieldsOfPart2))
    const namesOf = (item: RecordType | null, beyond: boolean): string[] =>
      Object.entries(item!.fields).flatMap(([field, one]) => (one.beyond === beyond ? [field] : []))
    for (const { name, item } of landing) {
      expect(namesOf(item, false).toSorted()).toEqual(fieldsOfPart2[name]!.split(' ').toSorted())
      expect(namesOf(item, true)).toEqual(beyondPart2[name]?.split(' ') ?? [])
    }
  })

  test('say of a column beyond the document that it is', () => {
    expect(recordDocs(findEndpoint('account.settings')!.item!).get('account_level')).toBe(
      'basic, advanced, isolated or delta. Beyond the interface document; null where it was not sent.',
    )
  })

  test('land in the tables of the contract', () => {
    expect(landing.map(({ item }) => item!.table).toSorted()).toEqual(
      'account_settings contracts customer_kyc customers futures_records liquidations ltv merchants open_orders orders p2p_orders p2p_records positions subaccount_assets subaccount_emails tax_records'.split(
        ' ',
      ),
    )
  })

  test('mark what names or reaches a person', () => {
    const personal = landing.flatMap(({ item }) =>
      Object.entries(item!.fields)
        .filter(([, field]) => field.personal)
        .map(([field]) => `${item!.table}.${columnName(field)}`),
    )
    expect(personal.toSorted()).toEqual([
      'merchants.email',
      'merchants.mobile',
      'merchants.nick_name',
      'p2p_orders.buyer_real_name',
      'p2p_orders.payment_info',
      'p2p_orders.seller_real_name',
      'subaccount_emails.subaccount_email',
      'subaccount_emails.subaccount_name',
    ])
  })

  test('have their key, version and window field among their fields', () => {
    const namesOf = ({ item, window }: (typeof landing)[number]) =>
      [...item!.key, item!.version, window?.time].filter((name) => typeof name === 'string' && name !== '')
    const strange = landing.flatMap((endpoint) =>
      namesOf(endpoint).filter((name) => !((name as string) in (endpoint.item as RecordType).fields)),
    )
    expect(strange).toEqual([])
  })

  test('know every kind of order of 2.3.1, the one under the profile’s name included', () => {
    const kinds = findEndpoint('trade.orderHistory')!.item!.fields.delegateType!.values!
    expect([kinds.length, new Set(kinds).size]).toEqual([90, 90])
    expect(kinds).toContain('strategy_tradingview_signal')
    expect(kinds).not.toContain('strategy_<external_chart_platform>_signal')
  })
})

test('no file but the profile names the venue', () => {
  const folder = new URL('../../connectors/', import.meta.url)
  const naming = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && file !== 'profile.ts')
    .filter((file) => /bitget|\bbgb\b|tradingview/i.test(readFileSync(new URL(file, folder), 'utf8')))
  expect(naming).toEqual([])
})
