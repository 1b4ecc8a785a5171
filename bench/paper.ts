// What a printed report costs: the documents of a statement and of a tax return over a year with ten thousand
// disposals, each produced by a separate process as from the command line, first while the ledger has not
// been hashed and then again. For comparison, from the same run, Node's own start and the same lines of gains
// and of the statement as CSV.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packageRoot } from '../pipeline/config/root.ts'
import { openLedger } from '../pipeline/ledger/ledger.ts'
import { buildLargeBooks, openLargeBooks } from './built-books.ts'
import { landLargeBooks } from './large-books.ts'
import type { BenchOptions } from './options.ts'

/** Produces some ten thousand pieces of disposals. */
const ENTRIES = 40_000
const GOAL_SECONDS = 10
const MAIN = join(packageRoot, 'dist', 'pipeline', 'main.js')
/** Reports at the end of the process how long it has worked. */
const TELLS_USAGE = `data:text/javascript,process.on('exit',()=>process.stderr.write('\\n'+JSON.stringify(process.cpuUsage())))`

export async function run({ entries = ENTRIES, memory }: BenchOptions): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'tieout-paper-'))
  try {
    await publish(dir, entries, memory)
    measure(dir)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

async function publish(dir: string, entries: number, memoryLimit: string | undefined): Promise<void> {
  const books = await openLargeBooks(dir, memoryLimit)
  try {
    await landLargeBooks(books, entries)
    await buildLargeBooks(dir, books.landing, {
      config: { accounts: [], publishPersonalData: false, reportingCurrency: 'USDT' },
    })
  } finally {
    await books.close()
  }
  const ledger = await openLedger(dir)
  const [counts] = await ledger.query(
    'select (select count(*) from entries), (select count(*) from disposals)',
  )
  ledger.close()
  process.stdout.write(`${counts?.[0]} entries, ${counts?.[1]} pieces of disposals\n`)
}

function measure(dir: string): void {
  const report = (...words: readonly string[]): Taken => {
    const out = join(dir, `out.${words.at(-1)}`)
    const taken = timed([MAIN, 'report', ...words, '--dir', dir, '--out', out])
    return { ...taken, bytes: statSync(out).size }
  }
  const node = timed(['-e', '0'])
  say('node -e 0', node, node)
  const lines = [report('gains', '--format', 'csv'), report('statement', '--format', 'csv')] as const
  const reference: Taken = {
    cpuSeconds: lines[0].cpuSeconds + lines[1].cpuSeconds,
    seconds: lines[0].seconds + lines[1].seconds,
    bytes: lines[0].bytes + lines[1].bytes,
  }
  say('gains and statement, CSV', reference, reference)
  const statement = ['statement', '--format', 'html'] as const
  say('statement, the first', report(...statement), reference, GOAL_SECONDS)
  say('statement, again', report(...statement), reference, GOAL_SECONDS)
  for (const rules of ['us', 'de'])
    say(
      `taxes 2025, rules ${rules}`,
      report('taxes', '--year', '2025', '--rules', rules, '--format', 'html'),
      reference,
      GOAL_SECONDS,
    )
}

interface Taken {
  readonly seconds: number
  /** Of all threads, including Node's start. */
  readonly cpuSeconds: number
  readonly bytes: number
}

function timed(args: readonly string[]): Taken {
  const begun = performance.now()
  const { status, stderr } = spawnSync(process.execPath, ['--import', TELLS_USAGE, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`)
  const { user, system } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '{}')
  return { seconds: (performance.now() - begun) / 1_000, cpuSeconds: (user + system) / 1e6, bytes: 0 }
}

function say(name: string, { seconds, cpuSeconds, bytes }: Taken, reference: Taken, goal?: number): void {
  const ratio = cpuSeconds / reference.cpuSeconds
  process.stdout.write(
    `${name.padEnd(26)} ${seconds.toFixed(2).padStart(6)} s, of the processor ${cpuSeconds.toFixed(2).padStart(6)} s ` +
      `(${ratio.toFixed(1)} of the reference), ${(bytes / 1e6).toFixed(2)} MB` +
      (bytes === 0 || reference.bytes === 0 ? '' : ` (${(bytes / reference.bytes).toFixed(1)})`) +
      (goal === undefined ? '\n' : `; goal ${goal} s: ${(cpuSeconds / goal).toFixed(2)} of it\n`),
  )
}
