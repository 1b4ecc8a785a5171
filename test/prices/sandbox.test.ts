// A night against the sandbox, as a process: books in euros end with a price for every amount, from the sandbox's candles
// and reference rates, and a deal in another money costs what was paid at the rate that the sandbox knows.
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../sandbox/index.ts'
import { tieout } from '../support/cli.ts'
import { command } from '../support/in-process.ts'
import { configureBooks } from '../support/sandbox-books.ts'

const SPEED = 1_000
const NOW = '2026-06-30T00:00:00Z'
let dir: string
let sandbox: Sandbox
let night: Awaited<ReturnType<typeof tieout>>

const rows = async (sql: string): Promise<Record<string, string>[]> =>
  JSON.parse((await command(['sql', sql, '--format', 'json', '--dir', dir])).stdout)

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tieout-sandbox-prices-'))
  sandbox = await startSandbox({ seed: 3, days: 20, now: new Date(NOW), speed: SPEED })
  await configureBooks(dir, sandbox, { speed: SPEED, since: '2026-06-01' })
  appendFileSync(join(dir, 'tieout.yaml'), 'reports: { currency: EUR }\n')
  night = await tieout(['nightly', '--dir', dir, '--now', NOW])
}, 180_000)

afterAll(async () => {
  await sandbox.close()
  rmSync(dir, { recursive: true, force: true })
})

it('every amount of the night’s books has a value in euros, by candles and reference rates', async () => {
  expect(night.code).toBe(0)
  expect(night.stderr).toMatch(/\d+ prices in \d+ requests\./)
  const [counts] = await rows(
    `select count(*) > 100 as has_many, count(*) - count(value) as unknown, count(*) filter (sources like '%p2p%') as private
     from valuations`,
  )
  expect(counts).toEqual({ has_many: true, unknown: 0, private: 0 })
  expect(await rows("select * from breaks where check_name in ('valuation', 'price_sources')")).toEqual([])
})

it('prices equal the sandbox’s own: a USDC is a dollar, and 1.085 dollars are a euro', async () => {
  expect(
    await rows(
      `select coin, currency, min(price) as low, max(price) as high from prices
       where source <> 'p2p' and ((coin, currency) = ('USDC', 'USDT') or currency in ('EUR', 'USD', 'GBP')) and coin <> 'BTC'
         and source not in ('trades', 'marks')
       group by all order by all`,
    ),
  ).toEqual([
    { coin: 'EUR', currency: 'GBP', low: '0.85433', high: '0.85433' },
    { coin: 'EUR', currency: 'USD', low: '1.085', high: '1.085' },
    { coin: 'USDC', currency: 'USDT', low: '1', high: '1' },
    { coin: 'USDT', currency: 'EUR', low: '0.9216589861', high: '0.9216589861' },
  ])
})

it('a deal in dollars costs what was paid, at 1.085 to the euro', async () => {
  const deals = await rows(
    `select deals.fiat_amount, paid.value, exact.value as basis
     from p2p_trades as deals
     join valuations as paid on paid.entry_id = deals.entry_id || '/paid'
     join lot_events as exact on exact.event_id = deals.entry_id
     where deals.fiat = 'USD'`,
  )
  expect(deals.length).toBeGreaterThan(0)
  for (const { fiat_amount: paid, value, basis } of deals) {
    expect(basis).toBe(value)
    // In units of a billionth: no float holds money, and a test need not either.
    const billionths = (text: string): bigint =>
      BigInt(text.split('.')[0] + (text.split('.')[1] ?? '').padEnd(9, '0').slice(0, 9))
    const expected = (billionths(String(paid)) * 1_000n) / 1_085n
    expect(billionths(String(value)) - expected).toBeLessThanOrEqual(1n)
    expect(expected - billionths(String(value))).toBeLessThanOrEqual(1n)
  }
})

it('a second fetch has nothing to request; without a source the command says what to configure', async () => {
  const again = await tieout(['prices', 'fetch', '--no-build', '--json', '--dir', dir, '--now', NOW])
  expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('0 prices in 1 request.') })
  expect(JSON.parse(again.stdout)).toMatchObject({ requests: 1, prices: 0, problems: [] })
  const bare = await command(['prices', 'fetch', '--dir', join(dir, 'elsewhere')])
  expect(bare).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('No price source is configured.'),
  })
})
