// Runs the benchmarks by name, or all but the slow one. Each prints its reference from the same run, as ratios.
// `--entries N` and `--memory 8GB` are for `build`: how many entries, under which memory limit.
import { parseArgs } from 'node:util'
import type { BenchOptions } from './options.ts'

const benches: Readonly<Record<string, () => Promise<{ run(options: BenchOptions): Promise<void> }>>> = {
  journal: () => import('./journal.ts'),
  landing: () => import('./landing.ts'),
  build: () => import('./build.ts'),
  lots: () => import('./lots.ts'),
  'start-up': () => import('./start-up.ts'),
  backfill: () => import('./backfill.ts'),
}

/** Takes as long as the documented budgets make a year take: minutes. */
const slow = ['backfill']

const { values, positionals: named } = parseArgs({
  allowPositionals: true,
  options: { entries: { type: 'string' }, memory: { type: 'string' } },
})
const unknown = named.find((name) => !(name in benches))
if (unknown !== undefined) {
  process.stderr.write(`There is no benchmark ${unknown}. Known: ${Object.keys(benches).join(', ')}.\n`)
  process.exit(2)
}
if (values.entries !== undefined && !/^[1-9]\d*$/.test(values.entries)) {
  process.stderr.write(`--entries takes a whole number from 1, and not ${values.entries}.\n`)
  process.exit(2)
}
const options: BenchOptions = {
  ...(values.entries === undefined ? {} : { entries: Number(values.entries) }),
  ...(values.memory === undefined ? {} : { memory: values.memory }),
}
for (const name of named.length > 0 ? named : Object.keys(benches).filter((one) => !slow.includes(one))) {
  process.stdout.write(`\n== ${name}\n`)
  const load = benches[name]
  if (load !== undefined) await (await load()).run(options)
}
