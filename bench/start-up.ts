// How long a command takes to start: `--help` and `sql "select 1"` as processes, compared with an empty Node
// process in the same run. Medians of several starts, one after the other and alternately, so that all run
// under the same conditions.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../models/clock.ts'
import { openBooks } from '../pipeline/books/books.ts'
import { packageRoot } from '../pipeline/config/root.ts'
import { buildLedger } from '../pipeline/ledger/build.ts'

const STARTS = 9
const MAIN = join(packageRoot, 'dist', 'pipeline', 'main.js')

export async function run(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'tieout-bench-'))
  try {
    await emptyBooks(dir)
    const commands: readonly (readonly [string, readonly string[]])[] = [
      ['node -e 0', ['-e', '0']],
      ['tieout --help', [MAIN, '--help']],
      ['tieout sql "select 1"', [MAIN, 'sql', 'select 1', '--dir', dir]],
    ]
    const times = commands.map((): number[] => [])
    for (let start = 0; start < STARTS; start += 1)
      for (const [at, [, args]] of commands.entries()) times[at]!.push(timed(args))
    const [empty = 1] = times.map(median)
    for (const [at, [name]] of commands.entries()) {
      const took = median(times[at]!)
      process.stdout.write(
        `${name.padEnd(24)} ${took.toFixed(0).padStart(5)} ms  ${(took / empty).toFixed(1)} times node\n`,
      )
    }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

async function emptyBooks(dir: string): Promise<void> {
  const books = await openBooks(dir, { clock: systemClock, command: 'bench' })
  try {
    await buildLedger({
      dir,
      landing: books.landing,
      now: new Date(),
      clock: systemClock,
      config: { accounts: [], publishPersonalData: false },
    })
  } finally {
    await books.close()
  }
}

function timed(args: readonly string[]): number {
  const began = performance.now()
  const { status, stderr } = spawnSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr.toString()}`)
  return performance.now() - began
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!
