// Signals of a run outlive its requests by far: each request listens to them through one signal that it lets go of.
import { setMaxListeners } from 'node:events'

export interface LinkedSignal {
  /** Aborts with the first of the given ones. */
  readonly signal: AbortSignal
  /** Forgets the given ones. */
  readonly unlink: () => void
}

export function linkSignals(...signals: readonly (AbortSignal | undefined)[]): LinkedSignal {
  const linked = new AbortController()
  const given = signals.filter((signal) => signal !== undefined)
  // Hundreds of requests and slots may wait on one signal; that is no leak, since each lets go of it.
  setMaxListeners(0, linked.signal, ...given)
  const abort = (): void => linked.abort()
  for (const signal of given) {
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
  }
  const unlink = (): void => {
    for (const signal of given) signal.removeEventListener('abort', abort)
  }
  return { signal: linked.signal, unlink }
}
