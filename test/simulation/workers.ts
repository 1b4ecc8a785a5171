// Seeds spread over processes, and what each of them came to.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
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

export async function sweep({ worker, from, count, jobs, flags = [], onReport }: Sweep): Promise<Report[]> {
  const reports: Report[] = []
  const kills: (() => void)[] = []
  let isOver = false
  const run = async (job: number): Promise<void> => {
    const own = Math.ceil((count - job) / jobs)
    if (own <= 0) return
    const child = spawn(process.execPath, [worker, String(from + job), String(own), String(jobs), ...flags], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    kills.push(() => child.kill('SIGKILL'))
    const ended = new Promise<number | null>((resolve, reject) => {
      child.on('error', reject)
      child.on('close', resolve)
    })
    let last = from + job - jobs
    for await (const line of createInterface({ input: child.stdout })) {
      const report = JSON.parse(line) as Report
      last = report.seed
      reports.push(report)
      if (onReport?.(report) !== true || isOver) continue
      isOver = true
      for (const kill of kills) kill()
    }
    const code = await ended
    if (code === 0 || isOver) return
    const violations = [`the process ended with code ${code}`]
    const ending = { seed: last + jobs, violations, requests: 0, deaths: 0, digest: '', worldMs: 0 }
    reports.push({ ...ending, shrunk: null, story: [] })
    onReport?.(reports.at(-1)!)
  }
  await Promise.all(Array.from({ length: jobs }, (_, job) => run(job)))
  return reports.sort((a, b) => a.seed - b.seed)
}
