// A machine whose clock is behind the venue's asks, on its first night, for what the venue has just forgotten. Killed before
// it could say so, it must not warn of that for ever.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect, onTestFinished, test } from 'vitest'
import { findEndpoint } from '../../connectors/catalogue.ts'
import { openVenue } from '../../connectors/client.ts'
import { defaultProfile } from '../../connectors/profile.ts'
import { openBooks } from '../../pipeline/books/books.ts'
import { emptyConfig } from '../../pipeline/config/config.ts'
import type { Journal } from '../../pipeline/journal/frame.ts'
import { buildLedger } from '../../pipeline/ledger/build.ts'
import { settings, syncFeeds } from '../support/sync.ts'
import { CountingAgent, envelope, loopback, START, settle } from '../support/venue.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** One window, so that the first page asked for reaches back to what the venue has just forgotten. */
const KEPT_DAYS = 6

const p2p = findEndpoint('tax.p2pRecords')!

const record = (ts: number) => ({
  id: String(ts),
  coin: 'USDT',
  p2pTaxType: 'transfer_in',
  balance: '1',
  ts: String(ts),
})

/** What a process that dies there leaves: everything before it is in the journal, nothing after it. */
class Died extends Error {}

/** Books and a venue that keeps two records of the last days; what was asked for beyond its memory, and nights. */
async function venueAndBooks() {
  const config = {
    ...emptyConfig,
    venue: { ...emptyConfig.venue, retention_days: { [p2p.name]: KEPT_DAYS } },
  }
  const tooOld: string[] = []
  const { clock, baseUrl } = await loopback(({ path }, response) => {
    const now = START + clock.monotonic()
    const query = new URL(path, 'http://venue').searchParams
    const start = Number(query.get('startTime') ?? now)
    if (start < now - KEPT_DAYS * DAY) {
      tooOld.push(path)
      response.statusCode = 400
      response.end(
        envelope(null, {
          code: '40704',
          msg: 'Can only check the data of the last 6 days',
          requestTime: now,
        }),
      )
      return
    }
    const rows = [START - DAY, START - 2 * DAY].filter(
      (ts) => ts >= start && ts <= Number(query.get('endTime')) && !query.has('idLessThan'),
    )
    response.end(
      envelope(path.startsWith(settings.path) ? { uid: '1001', accountMode: 'unified' } : rows.map(record), {
        requestTime: now,
      }),
    )
  })
  const dir = mkdtempSync(join(tmpdir(), 'tieout-clock-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const night = async (wrapped: (journal: Journal) => Journal = (journal) => journal): Promise<void> => {
    const agent = new CountingAgent({ headersTimeout: 0, bodyTimeout: 0 })
    const venue = openVenue({
      profile: defaultProfile,
      baseUrl,
      clock,
      random: () => 0.5,
      dispatcher: agent,
    })
    const books = await openBooks(dir, { clock, command: 'test' })
    try {
      await settle(
        syncFeeds(books, venue, clock, {
          journal: wrapped(books.journal),
          config,
          feeds: [p2p],
        }),
        clock,
        agent,
      )
      await buildLedger({
        dir,
        landing: books.landing,
        now: new Date(clock.wall()),
        clock,
        config: { accounts: [], publishPersonalData: false },
        only: ['coverage', 'checks.coverage'],
      })
    } finally {
      await venue.close()
      await agent.destroy()
      await books.close()
    }
  }

  return { clock, dir, tooOld, night }
}

test.each([
  ['before it can say what was too old', 'statement'],
  ['on the second page', 'page'],
] as const)(
  'a first backfill with a clock an hour behind, killed %s, leaves no warning',
  async (_when, at) => {
    const { clock, dir, tooOld, night } = await venueAndBooks()
    clock.wallError = -HOUR
    let pages = 0
    const dying = night((journal) => ({
      ...journal,
      append: async (meta, body) => {
        if (meta.kind === 'page' && meta.feed === p2p.name) pages += 1
        const isThere = at === 'page' ? pages === 2 : meta.kind === 'statement' && meta.status === 'lost'
        if (isThere) throw new Died()
        return journal.append(meta, body)
      },
    }))
    await expect(dying).rejects.toThrow(Died)

    for (let count = 1; count <= 3; count += 1) {
      await clock.advance(DAY)
      await night()
      expect(await breaks(dir), `night ${count}`).toEqual(['notice coverage'])
    }
    expect(tooOld).toEqual([])
  },
)

test.each([
  [3, ['notice coverage']],
  // Before the books begin: of the days between nobody has said a word, and the next night does.
  [10, ['notice coverage', 'warning coverage']],
])(
  'a night with a clock %s days behind requests what has expired at the venue: that was lost before the books, and no later night warns of it',
  async (days, meanwhile) => {
    const { clock, dir, tooOld, night } = await venueAndBooks()
    await night()
    expect(await breaks(dir)).toEqual([])
    clock.wallError = -days * DAY
    await night()
    expect(tooOld).toHaveLength(1)
    expect(await breaks(dir)).toEqual(meanwhile)
    clock.wallError = 0
    await clock.advance(DAY)
    await night()
    expect(await breaks(dir)).toEqual(['notice coverage'])
  },
)

async function breaks(dir: string): Promise<string[]> {
  const instance = await DuckDBInstance.create(join(dir, 'ledger.duckdb'), { access_mode: 'READ_ONLY' })
  const connection = await instance.connect()
  const reader = await connection.runAndReadAll(
    "select severity || ' ' || check_name from breaks where status = 'open' order by 1",
  )
  const rows = reader.getRows().map(([row]) => String(row))
  connection.closeSync()
  instance.closeSync()
  return rows
}
