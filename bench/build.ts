// The build of one million entries: seconds and peak memory, against the least that the same engine needs to read
// those rows once, group them and write them back. The goal is under 30 s and 2 GB.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { systemClock } from '../models/clock.ts'
import { buildLedger } from '../pipeline/build/build.ts'
import { feedRecords } from '../pipeline/build/feeds.ts'
import { openLanding } from '../pipeline/landing/landing.ts'
import { lotsStep } from '../pipeline/lots/step.ts'

const ENTRIES = 1_000_000
/** Rows of one round: two fills of three legs, two futures closes of one row (amount and fee), a funding, an interest. */
const ROWS_OF_ROUND = 10
const ENTRIES_OF_ROUND = 12

/**
 * A year of one unified account: spot fills over 20 coins with a fee in the platform coin, futures with funding,
 * interest, all in one balance per coin that closes.
 */
function historySql(rounds: number): string {
  return `
insert into landing.main.tax_records
with
rounds as (select n, 1 + n % 20 as coin_no, 1 + (n * 7919) % 1000 as size from range(${rounds}) as all_rounds(n)),
rows as (
  select n, 0 as nth, 'SPOT' as partition, 'C' || coin_no as coin, 'ORDER_DEALT_IN' as type,
    cast(size as decimal(38, 18)) as amount, 0 as fee from rounds
  union all select n, 1, 'SPOT', 'BGB', 'ORDER_PLF_FEE_OUT', -0.0004556178732628, 0 from rounds
  union all select n, 2, 'SPOT', 'USDT', 'ORDER_DEALT_FROZEN_OUT', -size * 1.25, 0 from rounds
  union all select n, 3, 'SPOT', 'USDT', 'ORDER_DEALT_IN', size * 0.63, 0 from rounds
  union all select n, 4, 'SPOT', 'BGB', 'ORDER_PLF_FEE_OUT', -0.0004556178732628, 0 from rounds
  union all select n, 5, 'SPOT', 'C' || coin_no, 'ORDER_DEALT_FROZEN_OUT', -size * 0.5, 0 from rounds
  union all select n, 6, 'USDT-FUTURES', 'USDT', 'CLOSE_LONG', size * 0.7, -size * 0.01 from rounds
  union all select n, 7, 'USDT-FUTURES', 'USDT', 'CLOSE_SHORT', -size * 0.05, -size * 0.01 from rounds
  union all select n, 8, 'USDT-FUTURES', 'USDT', 'CONTRACT_MAIN_SETTLE_FEE_USER_OUT', -size * 0.01, 0 from rounds
  union all select n, 9, 'MARGIN-crossed', 'USDT', 'INTEREST_SETTLEMENT_OUT', -size * 0.0001, 0 from rounds
),
placed as (select *, n * ${ROWS_OF_ROUND} + nth as place from rows)
select 'main', partition, 1 + place // 500, place % 500,
  cast(1375573238000000000 + place as varchar), coin, type,
  cast(amount as decimal(38, 18)), cast(fee as decimal(38, 18)),
  cast(1000000 + sum(cast(amount + fee as decimal(38, 18))) over (partition by coin order by place) as decimal(38, 18)),
  timestamptz '2025-01-01 00:00:00+00' + to_milliseconds(n * 300000 + (nth // 3) * 1000), null
from placed`
}

const pagesSql = (rows: number): string => `
insert into landing.main.pages (page_id, run_id, account, feed, partition, path, status, received_at, row_count, quarantined)
select page_id, 'run-1', 'main', 'tax.records', '', '/', 200, timestamptz '2026-01-01 00:00:00+00', 500, 0
from range(1, ${Math.ceil(rows / 500) + 1}) as pages(page_id)`

/** The same rows read, grouped by account, coin and day, and written once. */
const REFERENCE = `create table yardstick as
select account, coin, cast(ts as date) as day, count(*) as rows, sum(amount) as amount, sum(fee) as fee
from landing.main.tax_records group by all`

async function seconds(connection: DuckDBConnection, sql: string): Promise<number> {
  const begun = systemClock.monotonic()
  await connection.run(sql)
  return (systemClock.monotonic() - begun) / 1_000
}

export async function run(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'tieout-build-'))
  const landing = await openLanding(dir, {
    records: feedRecords.map(({ record }) => record),
    feeds: new Map(),
  })
  const connection = await landing.instance.connect()
  const rounds = Math.ceil(ENTRIES / ENTRIES_OF_ROUND)
  await connection.run(historySql(rounds))
  await connection.run(pagesSql(rounds * ROWS_OF_ROUND))
  await connection.run(
    "insert into landing.main.accounts values ('main', 'venue', '1', 'unified', 'unified', 0)",
  )
  await connection.run('checkpoint landing')
  const copied = await seconds(connection, 'create table copied as from landing.main.tax_records')
  const reference = copied + (await seconds(connection, REFERENCE))
  await connection.run('drop table copied')
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
    `${entries} entries built in ${took.toFixed(1)} s with at most ${Math.round(peakBytes / 1e6)} MB; ` +
      `copying and grouping the same rows takes ${reference.toFixed(1)} s: ratio ${(took / reference).toFixed(1)}; ` +
      `${result.openBreaks.length} breaks\n`,
  )
  connection.closeSync()
  await landing.close()
  rmSync(dir, { recursive: true, force: true })
}
