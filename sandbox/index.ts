// A venue on loopback that implements the documented API over an invented past, with a truth to compare against. It is
// written from the interface document and public facts of the venue, and shares no code with what it tests.

import type { SandboxAccount } from './core/accounts.ts'
import type { Truth } from './core/books.ts'
import { Clock } from './core/clock.ts'
import { type PagingOptions, readPaging } from './core/paging.ts'
import { Venue } from './core/venue.ts'
import { type FaultOptions, readFaults } from './faults/options.ts'
import { damageRecords } from './faults/records.ts'
import { WireFaults } from './faults/wire.ts'
import { inventHistory } from './history/index.ts'
import { VenueServer } from './http/server.ts'
import type { Stats } from './http/tally.ts'

export { CONFIG_MARK, writeSandboxConfig } from './config-files.ts'
export type { Credential, SandboxAccount } from './core/accounts.ts'
export type { Truth, TruthOfAccount } from './core/books.ts'
export { PAGED_ENDPOINTS, type PagingOptions, WAYS, type Way } from './core/paging.ts'
export { FAULT_NAMES, type FaultOptions } from './faults/options.ts'
export type { EndpointStats, LoggedRequest, Stats } from './http/tally.ts'

export interface SandboxOptions {
  /** Seed of everything invented; default 1. */
  seed?: number
  /** Length of the invented past in days, at most 3650; default 365. */
  days?: number
  /** The venue's clock at the start, and the end of the past; default: the machine's clock. */
  now?: Date
  /** Port on 127.0.0.1; default: any free one. */
  port?: number
  /** Budgets refill this many times as fast as documented; default 1. */
  speed?: number
  /** What goes wrong: `name[=value]`, comma-separated, or an object with the same names. Nothing by default. */
  faults?: string | FaultOptions
  /**
   * How feeds that are walked by a row's id order and page: `ENDPOINT=WAY`, comma-separated, or an object of ways by
   * endpoint; a way alone applies to 4.19 to 4.21 and 4.23.
   */
  paging?: string | PagingOptions
  /** Elapsed time in milliseconds; a test may control it. Default `performance.now`. */
  monotonicMs?: () => number
}

export interface Sandbox {
  baseUrl: string
  accounts: SandboxAccount[]
  /** What really happened, also at `GET /truth`. */
  truth(): Truth
  /** What was requested of it, also at `GET /stats`. */
  stats(): Stats
  close(): Promise<void>
}

/** The invented past is held in memory; ten years are more than anyone needs. */
const DAYS_MAX = 3_650

export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { seed = 1, days = 365, now = new Date(), port = 0, speed = 1 } = options
  if (!(days > 0) || !(speed > 0)) throw new RangeError(`days and speed must be positive: ${days}, ${speed}`)
  if (days > DAYS_MAX) throw new RangeError(`days must be at most ${DAYS_MAX}: ${days}`)
  const faults = readFaults(options.faults)
  const paging = readPaging(options.paging, seed)
  const endMs = now.getTime()
  const clock = new Clock(endMs, options.monotonicMs ?? (() => performance.now()), faults.skewMs)
  const venue = new Venue(seed, days, endMs, clock, {
    paging,
    spelling: faults['documented-types'] ? 'documented' : 'recorded',
    bursts: faults.bursts,
    plainAccounts: faults['plain-accounts'],
  })
  inventHistory(venue)
  damageRecords(venue, faults.records)
  const server = new VenueServer(venue, speed, new WireFaults(faults, seed))
  const baseUrl = await server.listen(port)
  return {
    baseUrl,
    accounts: venue.listed,
    truth: () => venue.truth(),
    stats: () => server.tally.stats(),
    close: () => server.close(),
  }
}
