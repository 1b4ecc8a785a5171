// One try of a request: signed by the venue's clock, sent, and its answer judged. Only what is plainly a success comes
// back; everything else is an error of the class that decides what happens next. Sources: interface document, parts
// 1, 5 and 7; venue-facts, Signing and Failures.

import { UsageError } from '../models/error.ts'
import { shortened } from '../models/text.ts'
import { type AccountAccess, type Credentials, secretsOfAccount } from './access.ts'
import { refusalOf } from './classify.ts'
import { wasNeverMade } from './connection.ts'
import type { Endpoint, Params } from './endpoint.ts'
import { type Envelope, readPage, SUCCESS } from './envelope.ts'
import {
  bareCode,
  ConnectionFailed,
  MalformedAnswer,
  OutcomeUnknown,
  PassingFailure,
  RateRefused,
  type Refusal,
  type RequestMeta,
  VenueBlocked,
  type VenueError,
} from './errors.ts'
import type { ExchangeFailure, Incoming } from './http.ts'
import type { VenueProfile } from './profile.ts'
import { retryAfterMs } from './retry.ts'
import { redactText } from './secrets.ts'
import { signature, type Wire, wireOf } from './sign.ts'

/** The path as sent: the profile's own coin stands where the declaration names the platform coin. */
export function pathOf(endpoint: Endpoint, profile: VenueProfile): string {
  return endpoint.path.replace('{platform-coin}', profile.platformCoinSegment)
}

export function prepare(endpoint: Endpoint, profile: VenueProfile, params: Params): Wire {
  return wireOf(endpoint.method, pathOf(endpoint, profile), params, endpoint.bodyParam)
}

/** Headers of part 5; without credentials those of a public endpoint. */
export function headersOf(
  wire: Wire,
  profile: VenueProfile,
  credentials: Credentials | null,
  venueNow: number,
): Record<string, string> {
  const plain = { 'content-type': 'application/json', locale: profile.locale }
  if (credentials === null) return plain
  return {
    ...plain,
    'access-key': credentials.key,
    'access-sign': signature(wire, venueNow, credentials.secret),
    'access-passphrase': credentials.passphrase,
    'access-timestamp': String(venueNow),
  }
}

/** The request as it may be shown and journaled. */
export function describeRequest(endpoint: Endpoint, wire: Wire, params: Params): RequestMeta {
  const { method, path } = wire
  if (method === 'GET') return { method, path }
  const hidden = endpoint.secretParams ?? []
  if (hidden.length === 0) return { method, path, body: wire.body }
  const shown = Object.entries(params).map(([name, value]) => [name, hidden.includes(name) ? '***' : value])
  return { method, path, body: JSON.stringify(Object.fromEntries(shown)) }
}

/** What every judgement of one try needs. */
export interface AttemptContext {
  readonly endpoint: Endpoint
  readonly account: string
  readonly request: RequestMeta
  /** Never to be shown, not even where the venue repeats them. */
  readonly secrets: readonly string[]
  readonly wallNow: number
}

/** The error of a try to which no usable answer came from the host. */
export function failureOf(tried: AttemptContext, failure: ExchangeFailure, host: string): VenueError {
  const { endpoint, account, request } = tried
  const { connection } = failure
  const refusal: Refusal = {
    endpoint,
    account,
    request,
    code: connection === null || connection === 'other' ? failure.kind : connection,
    status: failure.head?.status ?? null,
    message: failure.message,
    body: null,
    retryAfterMs: failure.head === null ? null : retryAfterMs(failure.head.headers, tried.wallNow),
    cause: failure.cause,
  }
  // A status about the rate says all there is to say, whatever became of its body.
  const byStatus = failure.head === null ? null : refusalOf(refusal, false)
  if (byStatus instanceof RateRefused) return byStatus
  if (endpoint.writes && !wasNeverMade(failure.message, failure.cause)) return new OutcomeUnknown(refusal)
  return connection === null
    ? new PassingFailure(refusal)
    : new ConnectionFailed(refusal, connection, host, failure.message)
}

const CODE_LENGTH_MAX = 64

/** The envelope of a success. Throws the error that any other answer is. */
export function judge(tried: AttemptContext, incoming: Incoming, envelope: Envelope | null): Envelope {
  const { endpoint, account, request } = tried
  const { status, body } = incoming
  const succeeded = status >= 200 && status < 300
  const refusal = (code: string, message: string): Refusal => ({
    endpoint,
    account,
    request,
    // A code is a few digits; what else a venue writes there is its text, and is journaled beside the answer.
    code: shortened(redactText(code, tried.secrets), CODE_LENGTH_MAX),
    status,
    message: redactText(message, tried.secrets),
    body,
    retryAfterMs: retryAfterMs(incoming.headers, tried.wallNow),
  })
  if (succeeded && envelope?.code === SUCCESS) {
    const fault = faultOf(endpoint, envelope)
    if (fault === null) return envelope
    throw doubtful(endpoint, new MalformedAnswer(refusal(SUCCESS, fault)), refusal(SUCCESS, fault))
  }
  if (envelope !== null) {
    const refused = refusal(envelope.code, envelope.message)
    throw doubtful(endpoint, refusalOf(refused, true), refused)
  }
  if (succeeded) {
    const unreadable = refusal('malformed answer', whatItIs(body))
    throw doubtful(endpoint, new MalformedAnswer(unreadable), unreadable)
  }
  const isRedirect = status >= 300 && status < 400
  const bare = refusal(bareCode(status), isRedirect ? redirectOf(incoming) : whatItIs(body))
  throw doubtful(endpoint, refusalOf(bare, false), bare)
}

/** What is wrong with an answer that says it is a success; null for nothing. */
function faultOf(endpoint: Endpoint, envelope: Envelope): string | null {
  // A write that says it succeeded did: its answer is not worth less for an odd word or shape.
  if (endpoint.writes) return null
  if (envelope.message.toLowerCase() !== 'success')
    return `msg is ${JSON.stringify(envelope.message)} instead of success`
  const page = readPage(endpoint, envelope.data)
  return typeof page === 'string' ? page : null
}

/** A failure that passes leaves open whether a write was carried out, and so does a success under a status of failure. */
function doubtful(endpoint: Endpoint, error: VenueError, refusal: Refusal): VenueError {
  const isDoubtful = error instanceof PassingFailure || refusal.code === SUCCESS
  return endpoint.writes && isDoubtful ? new OutcomeUnknown(refusal) : error
}

/** Where an answer points instead, as far as its host: credentials go to no other address than the configured one. */
function redirectOf({ headers }: Incoming): string {
  const { location } = headers
  const host = typeof location === 'string' && URL.canParse(location) ? ` to ${new URL(location).host}` : ''
  return `a redirect${host}, which is not followed; look at venue.base_url and at proxies on the way`
}

/** A body that is not an envelope, in a few words and without its text, which may be anything. */
function whatItIs(body: Buffer): string {
  if (body.length === 0) return 'an empty body'
  const start = body.subarray(0, 64).toString('latin1').trimStart()
  if (start.startsWith('<')) return `a web page of ${body.length} bytes`
  return `${body.length} bytes that are not an envelope in JSON`
}

/** Throws UsageError where the account has no such key. */
export function credentialsOf(access: AccountAccess, which: 'api' | 'tax'): Credentials {
  const credentials = access[which]
  if (credentials !== undefined) return credentials
  throw new UsageError(`Account ${access.name} has no ${which === 'tax' ? 'tax API key' : 'API key'}.`, {
    action: `Give its ${which === 'tax' ? 'tax key' : 'key'}, secret and passphrase, then run again.`,
  })
}

/** What must never be shown or journaled: the account's credentials, and secrets that the request itself carries. */
export function secretsOf(access: AccountAccess, endpoint: Endpoint, params: Params): string[] {
  const sent = (endpoint.secretParams ?? []).map((name) => params[name])
  return [...secretsOfAccount(access), ...sent.filter((value) => typeof value === 'string')]
}

/** Nothing was sent, since the venue still refused after the pause. */
export function blocked({ endpoint, account, request }: AttemptContext): VenueBlocked {
  return new VenueBlocked({
    endpoint,
    account,
    request,
    code: 'blocked',
    status: null,
    message: 'nothing was sent: the venue still refused after a pause of five minutes',
    body: null,
  })
}
