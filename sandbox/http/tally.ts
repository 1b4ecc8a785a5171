// What the server saw, so that a test can prove that nobody breached a budget: requests, refusals by code and the
// fullest window per endpoint and account or address, and a log of the last requests without any secrets.

import type { Endpoint } from '../endpoints/endpoint.ts'
import { faster, getOrMake, SlidingWindow } from './budgets.ts'

export interface EndpointStats {
  endpoint: string
  /** The uid, or the address for a public endpoint. */
  who: string
  scope: 'uid' | 'ip'
  requests: number
  /** Refused requests by code. */
  refused: Record<string, number>
  /**
   * The most arrivals in any window of `perMs`, with those of a shared budget added together; above `limit` it was
   * breached.
   */
  peak: number
  limit: number
  perMs: number
}

export interface LoggedRequest {
  /** The venue's clock. */
  ts: number
  method: string
  path: string
  query: string
  /** Null if the key did not prove an account. */
  uid: string | null
  status: number
  code: string
  /** The fault applied to the answer, if any. */
  fault?: string
}

export interface Stats {
  requests: number
  /** Requests refused before they were assigned to an account and endpoint, by code. */
  turnedAway: Record<string, number>
  endpoints: EndpointStats[]
  log: LoggedRequest[]
}

const LOG_LENGTH = 2_000

interface Entry {
  window: SlidingWindow
  stats: Omit<EndpointStats, 'peak'>
}

export class Tally {
  readonly #speed: number
  readonly #entries = new Map<string, Entry>()
  readonly #windows = new Map<string, SlidingWindow>()
  readonly #turnedAway: Record<string, number> = {}
  readonly #log: LoggedRequest[] = []
  #requests = 0

  constructor(speed: number) {
    this.#speed = speed
  }

  /** Counts an arrival against its budget and returns what is left of it; negative if it was one too many. */
  arrive(endpoint: Endpoint, who: string, atMs: number): number {
    const entry = this.#entry(endpoint, who)
    entry.stats.requests++
    return entry.window.arrive(atMs)
  }

  /** Records how a request ended. */
  answered(request: LoggedRequest, served: { endpoint: Endpoint; who: string } | undefined): void {
    this.#requests++
    this.#log.push(request)
    if (this.#log.length > 2 * LOG_LENGTH) this.#log.splice(0, LOG_LENGTH)
    if (request.code === '00000') return
    const refused = served ? this.#entry(served.endpoint, served.who).stats.refused : this.#turnedAway
    refused[request.code] = (refused[request.code] ?? 0) + 1
  }

  stats(): Stats {
    return {
      requests: this.#requests,
      turnedAway: { ...this.#turnedAway },
      endpoints: [...this.#entries.values()].map(({ window, stats }) => ({
        ...stats,
        refused: { ...stats.refused },
        peak: window.peak,
      })),
      log: this.#log.slice(-LOG_LENGTH),
    }
  }

  #entry(endpoint: Endpoint, who: string): Entry {
    return getOrMake(this.#entries, `${endpoint.name}|${who}`, () => {
      const { count, perMs } = faster(endpoint.rate, this.#speed)
      const { name, rate, budgetGroup = name } = endpoint
      const stats = { endpoint: name, who, scope: rate.scope, requests: 0, refused: {}, limit: count, perMs }
      const window = getOrMake(
        this.#windows,
        `${budgetGroup}|${who}`,
        () => new SlidingWindow({ count, perMs }),
      )
      return { window, stats }
    })
  }
}
