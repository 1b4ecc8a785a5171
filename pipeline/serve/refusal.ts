// Errors as answers of the server: the same as on the command line, with an HTTP status.
import { TieoutError, UsageError } from '../../models/error.ts'
import { NoLedger } from '../ledger/ledger.ts'
import type { Failure } from './api.ts'

export type RefusalStatus = 400 | 401 | 403 | 404 | 405 | 409 | 411 | 413 | 415 | 429

const NAMES: Readonly<Record<RefusalStatus, string>> = {
  400: 'UsageError',
  401: 'Unauthorised',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  409: 'Conflict',
  411: 'LengthRequired',
  413: 'TooLarge',
  415: 'NotJson',
  429: 'Busy',
}

/** Thrown if the server refuses a request. */
export class Refusal extends TieoutError {
  override readonly name: string
  readonly status: RefusalStatus

  constructor(
    status: RefusalStatus,
    message: string,
    details: { where?: string; expected?: string; found?: string; action: string; name?: string },
  ) {
    const { name, ...rest } = details
    super(message, rest)
    this.status = status
    this.name = name ?? NAMES[status]
  }
}

/** The part of an error that leaves the process: tieout's own message, never a stack, and nothing of any other error. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof TieoutError)) {
    return {
      error: {
        name: 'Error',
        message: 'Unexpected error.',
        action: 'Try again. If it persists, report it with the output of `tieout serve --log-level debug`.',
      },
    }
  }
  const { where, expected, found, action } = error.details
  return {
    error: {
      name: error.name,
      message: error.message,
      ...(where === undefined ? {} : { where }),
      ...(expected === undefined ? {} : { expected }),
      ...(found === undefined ? {} : { found }),
      action,
    },
  }
}

export function statusOf(error: unknown): RefusalStatus | 500 | 503 {
  if (error instanceof Refusal) return error.status
  if (error instanceof NoLedger) return 503
  return error instanceof UsageError ? 400 : 500
}
