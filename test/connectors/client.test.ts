// The client against a venue on loopback: what is sent, what counts as an answer, when it is tried again.
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { settings } from '../../connectors/endpoints/account.ts'
import { createApiKey } from '../../connectors/endpoints/broker.ts'
import { contracts } from '../../connectors/endpoints/futures.ts'
import { p2pOrders } from '../../connectors/endpoints/p2p.ts'
import { placeOrder } from '../../connectors/endpoints/spot.ts'
import { taxRecords } from '../../connectors/endpoints/tax.ts'
import { openOrders, orderHistory } from '../../connectors/endpoints/trade.ts'
import { readEnvelope } from '../../connectors/envelope.ts'
import {
  ClockRefused,
  CredentialRefused,
  MalformedAnswer,
  OutcomeUnknown,
  PassingFailure,
  RateRefused,
  Stopped,
  UnknownRefusal,
  VenueError,
} from '../../connectors/errors.ts'
import { extractPage } from '../../connectors/pages.ts'
import { UsageError } from '../../models/error.ts'
import {
  access,
  cutOff,
  envelope,
  type Handler,
  inTurn,
  loopback,
  refusal,
  reply,
  START,
  turns,
} from '../support/venue.ts'

const window = { startTime: String(START - 1_000), endTime: String(START) }
const query = { bizType: 'SPOT', ...window }

const caught = async (promise: Promise<unknown>): Promise<VenueError> => {
  const error = await promise.then(
    () => null,
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(VenueError)
  return error as VenueError
}

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
    await expect(venue.account(noTaxKey).request(taxRecords, query)).rejects.toThrow(
      'Account main has no tax API key.',
    )
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

  test('whose parameters are a function asks for them again before each sending', async () => {
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

  test('of a new key hides the passphrase wherever the request is shown', async () => {
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

describe('an answer', () => {
  test('comes with the decoded body as received, and the times of the exchange', async () => {
    const body = envelope([{ id: '1' }], { requestTime: START + 250 })
    const { venue, settle } = await loopback(reply(200, body))
    const answer = await settle(venue.account(access).request(taxRecords, query))
    expect(answer).toEqual({
      request: { method: 'GET', path: expect.stringContaining('/api/v3/tax/records?') },
      status: 200,
      body: Buffer.from(body),
      envelope: { data: [{ id: '1' }], requestTime: START + 250 },
      sentAt: 0,
    })
  })

  test('needs no requestTime', async () => {
    const { venue, settle } = await loopback(reply(200, '{"code":"00000","msg":"success","data":[]}'))
    const answer = await settle(venue.account(access).request(taxRecords, query))
    expect(answer.envelope).toEqual({ data: [], requestTime: null })
  })

  test('of the same host comes over the connection that is already there', async () => {
    const ports = new Set<number | undefined>()
    const { venue, settle } = await loopback((request, response, count) => {
      ports.add(response.socket?.remotePort)
      reply(200, envelope({ uid: '1' }))(request, response, count)
    })
    for (let time = 0; time < 3; time += 1) {
      await settle(venue.account(access).request(settings, {}))
      await turns()
    }
    expect(ports.size).toBe(1)
  })

  test.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
  ])('in %s, which nobody asked for, is decoded', async (encoding, encode) => {
    const body = envelope([{ id: '1' }])
    const { venue, settle, received } = await loopback(
      reply(200, encode(Buffer.from(body)), { 'content-encoding': encoding }),
    )
    const answer = await settle(venue.account(access).request(taxRecords, query))
    expect(answer.body.toString()).toBe(body)
    expect(received[0]!.headers['accept-encoding']).toBeUndefined()
  })

  test('keeps digits of numbers beyond 2^53, ids and cursors alike', async () => {
    const body = `{"code":"00000","msg":"success","requestTime":${START},"data":{"orderList":[{"orderId":1375573238088888367}],"minOrderId":1375573238088888367}}`
    const { venue, settle } = await loopback(reply(200, body))
    const { envelope: read } = await settle(venue.account(access).request(p2pOrders, {}))
    expect(extractPage(p2pOrders, read.data)).toEqual({
      rows: [{ orderId: '1375573238088888367' }],
      cursor: '1375573238088888367',
    })
  })

  test.each([
    ['a bare empty list', orderHistory, []],
    ['a list of null', orderHistory, { list: null, cursor: null }],
    ['an empty list with an empty cursor', orderHistory, { list: [], cursor: '' }],
    ['an empty list without a cursor', orderHistory, { list: [] }],
    ['an empty list where rows stand bare', taxRecords, []],
    ['a wrapped list of null where rows stand bare', taxRecords, { list: null, cursor: null }],
  ])('of %s is an empty page', async (_, endpoint, data) => {
    const { venue, settle } = await loopback(reply(200, envelope(data)))
    const params = endpoint === taxRecords ? query : { category: 'SPOT' }
    const answer = await settle(venue.account(access).request(endpoint, params))
    expect(extractPage(endpoint, answer.envelope.data)).toEqual({ rows: [], cursor: null })
  })

  test.each([
    ['cut-off JSON', '{"code":"00000","msg":"success","data":[{"id":"1"'],
    ['an empty body', ''],
    ['a web page', '<html>maintenance</html>'],
    ['JSON that is no envelope', '[1,2]'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
    ['data that is null', envelope(null)],
    ['data that is absent', JSON.stringify({ code: '00000', msg: 'success' })],
    ['data of another shape', envelope({ rows: [] })],
    ['data that is a wrapped list of rows', envelope({ list: [{ id: '1' }] })],
    ['data that is a text', envelope('none')],
    ['data that stands twice', '{"code":"00000","msg":"success","data":[{"id":"1"}],"data":[]}'],
    ['a msg that is no success', envelope([], { msg: 'system busy' })],
    ['a msg that is absent', JSON.stringify({ code: '00000', data: [] })],
  ])('of %s is never an empty page', async (_, body) => {
    const { venue, settle, received } = await loopback(reply(200, body))
    const error = await caught(settle(venue.account(access).request(taxRecords, query)))
    expect(error).toBeInstanceOf(MalformedAnswer)
    expect(error.retryable).toBe(true)
    expect(error.body).toEqual(Buffer.from(body))
    expect(received.length).toBe(5)
  })

  test('cut off anywhere is never an envelope', () => {
    const whole = Buffer.from(envelope([{ id: '1', coin: 'é' }]))
    for (let length = 0; length < whole.length; length += 1)
      expect(readEnvelope(whole.subarray(0, length))).toBeNull()
    expect(readEnvelope(whole)).not.toBeNull()
  })

  test.each([
    ['without the list', { cursor: '1' }],
    ['whose list is an object', { list: {} }],
    ['that is a bare list of rows', [{ orderId: '1' }]],
  ])('to a listing %s is never an empty page', async (_, data) => {
    const { venue, settle } = await loopback(reply(200, envelope(data)))
    const promise = settle(venue.account(access).request(openOrders, {}))
    expect(await caught(promise)).toBeInstanceOf(MalformedAnswer)
  })

  test('to a listing with two unequal lists is never one of them', async () => {
    const body = '{"code":"00000","msg":"success","data":{"list":[],"cursor":null,"list":[{"orderId":"1"}]}}'
    const { venue, settle } = await loopback(reply(200, body))
    const error = await caught(settle(venue.account(access).request(openOrders, {})))
    expect(error.venueMessage).toBe('data has a field twice, with unequal values')
  })

  test('without fields is no account settings', async () => {
    const { venue, settle } = await loopback(reply(200, envelope({})))
    expect(await caught(settle(venue.account(access).request(settings, {})))).toBeInstanceOf(MalformedAnswer)
  })

  test.each([
    ['not gzip at all', reply(200, 'plain', { 'content-encoding': 'gzip' })],
    ['in an encoding that is not known', reply(200, 'plain', { 'content-encoding': 'zstd' })],
  ])('%s cannot be read', async (_, handler) => {
    const { venue, settle } = await loopback(handler)
    const error = await caught(settle(venue.account(access).request(taxRecords, query)))
    expect([error.name, error.code]).toEqual(['PassingFailure', 'body not decodable'])
  })

  test.each([
    ['as sent', reply(200, envelope([{ id: 'x'.repeat(5_000) }]))],
    [
      'once decompressed',
      reply(200, gzipSync(envelope([{ id: 'x'.repeat(5_000) }])), { 'content-encoding': 'gzip' }),
    ],
  ])('larger than the limit %s is not read', async (_, handler) => {
    const { venue, settle } = await loopback(handler, { maxBodyBytes: 4_096 })
    const error = await caught(settle(venue.account(access).request(taxRecords, query)))
    expect([error.code, error.venueMessage]).toEqual([
      'body too large',
      'the answer is larger than 4096 bytes',
    ])
  })

  test('that sends elsewhere is not followed', async () => {
    const { venue, settle, received } = await loopback(
      reply(302, '', { location: 'http://127.0.0.1:1/elsewhere' }),
    )
    const error = await caught(settle(venue.account(access).request(taxRecords, query)))
    expect([error.name, error.code, error.status]).toEqual(['UnknownRefusal', 'HTTP 302', 302])
    expect(received.length).toBe(3)
  })
})

describe('a request that fails', () => {
  test('is tried five times in all, with growing pauses, and then given up', async () => {
    const { venue, settle, received, events } = await loopback(reply(503, 'busy'))
    const error = await caught(settle(venue.account(access).request(settings, {})))
    expect([error.name, error.code, error.exitCode]).toEqual(['PassingFailure', 'HTTP 503', 5])
    // Half of 2, 4, 8 and 8 seconds: the jitter of this test is always 0.5.
    expect(received.map(({ at }) => at)).toEqual([0, 1_000, 3_000, 7_000, 11_000])
    expect(venue.counters).toEqual({ requests: 5, retries: 4 })
    expect(events.map((event) => 'retryInMs' in event && event.retryInMs)).toEqual([
      1_000,
      2_000,
      4_000,
      4_000,
      null,
    ])
  })

  test('succeeds when the failure passes', async () => {
    const { venue, settle } = await loopback(
      inTurn(reply(429, refusal('429')), reply(200, envelope({ uid: '1' }))),
    )
    const answer = await settle(venue.account(access).request(settings, {}))
    expect(answer.envelope.data).toEqual({ uid: '1' })
    expect(venue.counters).toEqual({ requests: 2, retries: 1 })
  })

  test('is not tried again beyond 30 s, slots of its budget included', async () => {
    // Once in ten seconds: the tries wait for their slots, whatever the pauses.
    const { venue, settle, received } = await loopback(reply(500, refusal('40015')), {
      budgets: { 'account.settings': { count: 1, perMs: 10_000 } },
    })
    await caught(settle(venue.account(access).request(settings, {})))
    expect(received.map(({ at }) => at)).toEqual([0, 10_002, 20_004])
    expect(venue.counters.requests).toBe(3)
  })

  test('by one time-out after the other is given up when 30 s have passed', async () => {
    const { venue, clock } = await loopback(() => undefined)
    const asked = caught(venue.account(access).request(settings, {}))
    for (let second = 0; second < 30; second += 1) {
      await turns()
      await clock.advance(1_000)
    }
    const error = await asked
    expect([error.code, clock.monotonic()]).toEqual(['time-out', 30_000])
    expect(error.message).toMatch(
      /^127\.0\.0\.1:\d+ did not answer in time: account\.settings for account main\.$/,
    )
    // From 0 to 10 s, from 11 to 21 s, and from 23 s for the time that is left.
    expect(venue.counters).toEqual({ requests: 3, retries: 2 })
    expect(error.venueMessage).toBe('no whole answer within 7000 ms')
  })

  test.each([
    ['seconds', '7'],
    ['a date', new Date(START + 7_000).toUTCString()],
  ])('waits as long as Retry-After asks in %s', async (_, value) => {
    const { venue, settle, received } = await loopback(
      inTurn(
        reply(429, refusal('429'), { 'retry-after': value, date: new Date(START).toUTCString() }),
        reply(200, envelope({ uid: '1' })),
      ),
    )
    await settle(venue.account(access).request(settings, {}))
    expect(received.map(({ at }) => at)).toEqual([0, 7_000])
  })

  test('for the rate is one, and waits as Retry-After asks, though its body is cut off', async () => {
    const { venue, settle, received } = await loopback(
      inTurn(cutOff(429, { 'retry-after': '7' }), reply(200, envelope({ uid: '1' }))),
    )
    await settle(venue.account(access).request(settings, {}))
    expect(received.map(({ at }) => at)).toEqual([0, 7_000])
  })

  test('is given up at once when Retry-After asks for more than 30 s', async () => {
    const { venue, clock, settle, received } = await loopback(
      reply(429, refusal('429'), { 'retry-after': '300' }),
    )
    const error = await caught(settle(venue.account(access).request(settings, {})))
    expect([error.name, error.retryAfterMs]).toEqual(['RateRefused', 300_000])
    expect([received.length, clock.monotonic()]).toEqual([1, 0])
  })

  test('with a code that is not known is tried three times and shown', async () => {
    const { venue, settle, received } = await loopback(reply(200, refusal('99999', 'something new')))
    const error = await caught(settle(venue.account(access).request(settings, {})))
    expect(error).toBeInstanceOf(UnknownRefusal)
    expect([error.code, error.venueMessage, received.length]).toEqual(['99999', 'something new', 3])
  })

  test('for its credentials is not tried again', async () => {
    const { venue, settle, received } = await loopback(reply(401, refusal('40009', 'sign signature error')))
    const error = await caught(settle(venue.account(access).request(settings, {})))
    expect(error).toBeInstanceOf(CredentialRefused)
    expect([error.exitCode, received.length]).toEqual([4, 1])
  })

  test('with nothing but a code is told by that code', async () => {
    const { venue, settle } = await loopback(reply(200, '{"code":40014}'))
    const error = await caught(settle(venue.account(access).request(settings, {})))
    expect([error.name, error.code, error.venueMessage]).toEqual(['PermissionRefused', '40014', ''])
  })

  test('shows no secret, also where the venue repeats one', async () => {
    const { venue, settle } = await loopback(
      reply(400, refusal('40012', 'api-passphrase of api-key is wrong')),
    )
    const error = await caught(settle(venue.account(access).request(settings, {})))
    expect(error.venueMessage).toBe('************** of ******* is wrong')
    expect(JSON.stringify(error) + error.describe()).not.toMatch(/api-passphrase|api-secret/)
  })

  test('by a reset of the connection is tried again', async () => {
    const { venue, settle } = await loopback(
      inTurn(
        (_request, response) => response.socket?.destroy(),
        (_request, response) => {
          response.writeHead(200, { 'content-length': '1000' }).write('{"code"')
          setImmediate(() => response.socket?.destroy())
        },
        reply(200, envelope({ uid: '1' })),
      ),
    )
    await settle(venue.account(access).request(settings, {}))
    expect(venue.counters).toEqual({ requests: 3, retries: 2 })
  })

  test('by a time-out is tried again, and its slot is spent', async () => {
    const { venue, clock, settle, received } = await loopback(
      inTurn(() => undefined, reply(200, envelope({ uid: '1' }))),
      { timeoutMs: 3_000, budgets: { 'account.settings': { count: 1, perMs: 5_000 } } },
    )
    const asked = venue.account(access).request(settings, {})
    while (received.length === 0) await new Promise((resolve) => setImmediate(resolve))
    await clock.advance(3_000)
    await settle(asked)
    expect(received.map(({ at }) => at)).toEqual([0, 8_002])
  })

  test.each<[string, Handler, string, (origin: string) => string, string]>([
    ['refused', reply(200, ''), '127.0.0.1:9 refused the connection', () => 'http://127.0.0.1:9', 'refused'],
    [
      'that has no address',
      reply(200, ''),
      'The name nowhere.invalid could not be resolved (DNS)',
      () => 'https://nowhere.invalid',
      'DNS',
    ],
    [
      'without TLS at the other end',
      reply(200, ''),
      'No TLS connection to HOST came about',
      (origin) => origin.replace('http:', 'https:'),
      'TLS',
    ],
    [
      'that is cut every time',
      (_request, response) => response.socket?.destroy(),
      'HOST broke the connection off',
      (origin) => origin,
      'reset',
    ],
  ])(
    'a connection %s is named in a plain sentence with the host',
    async (_what, handler, sentence, address, code) => {
      const { baseUrl } = await loopback(handler)
      const { venue, settle, events } = await loopback(reply(200, ''), { baseUrl: address(baseUrl) })
      const error = await caught(settle(venue.account(access).request(settings, {})))
      const plain = sentence.replace('HOST', new URL(baseUrl).host)
      expect([error.name, error.code, error.status]).toEqual(['ConnectionFailed', code, null])
      expect(error.message).toBe(`${plain}: account.settings for account main.`)
      expect(error.details.action).toMatch(
        /^(Check|If it stays so, check) .* Then run again; what has landed is kept\.$/,
      )
      expect(events.at(-1)).toMatchObject({ code, unreachable: error.message, retryInMs: null })
    },
  )

  test('ends when its caller stops it, wherever it waits', async () => {
    const { venue, clock, received } = await loopback(reply(500, refusal('40015')))
    const stop = new AbortController()
    const asked = venue.account(access).request(settings, {}, { signal: stop.signal })
    while (received.length === 0) await new Promise((resolve) => setImmediate(resolve))
    await clock.advance(0)
    stop.abort()
    await expect(asked).rejects.toThrow(Stopped)
    await expect(venue.account(access).request(settings, {}, { signal: stop.signal })).rejects.toThrow(
      Stopped,
    )
  })
})

describe('the time of a request', () => {
  test('follows the venue’s clock once an answer has told it', async () => {
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

  test('is set anew by a refusal of it, and the request is signed again once', async () => {
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
    ['an answer that cannot be read', reply(200, '{"code":"000')],
    ['a reset', inTurn((_request, response) => response.socket?.destroy())],
    ['an answer that is cut off', cutOff(200)],
  ])('is not sent again after %s: its outcome is unknown', async (_, handler) => {
    const { venue, settle, received } = await loopback(handler)
    const error = await caught(settle(venue.account(access).request(placeOrder, order)))
    expect(error).toBeInstanceOf(OutcomeUnknown)
    expect(error.details.action).toBe(
      'Look for the clientOid with `tieout call trade.openOrders`, then in trade.orderHistory. Do not send it again before.',
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

  test('that never reached the venue failed, and nothing is unknown', async () => {
    const { venue, settle } = await loopback(reply(200, ''), { baseUrl: 'http://127.0.0.1:9' })
    const error = await caught(settle(venue.account(access).request(placeOrder, order)))
    expect(error).toBeInstanceOf(PassingFailure)
    expect(venue.counters.requests).toBe(1)
  })

  test('that succeeded is believed, whatever its answer looks like', async () => {
    const { venue, settle } = await loopback(reply(200, envelope(null, { msg: 'ok' })))
    const answer = await settle(venue.account(access).request(placeOrder, order))
    expect(answer.envelope.data).toBeNull()
  })

  test('on its way is not cut off by a caller who stops', async () => {
    const stop = new AbortController()
    const { venue, settle } = await loopback((request, response, count) => {
      stop.abort()
      reply(200, envelope({ orderId: '1' }))(request, response, count)
    })
    const answer = await settle(venue.account(access).request(placeOrder, order, { signal: stop.signal }))
    expect(answer.envelope.data).toEqual({ orderId: '1' })
  })
})

describe('a venue that blocks the address', () => {
  const pauses = (events: readonly { event: string }[]) =>
    events.filter(({ event }) => event === 'block pause').length

  test('gets five minutes of silence once, when refusals come on two budgets, and then is asked again', async () => {
    let blocked = true
    const { venue, settle, received, events } = await loopback((request, response, count) =>
      blocked
        ? reply(429, refusal('429'))(request, response, count)
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

  test('that refuses still after the pause is not asked any more', async () => {
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

  test('a second time in one run is not waited for again', async () => {
    let blocked = true
    const { venue, settle, received, events } = await loopback((request, response, count) =>
      blocked
        ? reply(429, refusal('429'))(request, response, count)
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

  test('keeps no caller waiting who stops during the pause', async () => {
    const { venue, settle } = await loopback(reply(429, refusal('429')))
    const account = venue.account(access)
    await settle(Promise.allSettled([account.request(settings, {}), account.request(openOrders, {})]))
    const stop = new AbortController()
    const waiting = account.request(settings, {}, { signal: stop.signal })
    await turns()
    stop.abort()
    await expect(waiting).rejects.toThrow(Stopped)
  })

  test('is not supposed where refusals come on one budget alone', async () => {
    const { venue, settle, events } = await loopback(reply(429, refusal('429')))
    await caught(settle(venue.account(access).request(settings, {})))
    await caught(settle(venue.account(access).request(settings, {})))
    expect(pauses(events)).toBe(0)
  })

  test('is not supposed where another budget succeeds in between', async () => {
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
})
