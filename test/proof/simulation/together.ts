// What many finished runs came to, looked at together: a question or a build costs the same for one run as for a hundred.
// Their journals are landed anew, into one landing, which must hold what each of their own held; their ledgers are built,
// must add up, and the same pages, read in any order and beside other accounts, must give the same ledger to the hash.
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import type { Clock } from '../../../models/clock.ts'
import { landingFeeds, landingRecords } from '../../../pipeline/books/books.ts'
import type { Frame } from '../../../pipeline/journal/frame.ts'
import { openLanding } from '../../../pipeline/landing/database.ts'
import type { Landing } from '../../../pipeline/landing/landing.ts'
import { buildLedger } from '../../../pipeline/ledger/build.ts'
import { tableHashes } from '../../../pipeline/ledger/hash.ts'
import { lotsStep } from '../../../pipeline/lots/step.ts'
import { grouped } from './check.ts'
import { checkCoverage, coverageOf } from './coverage.ts'
import { FOLDER_IN_MEMORY } from './native.ts'
import { Random } from './random.ts'
import { checkLandedAgain, checkPages, checkTruth, type Finished, type Placed } from './truth.ts'
import { START } from './world.ts'

/** Runs that are looked at together. */
export const TOGETHER_MAX = 1000

/** All the clock is asked for is how long a model took. */
const clock: Clock = { wall: () => START, monotonic: () => 0, sleep: async () => undefined }

const DAY_MS = 86_400_000

/**
 * Numbers at the limits overflow in sums, which the build refuses by name: that is a matter of other tests. A second
 * machine's books hold the same accounts as the first one's.
 */
const isBuilt = ({ world, machine }: Finished): boolean =>
  machine === world.machines[0]?.name && (world.config.faults['limit numbers'] ?? 0) === 0

/** Violations by seed; empty when all is well. */
export async function checkTogether(
  all: readonly Finished[],
  folder: string,
): Promise<ReadonlyMap<number, readonly string[]>> {
  for (const alike of grouped(all, (one) => `${one.machine} ${isBuilt(one)}`).values())
    await blame(alike, await problemsOf(alike, folder, true), folder)
  return new Map(
    all.flatMap(({ world }) => (world.violations.length > 0 ? [[world.config.seed, world.violations]] : [])),
  )
}

/** Whose ledger it is that does not add up shows when those of one half are built without the others. */
async function blame(
  all: readonly Finished[],
  problems: readonly string[],
  folder: string,
): Promise<boolean> {
  const [first] = all
  if (problems.length === 0 || first === undefined) return false
  const middle = Math.ceil(all.length / 2)
  let isFound = false
  for (const half of all.length === 1 ? [] : [all.slice(0, middle), all.slice(middle)])
    if (await blame(half, await problemsOf(half, folder, false), folder)) isFound = true
  const others = all.length === 1 ? '' : ` (with ${all.length - 1} runs that follow)`
  if (!isFound) for (const what of problems) first.world.violation(`${what}${others}`)
  return true
}

/** What is wrong with the whole; `looks`: what is wrong with one of the worlds is said there. */
async function problemsOf(all: readonly Finished[], folder: string, looks: boolean): Promise<string[]> {
  const forth = join(folder, FOLDER_IN_MEMORY, 'forth')
  const back = join(folder, FOLDER_IN_MEMORY, 'back')
  try {
    const problems = await landAndBuild(all, forth, looks)
    if (!all.every(isBuilt)) return problems
    problems.push(...(await sums(ledgerOf(forth))))
    await landAndBuild(all.toReversed().map(backfilled), back, false)
    const hashes = await tableHashes(ledgerOf(forth))
    const others = await tableHashes(ledgerOf(back))
    for (const [table, hash] of hashes)
      if (others.get(table) !== hash)
        problems.push(
          `table ${table} of the ledger is another when its pages came in another order: ${await difference(forth, back, table)}`,
        )
    return problems
  } catch (error) {
    return [`a ledger could not be built: ${error instanceof Error ? error.stack : String(error)}`]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const ledgerOf = (dir: string): string => join(dir, 'ledger.duckdb')

/**
 * The same windows as if they had been asked for in another order, the pages of each one after the other. A word on what
 * was not had stays where it is, and the pages stay on their side of it: it speaks of what came before.
 */
function backfilled(books: Finished): Finished {
  // Of a record that changed without a time of its change the order of the pages decides which is the last.
  if ((books.world.config.faults['changed records'] ?? 0) > 0) return books
  const random = new Random(`backfill ${books.world.config.seed}`)
  const frames: Frame[] = []
  let stretch: Frame[] = []
  const flush = (): void => {
    const windows = [...grouped(stretch.filter(isPage), windowOf).values()]
    const draw = (): Frame => {
      const at = random.int(0, windows.length - 1)
      const page = windows[at]!.shift()!
      if (windows[at]!.length === 0) windows.splice(at, 1)
      return page
    }
    for (const frame of stretch) frames.push(isPage(frame) ? draw() : frame)
    stretch = []
  }
  for (const frame of books.frames) {
    if (frame.meta.kind === 'statement' || frame.meta.kind === 'refusal') flush()
    stretch.push(frame)
  }
  flush()
  return { ...books, frames }
}

const windowOf = ({ meta }: Frame): string =>
  meta.kind === 'page' ? JSON.stringify([meta.account, meta.feed, meta.partition, meta.window]) : ''

const isPage = ({ meta }: Frame): boolean => meta.kind === 'page'

/** Open breaks of severity error, by which the books contradict themselves; `looks` asks about the landing too. */
async function landAndBuild(all: readonly Finished[], dir: string, looks: boolean): Promise<string[]> {
  mkdirSync(dir, { recursive: true })
  const placed: Placed[] = []
  const frames: Frame[] = []
  for (const one of all) {
    placed.push({ ...one, offset: frames.length })
    for (const frame of one.frames) frames.push({ ...frame, seq: frames.length + 1 })
  }
  const landing = await openLanding(dir, {
    threads: 1,
    memoryLimit: '1GB',
    feeds: landingFeeds,
    records: landingRecords,
  })
  try {
    await landing.land(frames)
    if (looks) await look(placed, landing)
    return all.every(isBuilt) ? await build(all, dir, landing) : []
  } finally {
    await landing.close()
  }
}

async function look(all: readonly Placed[], landing: Landing): Promise<void> {
  await checkLandedAgain(all, landing.connection)
  await checkPages(all, landing.connection)
  await checkTruth(all, landing.connection)
  const intervals = grouped(await coverageOf(landing), ({ account }) => account)
  for (const { world, beganAt, endedAt } of all) {
    const own = world.accounts.flatMap(({ name }) => intervals.get(name) ?? [])
    checkCoverage(world, own, { wholeSince: beganAt, plannedAt: beganAt, now: endedAt })
  }
}

async function build(all: readonly Finished[], dir: string, landing: Landing): Promise<string[]> {
  const { openBreaks } = await buildLedger({
    dir,
    landing,
    now: new Date(START + 20 * DAY_MS),
    clock,
    publishAnyway: true,
    config: {
      accounts: all.flatMap(({ world }) => world.accounts.map(({ name, uid }) => ({ name, uid }))),
      publishPersonalData: true,
      chainGrouping: {},
      // Gains are calculated in no coin of these accounts, so that every coin is held in lots.
      reportingCurrency: 'EUR',
    },
    steps: [lotsStep({ method: 'fifo', scope: 'account' })],
  })
  return openBreaks
    .filter(({ severity }) => severity === 'error')
    .map((one) => `check ${one.checkName}: ${one.account} ${one.coin}: ${one.explanation}`)
}

/** Invariant 9, asked of the published file with words of its own. */
const SUMS: readonly (readonly [string, string])[] = [
  [
    'the entries do not add up to the balance',
    `select coalesce(e.account, b.account) || ' ' || coalesce(e.coin, b.coin) as place, e.total, b.total
     from (select account, ledger, coin, sum(amount) as total from entries group by all) as e
     full join (select account, ledger, coin, sum(quantity) as total from balances group by all) as b
       on e.account = b.account and e.ledger = b.ledger and e.coin = b.coin
     where coalesce(e.total, 0) <> coalesce(b.total, 0)`,
  ],
  [
    'what was acquired is not what is left and what was disposed of',
    `with moved as (
       select account, coin, sum(amount) as net from entries group by all
     ), left_over as (
       select account, coin, sum(quantity_left) as open from lots group by all
     ), without_basis as (
       select account, coin, sum(quantity) as lacking from unknown_basis group by all
     )
     select m.account || ' ' || m.coin as place, net, open from moved as m
     left join left_over as l on l.account = m.account and l.coin = m.coin
     left join without_basis as w on w.account = m.account and w.coin = m.coin
     where net <> coalesce(open, 0) - coalesce(lacking, 0)`,
  ],
  [
    'the postings of a transaction do not add up to zero',
    `select transaction_id || ' ' || coin as place, sum(amount), 0 from postings
     group by transaction_id, coin having sum(amount) <> 0`,
  ],
]

/** A row of each that the other lacks, without what depends on the pages. */
async function difference(forth: string, back: string, table: string): Promise<string> {
  const instance = await DuckDBInstance.create(ledgerOf(forth), { access_mode: 'READ_ONLY', threads: '1' })
  const connection = await instance.connect()
  try {
    await connection.run(`attach '${ledgerOf(back)}' as other (read_only)`)
    const columns =
      "columns(c -> c not in ('page_id', 'page_row', 'first_seen_at', 'last_seen_at', 'explanation', 'evidence', 'figures_hash'))"
    const sides = [`main.${table}`, `other.main.${table}`]
    const rows: string[] = []
    for (const [one, two] of [sides, sides.toReversed()]) {
      const only = `select ${columns} from ${one} except all select ${columns} from ${two} order by all limit 1`
      rows.push(JSON.stringify((await connection.runAndReadAll(only)).getRowsJson()[0] ?? null))
    }
    return rows.join(' and ')
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

/** What does not add up in a published file; throws for one that cannot be read. */
export async function sums(ledger: string): Promise<string[]> {
  const instance = await DuckDBInstance.create(ledger, { access_mode: 'READ_ONLY', threads: '1' })
  const connection = await instance.connect()
  try {
    const violations: string[] = []
    for (const [what, sql] of SUMS) {
      const rows = (await connection.runAndReadAll(sql)).getRowsJson()
      const [place, one, other] = rows[0] ?? []
      if (rows.length > 0) violations.push(`${what}: ${place} (${one} and ${other})`)
    }
    return violations
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
