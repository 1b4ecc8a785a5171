// One try of a request: signs it by the venue's clock, sends it, and judges the answer. Only an unambiguous success is
// returned; everything else is an error whose class determines what happens next. Sources: interface document, parts 1,
// 5 and 7; venue-facts, Signing and Failures.

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

/** The path as sent: the profile's own coin replaces the platform coin of the declaration. */
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

/** What is needed to judge a try. */
export interface AttemptContext {
  readonly endpoint: Endpoint
  readonly account: string
  readonly request: RequestMeta
  /** Never to be shown, even if the venue repeats them. */
  readonly secrets: readonly string[]
  readonly wallNow: number
}

/** The error of a try for which no usable answer arrived from the host. */
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
  // A rate-limit status is conclusive, whatever became of its body.
  const byStatus = failure.head === null ? null : refusalOf(refusal, false)
  if (byStatus instanceof RateRefused) return byStatus
  if (endpoint.writes && !wasNeverMade(failure.message, failure.cause)) return new OutcomeUnknown(refusal)
  return connection === null
    ? new PassingFailure(refusal)
    : new ConnectionFailed(refusal, connection, host, failure.message)
}

const CODE_LENGTH_MAX = 64

/** The envelope of a success. Throws the error that corresponds to any other answer. */
export function judge(tried: AttemptContext, incoming: Incoming, envelope: Envelope | null): Envelope {
  const { endpoint, account, request } = tried
  const { status, body } = incoming
  const succeeded = status >= 200 && status < 300
  const refusal = (code: string, message: string): Refusal => ({
    endpoint,
    account,
    request,
    // A code is a few digits. Anything else in its place is the venue's own text, which is journaled with the answer.
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

/** What is wrong with an answer that claims success; null for nothing. */
function faultOf(endpoint: Endpoint, envelope: Envelope): string | null {
  // A write that reports success was carried out, even if its answer has an unexpected word or shape.
  if (endpoint.writes) return null
  if (envelope.message.toLowerCase() !== 'success')
    return `msg is ${JSON.stringify(envelope.message)} instead of success`
  const page = readPage(endpoint, envelope.data)
  return typeof page === 'string' ? page : null
}

/**
 * After a temporary failure, or a success code under a failure status, a write may or may not have been carried out.
 */
function doubtful(endpoint: Endpoint, error: VenueError, refusal: Refusal): VenueError {
  const isDoubtful = error instanceof PassingFailure || refusal.code === SUCCESS
  return endpoint.writes && isDoubtful ? new OutcomeUnknown(refusal) : error
}

/** The host that a redirect points to. Credentials are sent only to the configured address. */
function redirectOf({ headers }: Incoming): string {
  const { location } = headers
  const host = typeof location === 'string' && URL.canParse(location) ? ` to ${new URL(location).host}` : ''
  return `a redirect${host}, which is not followed; check venue.base_url and any proxies in between`
}

/** Describes a body that is not an envelope, without quoting its text, which may be anything. */
function whatItIs(body: Buffer): string {
  if (body.length === 0) return 'an empty body'
  const start = body.subarray(0, 64).toString('latin1').trimStart()
  if (start.startsWith('<')) return `a web page of ${body.length} bytes`
  return `${body.length} bytes that are not an envelope in JSON`
}

/** The key that signs an endpoint; null if none does. Throws a UsageError if the account does not have it. */
export function credentialsOf(
  access: AccountAccess,
  { name, credential: which }: Pick<Endpoint, 'name' | 'credential'>,
): Credentials | null {
  if (which === 'none') return null
  const credentials = access[which]
  if (credentials !== undefined) return credentials
  const [needed, other] = which === 'tax' ? ['tax API key', 'API key'] : ['API key', 'tax API key']
  throw new UsageError(`Account ${access.name} has no ${needed}.`, {
    where: name,
    expected: `the ${needed}, which signs ${name}`,
    found: access[which === 'tax' ? 'api' : 'tax'] === undefined ? 'no key' : `only the ${other}`,
    action: `Give its ${which === 'tax' ? 'tax key' : 'key'}, secret and passphrase, then run again.`,
  })
}

/** What must never be shown or journaled: the account's credentials, and secrets that the request itself carries. */
export function secretsOf(access: AccountAccess, endpoint: Endpoint, params: Params): string[] {
  const sent = (endpoint.secretParams ?? []).map((name) => params[name])
  return [...secretsOfAccount(access), ...sent.filter((value) => typeof value === 'string')]
}

/** Nothing was sent, because the venue still refused after the pause. */
export function blocked({ endpoint, account, request }: AttemptContext): VenueBlocked {
  return new VenueBlocked({
    endpoint,
    account,
    request,
    code: 'blocked',
    status: null,
    message: 'nothing was sent, because the venue still refused after a pause of five minutes',
    body: null,
  })
}
