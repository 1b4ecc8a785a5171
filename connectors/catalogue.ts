// All endpoints of the interface document, in the order of its sections.
import { UsageError } from '../models/error.ts'
import { pathOf } from './attempt.ts'
import { days, type Endpoint } from './endpoint.ts'
import * as account from './endpoints/account.ts'
import * as broker from './endpoints/broker.ts'
import * as convert from './endpoints/convert.ts'
import * as futures from './endpoints/futures.ts'
import * as loan from './endpoints/loan.ts'
import * as market from './endpoints/market.ts'
import * as p2p from './endpoints/p2p.ts'
import * as spot from './endpoints/spot.ts'
import * as tax from './endpoints/tax.ts'
import * as trade from './endpoints/trade.ts'
import * as wallet from './endpoints/wallet.ts'
import { defaultProfile } from './profile.ts'

/** A file of endpoints/ exports nothing else. */
const families: readonly Readonly<Record<string, Endpoint>>[] = [
  account,
  broker,
  convert,
  futures,
  loan,
  market,
  p2p,
  spot,
  tax,
  trade,
  wallet,
]

const place = ({ section }: Endpoint): number => Number(section.split('.')[1])

export const endpoints: readonly Endpoint[] = families
  .flatMap((family) => Object.values(family))
  .sort((one, other) => place(one) - place(other))

export function findEndpoint(name: string): Endpoint | undefined {
  return endpoints.find((endpoint) => endpoint.name === name)
}

/**
 * Endpoints with other spans than documented, in days by name. Planning, walking and parameter checks read the
 * declaration, so nothing else needs to know. Throws a UsageError for an endpoint that takes no span.
 */
export function withSpans(
  declared: readonly Endpoint[],
  spanDays: Readonly<Record<string, number>>,
): readonly Endpoint[] {
  return declared.map((endpoint) => {
    const span = spanDays[endpoint.name]
    if (span === undefined) return endpoint
    if (endpoint.window === null)
      throw new UsageError(`${endpoint.name} takes no time span that could be longer.`, {
        where: `venue.span_days.${endpoint.name}`,
        expected: declared.flatMap(({ name, window }) => (window === null ? [] : [name])).join(', '),
        action: 'Remove the key.',
      })
    return { ...endpoint, window: { ...endpoint.window, spanMaxMs: days(span) } }
  })
}

/** An endpoint as `tieout endpoints --json` prints it; null where the interface document states nothing. */
export interface CatalogueEntry {
  readonly section: string
  readonly name: string
  readonly method: string
  readonly path: string
  readonly public: boolean
  readonly writes: boolean
  readonly permission: string | null
  readonly rate: { readonly count: number; readonly perMs: number; readonly scope: 'uid' | 'ip' }
  readonly spanMaxDays: number | null
  readonly retentionDays: number | null
  readonly pageSizeMax: number | null
  readonly paging: 'cursor' | 'last-id' | 'page-number' | null
}

export function catalogueEntry(endpoint: Endpoint): CatalogueEntry {
  const { section, name, method, writes, permission, rate, window, page } = endpoint
  const inDays = (ms: number | null | undefined): number | null =>
    ms === null || ms === undefined ? null : ms / days(1)
  return {
    section,
    name,
    method,
    path: pathOf(endpoint, defaultProfile),
    public: endpoint.public,
    writes,
    permission,
    rate: { count: rate.count, perMs: rate.perMs, scope: rate.scope },
    spanMaxDays: inDays(window?.spanMaxMs),
    retentionDays: inDays(window?.retentionMs ?? endpoint.retentionMs),
    pageSizeMax: page.kind === 'none' ? null : page.sizeMax,
    paging: page.kind === 'none' ? null : page.kind,
  }
}
