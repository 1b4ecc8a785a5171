// The build of one million entries, or of as many as --entries says: seconds and peak memory, against the least that the
// same engine needs to read those rows once, group them and write them back. The goal for a million is under 30 s and 2 GB.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { systemClock } from '../models/clock.ts'
import { openLanding } from '../pipeline/landing/database.ts'
import { buildLedger } from '../pipeline/ledger/build.ts'
import { feedRecords } from '../pipeline/ledger/feeds.ts'
import { lotsStep } from '../pipeline/lots/step.ts'
import { landLargeBooks } from './large-books.ts'
import type { BenchOptions } from './options.ts'

const ENTRIES = 1_000_000

/** The same rows read, grouped by account, coin and day, and written once. */
const REFERENCE = `create table reference.yardstick as
select account, coin, cast(ts as date) as day, count(*) as rows, sum(amount) as amount, sum(fee) as fee
from landing.main.tax_records group by all`

/** In a file of its own, so that neither the memory nor the landing database holds it afterwards. */
async function referenceSeconds(connection: DuckDBConnection, file: string): Promise<number> {
  await connection.run(`attach '${file}' as reference`)
  const copied = await seconds(connection, 'create table reference.copied as from landing.main.tax_records')
  const grouped = await seconds(connection, REFERENCE)
  await connection.run('detach reference')
  return copied + grouped
}

async function seconds(connection: DuckDBConnection, sql: string): Promise<number> {
  const begun = systemClock.monotonic()
  await connection.run(sql)
  return (systemClock.monotonic() - begun) / 1_000
}

export async function run({ entries: wanted = ENTRIES, memory }: BenchOptions): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'tieout-build-'))
  const landing = await openLanding(dir, {
    records: feedRecords.map(({ record }) => record),
    feeds: new Map(),
    ...(memory === undefined ? {} : { memoryLimit: memory }),
  })
  const connection = await landing.instance.connect()
  const { rows, accounts } = await landLargeBooks(connection, wanted)
  const reference = await referenceSeconds(connection, join(dir, 'reference.duckdb'))
  let peakBytes = 0
  const watch = setInterval(() => {
    peakBytes = Math.max(peakBytes, process.memoryUsage.rss())
  }, 50)
  const begun = systemClock.monotonic()
  const result = await buildLedger({
    dir,
    landing,
    now: new Date('2026-02-01T00:00:00Z'),
    clock: systemClock,
    config: { accounts: [], publishPersonalData: false },
    steps: [lotsStep({ method: 'fifo', scope: 'account' })],
    ...(process.env.BENCH_VERBOSE === undefined
      ? {}
      : { log: ({ table, rows, ms }) => console.log(`  ${table.padEnd(34)} ${rows} ${Math.round(ms)} ms`) }),
  })
  const took = (systemClock.monotonic() - begun) / 1_000
  clearInterval(watch)
  const entries = result.tables.find(({ table }) => table === 'main.entries')?.rows ?? 0
  process.stdout.write(
    `${entries} entries of ${accounts} accounts, from ${rows} rows, built in ${took.toFixed(1)} s with at most ${Math.round(peakBytes / 1e6)} MB; ` +
      `copying and grouping the same rows takes ${reference.toFixed(1)} s: ratio ${(took / reference).toFixed(1)}; ` +
      `${result.openBreaks.length} breaks\n`,
  )
  connection.closeSync()
  await landing.close()
  rmSync(dir, { recursive: true, force: true })
}
