// A fee that is kept back from the very coins that were bought: disposed of at once, or never acquired. By hand.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { UsageError } from '../../models/error.ts'
import type { FeesInKind } from '../../pipeline/lots/event.ts'
import { lotsStep } from '../../pipeline/lots/step.ts'
import { matchingOf } from '../../pipeline/rules/matching.ts'
import { balanced, type Move, TestBooks } from '../support/books.ts'

let books: TestBooks

beforeEach(async () => {
  books = await TestBooks.open({
    only: ['disposals', 'lots', 'checks.lots_match_balance', 'checks.unknown_basis', 'lot_matching'],
  })
  await books.account('main', 'unified')
})

afterEach(async () => {
  await books.close()
})

/** 10 ETH at 1,000; then 1 ETH at 3,000 with a fee of 0.001 ETH, which was worth 3; then a sale with its fee in USDT. */
const MOVES: readonly Move[] = [
  { id: '11', coin: 'ETH', type: 'ORDER_DEALT_IN', amount: '10', ts: '2026-01-01 10:00:00+00' },
  { id: '12', coin: 'USDT', type: 'ORDER_DEALT_FROZEN_OUT', amount: '-10000', ts: '2026-01-01 10:00:00+00' },
  { id: '21', coin: 'ETH', type: 'ORDER_DEALT_IN', amount: '1', fee: '-0.001', ts: '2026-01-05 10:00:00+00' },
  { id: '22', coin: 'USDT', type: 'ORDER_DEALT_FROZEN_OUT', amount: '-3000', ts: '2026-01-05 10:00:00+00' },
  { id: '31', coin: 'USDT', type: 'ORDER_DEALT_IN', amount: '2000', fee: '-2', ts: '2026-01-06 10:00:00+00' },
  { id: '32', coin: 'ETH', type: 'ORDER_DEALT_FROZEN_OUT', amount: '-1', ts: '2026-01-06 10:00:00+00' },
]

async function build(feesInKind: FeesInKind, opening: Readonly<Record<string, string>> = { USDT: '20000' }) {
  await books.tax('SPOT', balanced(MOVES, opening))
  return await books.build({}, { steps: [lotsStep({ method: 'fifo', scope: 'account', feesInKind })] })
}

const disposals = () =>
  books.query('select disposal_id, quantity, proceeds, cost_basis, gain from disposals order by disposed_at')
const lots = () => books.query('select lot_id, quantity_left, cost_basis_left from lots order by acquired_at')

describe('a fee in the coin that is bought', () => {
  it('is a disposal of the oldest lot, and is added to the cost of the new one', async () => {
    const { openBreaks } = await build('disposal')
    expect(await disposals()).toEqual([
      ['main/tax.records/21/fee', '0.001', '3', '1', '2'],
      ['main/tax.records/32/amount', '1', '1998', '1000', '998'],
    ])
    expect(await lots()).toEqual([
      ['main/tax.records/11/amount', '8.999', '8999'],
      ['main/tax.records/21/amount', '1', '3003'],
    ])
    expect(openBreaks.filter(({ severity }) => severity !== 'notice')).toEqual([])
  })

  it('netted, is not a disposal: fewer coins cost what was paid, and the lots still add up to the balance', async () => {
    const { openBreaks } = await build('net')
    expect(await disposals()).toEqual([['main/tax.records/32/amount', '1', '1998', '1000', '998']])
    expect(await lots()).toEqual([
      ['main/tax.records/11/amount', '9', '9000'],
      ['main/tax.records/21/amount', '0.999', '3000'],
    ])
    expect(openBreaks.filter(({ severity }) => severity !== 'notice')).toEqual([])
    expect(await books.query('select fees_in_kind from lot_matching')).toEqual([['net']])
  })

  it('netted, is not what the first record of a coin sells from earlier holdings', async () => {
    const sold: readonly Move[] = [
      { id: '11', coin: 'USDT', type: 'ORDER_DEALT_IN', amount: '2000', ts: '2026-01-06 10:00:00+00' },
      { id: '12', coin: 'ETH', type: 'ORDER_DEALT_FROZEN_OUT', amount: '-1', ts: '2026-01-06 10:00:00+00' },
    ]
    await books.tax('SPOT', balanced(sold, { ETH: '5' }))
    await books.build({}, { steps: [lotsStep({ method: 'fifo', scope: 'account', feesInKind: 'net' })] })
    expect(await disposals()).toEqual([['main/tax.records/12/amount', '1', '2000', null, null]])
  })
})

it('rules whose law decides it leave no choice, and the configuration is refused with the reason', () => {
  expect(matchingOf({ rules: 'de', feesInKind: 'net' }).options.feesInKind).toBe('net')
  expect(matchingOf({ rules: 'us' }).options.feesInKind).toBe('disposal')
  expect(() => matchingOf({ rules: 'us', feesInKind: 'net' })).toThrow(UsageError)
})
