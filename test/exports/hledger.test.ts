// Exported journals are held to hledger itself: accepted in its strict mode, and equal in every balance.
// Needs Debian's package hledger, which `.ci/run` installs.
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  alterBook,
  exported,
  hasHledger,
  hledgerBalances,
  hledgerCheck,
  ourBalances,
  publishBook,
} from './tools.ts'

const at = '2026-01-05T10:00:00Z'

describe('an hledger journal', () => {
  test('declares accounts and commodities, tags each posting with its ids, and asserts each balance', async () => {
    const dir = await publishBook([
      { id: 'b', at, coin: 'BTC', amount: '0.5', transaction: 't,1' },
      { id: 'u', at, coin: 'USDT', amount: '-15000.25', transaction: 't,1' },
    ])
    const text = readFileSync(await exported(dir, 'hledger'), 'utf8')
    expect(text.slice(text.indexOf('decimal-mark'))).toBe(`decimal-mark .

commodity 1.0 "BTC"  ; coin:BTC
commodity 1.00 "USDT"  ; coin:USDT

account Assets:Venue:main:UNIFIED
account Equity:Trading

2026-01-05 * trade  ; transaction_id:t%2C1, time:2026-01-05T10:00:00.000Z
    Assets:Venue:main:UNIFIED  0.5 "BTC"  ; entry_id:b, source_feed:tax.records, source_id:b, page_id:1, page_row:0
    Assets:Venue:main:UNIFIED  -15000.25 "USDT"  ; entry_id:u, source_feed:tax.records, source_id:u, page_id:2, page_row:0
    Equity:Trading  -0.5 "BTC"
    Equity:Trading  15000.25 "USDT"

2026-01-06 * Balances
    Assets:Venue:main:UNIFIED  0 "BTC" = 0.5 "BTC"
    Assets:Venue:main:UNIFIED  0 "USDT" = -15000.25 "USDT"
`)
  })

  test('dates a transaction by its first entry', async () => {
    const dir = await publishBook([
      { id: 'b', at: '2026-01-06T00:00:01Z', coin: 'BTC', amount: '0.5', transaction: 't' },
      { id: 'u', at: '2026-01-05T23:59:59Z', coin: 'USDT', amount: '-1', transaction: 't' },
      { id: 'x', at: '2026-01-06T00:00:00Z', coin: 'BTC', amount: '1' },
    ])
    const text = readFileSync(await exported(dir, 'hledger'), 'utf8')
    expect(text.match(/^2026.*/gm)).toEqual([
      '2026-01-05 * trade  ; transaction_id:t, time:2026-01-05T23:59:59.000Z',
      '2026-01-06 * trade  ; transaction_id:x, time:2026-01-06T00:00:00.000Z',
      '2026-01-07 * Balances',
    ])
  })

  test('asserts the balances of the venue, with or without a movement, on the day after the last of both', async () => {
    const dir = await publishBook([
      { id: 'b', at, coin: 'BTC', amount: '0.5' },
      { id: 'c', at: '2026-01-07T23:59:59Z', coin: 'BTC', amount: '0.25' },
    ])
    const closing = async (asOf: string): Promise<string> => {
      await alterBook(dir, [
        "delete from balances where coin <> 'BTC'",
        "update balances set as_of = '2026-01-05T10:00:00Z'",
        `insert into balances values ('main', 'P2P', 'BGB', 0, null, '${asOf}'),
          ('old', 'IMPORT', 'DOT', 4.125, null, '2026-03-01T00:00:00Z')`,
      ])
      return readFileSync(await exported(dir, 'hledger'), 'utf8')
    }
    const text = await closing('2026-01-09T12:00:00Z')
    expect(text.slice(text.indexOf('* Balances') - 11)).toBe(`2026-01-10 * Balances
    Assets:Venue:main:P2P  0 "BGB" = 0 "BGB"
    Assets:Venue:main:UNIFIED  0 "BTC" = 0.75 "BTC"
`)
    expect(text).toContain('\naccount Assets:Venue:main:P2P\n')
    expect(text).toMatch(/^commodity .*"BGB"/m)
    expect(text).not.toContain('DOT')
    expect(text).not.toContain('IMPORT')
    expect(await closing('2026-01-06T00:00:00Z')).toContain('2026-01-08 * Balances\n')
    const file = readFileSync(await exported(dir, 'beancount'), 'utf8')
    expect(file.match(/^.* (balance|open) .*/gm)).toEqual([
      '2026-01-05 open Assets:Venue:Main:P2P',
      '2026-01-05 open Assets:Venue:Main:UNIFIED',
      '2026-01-05 open Equity:Trading',
      '2026-01-08 balance Assets:Venue:Main:P2P  0 ~ 0 BGB',
      '2026-01-08 balance Assets:Venue:Main:UNIFIED  0.75 ~ 0 BTC',
    ])
  })
})

describe.skipIf(!hasHledger)('hledger itself (needs Debian’s package hledger)', () => {
  test('accepts odd names and 38 digits, and its balances equal ours', async () => {
    const coins = ['1INCH', 'S', 'aUSD', '币安人生', 'a"b', 'X.S', 'BTC']
    const amounts = ['12345678901234567890.123456789012345678', '-0.000000000000000001', '7']
    const lines = coins.flatMap((coin, nth) =>
      amounts.map((amount, part) => ({
        id: `q;${nth} ${part}`,
        at,
        coin,
        amount,
        kind: 'a;b(c|d',
        counter: 'Income:my  x',
      })),
    )
    const dir = await publishBook([...lines, { id: 'n', at, coin: 'BTC', amount: '-1', account: 'desk 2' }])
    const file = await exported(dir, 'hledger')
    expect(hledgerCheck(file)).toBe('')
    const ours = await ourBalances(dir, (account) => account)
    const theirs = [...hledgerBalances(file)].filter(([key]) => key.startsWith('Assets:'))
    const names: Record<string, string> = { 'a"b': 'X._0061_0022_0062', 'X.S': 'X.X_002ES' }
    expect(new Map(theirs)).toEqual(
      new Map(
        [...ours].map(([key, quantity]) => [key.replace(/\S+$/, (coin) => names[coin] ?? coin), quantity]),
      ),
    )
    expect(ours.get('Assets:Venue:main:UNIFIED BTC')).toBe('12345678901234567897.123456789012345677')
  })

  test('refuses the journal once one unit of 10^-18 is changed', async () => {
    const file = await exported(
      await publishBook([{ id: 'b', at, coin: 'BTC', amount: '0.123456789012345678' }]),
      'hledger',
    )
    writeFileSync(file, readFileSync(file, 'utf8').replace('-0.123456789012345678', '-0.123456789012345677'))
    expect(hledgerCheck(file)).toContain("real postings' sum should be 0 but is: 0.000000000000000001 BTC")
  })

  test('accepts books without any entry', async () => {
    expect(hledgerCheck(await exported(await publishBook([]), 'hledger'))).toBe('')
  })
})
