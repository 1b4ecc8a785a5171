// Time comes in as a parameter. Three clocks that are never one: what a run calls now, the venue's, and a monotonic one.
import { onAbort } from './abort.ts'

export interface Clock {
  /** Unix milliseconds of the machine's wall clock. */
  wall(): number
  /** Milliseconds that never go back, from an arbitrary start: budgets and time-outs. */
  monotonic(): number
  /** Resolves after the given time, or at once when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** Time that goes on from an instant: a wall clock that is set in the middle of a run does not move it. */
export function runningFrom(instant: number, clock: Clock): () => number {
  const began = clock.monotonic()
  return () => Math.floor(instant + clock.monotonic() - began)
}

export const systemClock: Clock = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) return resolve()
      const done = (): void => {
        clearTimeout(timer)
        letGo?.()
        resolve()
      }
      const timer = setTimeout(done, ms)
      const letGo = signal === undefined ? undefined : onAbort(signal, done)
    }),
}
