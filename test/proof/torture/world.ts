// What is tortured: a real sandbox process, and books at several stages of their life, each made by an unharmed run.
// What an unharmed run comes to is what every harmed one must come to.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parse } from 'yaml'
import { compareWithTruth } from '../../../pipeline/commands/demo/compare.ts'
import { ledgerHash } from '../../../pipeline/ledger/hash.ts'
import type { Truth } from '../../../sandbox/index.ts'
import { bundleProgram, type Program, programAt } from './program.ts'

/**
 * Well after an hour and well before the next: the venue has a price for every hour that has begun, and a slow machine
 * takes minutes for a round, so that an unharmed run at its end would find another ledger.
 */
const NOW = '2026-06-30T00:10:00Z'
const SPEED = 400

/** The invented past lasts three weeks: what matters here is how often a run can die, not how much it fetches. */
const SINCE = '2026-06-08'
const DAYS = 20

const TRADES = `id,time,account,type,asset,quantity,currency,total,fee,fee_currency
k1,2026-05-01T10:00:00Z,elsewhere,buy,BTC,0.5,USDT,30000,12,USDT
k2,2026-05-02T10:00:00Z,elsewhere,sell,BTC,0.2,USDT,12600,6,USDT
`

/** One command on the way of the books. */
interface Step {
  readonly name: string
  readonly args: readonly string[]
}

const steps = (file: string): readonly Step[] => [
  { name: 'first night', args: ['nightly', '--accounts', 'sub-2', '--from', SINCE] },
  { name: 'second night', args: ['nightly', '--accounts', 'sub-2,classic', '--from', SINCE] },
  { name: 'import', args: ['import', 'trades', file] },
  { name: 'sync', args: ['sync', '--accounts', 'classic', '--feeds', 'tax.p2pRecords,tax.futuresRecords'] },
  { name: 'build', args: ['build'] },
  { name: 'rebuild', args: ['rebuild'] },
]

/** A step as an unharmed run took it. */
export interface Stage extends Step {
  /** Books before the step; to be copied. */
  readonly before: string
  /** Hash of the published ledger, null for none. */
  readonly hashBefore: string | null
  readonly hashAfter: string
  /** How often an unharmed run passed each place where it could be killed. */
  readonly places: Readonly<Record<string, number>>
  readonly ms: number
}

export interface World {
  readonly program: Program
  readonly stages: readonly Stage[]
  /** Books after the last stage; to be copied. */
  readonly finished: string
  /** The arguments with which every command runs on books in a folder, so long after the world began. */
  readonly on: (dir: string, afterMs?: number) => string[]
  /** A folder for a copy of books; who takes it removes it. */
  readonly folder: () => string
  /** What differs from the sandbox's truth in the accounts that the books hold. */
  readonly untrue: (dir: string) => Promise<string[]>
  /** Ends the sandbox and removes everything, unless books that failed are to be kept. */
  readonly close: (keep?: boolean) => Promise<void>
}

async function startSandbox(path: string, init: string): Promise<{ baseUrl: string; process: ChildProcess }> {
  const args = ['sandbox', '--seed', '3', '--days', String(DAYS), '--now', NOW, '--speed', String(SPEED)]
  const child = spawn(process.execPath, [path, ...args, '--json', '--init', init], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  // Also when the torture is stopped half-way.
  process.once('exit', () => void child.kill('SIGKILL'))
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return { baseUrl: (JSON.parse(line) as { baseUrl: string }).baseUrl, process: child }
}

/** Starts the sandbox and takes every step once, unharmed. `only` the first so many steps. */
export async function makeWorld(only = Number.POSITIVE_INFINITY): Promise<World> {
  const home = mkdtempSync(join(tmpdir(), 'tieout-torture-'))
  const path = await bundleProgram()
  const program = programAt(path)
  const books = join(home, 'books')
  mkdirSync(books)
  const sandbox = await startSandbox(path, books)
  const close = async (keep = false): Promise<void> => {
    sandbox.process.kill('SIGTERM')
    await once(sandbox.process, 'exit')
    if (!keep) rmSync(home, { recursive: true, force: true })
  }
  const on = (dir: string, afterMs = 0): string[] => [
    '--dir',
    dir,
    '--now',
    new Date(Date.parse(NOW) + Math.round(afterMs)).toISOString(),
  ]
  let folders = 0
  const folder = (): string => {
    folders += 1
    return join(home, `copy-${folders}`)
  }
  try {
    const trades = join(home, 'trades.csv')
    writeFileSync(trades, TRADES)
    const stages: Stage[] = []
    for (const step of steps(trades).slice(0, only)) {
      const before = join(home, `stage-${stages.length}`)
      cpSync(books, before, { recursive: true })
      const hashBefore = stages.at(-1)?.hashAfter ?? null
      const counts = join(home, 'counts.json')
      const ended = await program([...step.args, ...on(books)], { environment: { TIEOUT_COUNTS: counts } })
      if (ended.code !== 0)
        throw new Error(`An unharmed ${step.name} ended with ${ended.code}:\n${ended.stderr}`)
      stages.push({
        ...step,
        before,
        hashBefore,
        hashAfter: await ledgerHash(join(books, 'ledger.duckdb')),
        places: JSON.parse(readFileSync(counts, 'utf8')) as Record<string, number>,
        ms: ended.ms,
      })
    }
    const untrue = (dir: string): Promise<string[]> => differences(sandbox.baseUrl, dir)
    return { program, stages, finished: books, on, folder, untrue, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function differences(baseUrl: string, dir: string): Promise<string[]> {
  const truth = (await (await fetch(`${baseUrl}/truth`)).json()) as Truth
  const config = parse(readFileSync(join(dir, 'tieout.yaml'), 'utf8')) as {
    accounts: Record<string, { uid: string }>
  }
  const uids = ['sub-2', 'classic'].map((name) => config.accounts[name]?.uid)
  const accounts = truth.accounts.filter(({ uid }) => uids.includes(uid))
  const found = await compareWithTruth(dir, { ...truth, accounts })
  return found.differences.map(({ what, truth: is, ledger }) => `${what}: truth ${is}, ledger ${ledger}`)
}
