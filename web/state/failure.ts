// What went wrong, in the server's own words if it sent any.
import type { Failure } from '../../pipeline/serve/api.ts'

export class RequestFailed extends Error {
  readonly failure: Failure['error']
  readonly status: number

  constructor(failure: Failure['error'], status: number) {
    super(failure.message)
    this.name = failure.name
    this.failure = failure
    this.status = status
  }
}

/** The failure for anything thrown. A fetch without an answer means that the server is gone. */
export function failureOf(thrown: unknown): Failure['error'] {
  if (thrown instanceof RequestFailed) return thrown.failure
  if (thrown instanceof TypeError)
    return {
      name: 'NoAnswer',
      message: 'The server of this page is not responding.',
      action: 'Restart `tieout serve` and open the address that it prints.',
    }
  return {
    name: 'Unexpected',
    message: thrown instanceof Error ? thrown.message : String(thrown),
    action: 'Reload the page. If the problem persists, report it and say what you were doing.',
  }
}

/** The error for an answer with status 400 or above; one not from tieout (a proxy, a crash) is described by its status. */
export async function refusalOf(answer: Response): Promise<RequestFailed> {
  const text = await answer.text()
  try {
    const { error } = JSON.parse(text) as Failure
    if (typeof error.message === 'string') return new RequestFailed(error, answer.status)
  } catch {
    // Not JSON: handled below.
  }
  return new RequestFailed(
    {
      name: 'Refused',
      message: `The server answered ${answer.status} ${answer.statusText}.`,
      action:
        answer.status === 401 || answer.status === 403
          ? 'Open the address that `tieout serve` printed; every start prints a new one.'
          : 'Reload the page.',
    },
    answer.status,
  )
}
