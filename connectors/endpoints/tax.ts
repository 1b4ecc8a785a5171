// Tax data: every movement of each coin of an account, as the venue reports it for tax purposes. Interface document,
// 4.19 to 4.21; where the document gives no retention, it is from venue-facts, Paging.
import { futuresRecord, p2pRecord, taxRecord } from '../../models/records.ts'
import { days, defineEndpoint, type Paging } from '../endpoint.ts'
import { fields, inOrder, millis, oneOf, productType, text, wholeNumber } from '../params.ts'

const lastId = (param: string): Paging => ({
  kind: 'last-id',
  param,
  sizeParam: 'limit',
  size: 500,
  sizeMax: 500,
})

/**
 * Several public clients found that 4.20 and 4.21 share one budget; the interface document gives each its own.
 * venue-facts, Paging.
 */
const V2_TAX = 'v2-tax'

/** Unified account tax records: every signed change of a coin. Interface document, 4.19. */
export const taxRecords = defineEndpoint({
  section: '4.19',
  name: 'tax.records',
  method: 'GET',
  path: '/api/v3/tax/records',
  permission: 'tax API key',
  credential: 'tax',
  rate: { scope: 'uid', count: 1, perMs: 1_000 },
  params: fields(
    {
      bizType: oneOf('SPOT', 'MARGIN', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES', 'OTHER'),
      marginType: oneOf('isolated', 'crossed').optional(),
      coin: text.optional(),
      startTime: millis,
      endTime: millis,
      limit: wholeNumber(500).optional(),
      cursor: text.optional(),
    },
    inOrder,
  ),
  item: taxRecord,
  page: lastId('cursor'),
  window: {
    spanMaxMs: days(7),
    retentionMs: days(366),
    time: 'ts',
    proves: 'rows',
    lookbackMs: days(1),
  },
  partitions: [
    { label: 'SPOT', params: { bizType: 'SPOT' } },
    { label: 'MARGIN-crossed', params: { bizType: 'MARGIN', marginType: 'crossed' } },
    { label: 'MARGIN-isolated', params: { bizType: 'MARGIN', marginType: 'isolated' } },
    { label: 'USDT-FUTURES', params: { bizType: 'USDT-FUTURES' } },
    { label: 'COIN-FUTURES', params: { bizType: 'COIN-FUTURES' } },
    { label: 'USDC-FUTURES', params: { bizType: 'USDC-FUTURES' } },
    { label: 'OTHER', params: { bizType: 'OTHER' } },
  ],
  opened: 'product line',
  applies: 'unified',
  doc: 'Tax records of a unified account: every signed change of a coin, with the balance after it.',
})

/** Futures transaction records. Interface document, 4.20. */
export const futuresRecords = defineEndpoint({
  section: '4.20',
  name: 'tax.futuresRecords',
  method: 'GET',
  path: '/api/v2/tax/future-record',
  rate: { scope: 'uid', count: 1, perMs: 1_000, group: V2_TAX },
  params: fields(
    {
      productType: productType.optional(),
      marginCoin: text.optional(),
      startTime: millis,
      endTime: millis,
      limit: wholeNumber(500).optional(),
      idLessThan: text.optional(),
    },
    inOrder,
  ),
  item: futuresRecord,
  page: lastId('idLessThan'),
  window: {
    spanMaxMs: days(30),
    retentionMs: null,
    retentionAssumedMs: days(730),
    time: 'ts',
    proves: 'rows',
    lookbackMs: days(1),
  },
  partitions: [
    { label: 'USDT-FUTURES', params: { productType: 'USDT-FUTURES' } },
    { label: 'COIN-FUTURES', params: { productType: 'COIN-FUTURES' } },
    { label: 'USDC-FUTURES', params: { productType: 'USDC-FUTURES' } },
  ],
  opened: 'product line',
  doc: 'Futures transaction records: realised profit, fees and funding by symbol.',
})

/** P2P transaction records. Interface document, 4.21. */
export const p2pRecords = defineEndpoint({
  section: '4.21',
  name: 'tax.p2pRecords',
  method: 'GET',
  path: '/api/v2/tax/p2p-record',
  rate: { scope: 'uid', count: 1, perMs: 1_000, group: V2_TAX },
  params: fields(
    {
      coin: text.optional(),
      startTime: millis,
      endTime: millis,
      limit: wholeNumber(500).optional(),
      idLessThan: text.optional(),
    },
    inOrder,
  ),
  item: p2pRecord,
  page: lastId('idLessThan'),
  window: {
    spanMaxMs: days(30),
    retentionMs: null,
    retentionAssumedMs: days(730),
    time: 'ts',
    proves: 'rows',
    lookbackMs: days(1),
  },
  opened: 'P2P',
  doc: 'P2P transaction records: coins bought, sold and moved through the P2P account.',
})
