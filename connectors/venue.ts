// The venue as its callers see it: accounts that can be asked, within budgets, with retries and one clock. Clock,
// randomness and network are passed as options, so that the same code runs with a test's clock.
import type { Dispatcher } from 'undici'
import type { Clock } from '../models/clock.ts'
import type { AccountAccess } from './access.ts'
import type { BudgetOverride } from './budgets.ts'
import type { Endpoint, Params } from './endpoint.ts'
import type { RequestMeta } from './errors.ts'
import type { VenueProfile } from './profile.ts'
import type { FailedBefore } from './retry.ts'

export interface VenueOptions {
  readonly profile: VenueProfile
  /** Instead of the profile's. */
  readonly baseUrl?: string
  readonly clock: Clock
  /** Uniform in [0, 1): jitter of the pauses. */
  readonly random: () => number
  /** Ends every request. */
  readonly signal?: AbortSignal
  /** For one try; 10 s if absent. */
  readonly timeoutMs?: number
  /** Of a decoded answer; 64 MiB if absent. */
  readonly maxBodyBytes?: number
  /** By endpoint name. */
  readonly budgets?: Readonly<Record<string, BudgetOverride>>
  /**
   * Wall-clock milliseconds of the last request of an earlier process; if absent it is unknown and budgets start spent.
   */
  readonly quietSince?: number | null
  readonly log?: (event: RequestEvent) => void
  readonly dispatcher?: Dispatcher
  /**
   * Credentials of all accounts: an answer to one may contain what another has sent. Those of the asking account are
   * always included.
   */
  readonly secrets?: readonly string[]
}

/** What happened to one try of a request, or a pause of all requests. Contains no secret. */
export type RequestEvent =
  | {
      readonly event: 'answer' | 'refusal'
      readonly endpoint: string
      readonly account: string
      readonly tries: number
      readonly status: number | null
      readonly code: string
      /** For a failed connection: the stage that failed, in a sentence that names the host. Otherwise null. */
      readonly unreachable: string | null
      readonly tookMs: number
      /** Until the next try; null if there is none. */
      readonly retryInMs: number | null
    }
  | { readonly event: 'block pause'; readonly pauseMs: number }

/** A success, as received. */
export interface Answer {
  readonly request: RequestMeta
  readonly status: number
  /** The decoded content. */
  readonly body: Buffer
  readonly envelope: { readonly data: unknown; readonly requestTime: number | null }
  /** Milliseconds of the monotonic clock. */
  readonly sentAt: number
}

export interface RequestOptions {
  readonly signal?: AbortSignal
  /** Sends without checking the parameters against the interface document. */
  readonly unchecked?: boolean
  readonly failedBefore?: FailedBefore | null
}

export interface AccountClient {
  /**
   * Calls an endpoint. Parameters given as a function are generated again just before each sending. Throws VenueError
   * (its class shows what to do), UsageError for parameters that break a documented rule, and Stopped.
   */
  request(endpoint: Endpoint, params: Params | (() => Params), options?: RequestOptions): Promise<Answer>
}

export interface Venue {
  account(access: AccountAccess): AccountClient
  /** The current difference between the venue's clock and this machine's wall clock; null until measured. */
  readonly offsetMs: number | null
  /**
   * Unix milliseconds by the venue's clock at an instant of the monotonic one; null until confirmed by `answers` (by
   * default one).
   */
  venueAt(monotonic: number, answers?: number): number | null
  /** Unix milliseconds by the venue's clock, as far as it is known. */
  venueNow(): number
  readonly counters: { readonly requests: number; readonly retries: number }
  /** Ends requests in progress and frees the connections. */
  close(): Promise<void>
}
