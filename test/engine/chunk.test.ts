// Chunks by their bytes, through a real database and back: every value as it was set, in its row and nowhere else.
import { BIGINT, type DuckDBConnection, DuckDBInstance, TIMESTAMPTZ } from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { formatAmount } from '../../models/amount.ts'
import {
  AmountColumn,
  Amounts,
  BigintColumn,
  BooleanColumn,
  bigintsOf,
  CHUNK_ROWS,
  ChunkWriter,
  type Column,
  IntegerColumn,
  integersOf,
  TextColumn,
} from '../../pipeline/engine/chunk.ts'

let instance: DuckDBInstance
let connection: DuckDBConnection

beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:')
  connection = await instance.connect()
  await connection.run("set TimeZone = 'UTC'")
})

afterAll(() => {
  connection.closeSync()
  instance.closeSync()
})

interface Settable<Value> extends Column {
  set(row: number, value: Value | null): void
}

/** The values through a table with one column, as DuckDB prints them. */
async function printed<Value>(
  column: Settable<Value>,
  values: readonly (Value | null)[],
): Promise<(string | null)[]> {
  await connection.run(`create or replace table one (value ${column.type})`)
  const appender = await connection.createAppender('one')
  const chunks = new ChunkWriter(appender, [column])
  for (const value of values) {
    column.set(chunks.row, value)
    chunks.endRow()
  }
  chunks.flush()
  appender.closeSync()
  expect(chunks.written).toBe(values.length)
  const found = await connection.runAndReadAll('select value::varchar from one order by rowid')
  return found.getRows().map(([value]) => value as string | null)
}

const text = (value: unknown): string | null => (value === null ? null : String(value))

describe('a column', () => {
  const LIMIT = 10n ** 38n
  const amounts = [0n, 1n, -1n, 2n ** 31n, 2n ** 32n, 2n ** 63n, 2n ** 64n, 2n ** 95n, 2n ** 96n, LIMIT - 1n]
  const texts = [
    '',
    'a',
    'twelve bytes',
    'thirteen byte',
    'é',
    'ORDER_DEALT_FROZEN_OUT',
    '𝄞',
    'x'.repeat(5_000),
  ]

  it.each([
    ['whole numbers', new IntegerColumn(), [0, 1, -1, 2 ** 31 - 1, -(2 ** 31), null]],
    [
      'numbers of 64 bits',
      new BigintColumn(BIGINT),
      [0, -1, 2 ** 32, 2 ** 53 - 1, 1 - 2 ** 53, 2n ** 63n - 1n, null],
    ],
    ['booleans', new BooleanColumn(), [true, false, null]],
    ['texts that are ASCII alone', new TextColumn(), ['', 'a', 'twelve bytes', 'thirteen byte', null]],
    ['texts', new TextColumn(), [...texts, null]],
    ['short texts', new TextColumn(), ['ab', null, '']],
  ] as unknown as readonly (readonly [string, Settable<never>, readonly never[]])[])(
    'of %s returns each value',
    async (_, column, values) => {
      expect(await printed(column, values)).toEqual(values.map(text))
      const many = Array.from({ length: 2 * CHUNK_ROWS + 3 }, (_, at) => values[(at * 7) % values.length]!)
      expect(await printed(column, many)).toEqual(many.map(text))
    },
  )

  it('of amounts returns each one, to the last digit', async () => {
    const all = [...amounts, ...amounts.map((amount) => -amount), null]
    const shown = await printed(new AmountColumn(), all)
    expect(shown).toEqual(
      all.map((units) => {
        if (units === null) return null
        const [whole, decimals = ''] = formatAmount(units).split('.')
        return `${whole}.${decimals.padEnd(18, '0')}`
      }),
    )
  })

  it('of times returns microseconds', async () => {
    const column = new BigintColumn(TIMESTAMPTZ)
    expect(await printed(column, [1_763_688_137_552_001n, 1_763_688_137_552_000, null, -1])).toEqual([
      '2025-11-21 01:22:17.552001+00',
      '2025-11-21 01:22:17.552+00',
      null,
      '1969-12-31 23:59:59.999999+00',
    ])
  })

  it('keeps nulls in their rows, also in the chunk after one', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.option(fc.string({ unit: 'grapheme', maxLength: 20 })), { maxLength: 60 }),
        fc.integer({ min: 1, max: 40 }),
        async (some, times) => {
          const values = Array.from({ length: times }, () => some).flatMap((each) => [
            ...each,
            ...Array(90).fill(''),
          ])
          expect(await printed(new TextColumn(), values)).toEqual(values)
        },
      ),
      { numRuns: 40 },
    )
  })

  it('forgets what was set in a row that is set again', async () => {
    const [numbers, texts] = [new IntegerColumn(), new TextColumn()]
    await connection.run('create or replace table two (number integer, text varchar)')
    const appender = await connection.createAppender('two')
    const chunks = new ChunkWriter(appender, [numbers, texts])
    for (const [number, text] of [
      [null, null],
      [7, 'seven'],
    ] as const) {
      numbers.set(chunks.row, number)
      texts.set(chunks.row, text)
    }
    chunks.endRow()
    numbers.set(chunks.row, 8)
    texts.set(chunks.row, 'eight')
    numbers.set(chunks.row, null)
    texts.set(chunks.row, null)
    chunks.endRow()
    chunks.flush()
    appender.closeSync()
    expect((await connection.runAndReadAll('from two')).getRows()).toEqual([
      [7, 'seven'],
      [null, null],
    ])
  })

  it.each([2 ** 31, -(2 ** 31) - 1, 1.5, Number.NaN])('of whole numbers refuses %s', (number) => {
    expect(() => new IntegerColumn().set(0, number)).toThrow(`${number} does not fit INTEGER`)
  })
})

describe('a chunk that is read', () => {
  it('returns whole numbers, times and amounts', async () => {
    const amounts = [
      0n,
      1n,
      -1n,
      2n ** 63n,
      -(2n ** 63n),
      2n ** 64n,
      -(2n ** 64n),
      -(2n ** 96n),
      10n ** 38n - 1n,
    ]
    const rows = amounts.map(
      (units, at) => `(${at - 4}, ${at}::timestamptz_us, ${formatAmount(units)}::decimal(38,18))`,
    )
    const values = rows.join(', ').replaceAll(/(\d+)::timestamptz_us/g, 'make_timestamptz($1)')
    const found = await connection.run(`select * from (values ${values}) as t(number, time, amount)`)
    const chunk = found.getChunk(0)
    expect([...integersOf(chunk, 0)]).toEqual(amounts.map((_, at) => at - 4))
    expect([...bigintsOf(chunk, 1)]).toEqual(amounts.map((_, at) => BigInt(at)))
    const read = new Amounts(chunk, 2)
    expect(amounts.map((_, at) => read.at(at))).toEqual(amounts)
  })
})
