// A venue, or a proxy before it, that answers one account with another account's secrets, in codes, messages, bodies and
// candles: no file of the books, decoded journal included, and no output of the run holds any of them.
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../models/clock.ts'
import { openJournal } from '../../pipeline/journal/journal.ts'
import { temporaryFolder } from '../support/cli.ts'
import { TRADE_HEADER } from '../support/imports.ts'
import { command } from '../support/in-process.ts'
import { traderBooks } from '../support/trader-venue.ts'

const NOW = '2026-11-01T00:00:00Z'
const PARTS = ['key', 'secret', 'passphrase', 'tax_key', 'tax_secret', 'tax_passphrase']
const NAMES = ['first', 'second'] as const
const secretsOf = (name: string): string[] => PARTS.map((part) => `${name}-${part}-0123456789`)
const SECRETS = NAMES.flatMap(secretsOf)

/** What the venue says to whoever asks: all that the other account has. */
function answerTo({ url = '', headers }: IncomingMessage): readonly [status: number, body: unknown] {
  const asker = NAMES.find((name) => String(headers['access-key']).startsWith(name))
  const others = NAMES.filter((name) => name !== asker).flatMap(secretsOf)
  const [, secret = '', passphrase = ''] = others
  const said = others.join(' ')
  const success = (data: unknown): readonly [number, unknown] => [
    200,
    { code: '00000', msg: 'success', requestTime: Date.parse(NOW), data, traceId: said },
  ]
  const { pathname, searchParams } = new URL(url, 'http://venue')
  if (pathname.endsWith('/account/settings'))
    return success({ uid: `of ${asker}`, accountMode: passphrase, remark: said })
  if (pathname.endsWith('/public/symbols'))
    return success([{ symbol: 'BGBEUR', baseCoin: 'BGB', quoteCoin: 'EUR', status: 'online', said }])
  if (pathname.endsWith('/history-candles')) {
    const opens = Number(searchParams.get('endTime')) - 3_600_000
    return success([[String(opens), '1', '9', '0.1', '2', '5', '5', said]])
  }
  const code = pathname.endsWith('/tax/records') ? secret : '40014'
  return [400, { code, msg: `no permission: ${said}`, requestTime: Date.parse(NOW), data: null }]
}

let baseUrl: string
beforeEach(async () => {
  const server = createServer((request, response) => {
    const [status, body] = answerTo(request)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
})

/** Books of both accounts, whose one import needs a price. */
async function twoAccounts(): Promise<string> {
  const dir = traderBooks(baseUrl, '{ since: 2026-10-31, feeds: [tax.records, trade.orderHistory] }')
  const file = join(dir, 'tieout.yaml')
  const accounts = `accounts: { ${NAMES.map((name) => `${name}: { credentials: file }`).join(', ')} }`
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^accounts: .*$/m, accounts))
  appendFileSync(file, 'prices: { sources: { candles: {} } }\nreports: { currency: EUR }\n')
  const sections = NAMES.map((name) => {
    const given = secretsOf(name).map((secret, at) => `${PARTS[at]}: "${secret}"`)
    return `${name}: { ${given.join(', ')} }\n`
  })
  writeFileSync(join(dir, 'credentials.yaml'), sections.join(''), { mode: 0o600 })
  const trades = join(temporaryFolder(), 'trades.csv')
  writeFileSync(trades, `${TRADE_HEADER}\nr1,2026-10-31T10:30:00Z,elsewhere,income,BGB,10,,,,\n`)
  expect((await command(['import', 'trades', trades, '--dir', dir])).stderr).not.toContain('tieout:')
  return dir
}

/** All that stands in the folder but the credentials, as bytes and with the journal's bodies decoded. */
async function everythingIn(dir: string): Promise<string> {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile() && one.name !== 'credentials.yaml')
    .map((one) => readFileSync(join(one.parentPath, one.name), 'latin1'))
  const frames: string[] = []
  const journal = await openJournal(dir, { mode: 'read', clock: systemClock })
  for await (const { meta, body } of journal.read())
    frames.push(JSON.stringify(meta), Buffer.from(body ?? []).toString('utf8'))
  await journal.close()
  return [...files, ...frames].join('\n')
}

/** The outputs and the folder after a command, and which secrets are in them. */
async function leaks(dir: string, words: readonly string[]) {
  const { stdout, stderr } = await command([...words, '--dir', dir, '--now', NOW, '--log-level', 'debug'])
  const found = `${await everythingIn(dir)} ${stdout} ${stderr}`
  return { found, stderr, leaked: SECRETS.filter((secret) => found.includes(secret)) }
}

test('nothing shows what the venue repeats of another account, whether in a refusal or in candles', async () => {
  const dir = await twoAccounts()
  const { found, stderr, leaked } = await leaks(dir, ['nightly'])
  expect(leaked).toEqual([])
  // Both the refusals and the candles came.
  expect(found).toContain('no permission: ***')
  expect(stderr).toContain('2 prices')
}, 300_000)

test('nor if the other account is not requested, in a run of some accounts or in a call', async () => {
  const dir = await twoAccounts()
  expect((await leaks(dir, ['sync', '--accounts', 'first'])).leaked).toEqual([])
  const range = ['bizType=SPOT', 'startTime=1767225600000', 'endTime=1767312000000']
  const call = await leaks(dir, ['call', 'tax.records', ...range, '--account', 'first'])
  expect(call.leaked).toEqual([])
  expect(call.stderr).toContain('no permission: ***')
}, 300_000)
