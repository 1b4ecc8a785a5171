// What the transfers of the P2P wallet are: moves as they are called, the funding legs of purchases and sales, or moves of
// the other sign. The books never guess: they ask, and the configuration answers. All figures are computed by hand.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { BuildConfig } from '../../pipeline/ledger/build.ts'
import { lotsStep } from '../../pipeline/lots/step.ts'
import { journaledBooks } from '../evidence/explain-books.ts'
import { balanced, type Cells, type Move, TestBooks } from '../support/books.ts'
import { command } from '../support/in-process.ts'

/** What these books are made of. */
const MADE = ['balances', 'disposals', 'checks.p2p_meaning']

let books: TestBooks

beforeEach(async () => {
  books = await TestBooks.open({ only: MADE })
  await books.account('main', 'unified')
})

afterEach(async () => {
  await books.close()
})

const covers = ['2026-01-01 00:00:00+00', '2026-03-31 00:00:00+00'] as const
const at = (day: number, time = '12:00:00'): string => `2026-02-${String(day).padStart(2, '0')} ${time}+00`

const p2p = (id: string, type: string, coin: string, balance: string, ts: string): Cells => {
  return { id, p2p_tax_type: type, coin, balance, ts }
}

/** 0.5 BTC is sold: it goes to the P2P wallet to be sold there. Then 200 USDT are bought and go to the unified wallet. */
const records = [
  p2p('1', 'transfer-in', 'BTC', '0.5', at(5, '12:00:00.040')),
  p2p('2', 'transfer-out', 'USDT', '200', at(7)),
]

/** 1 BTC is bought for 30,000 USDT. */
const moves: Move[] = [
  { id: '11', coin: 'BTC', type: 'ORDER_DEALT_IN', amount: '1', ts: at(5, '11:00:00') },
  { id: '12', coin: 'USDT', type: 'ORDER_DEALT_FROZEN_OUT', amount: '-30000', ts: at(5, '11:00:00') },
  { id: '13', coin: 'BTC', type: 'TRANSFER_OUT', amount: '-0.5', ts: at(5) },
  { id: '14', coin: 'USDT', type: 'TRANSFER_IN', amount: '200', ts: at(7, '12:00:00.024') },
]

async function build(meaning?: 'moves' | 'trades' | 'reversed', more: readonly Cells[] = []) {
  await books.tax('SPOT', balanced(moves, { USDT: '40000' }), { covers })
  await books.page('tax.p2pRecords', [...records, ...more], { covers })
  const config: Partial<BuildConfig> = {
    accounts: [{ name: 'main' }],
    ...(meaning === undefined ? {} : { p2pTransfers: { main: meaning } }),
  }
  return books.build(config, { steps: [lotsStep({ method: 'fifo', scope: 'account' })] })
}

const p2pBalances = () =>
  books.query("select coin, quantity from balances where ledger = 'P2P' order by coin")

type Result = Awaited<ReturnType<typeof build>>

const asked = ({ openBreaks }: Result) =>
  openBreaks
    .filter(({ checkName }) => checkName === 'p2p_meaning')
    .map(({ severity, account, ledger, evidence }) => [severity, account, ledger, evidence])

describe('an account whose P2P records are only transfers', () => {
  it('has them as movements, and the user is asked once what they are', async () => {
    const result = await build()
    expect(asked(result)).toEqual([['notice', 'main', 'P2P', '["tax.p2pRecords/1"]']])
    expect(result.openBreaks.find(({ checkName }) => checkName === 'p2p_meaning')?.explanation).toContain(
      'set accounts.main.p2p_transfers in tieout.yaml to trades',
    )
    expect(await p2pBalances()).toEqual([
      ['BTC', '0.5'],
      ['USDT', '-200'],
    ])
    expect(await books.query('select count(*) from disposals')).toEqual([['0']])
  })

  it('has them as movements without a question if the configuration says so', async () => {
    expect(asked(await build('moves'))).toEqual([])
    expect(await p2pBalances()).toEqual([
      ['BTC', '0.5'],
      ['USDT', '-200'],
    ])
  })

  it('has its purchases and sales beside them if they are their funding legs', async () => {
    await books.close()
    books = await TestBooks.open()
    await books.account('main', 'unified')
    const result = await build('trades')
    expect(result.openBreaks.filter(({ severity }) => severity !== 'notice')).toEqual([])
    expect(asked(result)).toEqual([])
    expect(await p2pBalances()).toEqual([
      ['BTC', '0'],
      ['USDT', '0'],
    ])
    expect(await books.query('select side, coin, quantity, fiat from p2p_trades order by traded_at')).toEqual(
      [
        ['sell', 'BTC', '0.5', null],
        ['buy', 'USDT', '200', null],
      ],
    )
    // The sale takes what the move brought: half of what the bitcoin had cost, at the price of its last trade.
    expect(
      await books.query('select coin, quantity, cost_basis, proceeds, gain, disposal_id from disposals'),
    ).toEqual([['BTC', '0.5', '15000', '15000', '0', 'main/tax.p2pRecords/1/deal']])
    expect(await books.query('select coin, quantity_left from lots order by coin')).toEqual([['BTC', '0.5']])
    expect(
      await books.query(
        'select count(*) from (select 1 from postings group by transaction_id, coin having sum(amount) <> 0)',
      ),
    ).toEqual([['0']])
  })

  it('has them with the opposite sign if the configuration says so', async () => {
    expect(asked(await build('reversed'))).toEqual([])
    expect(await p2pBalances()).toEqual([
      ['BTC', '-0.5'],
      ['USDT', '200'],
    ])
  })
})

describe('an account whose P2P records contain purchases and sales', () => {
  const bought = p2p('3', 'buy', 'USDT', '50', at(9))

  it('raises no question, and keeps their signs', async () => {
    expect(asked(await build(undefined, [bought]))).toEqual([])
    expect(asked(await build('reversed', []))).toEqual([])
    expect(await p2pBalances()).toEqual([
      ['BTC', '-0.5'],
      ['USDT', '250'],
    ])
  })

  it('is a warning if its transfers are configured as such too', async () => {
    expect(asked(await build('trades', [bought]))).toEqual([
      ['warning', 'main', 'P2P', '["tax.p2pRecords/1"]'],
    ])
  })
})

describe('the setting', { timeout: 300_000 }, () => {
  it('reaches the books from the configuration, and is refused with any other value', async () => {
    const row = `{"id":"1","coin":"USDT","p2pTaxType":"transfer-in","total":"60","ts":"${Date.parse('2026-01-10')}"}`
    const body = `{"code":"00000","msg":"success","requestTime":1769914800000,"data":[${row}]}`
    const dir = await journaledBooks([{ feed: 'tax.p2pRecords', path: '/api/v2/tax/p2p-record', body }])
    const entries = async () => {
      const sql = 'select part, kind, amount from entries order by part'
      const { stdout } = await command(['sql', sql, '--format', 'json', '--dir', dir])
      return JSON.parse(stdout).map(({ part, kind, amount }: Record<string, string>) => [part, kind, amount])
    }
    const configure = (meaning: string) =>
      writeFileSync(join(dir, 'tieout.yaml'), `accounts:\n  main:\n    p2p_transfers: ${meaning}\n`)

    configure('trades')
    expect((await command(['build', '--dir', dir])).code).toBe(0)
    expect(await entries()).toEqual([
      ['amount', 'transfer', '60'],
      ['deal', 'p2p_trade', '-60'],
    ])

    configure('sales')
    expect(await command(['build', '--dir', dir])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('bad value at accounts.main.p2p_transfers'),
    })
  })
})
