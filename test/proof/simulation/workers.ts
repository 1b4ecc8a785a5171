// Seeds spread over processes, and what each of them came to.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fastFolder } from '../../support/fast-folder.ts'
import type { SimulationConfig } from './config.ts'

export interface Report {
  readonly seed: number
  readonly violations: readonly string[]
  readonly requests: number
  readonly deaths: number
  readonly digest: string
  readonly worldMs: number
  readonly shrunk: SimulationConfig | null
  readonly story: readonly string[]
}

export interface Sweep {
  readonly worker: string
  readonly from: number
  readonly count: number
  readonly jobs: number
  readonly flags?: readonly string[]
  /** Answers true to end the sweep. */
  readonly onReport?: (report: Report) => boolean | undefined
}

/**
 * The allocator of glibc gives large blocks back at once and takes them anew, and puts small ones together again: a
 * question of DuckDB takes and gives back the same ones as the one before.
 */
const ALLOCATOR = {
  MALLOC_MMAP_THRESHOLD_: String(2 ** 30),
  MALLOC_TRIM_THRESHOLD_: String(2 ** 32),
  MALLOC_TOP_PAD_: String(2 ** 24),
  GLIBC_TUNABLES: 'glibc.malloc.tcache_max=1048576:glibc.malloc.tcache_count=2000',
}

/** One question after the other is asked; what one thread has freed, it takes again. */
const THREADS = { UV_THREADPOOL_SIZE: '1' }

/** Most of what a run makes is gone with its event: a larger nursery is swept less often. */
const NURSERY = '--max-semi-space-size=64'

/**
 * No seed works nearly so long: one that does will never end. A planted mistake is given up sooner. What counts is the time
 * of its processor, where the system tells it, for a machine that is busy with other things may leave a worker waiting.
 */
const SILENCE_MAX_MS = 600_000
const SILENCE_MAX_OF_MISTAKE_MS = 90_000
const LOOK_EVERY_MS = 5_000

/** Milliseconds that a process has worked, by the ticks of Linux's /proc; else those of the clock. */
function workedMs(pid: number | undefined): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13)
    return (Number(user) + Number(system)) * 10
  } catch {
    return performance.now()
  }
}

/** How often a worker that was killed from outside is started anew. */
const STARTS_MAX = 20

const failedWorker = (seed: number, end: string): Report => ({
  seed,
  violations: [`the process ended with ${end}`],
  requests: 0,
  deaths: 0,
  digest: '',
  worldMs: 0,
  shrunk: null,
  story: [],
})

/** A worker that is killed leaves its databases, so they are all in one folder, which is removed at the end. */
export async function sweep(asked: Sweep): Promise<Report[]> {
  const folder = mkdtempSync(join(fastFolder(), 'tieout-simulation-'))
  try {
    return await sweepIn(folder, asked)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function sweepIn(
  folder: string,
  { worker, from, count, jobs, flags = [], onReport }: Sweep,
): Promise<Report[]> {
  const reports: Report[] = []
  const kills: (() => void)[] = []
  let isOver = false
  const take = (report: Report): void => {
    reports.push(report)
    if (onReport?.(report) !== true || isOver) return
    isOver = true
    for (const kill of kills) kill()
  }
  const run = async (job: number): Promise<void> => {
    const open = new Set<number>()
    for (let seed = from + job; seed < from + count; seed += jobs) open.add(seed)
    let begun = from + job
    for (let starts = 0; open.size > 0 && !isOver; starts += 1) {
      // Those after the first one without a report are run again with it: the worker had not looked at them yet.
      const next = Math.min(...open)
      const own = Math.ceil((from + count - next) / jobs)
      const child = spawn(
        process.execPath,
        [NURSERY, worker, String(next), String(own), String(jobs), ...flags],
        {
          stdio: ['ignore', 'pipe', 'inherit'],
          env: { ...process.env, ...ALLOCATOR, ...THREADS, TMPDIR: folder },
        },
      )
      kills.push(() => child.kill('SIGKILL'))
      const ended = new Promise<string>((resolve, reject) => {
        child.on('error', reject)
        child.on('close', (code, signal) => resolve(signal ?? `code ${code}`))
      })
      let isStuck = false
      const silence = flags.includes('--stop') ? SILENCE_MAX_OF_MISTAKE_MS : SILENCE_MAX_MS
      let spoken = workedMs(child.pid)
      const patience = setInterval(() => {
        if (workedMs(child.pid) - spoken < silence) return
        isStuck = true
        child.kill('SIGKILL')
      }, LOOK_EVERY_MS)
      for await (const line of createInterface({ input: child.stdout })) {
        spoken = workedMs(child.pid)
        const told = JSON.parse(line) as Report | number
        if (typeof told === 'number') begun = told
        else if (open.delete(told.seed)) take(told)
      }
      clearInterval(patience)
      const end = await ended
      if (isStuck) return take(failedWorker(begun, 'a kill: it went on without an end'))
      if (isOver || (end === 'code 0' && (open.size === 0 || flags.includes('--stop')))) return
      // Whoever kills a process from outside, such as a system short of memory, says nothing of the seed.
      if (end === 'SIGKILL' && starts < STARTS_MAX) continue
      take(failedWorker(begun, end))
      return
    }
  }
  await Promise.all(Array.from({ length: jobs }, (_, job) => run(job)))
  return reports.sort((a, b) => a.seed - b.seed)
}
