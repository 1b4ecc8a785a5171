// Every rule that the interface document states of a request, as test/document restates it: what keeps it is sent as it is, what breaks it is
// refused before anything is sent, by field, rule and section.
import { describe, expect, test } from 'vitest'
import { endpoints, findEndpoint } from '../../connectors/catalogue.ts'
import type { Params } from '../../connectors/endpoint.ts'
import { validateParams } from '../../connectors/params.ts'
import { UsageError } from '../../models/error.ts'
import { stated } from '../document/index.ts'
import { DAY, gone, NOW } from '../document/stated.ts'

const good = Object.fromEntries(stated.map(([name, endpoint]) => [name, endpoint.good]))

/** Endpoint, what is changed in its good request, and what is said of it. */
const broken = stated.flatMap(([name, endpoint]) =>
  (endpoint.broken ?? []).map(([change, said]) => [name, change, said] as const),
)

const withoutGone = (params: Params): Params =>
  Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined))

describe('a request that keeps every rule', () => {
  test('is shown here for every endpoint', () => {
    expect(Object.keys(good)).toEqual(endpoints.map(({ name }) => name))
  })

  test.each(Object.entries(good))('to %s is sent unchanged', (name, params) => {
    expect(validateParams(findEndpoint(name)!, params, { now: NOW })).toEqual(params)
  })

  test('may ask for one instant, and be as long as a rule allows', () => {
    const instant = { bizType: 'SPOT', startTime: String(NOW), endTime: String(NOW) }
    expect(validateParams(findEndpoint('tax.records')!, instant)).toEqual(instant)
    const key = {
      ...{ subUid: '1', passphrase: 'p'.repeat(32), label: 'l'.repeat(19) },
      ...{ permType: 'readonly', permList: ['spot_trade'] },
    }
    expect(validateParams(findEndpoint('broker.createApiKey')!, key)).toEqual(key)
  })

  test('may give numbers, which are sent as texts', () => {
    const params = { ...good['tax.records'], startTime: NOW - DAY, endTime: NOW, limit: 100 }
    expect(validateParams(findEndpoint('tax.records')!, params)).toMatchObject({
      startTime: String(NOW - DAY),
      endTime: String(NOW),
      limit: '100',
    })
  })

  test.each([
    ['a market order without force and price', { orderType: 'market', force: gone, price: gone }],
    ['a market order with force, which has no effect', { orderType: 'market', force: 'ioc', price: gone }],
    ['a TP/SL order with its trigger', { tpslType: 'tpsl', triggerPrice: '9', clientOid: gone }],
  ])('may be %s', (_, change) => {
    const params = withoutGone({ ...good['spot.placeOrder'], ...change })
    expect(validateParams(findEndpoint('spot.placeOrder')!, params)).toEqual(params)
  })

  test('may name two orders that share a clientOid, since orderId takes precedence', () => {
    const orders = [
      { orderId: '1', clientOid: 'c', qty: '1' },
      { orderId: '2', clientOid: 'c', qty: '1' },
    ]
    expect(validateParams(findEndpoint('trade.batchModifyOrders')!, { orders })).toEqual({ orders })
  })

  test('may leave ipList out for a readonly key', () => {
    const params = withoutGone({
      ...good['broker.createApiKey'],
      permType: 'readonly',
      permList: ['spot_trade'],
      ipList: gone,
    })
    expect(validateParams(findEndpoint('broker.createApiKey')!, params)).toEqual(params)
  })

  test('may list the coins to convert in one text, as in the document’s table', () => {
    expect(validateParams(findEndpoint('convert.smallBalances')!, { coinList: 'SHIB' })).toEqual({
      coinList: 'SHIB',
    })
  })
})

describe('a request that breaks a rule', () => {
  test.each(broken)('to %s with %j is refused: %s', (name, change, said) => {
    const endpoint = findEndpoint(name)!
    const params = withoutGone({ ...good[name], ...change })
    let error: unknown
    try {
      validateParams(endpoint, params, { now: NOW })
    } catch (thrown) {
      error = thrown
    }
    expect(error).toBeInstanceOf(UsageError)
    expect((error as UsageError).message).toBe(`${name}: ${said}.`)
    expect((error as UsageError).details.where).toBe(`interface document, ${endpoint.section}`)
  })

  test('reports all its violations at once', () => {
    const endpoint = findEndpoint('tax.records')!
    expect(() => validateParams(endpoint, { limit: '0', colour: 'red' })).toThrow(
      'tax.records: bizType is required; startTime is required; endTime is required; limit must be a whole number from 1 to 500; colour is not a field of this endpoint.',
    )
  })

  test('of retention follows the configuration, where the document gives one', () => {
    const params = { startTime: String(NOW), endTime: String(NOW + DAY) }
    const spot = { ...params, bizType: 'SPOT' }
    const checked = (name: string, given: Params, days: number) =>
      validateParams(findEndpoint(name)!, given, { now: NOW + days * DAY, retentionMs: 10 * DAY })
    expect(checked('tax.records', spot, 10)).toEqual(spot)
    expect(() => checked('tax.records', spot, 11)).toThrow('startTime must be within the last 10 days')
    expect(checked('tax.futuresRecords', params, 11)).toEqual(params)
  })

  test('of retention is refused if the venue’s time is given', () => {
    const endpoint = findEndpoint('tax.records')!
    const params = { bizType: 'SPOT', startTime: String(NOW), endTime: String(NOW + DAY) }
    expect(validateParams(endpoint, params, { now: NOW + 366 * DAY })).toEqual(params)
    expect(() => validateParams(endpoint, params, { now: NOW + 366 * DAY + 1 })).toThrow(
      'tax.records: startTime must be within the last 366 days.',
    )
  })
})
