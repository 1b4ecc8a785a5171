// A world: one venue, one network, one or two machines with books, and a clock. Its story is the list of everything
// that happened, in order; two runs of one configuration tell the same story to the byte.
import { mkdirSync } from 'node:fs'
import type { Endpoint } from '../../../connectors/endpoint.ts'
import type { SimulationConfig } from './config.ts'
import { type Feed, HOUR, simulatedFeeds } from './feeds.ts'
import { type Conditions, Ids, inventHistory, type VenueRecord } from './history.ts'
import { Machine } from './machine.ts'
import { Network } from './network.ts'
import { Random } from './random.ts'
import { Scheduler } from './scheduler.ts'
import { ModelVenue, type VenueAccount } from './venue.ts'

/** 2026-01-05T03:00:00Z, the world's zero. */
export const START = Date.UTC(2026, 0, 5, 3)

export const ADDRESS_RATE = { scope: 'ip', count: 6, perMs: 1_000 } as const

/** How long a history goes on; no run lasts longer. */
const HORIZON_MS = 15 * 24 * HOUR

export class World {
  readonly config: SimulationConfig
  readonly scheduler = new Scheduler()
  readonly story: string[] = []
  readonly violations: string[] = []
  readonly accounts: readonly VenueAccount[]
  readonly settings: Endpoint
  readonly feeds: readonly Feed[]
  readonly records: VenueRecord[] = []
  readonly venue: ModelVenue
  readonly network: Network
  readonly machines: readonly Machine[]
  #isCalm = false

  constructor(config: SimulationConfig, folder: string) {
    this.config = config
    mkdirSync(folder, { recursive: true })
    const { settings, feeds } = simulatedFeeds(config)
    this.settings = settings
    this.feeds = feeds
    this.accounts = Array.from({ length: config.accounts }, (_, place) => accountOf(config.seed, place))
    const conditions: Conditions = { has: (name) => (config.faults[name] ?? 0) > 0 }
    const ids = new Ids()
    this.#invent(conditions, ids)
    const streams = new Map<string, Random>()
    const strikes = (fault: keyof SimulationConfig['faults']): boolean => {
      const share = config.faults[fault] ?? 0
      if (share === 0) return false
      const stream = streams.get(fault) ?? new Random(`${fault} ${config.seed}`)
      streams.set(fault, stream)
      return stream.chance(share) && !this.#isCalm
    }
    this.venue = new ModelVenue({
      config,
      start: START,
      accounts: this.accounts,
      settings,
      feeds,
      addressRate: ADDRESS_RATE,
      records: this.records,
      conditions,
      ids,
      random: new Random(`venue ${config.seed}`),
      now: () => this.scheduler.now,
      strikes,
      disorders: () => strikes('page out of order'),
      invents: () => (config.faults['rival books'] ?? 0) === 0 && strikes('edge records'),
      badInstant: (list) => (this.#isCalm ? null : this.badInstant(list)),
      isCalm: () => this.#isCalm,
      violation: (what) => this.violation(what),
    })
    const tell = (line: string): void => this.tell(line)
    const { scheduler, accounts, venue } = this
    const violation = (what: string): void => this.violation(what)
    this.network = new Network({ scheduler, venue, accounts, config, start: START, tell, violation })
    const names = (config.faults['rival books'] ?? 0) > 0 ? ['books', 'rival'] : ['books']
    this.machines = names.map((name) => new Machine({ name, config, scheduler, start: START, folder, tell }))
  }

  #invent(conditions: Conditions, ids: Ids): void {
    const { config } = this
    const span = { start: START, untilMs: HORIZON_MS }
    for (const account of this.accounts)
      for (const feed of this.feeds)
        for (const { label: partition } of feed.partitions) {
          const random = new Random(`history ${account.name} ${feed.name} ${partition} ${config.seed}`)
          const of = { account: account.name, feed, partition }
          // Most of it lies in the past of the first night; a little happens on each later day.
          this.records.push(...inventHistory(of, config.records, span, conditions, random, ids))
        }
  }

  /** The instant of a list, in the past of the first night, that the venue cannot tell as long as there are faults. */
  badInstant(list: string): number | null {
    if ((this.config.faults['bad instants'] ?? 0) === 0) return null
    return START - new Random(`bad instant ${list} ${this.config.seed}`).int(0, 60 * HOUR)
  }

  tell(line: string): void {
    this.story.push(`${String(Math.round(this.scheduler.now)).padStart(9)} ${line}`)
  }

  violation(what: string): void {
    this.violations.push(what)
    this.tell(`VIOLATION ${what}`)
  }

  /** From here on nothing goes wrong any more. */
  calm(): void {
    this.#isCalm = true
    this.network.isCalm = true
    for (const machine of this.machines) machine.isCalm = true
    this.tell('the faults end')
  }
}

/** Names and numbers of its own for each world: what came of many of them is looked at together. */
function accountOf(seed: number, place: number): VenueAccount {
  const name = `${['main', 'desk'][place] ?? `account-${place}`}-${seed}`
  const random = new Random(`account ${place} ${seed}`)
  const word = (of: string): string => `${of}-${name}-${random.int(100_000, 999_999)}`
  const credentials = (of: string) => ({
    key: word(`${of}-key`),
    secret: word(`${of}-secret`),
    passphrase: word(`${of}-passphrase`),
  })
  const kind = random.chance(place === 0 ? 0.85 : 0.5) ? 'unified' : 'classic'
  return { name, uid: `${700_100 + place}${seed}`, kind, api: credentials('api'), tax: credentials('tax') }
}
