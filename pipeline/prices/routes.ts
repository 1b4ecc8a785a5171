// Which series lead from a coin to the reporting currency: the shortest route over pairs that the venue
// trades and reference rates that the ECB publishes, as the valuation models may take it
// (sql/intermediate/values/price_links.sql).

import type { SpotPair } from '../../connectors/prices/candles.ts'
import { ECB_CURRENCIES } from '../../connectors/prices/ecb-rates.ts'
import { STEPS_MAX } from '../ledger/price-ways.ts'

/** One price on a route. */
export type Leg =
  | { readonly source: 'candles'; readonly pair: SpotPair }
  | { readonly source: 'ecb'; readonly currency: string }

export interface RouteFacts {
  readonly reporting: string
  /** Quote coins, in order of preference. */
  readonly hubs: readonly string[]
  /** Empty if candles are not configured, or the list could not be fetched. */
  readonly pairs: readonly SpotPair[]
  readonly hasEcb: boolean
}

/** Legs of the route from each coin; null if none leads to the reporting currency. */
export function findRoutes(coins: readonly string[], facts: RouteFacts): Map<string, readonly Leg[] | null> {
  const links = linksOf(facts)
  return new Map(coins.map((coin) => [coin, findRoute(coin, facts.reporting, links)]))
}

interface Link {
  readonly to: string
  readonly leg: Leg
}

type Links = ReadonlyMap<string, readonly Link[]>

/** The same two directions as in the model: as quoted, and inverted where allowed. */
function linksOf({ reporting, hubs, pairs, hasEcb }: RouteFacts): Links {
  const links = new Map<string, Link[]>()
  const add = (from: string, to: string, leg: Leg): void => {
    const known = links.get(from)
    if (known === undefined) links.set(from, [{ to, leg }])
    else known.push({ to, leg })
  }
  const isHub = new Set(hubs)
  for (const pair of pairs) {
    const leg = { source: 'candles', pair } as const
    add(pair.base, pair.quote, leg)
    if (isHub.has(pair.base) || pair.base === reporting) add(pair.quote, pair.base, leg)
  }
  if (hasEcb)
    for (const currency of ECB_CURRENCIES) {
      const leg = { source: 'ecb', currency } as const
      add('EUR', currency, leg)
      add(currency, 'EUR', leg)
    }
  const place = (code: string): number => (isHub.has(code) ? hubs.indexOf(code) : hubs.length)
  for (const [from, to] of links)
    links.set(
      from,
      to.toSorted((a, b) => place(a.to) - place(b.to) || (a.to < b.to ? -1 : Number(a.to > b.to))),
    )
  return links
}

/** Breadth first, so the shortest; among equals, the route over the preferred quote coins. */
function findRoute(coin: string, reporting: string, links: Links): readonly Leg[] | null {
  let reached: (readonly [string, readonly Leg[]])[] = [[coin, []]]
  const seen = new Set([coin])
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const next: (readonly [string, readonly Leg[]])[] = []
    for (const [at, legs] of reached)
      for (const { to, leg } of links.get(at) ?? []) {
        if (to === reporting) return [...legs, leg]
        if (seen.has(to)) continue
        seen.add(to)
        next.push([to, [...legs, leg]])
      }
    reached = next
  }
  return null
}
