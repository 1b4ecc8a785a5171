// The worked examples of docs/rules, each computed by hand: from a small book to the figures of the return.
import { describe, expect, test } from 'vitest'
import { book, cells, figures, runUntil, type Shown, show } from './books.ts'

describe('us', () => {
  const books = book('USD', [
    'main buy b1 2024-01-15 1 BTC 40000',
    'cold buy b2 2024-02-29 1 BTC 60000',
    'cold sell s0 2024-06-01 0.5 BTC 35000',
    'main sell s1 2025-02-28 0.4 BTC 36000',
    'main sell s2 2025-03-01 0.6 BTC 51000',
    'cold sell s3 2025-03-02 0.5 BTC 40000',
  ])

  test('before 2025 the oldest lot of all accounts goes first, from 2025 on that of the account', async () => {
    const gains = await show(await books, 'gains', { rules: 'us' })
    expect(cells(gains, 'disposal_id', 'lot_id', 'cost_basis', 'gain', 'holding_days', 'term')).toEqual([
      's0 b1 20000 15000 138 short',
      's1 b2 24000 12000 365 short',
      's2 b2 36000 15000 366 long',
      's3 b1 20000 20000 412 long',
    ])
    expect(cells(gains, 'method', 'rules', 'account')).toEqual([
      'fifo us cold',
      'fifo us main',
      'fifo us main',
      'fifo us cold',
    ])
    expect(gains.notes[0]).toBe(
      'Computed for this report: method fifo, scope universal, account from 2025, rules us.',
    )
  })

  test('Form 8949 has a line for each piece, in the boxes of the year', async () => {
    const columns = ['box', 'description', 'acquired_on', 'sold_on', 'proceeds', 'cost_basis', 'adjustment']
    const form = async (year: number) =>
      cells(await show(await books, 'form-8949', { year }), ...columns, 'gain')
    expect(await form(2024)).toEqual(['C 0.5 BTC 2024-01-15 2024-06-01 35000 20000 - 15000'])
    expect(await form(2025)).toEqual([
      'I 0.4 BTC 2024-02-29 2025-02-28 36000 24000 - 12000',
      'L 0.6 BTC 2024-02-29 2025-03-01 51000 36000 - 15000',
      'L 0.5 BTC 2024-01-15 2025-03-02 40000 20000 - 20000',
    ])
  })

  test('Schedule D sums them by box', async () => {
    expect(figures(await show(await books, 'taxes', { rules: 'us', year: 2025 }))).toEqual([
      '3 Short-term, Form 8949 box I: proceeds (d): 36000',
      '3 Short-term, Form 8949 box I: cost or other basis (e): 24000',
      '3 Short-term, Form 8949 box I: adjustments (g): 0',
      '3 Short-term, Form 8949 box I: gain or (loss) (h): 12000',
      '6 Short-term capital loss carryover: 0',
      '7 Net short-term capital gain or (loss): 12000',
      '10 Long-term, Form 8949 box L: proceeds (d): 91000',
      '10 Long-term, Form 8949 box L: cost or other basis (e): 56000',
      '10 Long-term, Form 8949 box L: adjustments (g): 0',
      '10 Long-term, Form 8949 box L: gain or (loss) (h): 35000',
      '14 Long-term capital loss carryover: 0',
      '15 Net long-term capital gain or (loss): 35000',
      '16 Lines 7 and 15 together: 47000',
      '21 Loss that is deducted from other income: 0',
      'Short-term capital loss carryover to the next year: 0',
      'Long-term capital loss carryover to the next year: 0',
    ])
  })

  test('an unknown gain leaves the deducted loss unknown, also if it is long-term', async () => {
    const old = await book('USD', [
      'main buy b1 2020-01-15 1 BTC ?',
      'main sell s1 2025-02-01 1 BTC 50000',
      'main buy b2 2025-01-15 1 ETH 4000',
      'main sell s2 2025-02-01 1 ETH 3000',
    ])
    expect(figures(await show(old, 'taxes', { rules: 'us', year: 2025 }))).toEqual(
      expect.arrayContaining([
        '3 Short-term, Form 8949 box I: gain or (loss) (h): -1000',
        '21 Loss that is deducted from other income: unknown',
        'Disposals without a known gain: 1',
      ]),
    )
  })

  test('Form 8949 is in whole dollars, each box adds up to its line 2, and Schedule D says the same', async () => {
    // Cents that a sum of exact amounts would round otherwise: 10.50 three times is 33, and not 31.50.
    const cents = await book('USD', [
      'main buy b1 2025-01-15 3 BTC 15.45',
      'main sell s1 2025-02-01 1 BTC 10.50',
      'main sell s2 2025-02-02 1 BTC 10.50',
      'main sell s3 2025-02-03 1 BTC 10.50',
      'main buy b2 2023-01-15 1 ETH 100.49',
      'main sell s4 2025-03-01 1 ETH 90.50',
    ])
    const form = await show(cents, 'form-8949', { year: 2025 })
    expect(cells(form, 'box', 'proceeds', 'cost_basis', 'gain')).toEqual([
      'I 11 5 6',
      'I 11 5 6',
      'I 11 5 6',
      'L 91 100 -9',
    ])
    expect(form.totals.map((row) => [row[0], row[1], row[4], row[5], row[8]])).toEqual([
      ['I', 'line 2: totals', '33', '15', '18'],
      ['L', 'line 2: totals', '91', '100', '-9'],
    ])
    const taxes = await show(cents, 'taxes', { rules: 'us', year: 2025 })
    const schedule = figures(taxes)
    expect(schedule).toContain('3 Short-term, Form 8949 box I: gain or (loss) (h): 18')
    expect(schedule).toContain('10 Long-term, Form 8949 box L: proceeds (d): 91')
    expect(schedule).toContain('16 Lines 7 and 15 together: 9')
    const told =
      'Amounts are rounded line by line, as the form requires: gains and losses total 9 USD; unrounded, they total 6.06, as in `report gains` under the same rules.'
    expect(form.notes).toContain(told)
    expect(taxes.notes).toContain(told)
    expect((await show(cents, 'taxes', { rules: 'de', year: 2025 })).notes).not.toContain(told)
  })

  test.each([
    ['none', 2025, 'I L L'],
    ['no-basis', 2025, 'H K K'],
    ['basis', 2025, 'G J J'],
  ] as const)('a Form 1099-DA received as %s in %s goes to the boxes %s', async (form1099, year, boxes) => {
    const { rows } = await show(await books, 'form-8949', { year, form1099 })
    expect(rows.map(({ box }) => box).join(' ')).toBe(boxes)
  })

  test.each([
    ['form-8949', { year: 2024 }, {}, 'a period that ends in 2024'],
    ['form-8949', { to: '2024-12-31' }, { timeZone: 'America/New_York' }, 'a period that ends in 2024'],
    ['taxes', { year: 2024, rules: 'us' }, {}, 'a period that ends in 2024'],
    ['taxes', { year: 2025, rules: 'uk' }, {}, 'rules uk'],
  ] as const)(
    'a Form 1099-DA for which %s of %j would be ignored is refused',
    async (name, options, defaults, found) => {
      await expect(
        show(await books, name, { ...options, form1099: 'basis' }, defaults),
      ).rejects.toMatchObject({
        exitCode: 2,
        message: `The report ${name} cannot use --form-1099-da here.`,
        details: {
          where: '--form-1099-da',
          expected: 'rules us and sales in 2025 or later, the first year with a Form 1099-DA',
          found,
          action: 'Omit the option.',
        },
      })
    },
  )

  test('a period that reaches 2025 uses a Form 1099-DA for its later sales', async () => {
    const boxes = async (period: object) =>
      (await show(await books, 'form-8949', { ...period, form1099: 'basis' })).rows.map(({ box }) => box)
    expect(await boxes({})).toEqual(['C', 'G', 'J', 'J'])
    expect(await boxes({ to: '2025-02-28' })).toEqual(['C', 'G'])
  })

  test('years and days are those of the configured zone', async () => {
    const late = await book('USD', [
      'main buy b1 2024-06-01 1 BTC 100',
      'main sell s1 2025-01-01T04:59:59Z 1 BTC 150',
    ])
    const years = async (timeZone?: string) =>
      cells(await show(late, 'form-8949', {}, timeZone === undefined ? {} : { timeZone }), 'box', 'sold_on')
    expect(await years()).toEqual(['I 2025-01-01'])
    expect(await years('America/New_York')).toEqual(['C 2024-12-31'])
  })

  test('the date acquired is a day of the configured zone too', async () => {
    const night = await book('USD', [
      'main buy b1 2024-06-01T03:59:59Z 1 BTC 100',
      'main sell s1 2025-03-01 1 BTC 150',
    ])
    const days = async (timeZone?: string) =>
      cells(await show(night, 'form-8949', {}, timeZone === undefined ? {} : { timeZone }), 'acquired_on')
    expect(await days()).toEqual(['2024-06-01'])
    expect(await days('America/New_York')).toEqual(['2024-05-31'])
  })

  test('line 2 of a box adds up all years that belong to it', async () => {
    const years = await book('USD', [
      'main buy b1 2022-12-15 2 BTC 200',
      'main sell s1 2023-02-01 1 BTC 150',
      'main buy b2 2024-01-15 1 ETH 10',
      'main sell s2 2024-02-01 1 ETH 17',
    ])
    const { totals } = await show(years, 'form-8949', {})
    expect(totals.map((row) => [row[0], row[4], row[5], row[8]])).toEqual([['C', '167', '110', '57']])
  })

  test('what was bought on a known day for an unknown price has no box, and is in no line 2', async () => {
    const half = await book('USD', [
      'main buy b1 2025-01-15 1 BTC ?',
      'main sell s1 2025-03-01 1 BTC 150',
      'main buy b2 2025-01-15 1 ETH 10',
      'main sell s2 2025-03-02 1 ETH 17',
    ])
    const form = await show(half, 'form-8949', { year: 2025 })
    expect(cells(form, 'box', 'description', 'acquired_on', 'proceeds', 'gain')).toEqual([
      'I 1 ETH 2025-01-15 17 7',
      '- 1 BTC 2025-01-15 150 -',
    ])
    expect(form.totals.map((row) => [row[0], row[4], row[5], row[8]])).toEqual([['I', '17', '10', '7']])
  })

  test('Form 8949 of books in another currency states which', async () => {
    const lines = ['main buy b1 2025-01-15 1 BTC 100', 'main sell s1 2025-03-01 1 BTC 150']
    const notes = async (currency: string) =>
      (await show(await book(currency, lines), 'form-8949', { year: 2025 })).notes.filter((note) =>
        note.startsWith('Gains and losses are in'),
      )
    expect(await notes('USD')).toEqual([])
    expect(await notes('EUR')).toEqual([
      'Gains and losses are in EUR but the return is in USD: nothing is converted, and no limit in USD is applied to them. Set `reports: { currency: USD }`, import prices and run `tieout build`.',
    ])
  })

  test('what has no known basis is listed separately, without a box', async () => {
    const unknown = await book('USD', ['main sell s1 2025-03-01 1 BTC 150'])
    const form = await show(unknown, 'form-8949', { year: 2025 })
    expect(cells(form, 'box', 'description', 'proceeds', 'cost_basis', 'gain')).toEqual(['- 1 BTC 150 - -'])
    const taxes = await show(unknown, 'taxes', { rules: 'us', year: 2025 })
    expect(figures(taxes).slice(-6)).toEqual([
      '16 Lines 7 and 15 together: 0',
      '21 Loss that is deducted from other income: unknown',
      'Short-term capital loss carryover to the next year: unknown',
      'Long-term capital loss carryover to the next year: unknown',
      'Disposals without a known gain: 1',
      'Known proceeds of what has no known gain: 150',
    ])
    expect(taxes.warnings[0]).toMatch(/^INCOMPLETE: 1 of 1 piece of disposals has no known gain/)
  })
})

describe('uk', () => {
  test('CRYPTO22255 as a return: one disposal, two matches, above the exempt amount of 2018-19', async () => {
    const victoria = await book('GBP', [
      'main buy pool 2017-01-01 14000 B 200000',
      'main sell s 2018-08-30 4000 B 160000',
      'main buy september 2018-09-11 500 B 17500',
    ])
    const taxes = await show(victoria, 'taxes', { rules: 'uk', year: 2018 })
    expect(figures(taxes)).toEqual([
      '14 Number of disposals: 1',
      '15 Disposal proceeds: 160000',
      '16 Allowable costs: 67500',
      '17 Gains in the year, before losses: 92500',
      '19 Losses in the year: 0',
      'Gains less losses of the year: 92500',
      'Annual exempt amount: 11700',
      'Losses of earlier years, brought forward: 0',
      '45 Losses brought forward, used: 0',
      'Gains above the annual exempt amount: 80800',
      '47 Losses to carry forward: 0',
      'Miscellaneous income from rewards, interest and the like, at its value when received: 0',
      'Trading and miscellaneous income allowance: 1000',
      '17 Miscellaneous income from rewards, interest and the like, taxable: 0',
    ])
    expect(cells(taxes, 'tax_year', 'form', 'currency').slice(0, 2)).toEqual([
      '2018-19 SA108 -',
      '2018-19 SA108 GBP',
    ])
  })

  test('the tax year ends with 5 April in London, an hour before it does in UTC', async () => {
    const april = await book('GBP', [
      'main buy b1 2024-01-01 3 BTC 300',
      'main sell s1 2025-04-05T22:59:59Z 1 BTC 1100',
      'main sell s2 2025-04-05T23:00:00Z 1 BTC 2100',
      'main sell s3 2026-04-05T22:59:59Z 1 BTC 50',
    ])
    const year = async (of: number) => figures(await show(april, 'taxes', { rules: 'uk', year: of }))
    expect((await year(2024)).slice(0, 3)).toEqual([
      '13.1 Number of disposals: 1',
      '13.2 Disposal proceeds: 1100',
      '13.3 Allowable costs: 100',
    ])
    expect(await year(2025)).toEqual([
      '13.1 Number of disposals: 2',
      '13.2 Disposal proceeds: 2150',
      '13.3 Allowable costs: 200',
      '13.4 Gains in the year, before losses: 2000',
      '13.5 Losses in the year: 50',
      'Gains less losses of the year: 1950',
      'Annual exempt amount: 3000',
      'Losses of earlier years, brought forward: 0',
      '45 Losses brought forward, used: 0',
      'Gains above the annual exempt amount: 0',
      '47 Losses to carry forward: 0',
      'Miscellaneous income from rewards, interest and the like, at its value when received: 0',
      'Trading and miscellaneous income allowance: 1000',
      '17 Miscellaneous income from rewards, interest and the like, taxable: 0',
    ])
    const gains = await show(april, 'gains', { rules: 'uk', from: '2025-04-06', to: '2026-04-05' })
    expect(cells(gains, 'disposal_id', 'gain')).toEqual(['s2 2000', 's3 -50'])
  })

  test('2024-25: the rates changed on 30 October 2024 in London, and the return states what fell on each side', async () => {
    const split = await book('GBP', [
      'main buy b1 2024-04-06 4 BTC 120000',
      'main sell s0 2024-10-28 1 BTC 25000',
      // 29 October in London, whose clocks went back on the 27th, and the 30th.
      'main sell s1 2024-10-29T23:59:59Z 1 BTC 50000',
      'main sell s2 2024-10-30T00:00:00Z 1 BTC 28000',
      'main sell s3 2025-04-05 1 BTC 44000.50',
    ])
    const told = async (year: number, options: object = {}) =>
      (await show(split, 'taxes', { rules: 'uk', year, ...options })).notes.filter((note) =>
        note.includes('rates'),
      )
    // Each cost 30,000: 20,000 and -5,000, then -2,000 and 14,000.50.
    expect(await told(2024)).toEqual([
      'The main rates of capital gains tax rose on 2024-10-30, and the figures of the year do not separate the two sides: before that day gains were 20000 GBP and losses 5000 GBP, from then on gains were 14000.5 GBP and losses ' +
        '2000 GBP. The tax adjustment for the new rates goes in box 51, for which HMRC has a calculator (TCGA 1992 s.1H; Finance ' +
        'Act 2025 s.7(3)).',
    ])
    expect(await told(2025)).toEqual([])
    expect(await told(2023)).toEqual([])
    // Nothing fell on the later side, so the adjustment has nothing to adjust.
    const before = await book('GBP', [
      'main buy b1 2024-04-06 1 BTC 30000',
      'main sell s1 2024-10-29T23:59:59Z 1 BTC 50000',
    ])
    const { notes } = await show(before, 'taxes', { rules: 'uk', year: 2024 })
    expect(notes.filter((note) => note.includes('rates'))).toEqual([])
  })

  test('the sales of a London day are one disposal', async () => {
    const day = await book('GBP', [
      'main buy b1 2024-01-01 3 BTC 300',
      'main sell s1 2024-07-10T23:30:00Z 1 BTC 150',
      'main sell s2 2024-07-11T10:00:00Z 1 BTC 90',
    ])
    expect(figures(await show(day, 'taxes', { rules: 'uk', year: 2024 })).slice(0, 5)).toEqual([
      '13.1 Number of disposals: 1',
      '13.2 Disposal proceeds: 240',
      '13.3 Allowable costs: 200',
      '13.4 Gains in the year, before losses: 40',
      '13.5 Losses in the year: 0',
    ])
  })

  test('s.105: also if some of them are of borrowed coins, matched one by one', async () => {
    // Half past midnight, 11 and 12 o'clock in London: 930 for three, of which one cost 100 and two were bought for 700.
    const borrowed = await book('GBP', [
      'main buy b1 2025-05-01 1 BTC 100',
      'main borrow l1 2025-05-09T23:10:00Z 2 BTC',
      'main sell s1 2025-05-09T23:30:00Z 1 BTC 300',
      'main sell s2 2025-05-10T10:00:00Z 1 BTC 310',
      'main sell s3 2025-05-10T11:00:00Z 1 BTC 320',
      'main buy b2 2025-09-01 2 BTC 700',
      'main repay r1 2025-09-02 2 BTC',
    ])
    const gains = await show(borrowed, 'gains', { rules: 'uk', year: 2025 })
    expect(cells(gains, 'disposal_id', 'lot_id', 'gain')).toEqual(['s1 - 200', 's2 b2 -40', 's3 b2 -30'])
    expect(figures(await show(borrowed, 'taxes', { rules: 'uk', year: 2025 })).slice(0, 6)).toEqual([
      '13.1 Number of disposals: 1',
      '13.2 Disposal proceeds: 930',
      '13.3 Allowable costs: 800',
      '13.4 Gains in the year, before losses: 130',
      '13.5 Losses in the year: 0',
      'Gains less losses of the year: 130',
    ])
    // Under another law each sale is its own: 100 bought, and two that were sold short and bought for 350 each.
    const us = figures(await show(borrowed, 'taxes', { rules: 'us', year: 2025 }))
    expect(us).toContain('3 Short-term, Form 8949 box I: gain or (loss) (h): 130')
  })

  test('s.105: also if those are sold in another account', async () => {
    const two = await book('GBP', [
      'main buy b1 2025-05-01 1 BTC 100',
      'main sell s1 2025-05-10T09:00:00Z 1 BTC 300',
      'cold borrow l1 2025-05-10T10:00:00Z 1 BTC',
      'cold sell s2 2025-05-10T10:30:00Z 1 BTC 310',
      'cold buy b2 2025-09-01 1 BTC 350',
      'cold repay r1 2025-09-02 1 BTC',
    ])
    expect(cells(await show(two, 'gains', { rules: 'uk', year: 2025 }), 'account', 'gain')).toEqual([
      'main 200',
      'cold -40',
    ])
    expect(figures(await show(two, 'taxes', { rules: 'uk', year: 2025 })).slice(0, 5)).toEqual([
      '13.1 Number of disposals: 1',
      '13.2 Disposal proceeds: 610',
      '13.3 Allowable costs: 450',
      '13.4 Gains in the year, before losses: 160',
      '13.5 Losses in the year: 0',
    ])
  })

  test('s.105: and if one of them has no known proceeds, it is still one disposal', async () => {
    const day = await book('GBP', [
      'main buy b1 2024-01-01 3 BTC 300',
      'main sell s1 2024-07-11T10:00:00Z 1 BTC 150',
      'main sell s2 2024-07-11T11:00:00Z 1 BTC ?',
    ])
    const taxes = figures(await show(day, 'taxes', { rules: 'uk', year: 2024 }))
    expect(taxes.slice(0, 4)).toEqual([
      '13.1 Number of disposals: 1',
      '13.2 Disposal proceeds: 150',
      '13.3 Allowable costs: 100',
      '13.4 Gains in the year, before losses: 50',
    ])
    expect(taxes).toContain('Disposals without a known gain: 1')
  })

  test('a day of several accounts is listed under the first of them: a report of one account says so', async () => {
    const two = await book('GBP', [
      'kraken buy b1 2024-05-01 1 BTC 30000',
      'cold buy b2 2024-05-02 1 BTC 40000',
      'kraken sell s1 2024-06-01T10:00:00Z 0.5 BTC 25000',
      'cold sell s2 2024-06-01T12:00:00Z 0.5 BTC 26000',
    ])
    const told =
      'Under uk rules the sales of one day are one disposal, shown under the account of the first sale: figures for a single account may include sales of other accounts and exclude its own.'
    for (const name of ['gains', 'pnl', 'taxes'] as const) {
      const notes = async (options: object) =>
        (await show(two, name, { rules: 'uk', year: 2024, ...options })).notes.filter((note) => note === told)
      expect([name, await notes({ account: 'cold' })]).toEqual([name, [told]])
      expect([name, await notes({})]).toEqual([name, []])
      expect([name, await notes({ account: 'cold', rules: 'ca' })]).toEqual([name, []])
      expect([name, await notes({ account: 'cold', scope: 'account' })]).toEqual([name, []])
    }
    expect(cells(await show(two, 'gains', { rules: 'uk', account: 'cold' }), 'gain')).toEqual([])
    // 51,000 less half of 70,000.
    expect(cells(await show(two, 'gains', { rules: 'uk', account: 'kraken' }), 'gain')).toEqual(['16000'])
  })
})

describe('what may still change', () => {
  const still = async (dir: Promise<string>, options: object) => {
    const notes = async (name: 'taxes' | 'gains' | 'pnl') =>
      (await show(await dir, name, options)).notes.filter((note) => note.includes('can still change'))
    const of = await notes('taxes')
    expect([await notes('gains'), await notes('pnl')]).toEqual([of, of])
    return of
  }
  const BOUGHT = 'main buy b1 2026-01-05 2 BTC 80000'
  const SOLD = 'main sell s1 2026-04-04 1 BTC 30000'

  test('uk: disposals can change until the thirtieth day after them is over in London', async () => {
    const until = (at: string) =>
      still(book('GBP', [BOUGHT, SOLD], [runUntil(at)]), { rules: 'uk', year: 2025 })
    const told = (at: string) => [
      `Purchases until 2026-05-04 can still change disposals from 2026-04-04 on (30 days, TCGA 1992 s.106A): the books end at ${at}.`,
    ]
    expect(await until('2026-04-07T02:00:00.000Z')).toEqual(told('2026-04-07T02:00:00.000Z'))
    expect(await until('2026-05-04T22:59:59.000Z')).toEqual(told('2026-05-04T22:59:59.000Z'))
    expect(await until('2026-05-04T23:00:00.000Z')).toEqual([])
  })

  test('uk: what has met its purchase, or is of an earlier year, cannot change', async () => {
    const lines = [BOUGHT, SOLD, 'main buy b2 2026-04-06 1 BTC 31000']
    const at = '2026-04-07T02:00:00Z'
    expect(await still(book('GBP', lines, [runUntil(at)]), { rules: 'uk', year: 2025 })).toEqual([])
    expect(await still(book('GBP', [BOUGHT, SOLD], [runUntil(at)]), { rules: 'uk', year: 2024 })).toEqual([])
    expect(await still(book('USD', [BOUGHT, SOLD], [runUntil(at)]), { rules: 'us', year: 2026 })).toEqual([])
  })

  test('uk: the first and the last day of several are named, and where imports of an account end', async () => {
    const dir = book(
      'GBP',
      [
        BOUGHT,
        'main sell s0 2026-03-20 0.5 BTC 16000',
        SOLD,
        'k buy k1 2026-02-01 1 ETH 2000',
        'k sell k2 2026-03-31 1 ETH 1900',
      ],
      [
        runUntil('2026-04-07T02:00:00Z'),
        'drop view beginnings',
        `create view beginnings as select * from (values
          ('k', 'ETH', timestamptz '2026-02-01 12:00:00+00', 'import', timestamptz '2026-03-31 12:00:00+00'),
          ('main', 'BTC', timestamptz '2025-01-01 00:00:00+00', 'venue', null)
        ) as given (account, coin, begins_at, source, last_at)`,
      ],
    )
    expect(await still(dir, { rules: 'uk', year: 2025 })).toEqual([
      'Purchases until 2026-05-04 can still change disposals from 2026-03-20 on (30 days, TCGA 1992 s.106A): imports cover k until 2026-03-31T12:00:00.000Z.',
      'Purchases until 2026-05-04 can still change disposals from 2026-03-20 on (30 days, TCGA 1992 s.106A): the books end at 2026-04-07T02:00:00.000Z.',
    ])
  })

  test('uk: accounts held separately whose books end together are named together, from the first day to the last', async () => {
    const dir = book(
      'GBP',
      [
        'a buy b1 2025-05-01 2 BTC 60000',
        'b buy b2 2025-05-01 2 BTC 60000',
        'a sell s1 2026-03-15 1 BTC 30000',
        'b sell s2 2026-03-20 1 BTC 30000',
        'b sell s3 2026-03-25 1 BTC 30000',
        'a sell s4 2026-04-04 1 BTC 30000',
      ],
      [runUntil('2026-04-07T02:00:00Z')],
    )
    expect(await still(dir, { rules: 'uk', year: 2025, scope: 'account' })).toEqual([
      'Purchases until 2026-05-04 can still change disposals from 2026-03-15 on (30 days, TCGA 1992 s.106A): the books end at 2026-04-07T02:00:00.000Z.',
    ])
  })

  /** main's books go on to June; imports of `cold` end on 20 March, when main's disposal of 1 April was still to come. */
  const coldEnds = (currency: string, lines: readonly string[], at: string) =>
    book(currency, lines, [
      runUntil('2026-06-01T02:00:00Z'),
      'drop view beginnings',
      `create view beginnings as select * from (values
        ('cold', 'BTC', timestamptz '2025-05-01 12:00:00+00', 'import', timestamptz '${at} 12:00:00+00'),
        ('main', 'BTC', timestamptz '2025-01-01 00:00:00+00', 'venue', null)
      ) as given (account, coin, begins_at, source, last_at)`,
    ])

  test('uk: a purchase in any account can change a disposal, unless each account is held separately', async () => {
    const lines = ['cold buy c1 2025-05-01 1 BTC 60000', BOUGHT, 'main sell s1 2026-04-01 1 BTC 30000']
    const dir = coldEnds('GBP', lines, '2026-03-20')
    const told = [
      'Purchases until 2026-05-01 can still change disposals from 2026-04-01 on (30 days, TCGA 1992 s.106A): imports cover cold until 2026-03-20T12:00:00.000Z.',
    ]
    expect(await still(dir, { rules: 'uk', year: 2025 })).toEqual(told)
    expect(await still(dir, { rules: 'uk', year: 2025, account: 'main' })).toEqual(told)
    expect(await still(dir, { rules: 'uk', year: 2025, scope: 'account' })).toEqual([])
    // Of an account that has been silent for longer reports say so by themselves, and not with every disposal since.
    expect(await still(coldEnds('GBP', lines, '2025-12-20'), { rules: 'uk', year: 2025 })).toEqual([])
    // 31 days before the disposal, and 32.
    expect(await still(coldEnds('GBP', lines, '2026-03-01'), { rules: 'uk', year: 2025 })).toHaveLength(1)
    expect(await still(coldEnds('GBP', lines, '2026-02-28'), { rules: 'uk', year: 2025 })).toEqual([])
  })

  test('ca: a purchase in any account can deny a loss', async () => {
    const lines = ['cold buy c1 2025-05-01 1 BTC 60000', BOUGHT, 'main sell s1 2026-04-01 1 BTC 30000']
    // The pool costs 140,000 for 3: the loss is 16,666.67.
    expect(await still(coldEnds('CAD', lines, '2026-03-20'), { rules: 'ca', year: 2026 })).toEqual([
      'Purchases and sales until 2026-05-01 can still change losses from 2026-04-01 on (30 days, ITA s. 54): imports cover cold until 2026-03-20T12:00:00.000Z.',
    ])
  })

  test('ca: losses can change, gains cannot', async () => {
    const until = (proceeds: string, at: string) =>
      still(
        book(
          'CAD',
          ['main buy b1 2023-01-01 50 X 500', `main sell s1 2024-01-10 20 X ${proceeds}`],
          [runUntil(at)],
        ),
        { rules: 'ca', year: 2024 },
      )
    expect(await until('100', '2024-01-25T03:00:00Z')).toEqual([
      'Purchases and sales until 2024-02-09 can still change losses from 2024-01-10 on (30 days, ITA s. 54): the books end at 2024-01-25T03:00:00.000Z.',
    ])
    expect(await until('100', '2024-02-10T00:00:00Z')).toEqual([])
    expect(await until('300', '2024-01-25T03:00:00Z')).toEqual([])
    // 20 of 500 for 50 cost 200.
    expect(await until('200', '2024-01-25T03:00:00Z')).toEqual([])
    expect(await until('199.99', '2024-01-25T03:00:00Z')).toHaveLength(1)
  })
})

test('uk: a sale of borrowed coins that nothing has closed is mentioned as one of its year that is in no figure; elsewhere it counts when closed', async () => {
  const lines = [
    'main buy b1 2023-01-15 1 BTC 100',
    'main borrow l1 2024-02-01 2 BTC',
    'main sell s1 2024-02-02 3 BTC 900',
    'main buy b2 2024-06-01 0.5 BTC 120',
    'cold borrow l2 2024-02-01 1 ETH',
    'cold sell s2 2024-02-03 1 ETH ?',
  ]
  const dir = await book('GBP', lines, [runUntil('2024-12-01T03:00:00Z')])
  const ofBorrowed = ({ notes }: Shown) => notes.filter((note) => /borrowed/i.test(note))
  const told = async (name: 'taxes' | 'gains' | 'pnl', options: object) =>
    ofBorrowed(await show(dir, name, options))
  // 3 sold for 300 each: one of them owned, half a one bought again, and 1.5 open.
  const open =
    'Borrowed coins sold and not bought back by the end of the books: 1 ETH for an unknown value, 1.5 BTC for 450 GBP. Under uk rules ' +
    'the disposal is the sale: it belongs to this period, and is not included in any figure until it is closed (docs/rules/uk.md).'
  const taxes = await show(dir, 'taxes', { rules: 'uk', year: 2023 })
  expect(figures(taxes).slice(0, 3)).toEqual([
    '14 Number of disposals: 1',
    '15 Disposal proceeds: 450',
    '16 Allowable costs: 220',
  ])
  expect(ofBorrowed(taxes)).toEqual([open])
  for (const name of ['gains', 'pnl'] as const)
    expect([name, await told(name, { rules: 'uk', year: 2023 })]).toEqual([name, [open]])
  for (const name of ['gains', 'pnl'] as const)
    expect([name, await told(name, { rules: 'uk', year: 2024 })]).toEqual([name, []])
  // A later return brings losses forward, which lack what these sales will come to.
  const before =
    'Borrowed coins sold in 2023-24 and not bought back by the end of the books: 1 ETH for an unknown value, 1.5 BTC for 450 GBP. Under ' +
    'uk rules the result of such a sale belongs to 2023-24: the losses brought forward exclude it and can still change (docs/rules/uk.md).'
  for (const year of [2024, 2025])
    expect([year, await told('taxes', { rules: 'uk', year })]).toEqual([year, [before]])
  const configured = { losses: { into: 2024, amount: '100' } }
  expect(ofBorrowed(await show(dir, 'taxes', { rules: 'uk', year: 2024 }, configured))).toEqual([])
  expect(await told('taxes', { rules: 'uk', year: 2023, account: 'main' })).toEqual([
    open.replace('1 ETH for an unknown value, ', ''),
  ])
  expect(await told('taxes', { rules: 'us', year: 2024 })).toEqual([])
})

describe('de', () => {
  const depots = (proceeds: string) =>
    book('EUR', [
      'a buy a1 2024-02-29 2 BTC 100000',
      'b buy b1 2024-06-01 1 BTC 60000',
      'a sell v1 2025-02-28 1 BTC 50900',
      'a sell v2 2025-03-01 1 BTC 80000',
      `b sell v3 2025-05-01 1 BTC ${proceeds}`,
    ])

  test('bought on 29 February: taxable on 28 February, tax-free on 1 March; each depot separately', async () => {
    const gains = await show(await depots('60100'), 'gains', { rules: 'de', year: 2025 })
    expect(cells(gains, 'disposal_id', 'lot_id', 'gain', 'holding_days', 'term')).toEqual([
      'v1 a1 900 365 short',
      'v2 a1 30000 366 long',
      'v3 b1 100 334 short',
    ])
  })

  test('at 1,000 the whole gain is taxable, a cent below none of it', async () => {
    const taxes = async (proceeds: string) =>
      figures(await show(await depots(proceeds), 'taxes', { rules: 'de', year: 2025 }))
    expect(await taxes('60100')).toEqual([
      'Proceeds of what was held up to one year: 111000',
      'Costs of what was held up to one year: 110000',
      'Gain or loss of what was held up to one year: 1000',
      'Limit below which it is free: 1000',
      'Losses of earlier years, brought forward: 0',
      'Losses brought forward, used: 0',
      'Taxable gain: 1000',
      'Losses to carry forward, none of them carried back: 0',
      'Gain or loss of what was held longer, free: 30000',
      'Income from rewards, interest and the like, at its value when received: 0',
      'Limit below which such income is free: 256',
      'Income from rewards, interest and the like, taxable: 0',
    ])
    expect((await taxes('60099.99')).slice(2, 7)).toEqual([
      'Gain or loss of what was held up to one year: 999.99',
      'Limit below which it is free: 1000',
      'Losses of earlier years, brought forward: 0',
      'Losses brought forward, used: 0',
      'Taxable gain: 0',
    ])
  })

  test('what was held longer than a year is tax-free, whatever it cost: an unknown cost makes nothing else unknown', async () => {
    const old = await book('EUR', [
      'a buy b1 2020-01-01 2 BTC ?',
      'a buy b2 2025-01-01 1 ETH 4000',
      'a sell s1 2025-06-01 1 BTC 50000',
      'a sell s2 2025-06-01 1 ETH 3000',
      'a buy b3 2026-01-01 1 ETH 1000',
      'a sell s3 2026-06-01 1 ETH 3000',
      // Held for less than a year at an unknown cost: that one counts.
      'a buy b4 2027-01-01 1 XRP ?',
      'a sell s4 2027-06-01 1 XRP 10',
    ])
    const year = async (of: number) =>
      figures(await show(old, 'taxes', { rules: 'de', year: of })).filter((line) =>
        /^(Losses|Taxable|Disposals|Known)/.test(line),
      )
    expect(await year(2025)).toEqual([
      'Losses of earlier years, brought forward: 0',
      'Losses brought forward, used: 0',
      'Taxable gain: 0',
      'Losses to carry forward, none of them carried back: 1000',
      'Disposals without a known gain: 1',
      'Known proceeds of what has no known gain: 50000',
    ])
    expect(await year(2026)).toEqual([
      'Losses of earlier years, brought forward: 1000',
      'Losses brought forward, used: 1000',
      'Taxable gain: 1000',
      'Losses to carry forward, none of them carried back: 0',
    ])
    expect((await year(2027)).slice(0, 4)).toEqual([
      'Losses of earlier years, brought forward: 0',
      'Losses brought forward, used: unknown',
      'Taxable gain: unknown',
      'Losses to carry forward, none of them carried back: unknown',
    ])
  })

  test('what nobody knows when it was bought may have been held for less than a year', async () => {
    const sold = await book('EUR', ['a sell s1 2025-06-01 1 BTC 50000'])
    expect(figures(await show(sold, 'taxes', { rules: 'de', year: 2025 }))).toEqual(
      expect.arrayContaining(['Taxable gain: unknown', 'Disposals without a known gain: 1']),
    )
  })

  test('the limit was 600 until 2023', async () => {
    const books = await book('EUR', ['a buy a1 2023-01-01 1 BTC 1000', 'a sell v1 2023-12-31 1 BTC 1600'])
    expect(figures(await show(books, 'taxes', { rules: 'de', year: 2023 })).slice(3, 7)).toEqual([
      'Limit below which it is free: 600',
      'Losses of earlier years, brought forward: 0',
      'Losses brought forward, used: 0',
      'Taxable gain: 600',
    ])
  })

  test('days are Berlin’s: half past eleven at night in UTC is the next day', async () => {
    const books = await book('EUR', [
      'a buy a1 2024-06-30T22:30:00Z 1 BTC 100',
      'a sell v1 2025-07-01T21:59:59Z 0.5 BTC 100',
      'a sell v2 2025-07-01T22:00:00Z 0.5 BTC 100',
    ])
    const gains = await show(books, 'gains', { rules: 'de' })
    expect(cells(gains, 'disposal_id', 'holding_days', 'term')).toEqual(['v1 365 short', 'v2 366 long'])
  })
})

describe('ca', () => {
  test('IT-456R, paragraph 12, as a return: 75 of a loss of 100 denied', async () => {
    const books = await book('CAD', [
      'main buy b1 2023-01-01 50 X 500',
      'main sell s1 2024-01-10 20 X 100',
      'main buy b2 2024-01-20 15 X 90',
    ])
    expect(figures(await show(books, 'taxes', { rules: 'ca', year: 2024 }))).toEqual([
      'Proceeds of disposition: 100',
      'Adjusted cost base: 200',
      'Outlays and expenses (from dispositions): 0',
      'Superficial losses denied: 75',
      'Capital gain (or loss): -25',
      'Inclusion rate: 0.5',
      'Taxable capital gain (or allowable capital loss): -12.5',
      'Net capital losses of other years, left: 0',
      '25300 Net capital losses of other years, used: 0',
      'Net capital losses to carry forward, none of them carried back: 12.5',
      // The books have no disposals of these years.
      'Loss that could be carried back to 2023, at most: unknown',
      'Loss that could be carried back to 2022, at most: unknown',
      'Loss that could be carried back to 2021, at most: unknown',
    ])
    const gains = await show(books, 'gains', { rules: 'ca' })
    expect(cells(gains, 'denied_loss', 'gain', 'term', 'holding_days')).toEqual(['75 -25 - -'])
  })
})

describe('every return', () => {
  test('of a year after the books states that all but the income covered by imports is empty', async () => {
    const lines = ['main buy b1 2025-03-01 1 BTC 10000', 'main reward w1 2027-02-01 1 ETH 300']
    const dir = await book('EUR', lines, [
      runUntil('2026-04-07T02:00:00Z'),
      'drop view beginnings',
      `create view beginnings as select 'main' as account, 'BTC' as coin, timestamptz '2025-01-01 00:00:00+00' as begins_at,
        'venue' as source, cast(null as timestamptz) as last_at`,
    ])
    const taxes = async (year: number) => await show(dir, 'taxes', { rules: 'de', year })
    const told = ({ notes }: Shown) => notes.filter((note) => note.includes('not zero'))
    const first = await taxes(2027)
    expect(figures(first).slice(-4)).toEqual([
      'Gain or loss of what was held longer, free: unknown',
      'Income from rewards, interest and the like, at its value when received: 300',
      'Limit below which such income is free: 256',
      'Income from rewards, interest and the like, taxable: 300',
    ])
    expect(told(first)).toEqual([
      'This year begins after the books end, except for income: its other figures are empty, not zero. Run `tieout nightly` to extend the books, or import newer files if they are built from imports.',
    ])
    expect(told(await taxes(2028))).toEqual([
      'This year begins after the books end: its figures are empty, not zero. Run `tieout nightly` to extend the books, or import newer files if they are built from imports.',
    ])
  })

  test('coins repaid on a loan from before the books cannot be resolved by a price', async () => {
    const lines = ['main buy b1 2025-03-01 3 BTC 30000', 'main repay r1 2025-04-01 1 BTC']
    const told = async (more: readonly string[]) =>
      (await show(await book('USD', [...lines, ...more]), 'taxes', { rules: 'us', year: 2025 })).warnings
    const repaid =
      '1 piece repaid on a loan from before the books: nothing that can be imported shows what those coins were sold for. If they had been sold, calculate the result of that sale by hand; if not, there is none.'
    const lack = (pieces: string, has: string, coins: string) =>
      `INCOMPLETE: ${pieces} of disposals ${has} no known gain and ${has === 'has' ? 'is' : 'are'} excluded from the figures: ${coins} BTC (main). `
    expect(await told([])).toEqual([`${lack('1 of 1 piece', 'has', '1')}${repaid}`])
    // A loan of the books is given back without a disposal; a sale without a price wants one.
    expect(
      await told([
        'main borrow r2 2025-05-01 0.5 BTC',
        'main repay r3 2025-05-02 0.5 BTC',
        'main sell s1 2025-06-01 1 BTC',
      ]),
    ).toEqual([
      `${lack('2 of 2 pieces', 'have', '2')}1 piece without a price at that time: import prices (\`tieout import prices\`), or fetch them (\`tieout prices fetch\`). ${repaid}`,
    ])
  })

  /** 20 sold of which 5 were bought by anything that is known, 15 never; and 1 of another coin that nobody knows at all. */
  const partly = (currency: string) =>
    book(currency, [
      'main buy b1 2025-03-01 1 BTC 10000',
      'main buy b2 2025-03-01 5 XRP 300',
      'main sell s1 2025-06-01 1 BTC 9000',
      'main sell s2 2025-07-01 20 XRP 2000',
      'main sell s3 2025-07-02 1 ADA 40',
    ])
  /** Beside one disposal with a known loss. */
  const APART = [
    'Disposals without a known gain: 2 (Not in any other figure but REST)',
    'Known proceeds of what has no known gain: 1540 (Not in any other figure)',
  ]

  test.each([
    [
      'uk',
      'GBP',
      ['13.1 Number of disposals: 3', '13.2 Disposal proceeds: 9500', '13.3 Allowable costs: 10300'],
      ['13.4 Gains in the year, before losses: 200', '13.5 Losses in the year: 1000'],
      'Gains less losses of the year: -800',
      'the number of disposals and the known part of 1 of them',
    ],
    [
      'ca',
      'CAD',
      ['Proceeds of disposition: 9500', 'Adjusted cost base: 10300'],
      [],
      'Capital gain (or loss): -800',
      'the known part of 1 of them',
    ],
    [
      'us',
      'USD',
      [
        '3 Short-term, Form 8949 box I: proceeds (d): 9500',
        '3 Short-term, Form 8949 box I: cost or other basis (e): 10300',
      ],
      [],
      '3 Short-term, Form 8949 box I: gain or (loss) (h): -800',
      'the known part of 1 of them',
    ],
    [
      'de',
      'EUR',
      ['Proceeds of what was held up to one year: 9500', 'Costs of what was held up to one year: 10300'],
      [],
      'Gain or loss of what was held up to one year: -800',
      'the known part of 1 of them',
    ],
  ])(
    'under %s counts what is known of a disposal, as the gains report does',
    async (rules, currency, sums, parts, gain, rest) => {
      const books = await partly(currency)
      const taxes = await show(books, 'taxes', { rules, year: 2025 })
      expect(figures(taxes)).toEqual(expect.arrayContaining([...sums, ...parts, gain]))
      expect(
        taxes.rows
          .filter(({ figure }) => /known gain/.test(String(figure)))
          .map(({ figure, value, source }) => `${figure}: ${value} (${source})`),
      ).toEqual(APART.map((line) => line.replace('REST', rest)))
      expect(taxes.warnings[0]).toMatch(
        /^INCOMPLETE: 2 of 4 pieces of disposals have no known gain and are excluded from the figures: 1 ADA \(main\), 15 XRP \(main\)\./,
      )

      const gains = await show(books, 'gains', { rules, year: 2025 })
      expect(gains.totals.map((row) => [row[0], row[7], row[8], row[10]])).toEqual([
        ['total', '9500', '10300', '-800'],
        ['total without a known gain', '1540', null, null],
      ])
    },
  )

  test.each([
    [
      'us',
      'USD',
      '3 Short-term, Form 8949 box I: proceeds (d)',
      '3 Short-term, Form 8949 box I: cost or other basis (e)',
    ],
    ['de', 'EUR', 'Proceeds of what was held up to one year', 'Costs of what was held up to one year'],
  ])(
    'under %s has no cost of what was sold for nobody knows how much, though its term is known',
    async (rules, currency, proceeds, costs) => {
      const sold = await book(currency, [
        'main buy b1 2025-01-15 1 BTC 40000',
        'main sell s1 2025-06-01 0.5 BTC ?',
        'main sell s2 2025-06-02 0.5 BTC 30000',
      ])
      expect(figures(await show(sold, 'taxes', { rules, year: 2025 }))).toEqual(
        expect.arrayContaining([`${proceeds}: 30000`, `${costs}: 20000`]),
      )
    },
  )

  test('in a requested currency counts what is unknown also where nothing in the books has a value', async () => {
    const dir = await book('USD', ['main buy b1 2024-01-15 1 BTC ?', 'main sell s1 2024-06-01 1 BTC ?'])
    const asked = { year: 2024, currency: 'USD' }
    const taxes = await show(dir, 'taxes', { rules: 'us', ...asked })
    expect(figures(taxes)).toContain('Disposals without a known gain: 1')
    const incomplete = expect.stringMatching(/^INCOMPLETE: 1 of 1 piece of disposals has no known gain/)
    expect(taxes.warnings).toEqual([incomplete])
    expect((await show(dir, 'gains', { ...asked, method: 'fifo' })).warnings).toEqual([incomplete])
    const pnl = await show(dir, 'pnl', { ...asked, method: 'fifo' })
    expect([cells(pnl, 'realised_pnl', 'unknown_pieces'), pnl.warnings]).toEqual([['- 1'], [incomplete]])
    const compared = await show(dir, 'gains', { ...asked, methods: 'fifo,lifo' })
    expect(cells(compared, 'fifo_gain', 'fifo_unknown_pieces', 'lifo_unknown_pieces')).toEqual(['- 1 1'])
  })

  const books = book('USDT', ['main buy b1 2024-01-01 1 BTC 100', 'main sell s1 2024-06-01 1 BTC 5000'])

  test('in another currency than its own applies no limit and says so', async () => {
    const taxes = await show(await books, 'taxes', { rules: 'de', year: 2024 })
    expect(figures(taxes).slice(2, 7)).toEqual([
      'Gain or loss of what was held up to one year: 4900',
      'Limit below which it is free: unknown',
      'Losses of earlier years, brought forward: unknown',
      'Losses brought forward, used: unknown',
      'Taxable gain: unknown',
    ])
    expect(taxes.notes).toContainEqual(
      expect.stringContaining(
        'Gains and losses are in USDT but the return is in EUR: nothing is converted, and no limit in EUR is applied to them.',
      ),
    )
  })

  test('of a single account leaves the limits of the person empty', async () => {
    const euro = await book('EUR', ['a buy a1 2024-01-01 1 BTC 100', 'a sell v1 2024-06-01 1 BTC 5000'])
    const taxes = await show(euro, 'taxes', { rules: 'de', year: 2024, account: 'a' })
    expect(figures(taxes)).toContain('Taxable gain: unknown')
    expect(taxes.notes).toContain('Only one account: limits that apply per person are not applied.')
  })

  test.each([{ rules: 'generic', year: 2024 }, { rules: 'us' }])(
    'requested with %j is refused',
    async (options) => {
      await expect(show(await books, 'taxes', options)).rejects.toMatchObject({
        message: 'The figures of a return need a country and a tax year.',
        details: {
          expected: 'one of us, uk, de, ca, and the year in which the tax year begins',
          action: 'For example: `tieout report taxes --rules us --year 2025`.',
        },
      })
    },
  )

  test('the configured rules, method and scope apply if nothing else is requested', async () => {
    const defaults = { rules: 'us', method: 'lifo' }
    const notes = async (options: object) => (await show(await books, 'gains', options, defaults)).notes[0]
    expect(await notes({})).toContain('method lifo, scope universal, account from 2025, rules us.')
    expect(await notes({ rules: 'de' })).toContain('method fifo, scope account, rules de.')
  })
})
