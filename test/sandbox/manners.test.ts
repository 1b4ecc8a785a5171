import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SlidingWindow } from '../../sandbox/http/budgets.ts'
import { isSignedBy } from '../../sandbox/http/signature.ts'
import { type Sandbox, startSandbox } from '../../sandbox/index.ts'
import { accountOf, DAY_MS, get, heldClock, NOW, send, sign, TAX } from './client.ts'

const clock = heldClock()
let sandbox: Sandbox

beforeAll(async () => {
  sandbox = await startSandbox({ now: NOW, days: 30, monotonicMs: clock.monotonicMs })
})
afterAll(() => sandbox.close())

const SETTINGS = '/api/v3/account/settings'
const nowMs = NOW.getTime()
const window = { startTime: String(nowMs - DAY_MS), endTime: String(nowMs) }

/** One tax request with a budget of its own. */
async function tax(params: Record<string, string>) {
  clock.advance(1_000)
  return get(sandbox, accountOf(sandbox, 'parent').taxKey, TAX.path, params)
}

describe('a signature', () => {
  const secret = 'test-secret-0123456789abcdef'
  const timestamp = '1684814440729'
  const request = { timestamp, method: 'GET', path: SETTINGS, query: '', body: '' }

  test.each([
    ['a GET without a query', {}, 'NCHekc7P6gja2z+kRBSxbh2buXafJD1Lz9Zc97nFhgc='],
    [
      'a GET with a query',
      {
        path: '/api/v3/tax/records',
        query:
          'bizType=USDT-FUTURES&cursor=1375573238088888367&endTime=1763662183573&limit=500&startTime=1763402983000',
      },
      'zEZZEMAQMc+0dDv3bc6Qsmn+hIjX/fdIugkGWEXSh7I=',
    ],
    [
      'a POST with a body',
      {
        method: 'POST',
        path: '/api/v3/account/repay',
        body: '{"repayableCoinList":["USDT"],"paymentCoinList":["ETH"]}',
      },
      'tiiHo5cVksD/FCjChvv/aLC6EX5mMqSvVZ8fKY36vn0=',
    ],
  ])('is accepted as published for %s', (_, part, signature) => {
    expect(isSignedBy({ ...request, ...part, signature }, secret)).toBe(true)
    expect(isSignedBy({ ...request, ...part, signature: `x${signature}` }, secret)).toBe(false)
  })

  test('is accepted over a sorted or unsorted, encoded or decoded query', () => {
    for (const query of ['b=2%3A1&a=1', 'a=1&b=2%3A1', 'b=2:1&a=1', 'a=1&b=2:1']) {
      const signature = sign(secret, timestamp, 'GET', `${SETTINGS}?${query}`)
      expect(isSignedBy({ ...request, query: 'b=2%3A1&a=1', signature }, secret)).toBe(true)
    }
  })
})

describe('a request is refused', () => {
  test.each([
    ['without a key', { 'ACCESS-KEY': '' }, '40001'],
    ['without a signature', { 'ACCESS-SIGN': '' }, '40002'],
    ['without a passphrase', { 'ACCESS-PASSPHRASE': '' }, '40011'],
    ['with a time stamp that is none', { 'ACCESS-TIMESTAMP': 'soon' }, '40005'],
    ['with an old time stamp', { 'ACCESS-TIMESTAMP': '1684814440729' }, '40008'],
    ['with an unknown key', { 'ACCESS-KEY': 'bg_unknown' }, '40037'],
    ['with a wrong signature', { 'ACCESS-SIGN': 'bm8=' }, '40009'],
    ['with a wrong passphrase', { 'ACCESS-PASSPHRASE': 'wrong' }, '40012'],
  ])('%s', async (_, override, code) => {
    const answer = await send(sandbox, accountOf(sandbox, 'parent'), 'GET', SETTINGS, {}, override)
    expect(answer).toMatchObject({ code, data: null })
    expect(answer.status).toBeGreaterThanOrEqual(400)
  })

  test('when its time stamp is fresh by neither clock, and not when it is by the sandbox’s', async () => {
    const parent = accountOf(sandbox, 'parent')
    const at = async (ts: number) =>
      (await send(sandbox, parent, 'GET', SETTINGS, {}, { 'ACCESS-TIMESTAMP': String(ts) })).code
    clock.advance(1_000)
    const venueMs = nowMs + clock.monotonicMs()
    expect(await at(venueMs - 30_000)).toBe('00000')
    expect(await at(venueMs - 30_001)).toBe('40008')
  })

  test('when the account is classic and the endpoint is of the unified account', async () => {
    const classic = accountOf(sandbox, 'classic')
    expect(await get(sandbox, classic, SETTINGS)).toMatchObject({ status: 403, code: '40084' })
    expect((await get(sandbox, classic.taxKey, TAX.path, window)).code).toBe('40084')
  })

  test('when the key is not the one that the endpoint requires', async () => {
    const parent = accountOf(sandbox, 'parent')
    expect((await get(sandbox, parent, TAX.path, { bizType: 'SPOT', ...window })).code).toBe('40014')
    expect((await get(sandbox, parent.taxKey, SETTINGS)).code).toBe('40014')
  })

  test('when the account is not a merchant', async () => {
    expect(await get(sandbox, accountOf(sandbox, 'broker'), '/api/v2/p2p/orderList')).toMatchObject({
      status: 400,
      code: '60039',
      msg: 'P2P user does not exist',
    })
  })

  test('when no such endpoint exists', async () => {
    expect(await get(sandbox, accountOf(sandbox, 'parent'), '/api/v3/nothing')).toMatchObject({
      status: 404,
      code: '40404',
    })
  })

  test.each([
    ['a required parameter is missing', { startTime: '', bizType: 'SPOT' }, '40019'],
    ['an enumeration value is unknown', { bizType: 'STOCKS' }, '40020'],
    ['a limit is above the maximum', { bizType: 'SPOT', limit: '501' }, '40020'],
    ['a limit is no number', { bizType: 'SPOT', limit: 'many' }, '40020'],
    ['a time is no number', { bizType: 'SPOT', startTime: 'yesterday' }, '40020'],
    ['a cursor is no id', { bizType: 'SPOT', cursor: 'abc' }, '40020'],
    ['the end lies before the start', { bizType: 'SPOT', endTime: String(nowMs - 2 * DAY_MS) }, '40707'],
    ['the span is too long', { bizType: 'SPOT', startTime: String(nowMs - 7 * DAY_MS - 1) }, '40705'],
  ])('when %s', async (_, part, code) => {
    expect((await tax({ ...window, ...part })).code).toBe(code)
  })

  test('when its start is more than an hour older than retention, not when it is less', async () => {
    const start = (ageMs: number) => {
      const startTime = nowMs + clock.monotonicMs() + 1_000 - ageMs
      return tax({ bizType: 'SPOT', startTime: String(startTime), endTime: String(startTime + DAY_MS) })
    }
    expect((await start(366 * DAY_MS + 3_600_001)).code).toBe('40704')
    expect((await start(366 * DAY_MS + 3_600_000)).code).toBe('00000')
  })

  test('unknown parameters are ignored, and a span of exactly seven days is allowed', async () => {
    const answer = await tax({
      bizType: 'SPOT',
      ...window,
      startTime: String(nowMs - 7 * DAY_MS),
      extra: '1',
    })
    expect(answer.code).toBe('00000')
  })
})

describe('a budget', () => {
  test('is a sliding window: one full window after the last arrival it is free again, a moment earlier it is not', () => {
    const budget = new SlidingWindow({ count: 2, perMs: 1_000 })
    expect([0, 400, 999, 1_998, 1_999, 2_999].map((atMs) => budget.arrive(atMs))).toEqual([1, 0, -1, 0, 0, 1])
    expect(budget.peak).toBe(3)
  })

  test('of one account is shared by its keys, and the refusal is 429 with what is left', async () => {
    const { taxKey, ...key } = accountOf(sandbox, 'parent')
    const futures = (credential: typeof taxKey) =>
      get(sandbox, credential, '/api/v2/tax/future-record', window)
    clock.advance(1_000)
    const first = await futures(key)
    expect([first.code, first.headers.get('x-mbx-used-remain-limit')]).toEqual(['00000', '0'])
    expect(await futures(taxKey)).toMatchObject({ status: 429, code: '429', data: null })
    clock.advance(999)
    expect((await futures(key)).code).toBe('429')
    clock.advance(1_000)
    expect((await futures(key)).code).toBe('00000')
    const seen = sandbox
      .stats()
      .endpoints.find(({ endpoint, who }) => endpoint === 'tax.futuresRecords' && who === key.uid)!
    expect(seen).toMatchObject({ limit: 1, perMs: 1_000, peak: 3, refused: { 429: 2 } })
  })

  test('of one second is shared by the two v2 tax feeds, and by nothing else', async () => {
    const held = heldClock()
    const strict = await startSandbox({ now: NOW, days: 1, monotonicMs: held.monotonicMs })
    const { taxKey, ...key } = accountOf(strict, 'parent')
    const [futures, p2p] = ['/api/v2/tax/future-record', '/api/v2/tax/p2p-record']
    const ask = async (path: string) => (await get(strict, key, path, window)).code
    const codes = [await ask(futures), await ask(p2p)]
    held.advance(1_000)
    codes.push(await ask(p2p), await ask(futures))
    held.advance(1_000)
    codes.push(await ask(p2p))
    expect(codes).toEqual(['00000', '429', '00000', '429', '00000'])
    // Another account's budget, and that of the unified feed, are others.
    expect((await get(strict, accountOf(strict, 'classic'), futures, window)).code).toBe('00000')
    expect((await get(strict, taxKey, TAX.path, { bizType: 'SPOT', ...window })).code).toBe('00000')
    const seen = strict.stats().endpoints.filter(({ who }) => who === key.uid)
    expect(seen.map(({ endpoint, requests, refused, peak }) => [endpoint, requests, refused, peak])).toEqual([
      ['tax.futuresRecords', 2, { 429: 1 }, 2],
      ['tax.p2pRecords', 3, { 429: 1 }, 2],
      ['tax.records', 1, {}, 1],
    ])
    await strict.close()
  })

  test('is refilled as many times faster as the speed says', async () => {
    const held = heldClock()
    const fast = await startSandbox({ now: NOW, days: 1, speed: 10, monotonicMs: held.monotonicMs })
    const key = accountOf(fast, 'classic')
    const read = async () => (await get(fast, key, '/api/v2/tax/future-record', window)).code
    const codes = [await read()]
    held.advance(99)
    codes.push(await read())
    held.advance(100)
    codes.push(await read())
    expect(codes).toEqual(['00000', '429', '00000'])
    await fast.close()
  })

  test('of an address is 6000 a minute; beyond it the address is blocked for five minutes', async () => {
    const held = heldClock()
    const strict = await startSandbox({ now: NOW, days: 1, monotonicMs: held.monotonicMs })
    const ask = async () => (await fetch(`${strict.baseUrl}/api/v3/nothing`)).status
    for (let count = 0; count < 6_000; count += 100) await Promise.all(Array.from({ length: 100 }, ask))
    expect(await ask()).toBe(429)
    held.advance(299_999)
    expect(await ask()).toBe(429)
    held.advance(1)
    expect(await ask()).toBe(404)
    await strict.close()
  })
})

test('the log of the sandbox shows who requested what, without a secret', async () => {
  const { secret, passphrase, apiKey } = accountOf(sandbox, 'parent')
  const text = JSON.stringify(await (await fetch(`${sandbox.baseUrl}/stats`)).json())
  expect(text).toContain('/api/v3/account/settings')
  for (const hidden of [secret, passphrase, apiKey]) expect(text).not.toContain(hidden)
})
