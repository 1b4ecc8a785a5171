// How a feed that is walked by a row's id orders its rows, and what the id given by a client means. The document leaves
// this open for the tax feeds, and accounts of the venue differ (README.md has the sources), so the way of paging can
// be chosen: for all feeds of money movements, or endpoint by endpoint.

import { Random } from './random.ts'

interface Manner {
  /** The end of the window at which the first page begins. */
  from: 'newest' | 'oldest'
  /** Whether a given id requests the rows with smaller ids or those with larger ones. */
  cursor: 'smaller' | 'larger'
  /** Whether ids rise in the order of events, or reveal nothing about the order within an instant or near it. */
  ids: 'rising' | 'scattered'
}

const MANNERS = {
  'newest-first': { from: 'newest', cursor: 'smaller', ids: 'rising' },
  'oldest-first-forward': { from: 'oldest', cursor: 'larger', ids: 'rising' },
  'oldest-first-literal': { from: 'oldest', cursor: 'smaller', ids: 'rising' },
  unordered: { from: 'newest', cursor: 'smaller', ids: 'scattered' },
  'unordered-forward': { from: 'oldest', cursor: 'larger', ids: 'scattered' },
} as const satisfies Record<string, Manner>

export type Way = keyof typeof MANNERS
export const WAYS = Object.keys(MANNERS) as Way[]
/** In place of a way: each feed draws its own from the seed. */
export const SEEDED = 'seeded'

export const mannerOf = (way: Way): Manner => MANNERS[way]

const DEFAULT_WAYS = {
  'broker.customerKyc': 'newest-first',
  'trade.openOrders': 'newest-first',
  'trade.orderHistory': 'newest-first',
  'market.liquidations': 'newest-first',
  'tax.records': 'newest-first',
  'tax.futuresRecords': 'oldest-first-forward',
  'tax.p2pRecords': 'oldest-first-forward',
  'p2p.orders': 'newest-first',
} as const satisfies Record<string, Way>

export type PagedEndpoint = keyof typeof DEFAULT_WAYS
export const PAGED_ENDPOINTS = Object.keys(DEFAULT_WAYS) as PagedEndpoint[]
export type Ways = Readonly<Record<PagedEndpoint, Way>>
export const USUAL_WAYS: Ways = DEFAULT_WAYS

/** The feeds to which a way without an endpoint's name applies: those whose order the document leaves open. */
const MONEY_FEEDS = ['tax.records', 'tax.futuresRecords', 'tax.p2pRecords', 'p2p.orders'] as const

export type PagingOptions = Partial<Record<PagedEndpoint, Way | typeof SEEDED>>

/** Parses `WAY`, `ENDPOINT=WAY` or several of them, comma-separated, or an object of ways by endpoint. */
export function readPaging(options: string | PagingOptions = {}, seed = 1): Ways {
  const ways: Record<PagedEndpoint, Way> = { ...DEFAULT_WAYS }
  const parts = typeof options === 'string' ? split(options) : Object.entries(options)
  for (const [name, value] of parts) {
    for (const endpoint of name === '' ? MONEY_FEEDS : [endpointNamed(name)]) {
      ways[endpoint] = wayNamed(value, endpoint, seed)
    }
  }
  return ways
}

/** Parts as endpoint and way; a way without an endpoint comes first, so that a named endpoint is an exception to it. */
function split(text: string): [string, string][] {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part): [string, string] => {
      const [first, ...rest] = part.split('=')
      return rest.length === 0 ? ['', first!] : [first!, rest.join('=')]
    })
  return [...parts.filter(([name]) => name === ''), ...parts.filter(([name]) => name !== '')]
}

function endpointNamed(name: string): PagedEndpoint {
  const endpoint = PAGED_ENDPOINTS.find((known) => known === name)
  if (endpoint !== undefined) return endpoint
  throw new RangeError(`Unknown endpoint "${name}" to page. Known endpoints: ${PAGED_ENDPOINTS.join(', ')}.`)
}

function wayNamed(value: string, endpoint: PagedEndpoint, seed: number): Way {
  if (value === SEEDED) return new Random(seed, `paging/${endpoint}`).pick(WAYS)
  const way = WAYS.find((known) => known === value)
  if (way !== undefined) return way
  throw new RangeError(`Unknown way of paging "${value}". Known ways: ${[...WAYS, SEEDED].join(', ')}.`)
}
