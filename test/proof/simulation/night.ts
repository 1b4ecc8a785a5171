// One process on one machine, from its start to its end or its death: the production code opens the books, plans,
// fetches, journals, lands, and for some seeds builds and publishes. What it acknowledged on the way is noted.
import { setMaxListeners } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openVenue } from '../../../connectors/client.ts'
import { defaultProfile } from '../../../connectors/profile.ts'
import type { RequestEvent } from '../../../connectors/venue.ts'
import { runningFrom } from '../../../models/clock.ts'
import { CorruptionError, TieoutError, UsageError } from '../../../models/error.ts'
import { type Books, landingFeeds, landingRecords, openBooks } from '../../../pipeline/books/books.ts'
import { emptyConfig } from '../../../pipeline/config/config.ts'
import { DiskError } from '../../../pipeline/journal/disk.ts'
import type { Journal } from '../../../pipeline/journal/frame.ts'
import { LandingError } from '../../../pipeline/landing/errors.ts'
import type { Landing, LandingOptions } from '../../../pipeline/landing/landing.ts'
import { type BuildOptions, buildLedger } from '../../../pipeline/ledger/build.ts'
import { LEDGER_FILE } from '../../../pipeline/ledger/publish.ts'
import { isSame as isSameRows } from '../../../pipeline/ledger/rows.ts'
import { lotsStep } from '../../../pipeline/lots/step.ts'
import { type SyncResult, sync } from '../../../pipeline/sync/sync.ts'
import { DISK_FAULTS } from './config.ts'
import type { Machine, SimulatedProcess } from './machine.ts'
import { asProcess, LANDING_MEMORY, leave } from './native.ts'
import { sums } from './together.ts'
import { ADDRESS_RATE, START, type World } from './world.ts'

/** No run may ask more often than this; a run that does goes round. */
const REQUESTS_MAX = 3_000

/** No run may last longer than this, whatever the network does. */
const RUN_MS_MAX = 12 * 3_600_000

/** A process takes so long at least to start anew; what the last one sent has arrived by then. */
const RESTART_MS = 100

/** What is known from outside about the books on one machine. */
export class Ledger {
  /** The last frame that was acknowledged, and its chain hash. */
  acknowledged: { seq: number; chain: string } = { seq: 0, chain: '' }
  /** When each acknowledged frame was handed over, in milliseconds of the world, by chain hash. */
  readonly handedOverAt = new Map<string, number>()
  readonly startedAt = new Map<string, number>()
  readonly logs: string[] = []
  runs = 0
  /** The landing database was given up and has to be made again. */
  mustRebuild = false
  /** The published file, to the byte; null before the first publication. */
  published: Buffer | null = null
}

export type NightEnd =
  | {
      readonly kind: 'done'
      readonly result: SyncResult
      readonly lastedMs: number
      readonly beganAt: number
    }
  | { readonly kind: 'died' }
  | { readonly kind: 'refused'; readonly error: unknown }

/** Looks at the books before the run that ended closes them. */
export type Inspect = (books: Books, result: SyncResult) => Promise<void>

export interface NightOptions {
  readonly inspect?: Inspect
}

/** Nobody stops the run; as many wait on it as in a command. */
function unstopped(): AbortSignal {
  const { signal } = new AbortController()
  setMaxListeners(0, signal)
  return signal
}

/** Without a build only the tables of the feeds in use are made: the others cost time and stay empty. */
export function landingSettings(world: World): LandingOptions {
  if (world.config.build)
    return { threads: 1, memoryLimit: '512MB', feeds: landingFeeds, records: landingRecords }
  const names = new Set([world.settings, ...world.feeds].map(({ name }) => name))
  const feeds = new Map([...landingFeeds].filter(([name]) => names.has(name)))
  const tables = new Set([...feeds.values()].map(({ record }) => record.table))
  const records = landingRecords.filter(({ table }) => tables.has(table))
  return { threads: 1, memoryLimit: LANDING_MEMORY, feeds, records }
}

export async function night(
  world: World,
  machine: Machine,
  ledger: Ledger,
  options: NightOptions,
): Promise<NightEnd> {
  const process = machine.boot()
  if (machine.name === 'books') world.network.begin(process)
  ledger.runs += 1
  const run = `${machine.name}-${world.config.seed}-${ledger.runs}`
  ledger.startedAt.set(run, world.scheduler.now)
  world.tell(
    `${machine.name} starts ${run}${machine.skew === 0 ? '' : `, its clock off by ${machine.skew} ms`}`,
  )
  const beganAt = world.scheduler.now
  const requestsBefore = world.venue.requests
  const work = perform(world, machine, process, ledger, run, options).then(
    (result): NightEnd => ({ kind: 'done', result, lastedMs: world.scheduler.now - beganAt, beganAt }),
    (error: unknown): NightEnd => ({ kind: 'refused', error }),
  )
  const end = await Promise.race([work, process.died.then((): NightEnd => ({ kind: 'died' }))])
  leave(process)
  if (end.kind !== 'died') process.end()
  // What a dead process still had under way comes to nothing before its handles go.
  await world.scheduler.wait(machine.strikes('quick restart') ? 1 : RESTART_MS)
  process.cleanUp()
  if (world.config.build) await world.scheduler.event(() => checkPublished(world, machine, ledger))
  if (end.kind === 'refused') judgeError(world, machine, ledger, end.error)
  if (end.kind === 'done')
    world.tell(`${run} ends: ${JSON.stringify({ ...end.result, refusals: end.result.refusals.length })}`)
  const asked = world.venue.requests - requestsBefore
  if (asked > REQUESTS_MAX) world.violation(`${run} sent ${asked} requests`)
  if (world.scheduler.now - beganAt > RUN_MS_MAX)
    world.violation(`${run} took ${world.scheduler.now - beganAt} ms`)
  return end
}

async function perform(
  world: World,
  machine: Machine,
  process: SimulatedProcess,
  ledger: Ledger,
  run: string,
  { inspect }: NightOptions,
): Promise<SyncResult> {
  const { config, scheduler } = world
  const random = machine.stream('jitter')
  const salts = machine.stream('salts')
  const delays = machine.stream('landing')
  const within = <T>(delayMs: number, task: () => Promise<T>): Promise<T> =>
    process.inside(delayMs, () => asProcess(process, task))
  const open = (by: SimulatedProcess, rebuild: boolean): Promise<Books> =>
    openBooks(machine.dir, {
      clock: by.clock,
      command: 'nightly',
      disk: machine.disk.for(by),
      journal: { random: (bytes) => salts.bytes(bytes), segmentBytes: 40_000 },
      landing: landingSettings(world),
      onNote: (text) => world.tell(`${machine.name} note: ${text}`),
      rebuild,
    })
  const books = await within(20, () => open(process, ledger.mustRebuild))
  let isOpen = true
  ledger.mustRebuild = false
  try {
    const isQuick = machine.strikes('quick restart')
    const landingMs = machine.isCalm ? 60_000 : isQuick ? 5 : random.pick([300, 20_000, 60_000, 240_000])
    const landing = watchedLanding(
      books.landing,
      (task) => within(delays.int(1, landingMs), task),
      (task) => within(delays.int(1, isQuick ? 5 : 1_000), task),
    )
    const journal = watchedJournal(books.journal, ledger, scheduler)
    if (machine.strikes('second run'))
      disturb(
        world,
        machine,
        () => isOpen && process.isAlive,
        (by) => open(by, false),
      )
    const venue = openVenue({
      profile: { ...defaultProfile, ipRate: ADDRESS_RATE },
      clock: process.clock,
      random: () => random.next(),
      dispatcher: world.network.dispatcher(process),
      log: (event: RequestEvent) => ledger.logs.push(JSON.stringify(event)),
    })
    let result: SyncResult
    try {
      result = await sync({
        journal,
        landing,
        venue,
        venueName: 'simulated',
        config: emptyConfig,
        accounts: world.accounts.map(({ name, uid, api, tax }) => ({ name, uid, api, tax })),
        feeds: [world.settings, ...world.feeds],
        settings: world.settings,
        clock: process.clock,
        now: runningFrom(process.clock.wall(), process.clock),
        signal: unstopped(),
        command: 'nightly',
        progress: (event) => ledger.logs.push(JSON.stringify(event)),
        run,
      })
    } finally {
      await venue.close()
    }
    if (config.build) await within(1, () => build(world, machine, process, ledger, books))
    // Questions of the simulator are no work of the process, which stands still meanwhile.
    if (inspect !== undefined) await process.inside(1, () => inspect(books, result))
    return result
  } finally {
    isOpen = false
    if (process.isAlive) await within(1, () => books.close())
  }
}

const bytesOf = (path: string): Buffer | null => (existsSync(path) ? readFileSync(path) : null)

const isSame = (one: Buffer | null, other: Buffer | null): boolean =>
  one === null || other === null ? one === other : one.equals(other)

/** Whatever became of the process, there stands the ledger as it was, or a new one that is whole. */
async function checkPublished(world: World, machine: Machine, ledger: Ledger): Promise<void> {
  const path = join(machine.dir, LEDGER_FILE)
  const bytes = bytesOf(path)
  if (isSame(bytes, ledger.published)) return
  ledger.published = bytes
  if (bytes === null) return world.violation('the published ledger is gone')
  const problems = await sums(path).catch((error: unknown) => [String(error)])
  for (const problem of problems) world.violation(`the published ledger is not whole: ${problem}`)
}

async function build(
  world: World,
  machine: Machine,
  process: SimulatedProcess,
  ledger: Ledger,
  books: Books,
): Promise<void> {
  const path = join(machine.dir, LEDGER_FILE)
  process.reader = () => {
    if (!isSame(bytesOf(path), ledger.published))
      world.violation('the published ledger changed under its readers')
  }
  const options: BuildOptions = {
    dir: machine.dir,
    landing: books.landing,
    now: new Date(START + world.scheduler.now),
    clock: process.clock,
    publishAnyway: true,
    config: {
      accounts: world.accounts.map(({ name, uid }) => ({ name, uid })),
      publishPersonalData: true,
      chainGrouping: {},
      reportingCurrency: 'EUR',
    },
    steps: [lotsStep({ method: 'fifo', scope: 'account' })],
    keepSteps: true,
  }
  const { published, found } = await buildLedger(options)
  process.reader = null
  const full = await buildLedger({ ...options, full: true, publish: false })
  for (const [table, rows] of full.found)
    if (!isSameRows(rows, found.get(table)))
      world.violation(
        `${table} is not as a full build makes it: ${found.get(table)?.count} rows instead of ${rows.count}`,
      )
  world.tell(`${machine.name} built its ledger${published ? ' and published it' : ''}`)
}

/** A second process on the same books, while the first one is at work: it must be told so, and change nothing. */
function disturb(
  world: World,
  machine: Machine,
  isOpen: () => boolean,
  open: (process: SimulatedProcess) => Promise<Books>,
): void {
  world.scheduler.after(machine.stream('second run').int(0, 20_000), async () => {
    if (!isOpen()) return
    const second = machine.bystander()
    try {
      const books = await asProcess(second, () => open(second))
      world.violation('a second run opened the books while the first one was at work')
      await books.close()
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error)
      world.tell(`${machine.name} second run: ${text}`)
      if (!(error instanceof UsageError) && !(error instanceof DiskError))
        world.violation(`a second run ended with "${text}" instead of being told of the first`)
    }
  })
}

/** Which errors are explained by what was done to the machine; any other is a finding. */
function judgeError(world: World, machine: Machine, ledger: Ledger, error: unknown): void {
  const text = error instanceof TieoutError ? error.describe() : String((error as Error)?.stack ?? error)
  world.tell(
    `${machine.name} ends with an error: ${text.split('\n').join(' | ').replaceAll(machine.dir, '…')}`,
  )
  const diskFails = DISK_FAULTS.some((fault) => (world.config.faults[fault] ?? 0) > 0) && !machine.isCalm
  if (error instanceof DiskError && diskFails) return
  if (error instanceof LandingError && machine.logWasCut) {
    ledger.mustRebuild = true
    return
  }
  const what =
    error instanceof CorruptionError ? 'took its own files for damaged' : 'ended with an unexplained error'
  world.violation(`${machine.name} ${what}: ${text}`)
}

type Within = <T>(task: () => Promise<T>) => Promise<T>

/** Each call of the landing database is one event, and takes its time; transactions may lag far behind. */
function watchedLanding(landing: Landing, lagging: Within, within: Within): Landing {
  return {
    get landedSeq() {
      return landing.landedSeq
    },
    get chain() {
      return landing.chain
    },
    instance: landing.instance,
    engine: landing.engine,
    connection: landing.connection,
    land: (frames) => lagging(() => landing.land(frames)),
    covered: (...of) => within(() => landing.covered(...of)),
    wanted: (...of) => within(() => landing.wanted(...of)),
    unfinished: (...of) => within(() => landing.unfinished(...of)),
    oldestUnsettled: (...of) => within(() => landing.oldestUnsettled(...of)),
    oldestThatLeft: (...of) => within(() => landing.oldestThatLeft(...of)),
    distinctValues: (...of) => within(() => landing.distinctValues(...of)),
    writtenValues: (...of) => within(() => landing.writtenValues(...of)),
    wordOnFeed: (...of) => within(() => landing.wordOnFeed(...of)),
    uids: () => within(() => landing.uids()),
    uidsOfHistory: (...of) => within(() => landing.uidsOfHistory(...of)),
    account: (name) => within(() => landing.account(name)),
    contentHashes: () => within(() => landing.contentHashes()),
    damage: () => within(() => landing.damage()),
    close: () => landing.close(),
  }
}

/** Notes what the journal has acknowledged: that must never be lost. */
function watchedJournal(journal: Journal, ledger: Ledger, scheduler: World['scheduler']): Journal {
  return {
    get lastSeq() {
      return journal.lastSeq
    },
    get lastChain() {
      return journal.lastChain
    },
    append: async (meta, body) => {
      const at = scheduler.now
      const frame = await journal.append(meta, body)
      ledger.handedOverAt.set(frame.chain, at)
      if (frame.seq > ledger.acknowledged.seq) ledger.acknowledged = { seq: frame.seq, chain: frame.chain }
      return frame
    },
    read: (from) => journal.read(from),
    close: () => journal.close(),
  }
}
