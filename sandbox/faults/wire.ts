// Faults between the venue and its client: refusals that no rule requires, and answers that do not arrive, or arrive
// corrupted, late or incomplete. Each draws from the faults' own stream, in the order in which requests arrive.

import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { smallest } from '../core/ids.ts'
import { Random } from '../core/random.ts'
import type { Paging } from '../endpoints/endpoint.ts'
import type { Reply } from '../http/reply.ts'
import { Oddities, stringifyOdd } from './oddities.ts'
import type { Faults, RateFault } from './options.ts'

const SPOILS = ['hang', 'reset', 'empty-body', 'html', 'truncate', 'null-data', 'wrong-msg'] as const
const RETRY_AFTER_S = '1'
const PAGE = '<!DOCTYPE html><html><body><h1>Just a moment</h1></body></html>'

export class WireFaults {
  readonly #faults: Faults
  readonly #random: Random
  readonly #oddities: Oddities | undefined
  #refusals = 0
  #failures = 0

  constructor(faults: Faults, seed: number) {
    this.#faults = faults
    this.#random = new Random(seed, 'faults')
    this.#oddities = faults.oddities ? new Oddities(seed) : undefined
  }

  /** Half of the latency of a request: it waits once before its arrival counts and once after. */
  halfLatencyMs(): number {
    const range = this.#faults.latencyMs
    return range === undefined ? 0 : this.#random.int(range.from, range.to) / 2
  }

  isOut(elapsedMs: number): boolean {
    const range = this.#faults.outageMs
    return range !== undefined && elapsedMs >= range.from && elapsedMs < range.to
  }

  /** A refusal in place of the answer, though the request was valid. */
  refusal(): Pick<Reply, 'status' | 'code' | 'msg' | 'headers'> | undefined {
    if (this.#happens('429')) {
      const headers: Record<string, string> =
        this.#refusals++ % 2 === 0 ? { 'retry-after': RETRY_AFTER_S } : {}
      return { status: 429, code: '429', msg: 'Too Many Requests', headers }
    }
    if (this.#happens('5xx')) {
      const status = [500, 502, 503][this.#failures++ % 3]!
      return { status, code: '40015', msg: 'System is abnormal, please try again later', headers: {} }
    }
    return undefined
  }

  /** Whether the venue forgets the cursor it was given and returns an earlier page again. */
  repeatsCursor(): boolean {
    return this.#happens('repeat-cursor')
  }

  /** Ends a page early though more rows follow; its cursor continues from there. */
  shorten(data: unknown, paging: Paging | undefined): unknown {
    if (paging === undefined || paging.id === null) return data
    const rows = rowsOf(data, paging)
    if (rows.length < 2 || !this.#happens('short-pages')) return data
    const kept = rows.slice(0, this.#random.int(1, rows.length - 1))
    if (paging.rows === null) return kept
    return { ...(data as object), [paging.rows]: kept, ...nextAfter(kept, paging.id, paging) }
  }

  /** Sends an answer, or spoils it; returns the name of the fault that was applied. */
  deliver(
    response: ServerResponse,
    reply: Reply,
    nowMs: number,
    acceptsGzip: boolean,
  ): RateFault | undefined {
    const spoil = SPOILS.find((fault) => this.#happens(fault))
    const { status, headers } = reply
    if (spoil === 'hang') return spoil
    if (spoil === 'reset') {
      response.socket?.resetAndDestroy()
      return spoil
    }
    if (spoil === 'empty-body') return write(response, status, headers, '', spoil)
    if (spoil === 'html') return write(response, 200, { 'content-type': 'text/html' }, PAGE, spoil)
    const body = this.#body(reply, nowMs, spoil)
    if (spoil === 'truncate') return this.#truncate(response, reply, body)
    if (!this.#faults.gzip || !acceptsGzip) return write(response, status, headers, body, spoil)
    return write(response, status, { ...headers, 'content-encoding': 'gzip' }, gzipSync(body), spoil)
  }

  #body({ code, msg, data, endpoint }: Reply, nowMs: number, spoil: RateFault | undefined): string {
    const envelope = { code, msg, requestTime: nowMs, data }
    if (spoil === 'null-data') envelope.data = null
    if (spoil === 'wrong-msg' && code === '00000') {
      envelope.msg = 'service busy'
      envelope.data = emptied(data, endpoint?.paging)
    }
    if (this.#oddities === undefined) return JSON.stringify(envelope)
    envelope.requestTime = this.#oddities.requestTime(nowMs)
    if (endpoint !== undefined && envelope.data !== null) {
      envelope.data = this.#oddities.data(endpoint, envelope.data)
    }
    return stringifyOdd(envelope)
  }

  /** Half of the truncated answers end cleanly, the others in a cut connection. */
  #truncate(response: ServerResponse, { status, headers }: Reply, body: string): RateFault {
    const part = body.slice(0, this.#random.int(1, Math.max(1, body.length - 1)))
    if (this.#random.chance(0.5)) return write(response, status, headers, part, 'truncate')!
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
    response.write(part, () => response.destroy())
    return 'truncate'
  }

  #happens(fault: RateFault): boolean {
    const share = this.#faults.rates[fault]
    return share !== undefined && this.#random.chance(share)
  }
}

function rowsOf(data: unknown, { rows }: Paging): Record<string, unknown>[] {
  return (rows === null ? data : (data as Record<string, unknown>)[rows]) as Record<string, unknown>[]
}

/** The cursor at the end of a shortened page, if the answer has one. */
function nextAfter(kept: Record<string, unknown>[], id: string, { next, isNext }: Paging): object {
  if (next === null) return {}
  const ids = kept.map((row) => String(row[id]))
  return { [next]: isNext === 'smallest' ? smallest(ids) : ids.at(-1) }
}

function emptied(data: unknown, paging: Paging | undefined): unknown {
  if (Array.isArray(data)) return []
  if (paging === undefined || paging.rows === null) return data
  return { ...(data as object), [paging.rows]: [] }
}

function write(
  response: ServerResponse,
  status: number,
  headers: Record<string, string>,
  body: string | Buffer,
  fault: RateFault | undefined,
): RateFault | undefined {
  response.writeHead(status, {
    'content-type': 'application/json;charset=UTF-8',
    'content-length': Buffer.byteLength(body),
    ...headers,
  })
  response.end(body)
  return fault
}
