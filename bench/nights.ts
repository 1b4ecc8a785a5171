// Nights over books of the given size: each brings a day of the accounts, and its build rebuilds only what that day changes.
// Compared with a full build of the same rows, in time, in every table, and in the size of the files. `BENCH_VERBOSE=1` says
// what each table of a night takes, in seconds of the processor.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { buildLargeBooks, inFolder, openLargeBooks } from './built-books.ts'
import { landInPortions } from './large-books.ts'
import type { BenchOptions } from './options.ts'
import { duration, megabytes, processorTime, timed } from './timed.ts'

const ENTRIES = 1_000_000
const NIGHTS = 5

export const run = ({ entries = ENTRIES, nights = NIGHTS, memory }: BenchOptions): Promise<void> =>
  inFolder(undefined, async (dir) => {
    const books = await openLargeBooks(dir, memory)
    const { landing } = books
    const sizes = (): string =>
      ['ledger', 'steps']
        .map((name) => `${name} ${megabytes(statSync(join(dir, `${name}.duckdb`)).size)}`)
        .join(', ')
    const portions = landInPortions(books, entries, { nights })
    const shares: number[] = []
    let rowsBefore = 0
    for (let night = 0; night <= nights; night += 1) {
      const { value } = await portions.next()
      const rows = typeof value === 'number' ? value : value.rows
      const log = night > 0 && process.env.BENCH_VERBOSE !== undefined ? logged() : undefined
      const built = await timed(() =>
        buildLargeBooks(dir, landing, { keepSteps: true, ...(log === undefined ? {} : { log }) }),
      )
      process.stdout.write(`night ${night}: ${rows - rowsBefore} rows, ${duration(built)}; ${sizes()}\n`)
      rowsBefore = rows
      shares.push(built.cpuSeconds)
      if (night < nights) continue
      const full = await timed(() => buildLargeBooks(dir, landing, { full: true, keepSteps: true }))
      const differing = [...full.answer.found].filter(([table, one]) => {
        const other = built.answer.found.get(table)
        return other?.count !== one.count || other.hash !== one.hash
      })
      const median = shares.slice(1).toSorted((a, b) => a - b)[Math.floor((nights - 1) / 2)] as number
      process.stdout.write(
        `a full build ${duration(full)}; ${sizes()}\n` +
          `a night takes ${((100 * median) / full.cpuSeconds).toFixed(0)} % of that (median, processor); ` +
          `${differing.length === 0 ? 'every table is as the full build makes it' : `different: ${differing.map(([table]) => table).join(', ')}`}\n`,
      )
    }
    await books.close()
  })

function logged(): (event: { table: string; rows: number; days?: number; kept: boolean }) => void {
  let before = processorTime()
  return ({ table, rows, days, kept }) => {
    const now = processorTime()
    const how = kept ? 'kept' : days === undefined ? 'whole' : `${days} days`
    console.log(`  ${table.padEnd(34)} ${rows} ${(now - before).toFixed(2)} s ${how}`)
    before = now
  }
}
