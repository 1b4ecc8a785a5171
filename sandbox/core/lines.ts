// The venue's closed vocabularies: product lines, margin types, wallets, roles. Interface document, parts 2 and 4.

export const FUTURES_LINES = ['USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'] as const
export const ORDER_CATEGORIES = ['SPOT', 'MARGIN', ...FUTURES_LINES] as const
export const BUSINESS_LINES = [...ORDER_CATEGORIES, 'OTHER'] as const
export const MARGIN_TYPES = ['isolated', 'crossed'] as const
export const WALLETS = [
  'spot',
  'p2p',
  'coin_futures',
  'usdt_futures',
  'usdc_futures',
  'crossed_margin',
  'isolated_margin',
] as const

export type FuturesLine = (typeof FUTURES_LINES)[number]
export type OrderCategory = (typeof ORDER_CATEGORIES)[number]
export type BusinessLine = (typeof BUSINESS_LINES)[number]
export type MarginType = (typeof MARGIN_TYPES)[number]
export type Wallet = (typeof WALLETS)[number]
export type Side = 'long' | 'short'
export type Kind = 'unified' | 'classic'
export type Role = 'parent' | 'sub' | 'merchant' | 'institution' | 'broker'

/** The feeds whose records the truth counts. */
export const FEEDS = [
  'tax.records',
  'tax.futuresRecords',
  'tax.p2pRecords',
  'trade.orderHistory',
  'p2p.orders',
] as const
export type FeedName = (typeof FEEDS)[number]

export const TAX_RETENTION_DAYS = 366
export const ORDER_RETENTION_DAYS = 90

/** Retention of a feed in days; null if the document gives no limit. */
export const RETENTION_DAYS: Record<FeedName, number | null> = {
  'tax.records': TAX_RETENTION_DAYS,
  'tax.futuresRecords': null,
  'tax.p2pRecords': null,
  'trade.orderHistory': ORDER_RETENTION_DAYS,
  'p2p.orders': null,
}

export function isFuturesLine(line: string): line is FuturesLine {
  return (FUTURES_LINES as readonly string[]).includes(line)
}
