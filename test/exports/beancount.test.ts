// Exported beancount books are held to beancount itself: accepted, equal in every balance, and, where it books the
// lots by FIFO or LIFO, equal in every gain. Needs Debian's package beancount, which `.ci/run` installs.
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { formatAmount } from '../../models/amount.ts'
import { UsageError } from '../../models/error.ts'
import { exportBooks, type LotBooking } from '../../pipeline/exports/export.ts'
import { units } from '../lots/books.ts'
import {
  agrees,
  alterBook,
  beanCheck,
  exported,
  hasBeancount,
  type Line,
  ourBalances,
  ourGains,
  publishBook,
  readBeancount,
  temporary,
} from './tools.ts'

const trade = (id: string, at: string, coin: string, amount: string, value: string): Line[] => [
  { id, at, coin, amount, value, transaction: id },
  {
    id: `${id}-usdt`,
    at,
    coin: 'USDT',
    amount: amount.startsWith('-') ? value : `-${value}`,
    transaction: id,
  },
]

/** A generator of whole numbers below a bound, the same for a seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const DAY = 86_400_000
const START = Date.UTC(2025, 0, 1, 12)

/** Buys and sells of three coins; `exact`: unit costs that decimals can tell, one trade of a coin a day. */
function randomBook(seed: number, trades: number, exact: boolean): Line[] {
  const random = randomOf(seed)
  const held: Record<string, bigint> = { BTC: 0n, '1INCH': 0n, aUSD: 0n }
  return Array.from({ length: trades }, (_, nth) => {
    const coin = Object.keys(held)[random(3)] as string
    const at = new Date(START + (exact ? nth * DAY : nth * 3_600_000)).toISOString()
    const quantity = BigInt(1 + random(1_000_000)) * 10n ** (exact ? 12n : 10n)
    const price = BigInt(1 + random(1_000_000))
    const value = exact ? (quantity * price) / 100n : quantity * price + BigInt(random(10 ** 9))
    const sells = random(2) === 0 && (held[coin] as bigint) >= quantity
    held[coin] = (held[coin] as bigint) + (sells ? -quantity : quantity)
    return trade(`t${nth}`, at, coin, formatAmount(sells ? -quantity : quantity), formatAmount(value))
  }).flat()
}

const both = ['fifo', 'lifo'] as const satisfies readonly LotBooking[]

describe('a beancount file', () => {
  test('has each posting with its ids, and each balance asserted without tolerance', async () => {
    const dir = await publishBook(trade('b1', '2026-01-05T10:00:00Z', 'BTC', '0.5', '15000.25'))
    const text = readFileSync(await exported(dir, 'beancount'), 'utf8')
    expect(text.slice(text.indexOf('2026-01-05 *'))).toBe(`2026-01-05 * "trade"
  transaction_id: "b1"
  time: "2026-01-05T10:00:00.000Z"
  Assets:Venue:Main:UNIFIED  0.5 BTC
    entry_id: "b1"
    source_feed: "tax.records"
    source_id: "b1"
    page_id: 1
    page_row: 0
  Assets:Venue:Main:UNIFIED  -15000.25 USDT
    entry_id: "b1-usdt"
    source_feed: "tax.records"
    source_id: "b1-usdt"
    page_id: 2
    page_row: 0
  Equity:Trading  -0.5 BTC
  Equity:Trading  15000.25 USDT

2026-01-06 balance Assets:Venue:Main:UNIFIED  0.5 ~ 0 BTC
2026-01-06 balance Assets:Venue:Main:UNIFIED  -15000.25 ~ 0 USDT
`)
  })

  test('with lots has each movement with its ids and its time, and asserts the balance of all wallets', async () => {
    const dir = await publishBook([
      ...trade('b1', '2026-01-05T10:00:00Z', 'BTC', '0.5', '15000.25').toReversed(),
      { id: 's1', at: '2026-01-06T11:30:00.5Z', coin: 'BTC', amount: '-0.7', value: '21000', ledger: 'P2P' },
    ])
    const text = readFileSync(await exported(dir, 'beancount', 'fifo'), 'utf8')
    expect(text.slice(text.indexOf('2026-01-05 *'))).toBe(`2026-01-05 * "trade BTC"
  transaction_id: "b1"
  time: "2026-01-05T10:00:00.000Z"
  entry_id: "b1"
  source_feed: "tax.records"
  source_id: "b1"
  page_id: 2
  page_row: 0
  Assets:Venue:Main:Lots:BTC  0.5 BTC {{15000.25 USDT, 2026-01-05, "b1"}}
  Equity:Trading  USDT

2026-01-05 * "trade USDT"
  transaction_id: "b1"
  time: "2026-01-05T10:00:00.000Z"
  entry_id: "b1-usdt"
  source_feed: "tax.records"
  source_id: "b1-usdt"
  page_id: 1
  page_row: 0
  Assets:Venue:Main:UNIFIED  -15000.25 USDT
  Equity:Trading  15000.25 USDT

2026-01-06 * "trade BTC"
  transaction_id: "s1"
  time: "2026-01-06T11:30:00.500Z"
  entry_id: "s1"
  source_feed: "tax.records"
  source_id: "s1"
  page_id: 3
  page_row: 0
  Assets:Venue:Main:Lots:BTC  -0.5 BTC {}
  Assets:Venue:Main:Missing  -0.2 BTC
  Equity:Missing-History  0.2 BTC
  Equity:Trading  21000 USDT
  Equity:Unknown-Basis  -6000 USDT
  Income:Gains  USDT

2026-01-07 balance Assets:Venue:Main  -0.2 ~ 0 BTC
2026-01-07 balance Assets:Venue:Main  -15000.25 ~ 0 USDT
`)
  })

  test('holds 28 digits; an amount that beancount would round is refused, and the old file stays', async () => {
    const out = temporary('books.beancount')
    await exportBooks(
      await publishBook(trade('b1', '2026-01-05', 'BTC', '1234567890.123456789012345678', '1')),
      'beancount',
      { out },
    )
    const before = readFileSync(out, 'utf8')
    expect(before).toContain('1234567890.123456789012345678 BTC')
    const larger = await publishBook(trade('b1', '2026-01-05', 'PEPE', '12345678901.123456789012345678', '1'))
    const refusal = await exportBooks(larger, 'beancount', { out }).catch((error: UsageError) => error)
    expect(refusal).toBeInstanceOf(UsageError)
    expect((refusal as UsageError).describe()).toBe(`Beancount would round the amounts of PEPE.
  where:    Assets:Venue:main:UNIFIED
  expected: sums of at most 28 digits, which is what beancount keeps
  found:    29 digits, before and after the point together
  next:     Use \`tieout export hledger\`, which keeps every digit, or \`tieout export parquet\`.`)
    expect(readFileSync(out, 'utf8')).toBe(before)
  })

  test('--lots is refused for other formats, for books without values, and without the table of an older ledger', async () => {
    const dir = await publishBook([
      { id: 'm', at: '2026-01-05', coin: 'USDT', amount: '1', kind: 'transfer' },
    ])
    await expect(exportBooks(dir, 'hledger', { out: temporary('x'), lots: 'fifo' })).rejects.toThrow(
      'Only the beancount export can book lots.',
    )
    await expect(exported(dir, 'beancount', 'fifo')).rejects.toThrow('The books have no lots to export.')
    await alterBook(dir, ['drop table lot_events'])
    await expect(exported(dir, 'beancount', 'fifo')).rejects.toThrow(
      'The published ledger has no table lot_events.',
    )
    await alterBook(dir, ['drop table entries'])
    await expect(exported(dir, 'beancount')).rejects.toThrow('The published ledger has no table entries.')
  })
})

describe.skipIf(!hasBeancount)('beancount itself (needs Debian’s package beancount)', () => {
  test('accepts odd names, 28 digits and empty books, and every coin can be read back', async () => {
    const at = '2026-01-05T10:00:00Z'
    const coins = ['1INCH', 'S', 'aUSD', 'NULL', '币安人生', 'a"b\\', 'X.S', 'BTC']
    const lines = coins.flatMap((coin, nth) => trade(`q"${nth}\n`, at, coin, '0.123456789012345678', '1'))
    const odd = { account: 'Main', counter: 'Revenue:öre', at, coin: 'BTC', amount: '0.000000000000000001' }
    const huge = { id: 'h', at, coin: 'HUGE', amount: '-9999999999.123456789012345678', value: '1' }
    const file = await exported(await publishBook([...lines, huge, { id: 'o', ...odd }]), 'beancount')
    expect(beanCheck(file)).toBe('')
    const read = readBeancount(file)
    expect(Object.values(read.commodities).toSorted()).toEqual([...coins, 'HUGE', 'USDT'].toSorted())
    expect([...read.balances.values()]).toContain('-9999999999.123456789012345678')
    expect(beanCheck(await exported(await publishBook([]), 'beancount'))).toBe('')
  })

  test('refuses the file once one unit of 10^-18 is changed', async () => {
    const file = await exported(
      await publishBook(trade('b1', '2026-01-05', 'BTC', '0.5', '15000')),
      'beancount',
    )
    writeFileSync(file, readFileSync(file, 'utf8').replace('  0.5 BTC', '  0.500000000000000001 BTC'))
    expect(beanCheck(file)).toContain('Transaction does not balance: (0.000000000000000001 BTC)')
  })

  test.each([1, 2, 3, 4])('balances of random books equal ours, seed %i', async (seed) => {
    const dir = await publishBook(randomBook(seed, 120, false))
    const read = readBeancount(await exported(dir, 'beancount'))
    expect(read.errors).toEqual([])
    const names = Object.fromEntries(Object.entries(read.commodities).map(([name, coin]) => [coin, name]))
    const ours = await ourBalances(dir, () => 'Main')
    const theirs = [...read.balances].filter(([key]) => key.startsWith('Assets:'))
    expect(new Map(theirs)).toEqual(
      new Map(
        [...ours].map(([key, quantity]) => [key.replace(/\S+$/, (coin) => names[coin] as string), quantity]),
      ),
    )
  })

  for (const booking of both) {
    test.each([1, 2, 3, 4])(
      `${booking}: it chooses the lots itself, and its gains equal ours to the last digit, seed %i`,
      async (seed) => {
        const dir = await publishBook(randomBook(seed, 200, true))
        const file = await exported(dir, 'beancount', booking)
        expect(readFileSync(file, 'utf8')).not.toContain(' {2025')
        const read = readBeancount(file)
        expect(read.errors).toEqual([])
        const ours = [...(await ourGains(dir, booking))].filter(([, { gain }]) => gain !== 0n)
        expect(ours.length).toBeGreaterThan(50)
        expect(new Map([...read.gains].map(([id, gain]) => [id, formatAmount(units(gain))]))).toEqual(
          new Map(ours.map(([id, { gain }]) => [id, formatAmount(gain)])),
        )
      },
    )

    test.each([5, 6, 7])(
      `${booking}: costs that no decimal can express agree to 10^-18 each, seed %i`,
      async (seed) => {
        const dir = await publishBook(randomBook(seed, 300, false))
        const read = readBeancount(await exported(dir, 'beancount', booking))
        expect(read.errors).toEqual([])
        const ours = await ourGains(dir, booking)
        expect(ours.size).toBeGreaterThan(80)
        expect(
          [...ours].filter(([id, { gain, pieces }]) => !agrees(read.gains.get(id) ?? '0', gain, pieces)),
        ).toEqual([])
        expect([...read.gains.keys()].filter((id) => !ours.has(id))).toEqual([])
      },
    )
  }
})

const gainsOf = async (lines: readonly Line[], booking: LotBooking) => {
  const file = await exported(await publishBook(lines), 'beancount', booking)
  const read = readBeancount(file)
  expect(read.errors).toEqual([])
  return { ...read, text: readFileSync(file, 'utf8') }
}

describe.skipIf(!hasBeancount)('beancount’s lots (needs Debian’s package beancount)', () => {
  test('a transfer takes cost and date to the other account, where the lots are sold', async () => {
    const moved = { coin: 'BTC', kind: 'transfer', counter: 'Equity:Transfers', transfer: 'x' }
    const { gains, balances, text } = await gainsOf(
      [
        ...trade('b1', '2026-01-01', 'BTC', '1', '100'),
        ...trade('b2', '2026-01-02', 'BTC', '1', '200'),
        { id: 'out', at: '2026-01-03T10:00:00Z', amount: '-1.5', ...moved },
        { id: 'in', at: '2026-01-03T10:00:01Z', amount: '1.5', account: 'desk', ...moved },
        ...trade('s1', '2026-01-04', 'BTC', '-1.2', '300').map((line) => ({ ...line, account: 'desk' })),
        ...trade('s2', '2026-01-05', 'BTC', '-0.5', '150'),
      ],
      'fifo',
    )
    // 1.2 for 300 cost 1 at 100 and 0.2 at 200; 0.5 for 150 cost 0.5 at 200.
    expect(gains).toEqual(
      new Map([
        ['s1', '160'],
        ['s2', '50'],
      ]),
    )
    expect(text).toContain('  Assets:Venue:Desk:Lots:BTC  1 BTC {{100 USDT, 2026-01-01, "b1 by in"}}\n')
    expect(text).toContain('  Assets:Venue:Desk:Lots:BTC  0.5 BTC {{100 USDT, 2026-01-02, "b2 by in"}}\n')
    expect(balances.get('Assets:Venue:Desk:Lots:BTC BTC')).toBe('0.3')
    expect(balances.has('Equity:Transfers USDT')).toBe(false)
  })

  test('what left after it arrived leaves when it arrives, so that what is sold in between is chosen by beancount', async () => {
    const moved = { coin: 'BTC', kind: 'transfer', counter: 'Equity:Transfers', transfer: 'x' }
    const { gains, text } = await gainsOf(
      [
        ...trade('b1', '2026-01-01', 'BTC', '1', '100'),
        ...trade('b2', '2026-01-02', 'BTC', '1', '200'),
        { id: 'in', at: '2026-01-03T10:00:00Z', amount: '1', account: 'desk', ...moved },
        ...trade('s', '2026-01-03T10:30:00Z', 'BTC', '-1', '250'),
        { id: 'out', at: '2026-01-03T11:00:00Z', amount: '-1', ...moved },
      ],
      'fifo',
    )
    expect(gains).toEqual(new Map([['s', '50']]))
    expect(text.match(/^ {2}Assets:Venue:\w+:Lots:BTC .*/gm)).toEqual([
      '  Assets:Venue:Main:Lots:BTC  1 BTC {{100 USDT, 2026-01-01, "b1"}}',
      '  Assets:Venue:Main:Lots:BTC  1 BTC {{200 USDT, 2026-01-02, "b2"}}',
      '  Assets:Venue:Main:Lots:BTC  -1 BTC {}',
      '  Assets:Venue:Desk:Lots:BTC  1 BTC {{100 USDT, 2026-01-01, "b1 by in"}}',
      '  Assets:Venue:Main:Lots:BTC  -1 BTC {}',
    ])
  })

  test('what the network takes of a transfer is sold for its worth, and only the rest arrives', async () => {
    const moved = { coin: 'BTC', kind: 'transfer', counter: 'Equity:Transfers', transfer: 'x' }
    const { gains, balances } = await gainsOf(
      [
        ...trade('b', '2026-01-01', 'BTC', '1', '100'),
        { id: 'out', at: '2026-01-03T10:00:00Z', amount: '-1', value: '12', ...moved },
        { id: 'in', at: '2026-01-03T10:00:01Z', amount: '0.9', account: 'desk', ...moved },
      ],
      'fifo',
    )
    // A tenth of it, for 12.
    expect(gains).toEqual(new Map([['out', '2']]))
    expect([...balances].filter(([key]) => key.includes('Lots:'))).toEqual([
      ['Assets:Venue:Desk:Lots:BTC BTC', '0.9'],
    ])
  })

  test('what arrives without a known lot has no cost: of another account, and more than left of the same', async () => {
    const moved = { coin: 'BTC', kind: 'transfer', counter: 'Equity:Transfers' }
    const desk = { ...moved, transfer: 'x' }
    const own = { ...moved, transfer: 'y' }
    const { gains, balances } = await gainsOf(
      [
        ...trade('b', '2026-01-01', 'BTC', '2', '200'),
        { id: 'o1', at: '2026-01-02T10:00:00Z', amount: '-0.5', ...own },
        { id: 'i1', at: '2026-01-02T10:00:01Z', amount: '0.6', ledger: 'SPOT', ...own },
        { id: 'o2', at: '2026-01-03T10:00:00Z', amount: '-4.1', ...desk },
        { id: 'i2', at: '2026-01-03T10:00:01Z', amount: '4.1', account: 'desk', ...desk },
        ...trade('s', '2026-01-04', 'BTC', '-4.1', '820').map((line) => ({ ...line, account: 'desk' })),
      ],
      'fifo',
    )
    // 2 for 400 cost 200. The 0.1 that came with them, and the two that nobody knows of, bring 420 without a cost.
    expect(gains).toEqual(new Map([['s', '200']]))
    expect(balances.get('Equity:Unknown-Basis USDT')).toBe('-420')
    expect(balances.get('Assets:Venue:Main:Missing BTC')).toBe('-2')
    expect([...balances.keys()].filter((key) => key.includes('Lots:'))).toEqual([])
  })

  test('what is unknown is not a gain: an unknown cost, a missing history, unknown proceeds', async () => {
    const { gains, balances } = await gainsOf(
      [
        {
          id: 'd',
          at: '2026-01-01',
          coin: 'BTC',
          amount: '1',
          kind: 'transfer',
          counter: 'Equity:Transfers',
        },
        ...trade('b', '2026-01-02', 'BTC', '1', '100'),
        ...trade('s1', '2026-01-03', 'BTC', '-1.5', '300'),
        { id: 'f', at: '2026-01-04', coin: 'BTC', amount: '-0.1', kind: 'fee', counter: 'Expenses:Fees' },
        ...trade('s2', '2026-01-05', 'BTC', '-1', '250'),
      ],
      'fifo',
    )
    // s1: 1 of unknown cost, 0.5 for 100 cost 50. f: 0.1 cost 10, worth nobody knows what. s2: 0.4 for 100 cost 40.
    expect(gains).toEqual(
      new Map([
        ['s1', '50'],
        ['s2', '60'],
      ]),
    )
    expect(balances.get('Equity:Unknown-Basis USDT')).toBe('-350')
    expect(balances.get('Equity:Unknown-Proceeds USDT')).toBe('10')
    expect(balances.get('Assets:Venue:Main:Missing BTC')).toBe('-0.6')
    expect(balances.get('Equity:Missing-History BTC')).toBe('0.6')
  })

  test('borrowed coins have no cost: sold and bought again they make one gain, and once repaid nothing is owed', async () => {
    const loan = { coin: 'BTC', kind: 'borrow', counter: 'Liabilities:Loans' }
    const lines = [
      ...trade('b1', '2026-01-01', 'BTC', '1', '100'),
      { id: 'l', at: '2026-02-01', amount: '1.5', ...loan },
      ...trade('s', '2026-02-02', 'BTC', '-2', '600'),
      ...trade('b2', '2026-02-03', 'BTC', '1.5', '375'),
      { id: 'r', at: '2026-02-04', amount: '-1', ...loan, kind: 'repayment' },
    ]
    const { gains, balances } = await gainsOf(lines, 'fifo')
    // 1.5 borrowed ones for 450, bought again for 375; half of one's own for 150 that cost 50.
    expect(gains).toEqual(
      new Map([
        ['s', '100'],
        ['b2', '75'],
      ]),
    )
    expect(balances.get('Assets:Venue:Main:Borrowed BTC')).toBe('0.5')
    expect(balances.get('Assets:Venue:Main:Lots:BTC BTC')).toBe('0.5')
    expect(balances.get('Liabilities:Loans BTC')).toBe('-0.5')
    expect([...balances.keys()].filter((key) => key.startsWith('Equity:Short-Sales'))).toEqual([])
    // Lots of one's own that are given back close a sale for what it brought.
    const given = await gainsOf(
      [...lines.slice(0, 5), { id: 'r', at: '2026-02-04', amount: '-1.5', ...loan, kind: 'repayment' }],
      'fifo',
    )
    expect(given.gains.get('r')).toBe('100')
    expect([...given.balances.keys()].filter((key) => key.startsWith('Liabilities'))).toEqual([])
  })

  test('borrowed coins bought back: the rest of the purchase is a lot, and without known proceeds there is no gain', async () => {
    const loan = { coin: 'BTC', kind: 'borrow', counter: 'Liabilities:Loans' }
    const { gains, balances } = await gainsOf(
      [
        { id: 'l', at: '2026-02-01', amount: '2', ...loan },
        { id: 'f', at: '2026-02-02', coin: 'BTC', amount: '-1', kind: 'fee', counter: 'Expenses:Fees' },
        ...trade('s', '2026-02-03', 'BTC', '-1', '300'),
        ...trade('b', '2026-02-04', 'BTC', '4', '800'),
        { id: 'r', at: '2026-02-05', amount: '-2', ...loan, kind: 'repayment' },
        ...trade('s2', '2026-02-06', 'BTC', '-0.5', '150'),
      ],
      'fifo',
    )
    // Four for 800: one instead of what the fee took, whatever that was worth; one instead of that sold for 300; two are a lot.
    expect(gains).toEqual(
      new Map([
        ['b', '100'],
        ['s2', '50'],
      ]),
    )
    expect(balances.get('Equity:Unknown-Proceeds USDT')).toBe('200')
    expect(balances.get('Assets:Venue:Main:Lots:BTC BTC')).toBe('1.5')
    expect([...balances.keys()].filter((key) => /Borrowed|Trading|Short-Sales|Loans/.test(key))).toEqual([])
  })

  test('a sale of borrowed coins that coins of unknown cost close is no gain', async () => {
    const { gains, balances } = await gainsOf(
      [
        { id: 'l', at: '2026-02-01', coin: 'BTC', amount: '1', kind: 'borrow', counter: 'Liabilities:Loans' },
        ...trade('s', '2026-02-02', 'BTC', '-1', '300'),
        { id: 'i', at: '2026-02-03', coin: 'BTC', amount: '1', kind: 'income', counter: 'Income:Rewards' },
      ],
      'fifo',
    )
    expect([...gains]).toEqual([])
    expect(balances.get('Equity:Unknown-Basis USDT')).toBe('-300')
    expect(balances.get('Assets:Venue:Main:Borrowed BTC')).toBe('1')
    expect([...balances.keys()].filter((key) => /Short-Sales|Lots/.test(key))).toEqual([])
  })

  test('what is repaid of a debt from before the books leaves at its cost, for nobody knows what', async () => {
    const { gains, balances, text } = await gainsOf(
      [
        ...trade('b', '2026-01-01', 'BTC', '1', '100'),
        {
          id: 'r',
          at: '2026-01-02',
          coin: 'BTC',
          amount: '-1',
          kind: 'repayment',
          counter: 'Liabilities:Loans',
        },
      ],
      'fifo',
    )
    expect([...gains]).toEqual([])
    expect(balances.get('Equity:Unknown-Proceeds USDT')).toBe('100')
    expect([...balances.keys()].filter((key) => key.endsWith(' BTC'))).toEqual([])
    expect(text).toContain('  Assets:Venue:Main:Lots:BTC  -1 BTC {}\n  Equity:Unknown-Proceeds  USDT\n\n')
    expect(text).not.toContain('  0 BTC')
  })

  test('accounts whose names become the same keep their lots and their balances separate', async () => {
    const { balances } = await gainsOf(
      ['main', 'Main'].flatMap((account, nth) =>
        trade(`b${nth}`, '2026-01-01', 'BTC', `${nth + 1}`, '100').map((line) => ({ ...line, account })),
      ),
      'fifo',
    )
    expect(balances.get('Assets:Venue:Main:Lots:BTC BTC')).toBe('2')
  })

  test('a gift leaves at its cost, and imported rows are balanced against their own accounts', async () => {
    const dir = await publishBook(trade('b', '2026-01-02', 'BTC', '1', '100'))
    const event = (kind: string, id: string, at: string, quantity: string, value: string): string =>
      `('old', 'BTC', '${at}', -1, '${id}', '${kind}', ${quantity}, ${value}, 'USDT', null)`
    await alterBook(dir, [
      `insert into lot_events values ${[
        event('acquire', 'i1', '2025-01-01', '2', '10'),
        event('give', 'i2', '2025-01-02', '0.5', '400'),
        event('dispose', 'i3', '2025-01-03', '1', '8'),
      ].join(', ')}`,
    ])
    const { gains, balances, errors } = readBeancount(await exported(dir, 'beancount', 'fifo'))
    expect(errors).toEqual([])
    // Two for 10: half a one given away at 2.5, one sold for 8 at 5.
    expect(gains).toEqual(new Map([['i3', '3']]))
    expect(balances.get('Equity:Gifts USDT')).toBe('2.5')
    expect(balances.get('Equity:Imported USDT')).toBe('-2')
    expect(balances.get('Assets:Venue:Old:Lots:BTC BTC')).toBe('0.5')
  })

  test('an account without lots, an account that only an import has, and its coins are all declared', async () => {
    const cash = { account: 'cash', coin: 'USDT', kind: 'deposit', counter: 'Equity:Deposits' }
    const dir = await publishBook([
      ...trade('b', '2026-01-02', 'BTC', '1', '100'),
      { id: 'd', at: '2026-01-03', amount: '5', ...cash },
    ])
    const sold = "('old', 'ETH', '2025-01-01', -1, 'i1', 'dispose', 2, 8, 'USDT', null)"
    await alterBook(dir, [`insert into lot_events values ${sold}`])
    const { errors, balances, commodities } = readBeancount(await exported(dir, 'beancount', 'fifo'))
    expect(errors).toEqual([])
    expect(balances.get('Assets:Venue:Cash:UNIFIED USDT')).toBe('5')
    expect(balances.get('Assets:Venue:Old:Missing ETH')).toBe('-2')
    expect(balances.get('Equity:Unknown-Basis USDT')).toBe('-8')
    expect(commodities).toEqual({ BTC: 'BTC', ETH: 'ETH', USDT: 'USDT' })
    const imported = await publishBook([])
    await alterBook(imported, [`insert into lot_events values ${sold.replace('USDT', 'EUR')}`])
    const file = await exported(imported, 'beancount', 'fifo')
    expect(readBeancount(file)).toMatchObject({ errors: [], commodities: { ETH: 'ETH', EUR: 'EUR' } })
  })

  test('a long quantity of one account does not use up the digits of another', async () => {
    const { balances } = await gainsOf(
      [
        ...trade('b1', '2026-01-01', 'PEPE', '123456789012', '1'),
        ...trade('b2', '2026-01-02', 'PEPE', '0.123456789012345678', '1').map((line) => ({
          ...line,
          account: 'desk',
        })),
      ],
      'fifo',
    )
    expect(balances.get('Assets:Venue:Main:Lots:PEPE PEPE')).toBe('123456789012')
    expect(balances.get('Assets:Venue:Desk:Lots:PEPE PEPE')).toBe('0.123456789012345678')
  })

  test('a cost below zero, from a rebate, is still included in the gain', async () => {
    const rebate = { at: '2026-01-01', coin: 'BTC', amount: '1', value: '-2' }
    const { gains, balances } = await gainsOf(
      [{ id: 'r', ...rebate }, ...trade('s', '2026-01-02', 'BTC', '-1', '10')],
      'fifo',
    )
    expect(gains).toEqual(new Map([['s', '12']]))
    expect(balances.has('Equity:Negative-Basis USDT')).toBe(false)
  })

  test('a cost below zero leaves with the gift of its lot', async () => {
    const dir = await publishBook(trade('b', '2026-01-02', 'BTC', '1', '100'))
    await alterBook(dir, [
      `insert into lot_events values
        ('old', 'ETH', '2025-01-01', -2, 'i1', 'acquire', 4, -2, 'USDT', null),
        ('old', 'ETH', '2025-01-02', -1, 'i2', 'give', 1, 10, 'USDT', null)`,
    ])
    const { balances, errors } = readBeancount(await exported(dir, 'beancount', 'fifo'))
    expect(errors).toEqual([])
    // A quarter of -2.
    expect(balances.get('Equity:Gifts USDT')).toBe('-0.5')
    expect(balances.get('Equity:Negative-Basis USDT')).toBe('-1.5')
  })

  test('lifo: of two lots of one day the later is sold first, which only a named lot can express', async () => {
    const { gains, text } = await gainsOf(
      [
        ...trade('b1', '2026-01-01T10:00:00Z', 'BTC', '1', '100'),
        ...trade('b2', '2026-01-01T11:00:00Z', 'BTC', '1', '200'),
        ...trade('s', '2026-01-01T12:00:00Z', 'BTC', '-1', '250'),
      ],
      'lifo',
    )
    expect(gains).toEqual(new Map([['s', '50']]))
    expect(text).toContain('  Assets:Venue:Main:Lots:BTC  -1 BTC {2026-01-01, "b2"}\n')
  })

  test('a fee of a fill is part of the cost, and not an expense as well', async () => {
    const at = '2026-01-01'
    const fee = {
      id: 'fee',
      at,
      coin: 'BGB',
      amount: '-1',
      value: '5',
      kind: 'fee',
      counter: 'Expenses:Fees',
    }
    const { gains, balances } = await gainsOf(
      [
        ...trade('g', '2025-12-31', 'BGB', '1', '4'),
        { id: 'b', at, coin: 'BTC', amount: '1', value: '105', transaction: 'b' },
        { id: 'u', at, coin: 'USDT', amount: '-100', transaction: 'b' },
        { ...fee, transaction: 'b' },
      ],
      'fifo',
    )
    expect(gains).toEqual(new Map([['fee', '1']]))
    expect([...balances.keys()].filter((key) => key.startsWith('E'))).toEqual([])
  })
})
