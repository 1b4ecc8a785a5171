// Imported history in beancount's lots: what it hands over to the venue's books carries its cost along, and every
// account's balance still holds. Needs Debian's package beancount.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../models/clock.ts'
import { importInto, readImport } from '../../pipeline/books/import.ts'
import { nodeDisk } from '../../pipeline/journal/disk.ts'
import { journaledBooks, taxPage, taxRow, writeBooks } from '../evidence/explain-books.ts'
import { beanCheck, exported, hasBeancount, readBeancount } from './tools.ts'

const ts = '2026-01-05T10:00:00Z'

/** One ETH of five sold for 25 USDT at the venue; three were bought elsewhere for 30 before, one given away. */
async function books(): Promise<string> {
  const dir = await journaledBooks([
    taxPage([
      taxRow({ id: '101', coin: 'USDT', type: 'ORDER_DEALT_IN', amount: '25', balance: '25', ts }),
      taxRow({ id: '102', coin: 'ETH', type: 'ORDER_DEALT_FROZEN_OUT', amount: '-1', balance: '4', ts }),
    ]),
  ])
  const file = join(dir, 'old.csv')
  const lines = [
    'id,time,account,type,asset,quantity,currency,total,fee,fee_currency',
    'k1,2025-05-01T00:00:00Z,main,buy,ETH,4,USDT,40,0,USDT',
    'k2,2025-05-02T00:00:00Z,main,gift_out,ETH,1,USDT,12,0,USDT',
    'k3,2025-06-01T00:00:00Z,kraken,buy,BTC,1,USDT,50,0,USDT',
    'k4,2025-07-01T00:00:00Z,kraken,sell,BTC,0.5,USDT,60,0.1,BTC',
  ]
  writeFileSync(file, lines.join('\n'))
  await writeBooks(dir, async (open) => {
    await importInto(open, await readImport(nodeDisk, 'trades', file, { dir }), {
      id: 'r2',
      clock: systemClock,
    })
  })
  return dir
}

describe.skipIf(!hasBeancount)(
  'imported history in beancount’s lots (needs Debian’s package beancount)',
  () => {
    let file: string
    beforeAll(async () => {
      file = await exported(await books(), 'beancount', 'fifo')
    })

    test('is sold at its own cost by the venue’s books, and is accepted', () => {
      expect(beanCheck(file)).toBe('')
      const { gains, balances } = readBeancount(file)
      expect(gains.get('main/tax.records/102/amount')).toBe('15')
      expect(balances.get('Assets:Venue:Main:Lots:ETH ETH')).toBe('4')
      expect(balances.has('Assets:Venue:Main-before:Lots:ETH ETH')).toBe(false)
      expect(balances.get('Equity:Gifts USDT')).toBe('10')
    })

    test('is named by the row of its file, and what is carried over by the entry that it is carried over to', () => {
      const text = readFileSync(file, 'utf8')
      expect(text).toContain(`2025-05-02 * "give ETH"
  transaction_id: "k2"
  time: "2025-05-02T00:00:00.000Z"
  entry_id: "k2"
  source_feed: "import"
  source_id: "k2"
  page_id: 4
  page_row: 1
  Assets:Venue:Main-before:Lots:ETH  -1 ETH {}
  Equity:Gifts  USDT
`)
      const opening = `2026-01-05 * "opening ETH"
  transaction_id: "main/tax.records/102/opening"
  time: "2026-01-05T10:00:00.000Z"
`
      const source = `  source_feed: "tax.records"
  source_id: "102"
  page_id: 3
  page_row: 0
`
      expect(text).toContain(`${opening}  entry_id: "main/tax.records/102/opening/before"
${source}  Assets:Venue:Main-before:Lots:ETH  -3 ETH {}
`)
      expect(text).toContain(`${opening}  entry_id: "main/tax.records/102/opening/handover"
${source}  Assets:Venue:Main:Lots:ETH  3 ETH {{30 USDT, 2025-05-01, "k1 by main/tax.records/102/opening/handover"}}
`)
    })

    test('two events of one row, a sale and its fee in the same coin, keep their own gains', () => {
      const { gains } = readBeancount(file)
      // 0.5 for 60 less the fee of 12, cost 25; and 0.1 worth 12, cost 5.
      expect(gains.get('k4')).toBe('30')
    })
  },
)
