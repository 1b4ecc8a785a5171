// The macros of the published file against whole-number arithmetic, in an engine that knows nothing of ours.
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formatAmount } from '../../models/amount.ts'
import { exactDivide, exactMultiply } from '../../pipeline/ledger/functions.ts'
import type { ExtraStep } from '../../pipeline/ledger/tasks.ts'
import { TestBooks } from '../support/books.ts'

let books: TestBooks
let rows: (query: string) => Promise<unknown[][]>
let close: () => void

beforeAll(async () => {
  books = await TestBooks.open({ only: ['main.trades'] })
  await books.build()
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  // Another name, and not the current one: a macro is resolved where it is called.
  await connection.run(`attach '${books.dir}/ledger.duckdb' as elsewhere (read_only)`)
  rows = async (query) => (await connection.runAndReadAll(query)).getRowsJson()
  close = () => instance.closeSync()
})

afterAll(async () => {
  close()
  await books.close()
})

const E18 = 10n ** 18n
const LARGEST = 10n ** 38n - 1n

/** Amounts in units that lie where rounding, signs and limits meet, and others of every length. */
function amounts(): bigint[] {
  const edges = [
    0n,
    1n,
    3n,
    5n,
    E18 / 2n,
    E18,
    2n * E18,
    10n ** 28n,
    10n ** 29n - 1n,
    10n ** 29n,
    10n ** 37n,
    LARGEST,
  ]
  const others = Array.from({ length: 38 }, (_, at) => (10n ** BigInt(at) * 7_919n) / 6_007n + BigInt(at))
  return [...edges, ...others].flatMap((units) => [units, -units])
}

test('products and quotients equal those of whole numbers, rounded half to even, for every length and sign', async () => {
  const all = amounts()
  const list = all.map((units) => `'${formatAmount(units)}'::decimal(38, 18)`).join(', ')
  const found = await rows(
    `with amounts as (select unnest([${list}]) as value, generate_subscripts([${list}], 1) - 1 as at)
     select one.at, other.at, elsewhere.exact_multiply(one.value, other.value),
       elsewhere.exact_divide(one.value, other.value)
     from amounts as one cross join amounts as other`,
  )
  expect(found).toHaveLength(all.length ** 2)
  const text = (units: bigint | null): string | null => (units === null ? null : fixed(units))
  const wrong = found.filter(([one, other, product, quotient]) => {
    const [a, b] = [all[Number(one)] as bigint, all[Number(other)] as bigint]
    return product !== text(exactMultiply(a, b)) || quotient !== text(exactDivide(a, b))
  })
  expect(wrong).toEqual([])
})

/** With all 18 decimals, as DuckDB writes them. */
function fixed(units: bigint): string {
  const digits = (units < 0n ? -units : units).toString().padStart(19, '0')
  return `${units < 0n ? '-' : ''}${digits.slice(0, -18)}.${digits.slice(-18)}`
}

test('ties go to the even neighbour, null and overflow give null, and any number or text that is a number is accepted', async () => {
  expect(
    await rows(`select elsewhere.exact_multiply('0.000000000000000001', 0.5), elsewhere.exact_multiply('0.000000000000000003', 0.5),
      elsewhere.exact_divide(1, 3), elsewhere.exact_divide(2, '-3'), elsewhere.exact_divide(1, 0),
      elsewhere.exact_multiply(null, 1), elsewhere.exact_multiply('99999999999', '99999999999')`),
  ).toEqual([
    [
      '0.000000000000000000',
      '0.000000000000000002',
      '0.333333333333333333',
      '-0.666666666666666667',
      null,
      null,
      null,
    ],
  ])
})

test('a sum of quantity times price fits if the result does, unlike DECIMAL times DECIMAL', async () => {
  const trades = `(values ('2'::decimal(38, 18), '30000.5'::decimal(38, 18)), ('0.5', '100000')) as trades (quantity, price)`
  expect(await rows(`select sum(elsewhere.exact_multiply(quantity, price)) from ${trades}`)).toEqual([
    ['110001.000000000000000000'],
  ])
  await expect(rows(`select sum(quantity * price) from ${trades}`)).rejects.toThrow(/overflow|out of range/i)
})

test('a build that begins with the published file calculates with the functions, not with its macros', async () => {
  const macros: unknown[] = []
  const names = "('exact_multiply', 'exact_divide')"
  const step: ExtraStep = {
    name: 'macros in use',
    reads: [],
    writes: ['in_use'],
    run: async (connection) => {
      const reader = await connection.runAndReadAll(
        `select function_name from duckdb_functions() where function_name in ${names} and function_type = 'macro'`,
      )
      macros.push(reader.getRowsJson())
      await connection.run('create or replace table in_use as select 1 as one')
    },
  }
  const nights = await TestBooks.open()
  try {
    for (const isFirst of [true, false]) {
      const { tables } = await nights.build({}, { steps: [step] })
      expect(tables.some(({ kept }) => kept)).toBe(!isFirst)
      expect(
        await nights.query(
          `select distinct function_name from duckdb_functions() where function_name in ${names} order by all`,
        ),
      ).toEqual([['exact_divide'], ['exact_multiply']])
    }
  } finally {
    await nights.close()
  }
  expect(macros).toEqual([[], []])
})
