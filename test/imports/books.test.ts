// Imported files beside everything else in the books: imported twice, made again from the journal, next to what the
// venue tells of the same account, valued by imported prices, and by the command line in a fresh folder.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { DuckDBDataChunk } from '@duckdb/node-api'
import stringWidth from 'string-width'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { UsageError } from '../../models/error.ts'
import { listed } from '../../pipeline/commands/import.ts'
import { emptyConfig } from '../../pipeline/config/config.ts'
import { tableHashes } from '../../pipeline/ledger/hash.ts'
import type { ReportOptions } from '../../pipeline/reports/catalogue.ts'
import { alterBook } from '../exports/tools.ts'
import { killedOnceJournaled, tieout } from '../support/cli.ts'
import { ImportedBooks, TRADE_HEADER } from '../support/imports.ts'
import { command } from '../support/in-process.ts'

let books: ImportedBooks

/** What most of these tests read. */
const GAINS = ['main.disposals', 'main.imported_trades', 'main.imports']

const gainsIn = (currency: string): ImportedBooks =>
  new ImportedBooks({ reports: { ...emptyConfig.reports, currency } }, { only: GAINS })

beforeEach(() => {
  books = new ImportedBooks({}, { only: GAINS })
})

afterEach(() => {
  books.close()
})

const BOUGHT = 'b1,2026-01-01T00:00:00Z,main,buy,BTC,1,USD,100,1,USD'
const SOLD = 's1,2026-01-02T00:00:00Z,main,sell,BTC,1,USD,150,1,USD'

/** Rows of an account that shares its books with others: its name is in front of their ids. */
const rowsOf = (account: string, ...rows: readonly string[]): string[] =>
  rows.map((row) => account + row.replace(',main,', `,${account},`))

/** The gains of such an account, with the ids as its test has them. */
const gainsOf = async (of: ImportedBooks, account: string, options: ReportOptions = {}): Promise<string[]> =>
  (await of.gains({ ...options, account })).map((line) => line.replaceAll(account, ''))

const frames = async (): Promise<unknown> =>
  (await books.query('select count(*) from imported_trades'))[0]?.[0]

/** What an import of plain amounts comes to; the books number it where it brought anything. */
const outcome = (rows: number, added: number) => ({
  rows,
  added,
  rounded: 0,
  id: added === 0 ? null : expect.any(Number),
})

describe('income in money', () => {
  it('is in the return of its year even if no coin moved in it, which states the period that the file covers', async () => {
    const own = new ImportedBooks(
      { reports: { ...emptyConfig.reports, currency: 'EUR', rules: 'de' } },
      { only: ['main.disposals', 'main.entries', 'main.beginnings', 'main.income'] },
    )
    try {
      await own.trades(
        'i3,2023-06-01T00:00:00Z,A,income,EUR,307,,,,',
        'b1,2024-02-01T00:00:00Z,A,buy,BTC,0.01,EUR,400,,',
        's1,2024-03-01T00:00:00Z,A,sell,BTC,0.005,EUR,300,,',
        'i2,2025-04-01T00:00:00Z,A,income,EUR,305,,,,',
      )
      await own.build()
      const taxable = async (year: number) =>
        (await own.read('taxes', { rules: 'de', year })).find(({ figure }) =>
          /like, taxable/.test(String(figure)),
        )?.value
      expect([await taxable(2023), await taxable(2024), await taxable(2025)]).toEqual(['307', '0', '305'])
      expect(await taxable(2026)).toBe(null)
      expect(await own.query('select coin, begins_at, last_at from beginnings order by coin')).toEqual([
        ['BTC', '2024-02-01T00:00:00.000Z', '2024-03-01T00:00:00.000Z'],
        ['EUR', '2023-06-01T00:00:00.000Z', '2025-04-01T00:00:00.000Z'],
      ])
    } finally {
      own.close()
    }
  })
})

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

describe('imported prices', () => {
  const rates = ['Date,USD,JPY,ZAR,', '2026-01-02,1.0837,160.5,N/A,', '2026-01-01,1.1,160,20.5,', ''].join(
    '\r\n',
  )

  it('of the ECB value exactly what was paid in another currency, at the rate of the day', async () => {
    books.close()
    books = gainsIn('EUR')
    await books.import('prices', rates, 'eurofxref-hist.csv')
    await books.trades(
      'b1,2026-01-01T09:00:00Z,main,buy,BTC,1,USD,110,0,',
      's1,2026-01-02T23:59:59Z,main,sell,BTC,0.5,USD,108.37,1.0837,USD',
      's2,2026-01-02T23:59:59Z,main,sell,BTC,0.5,JPY,32100,0,',
    )
    expect(await books.gains()).toEqual([
      's1 <- b1: 0.5 for 99 cost 50 gain 49',
      's2 <- b1: 0.5 for 200 cost 50 gain 150',
    ])
    expect(
      await books.query("select coin, currency, price from prices where source = 'ecb' order by all"),
    ).toEqual([
      ['EUR', 'JPY', '160'],
      ['EUR', 'JPY', '160.5'],
      ['EUR', 'USD', '1.0837'],
      ['EUR', 'USD', '1.1'],
      ['EUR', 'ZAR', '20.5'],
    ])
  })

  it('of the ECB are read in the form of its daily file too', async () => {
    books.close()
    books = new ImportedBooks({}, { only: ['main.prices'] })
    await books.import('prices', 'Date, USD, JPY, \n15 October 2025, 1.0837, 160.5, \n', 'eurofxref.csv')
    await books.build()
    expect(await books.query('select currency, priced_at from prices order by all')).toEqual([
      ['JPY', '2025-10-15T00:00:00.000Z'],
      ['USD', '2025-10-15T00:00:00.000Z'],
    ])
  })

  it('between currencies count for five days, since markets close; after that the value is unknown', async () => {
    books.close()
    books = new ImportedBooks({ reports: { ...emptyConfig.reports, currency: 'EUR' } })
    await books.import('prices', rates, 'eurofxref-hist.csv')
    await books.trades(
      'b1,2026-01-07T00:00:00Z,main,buy,BTC,1,USD,108.37,0,',
      's1,2026-01-07T00:00:00.000001Z,main,sell,BTC,1,USD,108.37,0,',
    )
    expect(await books.gains()).toEqual(['s1 <- b1: 1 for ? cost 100 gain ?'])
    expect((await books.build()).openBreaks.map(({ checkName }) => checkName)).toEqual(['valuation'])
  })

  it('can be combined across a currency: from yen to dollars over the euro', async () => {
    books.close()
    books = gainsIn('USD')
    await books.import('prices', rates, 'eurofxref-hist.csv')
    await books.trades(
      'b1,2026-01-01T09:00:00Z,main,buy,BTC,1,JPY,16000,0,',
      's1,2026-01-01T10:00:00Z,main,sell,BTC,1,EUR,200,0,',
    )
    expect(await books.gains()).toEqual(['s1 <- b1: 1 for 220 cost 110 gain 110'])
  })

  it('value a coin that has prices only in another coin: a fee in BNB over USDT', async () => {
    books.close()
    books = new ImportedBooks(
      { reports: { ...emptyConfig.reports, currency: 'EUR' } },
      { only: ['main.lots'] },
    )
    await books.import(
      'prices',
      'time,asset,currency,price\n2026-01-01T00:00:00Z,USDT,EUR,0.9\n2026-01-01T08:00:00Z,BNB,USDT,500\n',
    )
    await books.trades('b1,2026-01-01T09:00:00Z,main,buy,BTC,1,EUR,1000,0.1,BNB')
    await books.build()
    expect(await books.query('select cost_basis_left from lots')).toEqual([['1045']])
  })

  it('for one moment and source are one: repeated they are nothing new, with another value they are refused', async () => {
    const file = (price: string) => `time,asset,currency,price\n2026-01-01,BTC,USD,${price}\n`
    await books.import('prices', file('100'))
    expect(await books.import('prices', file('100.0'))).toEqual(outcome(1, 0))
    await expect(books.import('prices', file('101'))).rejects.toMatchObject({
      details: { where: expect.stringMatching(/prices\.csv:2, column price$/), found: '101' },
    })
  })
})

describe('the command line', () => {
  it('lists the imports, including one that is not built yet and one that was withdrawn', async () => {
    const file = books.file('history.csv', [TRADE_HEADER, BOUGHT, ''].join('\n'))
    const dir = `${books.dir}/listed`
    mkdirSync(dir)
    writeFileSync(`${dir}/tieout.yaml`, 'accounts: {}\n')
    expect((await command(['import', '--list', '--dir', dir])).stdout).toBe('Nothing has been imported.\n')
    await command(['import', 'trades', file, '--no-build', '--dir', dir])
    const before = await command(['import', '--list', '--json', '--dir', dir])
    expect(JSON.parse(before.stdout)).toMatchObject([{ id: 1, file_name: 'history.csv', withdrawn_at: null }])
    expect((await command(['import', '--undo', '1', '--no-build', '--dir', dir])).code).toBe(0)
    const after = await command(['import', '--list', '--json', '--dir', dir])
    expect(JSON.parse(after.stdout)).toMatchObject([{ id: 1, withdrawn_at: expect.stringMatching(/Z$/) }])
    const table = await command(['import', '--list', '--dir', dir])
    expect(table.stdout).toMatch(/^id +kind +file_name +row_count +imported_at +withdrawn_at\n/)
    expect((await command(['import', 'trades', file, '--list', '--dir', dir])).code).toBe(2)
  }, 120_000)

  it('says how many rows a file had after it was erased, though none of them is left', async () => {
    const file = books.file('history.csv', [TRADE_HEADER, BOUGHT, SOLD, ''].join('\n'))
    const dir = `${books.dir}/erased`
    mkdirSync(dir)
    writeFileSync(`${dir}/tieout.yaml`, 'accounts: {}\n')
    await command(['import', 'trades', file, '--no-build', '--dir', dir])
    expect((await command(['erase', '1', '--yes', '--dir', dir])).code).toBe(0)
    const { stdout } = await command(['import', '--list', '--json', '--dir', dir])
    expect(JSON.parse(stdout)).toMatchObject([{ id: 1, row_count: 2 }])
    const sql = 'select row_count, (select count(*) from imported_trades) as left_over from imports'
    const asked = await command(['sql', sql, '--format', 'json', '--dir', dir])
    expect(JSON.parse(asked.stdout)).toEqual([{ row_count: 2, left_over: 0 }])
  }, 120_000)

  it('imports into a fresh folder without a configuration, publishes, and reports with code 0', async () => {
    const file = books.file('history.csv', [TRADE_HEADER, BOUGHT, SOLD, ''].join('\n'))
    const dir = `${books.dir}/fresh`
    const first = await tieout(['import', 'trades', file, '--dir', dir])
    expect(first).toMatchObject({
      code: 0,
      stdout: `Imported 2 rows of ${file}. To withdraw it: tieout import --undo 1 --dir ${dir}\nNo open breaks.\n`,
    })
    const listed = await command(['import', '--list', '--json', '--dir', dir])
    expect({ code: listed.code, list: JSON.parse(listed.stdout) }).toEqual({
      code: 0,
      list: [
        {
          id: 1,
          kind: 'trades',
          file_name: 'history.csv',
          row_count: 2,
          imported_at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T.*Z$/),
          withdrawn_at: null,
        },
      ],
    })
    const report = await command(['report', 'gains', '--format', 'json', '--method', 'lifo', '--dir', dir])
    expect(report.code).toBe(0)
    expect(JSON.parse(report.stdout)).toEqual([
      {
        account: 'main',
        coin: 'BTC',
        method: 'lifo',
        rules: 'generic',
        disposed_at: '2026-01-02T00:00:00.000Z',
        acquired_at: '2026-01-01T00:00:00.000Z',
        quantity: '1',
        proceeds: '149',
        cost_basis: '101',
        denied_loss: null,
        gain: '48',
        currency: 'USD',
        holding_days: 1,
        term: null,
        disposal_id: 's1',
        lot_id: 'b1',
        fees: '1',
      },
    ])
    const again = await command(['import', 'trades', file, '--dir', dir])
    expect(again).toMatchObject({
      code: 0,
      stdout: `Nothing new: the books already contain all of ${file} (2 rows).\nNo open breaks.\n`,
    })
  })

  it('refuses an invalid file with code 2 and creates no books from it', async () => {
    const file = books.file('bad.csv', `${TRADE_HEADER}\n${BOUGHT.replace('00:00:00Z', '00:00:00')}\n`)
    const outcome = await command(['import', 'trades', file, '--dir', `${books.dir}/fresh`])
    expect(outcome.code).toBe(2)
    expect(outcome.stderr).toContain(`where:    ${file}:2, column time`)
    const report = await command(['report', 'gains', '--dir', `${books.dir}/fresh`])
    expect(report.code).toBe(2)
  })
})

describe('books without a rate, each test with its own account', () => {
  let unrated: ImportedBooks

  beforeAll(async () => {
    unrated = new ImportedBooks({}, { only: GAINS })
    await unrated.trades(
      ...rowsOf('plain', BOUGHT, SOLD),
      ...rowsOf(
        'gifted',
        'i1,2026-01-01T00:00:00Z,main,income,BTC,1,USD,0,0,',
        's1,2026-01-02T00:00:00Z,main,sell,BTC,1,USD,150,0,',
      ),
      ...rowsOf('opened', 's1,2026-01-01T00:00:00Z,main,sell,BTC,1,USD,500,0,'),
    )
    await unrated.lots(...rowsOf('opened', 'l1,2020-05-01T12:00:00Z,main,BTC,2,100,USD'))
    await unrated.build()
  })
  afterAll(() => unrated.close())

  it('have opening lots of an account that the venue does not have as acquisitions there', async () => {
    expect(await gainsOf(unrated, 'opened')).toEqual(['s1 <- l1: 1 for 500 cost 50 gain 450'])
    const rows = await unrated.read('gains', { account: 'opened' })
    expect(rows.map((row) => row.acquired_at)).toEqual(['2020-05-01T12:00:00.000Z'])
  })

  it('show what is unknown in another currency, never zero', async () => {
    expect(await gainsOf(unrated, 'plain', { currency: 'EUR' })).toEqual(['s1 <- b1: 1 for ? cost ? gain ?'])
  })

  it('show zero as zero, whatever the rate', async () => {
    expect(await gainsOf(unrated, 'gifted', { currency: 'EUR' })).toEqual(['s1 <- i1: 1 for ? cost 0 gain ?'])
  })
})

describe('a report in another currency', () => {
  describe('with a rate for each of two days', () => {
    let rated: ImportedBooks

    beforeAll(async () => {
      rated = new ImportedBooks({}, { only: GAINS })
      await rated.import('prices', 'Date,USD,\n2026-01-02,1.25,\n2026-01-01,1.1,\n', 'eurofxref-hist.csv')
      await rated.trades(
        ...rowsOf(
          'stated',
          'b1,2026-01-01T09:00:00Z,main,buy,BTC,1,USD,110,0,',
          'b2,2026-01-01T10:00:00Z,main,buy,BTC,1,EUR,70,1,EUR',
          's1,2026-01-02T09:00:00Z,main,sell,BTC,2,USD,250,0,',
        ),
        ...rowsOf(
          'signed',
          'b1,2026-01-01T09:00:00Z,main,buy,BTC,1,USD,10,-21,USD',
          's1,2026-01-02T09:00:00Z,main,sell,BTC,1,USD,5,30,USD',
        ),
      )
      await rated.build()
    })
    afterAll(() => rated.close())

    it('values every event at the rate of its own time; what is stated in that currency needs no rate', async () => {
      expect(await gainsOf(rated, 'stated', { currency: 'EUR' })).toEqual([
        's1 <- b1: 1 for 100 cost 100 gain 0',
        's1 <- b2: 1 for 100 cost 71 gain 29',
      ])
      expect(await gainsOf(rated, 'stated')).toEqual([
        's1 <- b1: 1 for 125 cost 110 gain 15',
        's1 <- b2: 1 for 125 cost 78.1 gain 46.9',
      ])
    })

    it('keeps the sign of an amount: what a fee leaves less than nothing of', async () => {
      // -11 at 1.1, and -25 at 1.25.
      expect(await gainsOf(rated, 'signed', { currency: 'EUR' })).toEqual([
        's1 <- b1: 1 for -20 cost -10 gain -10',
      ])
    })
  })

  describe('of books in euros, in which each test has its own account and coins', () => {
    let euros: ImportedBooks

    beforeAll(async () => {
      euros = gainsIn('EUR')
      await euros.import('prices', 'Date,USD,\n2025-12-01,1.25,\n', 'eurofxref-hist.csv')
      await euros.import(
        'prices',
        [
          'time,asset,currency,price',
          '2025-12-01T09:30:00Z,BTC,EUR,800',
          '2025-12-01T09:30:00Z,BTCB,EUR,800',
          '2025-12-01T08:30:00Z,USDT,EUR,0.8',
          '2025-12-01T08:30:00Z,SOL,EUR,100',
          '',
        ].join('\n'),
      )
      await euros.trades(
        ...rowsOf(
          'fees',
          'b1,2025-12-01T09:00:00Z,main,buy,ETH,10,EUR,1000,0,',
          'x1,2025-12-01T10:00:00Z,main,buy,BTC,1,ETH,5,40,EUR',
          's1,2025-12-01T11:00:00Z,main,sell,BTC,1,EUR,900,0,',
        ),
        ...rowsOf(
          'signs',
          'b1,2025-12-01T09:00:00Z,main,buy,ETHB,10,EUR,1000,0,',
          'x1,2025-12-01T10:00:00Z,main,buy,BTCB,1,ETHB,5,1640,EUR',
        ),
        ...rowsOf(
          'coins',
          'b1,2025-12-01T09:00:00Z,main,buy,BTCC,1,EUR,800,0,',
          'b2,2025-12-01T09:00:00Z,main,buy,USDT,1000,EUR,800,0,',
          'b3,2025-12-01T09:00:00Z,main,buy,SOL,10,EUR,1000,0,',
          's1,2025-12-01T10:00:00Z,main,sell,BTCC,1,EUR,900,0,',
          's2,2025-12-01T11:00:00Z,main,sell,USDT,500,EUR,440,0,',
          's3,2025-12-01T12:00:00Z,main,sell,SOL,1,EUR,110,0,',
        ),
      )
      await euros.build()
    })
    afterAll(() => euros.close())

    it('attributes the fee of an exchange of two coins as the rules do, at the same rates', async () => {
      // Five of ETH cost 500 and bring 800. The 40 are in the cost of the BTC, off the proceeds of the ETH, or half in each.
      expect(await gainsOf(euros, 'fees', { rules: 'generic' })).toEqual([
        'x1 <- b1: 5 for 800 cost 500 gain 300',
        's1 <- x1: 1 for 900 cost 840 gain 60',
      ])
      expect(await gainsOf(euros, 'fees', { rules: 'generic', currency: 'USD' })).toEqual([
        'x1 <- b1: 5 for 1000 cost 625 gain 375',
        's1 <- x1: 1 for 1125 cost 1050 gain 75',
      ])
      expect(await gainsOf(euros, 'fees', { rules: 'us', currency: 'USD' })).toEqual([
        'x1 <- b1: 5 for 950 cost 625 gain 325',
        's1 <- x1: 1 for 1125 cost 1000 gain 125',
      ])
      expect(await gainsOf(euros, 'fees', { rules: 'uk', currency: 'USD' })).toEqual([
        'x1 <- b1: 5 for 975 cost 625 gain 350',
        's1 <- x1: 1 for 1125 cost 1025 gain 100',
      ])
      // In a coin there is no exchange of two coins beside it.
      expect(await gainsOf(euros, 'fees', { rules: 'us', currency: 'USDT' })).toEqual([
        'x1 <- b1: 5 for 1000 cost 625 gain 375',
        's1 <- x1: 1 for 1125 cost 1050 gain 75',
      ])
    })

    it('keeps the sign of what the fee of an exchange leaves of its proceeds', async () => {
      // 800 less 1,640, and less half of it: -840 and -20.
      expect(await gainsOf(euros, 'signs', { rules: 'us', currency: 'USD' })).toEqual([
        'x1 <- b1: 5 for -1050 cost 625 gain -1675',
      ])
      expect(await gainsOf(euros, 'signs', { rules: 'uk', currency: 'USD' })).toEqual([
        'x1 <- b1: 5 for -25 cost 625 gain -650',
      ])
    })

    it('may be in any coin that has a price, which then is no lot itself', async () => {
      expect(await gainsOf(euros, 'coins', { currency: 'USDT' })).toEqual([
        's1 <- b1: 1 for 1125 cost 1000 gain 125',
        's3 <- b3: 1 for 137.5 cost 125 gain 12.5',
      ])
      expect(await gainsOf(euros, 'coins', { currency: 'SOL' })).toEqual([
        's1 <- b1: 1 for 9 cost 8 gain 1',
        's2 <- b2: 500 for 4.4 cost 4 gain 0.4',
      ])
    })
  })

  it('takes stated amounts like books that were built in that currency: totals less their fees, rebates, gifts and lots', async () => {
    const fill = async (): Promise<void> => {
      // A third of a euro comes back from no rate.
      await books.import(
        'prices',
        'Date,USD,\n2026-01-02,1.2345678,\n2026-01-01,1.1234567,\n',
        'eurofxref-hist.csv',
      )
      await books.lots('l1,2026-01-01T08:00:00Z,main,BTC,3,0.333333333333333333,EUR')
      await books.trades(
        'b1,2026-01-01T09:00:00Z,main,buy,ETH,3,EUR,33.333333333333333333,0.777777777777777777,EUR',
        'b2,2026-01-01T10:00:00Z,main,gift_in,SOL,3,EUR,66.666666666666666667,0,',
        's1,2026-01-02T09:00:00Z,main,sell,BTC,3,EUR,44.444444444444444443,0.111111111111111111,EUR',
        's2,2026-01-02T09:00:00Z,main,sell,ETH,3,EUR,55.555555555555555557,-0.333333333333333331,EUR',
        's3,2026-01-02T09:00:00Z,main,sell,SOL,3,EUR,88.888888888888888889,0,',
      )
    }
    books.close()
    books = gainsIn('USD')
    await fill()
    const reported = await books.gains({ currency: 'EUR' })
    expect(reported).toEqual([
      's1 <- l1: 3 for 44.333333333333333332 cost 0.333333333333333333 gain 43.999999999999999999',
      's2 <- b1: 3 for 55.888888888888888888 cost 34.11111111111111111 gain 21.777777777777777778',
      's3 <- b2: 3 for 88.888888888888888889 cost 66.666666666666666667 gain 22.222222222222222222',
    ])
    books.close()
    books = gainsIn('EUR')
    await fill()
    expect(await books.gains()).toEqual(reported)
  })

  it('equals to the last digit books that were built in that currency: both run the models of valuation', async () => {
    const coins = [
      'time,asset,currency,price,source',
      '2026-01-02T08:00:00Z,USDT,USD,0.999,index',
      '2026-01-02T08:30:00Z,USDT,GBP,0.8,index',
      '',
    ].join('\n')
    const fill = async (): Promise<void> => {
      await books.import(
        'prices',
        'Date,USD,JPY,\n2026-01-02,1.25,160,\n2026-01-01,1.1,150,\n',
        'eurofxref-hist.csv',
      )
      await books.import('prices', coins)
      await books.trades(
        'b1,2026-01-01T09:00:00Z,main,buy,BTC,3,USD,100,0,',
        'b2,2026-01-01T10:00:00Z,main,buy,ETH,7,USD,70,1,USD',
        's1,2026-01-02T09:00:00Z,main,sell,BTC,2,USD,250,0,',
        's2,2026-01-09T09:00:00Z,main,sell,ETH,2,USD,250,0,',
      )
    }
    books.close()
    books = gainsIn('USD')
    await fill()
    // Yen over the euro; pounds over USDT, and before there is a price of it not at all; after five days nothing.
    const reported = {
      JPY: await books.gains({ currency: 'JPY' }),
      GBP: await books.gains({ currency: 'GBP' }),
    }
    expect(reported.GBP).toEqual([
      's1 <- b1: 2 for 200.2002002002002002 cost ? gain ?',
      's2 <- b2: 2 for ? cost ? gain ?',
    ])
    expect(reported.JPY[0]).toMatch(/^s1 <- b1: 2 for 32000 cost 9090\.909090909090909/)
    for (const currency of ['JPY', 'GBP'] as const) {
      books.close()
      books = gainsIn(currency)
      await fill()
      expect(await books.gains()).toEqual(reported[currency])
    }
  })

  it('needs the tables that it reads, which an older ledger may not have', async () => {
    await books.trades(BOUGHT, SOLD)
    const { path } = await books.build()
    const whole = readFileSync(path)
    for (const table of ['p2p_trades', 'price_sources']) {
      writeFileSync(path, whole)
      await alterBook(books.dir, [`drop table ${table}`])
      await expect(books.read('gains', { currency: 'EUR' })).rejects.toThrow(
        `The published ledger has no table ${table}.`,
      )
    }
  })

  it('is refused if gains are calculated in a coin: the books have to be built in the other currency', async () => {
    await books.trades(BOUGHT.replaceAll('USD', 'USDT'), SOLD.replaceAll('USD', 'USDT'))
    await expect(books.gains({ currency: 'EUR' })).rejects.toMatchObject({
      message: 'The gains are not calculated in EUR.',
      exitCode: 2,
    })
  })
})

describe('balances of an account that is known only from imports', () => {
  const KRAKEN = [
    'd1:in,2025-12-31T00:00:00Z,kraken,transfer_in,EUR,1000,,,0,',
    'b1,2026-01-01T00:00:00Z,kraken,buy,BTC,2,EUR,800,1,EUR',
    's1,2026-01-02T00:00:00Z,kraken,sell,BTC,0.5,USDT,300,0.1,BNB',
    'i1,2026-01-02T12:00:00Z,kraken,income,BTC,0.25,EUR,100,0,',
    't1:out,2026-01-03T00:00:00Z,kraken,transfer_out,BTC,1,,,0.01,BTC',
    't1:in,2026-01-03T01:00:00Z,wallet,transfer_in,BTC,0.98,,,0,',
    'g1,2026-01-04T00:00:00Z,wallet,gift_out,BTC,0.08,EUR,30,0,',
    'c1,2026-01-04T00:00:00Z,card,buy,BTC,1,EUR,400,2,EUR',
  ]

  it('are in the reports and tables: coins, and money if the file contains its movements', async () => {
    books.close()
    books = new ImportedBooks()
    await books.trades(...KRAKEN)
    await books.lots('l1,2025-01-01T00:00:00Z,wallet,ETH,2,50,EUR')
    const now = (await books.report('balances')).map(({ account, ledger, coin, quantity, own }) => [
      ...[account, ledger, coin, quantity, own],
    ])
    expect(now).toEqual([
      // 400 EUR were paid from elsewhere: the file does not tell of money on the card.
      ['card', 'IMPORT', 'BTC', '1', '1'],
      ['kraken', 'IMPORT', 'BNB', '-0.1', '-0.1'],
      // 2 - 0.5 + 0.25 - 1; the fee of 0.01 is a part of the 0.02 that did not arrive.
      ['kraken', 'IMPORT', 'BTC', '0.75', '0.75'],
      ['kraken', 'IMPORT', 'EUR', '199', '199'],
      ['kraken', 'IMPORT', 'USDT', '300', '300'],
      ['wallet', 'IMPORT', 'BTC', '0.9', '0.9'],
      ['wallet', 'IMPORT', 'ETH', '2', '2'],
    ])
    const before = await books.read('balances', { account: 'kraken', to: '2026-01-02' })
    expect(before.map(({ coin, quantity }) => [coin, quantity])).toEqual([
      ['BNB', '-0.1'],
      ['BTC', '1.75'],
      ['EUR', '199'],
      ['USDT', '300'],
    ])
    const lines = await books.read('statement', { account: 'kraken', from: '2026-01-02' })
    expect(
      lines.filter(({ coin }) => coin === 'BTC').map(({ line, kind, amount }) => [line, kind, amount]),
    ).toEqual([
      ['opening', null, '2'],
      ['movement', 'income', '0.25'],
      ['movement', 'trade', '-0.5'],
      ['movement', 'transfer', '-1'],
      ['closing', null, '0.75'],
    ])
    // Worth what the rows state; sold for USDT, which has no price, by the price of the coin: 400 for one.
    expect(
      lines.filter(({ coin }) => coin === 'BTC').map((each) => each.value ?? each.no_value_because),
    ).toEqual(['800', '100', '-200', 'an imported transfer between own accounts states no value', '300'])
    expect(
      await books.query(
        "select day, quantity from balance_history where account = 'wallet' and coin = 'BTC' order by day",
      ),
    ).toEqual([
      ['2026-01-03', '0.98'],
      ['2026-01-04', '0.9'],
    ])
    // They are no entries, and the double entry of the venue's books knows nothing of them.
    expect(await books.query('select count(*) from entries')).toEqual([[0]])
    expect((await books.build()).openBreaks.filter(({ severity }) => severity === 'error')).toEqual([])
  }, 120_000)
})

it('the list of imports fits a terminal: numbers and file names whole or wrapped, and omitted columns are named', () => {
  const file = 'ok-with-a-rather-long-name-of-a-file-2024.csv'
  const [imported_at, row_count] = ['2026-02-01T20:20:36.988Z', 2]
  const imports = [
    { id: 1, kind: 'trades', file_name: file, row_count, imported_at, withdrawn_at: null },
    {
      id: 2,
      kind: 'prices',
      file_name: 'b.csv',
      row_count,
      imported_at,
      withdrawn_at: '2026-02-02T08:00:00.000Z',
    },
  ]
  for (const width of [40, 60, 80, 100]) {
    const lines = listed(imports, width).split('\n')
    for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width)
    expect(lines.join('\n')).toMatch(/2026-02-02 08:00/)
  }
  expect(listed(imports, 40)).toContain('Left out at 40 columns (--json has')
  // Piped, whatever its width.
  expect(listed(imports, undefined)).toContain(file)
})
