// Many accounts in one run, some of which fail, each in its own way: what fails concerns nobody else, and the budget of the
// address is shared fairly. On a clock that the test holds.
import { expect, test } from 'vitest'
import type { AccountAccess } from '../../connectors/access.ts'
import { findEndpoint } from '../../connectors/catalogue.ts'
import { defaultProfile } from '../../connectors/profile.ts'
import type { SyncResult } from '../../pipeline/sync/sync.ts'
import { booksOfTest, settings, syncFeeds } from '../support/sync.ts'
import { envelope, type Handler, loopback, type Received, refusal, reply, START } from '../support/venue.ts'

const taxRecords = findEndpoint('tax.records')!
const DAY = 86_400_000
const SINCE = START - 20 * DAY

/** What the venue answers to an account, and what the run says of its records. */
interface Way {
  readonly settings?: Handler
  readonly feed?: Handler
  readonly says: string
}

const hangUp: Handler = (_request, response) => void response.socket?.destroy()

const WAYS: Readonly<Record<string, Way>> = {
  'a key that is not known': {
    settings: reply(400, refusal('40006')),
    feed: reply(400, refusal('40006')),
    says: 'failed',
  },
  'a signature that is wrong': { feed: reply(400, refusal('40009')), says: 'failed' },
  'an address that is not allowed': { settings: reply(400, refusal('40018')), says: 'failed' },
  'a key without the permission': { feed: reply(400, refusal('40014')), says: 'failed' },
  'a time that is refused': { feed: reply(400, refusal('40008')), says: 'pending' },
  'an answer that is no JSON': { feed: reply(200, '<html>maintenance</html>'), says: 'pending' },
  'a code that is not known': { feed: reply(400, refusal('99999')), says: 'pending' },
  'a rate that is exceeded for ever': { feed: reply(429, refusal('429')), says: 'pending' },
  'a server error': { feed: reply(502, 'bad gateway'), says: 'pending' },
  'another server error': { feed: reply(503, ''), says: 'pending' },
  'a third server error': { feed: reply(500, refusal('40725')), says: 'pending' },
  'connections that break': { settings: hangUp, says: 'pending' },
  'feeds whose connections break': { feed: hangUp, says: 'pending' },
  'an account that is another': { settings: reply(200, envelope({ uid: '666' })), says: 'failed' },
}

const failing = Object.keys(WAYS)
const healthy = Array.from({ length: 36 }, (_, nth) => `healthy ${nth}`)
const names = healthy.flatMap((name, nth) => [name, ...(failing[nth] === undefined ? [] : [failing[nth]])])
const uidOf = (name: string): string => String(1_000 + names.indexOf(name))

function accessOf(name: string): AccountAccess {
  const credential = {
    key: `key of ${uidOf(name)}`,
    secret: `secret of ${uidOf(name)}`,
    passphrase: 'a passphrase',
  }
  return { name, uid: uidOf(name), api: credential, tax: credential }
}

const nameOf = ({ headers }: Received): string =>
  names.find((name) => `key of ${uidOf(name)}` === headers['access-key']) ?? ''

async function run(accounts: readonly string[], addressPerSecond: number) {
  const { venue, clock, received, settle } = await loopback(
    (request, response, count) => {
      const isSettings = request.path.startsWith(settings.path)
      const name = nameOf(request)
      const way = WAYS[name]
      const handler = isSettings ? way?.settings : way?.feed
      if (handler !== undefined) handler(request, response, count)
      else response.end(envelope(isSettings ? { uid: uidOf(name) } : []))
    },
    { profile: { ...defaultProfile, ipRate: { scope: 'ip', count: addressPerSecond, perMs: 1_000 } } },
  )
  const books = await booksOfTest(clock)
  const result: SyncResult = await settle(
    syncFeeds(books, venue, clock, {
      accounts: accounts.map(accessOf),
      feeds: [taxRecords],
      now: () => START,
      since: SINCE,
    }),
  )
  const asked = received.filter(({ path }) => !path.startsWith(settings.path))
  return { books, result, received, asked }
}

test('accounts that fail in every way stop no other account', async () => {
  const { books, result } = await run(names, 100)
  for (const name of healthy)
    for (const { label } of taxRecords.partitions) {
      const covered = await books.landing.covered(name, 'tax.records', label)
      expect(Math.min(...covered.map(({ start }) => start))).toBe(SINCE)
      expect(Math.max(...covered.map(({ end }) => end))).toBe(START)
    }
  const said = new Map<string, Set<string>>()
  for await (const { meta } of books.journal.read())
    if (meta.kind === 'statement' && meta.feed === 'tax.records')
      said.set(meta.account, (said.get(meta.account) ?? new Set()).add(meta.status))
  expect(Object.fromEntries([...said].map(([name, statuses]) => [name, [...statuses]]))).toEqual(
    Object.fromEntries(failing.map((name) => [name, [WAYS[name]?.says]])),
  )
  expect(result).toMatchObject({ incomplete: true, misconfigured: true })
  expect(result.failures.map(({ account }) => account)).toContain('an account that is another')
})

test('the budget of the address is shared fairly: none is two requests ahead of another', async () => {
  const { asked } = await run(healthy, 10)
  const counts = new Map(healthy.map((name) => [name, 0]))
  const spreads: number[] = []
  for (const [place, request] of asked.entries()) {
    counts.set(nameOf(request), (counts.get(nameOf(request)) ?? 0) + 1)
    if (place >= healthy.length) spreads.push(spread([...counts.values()]))
  }
  expect(asked.length / healthy.length).toBeGreaterThanOrEqual(10)
  expect(Math.max(...spreads)).toBeLessThanOrEqual(2)
})

const spread = (counts: readonly number[]): number => Math.max(...counts) - Math.min(...counts)
