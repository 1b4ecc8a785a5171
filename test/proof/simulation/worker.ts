// Runs seeds in a process of its own, one after the other: a line with its number when each begins, and one of JSON once
// all that came of it has been looked at, many seeds later. Bundled with the code under test, so that a mutation of that
// code is a patch of the bundle.
// argv: first seed, number of seeds, step; `--stop` ends at the first failure, `--shrink` makes it small,
// `--focus=NAME;NAME` has these faults in every seed, `--unbuilt` builds no ledgers.
import './native.ts'
import { configOf, type Focus, focused, type SimulationConfig } from './config.ts'
import { folderForDatabases, type SimulationResult, simulate } from './run.ts'
import { shrink } from './shrink.ts'
import { checkTogether, TOGETHER_MAX } from './together.ts'
import type { Finished } from './truth.ts'

const [from = '0', count = '1', step = '1', ...flags] = process.argv.slice(2)

const focus = flags.find((flag) => flag.startsWith('--focus='))?.slice('--focus='.length)

const STORY_LINES = 60

/** Where the first failure ends all, it is looked for often, and in the first seed alone: it is often known to fail. */
const togetherAt = (place: number): number => {
  if (!flags.includes('--stop')) return TOGETHER_MAX
  return place === 0 ? 1 : 5
}

function report(result: SimulationResult, shrunk: SimulationConfig | null): void {
  const { violations, story, requests, deaths, digest, worldMs } = result
  const { seed } = result.config
  const told = flags.includes('--story') ? story : story.slice(-STORY_LINES)
  const line = {
    seed,
    violations,
    requests,
    deaths,
    digest,
    worldMs,
    shrunk,
    story: violations.length > 0 || flags.includes('--story') ? told : [],
  }
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

// What a dead process was about to do may be refused long after nobody waits for it any more.
process.on('unhandledRejection', (reason) => {
  process.stderr.write(`${reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)}\n`)
})

/** A run and all that is asked about it, alone. */
async function whole(config: SimulationConfig): Promise<SimulationResult> {
  const result = await simulate(config)
  const wrong = await checkTogether(result.finished, folderForDatabases())
  return { ...result, violations: wrong.get(config.seed) ?? result.violations }
}

const configured = (seed: number): SimulationConfig =>
  focus === undefined ? configOf(seed) : focused(configOf(seed), focus.split(';') as Focus[])

async function tellFailure(result: SimulationResult): Promise<void> {
  const smallest = flags.includes('--shrink') ? await shrink(result, whole) : result
  report(smallest, smallest.config)
}

/** Runs that went well as far as was seen, and have not been looked at together with others yet. */
let lived: SimulationResult[] = []

/** Reports them; false where one of them is wrong. */
async function lookTogether(): Promise<boolean> {
  const finished: Finished[] = flags.includes('--unbuilt') ? [] : lived.flatMap((result) => result.finished)
  const wrong = await checkTogether(finished, folderForDatabases())
  for (const result of lived) {
    const violations = wrong.get(result.config.seed)
    if (violations === undefined) report(result, null)
    else await tellFailure({ ...result, violations })
  }
  lived = []
  return wrong.size === 0
}

for (let place = 0; place < Number(count); place += 1) {
  const seed = Number(from) + place * Number(step)
  process.stdout.write(`${seed}\n`)
  const result = await simulate(configured(seed))
  const failed = result.violations.length > 0
  if (failed) await tellFailure(result)
  else lived.push(result)
  if (failed && flags.includes('--stop')) break
  if (lived.length >= togetherAt(place) || place + 1 === Number(count))
    if (!(await lookTogether()) && flags.includes('--stop')) break
}
// What stands in the pipe is read by then: an exit would take it along.
process.stdout.write('', () => process.exit(0))
