// The client against a venue on loopback: what is tried again, when, and how often.
import { describe, expect, test } from 'vitest'
import { settings } from '../../connectors/endpoints/account.ts'
import {
  CredentialRefused,
  MalformedAnswer,
  RateRefused,
  Stopped,
  UnknownRefusal,
} from '../../connectors/errors.ts'
import { type FailedBefore, pauseBeforeRetry, retryAfterMs } from '../../connectors/retry.ts'
import {
  access,
  caught,
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

  test('is not retried beyond 30 s, including waiting for slots of its budget', async () => {
    // Once in ten seconds: the tries wait for their slots, whatever the pauses.
    const { venue, settle, received } = await loopback(reply(500, refusal('40015')), {
      budgets: { 'account.settings': { count: 1, perMs: 10_000 } },
    })
    await caught(settle(venue.account(access).request(settings, {})))
    expect(received.map(({ at }) => at)).toEqual([0, 10_002, 20_004])
    expect(venue.counters.requests).toBe(3)
  })

  test('because of one time-out after another is given up after 30 s', async () => {
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

  test('for the rate counts as that, and waits as Retry-After asks, although its body is cut off', async () => {
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

  test('with an unknown code is tried three times and shown', async () => {
    const { venue, settle, received } = await loopback(reply(200, refusal('99999', 'something new')))
    const error = await caught(settle(venue.account(access).request(settings, {})))
    expect(error).toBeInstanceOf(UnknownRefusal)
    expect([error.code, error.venueMessage, received.length]).toEqual(['99999', 'something new', 3])
  })

  test('is not retried as part of a window without a recognisable answer, unless something else is wrong', async () => {
    const refused = await loopback(reply(400, refusal('99999')))
    const asked = refused.venue.account(access).request(settings, {}, { failedBefore: 'window' })
    expect(await caught(refused.settle(asked))).toBeInstanceOf(UnknownRefusal)
    expect(refused.received).toHaveLength(1)
    const cut = await loopback(inTurn(reply(200, '{"code":"000'), reply(200, envelope({ uid: '1' }))))
    await cut.settle(cut.venue.account(access).request(settings, {}, { failedBefore: 'window' }))
    expect(cut.received).toHaveLength(2)
    const behind = await loopback(reply(503, 'gateway'))
    const page = behind.venue.account(access).request(settings, {}, { failedBefore: 'cursor' })
    expect((await caught(behind.settle(page))).name).toBe('PassingFailure')
    expect(behind.received).toHaveLength(1)
  })

  test('for its credentials is not retried', async () => {
    const { venue, settle, received } = await loopback(reply(401, refusal('40009', 'sign signature error')))
    const error = await caught(settle(venue.account(access).request(settings, {})))
    expect(error).toBeInstanceOf(CredentialRefused)
    expect([error.exitCode, received.length]).toEqual([4, 1])
  })

  test('with nothing but a code is reported by that code', async () => {
    const { venue, settle } = await loopback(reply(200, '{"code":40014}'))
    const error = await caught(settle(venue.account(access).request(settings, {})))
    expect([error.name, error.code, error.venueMessage]).toEqual(['PermissionRefused', '40014', ''])
  })

  test('shows no secret, even if the venue repeats one', async () => {
    const { venue, settle } = await loopback(
      reply(400, refusal('40012', 'api-passphrase of api-key is wrong')),
    )
    const error = await caught(settle(venue.account(access).request(settings, {})))
    expect(error.venueMessage).toBe('************** of ******* is wrong')
    expect(JSON.stringify(error) + error.describe()).not.toMatch(/api-passphrase|api-secret/)
  })

  test('shows no secret in the place of a code either, nor one of another account', async () => {
    const { venue, settle } = await loopback(
      reply(400, refusal('api-passphrase', 'other-secret of api-key')),
      {
        secrets: ['other-secret'],
      },
    )
    const error = await caught(settle(venue.account(access).request(settings, {})))
    expect([error.code, error.venueMessage]).toEqual(['**************', '************ of *******'])
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
      'No TLS connection to HOST could be established',
      (origin) => origin.replace('http:', 'https:'),
      'TLS',
    ],
    [
      'that is cut every time',
      (_request, response) => response.socket?.destroy(),
      'HOST closed the connection',
      (origin) => origin,
      'reset',
    ],
  ])(
    'a connection %s is described in a plain sentence with the host',
    async (_what, handler, sentence, address, code) => {
      const { baseUrl } = await loopback(handler)
      const { venue, settle, events } = await loopback(reply(200, ''), { baseUrl: address(baseUrl) })
      const error = await caught(settle(venue.account(access).request(settings, {})))
      const plain = sentence.replace('HOST', new URL(baseUrl).host)
      expect([error.name, error.code, error.status]).toEqual(['ConnectionFailed', code, null])
      expect(error.message).toBe(`${plain}: account.settings for account main.`)
      expect(error.details.action).toMatch(
        /^(Check|If it persists, check) .* Then run again; what has landed is kept\.$/,
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

describe('a Retry-After header', () => {
  const date = 'Mon, 05 Jan 2026 03:00:00 GMT'
  const now = Date.parse(date)

  test('is a number of seconds, or a date that is measured from the one of its answer', () => {
    expect(retryAfterMs({ 'retry-after': '1.5' }, now)).toBe(1_500)
    expect(retryAfterMs({ 'retry-after': [' 2 ', '3'] }, now)).toBe(2_000)
    const until = { 'retry-after': 'Mon, 05 Jan 2026 03:00:10 GMT' }
    // The machine's clock is an hour ahead.
    expect(retryAfterMs({ ...until, date }, now + 3_600_000)).toBe(10_000)
    expect(retryAfterMs({ ...until, date: 'today' }, now + 4_000)).toBe(6_000)
    expect(retryAfterMs(until, now + 10_001)).toBe(0)
  })

  test.each([{}, { 'retry-after': '' }, { 'retry-after': 'soon' }])('is not known from %j', (headers) => {
    expect(retryAfterMs(headers, now)).toBeNull()
  })
})

describe('an answer that was damaged on its way', () => {
  const error = new MalformedAnswer({
    ...{ endpoint: settings, account: 'main', code: 'malformed answer', status: 200, message: '' },
    ...{ request: { method: 'GET', path: '/' }, body: Buffer.from('<html>') },
  })
  const pause = (failedBefore: FailedBefore | null) =>
    pauseBeforeRetry({
      ...{ error, failedBefore, tries: 1, elapsedMs: 0, writes: false, clockWasRefused: false },
      random: () => 0.5,
    })

  test('is asked for again, also as part of a window that failed, but not behind pages that never follow', () => {
    expect([pause(null), pause('window'), pause('cursor')]).toEqual([1_000, 1_000, null])
  })
})

describe('the pause before a retry', () => {
  const refusedFor = (retryAfterMs: number | null) =>
    new RateRefused({
      ...{ endpoint: settings, account: 'main', code: '429', status: 429, message: '', retryAfterMs },
      ...{ request: { method: 'GET', path: '/' }, body: null },
    })
  const pause = (retryAfterMs: number | null, elapsedMs = 0) =>
    pauseBeforeRetry({
      ...{ error: refusedFor(retryAfterMs), tries: 1, elapsedMs, writes: false, clockWasRefused: false },
      random: () => 0.5,
    })

  test('is at least what Retry-After asks for, and never less than the usual one', () => {
    expect([pause(null), pause(0), pause(7_000)]).toEqual([1_000, 1_000, 7_000])
  })

  test('may end with the 30 s, and not after them', () => {
    expect([pause(null, 29_000), pause(null, 29_001)]).toEqual([1_000, null])
  })
})
