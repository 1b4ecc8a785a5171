// What the published coverage says against what must be so: nothing reachable is missing once the faults have ended,
// and whatever was not had is stated. The published SQL answers, over the landing database.

import { appliesTo } from '../../../connectors/endpoint.ts'
import type { Landing } from '../../../pipeline/landing/landing.ts'
import { generatedModels } from '../../../pipeline/ledger/generated.ts'
import { shippedModels } from '../../../pipeline/ledger/models.ts'
import { createMacros } from '../../../pipeline/ledger/portable.ts'
import { type Feed, HOUR, retentionOfFeed } from './feeds.ts'
import { asking } from './truth.ts'
import { provesInstants } from './ways.ts'
import { START, type World } from './world.ts'

export interface Interval {
  readonly account: string
  readonly feed: string
  readonly partition: string
  readonly start: number | null
  readonly end: number | null
  readonly status: string
}

const MODELS = [
  'staging.feed_retention',
  'staging.feeds',
  'staging.covered_ranges',
  'staging.answer_pages',
  'staging.whole_answers',
  'staging.range_statements',
  'staging.open_ranges',
  'staging.missing_ranges',
  'main.coverage',
] as const

const GENERATED = generatedModels({ publishPersonalData: false })

/** What the edge of the venue's memory may take without a word: it moves on while a run goes on. */
const EDGE_MS = 6 * 60_000

/** What the published coverage says of everything in this landing. */
export async function coverageOf({ instance, connection: asks }: Landing): Promise<Interval[]> {
  const connection = await instance.connect()
  try {
    await connection.run('create schema if not exists memory.staging')
    await createMacros(connection)
    const models = [...shippedModels(), ...GENERATED]
    for (const table of MODELS) {
      const { select } = models.find((model) => model.table === table)!
      await connection.run(`create or replace table ${table} as\n${select}`)
    }
  } finally {
    connection.closeSync()
  }
  const rows = await asking(asks)(
    `select account, feed, partition, epoch_ms(starts_at) as range_start, epoch_ms(ends_at) as range_end, status
     from memory.main.coverage`,
  )
  const millis = (value: unknown): number | null => (value === null ? null : Number(value))
  return rows.map(({ account, feed, partition, range_start, range_end, status }) => {
    const ends = { start: millis(range_start), end: millis(range_end) }
    return { account: account!, feed: feed!, partition: partition!, status: status!, ...ends }
  })
}

/** The first hole in the union of the intervals within the bounds that is longer than `slack`; null for none. */
function hole(
  intervals: readonly Interval[],
  from: number,
  until: number,
  slack: number,
): [number, number] | null {
  const ranges = intervals
    .flatMap(({ start, end }) => (start === null || end === null ? [] : [[start, end] as const]))
    .sort(([a], [b]) => a - b)
  let reached = from
  for (const [start, end] of ranges) {
    if (start > reached + slack) break
    reached = Math.max(reached, end)
  }
  if (reached + slack >= until) return null
  const next = ranges.find(([start]) => start > reached + slack)?.[0] ?? until
  return [reached, Math.min(next, until)]
}

export interface CoverageTimes {
  /**
   * The beginning of a run without faults that has ended, by which everything reachable must be complete; null after a
   * run that left something, which then must be stated.
   */
  readonly wholeSince: number | null
  readonly plannedAt: number
  readonly now: number
  /** Nothing has gone wrong but at the instants that the venue cannot tell: all else must be complete. */
  readonly isBadInInstantsAlone?: boolean
}

/** `intervals` may be those of other runs too. */
export function checkCoverage(world: World, intervals: readonly Interval[], times: CoverageTimes): void {
  const { wholeSince, plannedAt } = times
  for (const account of world.accounts)
    for (const feed of world.feeds) {
      const own = intervals.filter((one) => one.account === account.name && one.feed === feed.name)
      const whole = own.filter((one) => one.start === null)
      if (!appliesTo(feed, account.kind)) {
        if (wholeSince !== null && !whole.some((one) => one.status === 'not_applicable'))
          world.violation(`${feed.name} does not apply to ${account.name}, and coverage does not say so`)
        continue
      }
      if (wholeSince === null && whole.length > 0) continue
      for (const { label } of feed.partitions) {
        const part = own.filter((one) => one.partition === label)
        if (wholeSince !== null) checkWhole(world, account.name, feed, label, part, wholeSince, times.now)
        if (times.isBadInInstantsAlone === true)
          checkAround(world, account.name, feed, label, part, plannedAt, times.now)
        checkStated(world, account.name, feed, label, part, plannedAt)
      }
    }
}

function checkWhole(
  world: World,
  account: string,
  feed: Feed,
  label: string,
  part: readonly Interval[],
  since: number,
  now: number,
): void {
  const reachable = START + now - retentionOfFeed(feed) + EDGE_MS
  // An instant may be beyond what a venue lets anybody read; then it must be one of few, and said to be unproven.
  const isProvable = provesInstants(world.config.way)
  const had = part.filter(
    ({ status }) => status === 'complete' || status === 'empty' || (status === 'unproven' && !isProvable),
  )
  const gap = hole(had, reachable, START + since, 1)
  if (gap !== null)
    world.violation(
      `${feed.name} ${label} of ${account} is not complete from ${gap[0]} to ${gap[1]}, though all went well`,
    )
  const missing = part.find(({ status }) => status === 'missing')
  if (missing !== undefined)
    world.violation(
      `${feed.name} ${label} of ${account} is called missing from ${missing.start} to ${missing.end}, though all went well`,
    )
}

/** No window is looked into more closely than an hour; around it, all that can be had has been. */
function checkAround(
  world: World,
  account: string,
  feed: Feed,
  label: string,
  part: readonly Interval[],
  plannedAt: number,
  now: number,
): void {
  const instant = world.badInstant(`${account}/${feed.name}/${label}`)
  if (instant === null) return
  const left = { account, feed: feed.name, partition: label, start: instant - HOUR, end: instant + HOUR }
  const had = part.filter(({ status }) => ['complete', 'empty', 'unproven'].includes(status))
  const reachable = START + now - retentionOfFeed(feed) + EDGE_MS
  const gap = hole([...had, { ...left, status: 'pending' }], reachable, START + plannedAt, 1)
  if (gap !== null)
    world.violation(
      `${feed.name} ${label} of ${account} is not complete from ${gap[0]} to ${gap[1]}, where only ${instant} cannot be told`,
    )
}

/** From the first range that was ever asked for on, each instant has a word on it; "missing" says that there is none. */
function checkStated(
  world: World,
  account: string,
  feed: Feed,
  label: string,
  part: readonly Interval[],
  plannedAt: number,
): void {
  const stated = part.filter(({ status }) => status !== 'missing')
  const starts = stated.flatMap(({ start }) => (start === null ? [] : [start]))
  const first = Math.min(START + plannedAt - retentionOfFeed(feed) + EDGE_MS, ...starts)
  const gap = hole(stated, first, START + plannedAt, EDGE_MS)
  if (gap !== null)
    world.violation(
      `${feed.name} ${label} of ${account} says nothing of the time from ${gap[0]} to ${gap[1]}`,
    )
}
