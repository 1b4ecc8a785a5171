// Coins received as a gift, under laws that give them the day and the cost of the giver, whom no import of a receipt tells.
import { afterEach, expect, test } from 'vitest'
import { openLedger } from '../../pipeline/ledger/ledger.ts'
import { makeReport } from '../../pipeline/reports/catalogue.ts'
import type { RulesName } from '../../pipeline/rules/catalogue.ts'
import { ImportedBooks } from '../support/imports.ts'

const books = new ImportedBooks()
afterEach(() => books.close())

test('an opening lot tells the giver’s day and cost; of gift_in reports say that it does not', async () => {
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

  const told = async (rules: RulesName, year: number): Promise<string[]> => {
    const ledger = await openLedger(books.dir)
    try {
      const reports = [
        await makeReport(ledger, 'gains', { rules, year }),
        await makeReport(ledger, 'taxes', { rules, year }),
        ...(rules === 'us' ? [await makeReport(ledger, 'form-8949', { year })] : []),
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
  expect(await told('de', 2025)).toEqual([
    '1 piece of disposals is of coins received as a gift (gift_in), with the day and the value of the receipt. Under de rules those ' +
      'of the giver count (§ 23 Abs. 1 Satz 3 EStG): import such coins as opening lots with the giver’s day and cost, in place of their ' +
      'gift_in, which would count them twice (`tieout import --undo ID`, then the file without it).',
  ])
  expect(await told('us', 2025)).toEqual([expect.stringContaining('(IRC §§ 1015, 1223(2))')])
  expect(await told('de', 2024)).toEqual([])
  expect(await told('uk', 2024)).toEqual([])
})
