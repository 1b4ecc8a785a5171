// Time is passed in as a parameter. Three clocks are kept apart: a run's now, the venue's clock, and a monotonic one.
import { onAbort } from './abort.ts'

export interface Clock {
  /** Unix milliseconds of the machine's wall clock. */
  wall(): number
  /** Milliseconds that never go back, from an arbitrary start: for budgets and timeouts. */
  monotonic(): number
  /** Resolves after the given time, or immediately when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** Time running from an instant: setting the wall clock in the middle of a run does not move it. */
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
