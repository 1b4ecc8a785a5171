import { request as httpRequest } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { withExponent } from '../../sandbox/faults/oddities.ts'
import { type Sandbox, startSandbox } from '../../sandbox/index.ts'
import { accountOf, DAY_MS, FUTURES, get, heldClock, NOW, type Row, readFeed, sign, TAX } from './client.ts'

const nowMs = NOW.getTime()
const week = { bizType: 'SPOT', startTime: String(nowMs - 7 * DAY_MS), endTime: String(nowMs) }
const running: Sandbox[] = []

async function start(faults?: string): Promise<Sandbox> {
  const clock = heldClock()
  const monotonicMs = () => {
    clock.advance(0.01)
    return clock.monotonicMs()
  }
  const sandbox = await startSandbox({
    now: NOW,
    days: 14,
    speed: 1e6,
    monotonicMs,
    ...(faults && { faults }),
  })
  running.push(sandbox)
  return sandbox
}
afterEach(() => Promise.all(running.splice(0).map((sandbox) => sandbox.close())))

/** All tax records of the first account's spot line, oldest first. */
async function spotRecords(sandbox: Sandbox): Promise<Row[]> {
  const { taxKey } = accountOf(sandbox, 'parent')
  const rows = await readFeed(sandbox, taxKey, TAX, { bizType: 'SPOT' }, nowMs - 14 * DAY_MS, nowMs)
  return rows.sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1))
}

async function futuresRecords(sandbox: Sandbox): Promise<Row[]> {
  const parent = accountOf(sandbox, 'parent')
  const lines: Row[][] = []
  for (const productType of ['USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES']) {
    lines.push(await readFeed(sandbox, parent, FUTURES, { productType }, nowMs - 14 * DAY_MS, nowMs))
  }
  return lines.flat()
}

/** One signed request for the tax records, as raw as the wire gave it. */
async function raw(sandbox: Sandbox, headers: Record<string, string> = {}): Promise<Response> {
  const { taxKey } = accountOf(sandbox, 'parent')
  const target = `${TAX.path}?${new URLSearchParams(week)}`
  const timestamp = String(Date.now())
  return fetch(sandbox.baseUrl + target, {
    headers: {
      'ACCESS-KEY': taxKey.apiKey,
      'ACCESS-SIGN': sign(taxKey.secret, timestamp, 'GET', target),
      'ACCESS-PASSPHRASE': taxKey.passphrase,
      'ACCESS-TIMESTAMP': timestamp,
      ...headers,
    },
  })
}

describe('a fault of a record', () => {
  test('affects only the N-th oldest and leaves the truth as it was', async () => {
    const whole = await start()
    const before = await spotRecords(whole)
    const damaged = async (faults: string) => {
      const sandbox = await start(faults)
      expect(sandbox.truth()).toEqual(whole.truth())
      return spotRecords(sandbox)
    }
    expect(await damaged('drop=tax.records:3')).toEqual(before.filter((_, index) => index !== 2))

    const doubled = await damaged('double=tax.records:3')
    expect(doubled).toHaveLength(before.length + 1)
    expect(doubled[3]).toEqual({ ...before[2], id: doubled[3].id })

    const changed = await damaged('change=tax.records:3')
    expect(changed[2]).toEqual({ ...before[2], amount: changed[2].amount })
    expect(changed[2].amount).not.toBe(before[2].amount)

    expect((await damaged('rename-type=tax.records:3'))[2].type).toBe('SOMETHING_UNHEARD_OF')
  })

  test('flips the fee of the N-th oldest record that has one', async () => {
    const whole = await futuresRecords(await start())
    const flipped = await futuresRecords(await start('flip-fee=tax.futuresRecords:1'))
    const differing = whole.flatMap((row, index) =>
      row.fee === flipped[index].fee ? [] : [[row, flipped[index]]],
    )
    expect(differing).toHaveLength(1)
    expect(differing[0]![1].fee).toBe(differing[0]![0].fee.replace('-', ''))
  })
})

describe('the list of faults', () => {
  test.each([
    ['drpo=tax.records:1', /Unknown fault "drpo". Known faults: drop, double/],
    ['drop=tax.record:1', /drop=tax.record:1: expected FEED:N/],
    ['drop=tax.records:999999', /the feed holds \d+ such records/],
    ['reset=2', /reset=2: expected a share from 0 to 1/],
    ['latency=9-1', /latency=9-1: expected FROM-TO/],
  ])('is refused with %s', async (faults, message) => {
    await expect(startSandbox({ now: NOW, days: 3, faults })).rejects.toThrow(message)
  })

  test('may be an object', async () => {
    const sandbox = await startSandbox({ now: NOW, days: 1, faults: { skew: -90, oddities: false } })
    running.push(sandbox)
    expect((await raw(sandbox)).status).toBe(400)
  })
})

describe('a fault of the wire', () => {
  test('short pages still lead to every record once', async () => {
    const whole = await spotRecords(await start())
    const sandbox = await start('short-pages')
    const { taxKey } = accountOf(sandbox, 'parent')
    const rows: Row[] = []
    for (const days of [14, 7]) {
      const window = {
        startTime: String(nowMs - days * DAY_MS),
        endTime: String(nowMs - (days - 7) * DAY_MS),
      }
      let cursor: Record<string, string> = {}
      for (;;) {
        const page = (await get(sandbox, taxKey, TAX.path, { bizType: 'SPOT', ...window, ...cursor }))
          .data as Row[]
        if (page.length === 0) break
        rows.push(...page)
        cursor = { cursor: page.at(-1).id }
      }
    }
    const ids = rows.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.sort()).toEqual(whole.map(({ id }) => id).sort())
  })

  test('a repeated cursor returns the first page again', async () => {
    const sandbox = await start('repeat-cursor')
    const { taxKey } = accountOf(sandbox, 'parent')
    const first = (await get(sandbox, taxKey, TAX.path, { ...week, limit: '5' })).data
    const second = await get(sandbox, taxKey, TAX.path, { ...week, limit: '5', cursor: first.at(-1).id })
    expect(second.data).toEqual(first)
  })

  test('429 comes alternately with and without Retry-After', async () => {
    const sandbox = await start('429')
    const answers = [await raw(sandbox), await raw(sandbox)]
    expect(answers.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual([
      [429, '1'],
      [429, null],
    ])
  })

  test.each([
    ['5xx', async (answer: Response) => expect(answer.status).toBeGreaterThanOrEqual(500)],
    ['empty-body', async (answer: Response) => expect(await answer.text()).toBe('')],
    ['html', async (answer: Response) => expect(await answer.text()).toMatch(/^<!DOCTYPE html>/)],
    [
      'null-data',
      async (answer: Response) => expect(await answer.json()).toMatchObject({ code: '00000', data: null }),
    ],
    [
      'wrong-msg',
      async (answer: Response) =>
        expect(await answer.json()).toMatchObject({ code: '00000', msg: 'service busy', data: [] }),
    ],
    ['outage=0-10', async (answer: Response) => expect(answer.status).toBe(503)],
  ])('%s spoils the answer', async (faults, expectation) => {
    await expectation(await raw(await start(faults)))
  })

  test('a truncated answer is invalid JSON or a cut connection, a reset no answer at all', async () => {
    const truncating = await start('truncate')
    for (let count = 0; count < 6; count++) {
      await expect(raw(truncating).then((answer) => answer.json())).rejects.toThrow()
    }
    const resetting = await start('reset')
    await expect(raw(resetting)).rejects.toThrow()
    expect(resetting.stats().log).toMatchObject([{ code: '00000', fault: 'reset' }])
  })

  test('gzip compresses for a client that accepts it', async () => {
    const sandbox = await start('gzip')
    const encoding = (headers: Record<string, string>) =>
      new Promise((resolve) => {
        httpRequest(`${sandbox.baseUrl}/api/v3/nothing`, { headers }, (response) => {
          resolve(response.headers['content-encoding'])
          response.resume()
        }).end()
      })
    expect(await encoding({ 'accept-encoding': 'gzip, br' })).toBe('gzip')
    expect(await encoding({})).toBeUndefined()
  })
})

describe('oddities', () => {
  test('never change the meaning of a record, and are the same in every answer', async () => {
    const whole = await spotRecords(await start())
    const sandbox = await start('oddities')
    const read = async () => (await raw(sandbox)).text()
    const [first, second] = [await read(), await read()]
    const rowsOf = (text: string) => text.slice(text.indexOf('"data":'))
    expect(rowsOf(second)).toBe(rowsOf(first))
    expect(first).toMatch(/"id":\d{19}[,}]/)
    const quoted = first.replace(/"(id|amount|balance|ts)":(-?[\d.]+(?:E-?\d+)?)/g, '"$1":"$2"')
    const odd = JSON.parse(quoted).data as Row[]
    const plain = new Map(whole.map((row) => [row.id, row]))
    for (const row of odd) {
      const { amount, balance, ts, coin } = plain.get(row.id)
      expect([Number(row.amount), Number(row.balance)]).toEqual([Number(amount), Number(balance)])
      expect([row.ts, row.coin]).toEqual([ts, coin])
    }
  })

  test.each([
    ['0.0004556178732628', '4.556178732628E-4'],
    ['-1.9998656', '-1.9998656E0'],
    ['42000', '4.2E4'],
    ['0', '0E0'],
  ])('write %s as %s', (decimal, expected) => {
    expect(withExponent(decimal)).toBe(expected)
  })
})
