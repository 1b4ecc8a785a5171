// What happens in the accounts of the model venue, invented before a run begins: each record with when it appears,
// how it changes and when it vanishes. The truth of a run is what stands here, and nothing computes it.
import { type Feed, HOUR, newRow, retentionOfFeed, type Shape, shapeOf } from './feeds.ts'
import type { Random } from './random.ts'
import { Bare, type Cell, contentOf, written } from './wire.ts'

export interface Version {
  /** Milliseconds of the world from which the venue tells this version. */
  readonly from: number
  /** The row as it is sent. */
  readonly text: string
  /** The row as it lands; null for a row that must be quarantined. */
  readonly content: string | null
  readonly isUnsettled: boolean
}

export interface VenueRecord {
  readonly account: string
  readonly feed: string
  readonly partition: string
  readonly id: string
  /** Unix milliseconds. */
  readonly ts: number
  /** Milliseconds of the world from which the venue tells it, and until when. */
  readonly appearsAt: number
  readonly vanishesAt: number | null
  readonly versions: readonly Version[]
  /** Made in the moment in which its window was asked for the first time: it can be had, however late it is. */
  readonly isOnEdge: boolean
}

export interface Conditions {
  has(name: 'late records' | 'changed records' | 'vanishing records' | 'bursts' | 'unknown fields'): boolean
  has(name: 'unknown types' | 'limit numbers' | 'odd spellings' | 'bad rows'): boolean
}

const FIRST_ID = 1_375_573_238_088_888_000n

/** Ids of the whole venue: larger than what a float holds. */
export class Ids {
  #next = 0n
  next(): string {
    this.#next += 1n
    return String(FIRST_ID + this.#next * 7n)
  }
}

/** Given up of the look-back: a request takes its time, and clocks are known to within seconds. */
export const LOOKBACK_SLACK_MS = 10 * 60_000

const LIMITS = [
  '99999999999999999999.999999999999999999',
  '-99999999999999999999.999999999999999999',
  '0.000000000000000001',
  '1e-18',
  '-0',
  '.5',
  '5.',
  '1E+19',
  '0.10000000000000000000000',
  '9007199254740993',
  '0.1234567890123456',
]

const BAD_AMOUNTS = [
  '1.2345678901234567891',
  '100000000000000000000',
  'abc',
  '1e20',
  '0x10',
  '1,5',
  '--1',
  'NaN',
]

/** The records of one partition, over the time that a run may reach. `start` is the Unix time of the world's zero. */
export function inventHistory(
  of: { readonly account: string; readonly feed: Feed; readonly partition: string },
  count: number,
  span: { readonly start: number; readonly untilMs: number },
  conditions: Conditions,
  random: Random,
  ids: Ids,
): VenueRecord[] {
  const { feed } = of
  const oldest = -retentionOfFeed(feed) - 12 * HOUR
  const times: number[] = []
  while (times.length < count) {
    // Late ones matter most around the runs: what is there when one reads, and what comes before the next one.
    const isRecent = conditions.has('late records') && random.chance(0.3)
    const at = isRecent
      ? random.int(-feed.window.lookbackMs, span.untilMs)
      : random.int(oldest, random.chance(0.5) ? 0 : span.untilMs)
    const isBurst = conditions.has('bursts') && random.chance(0.15)
    for (let copies = isBurst ? random.int(2, 16) : 1; copies > 0; copies -= 1) times.push(at)
  }
  times.sort((a, b) => a - b)
  let last: VenueRecord | null = null
  return times.map((at) => {
    const isLate = conditions.has('late records') && random.chance(0.15)
    const delay = isLate ? random.int(1, feed.window.lookbackMs - 2 * LOOKBACK_SLACK_MS) : 0
    const record = invent(of, span.start + at, { appearsAt: at + delay, delay }, conditions, random, ids)
    // Some records of one instant differ in nothing but their id.
    const isTwin = conditions.has('bursts') && last?.ts === record.ts && random.chance(0.4)
    last = isTwin && last !== null ? twinOf(last, record.id) : record
    return last
  })
}

function twinOf(record: VenueRecord, id: string): VenueRecord {
  const renamed = (text: string): string => text.replaceAll(record.id, id)
  const versions = record.versions.map((one) => ({
    ...one,
    text: renamed(one.text),
    content: one.content === null ? null : renamed(one.content),
  }))
  return { ...record, id, versions }
}

/** One record that the venue tells from `appearsAt` on, so long after its time. */
export function invent(
  of: { readonly account: string; readonly feed: Feed; readonly partition: string },
  ts: number,
  when: { readonly appearsAt: number; readonly delay: number },
  conditions: Conditions,
  random: Random,
  ids: Ids,
): VenueRecord {
  const { feed } = of
  const { appearsAt } = when
  const isOnEdge = when.delay > feed.window.lookbackMs
  const shape = shapeOf(feed)
  const id = ids.next()
  const row = dressed(newRow(feed.name, id, ts, random), shape, conditions, random)
  const vanishes = !isOnEdge && conditions.has('vanishing records') && random.chance(0.1)
  const vanishesAt = vanishes ? appearsAt + random.int(HOUR, 60 * HOUR) : null
  const place = { account: of.account, feed: feed.name, partition: of.partition, id, ts }
  const versions = versionsOf(feed, shape, row, ts, when, conditions, random)
  return { ...place, appearsAt, vanishesAt, versions, isOnEdge }
}

function versionsOf(
  feed: Feed,
  shape: Shape,
  row: Record<string, Cell>,
  ts: number,
  when: { readonly appearsAt: number; readonly delay: number },
  conditions: Conditions,
  random: Random,
): Version[] {
  const { appearsAt, delay } = when
  const make = (cells: Record<string, Cell>, from: number): Version =>
    version(feed, shape, cells, from, conditions, random)
  const changes = conditions.has('changed records') && random.chance(0.25)
  if (shape.state !== null && changes) {
    // An order lives: a few states that may still change, however long they take, and then one that stays.
    const steps = random.int(1, 2)
    const versions: Version[] = []
    let from = appearsAt
    for (let step = 0; step < steps; step += 1) {
      const cells = { ...row, [shape.state]: shape.unsettled[step]!, [shape.amount]: String(step) }
      versions.push(make(updated(cells, shape, ts + step), from))
      from += random.int(1, 50 * HOUR)
    }
    return [...versions, make(updated({ ...row, [shape.amount]: '7.5' }, shape, ts + steps), from)]
  }
  const versions = [make(row, appearsAt)]
  // An event changes within the look-back, counted from its own time.
  const room = feed.window.lookbackMs - LOOKBACK_SLACK_MS - delay
  if (changes && shape.state === null && room > 0)
    versions.push(make({ ...row, [shape.amount]: '123.456' }, appearsAt + random.int(1, room)))
  return versions
}

const updated = (row: Record<string, Cell>, shape: Shape, at: number): Record<string, Cell> =>
  shape.updated === null ? row : { ...row, [shape.updated]: String(at) }

/** What is odd about a row, and yet no mistake. */
function dressed(
  row: Record<string, Cell>,
  shape: Shape,
  conditions: Conditions,
  random: Random,
): Record<string, Cell> {
  const odd: Record<string, Cell> = { ...row }
  if (conditions.has('unknown fields') && random.chance(0.2))
    odd.newField = random.pick(['x', '', 'ünï"code'])
  if (conditions.has('unknown fields') && random.chance(0.1)) odd.aNumber = new Bare('12345678901234567890.5')
  if (conditions.has('unknown types') && random.chance(0.2) && shape.type !== null)
    odd[shape.type] = random.pick(['', 'never_heard_of', 'ORDER-DEALT-in', 'risk_captital_user_transfer'])
  if (conditions.has('limit numbers') && random.chance(0.3)) odd[shape.amount] = random.pick(LIMITS)
  if (conditions.has('odd spellings') && random.chance(0.3)) {
    const amount = odd[shape.amount]
    if (typeof amount === 'string' && /^-?(0|[1-9]\d*)(\.\d+)?$/.test(amount))
      odd[shape.amount] = new Bare(amount)
  }
  if (conditions.has('odd spellings') && random.chance(0.2)) odd[shape.id] = new Bare(String(odd[shape.id]))
  return odd
}

/** Other spellings under which the venue may send a field. */
const ALIASES: Readonly<Record<string, string>> = { cTime: 'ctime', uTime: 'utime' }

function version(
  feed: Feed,
  shape: Shape,
  row: Record<string, Cell>,
  from: number,
  conditions: Conditions,
  random: Random,
): Version {
  const bad = conditions.has('bad rows') && random.chance(0.12)
  const isUnsettled = shape.state !== null && shape.unsettled.includes(String(row[shape.state]))
  const respelled = conditions.has('odd spellings') && random.chance(0.3)
  const members = Object.entries(row).map(
    ([name, cell]) => [respelled ? (ALIASES[name] ?? name) : name, cell] as const,
  )
  // A row that stays unreadable can tell nothing of its state.
  if (bad && !isUnsettled) {
    const conflicting = random.chance(0.3)
    const spoiled = conflicting
      ? [...members, [shape.amount, '987654321'] as const]
      : members.filter(([name]) => name !== shape.amount).concat([[shape.amount, random.pick(BAD_AMOUNTS)]])
    return { from, text: written(spoiled), content: null, isUnsettled }
  }
  // The same member twice with the same value says nothing new.
  const doubled =
    conditions.has('odd spellings') && random.chance(0.05) ? [...members, members.at(-1)!] : members
  return { from, text: written(doubled), content: contentOf(feed.item!, row), isUnsettled }
}

/** The version that the venue tells at an instant of the world; null when it tells none. */
export function versionAt(record: VenueRecord, at: number): Version | null {
  if (at < record.appearsAt || (record.vanishesAt !== null && at >= record.vanishesAt)) return null
  return record.versions.findLast((one) => one.from <= at) ?? null
}
