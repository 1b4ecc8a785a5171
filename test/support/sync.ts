// Books of one test, and a run that fetches feeds into them from a separate venue.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { findEndpoint } from '../../connectors/catalogue.ts'
import { defaultProfile } from '../../connectors/profile.ts'
import type { Venue } from '../../connectors/venue.ts'
import type { Clock } from '../../models/clock.ts'
import { type Books, openBooks } from '../../pipeline/books/books.ts'
import { emptyConfig } from '../../pipeline/config/config.ts'
import { SETTINGS_FEED } from '../../pipeline/sync/account.ts'
import { type SyncOptions, type SyncResult, sync } from '../../pipeline/sync/sync.ts'
import { access } from './venue.ts'

export const settings = findEndpoint(SETTINGS_FEED)!

/** Empty books in a separate folder; both are removed when the test has ended. */
export async function booksOfTest(clock: Clock): Promise<Books> {
  const dir = mkdtempSync(join(tmpdir(), 'tieout-sync-'))
  const books = await openBooks(dir, { clock, command: 'test' })
  onTestFinished(async () => {
    await books.close()
    rmSync(dir, { recursive: true, force: true })
  })
  return books
}

/** Fetches these feeds, and the settings, for the only account of the tests' venue; `wanted` overrides the defaults. */
export const syncFeeds = (
  { journal, landing }: Books,
  venue: Venue,
  clock: Clock,
  { feeds, ...wanted }: Pick<SyncOptions, 'feeds'> & Partial<SyncOptions>,
): Promise<SyncResult> =>
  sync({
    journal,
    landing,
    venue,
    venueName: defaultProfile.name,
    config: emptyConfig,
    accounts: [access],
    feeds: [settings, ...feeds],
    settings,
    clock,
    now: clock.wall,
    signal: new AbortController().signal,
    command: 'test',
    progress: () => undefined,
    ...wanted,
  })
