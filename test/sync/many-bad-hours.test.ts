// A venue that can never answer for many separate hours of one list: each night settles more of what is around them, and
// each of them is requested again. On a clock that the test holds.
import { expect, test } from 'vitest'
import { findEndpoint } from '../../connectors/catalogue.ts'
import { difference, union } from '../../models/ranges.ts'
import { inTurn } from '../../pipeline/sync/passed-over.ts'
import { booksOfTest, settings, syncFeeds } from '../support/sync.ts'
import { access, envelope, loopback, refusal, reply, START } from '../support/venue.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const feed = { ...findEndpoint('tax.records')!, partitions: [{ label: 'SPOT', params: { bizType: 'SPOT' } }] }
const refused = reply(400, refusal('99999'))

/** Books whose venue refuses what contains one of these instants; a night ends with the hours that are missing. */
async function badBooks(bad: Set<number>, since: number) {
  let asked = 0
  const { venue, clock, settle } = await loopback((request, response, count) => {
    if (request.path.startsWith(settings.path)) return void response.end(envelope({ uid: '1' }))
    const query = new URL(request.path, 'http://venue').searchParams
    const [from, to] = [Number(query.get('startTime')), Number(query.get('endTime'))]
    asked += 1
    if ([...bad].some((at) => from <= at && at <= to)) return refused(request, response, count)
    response.end(envelope([]))
  })
  const books = await booksOfTest(clock)
  let nights = 0
  return async () => {
    asked = 0
    const now = START + nights * DAY
    nights += 1
    await settle(
      syncFeeds(books, venue, clock, {
        accounts: [{ ...access, uid: '1' }],
        feeds: [feed],
        now: () => now,
        since,
      }),
    )
    const covered = union(await books.landing.covered(access.name, feed.name, 'SPOT'))
    const gaps = difference([{ start: since, end: START }], covered)
    return { asked, gaps, hours: gaps.reduce((sum, { start, end }) => sum + end - start, 0) / HOUR }
  }
}

test('however many windows contain one, each night settles more of them', async () => {
  // Every half of every window from the tenth day on contains one.
  const bad = new Set(Array.from({ length: 50 }, (_, nth) => START - (10.2 + nth * 3.27) * DAY))
  const night = await badBooks(bad, START - 174 * DAY)

  const nights = [await night(), await night(), await night()]

  expect(nights[0]!.hours).toBeLessThan((174 - 10) * 24)
  for (const [nth, { hours, asked }] of nights.entries()) {
    // Sixty parts are some seven hours, and there are two to each window of a week.
    if (nth > 0) expect(hours).toBeLessThan(nights[nth - 1]!.hours - 2 * 7 * 24)
    expect(asked).toBeLessThan(250)
  }

  bad.clear()
  expect((await night()).gaps).toEqual([])
}, 120_000)

test('what cannot be fetched at all keeps the others from their turn on some nights only', async () => {
  const alone = Array.from({ length: 5 }, (_, nth) => START - (20 + nth * 21) * DAY)
  // Two weeks of which nothing arrives are far more parts than a night requests, from one window into two others.
  const weeks = Array.from({ length: 4 * 14 * 24 }, (_, nth) => START - 170 * DAY + nth * (HOUR / 4))
  const night = await badBooks(new Set([...alone, ...weeks]), START - 174 * DAY)

  let left = await night()
  for (let nth = 0; nth < 7 && left.hours > 15 * 24; nth += 1) left = await night()

  expect(left.hours).toBeLessThan(15 * 24)
  expect(left.gaps.filter(({ end }) => end > START - 150 * DAY)).toHaveLength(alone.length)
}, 120_000)

test('of more than a night requests again, each has its turn', async () => {
  const bad = new Set(Array.from({ length: 70 }, (_, nth) => START - 8 * DAY - nth * 4 * HOUR))
  const night = await badBooks(bad, START - 22 * DAY)
  let left = await night()
  for (let nth = 0; nth < 9 && left.hours > 70; nth += 1) left = await night()
  expect(left.gaps).toHaveLength(70)

  // What the venue can answer again is the newest of them; all others are requested before it.
  bad.delete(START - 8 * DAY)
  for (let nth = 0; nth < 5 && left.gaps.length === 70; nth += 1) left = await night()
  expect(left.gaps).toHaveLength(69)
}, 120_000)

test.each([1, 7, 14, 30])('runs every %i days begin with each of what was skipped in its turn', (rhythm) => {
  for (const count of [1, 2, 7, 24, 70]) {
    const skipped = Array.from({ length: count }, (_, nth) => nth)
    const begun = new Set<number>()
    // Evenly spread, each comes within a few times as many runs as there are.
    for (let run = 0; run < 4 * count; run += 1) {
      const list = inTurn(skipped, START + run * rhythm * DAY)
      expect(list.toSorted((a, b) => a - b)).toEqual(skipped)
      begun.add(list[0]!)
    }
    expect(begun.size).toBe(count)
  }
})
