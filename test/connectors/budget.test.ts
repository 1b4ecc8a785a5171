// Budgets as the venue counts them: in no window of the interval more than the count arrives, whatever the delays.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { Budget } from '../../connectors/budget.ts'
import { type BudgetOverride, Budgets } from '../../connectors/budgets.ts'
import { openVenue } from '../../connectors/client.ts'
import { settings } from '../../connectors/endpoints/account.ts'
import { contracts } from '../../connectors/endpoints/futures.ts'
import { futuresRecords, p2pRecords } from '../../connectors/endpoints/tax.ts'
import { defaultProfile } from '../../connectors/profile.ts'
import { systemClock } from '../../models/clock.ts'
import {
  access,
  envelope,
  HeldClock,
  inTurn,
  loopback,
  refusal,
  reply,
  START,
  turns,
} from '../support/venue.ts'

const window = { startTime: String(START - 1_000), endTime: String(START) }

/** A budget under a held clock, and the times at which its tasks began. */
function budgetOf(count: number, perMs: number, notBefore = 0) {
  const clock = new HeldClock()
  const closing = new AbortController()
  const budget = new Budget({ count, perMs, clock, notBefore, closing: closing.signal })
  const began: [string, number][] = []
  const take = (name: string, lastsMs = 0, turn = {}) =>
    budget.run(async () => {
      began.push([name, clock.monotonic()])
      await clock.sleep(lastsMs)
    }, turn)
  return { clock, closing, began, take }
}

describe('a budget', () => {
  test('frees a slot one interval and two milliseconds after the answer to the request that used it', async () => {
    const { clock, began, take } = budgetOf(2, 1_000)
    for (const [name, lastsMs] of Object.entries({ a: 100, b: 300, c: 0, d: 0 })) void take(name, lastsMs)
    await clock.advance(5_000)
    expect(began).toEqual([
      ['a', 0],
      ['b', 0],
      ['c', 1_102],
      ['d', 1_302],
    ])
  })

  test('waits before its first request for what an earlier process may have sent', async () => {
    const { clock, began, take } = budgetOf(2, 1_000, 1_000)
    for (const name of ['a', 'b', 'c']) void take(name)
    await clock.advance(3_000)
    expect(began).toEqual([
      ['a', 1_000],
      ['b', 1_000],
      ['c', 2_002],
    ])
  })

  test('counts a request that failed like any other', async () => {
    const { clock, began, take } = budgetOf(1, 1_000)
    const clockOf = take('a').then(() => Promise.reject(new Error('lost')))
    clockOf.catch(() => undefined)
    void take('b')
    await clock.advance(2_000)
    expect(began.map(([, at]) => at)).toEqual([0, 1_002])
  })

  test('lets a retry go before first attempts', async () => {
    const { clock, began, take } = budgetOf(1, 1_000)
    for (const name of ['a', 'b']) void take(name)
    void take('again', 0, { isRetry: true })
    await clock.advance(3_000)
    expect(began.map(([name]) => name)).toEqual(['a', 'again', 'b'])
  })

  test('lets a caller leave the queue, and frees nothing early because of it', async () => {
    const { clock, began, take } = budgetOf(1, 1_000)
    const stop = new AbortController()
    void take('a', 0, { signal: stop.signal })
    const left = take('b', 0, { signal: stop.signal })
    void take('c')
    await turns()
    stop.abort()
    await expect(left).rejects.toThrow('aborted')
    await clock.advance(3_000)
    expect(began).toEqual([
      ['a', 0],
      ['c', 1_002],
    ])
  })

  test('stops waiting at once when it is closed', async () => {
    const { clock, closing, began, take } = budgetOf(1, 1_000)
    const first = take('a')
    await first
    await turns()
    closing.abort()
    await turns()
    expect(clock.toNextSleeper()).toBe(false)
    expect(began.length).toBe(1)
  })
})

describe('the budgets of a venue', () => {
  const times = (received: readonly { at: number }[]) => received.map(({ at }) => at)

  test('are one for each account, and all keys of a uid share it', async () => {
    const { venue, settle, received } = await loopback(reply(200, envelope([])))
    const others = [
      { ...access, name: 'same uid' },
      { ...access, name: 'other', uid: '2002' },
    ]
    const asked = [access, ...others].map((one) => venue.account(one).request(futuresRecords, window))
    await settle(Promise.all(asked))
    expect(times(received)).toEqual([0, 0, 1_002])
  })

  test('are one for all accounts if the venue counts by address', async () => {
    const { venue, settle, received } = await loopback(reply(200, envelope([])), {
      budgets: { 'futures.contracts': { count: 1, perMs: 500 } },
    })
    const accounts = [access, { ...access, uid: '2002' }]
    const asked = accounts.map((one) =>
      venue.account(one).request(contracts, { productType: 'USDT-FUTURES' }),
    )
    await settle(Promise.all(asked))
    expect(times(received)).toEqual([0, 502])
  })

  test('can be shared by several endpoints, and the strictest applies', async () => {
    const { venue, settle, received } = await loopback(reply(200, envelope([])), {
      budgets: {
        'tax.futuresRecords': { count: 1, perMs: 1_000, group: 'tax v2' },
        'tax.p2pRecords': { count: 1, perMs: 3_000, group: 'tax v2' },
      },
    })
    const account = venue.account(access)
    await settle(Promise.all([account.request(futuresRecords, window), account.request(p2pRecords, window)]))
    expect(times(received)).toEqual([0, 3_002])
  })

  test('of 4.20 and 4.21 are one, unless the configuration gives either its own group', async () => {
    const both = async (budgets: Readonly<Record<string, BudgetOverride>>): Promise<number[]> => {
      const { venue, settle, received } = await loopback(reply(200, envelope([])), { budgets })
      const account = venue.account(access)
      const asked = [account.request(futuresRecords, window), account.request(p2pRecords, window)]
      await settle(Promise.all(asked))
      return times(received)
    }
    expect(await both({})).toEqual([0, 1_002])
    // A rate alone changes no group, and the strictest of the two still counts.
    expect(await both({ 'tax.p2pRecords': { count: 1, perMs: 3_000 } })).toEqual([0, 3_002])
    expect(await both({ 'tax.p2pRecords': { count: 1, perMs: 10 } })).toEqual([0, 1_002])
    expect(await both({ 'tax.p2pRecords': { count: 1, perMs: 1_000, group: 'p2p' } })).toEqual([0, 0])
  })

  test('are spent by retries too', async () => {
    const { venue, settle, received } = await loopback(
      inTurn(reply(429, refusal('429')), reply(200, envelope([]))),
      { random: () => 0 },
    )
    await settle(venue.account(access).request(futuresRecords, window))
    expect(times(received)).toEqual([0, 1_002])
  })

  test.each([
    ['unknown', undefined, 1_000],
    ['half an interval ago', START - 500, 500],
    ['long ago', START - 60_000, 0],
    ['in the future, by a clock that was set back', START + 60_000, 1_000],
  ])(
    'start as spent as the last request of an earlier process requires: %s',
    async (_, quietSince, expected) => {
      const { venue, settle, received } = await loopback(reply(200, envelope({ uid: '1' })), {
        quietSince: quietSince ?? null,
      })
      await settle(venue.account(access).request(settings, {}))
      expect(times(received)).toEqual([expected])
    },
  )

  test('of one address apply across all endpoints and accounts', async () => {
    const { venue, settle, received } = await loopback(reply(200, envelope({ uid: '1' })), {
      profile: { ...defaultProfile, ipRate: { scope: 'ip', count: 3, perMs: 1_000 } },
    })
    const accounts = Array.from({ length: 7 }, (_, place) => ({ ...access, uid: String(place) }))
    await settle(Promise.all(accounts.map((one) => venue.account(one).request(settings, {}))))
    expect(times(received)).toEqual([0, 0, 0, 1_002, 1_002, 1_002, 2_004])
  })

  test('of one address let retries go first too, and a caller leave', async () => {
    const clock = new HeldClock()
    const budgets = new Budgets({
      ...{ addressRate: { scope: 'ip', count: 1, perMs: 1_000 }, overrides: {}, clock },
      ...{ quietSince: null, closing: new AbortController().signal },
    })
    const began: string[] = []
    const take = (key: string, turn = {}) =>
      budgets.run({ key, rate: { count: 1, perMs: 1_000 } }, async () => void began.push(key), turn)
    const stop = new AbortController()
    for (const key of ['a', 'b']) void take(key)
    const left = take('left', { signal: stop.signal })
    void take('again', { isRetry: true })
    // Each has its own budget, and all of them wait for that of the address.
    await clock.advance(1_500)
    expect(began).toEqual(['a'])
    stop.abort()
    await expect(left).rejects.toThrow('aborted')
    await clock.advance(3_000)
    expect(began).toEqual(['a', 'again', 'b'])
  })
})

describe('a venue that counts strictly', () => {
  test('sees no request early, with delays of up to 200 ms on the way there and back', async () => {
    const COUNT = 5
    const PER_MS = 250
    const arrivals: number[] = []
    // Delays are drawn once, so that the run is the same each time.
    let seed = 7
    const delay = (): number => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed % 200
    }
    const server = createServer((_request, response) => {
      setTimeout(() => {
        arrivals.push(performance.now())
        setTimeout(() => response.end(envelope({ uid: '1' })), delay())
      }, delay())
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const venue = openVenue({
      profile: defaultProfile,
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      clock: systemClock,
      random: Math.random,
      budgets: { 'account.settings': { count: COUNT, perMs: PER_MS } },
    })
    await Promise.all(Array.from({ length: 30 }, () => venue.account(access).request(settings, {})))
    await venue.close()
    server.closeAllConnections()
    server.close()
    const early = arrivals.filter(
      (arrival, place) => place >= COUNT && arrival - arrivals[place - COUNT]! < PER_MS,
    )
    expect(arrivals.length).toBe(30)
    expect(early).toEqual([])
  })
})
