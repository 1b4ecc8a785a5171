// Each rule that the interface document states of a request, as test/document restates it: refused here before
// anything is sent, by field, rule and section; and refused by the sandbox, which knows nothing of our check, when that
// is switched off. What keeps every rule is answered, so no refusal here has another cause.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endpoints } from '../../connectors/catalogue.ts'
import { openVenue } from '../../connectors/client.ts'
import type { Endpoint, Params } from '../../connectors/endpoint.ts'
import {
  NotApplicable,
  OutcomeUnknown,
  PassingFailure,
  PermissionRefused,
  RateRefused,
  VenueError,
} from '../../connectors/errors.ts'
import { validateParams } from '../../connectors/params.ts'
import { defaultProfile } from '../../connectors/profile.ts'
import type { AccountClient, Venue } from '../../connectors/venue.ts'
import { systemClock } from '../../models/clock.ts'
import { UsageError } from '../../models/error.ts'
import { type Sandbox, type SandboxAccount, startSandbox } from '../../sandbox/index.ts'
import { newKey } from '../document/broker.ts'
import { stated, statedAt } from '../document/index.ts'
import { limitOrder } from '../document/spot.ts'
import { CAST, last, NOW, type Stated, type Who, type World } from '../document/stated.ts'

const SPEED = 1_000
const now = NOW

let sandbox: Sandbox
let venue: Venue

beforeAll(async () => {
  sandbox = await startSandbox({ now: new Date(now), days: 3, speed: SPEED })
  venue = openVenue({
    profile: { ...defaultProfile, ipRate: { scope: 'ip', count: 100, perMs: 10 } },
    baseUrl: sandbox.baseUrl,
    clock: systemClock,
    // No pause before a second try of a code that nothing is known of.
    random: () => 0,
    budgets: Object.fromEntries(
      endpoints.map(({ name, rate }) => [name, { count: rate.count, perMs: rate.perMs / SPEED }]),
    ),
    quietSince: 0,
  })
  // The first answer tells the venue's time.
  await clientOf('parent').request(sectionOf('4.14'), {})
})

afterAll(async () => {
  await venue.close()
  await sandbox.close()
})

const accountOf = (who: Who): SandboxAccount => sandbox.accounts[CAST.indexOf(who)]!
const uidOf = (who: Who): string => accountOf(who).uid

function clientOf(who: Who): AccountClient {
  const { uid, apiKey, secret, passphrase, taxKey } = accountOf(who)
  const tax = { key: taxKey.apiKey, secret: taxKey.secret, passphrase: taxKey.passphrase }
  return venue.account({ name: who, uid, api: { key: apiKey, secret, passphrase }, tax })
}

const sectionOf = (section: string): Endpoint => endpoints.find((endpoint) => endpoint.section === section)!

async function dataOf(section: string, params: Params): Promise<Record<string, string>> {
  const answer = await clientOf(statedAt(section).caller ?? 'parent').request(sectionOf(section), params)
  return answer.envelope.data as Record<string, string>
}

const world: World = { uidOf, dataOf, venueNow: () => venue.venueNow() }

/** A request that keeps every rule, up to its limits, and that the sandbox can answer. */
const goodOf = async ({ good, goodAtVenue }: Stated): Promise<Params> => (await goodAtVenue?.(world)) ?? good

/** Section, what is changed in its good request, and what is said of it. */
const rules = stated.flatMap(([, { section, broken = [] }]) =>
  broken.flatMap(([change, said, by]) => (by === 'here' ? [] : [[section, change, said] as const])),
)

const withoutGone = (fields: Params): Params =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** What the venue answers to a request that is sent as it is. */
async function refusalOf(who: Who, endpoint: Endpoint, params: Params): Promise<unknown> {
  try {
    await clientOf(who).request(endpoint, params, { unchecked: true })
    return 'it was answered'
  } catch (error) {
    return error
  }
}

/** A refusal of this request as such: not of its rate, and not a failure that passes. */
function expectRefused(refusal: unknown): VenueError {
  expect(refusal).toBeInstanceOf(VenueError)
  for (const other of [PassingFailure, RateRefused, OutcomeUnknown]) expect(refusal).not.toBeInstanceOf(other)
  return refusal as VenueError
}

describe('a request that keeps every rule', () => {
  test.each(stated.map(([, { section }]) => section))('of section %s is answered', async (section) => {
    const params = validateParams(sectionOf(section), await goodOf(statedAt(section)), { now })
    expect(await refusalOf(statedAt(section).caller ?? 'parent', sectionOf(section), params)).toBe(
      'it was answered',
    )
  })
})

describe('a request that breaks a rule', () => {
  test.each(rules)(
    'of section %s with %j is refused here and by the venue: %s',
    async (section, change, said) => {
      const endpoint = sectionOf(section)
      const params = withoutGone({ ...(await goodOf(statedAt(section))), ...change })
      let local: unknown
      try {
        validateParams(endpoint, params, { now })
      } catch (error) {
        local = error
      }
      expect(local).toBeInstanceOf(UsageError)
      expect((local as UsageError).message).toBe(`${endpoint.name}: ${said}.`)
      expect((local as UsageError).details.where).toBe(`interface document, ${section}`)
      const refused = expectRefused(await refusalOf(statedAt(section).caller ?? 'parent', endpoint, params))
      expect([NotApplicable, PermissionRefused].some((other) => refused instanceof other)).toBe(false)
    },
  )
})

test('a TP/SL order takes no clientOid: it is refused here, and the venue answers with its own', async () => {
  const endpoint = sectionOf('4.7')
  const params = { ...limitOrder, tpslType: 'tpsl', triggerPrice: '900', clientOid: 'mine' }
  expect(() => validateParams(endpoint, params)).toThrow('clientOid has no effect when tpslType is tpsl')
  const answer = await clientOf('parent').request(endpoint, params, { unchecked: true })
  expect((answer.envelope.data as { clientOid?: string }).clientOid).not.toBe('mine')
})

test('a market order ignores force, and needs no price', async () => {
  const order = { symbol: 'BTCUSDT', side: 'buy', orderType: 'market', size: '20', force: 'post_only' }
  expect(await dataOf('4.7', order)).toHaveProperty('orderId')
})

test('a receiveWindow that has passed when the request arrives is refused', async () => {
  const params = { ...limitOrder, receiveWindow: '1000', requestTime: String(venue.venueNow() - 60_000) }
  expectRefused(await refusalOf('parent', sectionOf('4.7'), params))
})

describe('an endpoint is refused to an account that the document excludes', () => {
  /** Section, who asks, and what kind of account it is for. */
  const excluded = stated.flatMap(([, { section, excluded: others = [] }]) =>
    others.map(([who, expected]) => [section, who, expected] as const),
  )

  test.each(excluded)('section %s to the %s account: it is for %s', async (section, who, expected) => {
    const refused = await refusalOf(who, sectionOf(section), await goodOf(statedAt(section)))
    expect(refused).toBeInstanceOf(NotApplicable)
    expect((refused as NotApplicable).details.expected).toBe(expected)
  })

  test('transfers to all but the parent, whose key must be bound to an address, and only among its own accounts', async () => {
    const transfer = { fromType: 'spot', toType: 'spot', amount: '1', coin: 'USDT' }
    const between = (from: Who, to: Who) => ({ ...transfer, fromUserId: uidOf(from), toUserId: uidOf(to) })
    const ask = (by: Who, params: Params) => refusalOf(by, sectionOf('4.6'), params)
    expect(await ask('parent', between('sub', 'otherSub'))).toBe('it was answered')
    expect(await ask('parent', between('sub', 'parent'))).toBe('it was answered')
    expectRefused(await ask('sub', between('sub', 'parent')))
    expectRefused(await ask('broker', between('broker', 'brokersSub')))
    expectRefused(await ask('parent', between('sub', 'brokersSub')))
  })

  test('the unified tax records to a key that is not a tax key', async () => {
    const { uid, apiKey, secret, passphrase } = accountOf('parent')
    const client = venue.account({ name: 'parent', uid, tax: { key: apiKey, secret, passphrase } })
    const params = { bizType: 'SPOT', ...last(1) }
    const refused = await client.request(sectionOf('4.19'), params).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(PermissionRefused)
    expect((refused as PermissionRefused).details.expected).toBe('tax API key')
  })

  test('writing to a read-only key', async () => {
    const readonly = { ...newKey(world), ipList: [], permType: 'readonly', permList: ['spot_trade'] }
    const { apiKey = '', secretKey = '' } = await dataOf('4.1', readonly)
    const api = { key: apiKey, secret: secretKey, passphrase: '123456' }
    const client = venue.account({ name: 'brokersSub', uid: uidOf('brokersSub'), api })
    const refused = await client.request(sectionOf('4.7'), limitOrder).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(PermissionRefused)
  })
})
