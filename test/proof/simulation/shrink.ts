// Makes a failing configuration smaller for as long as it fails: kinds of faults, deaths, records, accounts, feeds and
// nights are left out one after the other. Greedy and bounded: a small story is worth more than the smallest.
import type { CrashPoint, Fault, SimulationConfig } from './config.ts'
import type { SimulationResult } from './run.ts'

const PROBES_MAX = 120

/** A violation is told by its words alone: ids, times and frames change when a story shrinks. */
const kindOf = (result: SimulationResult): string =>
  (result.violations[0] ?? '').replace(/\d+/g, '#').split('\n')[0]!.slice(0, 60)

/** Every way to leave one thing out, the largest first. */
function* smaller(config: SimulationConfig): Generator<SimulationConfig> {
  const faults = Object.keys(config.faults) as Fault[]
  const without = (left: readonly Fault[]): SimulationConfig['faults'] =>
    Object.fromEntries(Object.entries(config.faults).filter(([name]) => !left.includes(name as Fault)))
  const half = Math.ceil(faults.length / 2)
  if (faults.length > 3) {
    yield { ...config, faults: without(faults.slice(0, half)) }
    yield { ...config, faults: without(faults.slice(half)) }
  }
  if (config.crashes.length > 0) yield { ...config, crashes: [] }
  for (const feed of config.feeds)
    if (config.feeds.length > 1) yield { ...config, feeds: config.feeds.filter((one) => one !== feed) }
  if (config.accounts > 1) yield { ...config, accounts: config.accounts - 1 }
  if (config.nights > 1) yield { ...config, nights: config.nights - 1 }
  if (config.again) yield { ...config, again: false }
  if (config.records > 1) yield { ...config, records: Math.floor(config.records / 2) }
  for (const fault of faults) yield { ...config, faults: without([fault]) }
  for (const crash of config.crashes)
    yield { ...config, crashes: config.crashes.filter((one: CrashPoint) => one !== crash) }
  if (config.build) yield { ...config, build: false }
}

export async function shrink(
  failed: SimulationResult,
  simulate: (config: SimulationConfig) => Promise<SimulationResult>,
): Promise<SimulationResult> {
  const kind = kindOf(failed)
  let smallest = failed
  let probes = 0
  for (let isShrinking = true; isShrinking && probes < PROBES_MAX; ) {
    isShrinking = false
    for (const config of smaller(smallest.config)) {
      probes += 1
      if (probes > PROBES_MAX) break
      const result = await simulate(config)
      if (result.violations.length === 0 || kindOf(result) !== kind) continue
      smallest = result
      isShrinking = true
      break
    }
  }
  return smallest
}
