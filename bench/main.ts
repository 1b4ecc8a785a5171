// Runs the benchmarks by name, or all but the slow one. Each prints its reference from the same run, as ratios.
const benches: Readonly<Record<string, () => Promise<{ run(): Promise<void> }>>> = {
  journal: () => import('./journal.ts'),
  landing: () => import('./landing.ts'),
  build: () => import('./build.ts'),
  lots: () => import('./lots.ts'),
  backfill: () => import('./backfill.ts'),
}

/** Takes as long as the documented budgets make a year take: minutes. */
const slow = ['backfill']

const named = process.argv.slice(2)
const unknown = named.find((name) => !(name in benches))
if (unknown !== undefined) {
  process.stderr.write(`There is no benchmark ${unknown}. Known: ${Object.keys(benches).join(', ')}.\n`)
  process.exit(2)
}
for (const name of named.length > 0 ? named : Object.keys(benches).filter((one) => !slow.includes(one))) {
  process.stdout.write(`\n== ${name}\n`)
  const load = benches[name]
  if (load !== undefined) await (await load()).run()
}
