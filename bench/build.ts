// The build of one million entries, or the number given by --entries: seconds and peak memory, compared with
// the least that the same engine needs to read those rows once, group them and write them back; and a second
// build after nothing has changed, compared with the first. The goal for a million is under 30 s and 2 GB.
import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { buildLargeBooks, inFolder, openLargeBooks } from './built-books.ts'
import { landLargeBooks } from './large-books.ts'
import type { BenchOptions } from './options.ts'
import { duration, megabytes, timed } from './timed.ts'

const ENTRIES = 1_000_000

/** The same rows read, grouped by account, coin and day, and written once. */
const REFERENCE = `create table reference.yardstick as
select account, coin, cast(ts as date) as day, count(*) as rows, sum(amount) as amount, sum(fee) as fee
from landing.main.tax_records group by all`

/** In a separate file, so that neither the memory nor the landing database holds it afterwards. */
async function reference(connection: DuckDBConnection, file: string): Promise<void> {
  rmSync(file, { force: true })
  await connection.run(`attach '${file}' as reference`)
  await connection.run('create table reference.copied as from landing.main.tax_records')
  await connection.run(REFERENCE)
  await connection.run('detach reference')
}

export const run = ({ entries = ENTRIES, memory, books }: BenchOptions): Promise<void> =>
  inFolder(books, (dir) => measure(dir, entries, memory))

async function measure(dir: string, wanted: number, memory: string | undefined): Promise<void> {
  const books = await openLargeBooks(dir, memory)
  const { landing } = books
  const connection = await landing.instance.connect()
  const landed = landing.landedSeq > 0 ? null : await timed(() => landLargeBooks(books, wanted))
  const landedBytes = process.resourceUsage().maxRSS * 1_024
  const referred = await timed(() => reference(connection, join(dir, 'reference.duckdb')))
  let peakBytes = 0
  const watch = setInterval(() => {
    peakBytes = Math.max(peakBytes, process.memoryUsage.rss())
  }, 50)
  const built = await timed(() =>
    buildLargeBooks(dir, landing, {
      full: true,
      ...(process.env.BENCH_VERBOSE === undefined
        ? {}
        : {
            log: ({ table, rows, ms }) => console.log(`  ${table.padEnd(34)} ${rows} ${Math.round(ms)} ms`),
          }),
    }),
  )
  clearInterval(watch)
  const again = await timed(() => buildLargeBooks(dir, landing))
  const { tables, path, openBreaks } = built.answer
  const entries = tables.find(({ table }) => table === 'main.entries')?.rows ?? 0
  process.stdout.write(
    (landed === null
      ? ''
      : `${landed.answer.rows} rows of ${landed.answer.accounts} accounts made, journaled and landed ${duration(landed)}, with at most ${megabytes(landedBytes)}\n`) +
      `${entries} entries built ${duration(built)}, with at most ${megabytes(peakBytes)}; ` +
      `ledger ${megabytes(statSync(path).size)}, ${openBreaks.length} breaks\n` +
      `copying and grouping the tax records ${duration(referred)}: the build takes ` +
      `${(built.cpuSeconds / referred.cpuSeconds).toFixed(1)} times that\n` +
      `built again, with nothing changed, ${duration(again)}: ` +
      `${((100 * again.cpuSeconds) / built.cpuSeconds).toFixed(0)} % of the first build\n`,
  )
  connection.closeSync()
  await books.close()
}
