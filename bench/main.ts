// Runs the benchmarks by name, or all but the slow one. Each prints its reference from the same run, as ratios.
// `--entries N` is for `build`, `nights`, `serve`, `paper`, `commands` and `clickhouse`, `--memory 8GB` for the first five: how many
// entries, under which memory limit; `--accounts N` and `--failing N` for `accounts`; `--nights N` for `nights`; `--books DIR`
// keeps the books of `serve`, `commands` and `build`.
import { parseArgs } from 'node:util'
import type { BenchOptions } from './options.ts'

const benches: Readonly<Record<string, () => Promise<{ run(options: BenchOptions): Promise<void> }>>> = {
  journal: () => import('./journal.ts'),
  landing: () => import('./landing.ts'),
  build: () => import('./build.ts'),
  nights: () => import('./nights.ts'),
  values: () => import('./values.ts'),
  lots: () => import('./lots.ts'),
  equals: () => import('./equals.ts'),
  'start-up': () => import('./start-up.ts'),
  backfill: () => import('./backfill.ts'),
  accounts: () => import('./accounts.ts'),
  serve: () => import('./serve.ts'),
  paper: () => import('./paper.ts'),
  commands: () => import('./commands.ts'),
  clickhouse: () => import('./clickhouse.ts'),
}

/**
 * These take as long as the documented budgets require, up to minutes, or need an engine of half a gigabyte.
 */
const slow = ['nights', 'backfill', 'accounts', 'serve', 'commands', 'clickhouse']

const { values, positionals: named } = parseArgs({
  allowPositionals: true,
  options: {
    entries: { type: 'string' },
    memory: { type: 'string' },
    accounts: { type: 'string' },
    failing: { type: 'string' },
    nights: { type: 'string' },
    books: { type: 'string' },
    help: { type: 'boolean' },
  },
})
if (values.help) {
  process.stdout.write(`npm run bench -- [NAME …] [--entries N] [--memory 8GB] [--accounts N] [--failing N] [--nights N] [--books DIR]
NAME: ${Object.keys(benches).join(', ')}\n`)
  process.exit(0)
}
const unknown = named.find((name) => !(name in benches))
if (unknown !== undefined) {
  process.stderr.write(`There is no benchmark ${unknown}. Known: ${Object.keys(benches).join(', ')}.\n`)
  process.exit(2)
}
for (const name of ['entries', 'accounts', 'failing', 'nights'] as const) {
  const given = values[name]
  if (given === undefined || /^[1-9]\d*$/.test(given)) continue
  process.stderr.write(`--${name} takes a whole number from 1, and not ${given}.\n`)
  process.exit(2)
}
const options: BenchOptions = {
  ...(values.entries === undefined ? {} : { entries: Number(values.entries) }),
  ...(values.accounts === undefined ? {} : { accounts: Number(values.accounts) }),
  ...(values.failing === undefined ? {} : { failing: Number(values.failing) }),
  ...(values.nights === undefined ? {} : { nights: Number(values.nights) }),
  ...(values.memory === undefined ? {} : { memory: values.memory }),
  ...(values.books === undefined ? {} : { books: values.books }),
}
for (const name of named.length > 0 ? named : Object.keys(benches).filter((one) => !slow.includes(one))) {
  process.stdout.write(`\n== ${name}\n`)
  const load = benches[name]
  if (load !== undefined) await (await load()).run(options)
}
