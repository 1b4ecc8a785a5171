// The venue as its callers see it: accounts that can be asked, under budgets, with retries and one clock.
// Clock, randomness and network come in as options, so that the same code runs under a clock that a test holds.
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
  /** For one try; 10 s when absent. */
  readonly timeoutMs?: number
  /** Of a decoded answer; 64 MiB when absent. */
  readonly maxBodyBytes?: number
  /** By endpoint name. */
  readonly budgets?: Readonly<Record<string, BudgetOverride>>
  /** Wall milliseconds of the last request of an earlier process; unknown when absent: budgets start spent. */
  readonly quietSince?: number | null
  readonly log?: (event: RequestEvent) => void
  readonly dispatcher?: Dispatcher
  /** Credentials of all accounts: one may be answered with what another has sent. Those of the one that asks count anyway. */
  readonly secrets?: readonly string[]
}

/** What happened to one try of a request, or a pause of all of them. Holds no secret. */
export type RequestEvent =
  | {
      readonly event: 'answer' | 'refusal'
      readonly endpoint: string
      readonly account: string
      readonly tries: number
      readonly status: number | null
      readonly code: string
      /** Of a connection that failed: which part of the way, in a sentence that names the host. Null else. */
      readonly unreachable: string | null
      readonly tookMs: number
      /** Until the next try; null when there is none. */
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
   * Asks an endpoint. Parameters given as a function are made again just before each sending.
   * Throws VenueError (by class what to do), UsageError for parameters that break a documented rule, Stopped.
   */
  request(endpoint: Endpoint, params: Params | (() => Params), options?: RequestOptions): Promise<Answer>
}

export interface Venue {
  account(access: AccountAccess): AccountClient
  /** The venue's clock minus this machine's wall clock, as it stands now; null until measured. */
  readonly offsetMs: number | null
  /** Unix milliseconds by the venue's clock at an instant of the monotonic one; null until `answers` (one) have told it. */
  venueAt(monotonic: number, answers?: number): number | null
  /** Unix milliseconds by the venue's clock, as far as it is known. */
  venueNow(): number
  readonly counters: { readonly requests: number; readonly retries: number }
  /** Ends what is under way and frees the connections. */
  close(): Promise<void>
}
