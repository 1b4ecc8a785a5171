// Answers to writes that are neither plainly a success nor plainly a refusal: what is shown, journaled and said of them.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { journalText } from '../support/calls.ts'
import { command } from '../support/in-process.ts'
import { refused, TRADER, traderBooks, traderVenue } from '../support/trader-venue.ts'

const MODIFY = '/api/v3/trade/batch-modify-order'
const MODIFY_KEY = '/api/v2/broker/manage/modify-subaccount-apikey'

async function call(path: string, answer: unknown, words: readonly string[]) {
  const venue = await traderVenue({ ...TRADER, [path]: () => answer })
  const dir = traderBooks(venue.baseUrl, '{}')
  const run = await command(['call', ...words, '--write', '--json', '--dir', dir])
  const { stdout } = await command(['writes', '--json', '--dir', dir])
  const [write] = JSON.parse(stdout) as Record<string, unknown>[]
  return { run, write, sent: venue.arrived.filter((one) => one === path).length }
}

test('a success under an error status leaves open whether the write was carried out', async () => {
  const { run, write, sent } = await call('/api/v3/trade/cancel-order', refused('00000', 400), [
    'trade.cancelOrder',
    'orderId=5',
  ])
  expect(run.code).toBe(5)
  expect(run.stderr).toContain('tieout: It is unknown whether the venue carried this out')
  expect(write).toMatchObject({ outcome: 'unknown', code: '00000' })
  expect(sent).toBe(1)
})

test('an answer with none of the items that were sent counts what it has and what it does not mention', async () => {
  const { run, write } = await call(
    MODIFY,
    [null, 5, 'x', [[]]],
    ['trade.batchModifyOrders', 'orders=[{"orderId":"1","qty":"1"},{"orderId":"2","qty":"1"}]'],
  )
  expect(run.code).toBe(4)
  expect(run.stderr).toContain('found:    6 of 6 items with unknown outcome: item 1: no id; ')
  expect(write).toMatchObject({ outcome: 'unknown' })
})

test('a passphrase that was sent and is returned is not shown', async () => {
  const passphrase = 'hush-hush-passphrase'
  const { run } = await call(MODIFY_KEY, { subUid: '1', label: passphrase }, [
    'broker.modifyApiKey',
    ...['subUid=1', 'apiKey=abcdef', `passphrase=${passphrase}`, 'permType=readonly', 'permList=spot_trade'],
  ])
  expect(run.code).toBe(0)
  expect(JSON.parse(run.stdout)).toEqual({ subUid: '1', label: '*'.repeat(passphrase.length) })
})

test('a refusal that repeats the passphrase that was sent, and that of another account, is journaled without them', async () => {
  const passphrase = 'hush-hush-passphrase'
  const said = { code: '40017', msg: `not ${passphrase}, not api-phrase-02`, data: null }
  const venue = createServer((_request, response) => {
    response.writeHead(400).end(JSON.stringify({ ...said, requestTime: Date.now() }))
  })
  await new Promise<void>((resolve) => venue.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void venue.close())
  const dir = traderBooks(`http://127.0.0.1:${portOf(venue)}`, '{}', '', ['trader', 'other'])
  const words = ['subUid=1', 'apiKey=abcdef', `passphrase=${passphrase}`, 'permType=readonly']
  const modify = [
    'call',
    'broker.modifyApiKey',
    ...words,
    'permList=spot_trade',
    '--account',
    'trader',
    '--write',
    '--dir',
    dir,
  ]
  expect((await command(modify)).code).not.toBe(0)
  const { stdout } = await command(['writes', '--json', '--dir', dir])
  expect(JSON.parse(stdout)).toMatchObject([
    { outcome: 'refused', code: '40017', message: 'not ********************, not *************' },
  ])
  const journal = await journalText(dir)
  for (const secret of [passphrase, 'api-phrase-02']) expect(journal).not.toContain(secret)
  // Only in the answer, so that erasing the answer erases it.
  expect(journal.match(/not \*{20}/g)).toHaveLength(1)
})

test.each([
  ['permType', 'the name of a field'],
  [':', 'a sign of JSON itself'],
])('a write whose passphrase is %s, %s, is journaled field by field', async (passphrase) => {
  const words = ['subUid=1', 'apiKey=abcdef', `passphrase=${passphrase}`, 'permType=readonly']
  const { run, write, sent } = await call(MODIFY_KEY, { subUid: '1' }, [
    ...['broker.modifyApiKey', ...words, `label=is ${passphrase}`, 'permList=spot_trade'],
  ])
  expect(run).toMatchObject({ code: 0, stderr: '' })
  expect(sent).toBe(1)
  expect(JSON.parse(String(write?.body))).toEqual({
    ...{ subUid: '1', apiKey: '***', passphrase: '***', permType: 'readonly' },
    ...{ label: `is ${'*'.repeat(passphrase.length)}`, permList: ['spot_trade'] },
  })
  expect(write).toMatchObject({ outcome: 'done' })
})

test('a redirect is not followed, keys go to no other host, and the message says what to check', async () => {
  const keys: unknown[] = []
  const other = createServer((request, response) => {
    keys.push(request.headers['access-key'])
    response.end()
  })
  const venue = createServer((_request, response) => {
    response.writeHead(302, { location: `http://localhost:${portOf(other)}/elsewhere?key=1` }).end()
  })
  for (const server of [other, venue]) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
  }
  const dir = traderBooks(`http://127.0.0.1:${portOf(venue)}`, '{}')
  const { code, stderr } = await command(['call', 'trade.openOrders', '--dir', dir])
  expect(stderr).toContain(
    `HTTP 302, a redirect to localhost:${portOf(other)}, which is not followed; check venue.base_url`,
  )
  expect(code).toBe(4)
  expect(keys).toEqual([])
})

const portOf = (server: Server): number => (server.address() as AddressInfo).port
