// Whole returns of two years under us, de and ca: one taxpayer, two accounts of imports and one of the venue, with everything
// that such a return has to tell apart. Every figure was calculated by hand, from the law and the rules in docs/rules, before
// it was held against a report; the steps stand beside it. The book is the same in dollars, euros and Canadian dollars, but
// for the moment of one sale (c6), which lies at the end of a holding period, and the price of the USDT (u1).
import { afterAll, describe, expect, test } from 'vitest'
import { lotsStep } from '../../pipeline/lots/step.ts'
import type { ReportOptions } from '../../pipeline/reports/catalogue.ts'
import { matchingOf } from '../../pipeline/rules/matching.ts'
import { balanced, type Move, TestBooks } from '../support/books.ts'
import { ImportedBooks } from '../support/imports.ts'
import { cells, figures, piecesOf, show } from './books.ts'

interface Taxpayer {
  readonly rules: 'us' | 'de' | 'ca'
  readonly money: string
  readonly timeZone?: string
  /** A tenth of a bitcoin of 1 March 2023. */
  readonly soldAYearLater: string
  /** For 3,000 USDT. */
  readonly paidForUsdt: string
}

const tradesOf = ({ money, soldAYearLater, paidForUsdt }: Taxpayer): string[] => [
  // 40,020 for 2, so 20,010 each.
  `c1,2023-03-01T12:00:00Z,desk,buy,BTC,2,${money},40000,20,${money}`,
  // A fee in the coin that is bought: 0.1875 at 2,500 are 468.75, and 8 ETH cost 20,468.75.
  `c2,2024-01-10T12:00:00Z,desk,buy,ETH,8,${money},20000,0.1875,ETH`,
  `c3,2024-01-15T12:00:00Z,desk,buy,BNB,20,${money},6000,,`,
  `l1,2024-01-20T12:00:00Z,desk,buy,LUNA,1000,${money},60000,,`,
  // A fee in a third coin: 0.02 at 310 are 6.20; 50 SOL cost 5,006.20, which is 100.124 each.
  `c4,2024-02-01T12:00:00Z,desk,buy,SOL,50,${money},5000,0.02,BNB`,
  // 30,969 after the fee, on the very day on which the year is over.
  `c5,2024-03-01T12:00:00Z,desk,sell,BTC,0.5,${money},31000,31,${money}`,
  `c6,${soldAYearLater},desk,sell,BTC,0.1,${money},6200,,`,
  `l2,2024-05-20T12:00:00Z,desk,sell,LUNA,1000,${money},20000,20,${money}`,
  // Coin for coin, with a fee in the coin given: 29 SOL at 130 are worth 3,770, so is the ETH, and 0.0125 of it is 47.125.
  'c7,2024-06-01T12:00:00Z,desk,buy,SOL,29,ETH,1,0.0125,ETH',
  `c8,2024-07-01T12:00:00Z,desk,income,SOL,1,${money},150,,`,
  // An airdrop.
  `c9,2024-08-01T12:00:00Z,desk,income,ARB,100,${money},60,,`,
  // Sold at a loss, 2,797 after the fee, and some of it bought back ten days later: 2,253 for 30, which is 75.10 each.
  `c10,2024-09-02T12:00:00Z,desk,sell,SOL,40,${money},2800,3,${money}`,
  `c11,2024-09-12T12:00:00Z,desk,buy,SOL,30,${money},2250,3,${money}`,
  `c12,2024-10-15T12:00:00Z,desk,buy,BTC,0.5,${money},33000,33,${money}`,
  // To a wallet of one's own; the network takes 0.0005 at 76,000, which are 38.
  't1:out,2024-11-10T12:00:00Z,desk,transfer_out,BTC,0.4,,,,',
  't1:in,2024-11-10T12:30:00Z,cold,transfer_in,BTC,0.3995,,,,',
  // New Year: 18:30 in New York and Toronto, 00:30 in Berlin; then 23:30 and 05:30.
  `c13,2024-12-31T23:30:00Z,desk,sell,ETH,2,${money},6800,4,${money}`,
  `c14,2025-01-01T04:30:00Z,desk,sell,ETH,1,${money},3400,2,${money}`,
  `d1,2025-02-03T12:00:00Z,cold,sell,BTC,0.2,${money},20000,10,${money}`,
  `u1,2025-02-05T12:00:00Z,desk,buy,USDT,3000,${money},${paidForUsdt},,`,
  't2:out,2025-02-06T10:00:00Z,desk,transfer_out,USDT,3000,,,,',
  't2:in,2025-02-06T10:05:00Z,main,transfer_in,USDT,3000,,,,',
  // 0.01 at 600 are 6.
  `d2,2025-03-03T12:00:00Z,desk,buy,ETH,1.2,${money},2640,0.01,BNB`,
  // Coin for coin, with a fee in a third one: 3 ETH at 1,850 are 5,550, the fee 18.
  'd3,2025-04-01T12:00:00Z,desk,buy,ETH,3,BTC,0.07,0.03,BNB',
  `d4,2025-05-05T12:00:00Z,desk,gift_out,ETH,1,${money},1800,,`,
  `d5,2025-06-02T12:00:00Z,desk,income,SOL,10,${money},1300,,`,
  // A fee in the coin sold: 0.06 at 150 are 9; 45 bring 6,741, which is 149.80 each.
  `d6,2025-07-01T12:00:00Z,desk,sell,SOL,45,${money},6750,0.06,SOL`,
  `d7,2025-12-31T23:30:00Z,desk,sell,BTC,0.1,${money},9000,9,${money}`,
  `d8,2026-01-01T04:30:00Z,desk,income,ARB,50,${money},20,,`,
]

const pricesOf = (money: string): string =>
  [
    'time,asset,currency,price',
    `2024-02-01,BNB,${money},310`,
    // What the ETH that were given are worth by another source does not count: the coins received have a price as good.
    `2024-06-01,ETH,${money},3800`,
    `2024-06-01,SOL,${money},130`,
    `2024-11-10,BTC,${money},76000`,
    `2025-03-03,BNB,${money},600`,
    `2025-04-01,BNB,${money},600`,
    `2025-04-01,ETH,${money},1850`,
    `2025-04-01,BTC,${money},80000`,
    ...['02-10', '02-11', '02-12', '02-13', '02-14', '03-10', '03-11', '03-20', '03-25'].map(
      (day) => `2025-${day},USDT,${money},1`,
    ),
    '',
  ].join('\n')

const move = (id: string, at: string, type: string, amount: string, fee = '0', coin = 'USDT'): Move => ({
  ...{ id, ts: `${at}:00+00`, type, amount, fee, coin },
})

/** Futures, a margin loan and a reward at the venue, all in USDT: 3,000 come, 3,087.80 are left. */
const AT_THE_VENUE = balanced([
  move('1', '2025-02-06T10:05', 'TRANSFER_IN', '3000'),
  move('2', '2025-02-10T12:00', 'OPEN_LONG', '0', '-0.6'),
  move('3', '2025-02-11T00:00', 'CONTRACT_MAIN_SETTLE_FEE_USER_OUT', '-1.5'),
  move('4', '2025-02-12T09:30', 'CLOSE_LONG', '25', '-0.7'),
  move('5', '2025-02-13T12:00', 'OPEN_SHORT', '0', '-0.4'),
  move('6', '2025-02-14T00:00', 'CONTRACT_MAIN_SETTLE_FEE_USER_IN', '0.3'),
  move('7', '2025-02-14T09:30', 'CLOSE_SHORT', '-40', '-0.5'),
  move('8', '2025-03-10T09:00', 'BORROW', '500'),
  move('9', '2025-03-10T10:00', 'ORDER_DEALT_IN', '1600', '0', 'XRP'),
  move('10', '2025-03-10T10:00', 'ORDER_DEALT_FROZEN_OUT', '-3200'),
  move('11', '2025-03-11T00:00', 'INTEREST_SETTLEMENT_OUT', '-0.5'),
  move('12', '2025-03-20T10:00', 'ORDER_DEALT_IN', '3300', '-3.3'),
  move('13', '2025-03-20T10:00', 'ORDER_DEALT_FROZEN_OUT', '-1600', '0', 'XRP'),
  move('14', '2025-03-21T10:00', 'REPAYMENT', '-500'),
  move('15', '2025-03-25T12:00', 'Airdrop', '10'),
])

const opened: TestBooks[] = []
afterAll(async () => {
  for (const books of opened) await books.close()
})

/** The books of a taxpayer: files through the journal, the venue's records beside them. */
async function booksOf(taxpayer: Taxpayer): Promise<string> {
  const { rules, money, timeZone } = taxpayer
  const imported = new ImportedBooks()
  await imported.trades(...tradesOf(taxpayer))
  await imported.import('prices', pricesOf(money))
  const books = await TestBooks.open({ dir: imported.dir })
  opened.push(books)
  await books.account('main', 'unified')
  await books.tax('SPOT', [AT_THE_VENUE[0]!, AT_THE_VENUE[14]!])
  await books.tax('USDT-FUTURES', AT_THE_VENUE.slice(1, 7))
  await books.tax('MARGIN-crossed', AT_THE_VENUE.slice(7, 14))
  const { openBreaks } = await books.build(
    { reportingCurrency: money },
    { steps: [lotsStep(matchingOf({ rules, timeZone }).options)] },
  )
  expect(openBreaks).toEqual([])
  return imported.dir
}

function asked({ rules, timeZone }: Taxpayer, dir: Promise<string>) {
  const zone = timeZone === undefined ? {} : { timeZone }
  const report = async (name: 'gains' | 'taxes' | 'form-8949', options: ReportOptions) =>
    await show(await dir, name, { rules, ...options }, zone)
  return {
    pieces: async (year: number) => piecesOf(await report('gains', { year })),
    taxes: async (year: number) => await report('taxes', { year }),
    form8949: async (year: number) =>
      cells(
        await report('form-8949', { year }),
        ...['box', 'description', 'acquired_on', 'sold_on', 'proceeds', 'cost_basis', 'adjustment', 'gain'],
      ),
  }
}

/** In the section of their own, in every return of 2025: 25 less 40; 0.6, 0.7, 0.4 and 0.5; 1.5 paid and 0.3 received. */
const FUTURES = [
  // Each at the price of its day, which is 1.
  'all, valued at their time: results above zero: 25',
  'all, valued at their time: results below zero: -40',
  'all, valued at their time: results of positions: -15',
  'all, valued at their time: fees: -2.2',
  'all, valued at their time: funding: -1.2',
  'all, valued at their time: net: -18.4',
  'USDT-FUTURES: results of positions: -15',
  'USDT-FUTURES: fees: -2.2',
  'USDT-FUTURES: funding: -1.2',
  'USDT-FUTURES: net: -18.4',
]

describe('us, in the days of New York', () => {
  // Bought on 1 March 2023, long from 2 March 2024: c6 is sold on that day in UTC, and on the 1st at 23:30 in New York.
  const taxpayer: Taxpayer = {
    ...{ rules: 'us', money: 'USD', timeZone: 'America/New_York' },
    ...{ soldAYearLater: '2024-03-02T04:30:00Z', paidForUsdt: '2985' },
  }
  const { pieces, taxes, form8949 } = asked(taxpayer, booksOf(taxpayer))

  // First in, first out over all accounts. The loss on SOL stands though it was bought back (no wash sales of coins), and the
  // fee of an exchange is in the cost of what it brought: 29 SOL cost 3,770 + 47.125.
  const OF_2024 = [
    'c2 0.1875 ETH of c2: 468.75 - 479.736328125 = -10.986328125 short',
    'c4 0.02 BNB of c3: 6.2 - 6 = 0.2 short',
    'c5 0.5 BTC of c1: 30969 - 10005 = 20964 short',
    'c6 0.1 BTC of c1: 6200 - 2001 = 4199 short',
    'l2 1000 LUNA of l1: 19980 - 60000 = -40020 short',
    'c7 1 ETH of c2: 3770 - 2558.59375 = 1211.40625 short',
    'c7 0.0125 ETH of c2: 47.125 - 31.982421875 = 15.142578125 short',
    'c10 40 SOL of c4: 2797 - 4004.96 = -1207.96 short',
    't1:out 0.0005 BTC of c1: 38 - 10.005 = 27.995 long',
    'c13 2 ETH of c2: 6796 - 5117.1875 = 1678.8125 short',
    'c14 1 ETH of c2: 3398 - 2558.59375 = 839.40625 short',
  ]

  // By account. What is left of c1 on 1 January is 1.3995: 0.3995 lie in cold, 1 at the desk before the half of c12.
  // Of d3 the fee of 18 comes off what the BTC brought, and of v12 it is paid by the USDT it brought, which cost 1 each, and
  // not by those of u1, at 0.995. Of the 3,200 USDT that paid for XRP 500 were borrowed; v12 buys them again. The gift and
  // the move to the wallet are no sales. c8, received on 1 July 2024 and sold on 1 July 2025, is held for exactly a year.
  const OF_2025 = [
    'd1 0.2 BTC of c1: 19990 - 4002 = 15988 long',
    'v2/fee 0.6 USDT of u1: 0.6 - 0.597 = 0.003 short',
    'v3/amount 1.5 USDT of u1: 1.5 - 1.4925 = 0.0075 short',
    'v4/fee 0.7 USDT of u1: 0.7 - 0.6965 = 0.0035 short',
    'v5/fee 0.4 USDT of u1: 0.4 - 0.398 = 0.002 short',
    'v7/amount 40 USDT of u1: 40 - 39.8 = 0.2 short',
    'v7/fee 0.5 USDT of u1: 0.5 - 0.4975 = 0.0025 short',
    'v10/amount 2700 USDT of u1: 2700 - 2686.5 = 13.5 short',
    'v11/amount 0.5 USDT of u1: 0.5 - 0.4975 = 0.0025 short',
    'v10/amount 500 USDT of v12/amount: 500 - 500 = 0 short',
    'v13/amount 1600 XRP of v9/amount: 3296.7 - 3200 = 96.7 short',
    'v12/fee 3.3 USDT of v12/amount: 3.3 - 3.3 = 0 short',
    'd2 0.01 BNB of c3: 6 - 3 = 3 long',
    'd3 0.03 BNB of c3: 18 - 9 = 9 long',
    'd3 0.07 BTC of c1: 5532 - 1400.7 = 4131.3 long',
    'd6 10 SOL of c4: 1498 - 1001.24 = 496.76 long',
    'd6 29 SOL of c7: 4344.2 - 3817.125 = 527.075 long',
    'd6 1 SOL of c8: 149.8 - 150 = -0.2 short',
    'd6 5 SOL of c11: 749 - 375.5 = 373.5 short',
    'd6 0.06 SOL of c11: 9 - 4.506 = 4.494 short',
    'd7 0.1 BTC of c1: 8991 - 2001 = 6990 long',
  ]

  test('every piece of every disposal', async () => {
    expect(await pieces(2024)).toEqual(OF_2024.toSorted())
    expect(await pieces(2025)).toEqual(OF_2025.toSorted())
    expect(await pieces(2026)).toEqual([])
  })

  test('Form 8949, each line in whole dollars', async () => {
    const form = (lines: readonly string[]) =>
      lines.map((line) => line.replace(/ (-?\d+)$/, ' - $1')).toSorted()
    expect((await form8949(2024)).toSorted()).toEqual(
      form([
        'C 0.1875 ETH 2024-01-10 2024-01-10 469 480 -11',
        'C 0.02 BNB 2024-01-15 2024-02-01 6 6 0',
        'C 0.5 BTC 2023-03-01 2024-03-01 30969 10005 20964',
        'C 0.1 BTC 2023-03-01 2024-03-01 6200 2001 4199',
        'C 1000 LUNA 2024-01-20 2024-05-20 19980 60000 -40020',
        'C 1 ETH 2024-01-10 2024-06-01 3770 2559 1211',
        'C 0.0125 ETH 2024-01-10 2024-06-01 47 32 15',
        'C 40 SOL 2024-02-01 2024-09-02 2797 4005 -1208',
        'C 2 ETH 2024-01-10 2024-12-31 6796 5117 1679',
        'C 1 ETH 2024-01-10 2024-12-31 3398 2559 839',
        'F 0.0005 BTC 2023-03-01 2024-11-10 38 10 28',
      ]),
    )
    expect((await form8949(2025)).toSorted()).toEqual(
      form([
        'I 0.6 USDT 2025-02-05 2025-02-10 1 1 0',
        'I 1.5 USDT 2025-02-05 2025-02-10 2 1 1',
        'I 0.7 USDT 2025-02-05 2025-02-12 1 1 0',
        'I 0.4 USDT 2025-02-05 2025-02-13 0 0 0',
        'I 40 USDT 2025-02-05 2025-02-14 40 40 0',
        'I 0.5 USDT 2025-02-05 2025-02-14 1 0 1',
        'I 2700 USDT 2025-02-05 2025-03-10 2700 2687 13',
        'I 0.5 USDT 2025-02-05 2025-03-10 1 0 1',
        'I 500 USDT 2025-03-20 2025-03-20 500 500 0',
        'I 1600 XRP 2025-03-10 2025-03-20 3297 3200 97',
        'I 3.3 USDT 2025-03-20 2025-03-20 3 3 0',
        'I 1 SOL 2024-07-01 2025-07-01 150 150 0',
        'I 5 SOL 2024-09-12 2025-07-01 749 376 373',
        'I 0.06 SOL 2024-09-12 2025-07-01 9 5 4',
        'L 0.2 BTC 2023-03-01 2025-02-03 19990 4002 15988',
        'L 0.01 BNB 2024-01-15 2025-03-03 6 3 3',
        'L 0.03 BNB 2024-01-15 2025-04-01 18 9 9',
        'L 0.07 BTC 2023-03-01 2025-04-01 5532 1401 4131',
        'L 10 SOL 2024-02-01 2025-07-01 1498 1001 497',
        'L 29 SOL 2024-06-01 2025-07-01 4344 3817 527',
        'L 0.1 BTC 2023-03-01 2025-12-31 8991 2001 6990',
      ]),
    )
  })

  test('Schedule D of 2024: a loss, of which 3,000 count at once', async () => {
    const report = await taxes(2024)
    expect(figures(report)).toEqual([
      '3 Short-term, Form 8949 box C: proceeds (d): 74432',
      '3 Short-term, Form 8949 box C: cost or other basis (e): 86764',
      '3 Short-term, Form 8949 box C: adjustments (g): 0',
      '3 Short-term, Form 8949 box C: gain or (loss) (h): -12332',
      '6 Short-term capital loss carryover: 0',
      '7 Net short-term capital gain or (loss): -12332',
      '10 Long-term, Form 8949 box F: proceeds (d): 38',
      '10 Long-term, Form 8949 box F: cost or other basis (e): 10',
      '10 Long-term, Form 8949 box F: adjustments (g): 0',
      '10 Long-term, Form 8949 box F: gain or (loss) (h): 28',
      '14 Long-term capital loss carryover: 0',
      '15 Net long-term capital gain or (loss): 28',
      '16 Lines 7 and 15 together: -12304',
      '21 Loss that is deducted from other income: -3000',
      // 12,332 - 28 - 3,000.
      'Short-term capital loss carryover to the next year: 9304',
      'Long-term capital loss carryover to the next year: 0',
    ])
    expect(report.warnings).toEqual([])
    // 150 and 60.
    expect(report.notes.join('\n')).toContain('2 receipts, worth 210 USD when received')
  })

  test('Schedule D of 2025: the loss of 2024 comes first, as short-term', async () => {
    const report = await taxes(2025)
    expect(figures(report)).toEqual([
      '3 Short-term, Form 8949 box I: proceeds (d): 7454',
      '3 Short-term, Form 8949 box I: cost or other basis (e): 6964',
      '3 Short-term, Form 8949 box I: adjustments (g): 0',
      '3 Short-term, Form 8949 box I: gain or (loss) (h): 490',
      '6 Short-term capital loss carryover: -9304',
      '7 Net short-term capital gain or (loss): -8814',
      '10 Long-term, Form 8949 box L: proceeds (d): 40379',
      '10 Long-term, Form 8949 box L: cost or other basis (e): 12234',
      '10 Long-term, Form 8949 box L: adjustments (g): 0',
      '10 Long-term, Form 8949 box L: gain or (loss) (h): 28145',
      '14 Long-term capital loss carryover: 0',
      '15 Net long-term capital gain or (loss): 28145',
      '16 Lines 7 and 15 together: 19331',
      '21 Loss that is deducted from other income: 0',
      'Short-term capital loss carryover to the next year: 0',
      'Long-term capital loss carryover to the next year: 0',
      ...FUTURES,
    ])
    expect(report.warnings).toEqual([])
    // 1,300, the 10 USDT and 20, which came at 23:30 on New Year’s Eve in New York.
    expect(report.notes.join('\n')).toContain('3 receipts, worth 1330 USD when received')
    expect(report.notes).toContain(
      'Under us rules that is ordinary income at its value when received (Notice 2014-21, A-8; Rev. Rul. 2023-14): Schedule 1 of Form ' +
        '1040, line 8v from 2024 on, or Schedule C if it is business income.',
    )
    // A cost that no line has; the coin that paid it is a line of Form 8949.
    expect(report.notes).toContain(
      'Paid, but not included as a cost in any figure of the return: interest, 0.5 USDT (`report pnl` lists them). Whether it reduces anything is for the ' +
        'taxpayer to decide; coins that were paid are disposals like any others.',
    )
  })
})

describe('de, in the days of Berlin', () => {
  // Bought on 1 March 2023, free from 2 March 2024: c6 is sold on 1 March in UTC, and on the 2nd at 00:30 in Berlin.
  const taxpayer: Taxpayer = {
    ...{ rules: 'de', money: 'EUR', soldAYearLater: '2024-03-01T23:30:00Z', paidForUsdt: '2985' },
  }
  const { pieces, taxes } = asked(taxpayer, booksOf(taxpayer))

  // First in, first out within each account; fees are costs of acquisition and of sale.
  const OF_2024 = [
    'c2 0.1875 ETH of c2: 468.75 - 479.736328125 = -10.986328125 short',
    'c4 0.02 BNB of c3: 6.2 - 6 = 0.2 short',
    'c5 0.5 BTC of c1: 30969 - 10005 = 20964 short',
    'c6 0.1 BTC of c1: 6200 - 2001 = 4199 long',
    'l2 1000 LUNA of l1: 19980 - 60000 = -40020 short',
    'c7 1 ETH of c2: 3770 - 2558.59375 = 1211.40625 short',
    'c7 0.0125 ETH of c2: 47.125 - 31.982421875 = 15.142578125 short',
    'c10 40 SOL of c4: 2797 - 4004.96 = -1207.96 short',
    't1:out 0.0005 BTC of c1: 38 - 10.005 = 27.995 long',
  ]

  // The sales of New Year are of 2025, that of the next is of 2026. c8 is sold on the last day of its year, so taxable. The fee
  // of v12 is paid while 500 USDT are borrowed, which are sold first; lots of one's own close it when the loan is given back.
  const OF_2025 = [
    'c13 2 ETH of c2: 6796 - 5117.1875 = 1678.8125 short',
    'c14 1 ETH of c2: 3398 - 2558.59375 = 839.40625 short',
    'd1 0.2 BTC of c1: 19990 - 4002 = 15988 long',
    'v2/fee 0.6 USDT of u1: 0.6 - 0.597 = 0.003 short',
    'v3/amount 1.5 USDT of u1: 1.5 - 1.4925 = 0.0075 short',
    'v4/fee 0.7 USDT of u1: 0.7 - 0.6965 = 0.0035 short',
    'v5/fee 0.4 USDT of u1: 0.4 - 0.398 = 0.002 short',
    'v7/amount 40 USDT of u1: 40 - 39.8 = 0.2 short',
    'v7/fee 0.5 USDT of u1: 0.5 - 0.4975 = 0.0025 short',
    'v10/amount 2700 USDT of u1: 2700 - 2686.5 = 13.5 short',
    'v11/amount 0.5 USDT of u1: 0.5 - 0.4975 = 0.0025 short',
    'v10/amount 500 USDT of v12/amount: 500 - 500 = 0 short',
    'v13/amount 1600 XRP of v9/amount: 3296.7 - 3200 = 96.7 short',
    'v14/amount 3.3 USDT of u1: 3.3 - 3.2835 = 0.0165 short',
    'd2 0.01 BNB of c3: 6 - 3 = 3 long',
    'd3 0.03 BNB of c3: 18 - 9 = 9 long',
    'd3 0.07 BTC of c1: 5550 - 1400.7 = 4149.3 long',
    'd6 10 SOL of c4: 1498 - 1001.24 = 496.76 long',
    'd6 29 SOL of c7: 4344.2 - 3817.125 = 527.075 long',
    'd6 1 SOL of c8: 149.8 - 150 = -0.2 short',
    'd6 5 SOL of c11: 749 - 375.5 = 373.5 short',
    'd6 0.06 SOL of c11: 9 - 4.506 = 4.494 short',
  ]

  test('every piece of every disposal', async () => {
    expect(await pieces(2024)).toEqual(OF_2024.toSorted())
    expect(await pieces(2025)).toEqual(OF_2025.toSorted())
    expect(await pieces(2026)).toEqual(['d7 0.1 BTC of c1: 8991 - 2001 = 6990 long'])
  })

  test('Anlage SO of 2024: a loss to carry forward, and income below its limit', async () => {
    const report = await taxes(2024)
    expect(figures(report)).toEqual([
      'Proceeds of what was held up to one year: 58038.075',
      'Costs of what was held up to one year: 77086.2725',
      'Gain or loss of what was held up to one year: -19048.1975',
      'Limit below which it is free: 1000',
      'Losses of earlier years, brought forward: 0',
      'Losses brought forward, used: 0',
      'Taxable gain: 0',
      'Losses to carry forward, none of them carried back: 19048.1975',
      // c6 and the fee of the network.
      'Gain or loss of what was held longer, free: 4226.995',
      'Loss that could be carried back to 2023: unknown',
      'Loss that could be carried back to 2022: unknown',
      // 150 and 60.
      'Income from rewards, interest and the like, at its value when received: 210',
      'Limit below which such income is free: 256',
      'Income from rewards, interest and the like, taxable: 0',
    ])
    expect(report.warnings).toEqual([])
  })

  test('Anlage SO of 2025: the gain reaches the limit, so the loss of 2024 is used; all of the income is taxable', async () => {
    const report = await taxes(2025)
    expect(figures(report)).toEqual([
      'Proceeds of what was held up to one year: 17646',
      'Costs of what was held up to one year: 14639.54975',
      'Gain or loss of what was held up to one year: 3006.45025',
      'Limit below which it is free: 1000',
      'Losses of earlier years, brought forward: 19048.1975',
      'Losses brought forward, used: 3006.45025',
      'Taxable gain: 0',
      'Losses to carry forward, none of them carried back: 16041.74725',
      'Gain or loss of what was held longer, free: 21173.135',
      // 1,300 and the 10 USDT.
      'Income from rewards, interest and the like, at its value when received: 1310',
      'Limit below which such income is free: 256',
      'Income from rewards, interest and the like, taxable: 1310',
      ...FUTURES,
    ])
    expect(report.warnings).toEqual([])
    expect(report.notes.join('\n')).toContain('The loss of 2024 is brought forward in full')
  })

  test('2026 has what happened after midnight in Berlin', async () => {
    const lines = figures(await taxes(2026))
    expect(lines).toContain('Gain or loss of what was held longer, free: 6990')
    expect(lines).toContain('Losses to carry forward, none of them carried back: 16041.74725')
    expect(lines).toContain('Income from rewards, interest and the like, at its value when received: 20')
  })
})

describe('ca, in the days of Toronto', () => {
  const taxpayer: Taxpayer = {
    ...{ rules: 'ca', money: 'CAD', timeZone: 'America/Toronto' },
    ...{ soldAYearLater: '2024-03-02T04:30:00Z', paidForUsdt: '3000' },
  }
  const { pieces, taxes } = asked(taxpayer, booksOf(taxpayer))

  // One pool for each coin over all accounts. The fee of c2 loses 10.99 on the day of the purchase, which is all of it
  // superficial: 7.8125 ETH then cost 20,000, so 2,560 each. Before c10 80 SOL cost 5,006.20 + 3,817.125 + 150 = 8,973.325, so
  // 112.1665625 each; of the loss of 1,689.6625 on 40 the 30 that were bought back deny 30/40. With c12 1.9 BTC cost 61,047,
  // so 32,130 each.
  const OF_2024 = [
    'c2 0.1875 ETH: 468.75 - 479.736328125 + 10.986328125 = 0',
    'c4 0.02 BNB: 6.2 - 6 = 0.2',
    'c5 0.5 BTC: 30969 - 10005 = 20964',
    'c6 0.1 BTC: 6200 - 2001 = 4199',
    'l2 1000 LUNA: 19980 - 60000 = -40020',
    'c7 1 ETH: 3770 - 2560 = 1210',
    'c7 0.0125 ETH: 47.125 - 32 = 15.125',
    'c10 40 SOL: 2797 - 4486.6625 + 1267.246875 = -422.415625',
    't1:out 0.0005 BTC: 38 - 16.065 = 21.935',
    'c13 2 ETH: 6796 - 5120 = 1676',
    'c14 1 ETH: 3398 - 2560 = 838',
  ]

  // 8 ETH cost 3.8 × 2,560 + 2,646 + 5,568 = 17,942 before the gift, which is a disposition at 1,800. 80 SOL cost 4,486.6625 +
  // 2,253 + 1,267.246875 + 1,300 = 9,306.909375 before d6.
  const OF_2025 = [
    'd1 0.2 BTC: 19990 - 6426 = 13564',
    'v2/fee 0.6 USDT: 0.6 - 0.6 = 0',
    'v3/amount 1.5 USDT: 1.5 - 1.5 = 0',
    'v4/fee 0.7 USDT: 0.7 - 0.7 = 0',
    'v5/fee 0.4 USDT: 0.4 - 0.4 = 0',
    'v7/amount 40 USDT: 40 - 40 = 0',
    'v7/fee 0.5 USDT: 0.5 - 0.5 = 0',
    'v10/amount 2700 USDT: 2700 - 2700 = 0',
    'v11/amount 0.5 USDT: 0.5 - 0.5 = 0',
    'v10/amount 500 USDT of v12/amount: 500 - 500 = 0',
    'v13/amount 1600 XRP: 3296.7 - 3200 = 96.7',
    'v14/amount 3.3 USDT: 3.3 - 3.3 = 0',
    'd2 0.01 BNB: 6 - 3 = 3',
    'd3 0.03 BNB: 18 - 9 = 9',
    'd3 0.07 BTC: 5550 - 2249.1 = 3300.9',
    'd4 1 ETH: 1800 - 2242.75 = -442.75',
    'd6 45 SOL: 6741 - 5235.1365234375 = 1505.8634765625',
    'd6 0.06 SOL: 9 - 6.98018203125 = 2.01981796875',
    'd7 0.1 BTC: 8991 - 3213 = 5778',
  ]

  test('every piece of every disposition', async () => {
    expect(await pieces(2024)).toEqual(OF_2024.toSorted())
    expect(await pieces(2025)).toEqual(OF_2025.toSorted())
    expect(await pieces(2026)).toEqual([])
  })

  test('Schedule 3 of 2024: half of the loss is carried forward', async () => {
    const report = await taxes(2024)
    expect(figures(report)).toEqual([
      // c5, l2, c10, c13 and c14 had fees of 31, 20, 3, 4 and 2 in money; that of c7 is part of the cost of the SOL.
      'Proceeds of disposition: 74530.075',
      'Adjusted cost base: 87266.463828125',
      'Outlays and expenses (from dispositions): 60',
      'Superficial losses denied: 1278.233203125',
      'Capital gain (or loss): -11518.155625',
      'Inclusion rate: 0.5',
      'Taxable capital gain (or allowable capital loss): -5759.0778125',
      'Net capital losses of other years, left: 0',
      '25300 Net capital losses of other years, used: 0',
      'Net capital losses to carry forward, none of them carried back: 5759.0778125',
      'Loss that could be carried back to 2023, at most: unknown',
      'Loss that could be carried back to 2022, at most: unknown',
      'Loss that could be carried back to 2021, at most: unknown',
    ])
    expect(report.warnings).toEqual([])
    expect(report.notes.join('\n')).toContain('2 receipts, worth 210 CAD when received')
  })

  test('Schedule 3 of 2025: the taxable gain uses all of it', async () => {
    const report = await taxes(2025)
    expect(figures(report)).toEqual([
      // d1 10, v12 3.30, d6 9 and d7 9; that of d3 is part of the cost of the ETH.
      'Proceeds of disposition: 49680.5',
      'Adjusted cost base: 25832.46670546875',
      'Outlays and expenses (from dispositions): 31.3',
      'Superficial losses denied: 0',
      'Capital gain (or loss): 23816.73329453125',
      'Inclusion rate: 0.5',
      'Taxable capital gain (or allowable capital loss): 11908.366647265625',
      'Net capital losses of other years, left: 5759.0778125',
      '25300 Net capital losses of other years, used: 5759.0778125',
      'Net capital losses to carry forward, none of them carried back: 0',
      ...FUTURES,
    ])
    expect(report.warnings).toEqual([])
    expect(report.notes.join('\n')).toContain('3 receipts, worth 1330 CAD when received')
  })
})
