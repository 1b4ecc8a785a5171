// Losses that wait for gains of later years, under each law, computed by hand; and what the configuration brings into them.
import { describe, expect, test } from 'vitest'
import { UsageError } from '../../models/error.ts'
import type { RulesName } from '../../pipeline/rules/catalogue.ts'
import type { OpeningLosses } from '../../pipeline/rules/figures.ts'
import { book, figures, show } from './books.ts'

/** The named figures of a year. */
async function year(
  dir: Promise<string>,
  rules: RulesName,
  of: number,
  names: RegExp,
  losses?: OpeningLosses,
): Promise<string[]> {
  const shown = await show(await dir, 'taxes', { rules, year: of }, losses === undefined ? {} : { losses })
  return figures(shown).filter((line) => names.test(line))
}

describe('us: the limit of 3,000 and the Capital Loss Carryover Worksheet', () => {
  const lines = /^(6|7|14|15|16|21) |carryover to/

  test('a short-term loss of 7,000: 3,000 are deducted, 4,000 are carried and meet the gains of the next year', async () => {
    const dir = book('USD', [
      'main buy b1 2024-01-10 1 BTC 20000',
      'main sell s1 2024-03-01 1 BTC 13000',
      'main buy b2 2024-02-01 2 ETH 4000',
      'main sell s2 2025-01-15 1 ETH 2500',
      'main sell s3 2025-06-01 1 ETH 3000',
    ])
    expect(await year(dir, 'us', 2024, lines)).toEqual([
      '6 Short-term capital loss carryover: 0',
      '7 Net short-term capital gain or (loss): -7000',
      '14 Long-term capital loss carryover: 0',
      '15 Net long-term capital gain or (loss): 0',
      '16 Lines 7 and 15 together: -7000',
      '21 Loss that is deducted from other income: -3000',
      'Short-term capital loss carryover to the next year: 4000',
      'Long-term capital loss carryover to the next year: 0',
    ])
    // Short-term 500 less 4,000, long-term 1,000: a loss of 2,500, all of it deducted.
    expect(await year(dir, 'us', 2025, lines)).toEqual([
      '6 Short-term capital loss carryover: -4000',
      '7 Net short-term capital gain or (loss): -3500',
      '14 Long-term capital loss carryover: 0',
      '15 Net long-term capital gain or (loss): 1000',
      '16 Lines 7 and 15 together: -2500',
      '21 Loss that is deducted from other income: -2500',
      'Short-term capital loss carryover to the next year: 0',
      'Long-term capital loss carryover to the next year: 0',
    ])
  })

  test.each([
    // The deduction takes the short-term loss of 1,000 first, then 2,000 of the long-term one.
    ['1000 of a short-term and 5000 of a long-term loss', '-1000', '-5000', '0', '3000'],
    // The short-term gain takes 2,000 of the long-term loss, the deduction 3,000.
    ['a short-term gain of 2000 and a long-term loss of 6000', '2000', '-6000', '0', '1000'],
    ['a short-term loss of 9000 and a long-term gain of 1000', '-9000', '1000', '5000', '0'],
    ['a loss below the limit', '-500', '-600', '0', '0'],
  ])('%s', async (_what, short, long, shortLeft, longLeft) => {
    const sold = (gain: string): string => String(10_000 + Number(gain))
    const dir = book('USD', [
      'main buy b1 2022-01-10 1 BTC 10000',
      'main buy b2 2024-01-10 1 ETH 10000',
      `main sell s1 2024-03-01 1 BTC ${sold(long)}`,
      `main sell s2 2024-03-02 1 ETH ${sold(short)}`,
    ])
    expect(await year(dir, 'us', 2024, /carryover to/)).toEqual([
      `Short-term capital loss carryover to the next year: ${shortLeft}`,
      `Long-term capital loss carryover to the next year: ${longLeft}`,
    ])
  })

  test('configured losses are brought into their year, and earlier years no longer count', async () => {
    const dir = book('USD', [
      'main buy b1 2024-01-10 1 BTC 20000',
      'main sell s1 2024-03-01 1 BTC 5000',
      'main buy b2 2025-01-10 1 BTC 1000',
      'main sell s2 2025-03-01 1 BTC 1200',
    ])
    const losses = { into: 2025, amount: '4000', longTerm: '1500' }
    expect(await year(dir, 'us', 2025, lines, losses)).toEqual([
      '6 Short-term capital loss carryover: -2500',
      '7 Net short-term capital gain or (loss): -2300',
      '14 Long-term capital loss carryover: -1500',
      '15 Net long-term capital gain or (loss): -1500',
      '16 Lines 7 and 15 together: -3800',
      '21 Loss that is deducted from other income: -3000',
      'Short-term capital loss carryover to the next year: 0',
      'Long-term capital loss carryover to the next year: 800',
    ])
    const { notes } = await show(await dir, 'taxes', { rules: 'us', year: 2025 }, { losses })
    expect(notes).toContain(
      'Losses brought into 2025 come from the configuration (4000); later losses come from the books.',
    )
  })
})

describe('uk: losses brought forward reduce gains only to the exempt amount', () => {
  const lines = /^(Losses (of earlier|brought|to carry)|Gains above|Gains less)/
  const dir = book('GBP', [
    'main buy b1 2014-05-01 1 BTC 2000',
    'main sell s1 2014-08-01 1 BTC 15000',
    'main buy b2 2015-05-01 1 BTC 3000',
    'main sell s2 2015-08-01 1 BTC 2000',
  ])
  const losses = { into: 2014, amount: '3500' }

  test('HMRC CG18202: gains of 13,000 use 2,000 of 3,500, and 1,500 are left', async () => {
    expect(await year(dir, 'uk', 2014, lines, losses)).toEqual([
      'Gains less losses of the year: 13000',
      'Losses of earlier years, brought forward: 3500',
      'Losses brought forward, used: 2000',
      'Gains above the annual exempt amount: 0',
      'Losses to carry forward: 1500',
    ])
  })

  test('a year of losses adds to them', async () => {
    expect(await year(dir, 'uk', 2015, lines, losses)).toEqual([
      'Gains less losses of the year: -1000',
      'Losses of earlier years, brought forward: 1500',
      'Losses brought forward, used: 0',
      'Gains above the annual exempt amount: 0',
      'Losses to carry forward: 2500',
    ])
  })
})

describe('the first year of the books is that of their first disposal', () => {
  test('uk: a loss of February is of the tax year that began in April before', async () => {
    const dir = book('GBP', [
      'main buy b1 2023-06-01 1 BTC 5000',
      'main sell s1 2024-02-01 1 BTC 3000',
      'main buy b2 2024-05-01 1 BTC 1000',
      'main sell s2 2024-09-01 1 BTC 6000',
    ])
    expect(await year(dir, 'uk', 2024, /^Losses of earlier/)).toEqual([
      'Losses of earlier years, brought forward: 2000',
    ])
  })

  test.each([
    ['2024-12-31T14:59:59Z', 2024],
    ['2024-12-31T15:00:00Z', 2025],
    ['2024-12-31T20:00:00Z', 2025],
  ])('us: in Tokyo %s is of %d', async (at, first) => {
    const dir = await book('USD', ['main buy b1 2024-06-01 1 BTC 5000', `main sell s1 ${at} 1 BTC 3000`])
    const { notes } = await show(dir, 'taxes', { rules: 'us', year: 2026 }, { timeZone: 'Asia/Tokyo' })
    expect(notes.filter((note) => note.startsWith('Losses brought forward come'))).toEqual([
      expect.stringContaining(`from the books since ${first}.`),
    ])
  })

  test('or that of an earlier sale of borrowed coins, under rules to which the sale is the disposal', async () => {
    const told = async (rules: RulesName, currency: string) => {
      const dir = await book(currency, [
        'main borrow l1 2024-05-01T09:00:00Z 1 BTC',
        'main sell s1 2024-05-01T10:00:00Z 1 BTC 300',
      ])
      const { notes } = await show(dir, 'taxes', { rules, year: 2025 })
      return notes.filter((note) => /^(Losses brought forward come|Borrowed coins sold in)/.test(note))
    }
    expect(await told('uk', 'GBP')).toEqual([
      expect.stringContaining('from the books since 2024-25.'),
      expect.stringMatching(/^Borrowed coins sold in 2024-25 and not bought back .*: 1 BTC for 300 GBP\./),
    ])
    expect(await told('us', 'USD')).toEqual([expect.stringContaining('from the books since 2025.')])
  })

  test('a return of an earlier year begins with its own', async () => {
    const dir = await book('USD', ['main buy b1 2024-06-01 1 BTC 5000', 'main sell s1 2024-07-01 1 BTC 3000'])
    const { notes } = await show(dir, 'taxes', { rules: 'us', year: 2020 })
    expect(notes.filter((note) => note.startsWith('Losses brought forward come'))).toEqual([
      expect.stringMatching(/from the books since 2020\..*losses: \{ into: 2020, amount/),
    ])
  })
})

describe('de: losses of private sales offset only gains of private sales', () => {
  const lines = /^(Losses|Taxable)/

  test('a gain below the limit is tax-free before they apply; from the limit on it uses them', async () => {
    const dir = book('EUR', [
      'a buy b1 2023-01-01 1 BTC 20000',
      'a sell s1 2023-06-01 1 BTC 15000',
      'a buy b2 2024-01-01 1 BTC 20000',
      'a sell s2 2024-06-01 1 BTC 20900',
      'a buy b3 2025-01-01 1 BTC 20000',
      'a sell s3 2025-06-01 1 BTC 21500',
    ])
    expect(await year(dir, 'de', 2023, lines)).toEqual([
      'Losses of earlier years, brought forward: 0',
      'Losses brought forward, used: 0',
      'Taxable gain: 0',
      'Losses to carry forward, none of them carried back: 5000',
    ])
    expect(await year(dir, 'de', 2024, lines)).toEqual([
      'Losses of earlier years, brought forward: 5000',
      'Losses brought forward, used: 0',
      'Taxable gain: 0',
      'Losses to carry forward, none of them carried back: 5000',
    ])
    expect(await year(dir, 'de', 2025, lines)).toEqual([
      'Losses of earlier years, brought forward: 5000',
      'Losses brought forward, used: 1500',
      'Taxable gain: 0',
      'Losses to carry forward, none of them carried back: 3500',
    ])
  })

  test('above a million they offset 70 hundredths of the gain in 2025', async () => {
    const dir = book('EUR', ['a buy b1 2025-01-01 1 BTC 500000', 'a sell s1 2025-06-01 1 BTC 2000000'])
    expect(await year(dir, 'de', 2025, lines, { into: 2025, amount: '1600000' })).toEqual([
      'Losses of earlier years, brought forward: 1600000',
      'Losses brought forward, used: 1350000',
      'Taxable gain: 150000',
      'Losses to carry forward, none of them carried back: 250000',
    ])
  })

  test('a loss on what was held for longer than a year carries nothing forward', async () => {
    const dir = book('EUR', ['a buy b1 2022-01-01 1 BTC 20000', 'a sell s1 2024-06-01 1 BTC 5000'])
    expect(await year(dir, 'de', 2024, /carry/)).toEqual([
      'Losses to carry forward, none of them carried back: 0',
    ])
  })
})

test('ca: allowable losses offset the taxable gains of later years', async () => {
  const dir = book('CAD', [
    'main buy b1 2023-01-10 1 BTC 5000',
    'main sell s1 2023-06-01 1 BTC 4000',
    'main buy b2 2024-01-10 1 BTC 5000',
    'main sell s2 2024-06-01 1 BTC 5600',
  ])
  expect(await year(dir, 'ca', 2024, /Taxable|other years|carry/)).toEqual([
    'Taxable capital gain (or allowable capital loss): 300',
    'Net capital losses of other years, left: 500',
    '25300 Net capital losses of other years, used: 300',
    'Net capital losses to carry forward, none of them carried back: 200',
  ])
})

describe('losses that are unknown', () => {
  const dir = book('USD', [
    'main sell s0 2023-03-01 1 BTC 13000',
    'main buy b1 2024-01-10 1 BTC 20000',
    'main sell s1 2024-03-01 1 BTC 13000',
  ])

  test('are empty after a year with a disposal of unknown gain, and the report begins with the reason', async () => {
    const shown = await show(await dir, 'taxes', { rules: 'us', year: 2024 })
    expect(figures(shown).filter((line) => line.includes('carryover'))).toEqual([
      '6 Short-term capital loss carryover: unknown',
      '14 Long-term capital loss carryover: unknown',
      'Short-term capital loss carryover to the next year: unknown',
      'Long-term capital loss carryover to the next year: unknown',
    ])
    expect(shown.warnings).toEqual([
      expect.stringMatching(
        /^INCOMPLETE: losses carried forward from 2023 are not known, because 1 disposal in 2023 has a gain that is not known, in whole or in part/,
      ),
    ])
  })

  test('are replaced by configured ones', async () => {
    expect(await year(dir, 'us', 2024, /^6 /, { into: 2024, amount: '100' })).toEqual([
      '6 Short-term capital loss carryover: -100',
    ])
  })

  test('those of a person are unknown in the return of a single account', async () => {
    const shown = await show(await dir, 'taxes', { rules: 'us', year: 2024, account: 'main' })
    expect(figures(shown)).toContain('6 Short-term capital loss carryover: unknown')
    // Also if the losses of the account are known, since those of the person's other accounts are not among them.
    const known = await book('USD', [
      'main buy b1 2023-02-01 1 BTC 9000',
      'main sell s1 2023-03-01 1 BTC 1000',
    ])
    const all = await show(known, 'taxes', { rules: 'us', year: 2024 })
    const one = await show(known, 'taxes', { rules: 'us', year: 2024, account: 'main' })
    // 8,000, of which 3,000 were deducted in 2023.
    expect(figures(all)).toContain('6 Short-term capital loss carryover: -5000')
    expect(figures(one)).toContain('6 Short-term capital loss carryover: unknown')
    expect(all.notes.join('\n')).toContain('Losses brought forward come from the books since 2023.')
    expect(one.notes.join('\n')).not.toContain('Losses brought forward')
  })

  test('a long-term part is refused under de, where losses on what was held longer do not count', async () => {
    const de = await book('EUR', ['main buy b1 2024-02-01 1 BTC 100', 'main sell s1 2024-06-03 1 BTC 5100'])
    const losses = { into: 2024, amount: '4000', longTerm: '1500' }
    await expect(show(de, 'taxes', { rules: 'de', year: 2024 }, { losses })).rejects.toMatchObject({
      message: 'The configured losses do not fit the rules.',
      details: { expected: 'none: under the rules de no long-term loss is carried forward', found: '1500' },
    })
  })

  test('a long-term part under rules without terms is refused', async () => {
    const uk = await book('GBP', ['main buy b1 2024-05-01 1 BTC 100'])
    const losses = { into: 2024, amount: '100', longTerm: '50' }
    await expect(show(uk, 'taxes', { rules: 'uk', year: 2024 }, { losses })).rejects.toThrow(UsageError)
  })
})

test('configured losses come from returns under the configured rules: like the configured method, they do not apply under others', async () => {
  const dir = await book('EUR', ['main buy b1 2024-02-01 1 BTC 20000', 'main sell s1 2024-06-03 1 BTC 31000'])
  const losses: OpeningLosses = { into: 2024, amount: '5000' }
  const returned = async (rules?: RulesName, method?: string) =>
    await show(dir, 'taxes', { rules: 'de', year: 2024 }, { rules, method, losses })
  const saidOf = (rules: RulesName) =>
    `The losses in the configuration come from returns under ${rules} rules and are not included in any figure here.`
  const said = saidOf('us')

  const other = await returned('us')
  expect(figures(other).filter((line) => /brought forward|Taxable/.test(line))).toEqual([
    'Losses of earlier years, brought forward: 0',
    'Losses brought forward, used: 0',
    'Taxable gain: 11000',
  ])
  expect(other.notes).toContain(said)
  // What is to be configured are those of these rules, with them.
  expect(other.notes.filter((note) => note.includes('Enter earlier losses in the configuration'))).toEqual([
    expect.stringContaining('`reports: { rules: de, losses: { into: 2024, amount: … } }`'),
  ])
  // A method that bears the name of rules implies them.
  const implied = await returned(undefined, 'uk')
  expect(figures(implied)).toContain('Taxable gain: 11000')
  expect(implied.notes).toContain(saidOf('uk'))

  // Where none with returns are configured, they are of those that are asked for.
  for (const own of [await returned('de'), await returned('generic'), await returned()]) {
    expect(figures(own)).toContain('Taxable gain: 6000')
    expect(own.notes).not.toContain(said)
  }
})
