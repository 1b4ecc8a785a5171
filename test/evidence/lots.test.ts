// What lies behind a disposal and an entry, from small published ledgers.
import { afterEach, expect, test } from 'vitest'
import { entryStep } from '../../pipeline/evidence/entries.ts'
import { disposalStep, type LotBooks } from '../../pipeline/evidence/lots.ts'
import type { Step } from '../../pipeline/evidence/step.ts'
import { type Ledger, openLedger } from '../../pipeline/ledger/ledger.ts'
import { readPeriod } from '../../pipeline/reports/period.ts'
import { account, publish } from '../reports/books.ts'

let ledger: Ledger
afterEach(() => ledger.close())

async function books(...statements: string[]): Promise<LotBooks> {
  ledger = await openLedger(await publish([account('main'), ...statements]))
  return { matched: ledger, ledger, limit: 20, zone: 'UTC', period: readPeriod({}) }
}

/** What a step is and what is below it, without fields. */
const outline = ({ what, id, steps }: Step): unknown =>
  steps.length === 0 ? `${what} ${id}` : [`${what} ${id}`, ...steps.map(outline)]

test('a lot whose date differs from that of its event leads to the event all the same', async () => {
  const made = await books(
    `insert into lot_events values
       ('main', 'BTC', '2025-01-02 00:00:00+00', 1, 'b1', 'acquire', 1, 100, 'USDT', null),
       ('main', 'BTC', '2025-03-01 00:00:00+00', 2, 's1', 'dispose', 1, 250, 'USDT', null)`,
    `insert into disposals values ('main', 'BTC', 'fifo', 'generic', '2025-03-01 00:00:00+00',
       '2025-01-05 00:00:00+00', 1, 250, 100, null, 150, 'USDT', 55, null, 's1', 'b1')`,
  )
  const step = await disposalStep(made, 's1')
  expect(step === null ? null : outline(step)).toEqual([
    'disposal s1',
    'event s1',
    ['piece of lot b1', 'event b1'],
  ])
})

test('two events of one row have the row below the first of them alone', async () => {
  const made = await books(
    `create table imported_trades (id varchar, occurred_at timestamptz, type varchar, page_id bigint, page_row integer)`,
    `insert into imported_trades values ('k4', '2025-03-01 00:00:00+00', 'sell', 7, 0)`,
    `insert into lot_events values
       ('main', 'BTC', '2025-03-01 00:00:00+00', 1, 'k4', 'dispose', 1, 250, 'USDT', null),
       ('main', 'BTC', '2025-03-01 00:00:00+00', 2, 'k4', 'dispose', 0.1, 25, 'USDT', null)`,
    `insert into disposals values ('main', 'BTC', 'fifo', 'generic', '2025-03-01 00:00:00+00',
       null, 1.1, 275, null, null, null, 'USDT', null, null, 'k4', null)`,
  )
  const step = await disposalStep(made, 'k4')
  expect(step === null ? null : outline(step)).toEqual([
    'disposal k4',
    ['event k4', 'imported row k4'],
    'event k4',
    'piece without a known lot ',
  ])
})

test('an entry of a deal that states what was paid is valued by that, and others by their own price', async () => {
  const entry = (id: string): string =>
    `('${id}', 't${id}', 'main', 'P2P', 'P2P', 'USDT', 100, 'p2p_trade', '2025-03-01 00:00:00+00', 'none', '${id}', 1, 0, null)`
  await books(
    `insert into entries values ${entry('d1')}, ${entry('d2')}`,
    `create table valuations (entry_id varchar, coin varchar, quantity decimal(38, 18), valued_at timestamptz, value decimal(38, 18),
       currency varchar, steps integer, path varchar, sources varchar)`,
    `insert into valuations values
       ('d1', 'USDT', 100, '2025-03-01 00:00:00+00', 96, 'EUR', 1, 'USDT > EUR', 'market'),
       ('d1/paid', 'USD', 105, '2025-03-01 00:00:00+00', 97, 'EUR', 1, 'USD > EUR', 'ecb'),
       ('d2', 'USDT', 100, '2025-03-01 00:00:00+00', 96, 'EUR', 1, 'USDT > EUR', 'market')`,
    `create table prices (coin varchar, currency varchar, source varchar, priced_at timestamptz, price decimal(38, 18),
       page_id bigint, page_row integer)`,
    // Of the moment itself, of one before it and of one after it.
    `insert into prices values ('EUR', 'USD', 'ecb', '2025-03-01 00:00:00+00', 1.08, 9, 0),
       ('USDT', 'EUR', 'market', '2025-02-28 00:00:00+00', 0.9, 9, 0), ('USDT', 'EUR', 'market', '2025-02-28 23:00:00+00', 0.96, 9, 0),
       ('USDT', 'EUR', 'market', '2025-03-01 00:00:01+00', 0.97, 9, 0)`,
  )
  const found: unknown[] = []
  for (const id of ['d1', 'd2']) {
    const step = await entryStep(ledger, {
      ...{ entry_id: id, source_id: id, source_feed: 'none', account: 'main' },
      occurred_at: '2025-03-01T00:00:00.000Z',
    })
    for (const valuation of step.steps.filter(({ what }) => what === 'valuation'))
      found.push([valuation.id, ...valuation.steps.map(({ id: way, fields }) => `${way} ${fields.price}`)])
  }
  expect(found).toEqual([
    ['d1/paid', 'USD > EUR 1.08'],
    ['d2', 'USDT > EUR 0.96'],
  ])
})
