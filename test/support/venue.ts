// A venue of a few lines on loopback, and a clock that the test controls: time passes only when nothing is in transit.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, type Dispatcher } from 'undici'
import { expect, onTestFinished } from 'vitest'
import type { AccountAccess } from '../../connectors/access.ts'
import { openVenue } from '../../connectors/client.ts'
import { VenueError } from '../../connectors/errors.ts'
import { defaultProfile } from '../../connectors/profile.ts'
import type { RequestEvent, Venue, VenueOptions } from '../../connectors/venue.ts'
import { onAbort } from '../../models/abort.ts'
import type { Clock } from '../../models/clock.ts'

/** 2026-01-05T03:00:00Z, where every held clock starts. */
export const START = Date.UTC(2026, 0, 5, 3)

interface Sleeper {
  readonly due: number
  readonly wake: () => void
}

export class HeldClock implements Clock {
  #now = 0
  readonly #sleepers = new Set<Sleeper>()
  /** The error of the machine's wall clock. */
  wallError = 0

  wall = (): number => START + this.#now + this.wallError
  monotonic = (): number => this.#now
  sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal?.aborted === true || ms <= 0) return resolve()
      let letGo = (): unknown => undefined
      const wake = (): void => {
        this.#sleepers.delete(sleeper)
        letGo()
        resolve()
      }
      const sleeper = { due: this.#now + ms, wake }
      this.#sleepers.add(sleeper)
      if (signal !== undefined) letGo = onAbort(signal, wake)
    })

  /** Advances time to the end of the first sleep; returns whether there was one. */
  toNextSleeper(): boolean {
    const next = [...this.#sleepers].toSorted((a, b) => a.due - b.due)[0]
    if (next === undefined) return false
    this.#now = Math.max(this.#now, next.due)
    next.wake()
    return true
  }

  async advance(ms: number): Promise<void> {
    const until = this.#now + ms
    for (;;) {
      await turn()
      const next = [...this.#sleepers].toSorted((a, b) => a.due - b.due)[0]
      if (next === undefined || next.due > until) break
      this.toNextSleeper()
    }
    this.#now = until
    await turn()
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Lets everything happen that does not need time to pass. */
export async function turns(): Promise<void> {
  for (let count = 0; count < 20; count += 1) await turn()
}

export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
  /** According to the controlled clock. */
  readonly at: number
}

export type Handler = (request: Received, response: ServerResponse, count: number) => void

export interface Loopback {
  readonly venue: Venue
  readonly clock: HeldClock
  readonly received: Received[]
  readonly events: RequestEvent[]
  readonly baseUrl: string
  /** Advances time, whenever nothing is in transit, until the promise settles. */
  settle<T>(promise: Promise<T>): Promise<T>
}

export const access: AccountAccess = {
  name: 'main',
  uid: '1001',
  api: { key: 'api-key', secret: 'api-secret-0123456789', passphrase: 'api-passphrase' },
  tax: { key: 'tax-key', secret: 'tax-secret-0123456789', passphrase: 'tax-passphrase' },
}

export const envelope = (data: unknown, more: Record<string, unknown> = {}): string =>
  JSON.stringify({ code: '00000', msg: 'success', requestTime: START, data, ...more })

export const refusal = (code: string, msg = 'refused'): string =>
  JSON.stringify({ code, msg, requestTime: START, data: null })

export const reply =
  (status: number, body: string | Buffer, headers: Record<string, string> = {}): Handler =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  }

/** Status, headers and the beginning of a body, then a reset. */
export const cutOff =
  (status: number, headers: Record<string, string> = {}): Handler =>
  (_request, response) => {
    response.writeHead(status, { ...headers, 'content-length': '100' })
    response.write('{"code":', () => setImmediate(() => response.socket?.destroy()))
  }

/** Answers with these handlers in turn; the last one answers all further requests. */
export const inTurn =
  (...handlers: readonly Handler[]): Handler =>
  (request, response, count) =>
    handlers[Math.min(count, handlers.length) - 1]?.(request, response, count)

/** Counts the requests whose answer has not been read to its end. */
export class CountingAgent extends Agent {
  onTheWay = 0
  override async request(options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData> {
    this.onTheWay += 1
    try {
      const response = await super.request(options)
      response.body.once('close', () => {
        this.onTheWay -= 1
      })
      return response as Dispatcher.ResponseData
    } catch (error) {
      this.onTheWay -= 1
      throw error
    }
  }
}

export async function loopback(handler: Handler, options: Partial<VenueOptions> = {}): Promise<Loopback> {
  const clock = new HeldClock()
  const received: Received[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request
      const one = { method, path, headers, body: Buffer.concat(chunks).toString(), at: clock.monotonic() }
      received.push(one)
      handler(one, response, received.length)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const agent = new CountingAgent({ headersTimeout: 0, bodyTimeout: 0 })
  const events: RequestEvent[] = []
  const venue = openVenue({
    profile: defaultProfile,
    baseUrl,
    clock,
    random: () => 0.5,
    quietSince: START - 3_600_000,
    log: (event) => events.push(event),
    dispatcher: agent,
    ...options,
  })
  onTestFinished(async () => {
    await venue.close()
    await agent.destroy()
    server.closeAllConnections()
    server.close()
  })
  return {
    venue,
    clock,
    received,
    events,
    baseUrl,
    settle: (promise) => settle(promise, clock, agent),
  }
}

/** A file is being read or written, and a request to the venue may follow. */
const isWriting = (): boolean => process.getActiveResourcesInfo().includes('FSReqPromise')

export async function settle<T>(promise: Promise<T>, clock: HeldClock, agent: CountingAgent): Promise<T> {
  let isSettled = false
  const mark = (): void => {
    isSettled = true
  }
  promise.then(mark, mark)
  while (!isSettled) {
    // A decompressed answer takes a few more event-loop turns after its last byte.
    for (let turns = 0; turns < 8 && !isSettled; turns += 1) await turn()
    if (agent.onTheWay > 0 || isWriting() || isSettled) continue
    clock.toNextSleeper()
  }
  return promise
}

/** The venue error with which a request ends. */
export const caught = async (promise: Promise<unknown>): Promise<VenueError> => {
  const error = await promise.then(
    () => null,
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(VenueError)
  return error as VenueError
}
