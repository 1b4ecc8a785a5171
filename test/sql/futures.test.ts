// Futures: the unified tax feed is the book of record, the futures feed its secondary; a classic account has only the latter.
import { describe, expect } from 'vitest'
import { balanced, type Cells, LEDGER_CHECKS, type Move } from '../support/books.ts'
import { sharedBooks } from '../support/many-books.ts'

/** What these books are made of. */
const MADE = ['balances', 'entries', 'futures_pnl', ...LEDGER_CHECKS, 'checks.futures_v3_v2']

const { it, books } = sharedBooks({ only: MADE })

const span = ['2026-01-01 00:00:00+00', '2026-01-31 00:00:00+00'] as const
const at = (second: number): string => `2026-01-10 12:00:${String(second).padStart(2, '0')}+00`

const booked = (id: number, type: string, amount: string, fee: string, second: number): Move => ({
  id: String(id),
  coin: 'USDT',
  type,
  amount,
  fee,
  ts: at(second),
})

const settled = (
  id: number,
  symbol: string,
  type: string,
  amount: string,
  fee: string,
  second: number,
): Cells => ({
  id: String(id),
  symbol,
  margin_coin: 'USDT',
  future_tax_type: type,
  amount,
  fee,
  ts: at(second),
})

const loud = (result: { openBreaks: readonly { severity: string; checkName: string }[] }): string[] =>
  result.openBreaks.filter(({ severity }) => severity !== 'notice').map(({ checkName }) => checkName)

const pnl = () =>
  books.query(
    'select product_type, symbol, margin_coin, day, realised_pnl, fees, funding, net_pnl from futures_pnl order by symbol',
  )

describe.concurrent('a unified account', () => {
  const history = balanced(
    [
      booked(1, 'OPEN_LONG', '0', '-0.6', 1),
      booked(2, 'CLOSE_LONG', '25', '-0.7', 2),
      booked(3, 'CONTRACT_MAIN_SETTLE_FEE_USER_OUT', '-1.5', '0', 3),
      booked(4, 'BURST_CLOSE_SHORT', '-40', '-0.2', 4),
    ],
    { USDT: '1000' },
  )
  const secondary = [
    settled(901, 'BTCUSDT', 'open_long', '0', '-0.6', 1),
    settled(902, 'BTCUSDT', 'close_long', '25', '-0.7', 2),
    settled(903, 'BTCUSDT', 'contract_main_settle_fee', '-1.5', '0', 3),
    settled(904, 'ETHUSDT', 'burst_close_short', '-40', '-0.2', 4),
  ]

  it('has its results from the unified feed and their symbols from the other, and counts nothing twice', async () => {
    await books.account('main', 'unified')
    await books.tax('USDT-FUTURES', history, { covers: span })
    await books.futures('USDT-FUTURES', secondary, { covers: span })
    expect(loud(await books.build())).toEqual([])
    expect(await pnl()).toEqual([
      ['USDT-FUTURES', 'BTCUSDT', 'USDT', '2026-01-10', '25', '-1.3', '-1.5', '22.2'],
      ['USDT-FUTURES', 'ETHUSDT', 'USDT', '2026-01-10', '-40', '-0.2', '0', '-40.2'],
    ])
    expect(await books.query('select quantity from balances')).toEqual([['982']])
  })

  it('has no symbols if the futures feed is refused', async () => {
    await books.account('main', 'unified')
    await books.tax('USDT-FUTURES', history, { covers: span })
    await books.build()
    expect(await pnl()).toEqual([['USDT-FUTURES', null, 'USDT', '2026-01-10', '-15', '-1.5', '-1.5', '-18']])
  })

  it('matches equal records one to one in their order', async () => {
    await books.account('main', 'unified')
    const twins = balanced([booked(1, 'CLOSE_LONG', '5', '0', 1), booked(2, 'CLOSE_LONG', '5', '0', 1)])
    await books.tax('USDT-FUTURES', twins)
    await books.futures('USDT-FUTURES', [
      settled(77, 'BTCUSDT', 'close_long', '5', '0', 1),
      settled(78, 'ETHUSDT', 'close_long', '5', '0', 1),
    ])
    await books.build()
    expect(await books.query('select source_id, symbol from entries order by 1')).toEqual([
      ['1', 'BTCUSDT'],
      ['2', 'ETHUSDT'],
    ])
  })

  it.each([
    ['the futures feed', 'secondary'],
    ['the unified feed', 'book'],
  ])('is a break if %s alone is missing a record that moves nothing else', async (_feed, side) => {
    const rest = <T extends { id?: string | null }>(rows: readonly T[], id: string): T[] =>
      rows.filter((row) => row.id !== id)
    await books.tax('USDT-FUTURES', side === 'book' ? rest(history, '4') : history, { covers: span })
    await books.futures('USDT-FUTURES', side === 'secondary' ? rest(secondary, '903') : secondary, {
      covers: span,
    })
    const result = await books.build()
    expect(loud(result)).toEqual(['futures_v3_v2'])
    expect(result.openBreaks.find(({ severity }) => severity === 'warning')).toMatchObject({
      coin: 'USDT',
      evidence: side === 'book' ? '["tax.futuresRecords/904"]' : '["tax.records/3"]',
      difference: side === 'book' ? '-40.200000000000000000' : '1.500000000000000000',
    })
  })

  it('is a notice if the unified chain itself is open there', async () => {
    await books.account('main', 'unified')
    await books.tax(
      'USDT-FUTURES',
      history.filter(({ id }) => id !== '3'),
      { covers: span },
    )
    await books.futures('USDT-FUTURES', secondary, { covers: span })
    expect(loud(await books.build())).toEqual(['balance_chain'])
  })

  it('is not compared before its first unified record, since that feed has nothing from before the migration', async () => {
    await books.account('main', 'unified')
    await books.tax('USDT-FUTURES', history.slice(2), { covers: span })
    await books.futures('USDT-FUTURES', secondary, { covers: span })
    expect(loud(await books.build())).toEqual([])
  })

  it('is not compared within a day of the edges, nor if one feed is not complete', async () => {
    await books.account('main', 'unified')
    const early = ['2026-01-10 00:00:00+00', '2026-01-31 00:00:00+00'] as const
    await books.tax('USDT-FUTURES', history, { covers: early })
    await books.futures('USDT-FUTURES', secondary.slice(1), { covers: span })
    expect(loud(await books.build())).toEqual([])
  })
})

describe.concurrent('a classic account', () => {
  it('has its balances and results from the futures feed, in wallets of their own', async () => {
    await books.account('old', 'classic')
    const transfer = { ...settled(1, '', 'TRANSFER_IN', '100', '0', 1), symbol: null }
    const close = settled(2, 'BTCUSDT', 'close_long', '25', '-0.7', 2)
    await books.futures('USDT-FUTURES', [transfer, close], { account: 'old' })
    expect(loud(await books.build())).toEqual([])
    expect(await books.query('select account, ledger, coin, quantity, venue_balance from balances')).toEqual([
      ['old', 'USDT-FUTURES', 'USDT', '124.3', null],
    ])
    expect((await pnl()).map((row) => row.slice(4))).toEqual([['25', '-0.7', '0', '24.3']])
  })
})
