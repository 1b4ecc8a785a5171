// The rules by themselves: terms on the days around a year, tax years in their zones, what a schedule may say, limits.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { packageRoot } from '../../pipeline/config/root.ts'
import { dateText, dayNumber, startOfDay, startOfYear, yearLabel } from '../../pipeline/rules/calendar.ts'
import { carryBackOptions } from '../../pipeline/rules/carry-back.ts'
import { calendarOf, laws, rulesList, rulesNames } from '../../pipeline/rules/catalogue.ts'
import type { YearTotals } from '../../pipeline/rules/figures.ts'
import { limitsOf } from '../../pipeline/rules/limits.ts'
import { inYear, parseSchedule, showSchedule } from '../../pipeline/rules/schedule.ts'

const day = (text: string): number => Date.parse(text) / 86_400_000

describe('the first day of a long term', () => {
  const firstLong = (rules: 'us' | 'de', acquired: string): string => {
    const from = day(acquired)
    let at = from
    while (laws[rules].termOf?.(from, at) !== 'long') at += 1
    return dateText(at)
  }

  // Rev. Rul. 66-7 counts from the day after; § 188 BGB to the end of the same date a year later.
  test.each([
    ['2023-06-15', '2024-06-16', '2024-06-16'],
    ['2024-12-31', '2026-01-01', '2026-01-01'],
    ['2024-02-28', '2025-03-01', '2025-03-01'],
    ['2024-02-29', '2025-03-01', '2025-03-01'],
    ['2023-02-28', '2024-03-01', '2024-02-29'],
    ['2023-03-01', '2024-03-02', '2024-03-02'],
    ['2024-04-30', '2025-05-01', '2025-05-01'],
  ])('of what was acquired on %s is %s under us and %s under de', (acquired, us, de) => {
    expect(firstLong('us', acquired)).toBe(us)
    expect(firstLong('de', acquired)).toBe(de)
  })

  test('once long, a term stays long', () => {
    fc.assert(
      fc.property(fc.integer({ min: 14_000, max: 40_000 }), fc.integer({ min: 0, max: 800 }), (at, held) => {
        for (const { termOf } of [laws.us, laws.de])
          if (termOf?.(at, at + held) === 'long') expect(termOf(at, at + held + 1)).toBe('long')
      }),
    )
  })
})

describe('a tax year', () => {
  const starts = (rules: keyof typeof laws, year: number, zone?: string): string =>
    new Date(startOfYear(calendarOf(laws[rules], zone), year)).toISOString()

  test('begins at midnight in the zone of the rules', () => {
    expect(starts('generic', 2025, 'Asia/Tokyo')).toBe('2025-01-01T00:00:00.000Z')
    expect(starts('us', 2025, 'America/New_York')).toBe('2025-01-01T05:00:00.000Z')
    expect(starts('us', 2025)).toBe('2025-01-01T00:00:00.000Z')
    expect(starts('uk', 2025)).toBe('2025-04-05T23:00:00.000Z')
    expect(starts('de', 2025)).toBe('2024-12-31T23:00:00.000Z')
    expect(starts('ca', 2025, 'America/St_Johns')).toBe('2025-01-01T03:30:00.000Z')
  })

  test('is named after the year in which it begins', () => {
    expect(yearLabel(calendarOf(laws.uk), 1999)).toBe('1999-00')
    expect(yearLabel(calendarOf(laws.uk), 2024)).toBe('2024-25')
    expect(yearLabel(calendarOf(laws.de), 2024)).toBe('2024')
  })

  test('finds midnight on both sides of a change of clocks', () => {
    expect(new Date(startOfDay(dayNumber(2024, 3, 31), 'Europe/London')).toISOString()).toBe(
      '2024-03-31T00:00:00.000Z',
    )
    expect(new Date(startOfDay(dayNumber(2024, 4, 1), 'Europe/London')).toISOString()).toBe(
      '2024-03-31T23:00:00.000Z',
    )
  })
})

describe('a schedule', () => {
  const known = ['fifo', 'lifo', 'hifo']

  test('states what applies in each year', () => {
    const schedule = parseSchedule('--method', 'fifo,2024:lifo,2026:hifo', known)
    expect([null, 2023, 2024, 2025, 2026, 2030].map((year) => inYear(schedule, year))).toEqual([
      'fifo',
      'fifo',
      'lifo',
      'lifo',
      'hifo',
      'hifo',
    ])
    expect(showSchedule(schedule)).toBe('fifo, lifo from 2024, hifo from 2026')
  })

  test.each(['2024:fifo', 'fifo,lifo', 'fifo,2025:lifo,2025:hifo', 'fifo,2025:lifo,2024:hifo'])(
    '%s does not state what applies when',
    (text) => {
      expect(() => parseSchedule('--method', text, known)).toThrow(
        '--method does not state clearly what applies from when.',
      )
    },
  )

  test.each(['', 'best', 'fifo,', 'fifo,25:lifo'])('%j names what is unknown', (text) => {
    expect(() => parseSchedule('--method', text, known)).toThrow('Unknown --method: ')
  })
})

describe('limits', () => {
  const units = (amount: number): bigint => BigInt(amount) * 10n ** 18n

  test('apply from their year to the next one', () => {
    const uk = limitsOf('uk')
    expect([2019, 2020, 2022, 2023, 2024, 2025].map((year) => uk('annual_exempt_amount', year))).toEqual(
      [12_000, 12_300, 12_300, 6_000, 3_000, 3_000].map(units),
    )
    const de = limitsOf('de')
    expect([2023, 2024].map((year) => de('limit', year))).toEqual([600, 1_000].map(units))
    expect(limitsOf('ca')('inclusion_rate', 2024)).toBe(units(1) / 2n)
  })

  test('of a year that is not in the table are unknown', () => {
    expect(limitsOf('uk')('annual_exempt_amount', 2008)).toBeNull()
    expect(limitsOf('us')('limit', 2025)).toBeNull()
  })
})

describe('what of a loss could be carried back', () => {
  /** The years before 2024, nearest first, and what each could take. */
  const options = (
    loss: bigint | null,
    rooms: readonly (bigint | null)[],
    { isNearestFirst = true, most }: { isNearestFirst?: boolean; most?: bigint | null } = {},
  ) => {
    const of = {
      ...{ years: 'years', most: most === undefined ? null : 'most', isNearestFirst },
      ...{ lossOf: () => loss, roomIn: () => null, form: '', source: '', note: '' },
    }
    const limit = (name: string) => (name === 'years' ? BigInt(rooms.length) * 10n ** 18n : (most ?? null))
    const found = carryBackOptions(
      of,
      { year: 2024 } as YearTotals,
      limit,
      (year) => rooms[2023 - year] ?? null,
    )
    expect(found.map(({ year }) => year)).toEqual(rooms.slice(0, found.length).map((_, at) => 2023 - at))
    return found.map(({ amount }) => amount)
  }

  test('is taken by the nearest year first, and the rest by those before it', () => {
    expect(options(100n, [30n, 50n, 80n])).toEqual([30n, 50n, 20n])
    expect(options(100n, [150n, 50n])).toEqual([100n, 0n])
    expect(options(100n, [-30n, 50n])).toEqual([0n, 50n])
  })

  test('is not known from a year on of which it is not known how much it takes', () => {
    expect(options(100n, [30n, null, 80n])).toEqual([30n, null, null])
  })

  test('is up to all of it for each year where the taxpayer chooses', () => {
    const isFree = { isNearestFirst: false }
    expect(options(100n, [30n, 150n, -5n, null, 80n], isFree)).toEqual([30n, 100n, 0n, null, 80n])
  })

  test('is no more than the law allows, and not known where that is not known', () => {
    expect(options(100n, [30n, 50n], { most: 40n })).toEqual([30n, 10n])
    expect(options(100n, [30n, 50n], { most: 400n })).toEqual([30n, 50n])
    expect(options(100n, [30n, 50n], { most: null })).toEqual([null, null])
  })

  test('is nothing without a loss, or if it is not known', () => {
    expect([0n, -1n, null].map((loss) => options(loss, [30n]))).toEqual([[], [], []])
  })
})

describe('the catalogue of rules', () => {
  const pages = join(packageRoot, 'docs', 'rules')

  test('has a page for each, with a worked example, and no page without rules', () => {
    expect(readdirSync(pages).sort()).toEqual(rulesNames.map((name) => `${name}.md`).sort())
    const bare = rulesNames.filter(
      (name) => !/^## Worked example/m.test(readFileSync(join(pages, `${name}.md`), 'utf8')),
    )
    expect(bare).toEqual([])
  })

  test('names each by its key, and only those have limits', () => {
    expect(Object.entries(laws).filter(([name, law]) => law.name !== name)).toEqual([])
    const [, ...rows] = readFileSync(join(packageRoot, 'data/rules.csv'), 'utf8').trim().split('\n')
    const known: readonly string[] = rulesNames
    expect(rows.filter((row) => !known.includes(row.split(',')[0] ?? ''))).toEqual([])
  })

  test('is the only list of them: no source and no page repeats it', () => {
    expect(rulesList).toMatch(/^generic, .* or \w+$/)
    const countries = rulesNames.filter((name) => name !== 'generic')
    const repeated = new RegExp(
      `\\b(${countries.join('|')}),( or)? (${countries.join('|')}),? or (${countries.join('|')})\\b`,
    )
    const files = ['pipeline', 'docs'].flatMap((folder) =>
      readdirSync(join(packageRoot, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.(ts|md)$/.test(name))
        .map((name) => join(folder, name)),
    )
    expect(files.filter((file) => repeated.test(readFileSync(join(packageRoot, file), 'utf8')))).toEqual([])
  })
})
