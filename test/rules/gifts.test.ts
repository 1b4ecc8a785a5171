// Gifts: received ones under laws that give them the day and the cost of the giver, whom no import of a receipt tells, and given
// ones under laws to which they are disposals, whoever received them.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openLedger } from '../../pipeline/ledger/ledger.ts'
import { makeReport, type ReportOptions } from '../../pipeline/reports/catalogue.ts'
import type { RulesName } from '../../pipeline/rules/catalogue.ts'
import { ImportedBooks } from '../support/imports.ts'
import { book, show } from './books.ts'

/** What the reports of gains and of taxes read. */
const MADE = [
  ...['disposals', 'lot_events', 'imported_trades', 'imported_entries', 'imported_lots', 'imports'],
  ...['entries', 'income', 'beginnings', 'runs'],
]

let books: ImportedBooks
beforeEach(() => {
  books = new ImportedBooks({}, { only: MADE })
})
afterEach(() => books.close())

/** What reports under the rules say of gifts: all of them the same. */
async function told(rules: RulesName, options: ReportOptions): Promise<string[]> {
  const ledger = await openLedger(books.dir)
  try {
    const reports = [
      await makeReport(ledger, 'gains', { rules, ...options }),
      await makeReport(ledger, 'taxes', { rules, ...options }),
      ...(rules === 'us' ? [await makeReport(ledger, 'form-8949', options)] : []),
    ]
    const [ofGains = [], ...ofOthers] = reports.map(({ notes }) =>
      notes.filter((note) => note.includes('gift')),
    )
    for (const ofOther of ofOthers) expect(ofOther).toEqual(ofGains)
    return ofGains
  } finally {
    ledger.close()
  }
}

test('an opening lot states the giver’s day and cost; for gift_in reports say that it does not', async () => {
  await books.lots('lot1,2023-01-01T12:00:00Z,main,BTC,1,15000,EUR')
  await books.trades(
    'g1,2024-06-01T12:00:00Z,main,gift_in,ETH,2,EUR,6000,,',
    's1,2025-01-10T12:00:00Z,main,sell,BTC,1,EUR,90000,,',
    's2,2025-01-10T12:00:00Z,main,sell,ETH,1,EUR,3500,,',
  )
  const gains = await books.report('gains', { rules: 'de' })
  // 740 days after the giver bought it, and 223 after the other was received.
  expect(gains.map(({ lot_id, term, gain }) => [lot_id, term, String(gain)])).toEqual([
    ['lot1', 'long', '75000'],
    ['g1', 'short', '500'],
  ])

  expect(await told('de', { year: 2025 })).toEqual([
    '1 piece of disposals is of coins received as a gift (gift_in), with the day and the value of receipt. Under de rules the giver’s day and cost count (§ 23 Abs. 1 Satz 3 EStG): import such coins as opening lots with these instead of as gift_in; both together would count them twice (`tieout import --undo ID`, then import the file without that row).',
  ])
  expect(await told('us', { year: 2025 })).toEqual([expect.stringContaining('(IRC §§ 1015, 1223(2))')])
  expect(await told('de', { year: 2024 })).toEqual([])
  expect(await told('uk', { year: 2024 })).toEqual([])
  // Rules that know no giver say nothing, though the piece has its lot.
  const ledger = await openLedger(books.dir)
  const generic = await makeReport(ledger, 'gains', { year: 2025, rules: 'generic' })
  expect(generic.notes.filter((note) => note.includes('gift'))).toEqual([])
  ledger.close()
})

test('a gift that is a disposal counts whoever received it, and reports name the recipients for whom it would not', async () => {
  await books.trades(
    'b1,2024-05-01T12:00:00Z,main,buy,ETH,3,GBP,9000,,',
    'g1,2024-06-01T12:00:00Z,main,gift_out,ETH,1,GBP,2000,,',
    'g2,2025-04-05T22:59:59Z,other,gift_out,BTC,1,GBP,50000,,',
    'g3,2025-04-05T23:00:00Z,main,gift_out,ETH,1,,,,',
  )
  await books.build()
  const law =
    'Under uk rules one to a spouse or civil partner who lives with the giver is at no gain and no loss (TCGA 1992 s.58), and a loss ' +
    'on one to another connected person counts against gains on disposals to the same person alone (s.18(3)).'
  const one = 'is a disposal included in these figures at its value at that time, whoever received it.'
  expect(await told('uk', { year: 2024 })).toEqual([
    `2 gifts (gift_out) are disposals included in these figures at their value at that time, whoever received them. ${law}`,
  ])
  expect(await told('uk', { year: 2025, account: 'main' })).toEqual([`1 gift (gift_out) ${one} ${law}`])
  expect(await told('uk', { year: 2025, account: 'other' })).toEqual([])
  expect(await told('ca', { year: 2024 })).toEqual([
    `1 gift (gift_out) ${one} Under ca rules one to a spouse or common-law partner is at its adjusted cost base, unless the giver ` +
      'elects otherwise (ITA s. 73(1)).',
  ])
  expect(await told('de', { year: 2024 })).toEqual([])
})

test('a gift from before the books of an account is one of that account', async () => {
  const dir = await book(
    'GBP',
    ['main buy b1 2024-05-01 2 BTC 100', 'other buy b2 2024-05-01 2 BTC 100'],
    [
      `insert into lot_events values
        ('main/before', 'BTC', '2024-06-01 12:00:00+00', 9, 'g1', 'give', 1, 60, 'GBP', null)`,
    ],
  )
  const gifts = async (account: string) =>
    (await show(dir, 'gains', { rules: 'uk', account })).notes.filter((note) => note.includes('gift_out'))
  expect(await gifts('main')).toEqual([
    expect.stringMatching(/^1 gift \(gift_out\) is a disposal included in these figures/),
  ])
  expect(await gifts('other')).toEqual([])
})
