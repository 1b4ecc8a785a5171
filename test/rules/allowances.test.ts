// Income that a limit or an allowance leaves free, and losses that could go back to earlier years: figures by hand.
import { describe, expect, test } from 'vitest'
import type { ReportDefaults } from '../../pipeline/reports/catalogue.ts'
import type { RulesName } from '../../pipeline/rules/catalogue.ts'
import { book, figures, show } from './books.ts'

async function year(dir: Promise<string>, rules: RulesName, of: number, names: RegExp): Promise<string[]> {
  return figures(await show(await dir, 'taxes', { rules, year: of })).filter((line) => names.test(line))
}

describe('de: the limit of § 22 Nr. 3 EStG', () => {
  const lines = [
    'main buy b1 2023-01-10 1 BTC 1000',
    'main reward r1 2024-02-01 0.1 ETH 200',
    'main interest i1 2024-06-01 1 USDT 55.99',
    // Interest that was paid takes nothing off.
    'main interest p1 2024-07-01 -9 USDT -9',
    // Half an hour before midnight in Berlin, and half an hour after.
    'main reward r2 2025-12-31T22:30:00Z 1 ETH 256',
    'main reward r3 2025-12-31T23:30:00Z 1 ETH 0.01',
    'main reward r4 2027-01-10 1 XYZ ?',
    'main reward r5 2027-01-11 1 ETH 10',
  ]
  // A debt that was waived is no income of this kind; what the user's own kinds.csv calls income is.
  const dir = book('EUR', lines, [
    "insert into income values ('a1', 'main', 'SPOT', 'USDT', 50, 'adjustment', '2024-08-01 12:00:00+00', 50, 'EUR')",
    "insert into income values ('a2', 'main', 'SPOT', 'USDT', 7, 'mining', '2022-08-01 12:00:00+00', 7, 'EUR')",
  ])

  test('a kind that the user added counts', async () => {
    expect(await year(dir, 'de', 2022, /at its value/)).toEqual([
      'Income from rewards, interest and the like, at its value when received: 7',
    ])
  })

  test('below 256 all of the year’s income is free', async () => {
    expect(await year(dir, 'de', 2024, /ncome/)).toEqual([
      'Income from rewards, interest and the like, at its value when received: 255.99',
      'Limit below which such income is free: 256',
      'Income from rewards, interest and the like, taxable: 0',
    ])
  })

  test('from 256 on all of it is taxable, by the days of Berlin', async () => {
    expect(await year(dir, 'de', 2025, /taxable$|like, taxable/)).toEqual([
      'Income from rewards, interest and the like, taxable: 256',
    ])
    expect(await year(dir, 'de', 2026, /like, /)).toEqual([
      'Income from rewards, interest and the like, at its value when received: 0.01',
      'Income from rewards, interest and the like, taxable: 0',
    ])
  })

  test('a receipt without a value makes it unknown, and the report begins with that', async () => {
    expect(await year(dir, 'de', 2027, /like/)).toEqual([
      'Income from rewards, interest and the like, at its value when received: unknown',
      'Income from rewards, interest and the like, taxable: unknown',
      'Income from rewards, interest and the like without a known value: 1',
    ])
    const { warnings } = await show(await dir, 'taxes', { rules: 'de', year: 2027 })
    expect(warnings).toEqual([
      expect.stringMatching(/^INCOMPLETE: 1 of 2 receipts of income has no known value/),
    ])
  })

  test('is not applied to a single account, nor to another currency', async () => {
    const one = await show(await dir, 'taxes', { rules: 'de', year: 2024, account: 'main' })
    expect(figures(one)).toContain('Income from rewards, interest and the like, taxable: unknown')
    const usd = book('USD', ['main buy b1 2023-01-10 1 BTC 1000', 'main reward r1 2024-02-01 0.1 ETH 200'])
    const shown = await show(await usd, 'taxes', { rules: 'de', year: 2024 })
    expect(figures(shown).filter((line) => /like/.test(line))).toEqual([
      'Income from rewards, interest and the like, at its value when received: unknown',
      'Income from rewards, interest and the like, taxable: unknown',
    ])
    expect(shown.notes.join('\n')).toContain('Income is valued in USD but the return is in EUR')
  })

  test('is applied to nothing in a year without income, which is in no currency', async () => {
    const none = await show(await dir, 'taxes', { rules: 'de', year: 2023 })
    expect(figures(none).filter((line) => /ncome/.test(line))).toEqual([
      'Income from rewards, interest and the like, at its value when received: 0',
      'Limit below which such income is free: 256',
      'Income from rewards, interest and the like, taxable: 0',
    ])
    expect(none.notes.join('\n')).not.toContain('Income is valued in')
  })
})

describe('uk: the trading and miscellaneous income allowance', () => {
  const dir = book('GBP', [
    'main buy b1 2016-01-10 1 BTC 100',
    'main reward r0 2017-04-05 1 ETH 40',
    'main reward r1 2024-05-01 1 ETH 1000',
    'main reward r2 2025-04-05 1 ETH 0.5',
    'main reward r3 2025-04-07 1 ETH 999',
  ])

  test('deducts 1,000 from a tax year from 6 April on, and no more than there is', async () => {
    expect(await year(dir, 'uk', 2024, /[Mm]iscellaneous/)).toEqual([
      'Miscellaneous income from rewards, interest and the like, at its value when received: 1000.5',
      'Trading and miscellaneous income allowance: 1000',
      '17 Miscellaneous income from rewards, interest and the like, taxable: 0.5',
    ])
    expect(await year(dir, 'uk', 2025, /taxable$|like, taxable/)).toEqual([
      '17 Miscellaneous income from rewards, interest and the like, taxable: 0',
    ])
  })

  test('did not exist before 6 April 2017', async () => {
    expect(await year(dir, 'uk', 2016, /like, taxable/)).toEqual([
      '17 Miscellaneous income from rewards, interest and the like, taxable: 40',
    ])
  })
})

describe('a loss that could be carried back', () => {
  const lines = /carried back to|Losses to carry|Net capital losses to carry/

  test('de: to the year before first, the rest to the one before that, and never automatically', async () => {
    const dir = book('EUR', [
      'a buy b0 2021-01-01 1 BTC 1000',
      'a sell s0 2021-06-01 1 BTC 9000',
      'a buy b1 2022-01-01 1 BTC 1000',
      'a sell s1 2022-06-01 1 BTC 3000',
      // Below the limit of 600: free, and so no room for a loss.
      'a buy b2 2023-01-01 1 BTC 1000',
      'a sell s2 2023-06-01 1 BTC 1500',
      'a buy b3 2024-01-01 1 BTC 9000',
      'a sell s3 2024-06-01 1 BTC 2000',
    ])
    expect(await year(dir, 'de', 2024, lines)).toEqual([
      'Losses to carry forward, none of them carried back: 7000',
      'Loss that could be carried back to 2023: 0',
      'Loss that could be carried back to 2022: 2000',
    ])
    const { notes } = await show(await dir, 'taxes', { rules: 'de', year: 2024 })
    expect(notes.join('\n')).toContain('The tax office carries a loss back unless the carry-back is waived')
    // A year without a loss says nothing of it.
    expect(await year(dir, 'de', 2022, /carried back to/)).toEqual([])
  })

  test('de: and a later year that brings it forward states that some of it may be gone', async () => {
    const dir = await book('EUR', [
      'a buy b1 2022-01-01 1 BTC 1000',
      'a sell s1 2022-06-01 1 BTC 3000',
      'a buy b3 2024-01-01 1 BTC 9000',
      'a sell s3 2024-06-01 1 BTC 2000',
      'a buy b4 2025-01-01 1 BTC 1000',
      'a sell s4 2025-06-01 1 BTC 7000',
      'a buy b5 2026-01-01 1 BTC 1000',
      'a sell s5 2026-06-01 1 BTC 3000',
    ])
    const told = async (of: number, defaults: ReportDefaults = {}) =>
      (await show(dir, 'taxes', { rules: 'de', year: of }, defaults)).notes.filter((note) =>
        /carries a loss back|brought forward in full/.test(note),
      )
    // 7,000 are brought into 2025, or 5,000 where 2,000 went back to 2022: a gain of 6,000 is then taxable by 1,000.
    expect(await year(Promise.resolve(dir), 'de', 2025, /^Losses brought|^Taxable/)).toEqual([
      'Losses brought forward, used: 6000',
      'Taxable gain: 0',
    ])
    expect(await told(2025)).toEqual([
      'The loss of 2024 is brought forward in full, although some of it could have been carried back: 2022 could take 2000 EUR.',
      expect.stringContaining('The tax office carries a loss back unless the carry-back is waived'),
    ])
    // What is configured is what was left; of a loss that is used up nothing is to be said.
    expect(await told(2025, { losses: { into: 2025, amount: '5000' } })).toEqual([])
    expect(await told(2027)).toEqual([])
  })

  test('de: of a loss that later years leave unknown, nothing is brought forward, and nothing is said of it', async () => {
    const dir = await book('EUR', [
      'a buy b1 2022-01-01 1 BTC 1000',
      'a sell s1 2022-06-01 1 BTC 3000',
      'a buy b2 2023-01-01 1 BTC 9000',
      'a sell s2 2023-06-01 1 BTC 2000',
      'a sell s3 2024-06-01 1 BTC 2000',
    ])
    const notes = async (of: number) =>
      (await show(dir, 'taxes', { rules: 'de', year: of })).notes.filter((note) =>
        /carries a loss back|brought forward in full/.test(note),
      )
    expect(await notes(2024)).toHaveLength(2)
    expect(await notes(2025)).toEqual([])
  })

  test('de: until 2021 to one year only, and against gains that the year’s own carried losses left', async () => {
    const dir = book('EUR', [
      'a buy b0 2019-01-01 1 BTC 5000',
      'a sell s0 2019-06-01 1 BTC 4000',
      'a buy b1 2020-01-01 1 BTC 1000',
      'a sell s1 2020-06-01 1 BTC 6000',
      'a buy b2 2021-01-01 1 BTC 9000',
      'a sell s2 2021-06-01 1 BTC 2000',
    ])
    // 5,000 less the 1,000 of 2019.
    expect(await year(dir, 'de', 2021, lines)).toEqual([
      'Losses to carry forward, none of them carried back: 7000',
      'Loss that could be carried back to 2020: 4000',
    ])
  })

  test('de: what the nearer year cannot absorb, and no more, goes to the one before it', async () => {
    const dir = book('EUR', [
      'a buy b1 2023-01-01 1 BTC 1000',
      'a sell s1 2023-06-01 1 BTC 2500',
      'a buy b2 2024-01-01 1 BTC 1000',
      'a sell s2 2024-06-01 1 BTC 3000',
      'a buy b3 2025-01-01 1 BTC 5000',
      'a sell s3 2025-06-01 1 BTC 2000',
    ])
    // Of a loss of 3,000: all of the 2,000 of 2024, and 1,000 of the 1,500 of 2023.
    expect(await year(dir, 'de', 2025, lines)).toEqual([
      'Losses to carry forward, none of them carried back: 3000',
      'Loss that could be carried back to 2024: 2000',
      'Loss that could be carried back to 2023: 1000',
    ])
  })

  test('ca: to three years, as allowable losses, at the taxpayer’s choice; before the books it is unknown', async () => {
    const dir = book('CAD', [
      'main buy b1 2022-01-10 1 BTC 5000',
      'main sell s1 2022-06-01 1 BTC 5600',
      'main buy b2 2023-01-10 1 BTC 5000',
      'main sell s2 2023-06-01 1 BTC 9000',
      'main buy b3 2024-01-10 1 BTC 5000',
      'main sell s3 2024-06-01 1 BTC 2000',
    ])
    // A loss of 3,000: 1,500 allowable. Taxable gains were 300 and 2,000.
    expect(await year(dir, 'ca', 2024, lines)).toEqual([
      'Net capital losses to carry forward, none of them carried back: 1500',
      'Loss that could be carried back to 2023, at most: 1500',
      'Loss that could be carried back to 2022, at most: 300',
      'Loss that could be carried back to 2021, at most: unknown',
    ])
  })

  test.each(['us', 'uk'] as const)('%s: there is none', async (rules) => {
    const currency = rules === 'us' ? 'USD' : 'GBP'
    const dir = book(currency, [
      'main buy b1 2022-05-10 1 BTC 5000',
      'main sell s1 2022-06-01 1 BTC 9000',
      'main buy b2 2024-05-10 1 BTC 5000',
      'main sell s2 2024-06-01 1 BTC 2000',
    ])
    expect(await year(dir, rules, 2024, /back/)).toEqual([])
  })
})

test.each([
  ['us', 'USD'],
  ['ca', 'CAD'],
] as const)('%s: a return without income figures states what was received', async (rules, currency) => {
  const dir = await book(currency, [
    'main buy b1 2023-01-10 1 BTC 1000',
    'main reward r1 2024-02-01 0.1 ETH 200',
    'main interest i1 2024-06-01 1 USDT 55.99',
    'main interest p1 2024-07-01 -9 USDT -9',
    'main reward r2 2024-08-01 1 XYZ ?',
    'main reward r3 2025-08-01 1 ETH 3',
    'main reward r4 2026-08-01 1 XYZ ?',
  ])
  const told = async (of: number) =>
    (await show(dir, 'taxes', { rules, year: of })).notes.filter((note) => note.startsWith('Income'))
  const begin = `Income from rewards, interest and the like is not included in any figure under ${rules} rules:`
  expect(await told(2023)).toEqual([])
  expect(await told(2024)).toEqual([
    `${begin} 2 receipts, worth 255.99 ${currency} when received; 1 receipt of unknown value (\`report income\` lists them).`,
  ])
  expect(await told(2025)).toEqual([
    `${begin} 1 receipt, worth 3 ${currency} when received (\`report income\` lists it).`,
  ])
  expect(await told(2026)).toEqual([`${begin} 1 receipt of unknown value (\`report income\` lists it).`])
})
