// What the venue refuses, by class: the class decides whether trying again can help, who must act and how.
// Sources: the code table of venue-facts (Failures) and the contract (What an account is, Exit codes).
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

/** What is known of a refusal. */
export interface Refusal {
  readonly endpoint: Endpoint
  /** Name of the account; empty for what concerns none. */
  readonly account: string
  /** The venue's code, or a word of ours where none was received, such as `time-out` or `HTTP 502`. */
  readonly code: string
  /** HTTP status; null where no answer came. */
  readonly status: number | null
  /** The venue's own words, or what was found wrong. */
  readonly message: string
  readonly request: RequestMeta
  /** The decoded body as received; null where none was. */
  readonly body: Buffer | null
  /** How long the venue asks to wait. */
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
  /** For the journal alone: it is kept out of what a logger lists. */
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

/** A refusal without a code of the venue's: who answered may be a proxy, a firewall or the sign-in page of a network. */
const isBare = ({ code, status }: Refusal): boolean => code === bareCode(status)

/** Stands for the code of an answer that has none. */
export const bareCode = (status: number | null): string => `HTTP ${status}`

const keyOf = ({ endpoint, account }: Refusal): string =>
  `the ${endpoint.credential === 'tax' ? 'tax API key' : 'API key'} of account ${account}`

/** Too many requests, by the venue's count. */
export class RateRefused extends VenueError {
  override readonly name: string = 'RateRefused'
  override readonly retryable = true
  constructor(refusal: Refusal) {
    super('The venue refused for too many requests', refusal, {
      action:
        `Run again later; what has landed is kept. If it happens often, another program uses the same account ` +
        `or address: lower venue.budgets for ${refusal.endpoint.name}.`,
    })
  }
}

/** The venue shut this address out, and still did after a pause: nothing was sent. */
export class VenueBlocked extends RateRefused {
  override readonly name = 'VenueBlocked'
}

/** The signed time is not the venue's time. */
export class ClockRefused extends VenueError {
  override readonly name = 'ClockRefused'
  constructor(refusal: Refusal) {
    super('The venue refused the time of the request', refusal, {
      expected: 'a time within 30 s of the venue’s clock',
      action: 'Synchronise this machine’s clock with a time server, then run again.',
    })
  }
}

/** A key of demo trading is refused with it at the venue itself, and the other way round. */
export const OTHER_ENVIRONMENT = '40099'

/** The key, its secret, its passphrase or the signature is wrong. */
export class CredentialRefused extends VenueError {
  override readonly name = 'CredentialRefused'
  override readonly exitCode = 4
  constructor(refusal: Refusal) {
    super('The venue refused the credentials', refusal, {
      action:
        refusal.code === OTHER_ENVIRONMENT
          ? `Make ${keyOf(refusal)} anew in the account itself, not in demo trading, then run again. What has landed is kept.`
          : `Check key, secret and passphrase of ${keyOf(refusal)}, then run again. What has landed is kept.`,
    })
  }
}

/** The key is bound to other addresses, or the address is shut out. */
export class IpRefused extends VenueError {
  override readonly name = 'IpRefused'
  override readonly exitCode = 4
  constructor(refusal: Refusal) {
    const toBound = `this machine’s address to those that ${keyOf(refusal)} is bound to, then run again.`
    super('The venue refused the address of this machine', refusal, {
      action: isBare(refusal)
        ? `Look first whether a proxy, a firewall or the network’s own page answered in the venue’s place; else add ${toBound}`
        : `Add ${toBound}`,
    })
  }
}

/** The key lacks a permission. */
export class PermissionRefused extends VenueError {
  override readonly name = 'PermissionRefused'
  override readonly exitCode = 4
  constructor(refusal: Refusal) {
    const { permission: needed, writes, role } = refusal.endpoint
    const expected = needed ?? (writes ? role : undefined)
    const unnamed = writes
      ? 'the permission to do this, if an account of this kind can have it.'
      : 'the permission to read this, or leave the endpoint out.'
    super('The venue refused for want of a permission', refusal, {
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

/** What the account is excludes it: nothing is missing. */
export class NotApplicable extends VenueError {
  override readonly name = 'NotApplicable'
  override readonly exitCode = 4
  /** Whether all of the endpoint does not apply, or only the part of it that was asked for. */
  readonly concerns: 'feed' | 'partition'
  constructor(refusal: Refusal, concerns: 'feed' | 'partition' = 'feed') {
    const { role, opened, applies, writes } = refusal.endpoint
    const mode = applies === 'all' ? 'an account of another mode' : `a ${applies} account`
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

/** The time range is not one that the venue serves. */
export class TimeRangeRefused extends VenueError {
  override readonly name = 'TimeRangeRefused'
  override readonly exitCode = 1
  constructor(refusal: Refusal) {
    super('The venue refused the time range', refusal, {
      action:
        `If the venue now remembers less, lower venue.retention_days for ${refusal.endpoint.name}; ` +
        'else report this request as a defect.',
    })
  }
}

/** A parameter is not what the venue takes. */
export class ParameterRefused extends VenueError {
  override readonly name = 'ParameterRefused'
  override readonly exitCode = 1
  constructor(refusal: Refusal) {
    super('The venue refused a parameter', refusal, {
      expected: `what section ${refusal.endpoint.section} of the interface document asks for`,
      action: 'Check the parameters and venue.base_url; if both are right, report this request as a defect.',
    })
  }
}

/** Something that passes: the venue or the network is unwell. */
export class PassingFailure extends VenueError {
  override readonly name: string = 'PassingFailure'
  override readonly retryable = true
  constructor(
    refusal: Refusal,
    what = 'The venue did not answer as it should',
    action = 'Run again; what has landed is kept. If it persists, check the network and venue.base_url.',
  ) {
    super(what, refusal, { action })
  }
}

/** No connection came about, or it did not last. */
export class ConnectionFailed extends PassingFailure {
  override readonly name = 'ConnectionFailed'
  /** Which part of the way failed. */
  readonly connection: ConnectionClass
  /** `host` with its port, `systemCode` such as ECONNREFUSED. */
  constructor(refusal: Refusal, connection: ConnectionClass, host: string, systemCode: string) {
    const { what, action } = describeConnection(connection, host, systemCode)
    super(refusal, what, action)
    this.connection = connection
  }
}

/** An answer that cannot be what the venue meant: cut off, not JSON, or without the data that is due. */
export class MalformedAnswer extends PassingFailure {
  override readonly name = 'MalformedAnswer'
  constructor(refusal: Refusal) {
    super(refusal, 'The venue’s answer cannot be read')
  }
}

/** A cursor came a second time, so that paging would go round for ever. */
export class RepeatedCursor extends PassingFailure {
  override readonly name = 'RepeatedCursor'
  constructor(refusal: Refusal) {
    super(refusal, 'The venue gave the same cursor twice')
  }
}

/** Page after page has a cursor of its own, and none brings a row: of a smaller part of the list it would be the same. */
export class EndlessCursor extends RepeatedCursor {}

/** Page after page is full of rows of other times than were asked for, so that no window would ever end. */
export class WindowIgnored extends PassingFailure {
  override readonly name = 'WindowIgnored'
  constructor(refusal: Refusal) {
    super(refusal, 'The venue ignores the times that it is asked for')
  }
}

/** A code that nothing is known of: kept and shown. */
export class UnknownRefusal extends VenueError {
  override readonly name = 'UnknownRefusal'
  override readonly retryable = true
  constructor(refusal: Refusal) {
    if (isBare(refusal))
      super('The answer is none that the venue gives', refusal, {
        action:
          'Check venue.base_url, and whether a proxy, a firewall or the network’s own page answered in the venue’s place, then run again. What has landed is kept.',
      })
    else
      super('The venue refused with a code that is not known', refusal, {
        action: 'Look the code up in the venue’s documentation, then run again. What has landed is kept.',
      })
  }
}

/** A write was sent, and its answer was lost: it may have been carried out. It is never sent a second time. */
export class OutcomeUnknown extends VenueError {
  override readonly name = 'OutcomeUnknown'
  constructor(refusal: Refusal) {
    const where = refusal.endpoint.outcome ?? 'Look at the account itself.'
    super('It is not known whether the venue carried this out', refusal, {
      action: `${where} Do not send it again until then.`,
    })
  }
}

/** The caller ended the request before its answer came; nothing is known of it. */
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
 * Whether the venue itself answered: a code of digits is its own; a word in its place is ours, for what may have come from
 * anywhere, but for what was found out of pages that had come, which has no status.
 */
export const isOwnAnswer = (error: VenueError): boolean =>
  error instanceof MalformedAnswer
    ? error.code === SUCCESS || error.status === null
    : /^\d+$/.test(error.code)

/** Whether the venue itself answered, by a code that nobody knows or by a success of another form. */
export const isNothingKnown = (error: unknown): boolean =>
  (error instanceof UnknownRefusal || error instanceof MalformedAnswer) && isOwnAnswer(error)

/** Whether the venue itself answered that it cannot answer now. */
export const isOwnFailure = (error: unknown): boolean => error instanceof PassingFailure && isOwnAnswer(error)

/**
 * Whether the failure of a page that a cursor asked for, where the page before it came, may be of that cursor alone: it was
 * refused, or no answer of the venue's own comes to it.
 */
export const isOfItsCursor = (error: unknown): boolean =>
  error instanceof ParameterRefused ||
  error instanceof TimeRangeRefused ||
  (error instanceof PassingFailure && !(error instanceof ConnectionFailed || error instanceof WindowIgnored))
