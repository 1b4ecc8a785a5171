// A run's signals far outlive its requests: each request listens to them through one signal that it releases.
import { setMaxListeners } from 'node:events'
import { onAbort } from '../models/abort.ts'

export interface LinkedSignal {
  /** Aborts with the first of the given signals. */
  readonly signal: AbortSignal
  /** Stops listening to the given signals. */
  readonly unlink: () => void
}

export function linkSignals(...signals: readonly (AbortSignal | undefined)[]): LinkedSignal {
  const linked = new AbortController()
  // Many wait on the slot and the answer of one request; this is not a leak, since each releases it.
  setMaxListeners(0, linked.signal)
  const abort = (): void => linked.abort()
  const letGo = signals.filter((signal) => signal !== undefined).map((signal) => onAbort(signal, abort))
  const unlink = (): void => {
    for (const one of letGo) one()
  }
  return { signal: linked.signal, unlink }
}
