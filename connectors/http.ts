// One HTTP exchange: sends bytes, and returns status, headers and the decoded body, within a time and size limit.
// Redirects are not followed: a signed request goes to the configured venue or nowhere.
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { onAbort } from '../models/abort.ts'
import type { Clock } from '../models/clock.ts'
import { type ConnectionClass, connectionClass } from './connection.ts'
import { isOutOfAddressSpace } from './connections.ts'

export interface Outgoing {
  readonly origin: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Empty for none. */
  readonly body: string
}

export interface Limits {
  readonly timeoutMs: number
  readonly maxBodyBytes: number
}

/** The part of an answer before its body. */
export interface Head {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

export interface Incoming extends Head {
  readonly body: Buffer
}

/** No usable answer arrived. `stopped`: the caller's signal ended it. */
export class ExchangeFailure extends Error {
  readonly kind: 'time-out' | 'connection failed' | 'body too large' | 'body not decodable' | 'stopped'
  /** What had arrived of the answer before its body failed; null for nothing. */
  readonly head: Head | null
  /** The stage that failed; null if a connection was established and what arrived over it was unusable. */
  readonly connection: ConnectionClass | null

  constructor(kind: ExchangeFailure['kind'], message: string, head: Head | null, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.kind = kind
    this.head = head
    this.connection =
      kind === 'time-out' ? 'time-out' : kind === 'connection failed' ? connectionClass(message) : null
  }
}

/** Reused as the reason, since a new error would be created with its stack for each request. */
const OVER = 'over'

/** Sends a request and reads its whole answer. Throws ExchangeFailure. */
export async function exchange(
  dispatcher: Dispatcher,
  outgoing: Outgoing,
  limits: Limits,
  clock: Clock,
  signal: AbortSignal,
): Promise<Incoming> {
  const ending = new AbortController()
  const over = new AbortController()
  let timedOut = false
  const letGo = onAbort(signal, () => ending.abort())
  void clock.sleep(limits.timeoutMs, over.signal).then(() => {
    if (over.signal.aborted) return
    timedOut = true
    ending.abort()
  })
  let head: Head | null = null
  try {
    const { origin, method, path, headers, body } = outgoing
    const response = await dispatcher.request({
      origin,
      method,
      path,
      headers,
      body: body === '' ? null : body,
      signal: ending.signal,
    })
    head = { status: response.statusCode, headers: response.headers }
    const received = await readAll(response.body, limits.maxBodyBytes, head)
    return { ...head, body: await decode(received, limits.maxBodyBytes, head) }
  } catch (cause) {
    if (cause instanceof ExchangeFailure) throw cause
    if (timedOut)
      throw new ExchangeFailure('time-out', `no whole answer within ${limits.timeoutMs} ms`, head, cause)
    if (signal.aborted) throw new ExchangeFailure('stopped', 'stopped by the caller', head, cause)
    throw new ExchangeFailure('connection failed', reasonOf(cause), head, cause)
  } finally {
    over.abort(OVER)
    letGo()
  }
}

/** The system's code (ECONNREFUSED, ENOTFOUND) if there is one. V8 has none for the memory that the first connection reserves. */
function reasonOf(cause: unknown): string {
  const { code, message } = cause as { code?: unknown; message?: unknown }
  if (isOutOfAddressSpace(cause)) return 'ENOMEM'
  return typeof code === 'string' ? code : String(message ?? cause)
}

async function readAll(body: AsyncIterable<Buffer>, maxBytes: number, head: Head): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > maxBytes) throw tooLarge(maxBytes, head)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, bytes)
}

const tooLarge = (maxBytes: number, head: Head): ExchangeFailure =>
  new ExchangeFailure('body too large', `the answer is larger than ${maxBytes} bytes`, head)

type Decoder = (bytes: Buffer, maxOutputLength: number) => Promise<Buffer>

const [gunzipped, inflated, inflatedRaw, unbrotlied] = [
  promisify(gunzip),
  promisify(inflate),
  promisify(inflateRaw),
  promisify(brotliDecompress),
] as unknown as ((bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>)[]

const decoders: Readonly<Record<string, Decoder>> = {
  identity: async (bytes) => bytes,
  gzip: (bytes, maxOutputLength) => gunzipped!(bytes, { maxOutputLength }),
  'x-gzip': (bytes, maxOutputLength) => gunzipped!(bytes, { maxOutputLength }),
  // Servers disagree on what deflate is: with the zlib header its first byte has 8 in the low half.
  deflate: (bytes, maxOutputLength) =>
    ((bytes[0] ?? 0) & 0x0f) === 8
      ? inflated!(bytes, { maxOutputLength })
      : inflatedRaw!(bytes, { maxOutputLength }),
  br: (bytes, maxOutputLength) => unbrotlied!(bytes, { maxOutputLength }),
}

/** A proxy may add one to the server's; a thousand of them would only cost time. */
const ENCODINGS_MAX = 2

/** Undoes the content encodings, which a server may apply even though none was requested. */
async function decode(received: Buffer, maxBytes: number, head: Head): Promise<Buffer> {
  const given = [head.headers['content-encoding'] ?? []].flat().join(',').toLowerCase().split(',')
  const names = given.map((one) => one.trim()).filter((one) => one !== '')
  if (names.length > ENCODINGS_MAX)
    throw new ExchangeFailure('body not decodable', `${names.length} content encodings`, head)
  let bytes = received
  for (const name of names.reverse()) {
    const decoder = decoders[name]
    // The name is the server's own text, so it is not repeated.
    if (decoder === undefined)
      throw new ExchangeFailure('body not decodable', 'an unknown content encoding', head)
    if (bytes.length === 0) continue
    try {
      bytes = await decoder(bytes, maxBytes)
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes, head)
      throw new ExchangeFailure('body not decodable', `not valid ${name}`, head, cause)
    }
  }
  return bytes
}
