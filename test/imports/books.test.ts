// Imported files beside everything else in the books: imported twice, made again from the journal, in the order of their rows,
// and withdrawn.
import { DuckDBDataChunk } from '@duckdb/node-api'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { UsageError } from '../../models/error.ts'
import { tableHashes } from '../../pipeline/ledger/hash.ts'
import { killedOnceJournaled } from '../support/cli.ts'
import { ImportedBooks } from '../support/imports.ts'
import { command } from '../support/in-process.ts'
import { BOUGHT, GAINS, outcome, SOLD } from './small-books.ts'

let books: ImportedBooks

beforeEach(() => {
  books = new ImportedBooks({}, { only: GAINS })
})

afterEach(() => {
  books.close()
})

const frames = async (): Promise<unknown> =>
  (await books.query('select count(*) from imported_trades'))[0]?.[0]

describe('a file imported again', () => {
  it('adds nothing if all of it is known, and only what is new if it has grown', async () => {
    expect(await books.trades(BOUGHT)).toEqual(outcome(1, 1))
    expect(await books.trades(BOUGHT.replace(',100,1,', ',100.00,1.0,'))).toEqual(outcome(1, 0))
    expect(await books.trades(BOUGHT, SOLD)).toEqual(outcome(2, 1))
    expect(await books.gains()).toEqual(['s1 <- b1: 1 for 149 cost 101 gain 48'])
    expect(await frames()).toBe(2)
  })

  it('reads from the books only its own rows, however many others they contain', async () => {
    const priced = (nth: number) => `${new Date(nth * 60_000).toISOString()},BTC,USD,${nth + 1},index`
    const prices = (...rows: readonly string[]) =>
      books.import('prices', `${['time,asset,currency,price,source', ...rows].join('\n')}\n`)
    await prices(...Array.from({ length: 500 }, (_, nth) => priced(nth)))
    await books.trades(...Array.from({ length: 500 }, (_, nth) => BOUGHT.replace('b1', `b${nth}`)))
    const read = vi.spyOn(DuckDBDataChunk.prototype, 'getRows')
    const count = () => {
      const rows = read.mock.results.reduce((sum, { value }) => sum + (value as unknown[]).length, 0)
      read.mockClear()
      return rows
    }
    expect(await prices(priced(7), priced(500))).toEqual(outcome(2, 1))
    expect(count()).toBeLessThan(100)
    await expect(prices(priced(7).replace(',8,', ',9,'))).rejects.toThrow('with a different price')
    expect(await books.trades(BOUGHT, SOLD)).toEqual(outcome(2, 1))
    expect(await books.lots('l1,2025-01-01T00:00:00Z,other,ETH,2,50,USD')).toEqual(outcome(1, 1))
    expect(count()).toBeLessThan(100)
    read.mockRestore()
  })
})

describe('the ledger of several imports', () => {
  const files: readonly ((of: ImportedBooks) => Promise<unknown>)[] = [
    (of) => of.trades(BOUGHT),
    (of) => of.trades(BOUGHT, SOLD),
    (of) => of.lots('l1,2025-01-01T00:00:00Z,other,ETH,2,50,USD'),
    (of) => of.import('prices', 'time,asset,currency,price,source\n2026-01-01,ETH,USD,30,index\n'),
  ]
  const numbers = 'select import_id from imports order by kind, import_id'
  let whole: ImportedBooks
  let hashes: Awaited<ReturnType<typeof tableHashes>>

  beforeAll(async () => {
    whole = new ImportedBooks()
    for (const file of files) await file(whole)
    hashes = await tableHashes((await whole.build()).path)
  })
  afterAll(() => whole.close())

  it('is the same when everything is rebuilt from the journal', async () => {
    const { path } = await whole.rebuild()
    expect(await tableHashes(path)).toEqual(hashes)
    expect(await whole.query('select coin, source, price from prices order by source, coin, price')).toEqual([
      ['ETH', 'index', '30'],
      ['BTC', 'trades', '100'],
      ['BTC', 'trades', '150'],
    ])
  })

  it('is the same down to the hash in another order of the files, which then have other numbers', async () => {
    books.close()
    books = new ImportedBooks()
    for (const nth of [3, 0, 1, 2]) await files[nth]!(books)
    const { path } = await books.build()
    expect(await books.query(numbers)).not.toEqual(await whole.query(numbers))
    expect(await tableHashes(path)).toEqual(hashes)
  })
})

describe('rows of one instant', () => {
  const day = (of: number) => `2026-01-0${of}T00:00:00Z`
  const late = `s2,${day(3)},main,sell,BTC,1,USD,200,,`
  const instant = [
    `s1,${day(2)},main,sell,BTC,1,USD,150,,`,
    `b2,${day(2)},main,buy,BTC,1,USD,120,,`,
    `b1,${day(2)},main,buy,BTC,1,USD,100,,`,
  ]
  const early = `b0,${day(1)},main,buy,ETH,1,USD,10,,`

  describe('in each file, of its own account and coins', () => {
    const files: readonly (readonly [when: string, rows: readonly string[], account: string])[] = [
      ['all of its rows are of that instant', instant, 'one'],
      ['a time rises somewhere', [late, ...instant, `b9,${day(5)},main,buy,ETH,1,USD,10,,`], 'two'],
      ['the oldest row is first', [early, ...instant, late], 'three'],
    ]
    let together: ImportedBooks

    beforeAll(async () => {
      together = new ImportedBooks({}, { only: GAINS })
      for (const [, rows, account] of files)
        await together.trades(
          ...rows.map((row) => account + row.replace('main', account).replace(/BTC|ETH/, `$&${account}`)),
        )
      await together.trades(late, ...instant)
      await together.trades(`s3,${day(4)},main,sell,ETH,1,USD,15,,`, early)
      await together.build()
    })
    afterAll(() => together.close())

    it('are in the order of the file from its end, if it has the newest row first', async () => {
      expect(await together.gains({ account: 'main' })).toEqual([
        's1 <- b1: 1 for 150 cost 100 gain 50',
        's2 <- b2: 1 for 200 cost 120 gain 80',
        's3 <- b0: 1 for 15 cost 10 gain 5',
      ])
      const ids = "select id from imported_trades where account = 'main' order by place"
      expect(await together.query(ids)).toEqual(['b0', 'b1', 'b2', 's1', 's2', 's3'].map((id) => [id]))
    })

    it.each(files)('are in the order of the file, if %s', async (_, _rows, account) => {
      const [first] = await together.gains({ account })
      expect(first?.replaceAll(account, '')).toBe('s1 <- -: 1 for 150 cost ? gain ?')
    })
  })
})

describe('an import that is withdrawn', () => {
  it('no longer counts, a corrected file may contain the same ids, and history keeps both', async () => {
    const { id } = await books.trades(BOUGHT, SOLD)
    const wrong = await books.trades('b2,2026-01-01T00:00:00Z,main,buy,ETH,1,USD,900,1,USD')
    await expect(books.trades('b2,2026-01-01T00:00:00Z,main,buy,ETH,1,USD,90,1,USD')).rejects.toThrow(
      UsageError,
    )
    expect(await books.undo(Number(wrong.id))).toEqual({ file: 'trades.csv', rows: 1 })
    const right = await books.trades(
      'b2,2026-01-01T00:00:00Z,main,buy,ETH,1,USD,90,1,USD',
      's2,2026-01-03T00:00:00Z,main,sell,ETH,1,USD,100,0,',
    )
    expect(right.added).toBe(2)
    const expected = ['s1 <- b1: 1 for 149 cost 101 gain 48', 's2 <- b2: 1 for 100 cost 91 gain 9']
    expect(await books.gains()).toEqual(expected)
    expect(await books.query('select import_id, withdrawn_at is not null from imports order by 1')).toEqual([
      [id, false],
      [wrong.id, true],
      [right.id, false],
    ])
    await books.rebuild()
    expect(await books.gains()).toEqual(expected)
  }, 120_000)

  it('is withdrawn by the same command if that was killed before it was published', async () => {
    const { id } = await books.trades(BOUGHT, SOLD)
    const kept = await books.trades('b2,2026-01-01T00:00:00Z,main,buy,ETH,1,USD,90,1,USD')
    const bought = async () => (await books.query('select asset from imported_trades order by 1')).flat()
    await books.build()
    await killedOnceJournaled(['import', '--undo', String(id)], books.dir)
    expect(await bought()).toEqual(['BTC', 'BTC', 'ETH'])

    const again = await command(['import', '--undo', String(id), '--dir', books.dir])

    expect(again).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`Withdrew the import ${id} (trades.csv, 2 rows)`),
    })
    expect(await bought()).toEqual(['ETH'])
    const third = await command(['import', '--undo', String(id), '--dir', books.dir])
    expect(third).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('This import has already been withdrawn.'),
    })
    expect(kept.added).toBe(1)
  }, 120_000)

  it('leaves rows that another file also contains; withdrawing twice, or an unknown import, is refused', async () => {
    const first = await books.trades(BOUGHT)
    await books.trades(BOUGHT, SOLD)
    await books.undo(Number(first.id))
    expect(await books.gains()).toEqual(['s1 <- b1: 1 for 149 cost 101 gain 48'])
    await expect(books.undo(Number(first.id))).rejects.toThrow('This import has already been withdrawn.')
    await expect(books.undo(999)).rejects.toThrow('There is no import with this number.')
  })
})

describe('amounts of a spreadsheet', () => {
  it('with more than 18 decimals are rounded half to even and counted; the journal keeps the file', async () => {
    const outcome = await books.trades(
      'b1,2026-01-01T00:00:00Z,main,buy,BTC,1,USD,21613.999999999999999999999999999,0,',
      's1,2026-01-02T00:00:00Z,main,sell,BTC,1.000,USD,0.00000000000000000050,-0.0000000000000000015,USD',
    )
    expect(outcome).toMatchObject({ added: 2, rounded: 3 })
    await books.build()
    expect(await books.query('select total, fee from imported_trades order by id')).toEqual([
      ['21614', '0'],
      ['0', '-0.000000000000000002'],
    ])
    const again = await books.trades('b1,2026-01-01T00:00:00Z,main,buy,BTC,1,USD,21614,0,')
    expect(again.added).toBe(0)
  })
})
