// The venue's refusals, by class: the class determines whether a retry can help, who must act and how. Sources: the
// code table of venue-facts (Failures) and the contract (What an account is, Exit codes).
import { type ErrorDetails, type ExitCode, TieoutError } from '../models/error.ts'
import { type ConnectionClass, describeConnection } from './connection.ts'
import type { Endpoint, Opening } from './endpoint.ts'
import { SUCCESS } from './envelope.ts'

/** The request as sent, without credentials and secrets: path with query, and the body of a POST. */
export interface RequestMeta {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
}

/** What is known about a refusal. */
export interface Refusal {
  readonly endpoint: Endpoint
  /** Name of the account; empty if no account is involved. */
  readonly account: string
  /** The venue's code, or one of ours if none was received, such as `time-out` or `HTTP 502`. */
  readonly code: string
  /** HTTP status; null if no answer arrived. */
  readonly status: number | null
  /** The venue's own words, or what was found to be wrong. */
  readonly message: string
  readonly request: RequestMeta
  /** The decoded body as received; null if there was none. */
  readonly body: Buffer | null
  /** How long the venue asks us to wait. */
  readonly retryAfterMs?: number | null
  readonly cause?: unknown
}

export class VenueError extends TieoutError {
  override readonly name: string = 'VenueError'
  override readonly exitCode: ExitCode = 5
  /** Whether the same request can succeed later without anyone doing anything. */
  readonly retryable: boolean = false
  readonly endpoint: string
  readonly account: string
  readonly code: string
  readonly status: number | null
  readonly venueMessage: string
  readonly request: RequestMeta
  readonly retryAfterMs: number | null
  /** For the journal only: it is kept out of what a logger lists. */
  declare readonly body: Buffer | null

  constructor(what: string, refusal: Refusal, details: Pick<ErrorDetails, 'action' | 'expected'>) {
    const { endpoint, account, code, status, message, request } = refusal
    const sender = account === '' ? '' : ` for account ${account}`
    super(`${what}: ${endpoint.name}${sender}.`, {
      where: `${request.method} ${request.path}${request.body === undefined ? '' : ` ${request.body}`}`,
      found: [status === null ? '' : `HTTP ${status}`, isBare(refusal) ? '' : `code ${code}`, message]
        .filter(Boolean)
        .join(', '),
      ...details,
      ...(refusal.cause === undefined ? {} : { cause: refusal.cause }),
    })
    this.endpoint = endpoint.name
    this.account = account
    this.code = code
    this.status = status
    this.venueMessage = message
    this.request = request
    this.retryAfterMs = refusal.retryAfterMs ?? null
    Object.defineProperty(this, 'body', { value: refusal.body, enumerable: false })
  }
}

/**
 * A refusal without a code of the venue's: the answer may come from a proxy, a firewall or a network's sign-in page.
 */
const isBare = ({ code, status }: Refusal): boolean => code === bareCode(status)

/** Used as the code of an answer that has none. */
export const bareCode = (status: number | null): string => `HTTP ${status}`

const keyOf = ({ endpoint, account }: Refusal): string =>
  `the ${endpoint.credential === 'tax' ? 'tax API key' : 'API key'} of account ${account}`

/** Too many requests, by the venue's count. */
export class RateRefused extends VenueError {
  override readonly name: string = 'RateRefused'
  override readonly retryable = true
  constructor(refusal: Refusal) {
    super('The venue refused because of too many requests', refusal, {
      action:
        `Run again later; what has landed is kept. If this happens often, another program is using the same account ` +
        `or address: lower venue.budgets for ${refusal.endpoint.name}.`,
    })
  }
}

/** The venue blocked this address, and still did after a pause: nothing was sent. */
export class VenueBlocked extends RateRefused {
  override readonly name = 'VenueBlocked'
}

/** The signed time is not the venue's time, or an order arrived later than it allows itself (4.7). */
export class ClockRefused extends VenueError {
  override readonly name = 'ClockRefused'
  constructor(refusal: Refusal) {
    const expected = 'a time within 30 s of the venue’s clock'
    const hasOwnWindow = refusal.request.body?.includes('"receiveWindow"') === true
    const first = hasOwnWindow
      ? 'Correct requestTime or lengthen receiveWindow. Otherwise synchronise'
      : 'Synchronise'
    super('The venue refused the time of the request', refusal, {
      expected: hasOwnWindow ? `${expected}, and a requestTime within receiveWindow of it` : expected,
      action: `${first} this machine’s clock with a time server, then run again.`,
    })
  }
}

/** Demo trading keys are refused with it by the venue itself, and the other way round. */
export const OTHER_ENVIRONMENT = '40099'

/** The key, its secret, its passphrase or the signature is wrong. */
export class CredentialRefused extends VenueError {
  override readonly name = 'CredentialRefused'
  override readonly exitCode = 4
  constructor(refusal: Refusal) {
    super('The venue refused the credentials', refusal, {
      action:
        refusal.code === OTHER_ENVIRONMENT
          ? `Create ${keyOf(refusal)} again in the account itself, not in demo trading, then run again. What has landed is kept.`
          : `Check key, secret and passphrase of ${keyOf(refusal)}, then run again. What has landed is kept.`,
    })
  }
}

/** The key is bound to other addresses, or the address is blocked. */
export class IpRefused extends VenueError {
  override readonly name = 'IpRefused'
  override readonly exitCode = 4
  constructor(refusal: Refusal) {
    const toBound = `this machine’s address to those that ${keyOf(refusal)} is bound to, then run again.`
    super('The venue refused the address of this machine', refusal, {
      action: isBare(refusal)
        ? `First check whether a proxy, a firewall or the network’s own page answered in the venue’s place. Otherwise add ${toBound}`
        : `Add ${toBound}`,
    })
  }
}

/** The key does not have a permission. */
export class PermissionRefused extends VenueError {
  override readonly name = 'PermissionRefused'
  override readonly exitCode = 4
  constructor(refusal: Refusal) {
    const { permission: needed, writes, role } = refusal.endpoint
    const expected = needed ?? (writes ? role : undefined)
    const unnamed = writes
      ? 'permission to do this, if an account of this kind can have it.'
      : 'permission to read this, or leave the endpoint out.'
    super('The venue refused the request for lack of a permission', refusal, {
      ...(expected === undefined ? {} : { expected }),
      action:
        needed === null
          ? `Give ${keyOf(refusal)} ${unnamed}`
          : refusal.endpoint.credential === 'tax'
            ? `Use a tax API key for account ${refusal.account}, then run again. What has landed is kept.`
            : `Give ${keyOf(refusal)} the permission ${needed}, then run again. What has landed is kept.`,
    })
  }
}

const openedBy: Readonly<Record<Opening, string>> = {
  P2P: 'that uses P2P',
  'product line': 'that has opened this product line',
}

/** The account's kind excludes it: nothing is missing. */
export class NotApplicable extends VenueError {
  override readonly name = 'NotApplicable'
  override readonly exitCode = 4
  /** Whether all of the endpoint does not apply, or only the part that was requested. */
  readonly concerns: 'feed' | 'partition'
  constructor(refusal: Refusal, concerns: 'feed' | 'partition' = 'feed') {
    const { role, opened, applies, writes } = refusal.endpoint
    const mode = applies === 'all' ? 'an account in another mode' : `a ${applies} account`
    super('The endpoint does not apply to this account', refusal, {
      expected:
        concerns === 'partition' && opened !== undefined
          ? `${role === undefined ? 'an account' : `${role}, and`} ${openedBy[opened]}`
          : (role ?? mode),
      action: writes
        ? 'Nothing was done. Name an account that can do this with --account.'
        : 'Nothing: the account has no such data. Leave the endpoint out if it was named.',
    })
    this.concerns = concerns
  }
}

/** The venue does not serve the time range. */
export class TimeRangeRefused extends VenueError {
  override readonly name = 'TimeRangeRefused'
  override readonly exitCode = 1
  constructor(refusal: Refusal) {
    super('The venue refused the time range', refusal, {
      action:
        `If the venue now keeps less, lower venue.retention_days for ${refusal.endpoint.name}; if it takes less at ` +
        'once, lower venue.span_days; otherwise report this request as a bug.',
    })
  }
}

/** A parameter that the venue does not accept. */
export class ParameterRefused extends VenueError {
  override readonly name = 'ParameterRefused'
  override readonly exitCode = 1
  constructor(refusal: Refusal) {
    super('The venue refused a parameter', refusal, {
      expected: `what section ${refusal.endpoint.section} of the interface document asks for`,
      action: 'Check the parameters and venue.base_url; if both are right, report this request as a bug.',
    })
  }
}

/** A temporary failure of the venue or the network. */
export class PassingFailure extends VenueError {
  override readonly name: string = 'PassingFailure'
  override readonly retryable = true
  constructor(
    refusal: Refusal,
    what = 'The venue did not answer properly',
    action = 'Run again; what has landed is kept. If it persists, check the network and venue.base_url.',
  ) {
    super(what, refusal, { action })
  }
}

/** No connection was established, or it broke. */
export class ConnectionFailed extends PassingFailure {
  override readonly name = 'ConnectionFailed'
  /** The stage that failed. */
  readonly connection: ConnectionClass
  /** `host` with its port, `systemCode` such as ECONNREFUSED. */
  constructor(refusal: Refusal, connection: ConnectionClass, host: string, systemCode: string) {
    const { what, action } = describeConnection(connection, host, systemCode)
    super(refusal, what, action)
    this.connection = connection
  }
}

/** An answer that cannot be what the venue meant: truncated, not JSON, or without the expected data. */
export class MalformedAnswer extends PassingFailure {
  override readonly name = 'MalformedAnswer'
  constructor(refusal: Refusal) {
    super(refusal, 'The venue’s answer cannot be read')
  }
}

/** A cursor was returned a second time, so that paging would never end. */
export class RepeatedCursor extends PassingFailure {
  override readonly name = 'RepeatedCursor'
  constructor(refusal: Refusal) {
    super(refusal, 'The venue returned the same cursor twice')
  }
}

/** Page after page has a new cursor, and none contains a row: smaller parts of the list would be no different. */
export class EndlessCursor extends RepeatedCursor {}

/** Page after page is full of rows from outside the requested times, so that no window would ever end. */
export class WindowIgnored extends PassingFailure {
  override readonly name = 'WindowIgnored'
  constructor(refusal: Refusal) {
    super(refusal, 'The venue ignores the requested times')
  }
}

/** An unknown code: stored and shown. */
export class UnknownRefusal extends VenueError {
  override readonly name = 'UnknownRefusal'
  override readonly retryable = true
  constructor(refusal: Refusal) {
    if (isBare(refusal))
      super('The answer did not come from the venue', refusal, {
        action:
          'Check venue.base_url, and whether a proxy, a firewall or the network’s own page answered in the venue’s place, then run again. What has landed is kept.',
      })
    else
      super('The venue refused with an unknown code', refusal, {
        action: 'Look the code up in the venue’s documentation, then run again. What has landed is kept.',
      })
  }
}

/** A write was sent, and its answer was lost: it may have been carried out. It is never sent a second time. */
export class OutcomeUnknown extends VenueError {
  override readonly name = 'OutcomeUnknown'
  constructor(refusal: Refusal) {
    const where = refusal.endpoint.outcome ?? 'Look at the account itself.'
    super('It is unknown whether the venue carried this out', refusal, {
      action: `${where} Until then, do not send it again.`,
    })
  }
}

/** The caller ended the request before its answer arrived; nothing is known about it. */
export class Stopped extends TieoutError {
  override readonly name = 'Stopped'
  override readonly exitCode = 5
  constructor(endpoint: string, cause?: unknown) {
    super(`The request was stopped: ${endpoint}.`, {
      action: 'Run again; what has landed is kept.',
      ...(cause === undefined ? {} : { cause }),
    })
  }
}

/**
 * Whether the venue itself answered. A code of digits is the venue's; a word in its place is ours, for an answer that
 * may have come from anywhere. The exception is a fault found in pages that had arrived, which has no status.
 */
export const isOwnAnswer = (error: VenueError): boolean =>
  error instanceof MalformedAnswer
    ? error.code === SUCCESS || error.status === null
    : /^\d+$/.test(error.code)

/** Whether the venue itself answered, with an unknown code or with a success of unexpected form. */
export const isNothingKnown = (error: unknown): boolean =>
  (error instanceof UnknownRefusal || error instanceof MalformedAnswer) && isOwnAnswer(error)

/**
 * Whether a connection was established and no proper answer came: an error of the venue or of a gateway before it, or
 * nothing in time.
 */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof PassingFailure && !(error instanceof ConnectionFailed || error instanceof WindowIgnored)

/**
 * Whether the failure of a page requested by a cursor, after the page before it arrived, may be due to that cursor
 * alone: it was refused, or the venue itself does not answer it.
 */
export const isOfItsCursor = (error: unknown): boolean =>
  error instanceof ParameterRefused || error instanceof TimeRangeRefused || isUnanswered(error)
