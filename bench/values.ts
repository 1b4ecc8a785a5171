// What prices and values cost in the build and its checks: a year of six accounts built twice from the same
// landed records, once in full with an hourly candle of every coin, and once without candles and without the
// tables and checks that exist only for values. Goal: a ratio of at most 1.3. Both are in the currency of the
// trades and do everything else, including the lots.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../models/clock.ts'
import type { Landing } from '../pipeline/landing/landing.ts'
import type { BuildResult } from '../pipeline/ledger/build.ts'
import { buildLargeBooks, openLargeBooks } from './built-books.ts'
import { landCandles, landLargeBooks } from './large-books.ts'
import type { BenchOptions } from './options.ts'

const ENTRIES = 300_000
const ACCOUNTS = 6
/**
 * Each of the two builds is timed this many times, alternately; the shortest counts, because the machine is
 * doing other work too.
 */
const TIMES = 3
const GOAL = 1.3

/** Tables that contain only values; what only they depend on is left out with them. */
const FOR_VALUES = [
  'main.daily_valuation',
  'main.entry_values',
  'main.net_worth',
  'main.unrealised',
  'main.value_bridge',
  'checks.value_bridge',
]

interface Timed {
  readonly result: BuildResult
  readonly seconds: number
  /** Of all threads together. */
  readonly cpuSeconds: number
}

async function timed(dir: string, landing: Landing, only?: readonly string[]): Promise<Timed> {
  const cpu = process.cpuUsage()
  const begun = systemClock.monotonic()
  const result = await buildLargeBooks(dir, landing, {
    ...(only === undefined ? {} : { only }),
  })
  const { user, system } = process.cpuUsage(cpu)
  return {
    result,
    seconds: (systemClock.monotonic() - begun) / 1_000,
    cpuSeconds: (user + system) / 1e6,
  }
}

/** Separate books, landed and built as often as they are timed. */
async function opened(entries: number, memoryLimit: string | undefined, withCandles: boolean) {
  const dir = mkdtempSync(join(tmpdir(), 'tieout-values-'))
  const books = await openLargeBooks(dir, memoryLimit)
  await landLargeBooks(books, entries, ACCOUNTS)
  const candles = withCandles ? await landCandles(books) : 0
  const close = async (): Promise<void> => {
    await books.close()
    rmSync(dir, { recursive: true, force: true })
  }
  return { dir, landing: books.landing, candles, close }
}

const least = (of: readonly Timed[], what: 'seconds' | 'cpuSeconds'): number =>
  Math.min(...of.map((one) => one[what]))

export async function run({ entries: wanted = ENTRIES, memory }: BenchOptions): Promise<void> {
  const valued = await opened(wanted, memory, true)
  const bare = await opened(wanted, memory, false)
  const whole: Timed[] = []
  const without: Timed[] = []
  for (let nth = 0; nth < TIMES; nth += 1) {
    whole.push(await timed(valued.dir, valued.landing))
    const made = (whole[0] as Timed).result.tables.map(({ table }) => table)
    const rest = made.filter((table) => /^(main|checks)\./.test(table) && !FOR_VALUES.includes(table))
    without.push(await timed(bare.dir, bare.landing, rest))
  }
  await valued.close()
  await bare.close()
  const count = (table: string): number =>
    (whole[0] as Timed).result.tables.find((one) => one.table === table)?.rows ?? 0
  const left = (whole[0] as Timed).result.tables.length - (without[0] as Timed).result.tables.length
  const line = (what: string, unit: 'seconds' | 'cpuSeconds'): string => {
    const [one, other] = [least(whole, unit), least(without, unit)]
    return `  ${what}: ${one.toFixed(1)} s against ${other.toFixed(1)} s, ratio ${(one / other).toFixed(2)} (goal: at most ${GOAL})\n`
  }
  process.stdout.write(
    `${count('main.entries')} entries of ${ACCOUNTS} accounts over a year, built and checked with ${valued.candles} candles and ` +
      `${count('main.daily_valuation')} values of days, against the same without candles and without ${left} tables and checks ` +
      `that are there for values alone; the shortest of ${TIMES} each\n` +
      line('wall clock', 'seconds') +
      line('processor', 'cpuSeconds'),
  )
}
