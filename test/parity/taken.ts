// What a build takes: of this process, and of the engines that work for it.
import { existsSync, readFileSync } from 'node:fs'
import type { Engine } from './engines.ts'

export interface Taken {
  readonly seconds: number
  /** Not a number where the system does not say it. */
  readonly cpuSeconds: number
  /** Memory of this process at its most. */
  readonly peakBytes: number
  /** Memory of the engines at their most, since they began; none without engines. */
  readonly enginesBytes: number
}

/** Ticks a second of the processor's time that Linux counts for a process. */
const TICKS = 100

/** Of a process, since it began: only Linux says it of another one. */
function ofProcess(pid: number): { readonly cpuSeconds: number; readonly peakBytes: number } {
  if (!existsSync('/proc/self/stat')) return { cpuSeconds: Number.NaN, peakBytes: 0 }
  const [user = 0, system = 0] = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
    .slice(11, 13)
    .map(Number)
  const [, kilobytes] = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return { cpuSeconds: (user + system) / TICKS, peakBytes: Number(kilobytes ?? 0) * 1_024 }
}

export async function taken<T>(
  work: () => Promise<T>,
  engines: readonly Engine[] = [],
): Promise<Taken & { readonly answer: T }> {
  const cpuOf = (): number =>
    [process.pid, ...engines.map(({ pid }) => pid)].reduce((sum, pid) => sum + ofProcess(pid).cpuSeconds, 0)
  const [begun, cpu] = [performance.now(), cpuOf()]
  let peakBytes = process.memoryUsage.rss()
  const watch = setInterval(() => {
    peakBytes = Math.max(peakBytes, process.memoryUsage.rss())
  }, 100)
  const answer = await work().finally(() => clearInterval(watch))
  return {
    answer,
    seconds: (performance.now() - begun) / 1_000,
    cpuSeconds: cpuOf() - cpu,
    peakBytes,
    enginesBytes: engines.reduce((sum, { pid }) => sum + ofProcess(pid).peakBytes, 0),
  }
}

const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`

export const told = ({ seconds, cpuSeconds, peakBytes, enginesBytes }: Taken): string =>
  `${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of the processor, at most ${megabytes(peakBytes)}${enginesBytes === 0 ? '' : ` here and ${megabytes(enginesBytes)} there`}`
