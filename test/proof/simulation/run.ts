// One seed from its first night to its last: nights with faults, deaths and restarts, then the faults end, two runs
// go well, and everything must be as the venue has it. The folder of the real database files is gone afterwards.
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkJournal, checkLogs, framesOf } from './check.ts'
import type { SimulationConfig } from './config.ts'
import { corrupt } from './corruption.ts'
import { checkCoverage, coverageOf } from './coverage.ts'
import { HOUR, retentionOfFeed } from './feeds.ts'
import { versionAt } from './history.ts'
import type { Machine } from './machine.ts'
import { type Inspect, Ledger, type NightEnd, night } from './night.ts'
import type { Finished } from './truth.ts'
import { isPagedAsDocumented } from './ways.ts'
import { START, World } from './world.ts'

export interface SimulationResult {
  readonly config: SimulationConfig
  /** What was violated, first things first; empty when all is well. */
  readonly violations: readonly string[]
  readonly story: readonly string[]
  /** SHA-256 of the story. */
  readonly digest: string
  readonly requests: number
  readonly deaths: number
  readonly worldMs: number
  /** To be looked at together with others; empty where something was violated. */
  readonly finished: readonly Finished[]
}

type LastRun = Pick<Finished, 'beganAt' | 'endedAt' | 'landed'>

export const folderForDatabases = (): string => mkdtempSync(join(tmpdir(), 'databases-'))

export async function simulate(config: SimulationConfig): Promise<SimulationResult> {
  const folder = folderForDatabases()
  const world = new World(config, folder)
  const finished: Finished[] = []
  try {
    await world.scheduler.until(live(world, finished))
  } catch (error) {
    world.violation(error instanceof Error ? (error.stack ?? error.message) : String(error))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  const { story, violations, venue, scheduler } = world
  const digest = createHash('sha256').update(story.join('\n')).digest('hex')
  const deaths = story.filter((line) => line.includes(' DIES ')).length
  return {
    config,
    violations,
    story,
    digest,
    requests: venue.requests,
    deaths,
    worldMs: scheduler.now,
    finished: violations.length > 0 ? [] : finished,
  }
}

async function live(world: World, finished: Finished[]): Promise<void> {
  const ledgers = new Map(world.machines.map((machine) => [machine, new Ledger()]))
  await Promise.all([...ledgers].map(([machine, ledger]) => nights(world, machine, ledger)))
  if (world.violations.length > 0) return
  world.calm()
  await world.scheduler.wait(10 * 60_000)
  for (const [machine, ledger] of ledgers) {
    let end = await lastRun(world, machine, ledger, false)
    if (world.config.again) {
      await world.scheduler.wait(10 * 60_000)
      end = await lastRun(world, machine, ledger, true)
    }
    if (end !== null)
      finished.push({ ...end, world, machine: machine.name, frames: await framesOf(world, machine) })
    checkLogs(world, ledger)
    const { acknowledged } = ledger
    world.tell(`${machine.name} has ${acknowledged.seq} frames, chain ${acknowledged.chain}`)
  }
}

/** The nights with faults: each run that dies or fails is started again, as its operator would. */
async function nights(world: World, machine: Machine, ledger: Ledger): Promise<void> {
  const random = machine.stream('nights')
  const isBadInInstantsAlone =
    Object.keys(world.config.faults).join() === 'bad instants' && world.config.crashes.length === 0
  for (let count = 0; count < world.config.nights; count += 1) {
    for (let starts = 0; starts < world.config.starts; starts += 1) {
      const plannedAt = world.scheduler.now
      const isClockRight =
        (world.config.faults['clock skew'] ?? 0) + (world.config.faults['clock steps'] ?? 0) === 0
      const inspect: Inspect = async (books, { incomplete }) => {
        if (isClockRight && (incomplete || random.chance(world.config.looks)))
          checkCoverage(world, await coverageOf(books.landing), {
            wholeSince: null,
            plannedAt,
            now: world.scheduler.now,
            isBadInInstantsAlone,
          })
      }
      const end = await night(world, machine, ledger, { inspect })
      await checkJournal(world, machine, ledger)
      if (world.violations.length > 0) return
      if (end.kind === 'done' && !end.result.incomplete) break
      const pause = random.pick([0, 0, 5_000, 600_000, 3 * HOUR])
      await world.scheduler.wait(machine.strikes('quick restart') ? 0 : pause)
    }
    if (machine.strikes('corruption')) await corrupt(world, machine)
    if (world.violations.length > 0) return
    const isLong = count === 0 && machine.strikes('long absence')
    await world.scheduler.wait(isLong ? 7 * 24 * HOUR : random.int(60_000, random.pick([HOUR, 30 * HOUR])))
  }
}

/** How the books stand after the last run, null where it did not end well; `isTail`: one before left little to do. */
async function lastRun(
  world: World,
  machine: Machine,
  ledger: Ledger,
  isTail: boolean,
): Promise<LastRun | null> {
  const beganAt = world.scheduler.now
  const requestsBefore = world.venue.requests
  let last: LastRun | null = null
  const isLast = isTail === world.config.again
  const inspect: Inspect = async ({ landing }) => {
    if (!isLast) return
    last = { beganAt, endedAt: world.scheduler.now, landed: await landing.contentHashes() }
  }
  const end: NightEnd = await night(world, machine, ledger, { inspect })
  await checkJournal(world, machine, ledger)
  if (end.kind !== 'done' || end.result.incomplete || end.result.refusals.length > 0)
    world.violation(`a run without faults did not complete: ${JSON.stringify(end)}`)
  const requests = world.venue.requests - requestsBefore
  const most = requestsAtMost(world, isTail)
  if (requests > most)
    world.violation(`a run without faults sent ${requests} requests, where ${most} are enough`)
  if (end.kind === 'done' && end.lastedMs > most * 2_000 + 300_000)
    world.violation(`a run without faults took ${end.lastedMs} ms for ${requests} requests`)
  return last
}

/**
 * Every window twice, every page, and a few more: what a run may need when all goes well. Where the venue does not keep to
 * the document, or an instant may hold a page and more, a page may take several looks; and where its cursor does not go on in
 * its list, windows are halved down to each instant that holds a page.
 */
function requestsAtMost(world: World, isTail: boolean): number {
  const { now } = world.scheduler
  const hasBursts = world.config.faults.bursts !== undefined
  let most = 8
  for (const feed of world.feeds) {
    const since = START + now - retentionOfFeed(feed)
    const windows = Math.ceil(retentionOfFeed(feed) / feed.window.spanMaxMs) + 1
    const visible = world.records.filter(
      (one) => one.feed === feed.name && one.ts >= since && versionAt(one, now) !== null,
    )
    const each = isTail ? 4 : 2 * windows + 4
    const isDocumented = world.config.way === 'newest first' || isPagedAsDocumented(feed)
    const looks = isDocumented ? 1 : 3
    const pages = Math.ceil(visible.length / world.config.pageSize)
    // With a cursor of the venue's own, a window that ends with a full page is halved until none of its parts does.
    const asides = isDocumented && !isPagedAsDocumented(feed) && !hasBursts ? 0 : 4 * pages
    most += looks * (world.accounts.length * feed.partitions.length * each + 2 * pages) + asides
    if (isDocumented && !isPagedAsDocumented(feed)) continue
    const instants = countBy(visible, ({ account, partition, ts }) => `${account} ${partition} ${ts}`)
    const crowded = [...instants.values()].filter((count) => count >= world.config.pageSize)
    // A cursor of the venue's own leads through each half from its beginning, where a full page names no other.
    const pagesOf = (rows: number): number =>
      isPagedAsDocumented(feed) ? Math.ceil(rows / world.config.pageSize) : 1
    const halves = 2 * Math.ceil(Math.log2(feed.window.spanMaxMs))
    most += crowded.reduce((sum, rows) => sum + pagesOf(rows) * halves, 0)
  }
  return most
}

function countBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1)
  return counts
}
