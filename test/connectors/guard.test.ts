// The client against a venue that has had enough of this address: one pause, and then no request more.
import { describe, expect, test } from 'vitest'
import { settings } from '../../connectors/endpoints/account.ts'
import { openOrders, orderHistory } from '../../connectors/endpoints/trade.ts'
import { RateRefused, Stopped } from '../../connectors/errors.ts'
import { BLOCK_PAUSE_MS, BlockGuard } from '../../connectors/guard.ts'
import type { Clock } from '../../models/clock.ts'
import {
  access,
  caught,
  envelope,
  HeldClock,
  loopback,
  refusal,
  reply,
  START,
  turns,
} from '../support/venue.ts'

describe('a venue that blocks the address', () => {
  const pauses = (events: readonly { event: string }[]) =>
    events.filter(({ event }) => event === 'block pause').length
  const refusedForRate = reply(429, refusal('429'))
  const busy = reply(503, 'busy')
  const forbidden = reply(400, refusal('40014'))

  test('is left alone for five minutes once, when refusals come on two budgets, and is then requested again', async () => {
    let blocked = true
    const { venue, settle, received, events } = await loopback((request, response, count) =>
      blocked
        ? reply(429, refusal('429'), { 'retry-after': '300' })(request, response, count)
        : reply(200, envelope({ uid: '1', list: [] }))(request, response, count),
    )
    const account = venue.account(access)
    const refused = await settle(
      Promise.allSettled([account.request(settings, {}), account.request(openOrders, {})]),
    )
    expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(pauses(events)).toBe(1)
    blocked = false
    const sent = received.length
    const quietFrom = received.at(-1)!.at
    await settle(account.request(settings, {}))
    expect(received.length).toBe(sent + 1)
    expect(received.at(-1)!.at).toBe(quietFrom + 300_000)
  })

  test('is asked again after the pause by the requests that it held up: the pause takes none of their time', async () => {
    let blocked = true
    const { venue, settle, received, events } = await loopback(
      (request, response, count) =>
        (blocked ? refusedForRate : reply(200, envelope({ uid: '1', list: [] })))(request, response, count),
      {
        log: (event) => {
          events.push(event)
          blocked &&= event.event !== 'block pause'
        },
      },
    )
    const account = venue.account(access)
    const asked = [account.request(settings, {}), account.request(openOrders, {})]
    const ended = await settle(Promise.allSettled(asked))
    // One of them gives up after its fifth try at 11 s, when the other has one left.
    expect(ended.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect([pauses(events), received.at(-1)!.at]).toEqual([1, 311_000])
  })

  test('that still refuses after the pause gets no more requests', async () => {
    const { venue, settle, received, events } = await loopback(reply(429, refusal('429')))
    const account = venue.account(access)
    await settle(Promise.allSettled([account.request(settings, {}), account.request(openOrders, {})]))
    const after = await caught(settle(account.request(settings, {})))
    const sent = received.length
    const later = await caught(settle(account.request(openOrders, {})))
    expect([after instanceof RateRefused, later instanceof RateRefused]).toEqual([true, true])
    expect(later.code).toBe('blocked')
    expect([received.length - sent, pauses(events)]).toEqual([0, 1])
  })

  test('is not waited for a second time in one run', async () => {
    let blocked = true
    const { venue, settle, received, events } = await loopback((request, response, count) =>
      blocked
        ? reply(429, refusal('429'), { 'retry-after': '300' })(request, response, count)
        : reply(200, envelope({ uid: '1', list: [] }))(request, response, count),
    )
    const account = venue.account(access)
    const both = () => [account.request(settings, {}), account.request(openOrders, {})]
    await settle(Promise.allSettled(both()))
    blocked = false
    await settle(Promise.all(both()))
    blocked = true
    await settle(Promise.allSettled(both()))
    const sent = received.length
    const error = await caught(settle(account.request(settings, {})))
    expect([error.code, received.length, pauses(events)]).toEqual(['blocked', sent, 1])
  })

  test('does not hold up a caller who stops during the pause', async () => {
    const { venue, settle, received } = await loopback(reply(429, refusal('429'), { 'retry-after': '300' }))
    const account = venue.account(access)
    await settle(Promise.allSettled([account.request(settings, {}), account.request(openOrders, {})]))
    const stop = new AbortController()
    const waiting = account.request(settings, {}, { signal: stop.signal })
    await turns()
    stop.abort()
    await expect(waiting).rejects.toThrow(Stopped)
    expect(received).toHaveLength(2)
  })

  test('is not assumed if refusals come on one budget only', async () => {
    const { venue, settle, events } = await loopback(reply(429, refusal('429')))
    await caught(settle(venue.account(access).request(settings, {})))
    await caught(settle(venue.account(access).request(settings, {})))
    expect(pauses(events)).toBe(0)
  })

  test('is not assumed if another budget succeeds in between', async () => {
    const { venue, settle, events } = await loopback((request, response, count) =>
      request.path.includes('settings')
        ? reply(200, envelope({ uid: '1' }))(request, response, count)
        : reply(429, refusal('429'))(request, response, count),
    )
    const account = venue.account(access)
    await caught(settle(account.request(openOrders, {})))
    await settle(account.request(settings, {}))
    await caught(settle(account.request(orderHistory, { category: 'SPOT' })))
    expect(pauses(events)).toBe(0)
  })

  test('is not assumed if one of the budgets fails for another reason', async () => {
    const { venue, settle, events } = await loopback((request, response, count) =>
      (request.path.includes('settings') ? busy : refusedForRate)(request, response, count),
    )
    const account = venue.account(access)
    await caught(settle(account.request(settings, {})))
    await caught(settle(account.request(openOrders, {})))
    expect(pauses(events)).toBe(0)
  })

  test('is not assumed if requests that were refused for the rate are given up for another reason', async () => {
    const { venue, settle, events } = await loopback((request, response, count) =>
      (count <= 2 ? refusedForRate : forbidden)(request, response, count),
    )
    const account = venue.account(access)
    const both = [account.request(settings, {}), account.request(openOrders, {})]
    await settle(Promise.allSettled(both))
    expect(pauses(events)).toBe(0)
  })
})

describe('the guard', () => {
  const pausing = (clock: Clock) => {
    const pauses: number[] = []
    const guard = new BlockGuard(clock, (pauseMs) => pauses.push(pauseMs))
    for (const budget of ['a', 'b']) guard.refused(budget)
    guard.exhausted()
    return { guard, pauses }
  }
  const running = () => new AbortController().signal

  test('pauses once for several requests that give up together, and then lets one through', async () => {
    const clock = new HeldClock()
    const { guard, pauses } = pausing(clock)
    guard.exhausted()
    const passing = guard.mayPass(running())
    await clock.advance(BLOCK_PAUSE_MS)
    expect([await passing, pauses]).toEqual([true, [BLOCK_PAUSE_MS]])
    // One of those that were refused before the pause gives up only now.
    guard.exhausted()
    expect(await guard.mayPass(running())).toBe(true)
    guard.refused('a')
    expect(await guard.mayPass(running())).toBe(false)
  })

  test('lets a caller go who has stopped, without waiting for the pause again and again', async () => {
    let sleeps = 0
    const stop = new AbortController()
    const sleep = async (): Promise<void> => {
      sleeps += 1
      if (sleeps > 1) throw new Error('waits again')
      stop.abort()
    }
    const { guard } = pausing({ wall: () => START, monotonic: () => 0, sleep })
    await guard.mayPass(stop.signal)
    expect(sleeps).toBe(1)
  })
})
