// Every field that part 2 of the interface document gives to a record, restated in test/document with a value and what the books
// must hold of it: an answer with all of them, and the same with every optional one null, empty or absent, goes through
// the real journal and landing and reads back exactly. A field that the document does not know is kept and reported.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { endpoints } from '../../connectors/catalogue.ts'
import { systemClock } from '../../models/clock.ts'
import { type Books, openBooks } from '../../pipeline/books/books.ts'
import { record } from '../../pipeline/books/writes.ts'
import { statedRecords } from '../document/index.ts'
import type { StatedRecord, Value } from '../document/stated.ts'

type Restated = Pick<StatedRecord, 'table' | 'data' | 'required'> & {
  readonly fields: Readonly<Record<string, Value>>
}

/** By section of the interface document, with what the venue sends beyond it. */
const records: Readonly<Record<string, Restated>> = Object.fromEntries(
  statedRecords.map(([, { section }, record]) => [
    section,
    { ...record, fields: { ...record.fields, ...record.beyond } },
  ]),
)

/** `cTime` → `c_time`, `unrealizedPL` → `unrealized_pl`. */
const snake = (name: string): string => name.replace(/([a-z\d])([A-Z])/g, '$1_$2').toLowerCase()

const rowOf = (fields: Readonly<Record<string, Value>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, { sent }]) => [name, sent]))

/** Journals and lands an answer that holds the row; the body is journaled as it is. */
async function receive(section: string, row: object): Promise<void> {
  const endpoint = endpoints.find((one) => one.section === section)!
  const body = JSON.stringify({
    code: '00000',
    msg: 'success',
    requestTime: 1,
    data: records[section]!.data(row),
  })
  await record(
    books,
    {
      kind: 'page',
      at: '2026-03-01T12:00:00.000Z',
      run: 'r1',
      account: 'main',
      feed: endpoint.name,
      partition: '',
      request: { method: endpoint.method, path: endpoint.path },
      status: 200,
    },
    Buffer.from(body),
  )
}

/** What landed in this test: by column, as text, with the pages counted from 1. */
async function landed(table: string): Promise<Record<string, unknown>[]> {
  const result = await books.landing.connection.runAndReadAll(
    `select columns(* exclude page_id)::varchar, (page_id - ${before})::varchar as page_id
     from landing.main.${table} where page_id > ${before} order by landing.main.${table}.page_id`,
  )
  return result.getRowObjectsJson()
}

/** One folder of books for all tests; each reads what came after the frames before it. */
let books: Books
let dir: string
let before = 0

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tieout-fields-'))
  books = await openBooks(dir, { clock: systemClock, command: 'test' })
})
beforeEach(() => {
  before = books.journal.lastSeq
})
afterAll(async () => {
  await books.close()
  await rm(dir, { recursive: true, force: true })
})

/** What must have landed of these fields; null for those that say nothing. */
function kept({ fields }: Restated, present: (name: string) => boolean): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [snake(name), present(name) ? value.kept : null]),
  )
}

const place = (seq: number) => ({
  account: 'main',
  partition: '',
  page_id: String(seq),
  page_row: '0',
  extra: null,
})

test('every endpoint whose answer lands is restated here', () => {
  const landing = endpoints.filter(({ item }) => item !== null).map(({ section }) => section)
  expect(Object.keys(records)).toEqual(landing)
})

describe.each(Object.entries(records))('an answer of section %s', (section, restated) => {
  const { table, fields, required } = restated

  test(`with every documented field reads back exactly from ${table}`, async () => {
    await receive(section, rowOf(fields))
    expect(await landed(table)).toEqual([{ ...place(1), ...kept(restated, () => true) }])
    expect(await landed('quarantine')).toEqual([])
    expect(await landed('drift')).toEqual([])
  })

  test('with every optional field null, empty or absent reads back as null', async () => {
    const needed = Object.fromEntries(Object.entries(fields).filter(([name]) => required.includes(name)))
    const optional = Object.keys(fields).filter((name) => !required.includes(name))
    for (const nothing of [null, '', undefined]) {
      const blank = Object.fromEntries(optional.map((name) => [name, nothing]))
      await receive(section, { ...rowOf(needed), ...blank })
    }
    const expected = kept(restated, (name) => required.includes(name))
    expect(await landed(table)).toEqual([1, 2, 3].map((seq) => ({ ...place(seq), ...expected })))
    expect(await landed('quarantine')).toEqual([])
    expect(await landed('drift')).toEqual([])
  })

  test('without a field that makes it a record is quarantined, and the journal contains it', async () => {
    for (const name of required) await receive(section, { ...rowOf(fields), [name]: null })
    expect(await landed(table)).toEqual([])
    expect((await landed('quarantine')).map((row) => row.field)).toEqual(required)
  })

  test('with a field that the document does not contain keeps it, and reports it as drift', async () => {
    await receive(section, {
      ...rowOf(fields),
      zNew: { b: [1, '1'], a: null },
      aNew: '12345678901234567890',
    })
    expect(await landed(table)).toEqual([
      {
        ...place(1),
        ...kept(restated, () => true),
        extra: '{"aNew":"12345678901234567890","zNew":{"a":null,"b":[1,"1"]}}',
      },
    ])
    const drift = (await landed('drift')).map(({ field, problem, row_count }) => [field, problem, row_count])
    expect(drift.toSorted()).toEqual([
      ['aNew', 'unknown field', '1'],
      ['zNew', 'unknown field', '1'],
    ])
    for await (const { body } of books.journal.read(before + 1))
      expect(Buffer.from(body!).toString()).toContain(
        '"zNew":{"b":[1,"1"],"a":null},"aNew":"12345678901234567890"',
      )
  })
})

describe('a field that the document spells in two ways', () => {
  const spelled = statedRecords.flatMap(([, { section }, { spellings }]) =>
    spellings === undefined ? [] : [[section, spellings] as const],
  )

  test.each(spelled)('of section %s lands in one column: %j', async (section, spellings) => {
    const restated = records[section]!
    const row = Object.entries(rowOf(restated.fields)).map(([name, value]) => [
      spellings[name] ?? name,
      value,
    ])
    await receive(section, Object.fromEntries(row))
    expect(await landed(restated.table)).toEqual([{ ...place(1), ...kept(restated, () => true) }])
    expect(await landed('drift')).toEqual([])
  })
})

describe('a value that the venue spells in two ways', () => {
  test.each([
    ['4.10', 'reduceOnly', 'yes', 'no'],
    ['4.11', 'reduceOnly', 'yes', 'no'],
    ['4.17', 'isRwa', 'yes', 'no'],
    ['4.17', 'symbolStatus', 'restrictedAPI', 'restricted_api'],
    ['4.23', 'status', 'appeal', 'Appeal'],
  ])('of section %s, %s, is no drift: %s and %s', async (section, field, one, other) => {
    const { table, fields } = records[section]!
    for (const value of [one, other]) await receive(section, { ...rowOf(fields), [field]: value })
    expect((await landed(table)).map((row) => row[snake(field)])).toEqual([one, other])
    expect(await landed('drift')).toEqual([])
  })
})

describe('a field beyond the document', () => {
  test('with an invalid value is kept as received and reported, and the row lands', async () => {
    const fields = records['4.11']!.fields
    await receive('4.11', { ...rowOf(fields), takeProfit: 'none yet', tradeSide: { a: 1 } })
    expect(await landed('orders')).toMatchObject([
      {
        order_id: '1507942219670093824',
        take_profit: null,
        trade_side: null,
        extra: '{"takeProfit":"none yet","tradeSide":{"a":1}}',
      },
    ])
    expect(await landed('quarantine')).toEqual([])
    const drift = (await landed('drift')).map(({ field, problem }) => [field, problem])
    expect(drift.toSorted()).toEqual([
      ['takeProfit', 'unknown value'],
      ['tradeSide', 'unknown value'],
    ])
  })

  test('and an older answer that lacks fields of the document are no drift', async () => {
    const older = ['maxMarketOrderQty', 'maxOrderQty', 'isRwa', 'deliveryPeriod']
    const contract = Object.entries(rowOf(records['4.17']!.fields)).filter(([name]) => !older.includes(name))
    await receive('4.17', Object.fromEntries(contract))
    const reasons = ['cancel_receiveWindow', 'burst_cancel', 'normal_cancel', 'modify_limit_order']
    for (const cancelReason of reasons)
      await receive('4.11', { ...rowOf(records['4.11']!.fields), timeInForce: 'rpi', cancelReason })
    expect(await landed('contracts')).toHaveLength(1)
    expect((await landed('orders')).map((row) => row.cancel_reason)).toEqual(reasons)
    expect(await landed('quarantine')).toEqual([])
    expect(await landed('drift')).toEqual([])
  })
})
