// Runs seeds in a process of its own, one after the other, and reports each as a line of JSON. Bundled with the code
// under test, so that a mutation of that code is a patch of the bundle.
// argv: first seed, number of seeds, step; `--stop` ends at the first failure, `--shrink` makes it small,
// `--focus=NAME;NAME` has these faults in every seed.
import './native.ts'
import { configOf, type Focus, focused, type SimulationConfig } from './config.ts'
import { checkLedgers, LEDGERS_MAX, type LivedBooks } from './ledgers.ts'
import { folderForDatabases, type SimulationResult, simulate } from './run.ts'
import { shrink } from './shrink.ts'

const [from = '0', count = '1', step = '1', ...flags] = process.argv.slice(2)

const focus = flags.find((flag) => flag.startsWith('--focus='))?.slice('--focus='.length)

const STORY_LINES = 60

/** Where the first failure ends all, it is looked for often. */
const LEDGERS_MIN = 10

const NOTHING = { requests: 0, deaths: 0, digest: '', worldMs: 0, shrunk: null, story: [] }

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

/** Runs that went well and whose ledgers have not been built yet. */
let lived: LivedBooks[] = []

/** A run whose ledger is wrong is reported a second time. */
async function buildLived(): Promise<boolean> {
  const wrong = await checkLedgers(lived, folderForDatabases())
  lived = []
  for (const [seed, violations] of wrong)
    process.stdout.write(`${JSON.stringify({ ...NOTHING, seed, violations })}\n`)
  return wrong.size === 0
}

for (let place = 0; place < Number(count); place += 1) {
  const seed = Number(from) + place * Number(step)
  const config = configOf(seed)
  let result = await simulate(focus === undefined ? config : focused(config, focus.split(';') as Focus[]))
  const failed = result.violations.length > 0
  if (failed && flags.includes('--shrink')) result = await shrink(result, simulate)
  report(result, failed ? result.config : null)
  if (failed && flags.includes('--stop')) break
  if (result.books !== null) lived.push(result.books)
  const isDone = place + 1 === Number(count)
  if (lived.length === (flags.includes('--stop') ? LEDGERS_MIN : LEDGERS_MAX) || (isDone && lived.length > 0))
    if (!(await buildLived()) && flags.includes('--stop')) break
}
process.exit(0)
