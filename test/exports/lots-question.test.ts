// The question for what every movement did to lots goes through each table once, however the books grow.
import { expect, test } from 'vitest'
import { readLotBooks } from '../../pipeline/exports/lots-events.ts'
import { type Ledger, openLedger } from '../../pipeline/ledger/ledger.ts'
import { alterBook, publishBook } from './tools.ts'

test('movements are joined to what belongs to them by a key, never by a loop over both tables', async () => {
  const dir = await publishBook([
    { id: 'b1', at: '2026-01-05 00:00:00+00', coin: 'BTC', amount: '1', value: '100' },
    { id: 's1', at: '2026-01-06 00:00:00+00', coin: 'BTC', amount: '-1', value: '120' },
  ])
  await alterBook(dir, [
    `create table imported_trades as
     select 'k' || n as id, cast(1 as bigint) as page_id, cast(n as integer) as page_row from range(3000) as numbers(n)`,
  ])
  const ledger = await openLedger(dir)
  const plans: string[] = []
  const watched: Ledger = {
    ...ledger,
    scratch: async (fill) => {
      const reader = await ledger.scratch(fill)
      return {
        ...reader,
        stream: async (sql, values) => {
          const [row = []] = await reader.query(`explain ${sql}`, values)
          plans.push(String(row[1]))
          return await reader.stream(sql, values)
        },
      }
    },
  }
  try {
    const books = await readLotBooks(watched, 'fifo')
    const found: string[] = []
    for await (const { coin, kind } of books.movements()) found.push(`${kind} ${coin}`)
    expect(found).toEqual(['acquire BTC', 'dispose BTC'])
    expect(plans).toHaveLength(1)
    expect(plans[0]).toContain('HASH_JOIN')
    expect(plans[0]).not.toMatch(/BLOCKWIS|NL_JOIN|NESTED|CROSS_P/)
  } finally {
    ledger.close()
  }
})

test('what the user classifies as a cost of a fill is booked against the trade, as its fee is', async () => {
  const at = '2026-01-05 00:00:00+00'
  const dir = await publishBook([
    { id: 'b1', at, coin: 'BTC', amount: '1', value: '100', transaction: 'fill' },
    { id: 'p1', at, coin: 'USDT', amount: '-100', transaction: 'fill' },
    ...[
      { id: 'c1', at, coin: 'BGB', amount: '-1', value: '2', transaction: 'fill', kind: 'card_fee' },
      { id: 'c2', at, coin: 'BGB', amount: '-1', value: '2', kind: 'card_fee' },
    ].map((line) => ({ ...line, counter: 'Expenses:Card' })),
  ])
  await alterBook(dir, ["insert into kinds values ('card_fee', 'Expenses:Card', 'cost', 'Of a card')"])
  const ledger = await openLedger(dir)
  try {
    const books = await readLotBooks(ledger, 'fifo')
    const found: string[] = []
    for await (const { entryKind, counterName } of books.movements())
      found.push(`${entryKind} ${counterName}`)
    expect(found.toSorted()).toEqual([
      'card_fee Equity:Trading',
      'card_fee Expenses:Card',
      'trade Equity:Trading',
      'trade Equity:Trading',
    ])
  } finally {
    ledger.close()
  }
})

test.each(['exchange', 'fiat'])(
  'the fee of a fill of a kind that the user adds, %s, is booked against it; half a fill has none',
  async (effect) => {
    const at = '2026-01-05 00:00:00+00'
    const block = (id: string, coin: string, amount: string, transaction: string) => ({
      ...{ id, at, coin, amount, value: '100', transaction, kind: 'block_trade', counter: 'Equity:Block' },
    })
    const fee = (id: string, transaction: string) => ({
      ...{
        id,
        at,
        coin: 'BGB',
        amount: '-1',
        value: '2',
        transaction,
        kind: 'fee',
        counter: 'Expenses:Fees',
      },
    })
    const dir = await publishBook([
      ...[block('b1', 'BTC', '1', 'fill'), block('p1', 'ETH', '-2', 'fill'), fee('f1', 'fill')],
      ...[block('b2', 'BTC', '1', 'half'), fee('f2', 'half')],
    ])
    await alterBook(dir, [
      `insert into kinds values ('block_trade', 'Equity:Block', '${effect}', 'A trade off the book')`,
    ])
    const ledger = await openLedger(dir)
    try {
      const books = await readLotBooks(ledger, 'fifo')
      const found: string[] = []
      for await (const { source, counterName } of books.movements())
        if (source.entryId.startsWith('f')) found.push(`${source.entryId} ${counterName}`)
      expect(found.toSorted()).toEqual(['f1 Equity:Block', 'f2 Expenses:Fees'])
    } finally {
      ledger.close()
    }
  },
)
