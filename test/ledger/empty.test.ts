// Tables that come out empty without being asked are those that their selects would have made.
import { join } from 'node:path'
import { DuckDBConnection } from '@duckdb/node-api'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { forgetShapes } from '../../pipeline/ledger/empty.ts'
import { generatedModels } from '../../pipeline/ledger/generated.ts'
import { tableHashes } from '../../pipeline/ledger/hash.ts'
import { lotsStep } from '../../pipeline/lots/step.ts'
import { balanced, TestBooks } from '../support/books.ts'

let books: TestBooks
const steps = [lotsStep({ method: 'fifo', scope: 'account' })]

beforeEach(async () => {
  books = await TestBooks.open()
})

afterEach(async () => {
  await books.close()
  vi.restoreAllMocks()
})

const columns = () =>
  books.query(
    'select table_name, column_name, data_type, comment from duckdb_columns() order by table_name, column_index',
  )

const row = { id: '1', coin: 'USDT', type: 'TRANSFER_IN', amount: '100', ts: '2026-01-10 12:00:00+00' }

/** How many selects a build asks. */
async function asked(build: () => Promise<unknown>): Promise<number> {
  const run = vi.spyOn(DuckDBConnection.prototype, 'runAndReadAll')
  await build()
  const count = run.mock.calls.filter(([sql]) =>
    /^(create or replace table \S+ as|insert into main\.\S+)\n/.test(sql),
  ).length
  run.mockRestore()
  return count
}

describe('a ledger of nothing', () => {
  interface Built {
    /** How many selects were asked. */
    readonly count: number
    readonly columns: unknown
    readonly hashes: unknown
  }

  /** By a build that knows nothing, and by one that knows what the first has learned. */
  let built: readonly [Built, Built]

  beforeAll(async () => {
    forgetShapes()
    books = await TestBooks.open()
    const build = async (): Promise<Built> => {
      const count = await asked(() => books.build({}, { steps, full: true }))
      return { count, columns: await columns(), hashes: await tableHashes(join(books.dir, 'ledger.duckdb')) }
    }
    built = [await build(), await build()]
    await books.close()
  })

  it('has the tables, columns, types and comments that every select would have created', async () => {
    const [first, second] = built
    expect(second.columns).toEqual(first.columns)
    expect(second.hashes).toEqual(first.hashes)
  })

  it('runs only what can have changed', async () => {
    const [{ count: first }, second] = built
    expect(first).toBeGreaterThan(140)
    expect(second.count).toBeLessThan(first / 4)
    // A record in one feed: all other feeds, and what is made of them, are still without a row.
    await books.tax('SPOT', balanced([row]))
    await books.build({}, { steps, full: true })
    const withRow = await asked(() => books.build({}, { steps, full: true }))
    expect(withRow).toBeGreaterThan(first / 5)
    expect(withRow).toBeLessThan(first / 3)
  })

  it('creates an unpublished table without rows only for what reads it', async () => {
    const run = vi.spyOn(DuckDBConnection.prototype, 'run')
    const seen: unknown[] = []
    const look = {
      name: 'look',
      reads: ['staging.imported_moves'],
      writes: ['looked'],
      run: async (connection: DuckDBConnection) => {
        const reader = await connection.runAndReadAll('select count(*) from staging.imported_moves')
        seen.push(...(reader.getRowsJson()[0] ?? []))
        await connection.run('create table looked as select 1 as one')
      },
      docs: { looked: 'What stood there.\ngrain: one row\nkeys:  one' },
      columns: { looked: { one: 'One.' } },
    }
    await books.build({}, { steps: [...steps, look], full: true })
    const created = run.mock.calls.flatMap(
      ([sql]) => /^create or replace table (\S+) \("/.exec(sql)?.[1] ?? [],
    )
    run.mockRestore()
    expect(created.filter((table) => !table.startsWith('main.'))).toEqual(['staging.imported_moves'])
    expect(seen).toEqual(['0'])
  })
})

describe('what is known of tables without rows', () => {
  beforeEach(forgetShapes)

  it('has them also if some feeds have records, and what depends on others is as empty', async () => {
    await books.account('main', 'unified')
    await books.tax('SPOT', balanced([row, { ...row, id: '2', type: 'TRANSFER_OUT', amount: '-30' }]), {
      covers: ['2026-01-01 00:00:00+00', '2026-01-31 00:00:00+00'],
    })
    const first = await asked(() => books.build({}, { steps, full: true }))
    const [before, hashes] = [await columns(), await tableHashes(join(books.dir, 'ledger.duckdb'))]
    const second = await asked(() => books.build({}, { steps, full: true }))
    expect(await columns()).toEqual(before)
    expect(await tableHashes(join(books.dir, 'ledger.duckdb'))).toEqual(hashes)
    expect(second).toBeLessThan((2 * first) / 3)
  })

  it('notices what has landed since', async () => {
    await books.build({}, { only: ['entries'] })
    await books.tax('SPOT', balanced([row]))
    await books.build({}, { only: ['entries'] })
    expect(await books.query('select source_id, amount from entries')).toEqual([['1', '100']])
    await books.sql('delete from landing.tax_records')
    await books.build({}, { only: ['entries'] })
    expect(await books.query('select count(*) from entries')).toEqual([['0']])
  })

  it('notices another configuration', async () => {
    await books.build({ accounts: [] }, { only: ['accounts'] })
    expect(await books.query('select count(*) from accounts')).toEqual([['0']])
    await books.build({ accounts: [{ name: 'main', uid: '1001' }] }, { only: ['accounts'] })
    expect(await books.query('select account from accounts')).toEqual([['main']])
  })

  it('has the columns of what has landed in their present form', async () => {
    await books.build({}, { steps, only: ['runs'] })
    const type = () =>
      books.query(
        `select data_type from duckdb_columns() where table_name = 'runs' and column_name = 'command'`,
      )
    expect(await type()).toEqual([['VARCHAR']])
    await books.sql('alter table landing.runs alter command type integer')
    await books.build({}, { steps, only: ['runs'] })
    expect(await type()).toEqual([['INTEGER']])
  })

  it('may leave out any part of a union: all of them have the names and types of its columns', async () => {
    const unions = generatedModels({ publishPersonalData: false }).filter(({ parts }) => parts !== undefined)
    const compared: string[] = []
    const look = {
      name: 'look',
      reads: unions.map(({ table }) => table),
      writes: ['looked'],
      run: async (connection: DuckDBConnection) => {
        const columnsOf = async (select: string) =>
          (
            await connection.runAndReadAll(`select column_name, column_type from (describe ${select})`)
          ).getRowsJson()
        for (const { table, select, parts = [] } of unions)
          for (const part of parts) {
            expect(await columnsOf(part), `${table}: ${part}`).toEqual(await columnsOf(select))
            compared.push(part)
          }
        await connection.run('create table looked as select 1 as one')
      },
      docs: { looked: 'What stood there.\ngrain: one row\nkeys:  one' },
      columns: { looked: { one: 'One.' } },
    }
    await books.build({}, { steps: [...steps, look], only: ['looked'] })
    expect(compared.length).toBeGreaterThan(60)
  })

  // They came along with the empty ledger, hid the functions of the build, and took seven times as long.
  it('has the macros of the published file only once it is created', async () => {
    const macrosDuring: unknown[] = []
    const look = {
      name: 'look',
      reads: [],
      writes: ['looked'],
      run: async (connection: DuckDBConnection) => {
        const reader = await connection.runAndReadAll(
          "select function_name from duckdb_functions() where function_type = 'macro' and function_name like 'exact%'",
        )
        macrosDuring.push(...reader.getRowsJson())
        await connection.run('create table looked as select 1 as one')
      },
      docs: { looked: 'What stood there.\ngrain: one row\nkeys:  one' },
      columns: { looked: { one: 'One.' } },
    }
    await books.build({}, { steps: [...steps, look], only: ['looked'] })
    expect(macrosDuring).toEqual([])
    expect(await books.query('select exact_multiply(1.5, 3), exact_divide(1, 8)')).toEqual([['4.5', '0.125']])
  })
})
