// The venue's HTTP server: one request in, one envelope out. Checks are in the order of a venue: address, route,
// signature, budget, then the permissions of the account and the key, then parameters, then the endpoint itself.
// Interface document, parts 1, 5, 7 and 8. Outside the API, /truth and /stats answer what really happened.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Account, ApiKey } from '../core/accounts.ts'
import type { Venue } from '../core/venue.ts'
import { checkWindow, type Endpoint, type SignedEndpoint } from '../endpoints/endpoint.ts'
import { ENDPOINTS } from '../endpoints/index.ts'
import { OUTSIDE, referenceRates } from '../endpoints/outside.ts'
import type { WireFaults } from '../faults/wire.ts'
import { authenticate, type Incoming } from './authenticate.ts'
import { AddressGuard } from './budgets.ts'
import { readAll, type Shape } from './params.ts'
import { Refusal, refusals } from './refusals.ts'
import type { Reply } from './reply.ts'
import { Tally } from './tally.ts'
import { strangerIn } from './visitors.ts'

const KEEP_ALIVE_MS = 60_000
const BODY_BYTES_MAX = 1 << 20
const REMAINING_HEADER = 'x-mbx-used-remain-limit'

export class VenueServer {
  readonly tally: Tally
  readonly #venue: Venue
  readonly #guard: AddressGuard
  readonly #faults: WireFaults
  readonly #routes = new Map<string, Endpoint>()
  readonly #server: Server

  constructor(venue: Venue, speed: number, faults: WireFaults) {
    this.#venue = venue
    this.#faults = faults
    this.tally = new Tally(speed)
    this.#guard = new AddressGuard(speed)
    for (const endpoint of [...ENDPOINTS, ...OUTSIDE])
      this.#routes.set(`${endpoint.method} ${endpoint.path}`, endpoint)
    this.#server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (message, response) => {
      // Not a refusal, so a bug in the sandbox: loud, and never to be mistaken for an answer.
      this.#serve(message, response).catch((error: unknown) => {
        if (!message.destroyed)
          process.emitWarning(
            error instanceof Error ? (error.stack ?? error.message) : String(error),
            'Sandbox',
          )
        response.destroy()
      })
    })
  }

  async listen(port: number): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(port, '127.0.0.1', resolve)
    })
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve())
      this.#server.closeAllConnections()
    })
  }

  async #serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const stranger = strangerIn(message.headers)
    if (stranger !== null) return sendAway(response, 403, stranger)
    const request = await read(message)
    if (request === null) return sendAway(response, 413, `the body is larger than ${BODY_BYTES_MAX} bytes`)
    const outside = { '/truth': () => this.#venue.truth(), '/stats': () => this.tally.stats() }[request.path]
    if (outside !== undefined && request.method === 'GET') {
      send(response, 200, {}, JSON.stringify(outside()))
      return
    }
    const rates = referenceRates(request.path, request.query, this.#venue.clock.nowMs())
    if (rates !== null && request.method === 'GET') {
      send(response, rates === '' ? 404 : 200, { 'content-type': 'text/csv' }, rates)
      return
    }
    const halfLatencyMs = this.#faults.halfLatencyMs()
    if (halfLatencyMs > 0) await pause(halfLatencyMs)
    const reply = this.#answer(request, this.#venue.clock.elapsedMs())
    const ts = this.#venue.clock.nowMs()
    if (halfLatencyMs > 0) await pause(halfLatencyMs)
    const acceptsGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))
    const fault = this.#faults.deliver(response, reply, ts, acceptsGzip)
    const { method, path, query } = request
    const { status, code, uid, endpoint } = reply
    this.tally.answered(
      { ts, method, path, query, uid, status, code, ...(fault && { fault }) },
      endpoint && { endpoint, who: uid ?? request.address },
    )
  }

  #answer(request: Incoming, atMs: number): Reply {
    const headers: Record<string, string> = {}
    let uid: string | null = null
    let counted: Endpoint | undefined
    try {
      if (!this.#guard.admits(request.address, atMs)) {
        throw refusals.rate('Too many requests: this IP is blocked for five minutes')
      }
      if (this.#faults.isOut(atMs)) return unavailable()
      const endpoint = this.#routes.get(`${request.method} ${request.path}`)
      if (endpoint === undefined) throw refusals.notFound(request.path)
      const key = endpoint.isPublic ? undefined : authenticate(request, this.#venue.keys, this.#venue.clock)
      uid = key?.uid ?? null
      counted = endpoint
      const remaining = this.tally.arrive(endpoint, uid ?? request.address, atMs)
      headers[REMAINING_HEADER] = String(Math.max(0, remaining))
      if (remaining < 0) throw refusals.rate()
      const refusal = this.#faults.refusal()
      if (refusal !== undefined) {
        return { ...refusal, headers: { ...headers, ...refusal.headers }, data: null, endpoint, uid }
      }
      const data = this.#faults.shorten(this.#call(endpoint, key, request), endpoint.paging)
      return { status: 200, headers, code: '00000', msg: 'success', data, endpoint, uid }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const { status, code, message: msg } = error
      return { status, headers, code, msg, data: null, uid, ...(counted && { endpoint: counted }) }
    }
  }

  #call(endpoint: Endpoint, key: ApiKey | undefined, request: Incoming): unknown {
    const account = key && this.#venue.account(key.uid)
    if (!endpoint.isPublic) checkAccess(endpoint, key!, account!)
    const nowMs = this.#venue.clock.nowMs()
    const body = request.method === 'POST' ? parse(request.body) : undefined
    const source =
      request.method === 'POST' ? asObject(body) : Object.fromEntries(new URLSearchParams(request.query))
    const { paging } = endpoint
    const hasCursor = paging !== undefined && source[paging.param] !== undefined
    if (hasCursor && this.#faults.repeatsCursor()) delete source[paging.param]
    const params = readAll(endpoint.params, source)
    if (endpoint.window !== undefined) checkWindow(endpoint.window, params, nowMs)
    const call = { venue: this.#venue, params, body, nowMs }
    return endpoint.isPublic
      ? endpoint.handle(call)
      : endpoint.handle({ ...call, key: key!, account: account! })
  }
}

function checkAccess(endpoint: SignedEndpoint<Shape>, key: ApiKey, account: Account): void {
  if (endpoint.isUnifiedOnly && account.kind === 'classic') throw refusals.classicAccount()
  const { onlyFor } = endpoint
  if (onlyFor && !onlyFor.roles.some((role) => account.roles.includes(role))) {
    throw refusals.notForThisAccount(
      typeof onlyFor.code === 'function' ? onlyFor.code(account) : onlyFor.code,
    )
  }
  const isGranted =
    endpoint.permissions.length === 0 ||
    endpoint.permissions.some((permission) => key.permissions.has(permission))
  if (!isGranted || (endpoint.writes && key.readOnly)) throw refusals.permission()
}

function unavailable(): Reply {
  return { status: 503, headers: {}, code: '40015', msg: 'Service Unavailable', data: null, uid: null }
}

/** Refused before it reaches the venue, in the venue's own form; the connection is closed with it. */
function sendAway(response: ServerResponse, status: number, msg: string): void {
  const body = { code: String(status), msg, requestTime: Date.now(), data: null }
  send(response, status, { connection: 'close' }, JSON.stringify(body))
}

/** Null for a body larger than any in the API. */
async function read(message: IncomingMessage): Promise<Incoming | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of message) {
    bytes += (chunk as Buffer).length
    if (bytes > BODY_BYTES_MAX) return null
    chunks.push(chunk as Buffer)
  }
  const [path, ...query] = (message.url ?? '/').split('?')
  return {
    method: message.method ?? 'GET',
    path: path!,
    query: query.join('?'),
    body: Buffer.concat(chunks).toString('utf8'),
    headers: message.headers,
    address: (message.socket.remoteAddress ?? '').replace('::ffff:', ''),
  }
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    throw refusals.body('the body is not JSON')
  }
}

/** The body as named parameters; the one endpoint that takes an array declares none. */
function asObject(body: unknown): Record<string, unknown> {
  if (typeof body !== 'object' || body === null) throw refusals.body('the body must be a JSON object')
  return body as Record<string, unknown>
}

function send(response: ServerResponse, status: number, headers: Record<string, string>, body: string): void {
  response.writeHead(status, {
    'content-type': 'application/json;charset=UTF-8',
    'content-length': Buffer.byteLength(body),
    ...headers,
  })
  response.end(body)
}
