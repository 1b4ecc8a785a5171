// What the cover of a paper says of how whole the books are.
import { expect, onTestFinished, test } from 'vitest'
import { openLedger } from '../../pipeline/ledger/ledger.ts'
import { completeness } from '../../pipeline/paper/cover.ts'
import type { PaperQuestion } from '../../pipeline/paper/question.ts'
import { publish } from '../reports/books.ts'

test('lost market data is not a gap of an account, and what was lost of its own feeds is', async () => {
  const lost = (account: string, feed: string): string =>
    `insert into coverage (account, feed, partition, starts_at, ends_at, status) values
     ('${account}', '${feed}', '', '2026-01-01', '2026-01-02', 'lost')`
  const dir = await publish([
    lost('main', 'market.liquidations'),
    lost('main', 'tax.records'),
    lost('other', 'market.liquidations'),
  ])
  const ledger = await openLedger(dir)
  onTestFinished(() => ledger.close())
  const said = (account: string): Promise<string> =>
    completeness({ ledger, matched: ledger, request: { account }, values: {} } as unknown as PaperQuestion)

  expect(await said('main')).toBe(
    '0 of 0 pieces of disposals without a known gain; no open errors or warnings; gaps in the records received: 1 lost',
  )
  expect(await said('other')).toBe(
    '0 of 0 pieces of disposals without a known gain; no open errors or warnings; no gaps in the records received',
  )
})
