// What one seed stands for: how large the world is, which faults it knows and how often each strikes, and where its
// processes die. Everything random in a run is drawn from streams named by the seed, so a configuration is a run.
import { Random } from './random.ts'
import { WAYS, type Way } from './ways.ts'

/** What can go wrong with one request or its answer; each is drawn for each request. */
export const WIRE_FAULTS = [
  'refused connection',
  'lost request',
  'lost response',
  'late response',
  'reset after the answer',
  'body cut off by a reset',
  'truncated body',
  'garbled body',
  'empty body',
  'web page',
  'wrong envelope',
  'two data members',
  'null data',
  'wrong msg',
  'doubled body',
  'rate refusal',
  'rate refusal with Retry-After',
  'server error',
  'passing code',
  'unknown code',
  'clock refusal',
  'odd requestTime',
  'wrong requestTime',
  'secret echoed',
  'refusal that echoes a secret',
  'byte-order mark',
] as const

/** What the venue does with its pages. */
export const PAGE_FAULTS = [
  'repeated cursor',
  'looping cursor',
  'overlapping page',
  'short page',
  'page out of order',
] as const

/** What is true for a stretch of time. */
export const PERIOD_FAULTS = ['rate storm', 'outage', 'maintenance', 'slow network'] as const

/** What the disk does; each is drawn for each operation. */
export const DISK_FAULTS = ['disk full', 'write error', 'sync error', 'open error'] as const

/** What the history is like, and what else goes on; each is on or off. */
export const CONDITIONS = [
  'late records',
  'changed records',
  'vanishing records',
  'bursts',
  'edge records',
  'unknown fields',
  'unknown types',
  'limit numbers',
  'odd spellings',
  'bad rows',
  'clock skew',
  'clock steps',
  'quick restart',
  'second run',
  'rival books',
  'long absence',
  'corruption',
  'cut database log',
] as const

/** What the venue cannot tell of its history: a window that holds a certain instant is answered by nothing known. */
export const HISTORY_FAULTS = ['bad instants'] as const

export type Fault =
  | (typeof WIRE_FAULTS)[number]
  | (typeof PAGE_FAULTS)[number]
  | (typeof PERIOD_FAULTS)[number]
  | (typeof DISK_FAULTS)[number]
  | (typeof CONDITIONS)[number]
  | (typeof HISTORY_FAULTS)[number]

/** Where a process dies; the first process that reaches it does. */
export interface CrashPoint {
  readonly at: 'instant' | 'request' | 'disk' | 'database'
  /** Milliseconds after the process began, or the number of the request, operation or statement. */
  readonly count: number
  /** The machine loses power: what was not synced may be lost. */
  readonly power: boolean
}

export interface SimulationConfig {
  readonly seed: number
  /** Probability of each fault; conditions are on above 0. */
  readonly faults: Readonly<Partial<Record<Fault, number>>>
  readonly crashes: readonly CrashPoint[]
  readonly accounts: number
  /** Feeds in use, by contract name. */
  readonly feeds: readonly string[]
  /** Records of each partition. */
  readonly records: number
  readonly nights: number
  /** A process that died or left something is started again the same night, at most so often in all. */
  readonly starts: number
  /** A second run after the faults have ended, which finds little to do. */
  readonly again: boolean
  readonly pageSize: number
  /** What the venue remembers, as a share of what the scales of the feeds say. */
  readonly memory: number
  /** Partitions of a feed at most. */
  readonly partitions: number
  /** How feeds that are paged by the id of a row are listed and paged. */
  readonly way: Way
  /** Share of the runs with faults that say they are done whose coverage is looked at; of others it always is. */
  readonly looks: number
  /** Models, checks and publication too. */
  readonly build: boolean
}

export const FEEDS = [
  'tax.records',
  'tax.futuresRecords',
  'tax.p2pRecords',
  'trade.orderHistory',
  'p2p.orders',
] as const

/** Ways to live: three nights at least, or nights that end with the death of their one process among its requests. */
const LIVES = ['several nights', 'given up'] as const

/** What a run may be made to have: faults, feeds that are then its only ones, a way to live and a way of paging. */
export type Focus = Fault | (typeof FEEDS)[number] | (typeof LIVES)[number] | Way

/**
 * One run in so many builds and publishes on the way, with deaths in it; that costs as much as a dozen others. Odd, so that
 * each of two workers has its share.
 */
const BUILD_EVERY = 199

function faultsOf(random: Random): Partial<Record<Fault, number>> {
  const faults: Partial<Record<Fault, number>> = {}
  const draw = (names: readonly Fault[], share: number, most: number): void => {
    for (const name of names) if (random.chance(share)) faults[name] = 0.005 + random.next() * most
  }
  // A tenth of the seeds is calm, so that what fails without any fault is seen as that.
  if (random.chance(0.1)) return faults
  draw(WIRE_FAULTS, random.pick([0.1, 0.25, 0.5]), 0.1)
  draw(PAGE_FAULTS, random.pick([0.1, 0.4]), 0.15)
  draw(PERIOD_FAULTS, 0.15, 1)
  draw(DISK_FAULTS, 0.12, 0.008)
  draw(CONDITIONS, 0.4, 1)
  // A second set of books doubles the time of a run, and hides a breach of the budgets.
  if (random.chance(0.9)) delete faults['rival books']
  return faults
}

function crashesOf(random: Random): CrashPoint[] {
  if (random.chance(0.3)) return []
  return Array.from({ length: random.int(1, 5) }, () => {
    const at = random.pick(['instant', 'request', 'disk', 'disk', 'database'] as const)
    const most = {
      instant: random.pick([500, 20_000, 300_000]),
      request: random.pick([4, 20]),
      disk: random.pick([25, 120, 400]),
      database: 80,
    }
    return { at, count: random.int(1, most[at]), power: random.chance(0.5) }
  })
}

/** One feed to all of them, mostly one or two: that is more runs in the same time. */
function feedsOf(random: Random): string[] {
  const share = random.pick([0, 0, 0, 0, 0, 0, 0, 0, 0.4, 0.7])
  const chosen = FEEDS.filter(() => random.chance(share))
  return chosen.length === 0 ? [random.pick(FEEDS)] : chosen
}

/** The same seed in a world in which these faults are never missing, with these feeds if any are named. */
export function focused(config: SimulationConfig, focus: readonly Focus[]): SimulationConfig {
  const isFeed = (name: Focus): boolean => (FEEDS as readonly string[]).includes(name)
  const isLife = (name: Focus): boolean => (LIVES as readonly string[]).includes(name)
  const way = WAYS.find((name) => focus.includes(name))
  const names = focus.filter((name): name is Fault => !isFeed(name) && !isLife(name) && name !== way)
  const feeds = focus.filter(isFeed)
  const shares: readonly (readonly [readonly Fault[], number])[] = [
    [WIRE_FAULTS, names.length === 1 ? 0.25 : 0.08],
    [PAGE_FAULTS, 0.2],
    [PERIOD_FAULTS, 1],
    [DISK_FAULTS, 0.01],
    [CONDITIONS, 1],
    [HISTORY_FAULTS, 1],
  ]
  const share = (name: Fault): number => shares.find(([kind]) => kind.includes(name))?.[1] ?? 0
  const faults = Object.fromEntries(
    names.map((name) => [name, Math.max(share(name), config.faults[name] ?? 0)]),
  )
  const nights = Math.max(focus.includes('several nights') ? 3 : 1, config.nights)
  const random = new Random(`given up ${config.seed}`)
  const deaths = Array.from(
    { length: nights },
    (): CrashPoint => ({ at: 'request', count: random.int(2, 10), power: false }),
  )
  // Many small pages, so that windows are begun and not finished.
  const givenUp = { starts: 1, crashes: deaths, records: 40, pageSize: 2, memory: 1 }
  return {
    ...config,
    ...(focus.includes('given up') ? givenUp : {}),
    ...(way === undefined ? {} : { way }),
    looks: 1,
    nights,
    feeds: feeds.length === 0 ? config.feeds : feeds,
    faults: { ...config.faults, ...faults },
  }
}

/** The configuration of a seed. */
export function configOf(seed: number): SimulationConfig {
  const random = new Random(`config ${seed}`)
  const build = seed % BUILD_EVERY === 0
  const faults = faultsOf(random)
  // By a stream of its own, so that other faults stay with their seeds; often alone, where it shows what it alone leaves.
  const isCalm = Object.keys(faults).length === 0
  if (new Random(`bad instants ${seed}`).chance(isCalm ? 0.4 : 0.1)) faults['bad instants'] = 1
  // Sums of numbers at the limit overflow, which is a matter of other tests.
  if (build) delete faults['limit numbers']
  return {
    seed,
    faults,
    crashes: crashesOf(random),
    accounts: random.pick([1, 1, 1, 1, 1, 1, 1, 2]),
    feeds: feedsOf(random),
    records: random.pick([4, 10, 10, 24]),
    memory: random.pick([0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1]),
    partitions: random.pick([1, 1, 2]),
    nights: random.pick([1, 1, 1, 1, 1, 1, 1, 1, 2, 3]),
    starts: random.pick([1, 3]),
    again: random.chance(0.1),
    pageSize: random.int(2, 7),
    way: new Random(`way ${seed}`).pick(WAYS),
    looks: 0.2,
    build,
  }
}
