// How long something takes, by the clock and on the processor.
import { systemClock } from '../models/clock.ts'

export interface Taken {
  readonly seconds: number
  /** Of all threads: on a machine that is doing other work too, only this shows what the work costs. */
  readonly cpuSeconds: number
}

/** Seconds of the processor that this process has used. */
export function processorTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

export async function timed<T>(work: () => Promise<T>): Promise<Taken & { readonly answer: T }> {
  const [begun, cpu] = [systemClock.monotonic(), processorTime()]
  const answer = await work()
  return { answer, seconds: (systemClock.monotonic() - begun) / 1_000, cpuSeconds: processorTime() - cpu }
}

export const duration = ({ seconds, cpuSeconds }: Taken): string =>
  `in ${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of the processor`

export const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`
