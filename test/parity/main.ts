// The same books built by DuckDB and by ClickHouse's engine, table by table: the demo's, and the same ones damaged so that
// nearly every table has rows.
//   npm run parity -- --seed 7 [--days 30] [--books demo|damaged] [--shards 2]
//   … --dir BOOKS: copies of these, no demo's; --entries 1000000: large books, with what each engine took
// Last line: `T of T published tables equal`; code 1 where they are not.
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openLargeBooks } from '../../bench/built-books.ts'
import { landLargeBooks } from '../../bench/large-books.ts'
import { systemClock } from '../../models/clock.ts'
import { TieoutError } from '../../models/error.ts'
import { openBooks } from '../../pipeline/books/books.ts'
import { configuredLots } from '../../pipeline/books/night.ts'
import { buildOnClickHouse } from '../../pipeline/clickhouse/build.ts'
import type { ClickHouseSettings } from '../../pipeline/clickhouse/settings.ts'
import { emptyConfig } from '../../pipeline/config/config.ts'
import { type BuildOptions, buildLedger } from '../../pipeline/ledger/build.ts'
import { lotsStep } from '../../pipeline/lots/step.ts'
import { command } from '../support/in-process.ts'
import { type Compared, compareLedgers, isEqual } from './compare.ts'
import { damage } from './damage.ts'
import { type Engine, installEngine, startEngine } from './engines.ts'
import { taken, told } from './taken.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    days: { type: 'string', default: '30' },
    books: { type: 'string' },
    dir: { type: 'string' },
    entries: { type: 'string' },
    shards: { type: 'string', default: '2' },
  },
})

/** All builds call this now, so that nothing that tells of a build differs. */
const NOW = new Date('2026-11-01T00:00:00Z')

const say = (line: string): void => void process.stdout.write(`${line}\n`)

/** Builds the books of a folder with both engines, from the same rows, through the code of `tieout build`. */
async function compare(
  name: string,
  dir: string,
  settings: ClickHouseSettings,
  engines: readonly Engine[],
): Promise<Compared[]> {
  const books = await openBooks(dir, { clock: systemClock, command: 'build' })
  try {
    if (name === 'damaged') await damage(books.landing.connection, Number(values.seed))
    rmSync(join(dir, 'ledger.duckdb'), { force: true })
    const asked: BuildOptions = {
      dir,
      landing: books.landing,
      now: NOW,
      clock: systemClock,
      config: { accounts: [], publishPersonalData: false },
      steps: [lotsStep(configuredLots(emptyConfig, 'tieout.yaml'))],
      publishAnyway: true,
      full: true,
    }
    const { answer: one, ...here } = await taken(() => buildLedger(asked))
    const there = await taken(() => buildOnClickHouse(asked, settings), engines)
    const filled = one.tables.filter(({ rows }) => rows > 0).length
    const entries = one.tables.find(({ table }) => table === 'main.entries')?.rows
    say(`${name}: ${filled} of ${one.tables.length} tables and checks have rows, ${entries} entries
  DuckDB ${told(here)}
  ClickHouse ${told(there)}: ${(there.cpuSeconds / here.cpuSeconds).toFixed(1)} times the processor, ${(there.seconds / here.seconds).toFixed(1)} times the time`)
  } finally {
    await books.close()
  }
  return await compareLedgers(dir, settings)
}

/** Large books, as the benchmarks make them. */
async function largeIn(dir: string, entries: number): Promise<string> {
  mkdirSync(dir)
  const books = await openLargeBooks(dir, undefined)
  await landLargeBooks(books, entries).finally(() => books.close())
  return dir
}

/** Makes the demo's books in this folder. */
async function demoIn(dir: string): Promise<string> {
  const { code, stderr } = await command([
    ...['demo', '--dir', dir, '--seed', values.seed, '--days', values.days, '--now', NOW.toISOString()],
  ])
  if (code === 0 || code === 3) return dir
  throw new Error(stderr)
}

async function main(): Promise<void> {
  installEngine()
  const folder = mkdtempSync(join(tmpdir(), 'tieout-parity-'))
  const engines: Engine[] = []
  try {
    const made = join(folder, 'made')
    const from =
      values.entries === undefined
        ? (values.dir ?? (await demoIn(made)))
        : await largeIn(made, Number(values.entries))
    let [equal, all] = [0, 0]
    for (const name of (values.books ?? (values.entries === undefined ? 'demo,damaged' : 'large')).split(
      ',',
    )) {
      const own: Engine[] = []
      for (let at = 0; at < Number(values.shards); at += 1) own.push(await startEngine())
      engines.push(...own)
      const [first, ...others] = own.map(({ url }) => url)
      const dir = join(folder, name)
      cpSync(from, dir, { recursive: true })
      const settings: ClickHouseSettings = {
        ...{ url: first ?? '', database: 'tieout', user: 'default', password: '' },
        ...(others.length === 0 ? {} : { shards: others }),
      }
      const compared = await compare(name, dir, settings, own)
      for (const one of compared.filter((each) => !isEqual(each)))
        say(
          `${name}: ${one.table} differs: ${one.onlyInDuckDb ?? 'all'} rows of ${one.rows} in DuckDB alone, ${one.onlyInClickHouse ?? 'none'} in ClickHouse alone: ${one.example}`,
        )
      equal += compared.filter(isEqual).length
      all += compared.length
    }
    say(`${equal} of ${all} published tables equal`)
    process.exitCode = equal === all && all > 0 ? 0 : 1
  } finally {
    for (const engine of engines) await engine.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

await main().catch((error: unknown) => {
  say(error instanceof TieoutError ? error.describe() : String((error as Error).stack))
  process.exitCode = 1
})
