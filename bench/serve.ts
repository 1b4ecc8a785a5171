// The page's server over large books: how soon it answers, how long the queries of each view take, how much
// memory it holds, and how soon it notices a new ledger. Every figure is printed beside the page's goal for
// ten million entries.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, renameSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { request } from 'undici'
import { systemClock } from '../models/clock.ts'
import { packageRoot } from '../pipeline/config/root.ts'
import { LEDGER_FILE } from '../pipeline/ledger/publish.ts'
import type { Entries, EntryRow } from '../pipeline/serve/api.ts'
import { buildLargeBooks, inFolder, openLargeBooks } from './built-books.ts'
import { landLargeBooks } from './large-books.ts'
import type { BenchOptions } from './options.ts'

const ENTRIES = 1_000_000
const REPEATS = 20
const MAIN = join(packageRoot, 'dist', 'pipeline', 'main.js')

export const run = ({ entries = ENTRIES, memory, books }: BenchOptions): Promise<void> =>
  inFolder(books, async (dir) => {
    if (!existsSync(join(dir, LEDGER_FILE))) await publish(dir, entries, memory)
    await measure(dir)
  })

async function publish(dir: string, entries: number, memoryLimit: string | undefined): Promise<void> {
  const books = await openLargeBooks(dir, memoryLimit)
  const { rows } = await landLargeBooks(books, entries)
  const { tables } = await buildLargeBooks(dir, books.landing)
  await books.close()
  const published = tables.find(({ table }) => table === 'main.entries')?.rows ?? 0
  process.stdout.write(`${published} entries from ${rows} rows\n`)
}

interface Server {
  readonly origin: string
  readonly headers: Readonly<Record<string, string>>
  readonly pid: number
  readonly startedMs: number
}

async function measure(dir: string): Promise<void> {
  const child = spawn(process.execPath, [MAIN, 'serve', '--port', '0', '--no-open', '--json', '--dir', dir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const begun = performance.now()
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
    const { url } = JSON.parse(line) as { url: string }
    const { headers } = await request(url)
    const [, secret = ''] = /=([^;]+)/.exec(String(headers['set-cookie'])) ?? []
    const server: Server = {
      origin: new URL(url).origin,
      headers: { authorization: `Bearer ${secret}` },
      pid: child.pid as number,
      startedMs: performance.now() - begun,
    }
    say('answers after the start', server.startedMs, 1_500)
    await views(server)
    say('memory of the server, MB', residentMb(server.pid), 250)
    await republished(server, dir)
  } finally {
    child.kill()
    await once(child, 'exit')
  }
}

async function views(server: Server): Promise<void> {
  const { entries: first } = await get<Entries>(server, '/api/entries')
  const [newest] = first.rows as [EntryRow]
  const { account, ledger, coin } = newest
  const narrow = `account=${account}&ledger=${ledger}&coin=${coin}`
  const questions: readonly (readonly [string, string, number])[] = [
    ['overview', '/api/overview', 300],
    ['accounts', '/api/accounts', 300],
    ['balance by day', `/api/accounts/history?${narrow}`, 300],
    ['ledger, newest page', '/api/entries', 150],
    ['ledger, next page', `/api/entries?cursor=${encodeURIComponent(first.next ?? '')}`, 150],
    ['ledger, one coin and kind', `/api/entries?${narrow}&kind=trade`, 500],
    ['ledger, counts of facets', '/api/entries/facets', 300],
    ['ledger, by id', `/api/entries?id=${encodeURIComponent(newest.entry_id)}`, 1_000],
    ['proof of an entry', `/api/proof?id=${encodeURIComponent(newest.entry_id)}`, 1_000],
    ['open lots', '/api/lots', 300],
    ['gains', '/api/gains', 300],
    ['breaks', '/api/breaks', 300],
    ['coverage', '/api/coverage', 300],
    ['runs', '/api/runs', 300],
    ['dictionary', '/api/dictionary', 300],
  ]
  for (const [name, path, goal] of questions) {
    const times: number[] = []
    for (let count = 0; count < REPEATS; count += 1) {
      const begun = performance.now()
      await get(server, path)
      times.push(performance.now() - begun)
    }
    const sorted = times.toSorted((one, other) => one - other)
    say(name, sorted[Math.floor(REPEATS * 0.95) - 1] as number, goal, sorted.at(-1))
  }
}

/** From the moment that a new file replaces the old one. */
async function republished(server: Server, dir: string): Promise<void> {
  const publication = async (): Promise<string> =>
    (await get<{ stamp: { publication: string } }>(server, '/api/about')).stamp.publication
  const before = await publication()
  const next = join(dir, 'ledger.next')
  // Not in one go: the other side closes connections that are idle meanwhile.
  await copyFile(join(dir, 'ledger.duckdb'), next)
  renameSync(next, join(dir, 'ledger.duckdb'))
  const begun = performance.now()
  while ((await publication()) === before) await systemClock.sleep(20)
  say('a new ledger is noticed', performance.now() - begun, 2_000)
}

async function get<T>({ origin, headers }: Server, path: string): Promise<T> {
  const { statusCode, body } = await request(`${origin}${path}`, { headers })
  if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${await body.text()}`)
  return (await body.json()) as T
}

/**
 * Milliseconds unless the name states otherwise; for repeated queries the 95th of a hundred, and the slowest.
 */
function say(name: string, found: number, goal: number, slowest?: number): void {
  const most = slowest === undefined ? '' : `, at most ${slowest.toFixed(0)}`
  process.stdout.write(
    `${name.padEnd(28)} ${found.toFixed(0).padStart(6)}${most.padEnd(16)} goal ${String(goal).padStart(5)}: ${(found / goal).toFixed(2)} of it\n`,
  )
}

function residentMb(pid: number): number {
  const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1])
  return (pages * 4_096) / 2 ** 20
}
