// The euro foreign exchange reference rates of the European Central Bank, day by day, as CSV from its data service
// (dataflow EXR, series D.CURRENCY.EUR.SP00.A: units of the currency for one euro). No key is needed and none is sent.
// Source: data.ecb.europa.eu, help, API. A range without any rate (a weekend) is answered with 404, but so is
// everything at a wrong address: a 404 is accepted only once that address has returned a rate.
import type { Dispatcher } from 'undici'
import type { Clock } from '../../models/clock.ts'
import { Budget } from '../budget.ts'
import { Connections } from '../connections.ts'
import type { Rate } from '../endpoint.ts'
import { ExchangeFailure, exchange } from '../http.ts'

/** No limit is documented: two requests a second, one after the other. */
const RATE = { count: 1, perMs: 500 }
const TIMEOUT_MS = 15_000
const BODY_BYTES_MAX = 16 * 1024 * 1024
const TRIES_MAX = 2
const PAUSE_MS = 1_000
/** A rate that the service has. */
const KNOWN = { currency: 'USD', day: '2024-01-02' }

export interface EcbOptions {
  readonly url: string
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly budget?: Pick<Rate, 'count' | 'perMs'>
  readonly dispatcher?: Dispatcher
}

export interface EcbAnswer {
  readonly path: string
  readonly status: number
  readonly body: Buffer
}

/** Another site may answer with a page of its own and status 200. */
const hasRates = ({ status, body }: EcbAnswer): boolean => status === 200 && body.includes('OBS_VALUE')

/** The service did not return what was requested; nothing in a request is secret. */
export class EcbFailure extends Error {
  override readonly name = 'EcbFailure'
}

export class EcbClient {
  requests = 0
  readonly #options: EcbOptions
  readonly #connections: Connections
  readonly #budget: Budget
  /** Whether the service answers at this address; undefined until it is known or being asked. */
  #isThere: Promise<boolean> | undefined

  constructor(options: EcbOptions) {
    this.#options = options
    this.#connections = new Connections(options.dispatcher)
    const { clock, signal } = options
    this.#budget = new Budget({
      ...(options.budget ?? RATE),
      clock,
      notBefore: clock.monotonic(),
      closing: signal,
    })
  }

  /**
   * Rates of one currency from the first day to the last, both as `2026-01-31`; no body if there are none. Throws
   * EcbFailure if the service does not answer.
   */
  async rates(currency: string, firstDay: string, lastDay: string): Promise<EcbAnswer> {
    const answer = await this.#answer(currency, firstDay, lastDay)
    if (hasRates(answer)) this.#isThere = Promise.resolve(true)
    // If it is some other body, its reader reports what is wrong.
    if (answer.status === 200) return answer
    // Many series may wait for this one request.
    this.#isThere ??= this.#answer(KNOWN.currency, KNOWN.day, KNOWN.day).then(hasRates)
    if (await this.#isThere) return answer
    throw new EcbFailure('HTTP status 404 for every day; check prices.sources.ecb.url')
  }

  async #answer(currency: string, firstDay: string, lastDay: string): Promise<EcbAnswer> {
    const url = new URL(this.#options.url)
    const prefix = url.pathname.replace(/\/$/, '')
    const query = `startPeriod=${firstDay}&endPeriod=${lastDay}&format=csvdata`
    const path = `${prefix}/data/EXR/D.${currency}.EUR.SP00.A?${query}`
    for (let tries = 1; ; tries += 1) {
      const found = await this.#budget.run(() => this.#ask(url.origin, path), {
        signal: this.#options.signal,
      })
      if (found instanceof EcbFailure && tries < TRIES_MAX && !this.#options.signal.aborted) {
        await this.#options.clock.sleep(PAUSE_MS, this.#options.signal)
        continue
      }
      if (found instanceof EcbFailure) throw found
      return found
    }
  }

  async close(): Promise<void> {
    await this.#connections.close()
  }

  async #ask(origin: string, path: string): Promise<EcbAnswer | EcbFailure> {
    const { clock, signal } = this.#options
    const outgoing = { origin, method: 'GET', path, headers: { accept: 'text/csv' }, body: '' } as const
    this.requests += 1
    try {
      const limits = { timeoutMs: TIMEOUT_MS, maxBodyBytes: BODY_BYTES_MAX }
      const { status, body } = await exchange(await this.#connections.get(), outgoing, limits, clock, signal)
      if (status === 404) return { path, status, body: Buffer.alloc(0) }
      if (status === 200 && body.length > 0) return { path, status, body }
      if (status === 200) return new EcbFailure('an empty answer')
      return new EcbFailure(`HTTP status ${status}`)
    } catch (cause) {
      if (!(cause instanceof ExchangeFailure)) throw cause
      return new EcbFailure(`${cause.kind}: ${cause.message}`, { cause })
    }
  }
}
