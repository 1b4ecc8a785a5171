// A machine whose clock is wrong: of a venue that refuses the time of every request nothing can be had now, and all of it once
// the clock is right; what a venue still remembers by its own clock is never called lost.
import { expect, test } from 'vitest'
import { findEndpoint } from '../../connectors/catalogue.ts'
import { emptyConfig } from '../../pipeline/config/config.ts'
import { booksOfTest, settings, syncFeeds } from '../support/sync.ts'
import { envelope, loopback, refusal, START } from '../support/venue.ts'

const taxRecords = findEndpoint('tax.records')!
const p2p = findEndpoint('tax.p2pRecords')!

const DAY = 86_400_000

test('what the venue still has is fetched, not lost, with a clock that is fifteen days ahead', async () => {
  const since = START - 10 * DAY
  const asked: number[] = []
  const { venue, clock, settle } = await loopback(({ path }, response) => {
    const requestTime = START + clock.monotonic()
    const query = new URL(path, 'http://venue').searchParams
    if (query.has('startTime')) asked.push(Number(query.get('startTime')))
    response.end(envelope(path.startsWith(settings.path) ? { uid: '1001' } : [], { requestTime }))
  })
  clock.wallError = 15 * DAY
  const books = await booksOfTest(clock)
  await settle(
    syncFeeds(books, venue, clock, {
      // By the machine's clock the venue would have forgotten all but the last five of the ten days.
      config: { ...emptyConfig, venue: { ...emptyConfig.venue, retention_days: { [p2p.name]: 20 } } },
      feeds: [p2p],
      since,
    }),
  )
  const said: string[] = []
  const answered: (string | undefined)[] = []
  for await (const { meta } of books.journal.read()) {
    if (meta.kind === 'statement' && meta.feed === p2p.name) said.push(meta.status)
    if (meta.kind === 'page' && meta.feed === settings.name) answered.push(meta.answeredAt)
  }
  expect({ said, from: Math.min(...asked) }).toEqual({ said: [], from: since })
  // A list of how things stand is of the time by the venue's clock, which the frame of its page has.
  expect(answered.map((time) => time?.slice(0, 19))).toEqual(['2026-01-05T03:00:00'])
})

test('one wrong requestTime, months in the past, leaves nothing unrequested', async () => {
  const since = START - 10 * DAY
  const asked: [number, boolean][] = []
  const { venue, clock, settle } = await loopback(({ path }, response) => {
    const { searchParams } = new URL(path, 'http://venue')
    const isSettings = path.startsWith(settings.path)
    if (!isSettings)
      asked.push([Number(searchParams.get('startTime')), Number(searchParams.get('endTime')) >= START])
    const requestTime = START + clock.monotonic() - (isSettings ? 60 * DAY : 0)
    response.end(envelope(isSettings ? { uid: '1001' } : [], { requestTime }))
  })
  const books = await booksOfTest(clock)
  await settle(syncFeeds(books, venue, clock, { feeds: [p2p], since }))
  // The whole of the ten days: the one answer before that has the venue sixty days behind is not believed on its own.
  expect(asked).toEqual([[since, true]])
})

test('a feed whose time is refused twice is pending, not failed, and the run is incomplete', async () => {
  const { venue, clock, settle } = await loopback(({ path }, response) => {
    response.end(
      path.startsWith(settings.path)
        ? envelope({ uid: '1001' })
        : refusal('40008', 'Request timestamp expired'),
    )
  })
  const books = await booksOfTest(clock)
  const result = await settle(
    syncFeeds(books, venue, clock, {
      feeds: [taxRecords],
      since: START - 86_400_000,
    }),
  )
  expect(result.incomplete).toBe(true)
  const statuses = new Set<string>()
  for await (const { meta } of books.journal.read())
    if (meta.kind === 'statement' && meta.feed === 'tax.records') statuses.add(meta.status)
  expect([...statuses]).toEqual(['pending'])
})

test('what is left pending with a clock that is a year ahead ends at the venue’s now: nothing of the future is missing', async () => {
  const { venue, clock, settle } = await loopback(({ path }, response) => {
    const requestTime = START + clock.monotonic()
    response.end(
      path.startsWith(settings.path)
        ? envelope({ uid: '1001' }, { requestTime })
        : refusal('40725', 'service return an error'),
    )
  })
  clock.wallError = 365 * DAY
  const books = await booksOfTest(clock)
  await settle(syncFeeds(books, venue, clock, { feeds: [p2p], since: START - 10 * DAY }))
  const ends: number[] = []
  for await (const { meta } of books.journal.read())
    if (meta.kind === 'statement' && meta.range !== undefined) ends.push(meta.range.end)
  expect(ends.length).toBeGreaterThan(0)
  // The retries of a request take no longer than half a minute.
  expect(Math.max(...ends)).toBeLessThan(START + 60_000)
})
