// How close a backfill comes to the least time that its budget allows, on a clock that the test holds, from the plan to
// the landed rows. `npm run bench -- backfill` measures a whole year in real time.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { INTERVAL_MS, leastRequests, startDenseVenue } from '../../bench/dense-venue.ts'
import { findEndpoint } from '../../connectors/catalogue.ts'
import { openVenue } from '../../connectors/client.ts'
import { defaultProfile } from '../../connectors/profile.ts'
import { openBooks } from '../../pipeline/books/books.ts'
import { syncFeeds } from '../support/sync.ts'
import { access, CountingAgent, HeldClock, START, settle } from '../support/venue.ts'

const DAYS = 360

test('a backfill of 360 dense days takes at most 5 % longer than its budget requires, and is never refused', async () => {
  const clock = new HeldClock()
  const dense = await startDenseVenue(clock.monotonic, clock.wall)
  const agent = new CountingAgent({ headersTimeout: 0, bodyTimeout: 0 })
  const dir = mkdtempSync(join(tmpdir(), 'tieout-backfill-'))
  const books = await openBooks(dir, { clock, command: 'test' })
  const venue = openVenue({
    profile: defaultProfile,
    baseUrl: dense.baseUrl,
    clock,
    random: () => 0.5,
    dispatcher: agent,
  })
  onTestFinished(async () => {
    await venue.close()
    await books.close()
    await agent.destroy()
    dense.close()
    rmSync(dir, { recursive: true, force: true })
  })
  const feed = findEndpoint('tax.records')
  if (feed === undefined) throw new Error('the catalogue lacks it')

  const result = await settle(
    syncFeeds(books, venue, clock, {
      accounts: [{ ...access, name: 'dense', uid: '1' }],
      feeds: [feed],
      since: START - DAYS * 86_400_000,
    }),
    clock,
    agent,
  )

  expect(result.incomplete).toBe(false)
  expect(dense.refused).toBe(0)
  const took = dense.arrivals.at(-1)! - dense.arrivals[0]!
  const least = (leastRequests(feed, DAYS) - 1) * INTERVAL_MS
  expect(took / least).toBeLessThan(1.05)
  expect(result.rows).toBeGreaterThan(feed.partitions.length * DAYS * 57)
}, 120_000)
