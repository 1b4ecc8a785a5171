// Listening to a signal with thousands of listeners. A signal compares each new listener with all existing ones, so it
// is given a single one here, which passes the event on.

const listening = new WeakMap<AbortSignal, Set<() => void>>()

/** Calls once when the signal aborts, at once if it has; the answer lets go of the signal. */
export function onAbort(signal: AbortSignal, call: () => void): () => void {
  if (signal.aborted) {
    call()
    return () => undefined
  }
  const calls = listening.get(signal) ?? listen(signal)
  calls.add(call)
  return () => calls.delete(call)
}

function listen(signal: AbortSignal): Set<() => void> {
  const calls = new Set<() => void>()
  listening.set(signal, calls)
  const passOn = (): void => {
    for (const call of calls) call()
  }
  signal.addEventListener('abort', passOn, { once: true })
  return calls
}
