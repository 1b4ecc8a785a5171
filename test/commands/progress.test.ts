// The progress that a run reports without a terminal: the rate, and the time that the budgets need for the rest.
import { expect, test } from 'vitest'
import { settings } from '../../connectors/endpoints/account.ts'
import { openOrders } from '../../connectors/endpoints/trade.ts'
import { openConfiguredVenue } from '../../pipeline/books/night.ts'
import { lines, SoFar } from '../../pipeline/commands/progress.ts'
import { emptyConfig } from '../../pipeline/config/config.ts'
import { access, loopback, refusal, reply } from '../support/venue.ts'

function world(level = 'warn') {
  const told: string[] = []
  let now = 0
  const clock = { wall: () => now, monotonic: () => now, sleep: async () => undefined }
  const display = lines(
    { clock, tell: (text) => told.push(text), log: { level } as never },
    new SoFar(clock, emptyConfig),
  )
  const page = (at: number): void => {
    now = at
    display.report({ kind: 'page', account: 'main', feed: 'tax.records', rows: 5, done: 0 })
  }
  return { told, display, page }
}

test('progress: without a terminal, a line every ten seconds has requests, rows, rate and the time that the budget needs', () => {
  const { told, display, page } = world()
  // Tax records allow one request a second.
  display.report({ kind: 'planned', account: 'main', feed: 'tax.records', requests: 100 })
  for (let second = 1; second <= 20; second += 1) page(second * 1000)
  expect(told).toEqual([
    'Fetching: 10 of 100 requests, 50 rows, 1/s, at least 1 min left.',
    'Fetching: 20 of 100 requests, 100 rows, 1/s, at least 1 min left.',
  ])
})

test('progress: accounts spend separate budgets in parallel', () => {
  const clock = { monotonic: () => 0 }
  const so = new SoFar(clock, emptyConfig)
  for (const account of ['one', 'other'])
    so.note({ kind: 'planned', account, feed: 'tax.records', requests: 30 })
  expect(so.leftMs).toBe(30_000)
  so.note({ kind: 'finished', account: 'one', feed: 'tax.records', status: 'pending' })
  expect([so.planned, so.leftMs]).toEqual([30, 30_000])
})

test('progress: the budget of the address, which all accounts share, is the configured one', () => {
  const config = { ...emptyConfig, venue: { ...emptyConfig.venue, ip_budget: { count: 1, per_ms: 2_000 } } }
  const so = new SoFar({ monotonic: () => 0 }, config)
  for (const account of ['one', 'other'])
    so.note({ kind: 'planned', account, feed: 'tax.records', requests: 30 })
  expect(so.leftMs).toBe(120_000)
})

test('progress: a feed that ended badly is reported immediately; one that went well only in a log', () => {
  const plain = world()
  const log = world('info')
  for (const { display } of [plain, log])
    for (const status of ['done', 'failed'])
      display.report({ kind: 'finished', account: 'main', feed: 'tax.records', status })
  expect(plain.told).toEqual(['main tax.records: failed, 0 rows in 0 requests'])
  expect(log.told).toEqual([
    'main tax.records: done, 0 rows in 0 requests',
    'main tax.records: failed, 0 rows in 0 requests',
  ])
})

test('progress: a pause of all requests is reported when it begins', async () => {
  const { told, display } = world()
  const { clock, baseUrl } = await loopback(reply(429, refusal('429'), { 'retry-after': '300' }))
  const silent = { debug: () => undefined, warn: () => undefined }
  const venue = openConfiguredVenue(
    { clock, log: silent, signal: new AbortController().signal } as never,
    { ...emptyConfig, venue: { ...emptyConfig.venue, base_url: baseUrl } },
    [],
    {},
    (text) => display.report({ kind: 'note', text }),
  )
  const account = venue.account(access)
  const asked = Promise.allSettled([account.request(settings, {}), account.request(openOrders, {})])
  // The budgets of an earlier process may have been spent.
  await clock.advance(1_000)
  await asked
  await venue.close()
  expect(told).toEqual([
    'The venue refuses requests on several budgets because of their number, and may have blocked this address: nothing is sent for ' +
      '5 minutes, until 2026-01-05T03:05:01.000Z, and then one more attempt is made. Press Ctrl-C to stop; what has landed is kept.',
  ])
})
