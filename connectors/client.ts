// The path of a request: it waits for a slot of its budget and of the address's before each sending, and ends with an
// answer, a retry or an error. All accounts share one clock offset, one guard against being blocked and one set of
// connections. Sources: interface document, part 8; contract, Time; venue-facts, Signing and Failures.
import type { Dispatcher } from 'undici'
import type { AccountAccess, Credentials } from './access.ts'
import {
  type AttemptContext,
  blocked,
  credentialsOf,
  describeRequest,
  failureOf,
  headersOf,
  judge,
  prepare,
  secretsOf,
} from './attempt.ts'
import { Budgets, type Spending } from './budgets.ts'
import { Connections } from './connections.ts'
import type { Endpoint, Params } from './endpoint.ts'
import { readEnvelope } from './envelope.ts'
import { ClockRefused, ConnectionFailed, RateRefused, Stopped, VenueBlocked, VenueError } from './errors.ts'
import { BlockGuard } from './guard.ts'
import { ExchangeFailure, exchange, type Incoming, type Outgoing } from './http.ts'
import { linkSignals } from './link.ts'
import { ClockOffset } from './offset.ts'
import { validateParams } from './params.ts'
import { type FailedBefore, pauseBeforeRetry, RETRY_WITHIN_MS } from './retry.ts'
import type { AccountClient, Answer, RequestOptions, Venue, VenueOptions } from './venue.ts'

const TIMEOUT_MS = 10_000
const MAX_BODY_BYTES = 64 * 1024 * 1024

/** A request during its tries. */
interface PendingRequest {
  readonly access: AccountAccess
  readonly endpoint: Endpoint
  readonly params: () => Params
  readonly credentials: Credentials | null
  readonly signal: AbortSignal
  readonly spending: Spending
  readonly failedBefore: FailedBefore | null
  tries: number
  /** Monotonic, and later by the pauses of all requests since; null before the first sending. */
  firstSentAt: number | null
  lastSentAt: number
  clockWasRefused: boolean
  /** Why the last try failed. */
  last: VenueError | null
  /** The time allowed for retries ran out while it waited for its turn. */
  isExpired: boolean
}

export class VenueClient implements Venue {
  readonly counters = { requests: 0, retries: 0 }
  readonly #options: VenueOptions
  readonly #origin: string
  readonly #prefix: string
  readonly #connections: Connections
  readonly #offset: ClockOffset
  readonly #closing = new AbortController()
  readonly #budgets: Budgets
  readonly #guard: BlockGuard
  /** Of all accounts: as a list, which is prepared once for all answers, and as a set for look-ups. */
  readonly #secrets: readonly string[]
  readonly #known: ReadonlySet<string>

  constructor(options: VenueOptions) {
    this.#options = options
    this.#secrets = options.secrets ?? []
    this.#known = new Set(this.#secrets)
    this.#offset = new ClockOffset(options.clock.wall() - options.clock.monotonic())
    const base = new URL(options.baseUrl ?? options.profile.baseUrl)
    this.#origin = base.origin
    this.#prefix = base.pathname.replace(/\/$/, '')
    this.#connections = new Connections(options.dispatcher)
    this.#budgets = new Budgets({
      addressRate: options.profile.ipRate,
      overrides: options.budgets ?? {},
      clock: options.clock,
      quietSince: options.quietSince ?? null,
      closing: this.#closing.signal,
    })
    this.#guard = new BlockGuard(options.clock, (pauseMs) => options.log?.({ event: 'block pause', pauseMs }))
  }

  get offsetMs(): number | null {
    const { clock } = this.#options
    const venueNow = this.venueAt(clock.monotonic())
    return venueNow === null ? null : venueNow - clock.wall()
  }

  venueAt(monotonic: number, answers?: number): number | null {
    return this.#offset.at(monotonic, answers)
  }

  venueNow(): number {
    const { clock } = this.#options
    return this.venueAt(clock.monotonic()) ?? clock.wall()
  }

  account(access: AccountAccess): AccountClient {
    return {
      request: (endpoint, params, options = {}) => this.#request(access, endpoint, params, options),
    }
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#connections.close()
  }

  async #request(
    access: AccountAccess,
    endpoint: Endpoint,
    params: Params | (() => Params),
    options: RequestOptions,
  ): Promise<Answer> {
    const check = (given: Params): Params =>
      options.unchecked === true ? given : validateParams(endpoint, given)
    const fixed = typeof params === 'function' ? null : check(params)
    const linked = linkSignals(this.#options.signal, options.signal, this.#closing.signal)
    const pending: PendingRequest = {
      access,
      endpoint,
      params: typeof params === 'function' ? () => check(params()) : () => fixed ?? {},
      credentials: credentialsOf(access, endpoint),
      signal: linked.signal,
      spending: this.#budgets.spendingOf(access, endpoint),
      failedBefore: options.failedBefore ?? null,
      tries: 0,
      firstSentAt: null,
      lastSentAt: 0,
      clockWasRefused: false,
      last: null,
      isExpired: false,
    }
    try {
      return await this.#tryUntilDone(pending)
    } finally {
      linked.unlink()
    }
  }

  async #tryUntilDone(pending: PendingRequest): Promise<Answer> {
    const { endpoint, signal } = pending
    for (;;) {
      try {
        const turn = { signal, isRetry: pending.last !== null }
        const answer = await this.#budgets.run(pending.spending, () => this.#tryOnce(pending), turn)
        this.#guard.succeeded()
        this.#log(pending, answer.status, null, null)
        return answer
      } catch (error) {
        if (!(error instanceof VenueError)) throw signal.aborted ? new Stopped(endpoint.name, error) : error
        if (error instanceof VenueBlocked) throw error
        const pauseMs = pending.isExpired ? null : this.#pauseAfter(pending, error)
        this.#log(pending, error.status, error, pauseMs)
        if (pauseMs === null) {
          if (error instanceof RateRefused) this.#guard.exhausted()
          throw error
        }
        pending.last = error
        await this.#options.clock.sleep(pauseMs, signal)
        if (signal.aborted) throw new Stopped(endpoint.name, error)
      }
    }
  }

  #pauseAfter(pending: PendingRequest, error: VenueError): number | null {
    const { endpoint, tries, clockWasRefused, spending, failedBefore } = pending
    if (error instanceof RateRefused) this.#guard.refused(spending.key)
    if (error instanceof ClockRefused) pending.clockWasRefused = true
    return pauseBeforeRetry({
      error,
      tries,
      elapsedMs: this.#elapsedMs(pending),
      writes: endpoint.writes,
      failedBefore,
      clockWasRefused,
      random: this.#options.random,
    })
  }

  async #tryOnce(pending: PendingRequest): Promise<Answer> {
    const { endpoint, access, credentials } = pending
    const { clock, profile } = this.#options
    const dispatcher = await this.#connections.get()
    const waitsFrom = clock.monotonic()
    const mayPass = await this.#guard.mayPass(pending.signal)
    // A pause of all requests takes nothing of the time that one of them has.
    if (pending.firstSentAt !== null) pending.firstSentAt += clock.monotonic() - waitsFrom
    pending.signal.throwIfAborted()
    if (pending.last !== null && this.#elapsedMs(pending) > RETRY_WITHIN_MS) {
      pending.isExpired = true
      throw pending.last
    }
    const params = pending.params()
    const wire = prepare(endpoint, profile, params)
    const sentAt = clock.monotonic()
    const tried: AttemptContext = {
      endpoint,
      account: access.name,
      request: describeRequest(endpoint, wire, params),
      secrets: this.#secretsFor(access, endpoint, params),
      wallNow: clock.wall(),
    }
    if (!mayPass) throw blocked(tried)
    const { method, body } = wire
    const headers = headersOf(wire, profile, credentials, this.venueNow())
    const path = this.#prefix + wire.path
    const incoming = await this.#send(
      dispatcher,
      pending,
      { origin: this.#origin, method, path, headers, body },
      tried,
    )
    const receivedAt = clock.monotonic()
    const envelope = readEnvelope(incoming.body)
    try {
      const { data, requestTime } = judge(tried, incoming, envelope)
      const { status, body } = incoming
      return { request: tried.request, status, body, envelope: { data, requestTime }, sentAt }
    } catch (error) {
      if (error instanceof ClockRefused) this.#offset.forget()
      throw error
    } finally {
      if (envelope !== null && envelope.requestTime !== null)
        this.#offset.measure(envelope.requestTime, sentAt, receivedAt)
    }
  }

  /** What the answer must not show. */
  #secretsFor(access: AccountAccess, endpoint: Endpoint, params: Params): readonly string[] {
    const others = secretsOf(access, endpoint, params).filter((secret) => !this.#known.has(secret))
    return others.length === 0 ? this.#secrets : [...this.#secrets, ...others]
  }

  async #send(
    dispatcher: Dispatcher,
    pending: PendingRequest,
    outgoing: Outgoing,
    tried: AttemptContext,
  ): Promise<Incoming> {
    const { clock, timeoutMs = TIMEOUT_MS, maxBodyBytes = MAX_BODY_BYTES } = this.#options
    const rest = RETRY_WITHIN_MS - this.#elapsedMs(pending)
    pending.tries += 1
    pending.lastSentAt = clock.monotonic()
    pending.firstSentAt ??= pending.lastSentAt
    this.counters.requests += 1
    if (pending.tries > 1) this.counters.retries += 1
    // A write in transit is never cut off by a caller that gives up: its outcome would be unknown.
    const signal = tried.endpoint.writes ? this.#closing.signal : pending.signal
    const limits = { timeoutMs: pending.tries === 1 ? timeoutMs : Math.min(timeoutMs, rest), maxBodyBytes }
    try {
      return await exchange(dispatcher, outgoing, limits, clock, signal)
    } catch (failure) {
      if (!(failure instanceof ExchangeFailure)) throw failure
      if (failure.kind === 'stopped' && !tried.endpoint.writes)
        throw new Stopped(tried.endpoint.name, failure)
      throw failureOf(tried, failure, new URL(outgoing.origin).host)
    }
  }

  #elapsedMs({ firstSentAt }: PendingRequest): number {
    return firstSentAt === null ? 0 : this.#options.clock.monotonic() - firstSentAt
  }

  #log(
    pending: PendingRequest,
    status: number | null,
    error: VenueError | null,
    retryInMs: number | null,
  ): void {
    const { endpoint, access, tries, lastSentAt } = pending
    this.#options.log?.({
      event: error === null ? 'answer' : 'refusal',
      endpoint: endpoint.name,
      account: access.name,
      tries,
      status,
      code: error?.code ?? '00000',
      unreachable: error instanceof ConnectionFailed ? error.message : null,
      tookMs: Math.round(this.#options.clock.monotonic() - lastSentAt),
      retryInMs,
    })
  }
}

export function openVenue(options: VenueOptions): Venue {
  return new VenueClient(options)
}
