// The ledgers of many runs, built at once: a build costs the same for one run as for a hundred, so each run's journal is
// landed once more under accounts of its own. The books must add up, and the same pages, read in any order and beside
// other accounts, must give the same ledger to the hash.
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import type { Clock } from '../../models/clock.ts'
import { landingFeeds, landingRecords } from '../../pipeline/books.ts'
import { buildLedger } from '../../pipeline/build/build.ts'
import { tableHashes } from '../../pipeline/build/hash.ts'
import type { Frame, FrameMeta } from '../../pipeline/journal/frame.ts'
import { openLanding } from '../../pipeline/landing/landing.ts'
import { lotsStep } from '../../pipeline/lots/step.ts'
import { grouped } from './check.ts'
import { Random } from './random.ts'
import { START } from './world.ts'

/** What a run that went well leaves to be built. */
export interface LivedBooks {
  readonly seed: number
  readonly accounts: readonly { readonly name: string; readonly uid: string }[]
  readonly frames: readonly Frame[]
  /** No record of it has changed without a time of its change: then the order of the pages decides nothing. */
  readonly isOfAnyOrder: boolean
}

/** Runs whose ledgers are built together. */
export const LEDGERS_MAX = 200

/** All the clock is asked for is how long a model took. */
const clock: Clock = { wall: () => START, monotonic: () => 0, sleep: async () => undefined }

const DAY_MS = 86_400_000

/** Violations by seed; empty when all is well. */
export async function checkLedgers(
  all: readonly LivedBooks[],
  folder: string,
): Promise<ReadonlyMap<number, string[]>> {
  const together = await judge(all, folder)
  if (together.length === 0) return new Map()
  const alone = new Map<number, string[]>()
  if (all.length > 1)
    for (const one of all) {
      const found = await judge([one], folder)
      if (found.length > 0) alone.set(one.seed, found)
    }
  const first = all[0]
  if (alone.size === 0 && first !== undefined)
    alone.set(
      first.seed,
      together.map((what) => `${what} (with ${all.length - 1} runs that follow)`),
    )
  return alone
}

async function judge(all: readonly LivedBooks[], folder: string): Promise<string[]> {
  const forth = join(folder, 'forth')
  const back = join(folder, 'back')
  try {
    const violations = [...(await build(all, forth)), ...(await sums(ledgerOf(forth)))]
    await build(all.toReversed().map(backfilled), back)
    const hashes = await tableHashes(ledgerOf(forth))
    const others = await tableHashes(ledgerOf(back))
    for (const [table, hash] of hashes)
      if (others.get(table) !== hash)
        violations.push(
          `table ${table} of the ledger is another when its pages came in another order: ${await difference(forth, back, table)}`,
        )
    return violations
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
function backfilled(books: LivedBooks): LivedBooks {
  if (!books.isOfAnyOrder) return books
  const random = new Random(`backfill ${books.seed}`)
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

/** Under names of its own for each run: what is planned, fetched and journaled has been looked at before. */
function renamed(meta: FrameMeta, seed: number): FrameMeta {
  const own = { ...meta } as Record<string, unknown>
  if ('account' in meta) own.account = `${meta.account}-${seed}`
  if ('uid' in meta && meta.uid !== null) own.uid = `${meta.uid}${seed}`
  if ('run' in meta) own.run = `${meta.run}-${seed}`
  return own as unknown as FrameMeta
}

/** Open breaks of severity error: the books contradict themselves. */
async function build(all: readonly LivedBooks[], dir: string): Promise<string[]> {
  mkdirSync(dir, { recursive: true })
  const landing = await openLanding(dir, {
    threads: 1,
    memoryLimit: '1GB',
    feeds: landingFeeds,
    records: landingRecords,
  })
  try {
    const frames = all.flatMap((one) => one.frames.map((frame) => ({ frame, seed: one.seed })))
    await landing.land(
      frames.map(({ frame, seed }, place) => ({ ...frame, seq: place + 1, meta: renamed(frame.meta, seed) })),
    )
    const { openBreaks } = await buildLedger({
      dir,
      landing,
      now: new Date(START + 20 * DAY_MS),
      clock,
      publishAnyway: true,
      config: {
        accounts: all.flatMap(({ accounts, seed }) =>
          accounts.map(({ name, uid }) => ({ name: `${name}-${seed}`, uid: `${uid}${seed}` })),
        ),
        publishPersonalData: true,
        chainGrouping: {},
        // Gains are reckoned in no coin of these accounts, so that every coin is held in lots.
        reportingCurrency: 'EUR',
      },
      steps: [lotsStep({ method: 'fifo', scope: 'account' })],
    })
    return openBreaks
      .filter(({ severity }) => severity === 'error')
      .map((one) => `check ${one.checkName}: ${one.account} ${one.coin}: ${one.explanation}`)
  } finally {
    await landing.close()
  }
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
