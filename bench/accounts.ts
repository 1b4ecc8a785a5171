// Many accounts in one process, each fetched at the documented rate of one request a second, compared with
// the least time that these budgets allow; the venue counts requests that come too early. With `--failing N`,
// N further accounts fail, in every possible way. The budget per address is raised, because all accounts
// share it: at the documented rate it alone would be measured.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endpoints, findEndpoint } from '../connectors/catalogue.ts'
import { openVenue } from '../connectors/client.ts'
import type { Endpoint } from '../connectors/endpoint.ts'
import { defaultProfile } from '../connectors/profile.ts'
import { systemClock } from '../models/clock.ts'
import { openBooks } from '../pipeline/books/books.ts'
import { emptyConfig } from '../pipeline/config/config.ts'
import { SETTINGS_FEED } from '../pipeline/sync/account.ts'
import { sync } from '../pipeline/sync/sync.ts'
import { INTERVAL_MS } from './dense-venue.ts'
import type { Counted } from './many-venue.ts'
import type { BenchOptions } from './options.ts'

const ACCOUNTS = 1_000
const DAYS = 35
const DAY_MS = 86_400_000

export async function run({ accounts: count = ACCOUNTS, failing = 0 }: BenchOptions): Promise<void> {
  const feed = findEndpoint('tax.records') as Endpoint
  const settings = findEndpoint(SETTINGS_FEED) as Endpoint
  const child = fork(new URL('./many-venue.js', import.meta.url))
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  const dir = mkdtempSync(join(tmpdir(), 'tieout-accounts-'))
  const books = await openBooks(dir, { clock: systemClock, command: 'bench' })
  const venue = openVenue({
    profile: { ...defaultProfile, ipRate: { scope: 'ip', count: 2 * (count + failing), perMs: INTERVAL_MS } },
    baseUrl: `http://127.0.0.1:${port}`,
    clock: systemClock,
    random: Math.random,
    quietSince: 0,
  })
  // The failing accounts are placed among the others, not after them.
  const every = failing === 0 ? 0 : (count + failing) / failing
  const accounts = Array.from({ length: count + failing }, (_, place) => {
    const nth = every === 0 ? 0 : Math.floor((place + 1) / every) - Math.floor(place / every)
    const key = nth > 0 ? `fails-${Math.floor((place + 1) / every)}` : `key-${String(place).padStart(6, '0')}`
    const credential = {
      key,
      secret: `secret-${place}`.padEnd(32, 's'),
      passphrase: `phrase-${place}`.padEnd(16, 'p'),
    }
    return { name: `account-${place}`, api: credential, tax: credential }
  })
  let [peak, began] = [0, 0]
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }, 200)
  const spent = process.cpuUsage()
  let counted: Counted
  try {
    began = performance.now()
    await sync({
      journal: books.journal,
      landing: books.landing,
      venue,
      venueName: defaultProfile.name,
      config: emptyConfig,
      accounts,
      feeds: endpoints.filter((one) => one === feed || one === settings),
      settings,
      since: Date.now() - DAYS * DAY_MS,
      clock: systemClock,
      now: () => Date.now(),
      signal: new AbortController().signal,
      command: 'bench',
      progress: () => undefined,
    })
    const answered = once(child, 'message')
    child.send('end')
    counted = ((await answered) as [Counted])[0]
  } finally {
    clearInterval(watch)
    await venue.close()
    await books.close()
    child.kill()
    rmSync(dir, { recursive: true, force: true })
  }
  const { user, system } = process.cpuUsage(spent)
  const each = counted.requests / count
  const least = ((each - 1) * INTERVAL_MS) / 1_000
  const took = counted.tookMs / 1_000
  process.stdout.write(
    `${count} accounts${failing === 0 ? '' : ` beside ${failing} that fail`}, ${counted.requests} requests, ${each} each: ${took.toFixed(1)} s from the first to the last, ` +
      `where the budgets allow ${least.toFixed(0)} s: ${((100 * least) / took).toFixed(0)} % of what they allow\n` +
      `${((performance.now() - began) / 1_000).toFixed(1)} s with planning and landing, ${((user + system) / 1e6).toFixed(1)} s of processor, ` +
      `${(peak / 2 ** 20).toFixed(0)} MB; ${counted.early} came too early\n`,
  )
}
