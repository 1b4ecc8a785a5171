// What went wrong, in the server's own words where it has some.
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

/** The failure of whatever was thrown. A fetch without an answer means that the server is gone. */
export function failureOf(thrown: unknown): Failure['error'] {
  if (thrown instanceof RequestFailed) return thrown.failure
  if (thrown instanceof TypeError)
    return {
      name: 'NoAnswer',
      message: 'The server of this page does not answer.',
      action: 'Start `tieout serve` again and open the address that it prints.',
    }
  return {
    name: 'Unexpected',
    message: thrown instanceof Error ? thrown.message : String(thrown),
    action: 'Reload the page. If it persists, report it with what you were doing.',
  }
}

/** The error of an answer of 400 and above; what is not ours (a proxy, a crash) is told by its status. */
export async function refusalOf(answer: Response): Promise<RequestFailed> {
  const text = await answer.text()
  try {
    const { error } = JSON.parse(text) as Failure
    if (typeof error.message === 'string') return new RequestFailed(error, answer.status)
  } catch {
    // Not JSON: told below.
  }
  return new RequestFailed(
    {
      name: 'Refused',
      message: `The server answered ${answer.status} ${answer.statusText}.`,
      action:
        answer.status === 401 || answer.status === 403
          ? 'Open the address that `tieout serve` printed; each start has a new one.'
          : 'Reload the page.',
    },
    answer.status,
  )
}
