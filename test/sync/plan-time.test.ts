// What a plan says that a run takes, held against a run on a clock that the test holds: both ask the same budgets.
import { describe, expect, test } from 'vitest'
import { leastMs } from '../../connectors/budgets.ts'
import { asConfigured } from '../../pipeline/books/night.ts'
import { budgetOverrides, type Config, emptyConfig } from '../../pipeline/config/config.ts'
import { planRun } from '../../pipeline/sync/plan-run.ts'
import { booksOfTest, settings, syncFeeds } from '../support/sync.ts'
import { access, envelope, loopback, START } from '../support/venue.ts'

const DAY = 86_400_000

/** Plans and runs the v2 tax feeds, or others, of 359 empty days for accounts of these names, all of one uid. */
async function planAndRun(
  venueConfig: Partial<Config['venue']>,
  names: readonly string[] = ['main'],
  which = /^tax\.(futures|p2p)Records$/,
) {
  const accounts = Object.fromEntries(
    names.map((name) => [name, { uid: '1001', credentials: 'env' as const }]),
  )
  const config: Config = { ...emptyConfig, venue: { ...emptyConfig.venue, ...venueConfig }, accounts }
  const { venue, clock, received, settle } = await loopback(
    // Which uid it is, the configuration says alone: two accounts for which the venue tells one are not both read.
    ({ path }, response) =>
      void response.end(envelope(path.startsWith(settings.path) ? { accountMode: 'unified' } : [])),
    { budgets: budgetOverrides(config) },
  )
  const books = await booksOfTest(clock)
  const feeds = asConfigured(config).filter(({ name }) => which.test(name))
  const since = START - 359 * DAY
  const plan = await planRun({
    landing: books.landing,
    config,
    accounts: names,
    feeds,
    since,
    now: clock.wall,
  })
  await settle(
    syncFeeds(books, venue, clock, {
      config,
      accounts: names.map((name) => ({ ...access, name })),
      feeds: [...feeds],
      since,
    }),
  )
  const asked = received.filter(({ path }) => !path.startsWith(settings.path))
  const tookMs = asked.at(-1)!.at - asked[0]!.at
  return { plan, requests: asked.length, tookMs }
}

describe('the minutes in a plan', () => {
  const rate = { count: 1, per_ms: 1_000 }
  test.each<[string, Config['venue']['budgets'], string[], number, number, [number, number]]>([
    ['share one budget over both feeds', {}, ['main'], 48, 0.8, [48, 1_000]],
    [
      'follow the strictest rate of a group',
      { 'tax.p2pRecords': { count: 1, per_ms: 3_000 } },
      ['main'],
      48,
      2.4,
      [48, 3_000],
    ],
    [
      'are those of the slower feed where the configuration parts them',
      { 'tax.p2pRecords': { ...rate, group: 'p2p' } },
      ['main'],
      48,
      0.6,
      [36, 1_000],
    ],
    [
      'count keys of one uid together, whatever the accounts are called',
      {},
      ['main', 'other'],
      96,
      1.6,
      [96, 1_000],
    ],
  ])(
    '%s, as a run does',
    async (_what, budgets, names, requests, minutes, slowest) => {
      const found = await planAndRun({ budgets }, names)
      expect(found.requests).toBe(requests)
      expect(found.plan).toMatchObject({ requests, minutes })
      // The first request waits for nothing, and each one takes its slot two milliseconds longer than the interval.
      const [busiest, intervalMs] = slowest
      expect(busiest * intervalMs).toBe(minutes * 60_000)
      expect(found.tookMs).toBeGreaterThanOrEqual((busiest - 1) * intervalMs)
      // Where two budgets run side by side the held clock runs on while one of them writes to the disk.
      expect(found.tookMs).toBeLessThan(busiest === requests ? busiest * intervalMs : requests * intervalMs)
    },
    120_000,
  )
})

test('a span that the configuration widens is planned, walked and requested; the others stay as documented', async () => {
  const found = await planAndRun({ span_days: { 'tax.futuresRecords': 90 } })
  // 359 days of three product lines in windows of 90 days, and of P2P in windows of 30.
  expect(found.requests).toBe(3 * 4 + 12)
  expect(found.plan.requests).toBe(3 * 4 + 12)
})

test('the minutes in a plan follow the configured budget of the address', async () => {
  const config: Config = {
    ...emptyConfig,
    venue: { ...emptyConfig.venue, ip_budget: { count: 1, per_ms: 5_000 } },
  }
  const feeds = asConfigured(config).filter(({ name }) => /^tax\.(futures|p2p)Records$/.test(name))
  const since = START - 359 * DAY
  const names = ['main', 'other']
  const plan = await planRun({ landing: null, config, accounts: names, feeds, since, now: () => START })
  // 48 requests of each account, one in five seconds.
  expect(plan).toMatchObject({ requests: 96, minutes: 8, accounts: [{ minutes: 4 }, { minutes: 4 }] })
})

test('an account’s share of a plan is its own partitions, requests and time', async () => {
  const { plan } = await planAndRun({}, ['main', 'other'], /^(tax\.(futures|p2p)Records|futures\.contracts)$/)
  expect(plan.accounts).toMatchObject([
    { account: 'main', requests: 51, minutes: 0.8 },
    { account: 'other', requests: 48, minutes: 0.8 },
  ])
  for (const { account, partitions } of plan.accounts)
    expect(plan.partitions.filter((one) => one.account === account)).toHaveLength(partitions)
})

test('public data is planned for the first account only, as a run requests it once', async () => {
  const found = await planAndRun({}, ['main', 'other'], /^futures\.contracts$/)
  expect([found.plan.requests, found.requests]).toEqual([3, 3])
})

test('many accounts take at least as long as the budget of the address, which they all share, requires', () => {
  const spending = (nth: number) => ({ key: `feed of ${nth}`, rate: { count: 1, perMs: 1_000 } })
  const requests = (accounts: number) =>
    Array.from({ length: accounts }, (_, nth) => ({ spending: spending(nth), count: 60 }))
  const address = { count: 100, perMs: 1_000 }
  expect(leastMs(requests(100), address)).toBe(60_000)
  expect(leastMs(requests(200), address)).toBe(120_000)
  expect(leastMs([...requests(1), ...requests(1)], address)).toBe(120_000)
})
