// The client against a venue on loopback: what is sent and when, and what becomes of a write.
import { describe, expect, test } from 'vitest'
import { settings } from '../../connectors/endpoints/account.ts'
import { createApiKey } from '../../connectors/endpoints/broker.ts'
import { contracts } from '../../connectors/endpoints/futures.ts'
import { placeOrder } from '../../connectors/endpoints/spot.ts'
import { futuresRecords, taxRecords } from '../../connectors/endpoints/tax.ts'
import { openOrders } from '../../connectors/endpoints/trade.ts'
import { ClockRefused, OutcomeUnknown, PassingFailure, Stopped } from '../../connectors/errors.ts'
import { UsageError } from '../../models/error.ts'
import {
  access,
  CountingAgent,
  caught,
  cutOff,
  envelope,
  inTurn,
  loopback,
  refusal,
  reply,
  START,
  turns,
} from '../support/venue.ts'

const window = { startTime: String(START - 1_000), endTime: String(START) }
const query = { bizType: 'SPOT', ...window }

describe('a request', () => {
  test('carries the headers of part 5, signed by the tax key where the endpoint needs it', async () => {
    const { venue, received, settle } = await loopback(reply(200, envelope([])))
    await settle(venue.account(access).request(taxRecords, query))
    const [request] = received
    expect(request!.path).toBe(
      `/api/v3/tax/records?bizType=SPOT&endTime=${window.endTime}&startTime=${window.startTime}`,
    )
    expect(request!.headers).toMatchObject({
      'access-key': 'tax-key',
      'access-passphrase': 'tax-passphrase',
      'access-timestamp': String(START),
      'content-type': 'application/json',
      locale: 'en-US',
    })
    expect(request!.headers['access-sign']).toMatch(/^[A-Za-z0-9+/]{43}=$/)
  })

  test('to a public endpoint carries no credentials', async () => {
    const { venue, received, settle } = await loopback(reply(200, envelope([])))
    await settle(venue.account({ name: 'nobody' }).request(contracts, { productType: 'usdt-futures' }))
    expect(Object.keys(received[0]!.headers).filter((name) => name.startsWith('access'))).toEqual([])
  })

  test('is not sent without the credential that its endpoint needs', async () => {
    const { venue, received } = await loopback(reply(200, envelope([])))
    const noTaxKey = { name: 'main', ...(access.api === undefined ? {} : { api: access.api }) }
    await expect(venue.account(noTaxKey).request(taxRecords, query)).rejects.toMatchObject({
      message: 'Account main has no tax API key.',
      details: {
        where: 'tax.records',
        expected: 'the tax API key, which signs tax.records',
        found: 'only the API key',
        action: 'Give its tax key, secret and passphrase, then run again.',
      },
    })
    // Of the tax records, only those of unified accounts take a tax key.
    const taxKeyAlone = { name: 'main', ...(access.tax === undefined ? {} : { tax: access.tax }) }
    await expect(venue.account(taxKeyAlone).request(futuresRecords, window)).rejects.toMatchObject({
      message: 'Account main has no API key.',
      details: { expected: 'the API key, which signs tax.futuresRecords', found: 'only the tax API key' },
    })
    expect(received).toEqual([])
  })

  test('is not sent when it breaks a documented rule, unless the check is switched off', async () => {
    const { venue, received, settle } = await loopback(reply(200, envelope([])))
    const account = venue.account(access)
    await expect(account.request(taxRecords, { bizType: 'SPOTS' })).rejects.toThrow(UsageError)
    expect(received).toEqual([])
    await settle(account.request(taxRecords, { bizType: 'SPOTS' }, { unchecked: true }))
    expect(received[0]!.path).toBe('/api/v3/tax/records?bizType=SPOTS')
  })

  test('whose parameters are a function evaluates them again before each sending', async () => {
    const { venue, received, settle } = await loopback(
      inTurn(reply(500, refusal('40015')), reply(200, envelope([]))),
    )
    let made = 0
    const params = () => {
      made += 1
      return { ...query, cursor: String(made) }
    }
    await settle(venue.account(access).request(taxRecords, params))
    expect(received.map(({ path }) => /cursor=(\d+)/.exec(path)?.[1])).toEqual(['1', '2'])
  })

  test('whose parameters are a function is not sent when these break a documented rule', async () => {
    const { venue, settle, received } = await loopback(reply(200, envelope([])))
    const asked = settle(venue.account(access).request(taxRecords, () => ({ ...query, limit: '501' })))
    await expect(asked).rejects.toThrow(UsageError)
    expect(received).toEqual([])
  })

  test('that is tried again goes before others of its budget that have not been tried', async () => {
    const { venue, settle, received } = await loopback(
      inTurn(reply(503, 'busy'), reply(200, envelope({ list: [] }))),
      { budgets: { 'trade.openOrders': { count: 1, perMs: 1_000 } } },
    )
    const asked = ['AUSDT', 'BUSDT'].map((symbol) => venue.account(access).request(openOrders, { symbol }))
    await settle(Promise.all(asked))
    expect(received.map(({ path, at }) => [path.split('symbol=')[1], at])).toEqual([
      ['AUSDT', 0],
      ['AUSDT', 1_002],
      ['BUSDT', 2_004],
    ])
  })

  test('under a base address with a path is sent below that path and signed without it', async () => {
    const { venue, received, settle, baseUrl } = await loopback(reply(200, envelope({ uid: '1' })))
    const below = await loopback(reply(200, ''), { baseUrl: `${baseUrl}/proxy/` })
    await settle(venue.account(access).request(settings, {}))
    await below.settle(below.venue.account(access).request(settings, {}))
    expect(received.map(({ path }) => path)).toEqual([
      '/api/v3/account/settings',
      '/proxy/api/v3/account/settings',
    ])
    expect(received[1]!.headers['access-sign']).toBe(received[0]!.headers['access-sign'])
  })

  test('for a new key hides the passphrase wherever the request is shown', async () => {
    const { venue, received, settle } = await loopback(reply(400, refusal('40020', 'new-passphrase is bad')))
    const params = {
      subUid: '7',
      passphrase: 'new-passphrase',
      label: 'x',
      permType: 'readonly',
      permList: ['spot_trade'],
    }
    const error = await caught(settle(venue.account(access).request(createApiKey, params)))
    expect(JSON.parse(received[0]!.body).passphrase).toBe('new-passphrase')
    expect(JSON.parse(error.request.body!).passphrase).toBe('***')
    expect(error.venueMessage).toBe('************** is bad')
    expect(error.describe()).not.toContain('new-passphrase')
  })
})

describe('the time of a request', () => {
  test('follows the venue’s clock once an answer has given it', async () => {
    const { venue, settle, received, clock } = await loopback(
      reply(200, envelope({ uid: '1' }, { requestTime: START + 60_000 })),
    )
    expect(venue.offsetMs).toBeNull()
    expect(venue.venueNow()).toBe(START)
    await settle(venue.account(access).request(settings, {}))
    expect([venue.offsetMs, venue.venueNow()]).toEqual([60_000, clock.wall() + 60_000])
    await settle(venue.account(access).request(settings, {}))
    expect(received[1]!.headers['access-timestamp']).toBe(String(START + 60_000))
  })

  test('is measured again after a refusal for the time, and the request is signed again once', async () => {
    const right = START + 3_600_000
    const { venue, settle, received } = await loopback((request, response) => {
      const isRight = Math.abs(Number(request.headers['access-timestamp']) - right) <= 30_000
      const code = isRight ? '00000' : '40008'
      const msg = isRight ? 'success' : 'Request timestamp expired'
      response.end(JSON.stringify({ code, msg, requestTime: right, data: { uid: '1' } }))
    })
    await settle(venue.account(access).request(settings, {}))
    expect(received.map(({ at }) => at)).toEqual([0, 0])
    expect(venue.offsetMs).toBe(3_600_000)
  })

  test('follows the refusal and not the answers before it, as after a machine was asleep', async () => {
    let right = START
    const { venue, settle, received } = await loopback((request, response) => {
      const isRight = Math.abs(Number(request.headers['access-timestamp']) - right) <= 30_000
      const code = isRight ? '00000' : '40008'
      response.end(
        JSON.stringify({ code, msg: isRight ? 'success' : 'late', requestTime: right, data: { uid: '1' } }),
      )
    })
    for (let count = 0; count < 5; count += 1) await settle(venue.account(access).request(settings, {}))
    right = START + 3_600_000
    await settle(venue.account(access).request(settings, {}))
    expect(received).toHaveLength(7)
    expect(received[6]!.headers['access-timestamp']).toBe(String(START + 3_600_000))
  })

  test('is given up when it is refused a second time', async () => {
    const { venue, settle, received } = await loopback(reply(400, refusal('40005')))
    const error = await caught(settle(venue.account(access).request(settings, {})))
    expect(error).toBeInstanceOf(ClockRefused)
    expect(received.length).toBe(2)
  })

  test('is not measured from an implausible requestTime', async () => {
    const { venue, settle } = await loopback(
      reply(200, envelope({ uid: '1' }, { requestTime: 176368818155 })),
    )
    const answer = await settle(venue.account(access).request(settings, {}))
    expect([answer.envelope.requestTime, venue.offsetMs]).toEqual([null, null])
  })
})

describe('a write', () => {
  const order = {
    symbol: 'BTCUSDT',
    side: 'buy',
    orderType: 'limit',
    force: 'gtc',
    price: '1',
    size: '1',
    clientOid: 'c1',
  }

  test.each([
    ['a failure of the venue', reply(500, refusal('40015'))],
    ['a time-out of the venue’s own', reply(400, refusal('40010'))],
    ['word that it is still under way', reply(400, refusal('43137'))],
    ['an answer that cannot be read', reply(200, '{"code":"000')],
    ['a reset', inTurn((_request, response) => response.socket?.destroy())],
    ['an answer that is cut off', cutOff(200)],
    ['the page of a gateway', reply(502, '<html>bad gateway</html>')],
    ['a success under a status that is none', reply(400, envelope({ orderId: '1' }))],
  ])('is not sent again after %s: its outcome is unknown', async (_, handler) => {
    const { venue, settle, received } = await loopback(handler)
    const error = await caught(settle(venue.account(access).request(placeOrder, order)))
    expect(error).toBeInstanceOf(OutcomeUnknown)
    expect(error.details.action).toBe(
      'Look for the order with `tieout call trade.openOrders`, then in trade.orderHistory: by its clientOid, or for a TP/SL order, to which the venue gives its own, by symbol, side and size. Until then, do not send it again.',
    )
    expect([error.retryable, received.length]).toEqual([false, 1])
  })

  test.each([
    ['', reply(429, refusal('429'))],
    [' whose body is cut off', cutOff(429)],
  ])(
    'is sent again after a refusal for the rate%s, which proves that it was not carried out',
    async (_, refused) => {
      const { venue, settle, received } = await loopback(
        inTurn(refused, reply(200, envelope({ orderId: '1', clientOid: 'c1' }))),
      )
      await settle(venue.account(access).request(placeOrder, order))
      expect(received.length).toBe(2)
    },
  )

  test('whose price or quantity is refused as given was not carried out, and nothing is unknown', async () => {
    const { venue, settle, received } = await loopback(reply(400, refusal('40808')))
    const error = await caught(settle(venue.account(access).request(placeOrder, order)))
    expect([error.name, received.length]).toEqual(['ParameterRefused', 1])
  })

  test('that never reached the venue failed, and nothing is unknown', async () => {
    const { venue, settle } = await loopback(reply(200, ''), { baseUrl: 'http://127.0.0.1:9' })
    const error = await caught(settle(venue.account(access).request(placeOrder, order)))
    expect(error).toBeInstanceOf(PassingFailure)
    expect(venue.counters.requests).toBe(1)
  })

  /** The name of the error of an order whose sending fails so. */
  async function failing(failure: Error): Promise<string> {
    class Failing extends CountingAgent {
      override request(): Promise<never> {
        return Promise.reject(failure)
      }
    }
    const { venue, settle } = await loopback(reply(200, ''), { dispatcher: new Failing() })
    return (await caught(settle(venue.account(access).request(placeOrder, order)))).name
  }

  test.each([
    ['EHOSTUNREACH', 'connect', 'ConnectionFailed'],
    ['ENOTFOUND', 'getaddrinfo', 'ConnectionFailed'],
    ['ETIMEDOUT', 'connect', 'ConnectionFailed'],
    // The certificate is looked at before anything is sent.
    ['CERT_HAS_EXPIRED', undefined, 'ConnectionFailed'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', undefined, 'ConnectionFailed'],
    ['ENOMEM', undefined, 'ConnectionFailed'],
    ['UND_ERR_CONNECT_TIMEOUT', undefined, 'ConnectionFailed'],
    ['ECONNREFUSED', undefined, 'ConnectionFailed'],
    // The network went away under a connection that stood: the request may have left.
    ['EHOSTUNREACH', 'read', 'OutcomeUnknown'],
    ['ENETUNREACH', 'write', 'OutcomeUnknown'],
    ['ECONNRESET', 'read', 'OutcomeUnknown'],
    ['ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR', undefined, 'OutcomeUnknown'],
    ['ECONNRESET', undefined, 'OutcomeUnknown'],
    ['UND_ERR_SOCKET', undefined, 'OutcomeUnknown'],
    ['UND_ERR_BODY_TIMEOUT', undefined, 'OutcomeUnknown'],
  ])('whose connection fails by %s of %s is %s', async (code, syscall, name) => {
    expect(await failing(Object.assign(new Error(code), { code, syscall }))).toBe(name)
  })

  test.each([
    // As Node says it of a host with an IPv6 address that nobody answers at and an IPv4 one that is refused.
    [['connect', 'connect'], 'ConnectionFailed'],
    [['connect', 'read'], 'OutcomeUnknown'],
    [[], 'OutcomeUnknown'],
  ])('to several addresses that fail in %j is %s', async (syscalls, name) => {
    const errors = syscalls.map((syscall) =>
      Object.assign(new Error(syscall), { code: 'ETIMEDOUT', syscall }),
    )
    expect(await failing(Object.assign(new AggregateError(errors), { code: 'ETIMEDOUT' }))).toBe(name)
  })

  test('that succeeded is believed, whatever its answer looks like', async () => {
    const { venue, settle } = await loopback(reply(200, envelope(null, { msg: 'ok' })))
    const answer = await settle(venue.account(access).request(placeOrder, order))
    expect(answer.envelope.data).toBeNull()
  })

  test('under way is not cut off by a caller who stops', async () => {
    const stop = new AbortController()
    const { venue, settle } = await loopback((request, response, count) => {
      stop.abort()
      reply(200, envelope({ orderId: '1' }))(request, response, count)
    })
    const answer = await settle(venue.account(access).request(placeOrder, order, { signal: stop.signal }))
    expect(answer.envelope.data).toEqual({ orderId: '1' })
  })

  test('under way when the connections are closed has an unknown outcome: it is not said to have been stopped', async () => {
    const { venue, settle } = await loopback(() => void venue.close())
    const error = await caught(settle(venue.account(access).request(placeOrder, order)))
    expect(error).toBeInstanceOf(OutcomeUnknown)
  })

  test('of a caller who stops while it waits for the end of a pause is not sent', async () => {
    // Both are given up at once, and the pause begins.
    const { venue, settle, received, events } = await loopback(
      reply(429, refusal('429'), { 'retry-after': '300' }),
    )
    const account = venue.account(access)
    await settle(Promise.allSettled([account.request(settings, {}), account.request(openOrders, {})]))
    expect(events).toContainEqual({ event: 'block pause', pauseMs: 300_000 })
    const stop = new AbortController()
    const waiting = account.request(placeOrder, order, { signal: stop.signal })
    await turns()
    stop.abort()
    await expect(waiting).rejects.toThrow(Stopped)
    await turns()
    expect(received.filter(({ method }) => method === 'POST')).toEqual([])
  })
})
