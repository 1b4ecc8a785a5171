// A dense year of one account, fetched at the documented rate of one request a second, compared with the
// least time that the budget allows for the requests a perfect reader needs.
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
import { leastRequests, startDenseVenue } from './dense-venue.ts'

export async function run(): Promise<void> {
  const endpoint = findEndpoint('tax.records') as Endpoint
  const settings = findEndpoint(SETTINGS_FEED) as Endpoint
  const dir = mkdtempSync(join(tmpdir(), 'tieout-backfill-'))
  const dense = await startDenseVenue(() => performance.now(), Date.now)
  const books = await openBooks(dir, { clock: systemClock, command: 'bench' })
  const credentials = { key: 'k', secret: 's'.repeat(20), passphrase: 'p'.repeat(20) }
  const venue = openVenue({
    profile: defaultProfile,
    baseUrl: dense.baseUrl,
    clock: systemClock,
    random: Math.random,
  })
  try {
    await sync({
      journal: books.journal,
      landing: books.landing,
      venue,
      venueName: defaultProfile.name,
      config: emptyConfig,
      accounts: [{ name: 'dense', api: credentials, tax: credentials }],
      feeds: endpoints.filter((one) => one === endpoint || one === settings),
      settings,
      clock: systemClock,
      now: () => Date.now(),
      signal: new AbortController().signal,
      command: 'bench',
      progress: () => undefined,
    })
  } finally {
    await venue.close()
    await books.close()
    dense.close()
    rmSync(dir, { recursive: true, force: true })
  }
  const { arrivals, refused } = dense
  const took = ((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0)) / 1_000
  const least = leastRequests(endpoint, 366) - 1
  process.stdout.write(
    `${arrivals.length} requests in ${took.toFixed(1)} s, ${refused} refused; ` +
      `a perfect reader needs ${least + 1} requests, ${least} s: ratio ${(took / least).toFixed(3)}\n`,
  )
}
