// Signals of a run outlive its requests by far: each request listens to them through one signal that it lets go of.
import { setMaxListeners } from 'node:events'
import { onAbort } from '../models/abort.ts'

export interface LinkedSignal {
  /** Aborts with the first of the given ones. */
  readonly signal: AbortSignal
  /** Forgets the given ones. */
  readonly unlink: () => void
}

export function linkSignals(...signals: readonly (AbortSignal | undefined)[]): LinkedSignal {
  const linked = new AbortController()
  // Many wait on the slot and the answer of one request; that is no leak, since each lets go of it.
  setMaxListeners(0, linked.signal)
  const abort = (): void => linked.abort()
  const letGo = signals.filter((signal) => signal !== undefined).map((signal) => onAbort(signal, abort))
  const unlink = (): void => {
    for (const one of letGo) one()
  }
  return { signal: linked.signal, unlink }
}
