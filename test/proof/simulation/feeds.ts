// The feeds of the simulated world: the declared endpoints with small pages, short spans and little memory, so that
// a few hundred records cross every edge, and the rows that the model venue makes for them.
import type { Endpoint, Window } from '../../../connectors/endpoint.ts'
import { settings } from '../../../connectors/endpoints/account.ts'
import { p2pOrders } from '../../../connectors/endpoints/p2p.ts'
import { futuresRecords, p2pRecords, taxRecords } from '../../../connectors/endpoints/tax.ts'
import { orderHistory } from '../../../connectors/endpoints/trade.ts'
import type { Random } from './random.ts'
import type { Cell } from './wire.ts'

export const HOUR = 3_600_000

interface Scale {
  readonly spanMs: number
  readonly retentionMs: number
  readonly lookbackMs: number
  readonly partitions: number
  readonly rate: { readonly count: number; readonly perMs: number }
}

/** Every ratio of the real ones is kept: a memory of several spans, a look-back within one span. */
const SCALES: Readonly<Record<string, Scale>> = {
  'tax.records': {
    spanMs: 18 * HOUR,
    retentionMs: 96 * HOUR,
    lookbackMs: 6 * HOUR,
    partitions: 2,
    rate: { count: 1, perMs: 1_000 },
  },
  'tax.futuresRecords': {
    spanMs: 30 * HOUR,
    retentionMs: 120 * HOUR,
    lookbackMs: 6 * HOUR,
    partitions: 2,
    rate: { count: 1, perMs: 1_000 },
  },
  'tax.p2pRecords': {
    spanMs: 30 * HOUR,
    retentionMs: 120 * HOUR,
    lookbackMs: 6 * HOUR,
    partitions: 1,
    rate: { count: 1, perMs: 1_000 },
  },
  'trade.orderHistory': {
    spanMs: 24 * HOUR,
    retentionMs: 72 * HOUR,
    lookbackMs: 12 * HOUR,
    partitions: 2,
    rate: { count: 3, perMs: 1_000 },
  },
  'p2p.orders': {
    spanMs: 48 * HOUR,
    retentionMs: 120 * HOUR,
    lookbackMs: 12 * HOUR,
    partitions: 1,
    rate: { count: 2, perMs: 1_000 },
  },
}

/** An endpoint with a window. */
export type Feed = Endpoint & { readonly window: Window }

export const retentionOfFeed = (feed: Feed): number =>
  feed.window.retentionMs ?? feed.window.retentionAssumedMs ?? 0

/** How large the feeds of a run are. */
export interface FeedSizes {
  readonly feeds: readonly string[]
  readonly pageSize: number
  /** Of what the venue remembers, as a share of the scales above. */
  readonly memory: number
  readonly partitions: number
}

/** The endpoints of a run, settings first. */
export function simulatedFeeds(sizes: FeedSizes): { settings: Endpoint; feeds: Feed[] } {
  const declared = [taxRecords, futuresRecords, p2pRecords, orderHistory, p2pOrders]
  const feeds = declared
    .filter(({ name }) => sizes.feeds.includes(name))
    .map((endpoint) => scaled(endpoint, sizes))
  return { settings, feeds }
}

function scaled(endpoint: Endpoint, { pageSize: size, memory, partitions }: FeedSizes): Feed {
  const full = SCALES[endpoint.name]!
  const scale = { ...full, retentionMs: Math.round(full.retentionMs * memory) }
  const { window, page } = endpoint
  if (window === null || page.kind === 'none') throw new Error(`${endpoint.name} is no history feed`)
  const retention =
    window.retentionMs === null
      ? { retentionMs: null, retentionAssumedMs: scale.retentionMs }
      : { retentionMs: scale.retentionMs }
  return {
    ...endpoint,
    rate: { ...endpoint.rate, ...scale.rate },
    page: { ...page, size },
    partitions: endpoint.partitions.slice(0, Math.min(partitions, scale.partitions)),
    window: { ...window, ...retention, spanMaxMs: scale.spanMs, lookbackMs: scale.lookbackMs },
  }
}

/** An amount of a few digits, sometimes with many decimals. */
function amount(random: Random, signed = true): string {
  const whole = random.int(0, random.pick([9, 99_999]))
  const decimals = random.pick([0, 2, 8, 18])
  const fraction = Array.from({ length: decimals }, () => random.int(0, 9)).join('')
  const sign = signed && random.chance(0.5) ? '-' : ''
  return `${sign}${whole}${decimals === 0 ? '' : `.${fraction}`}`
}

/** What a row of a feed says when it first appears; names as the interface document spells them. */
export function newRow(feed: string, id: string, ts: number, random: Random): Record<string, Cell> {
  const at = String(ts)
  const coin = random.pick(['BTC', 'ETH', 'USDT'])
  switch (feed) {
    case 'tax.records': {
      const type = random.pick(['ORDER_DEALT_IN', 'ORDER_DEALT_FROZEN_OUT', 'TRANSFER_IN', 'TRANSFER_OUT'])
      const fee = random.pick(['0', '-0.001', '-0.5'])
      return { id, coin, type, amount: amount(random), fee, balance: amount(random, false), ts: at }
    }
    case 'tax.futuresRecords': {
      const futureTaxType = random.pick(['open_long', 'close_long', 'contract_settle_fee'])
      const marginCoin = 'USDT'
      return {
        id,
        symbol: 'BTCUSDT',
        marginCoin,
        futureTaxType,
        amount: amount(random),
        fee: '-0.01',
        ts: at,
      }
    }
    case 'tax.p2pRecords': {
      const p2pTaxType = random.pick(['buy', 'sell', 'transfer_in', 'transfer_out'])
      return { id, coin, p2pTaxType, balance: amount(random, false), ts: at }
    }
    case 'trade.orderHistory':
      return {
        orderId: id,
        category: 'SPOT',
        symbol: 'BTCUSDT',
        orderType: 'limit',
        side: random.pick(['buy', 'sell']),
        price: amount(random, false),
        qty: amount(random, false),
        cumExecQty: '0',
        orderStatus: 'filled',
        createdTime: at,
        updatedTime: at,
      }
    case 'p2p.orders':
      return {
        orderId: id,
        side: random.pick(['buy', 'sell']),
        count: amount(random, false),
        amount: amount(random, false),
        coin: 'USDT',
        price: amount(random, false),
        fiat: 'EUR',
        status: 'Completed',
        buyerRealName: 'A. Buyer',
        cTime: at,
        uTime: at,
      }
    default:
      throw new RangeError(`${feed} has no rows here: say in newRow what one looks like`)
  }
}

/** The amount that changes when a record does, the field that tells whether it is settled, and its version time. */
export interface Shape {
  readonly id: string
  readonly amount: string
  readonly type: string | null
  readonly state: string | null
  readonly unsettled: readonly string[]
  readonly updated: string | null
}

/** Of what lives on: a booked record declares its own. */
const LIVES: Readonly<Record<string, { readonly amount: string; readonly type: string }>> = {
  'trade.orderHistory': { amount: 'cumExecQty', type: 'orderType' },
  'p2p.orders': { amount: 'amount', type: 'side' },
}

export function shapeOf(feed: Feed): Shape {
  const typed = feed.item?.typed ?? null
  const ofLife = LIVES[feed.name]
  return {
    id: feed.item?.key[0] ?? 'id',
    amount: typed?.books?.amount ?? ofLife?.amount ?? 'amount',
    type: typed?.field ?? ofLife?.type ?? null,
    state: feed.unsettled?.field ?? null,
    unsettled: feed.unsettled?.values ?? [],
    updated: feed.item?.version ?? null,
  }
}
