// Files that are refused: with code 2, the line and the column, what was expected and found; and nothing half imported.
import {
  appendFileSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { UsageError } from '../../models/error.ts'
import { readImport } from '../../pipeline/books/import.ts'
import type { ImportKind } from '../../pipeline/imports/format.ts'
import { importFormats } from '../../pipeline/imports/formats.ts'
import { nodeDisk } from '../../pipeline/journal/disk.ts'
import { ImportedBooks, LOT_HEADER, TRADE_HEADER } from '../support/imports.ts'

/** What is wrong with a text, read as a file of this kind. */
function refusal(kind: ImportKind, text: string | Uint8Array): UsageError {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  try {
    importFormats[kind].read({ name: 'file.csv', bytes })
  } catch (error) {
    if (error instanceof UsageError) return error
    throw error
  }
  throw new Error('The file was accepted.')
}

const GOOD = 'b1,2026-01-31T10:00:00Z,main,buy,BTC,1,USD,100,1,USD'

/** Where and what is wrong with a row that follows a good one. */
function badRow(row: string): [where: string | undefined, found: string | undefined] {
  const { details, exitCode } = refusal('trades', `${TRADE_HEADER}\n${GOOD}\n${row}\n`)
  expect(exitCode).toBe(2)
  return [details.where, details.found]
}

describe('a row of trades is refused at its line and column:', () => {
  const rows: readonly (readonly [what: string, row: string, column: string, found: string])[] = [
    ['a negative quantity', 's1,2026-02-01T10:00:00Z,main,sell,BTC,-1,USD,1,0,', 'quantity', '-1'],
    ['no quantity', 's1,2026-02-01T10:00:00Z,main,sell,BTC,0,USD,1,0,', 'quantity', '0'],
    ['an empty quantity', 's1,2026-02-01T10:00:00Z,main,sell,BTC,,USD,1,0,', 'quantity', 'an empty cell'],
    ['an exponent', 's1,2026-02-01T10:00:00Z,main,sell,BTC,1e-3,USD,1,0,', 'quantity', '1e-3'],
    ['a thousands separator', 's1,2026-02-01T10:00:00Z,main,sell,BTC,1,USD,"1,000",0,', 'total', '1,000'],
    ['a number of another alphabet', 's1,2026-02-01T10:00:00Z,main,sell,BTC,١,USD,1,0,', 'quantity', '١'],
    ['a word for a number', 's1,2026-02-01T10:00:00Z,main,sell,BTC,NaN,USD,1,0,', 'quantity', 'NaN'],
    ['a negative total', 's1,2026-02-01T10:00:00Z,main,sell,BTC,1,USD,-1,0,', 'total', '-1'],
    [
      '21 digits before the point',
      `s1,2026-02-01T10:00:00Z,main,sell,BTC,${'9'.repeat(21)},USD,1,0,`,
      'quantity',
      '9'.repeat(21),
    ],
    [
      'a local time',
      's1,2026-02-01T10:00:00,main,sell,BTC,1,USD,1,0,',
      'time',
      'a time without a zone: 2026-02-01T10:00:00',
    ],
    ['a date alone', 's1,2026-02-01,main,sell,BTC,1,USD,1,0,', 'time', 'a time without a zone: 2026-02-01'],
    [
      'an impossible date',
      's1,2026-02-30T10:00:00Z,main,sell,BTC,1,USD,1,0,',
      'time',
      'a date that does not exist: 2026-02-30T10:00:00Z',
    ],
    [
      'an impossible hour',
      's1,2026-02-01T24:00:00Z,main,sell,BTC,1,USD,1,0,',
      'time',
      'a time of day that does not exist: 2026-02-01T24:00:00Z',
    ],
    [
      'ten decimals of a second',
      's1,2026-02-01T10:00:00.0000000001Z,main,sell,BTC,1,USD,1,0,',
      'time',
      'not an ISO-8601 time: 2026-02-01T10:00:00.0000000001Z',
    ],
    ['an unknown type', 's1,2026-02-01T10:00:00Z,main,stake,BTC,1,USD,1,0,', 'type', 'stake'],
    ['a sale without a total', 's1,2026-02-01T10:00:00Z,main,sell,BTC,1,USD,,0,', 'total', 'an empty cell'],
    [
      'a sale without a currency',
      's1,2026-02-01T10:00:00Z,main,sell,BTC,1,,1,0,',
      'currency',
      'an empty cell',
    ],
    [
      'income with a currency and no value',
      'i1,2026-02-01T10:00:00Z,main,income,BTC,1,USD,,0,',
      'total',
      'an empty cell',
    ],
    [
      'a fee without a currency',
      's1,2026-02-01T10:00:00Z,main,sell,BTC,1,USD,1,2,',
      'fee_currency',
      'an empty cell',
    ],
    ['a coin for itself', 's1,2026-02-01T10:00:00Z,main,sell,BTC,1,BTC,1,0,', 'currency', 'BTC'],
    ['no id', ',2026-02-01T10:00:00Z,main,sell,BTC,1,USD,1,0,', 'id', 'an empty cell'],
    ['no account', 's1,2026-02-01T10:00:00Z,,sell,BTC,1,USD,1,0,', 'account', 'an empty cell'],
    ['a blank around a name', 's1,2026-02-01T10:00:00Z, main,sell,BTC,1,USD,1,0,', 'account', ' main'],
    ['a transfer that ties nothing', ':out,2026-02-01T10:00:00Z,main,transfer_out,BTC,1,,,0,', 'id', ':out'],
    ['a duplicate id', 'b1,2026-02-01T10:00:00Z,main,sell,BTC,1,USD,1,0,', 'id', 'b1, as in line 2'],
    ['a NUL', 's1,2026-02-01T10:00:00Z,main,sell,B\u0000TC,1,USD,1,0,', 'asset', 'U+0000'],
    ['a line break in a cell', 's1,2026-02-01T10:00:00Z,main,sell,"BTC\n",1,USD,1,0,', 'asset', 'U+000A'],
    ['a cell too few', 's1,2026-02-01T10:00:00Z,main,sell,BTC,1,USD,1,0', 'fee_currency', '9 cells'],
    ['a cell too many', 's1,2026-02-01T10:00:00Z,main,sell,BTC,1,USD,1,000,0,', '11', '11 cells'],
    ['a stray quote', 's1,2026-02-01T10:00:00Z,main,sell,B"TC,1,USD,1,0,', 'asset', 'a quote inside a cell'],
    [
      'a quote that is not closed',
      's1,2026-02-01T10:00:00Z,main,sell,"BTC,1,USD,1,0,\ns2,\n',
      'asset',
      'a quote that is not closed',
    ],
  ]

  it.each(rows)('%s', (_, row, column, found) => {
    expect(badRow(row)).toEqual([`file.csv:3, column ${column}`, found])
  })

  it('the message states the place, what was expected and found, and what to do', () => {
    const text = `${TRADE_HEADER}\r\n${GOOD}\r\n\r\ns1,2026-02-01T10:00:00Z,main,swap,BTC,1,USD,1,0,\r\n`
    expect(refusal('trades', text).describe()).toBe(
      [
        'Unknown type.',
        '  where:    file.csv:4, column type',
        '  expected: one of buy, sell, transfer_out, transfer_in, income, gift_in, gift_out',
        '  found:    swap',
        '  next:     Correct the cell and import the file again; nothing of it has been imported.',
      ].join('\n'),
    )
  })
})

describe('every invalid cell of a file is reported at once', () => {
  it('with line, column, what was expected and what was found', () => {
    const text = [
      TRADE_HEADER,
      's1,2026-02-01,main,stake,BTC,-1,USD,x,0,',
      GOOD,
      's2,2026-02-01T10:00:00Z,main,sell,BTC,1,USD,1',
      's3,2026-02-01T10:00:00Z,main,sell,B\u0000TC,1,USD,1,0,',
      'b1,2026-02-01T10:00:00Z,,buy,BTC,1,USD,100,5,',
    ].join('\n')
    expect(refusal('trades', text).describe()).toBe(
      [
        '9 cells of the file cannot be read.',
        '  file.csv:2, column time: Invalid time. Expected ISO-8601 with Z or an offset, up to nine decimals of a second: 2026-01-31T23:59:59.5Z; found a time without a zone: 2026-02-01.',
        '  file.csv:2, column type: Unknown type. Expected one of buy, sell, transfer_out, transfer_in, income, gift_in, gift_out; found stake.',
        '  file.csv:2, column quantity: An amount is negative. Expected a number above zero; found -1.',
        '  file.csv:2, column total: Not a plain decimal. Expected digits with at most one point; no exponent, no thousands separator; found x.',
        '  file.csv:4, column fee: A row has a different number of cells from the header. Expected 10 cells; found 8 cells.',
        '  file.csv:5, column asset: A cell contains a control character. Expected printable text on one line; found U+0000.',
        '  file.csv:6, column id: Two rows of the file have the same id. Expected a different id in each row; found b1, as in line 3.',
        '  file.csv:6, column account: Invalid account name. Expected 1 to 64 characters, no space at either end; found an empty cell.',
        '  file.csv:6, column fee_currency: A fee has no currency. Expected the coin or currency of the fee; found an empty cell.',
        '  next:     Correct them and import the file again; nothing of it has been imported.',
      ].join('\n'),
    )
  })

  it('up to a hundred, with the number of the others', () => {
    const rows = Array.from(
      { length: 250 },
      (_, at) => `s${at},2026-02-01T10:00:00Z,main,sell,BTC,-1,USD,1,0,`,
    )
    const lines = refusal('trades', [TRADE_HEADER, ...rows].join('\n'))
      .describe()
      .split('\n')
    expect(lines[0]).toBe('250 cells of the file cannot be read.')
    expect(lines).toHaveLength(103)
    expect(lines[100]).toContain('file.csv:101, column quantity')
    expect(lines[101]).toBe('  and 150 more')
  })

  it('of reference rates and lots too', () => {
    const rates = refusal('prices', 'Date,USD,JPY,\n2026-01-30,x,n/a,\n30.1.2026,1,2,\n').describe()
    expect(rates).toContain('file.csv:2, column USD')
    expect(rates).toContain('file.csv:2, column JPY')
    expect(rates).toContain('file.csv:3, column Date')
    const lots = refusal('lots', `${LOT_HEADER}\nl1,2026,main,BTC,0,-1,USD\n`).describe()
    expect(lots.split('\n')[0]).toBe('3 cells of the file cannot be read.')
  })
})

describe('a file is refused', () => {
  it('for a wrong header, which is shown beside the correct one', () => {
    const { details } = refusal('trades', TRADE_HEADER.replace('quantity', 'amount'))
    expect(details).toMatchObject({
      where: 'file.csv:1, column quantity',
      expected: TRADE_HEADER,
      found: TRADE_HEADER.replace('quantity', 'amount'),
    })
  })

  it('for a header without a required column, and for no header at all', () => {
    const short = TRADE_HEADER.replace(',fee_currency', '')
    expect(refusal('trades', short).details.where).toBe('file.csv:1, column fee_currency')
    expect(refusal('trades', '').details.found).toBe('an empty file')
  })

  it('for the header of another kind of file', () => {
    expect(refusal('lots', TRADE_HEADER).details.expected).toBe(`${LOT_HEADER} or ${LOT_HEADER},note`)
  })

  it('for bytes that are not valid UTF-8, with their line', () => {
    const bytes = Buffer.concat([Buffer.from(`${TRADE_HEADER}\n${GOOD}\n`), Buffer.from([0x73, 0xff, 0x0a])])
    expect(refusal('trades', bytes).details).toMatchObject({
      where: 'file.csv:3',
      found: 'bytes that are not valid UTF-8',
    })
  })

  it('for a price of zero, of a coin in itself, given twice, or under a name reserved for the books', () => {
    const of = (row: string) => refusal('prices', `time,asset,currency,price,source\n${row}\n`).details
    expect(of('2026-01-31,BTC,USD,0,x').where).toBe('file.csv:2, column price')
    expect(of('2026-01-31,BTC,BTC,1,x').where).toBe('file.csv:2, column currency')
    expect(of('2026-01-31,BTC,USD,1,trades').where).toBe('file.csv:2, column source')
    expect(of('2026-01-31,BTC,USD,1,x\n2026-01-31T00:00:00Z,BTC,USD,2,x').where).toBe(
      'file.csv:3, column price',
    )
  })

  it('for a reference rate that is not a number, with its currency', () => {
    expect(refusal('prices', 'Date,USD,JPY,\n2026-01-30,1.0837,n/a,\n').details).toMatchObject({
      where: 'file.csv:2, column JPY',
      found: 'n/a',
    })
  })
})

describe('a file is accepted', () => {
  it('with notes over several lines beside the lots of a worksheet, and its line numbers stay correct', () => {
    const lot = (id: string, note: string) => `${id},2025-01-31T10:00:00Z,main,BTC,1,100,USD,${note}`
    const text = [`${LOT_HEADER},note`, lot('l1', '"bought at\r\nthe meeting"'), lot('l2', 'x'), ''].join(
      '\r\n',
    )
    const rows = importFormats.lots.read({ name: 'lots.csv', bytes: Buffer.from(text) })
    expect(rows.map(({ line }) => line)).toEqual([2, 4])
  })

  it('with a byte-order mark, CRLF, quotes, empty lines, rebates and every form of a time', () => {
    const text = [
      `\ufeff${TRADE_HEADER}`,
      '"b1",2026-01-31T10:00Z,main,buy,BTC,.5,USD,100,,',
      '',
      'b2,2026-01-31T10:00:00.123456789+01:30,"main, the first",buy,BTC,1.,USD,100,-1,USD',
      'b3,2026-01-31T10:00:00-0800,main,buy,BTC,0.000000000000000001,USD,99999999999999999999,1,BTC',
    ].join('\r\n')
    const rows = importFormats.trades.read({ name: 'file.csv', bytes: Buffer.from(text) })
    expect(rows.map(({ line, values }) => [line, values[1], values[2], values[6], values[9]])).toEqual([
      [2, BigInt(Date.parse('2026-01-31T10:00:00Z')) * 1000n, 0, 500_000_000_000_000_000n, 0n],
      [4, BigInt(Date.parse('2026-01-31T08:30:00Z')) * 1000n + 123_456n, 789, 10n ** 18n, -(10n ** 18n)],
      [5, BigInt(Date.parse('2026-01-31T18:00:00Z')) * 1000n, 0, 1n, 10n ** 18n],
    ])
  })
})

describe('what is refused', () => {
  let books: ImportedBooks

  beforeEach(() => {
    books = new ImportedBooks({}, { only: ['main.imported_trades'] })
  })

  afterEach(() => {
    books.close()
  })

  it('leaves the books unchanged, also if only the last row is wrong', async () => {
    await books.trades('b1,2026-01-31T10:00:00Z,main,buy,BTC,1,USD,100,0,')
    await expect(
      books.trades(
        'b2,2026-02-01T10:00:00Z,main,buy,BTC,1,USD,200,0,',
        's1,2026-02-02T10:00:00,main,sell,BTC,2,USD,500,0,',
      ),
    ).rejects.toMatchObject({ exitCode: 2 })
    await books.build()
    expect(await books.query('select id from imported_trades')).toEqual([['b1']])
  })

  it('is an id with different content: both rows are named', async () => {
    await books.import(
      'trades',
      `${TRADE_HEADER}\nb1,2026-01-31T10:00:00Z,main,buy,BTC,1,USD,100,0,`,
      'one.csv',
    )
    const again = books.import(
      'trades',
      `${TRADE_HEADER}\nb0,2026-01-30T10:00:00Z,main,buy,BTC,1,USD,90,0,\nb1,2026-01-31T10:00:00Z,main,buy,BTC,1,USD,101,0,`,
      'two.csv',
    )
    await expect(again).rejects.toMatchObject({
      message: 'The books have this row with a different total.',
      exitCode: 2,
      details: {
        where: expect.stringMatching(/two\.csv:3, column total$/),
        expected: '100, as in row 1 of one.csv, imported before',
        found: '101',
        action:
          'If rows were corrected, withdraw the import that has them (`tieout import --undo 1`) and import all of its rows again. ' +
          'A different row needs a different id. Nothing of the file has been imported.',
      },
    })
    await books.build()
    expect(await books.query('select id, total from imported_trades')).toEqual([['b1', '100']])
  })

  it('is each id with different content, not only the first', async () => {
    await books.trades(GOOD, GOOD.replace('b1', 'b2'))
    const again = books.trades(
      GOOD.replace(',100,', ',101,'),
      GOOD.replace('b1', 'b2').replace(',100,', ',102,'),
    )
    await expect(again).rejects.toMatchObject({
      ...{ count: 2, exitCode: 2 },
      details: { action: expect.stringMatching(/^If rows were corrected, withdraw the import/) },
    })
  })

  it('is an id that both a trade and a lot have', async () => {
    await books.trades('b1,2026-01-31T10:00:00Z,main,buy,BTC,1,USD,100,0,')
    await expect(books.lots('b1,2025-01-31T10:00:00Z,main,BTC,1,50,USD')).rejects.toMatchObject({
      details: { found: 'b1, as in trades.csv' },
    })
  })

  it('is a currency in lower case, which would be a coin of that name', async () => {
    await expect(books.trades('b1,2026-01-31T10:00:00Z,main,buy,BTC,1,usd,100,0,')).rejects.toMatchObject({
      details: { where: expect.stringMatching(/:2, column currency$/), expected: 'USD', found: 'usd' },
    })
  })

  it.each([
    ['btc', 'BTC', 'asset', 'b1,2026-01-31T10:00:00Z,main,buy,btc,1,USD,100,0,'],
    ['Usdt', 'USDT', 'currency', 'b1,2026-01-31T10:00:00Z,main,buy,SOL,1,Usdt,100,0,'],
  ])(
    'is a common coin in lower case (%s), which would be a different coin',
    async (found, expected, column, row) => {
      await expect(books.trades(row)).rejects.toMatchObject({
        message: 'A coin code is not in upper case.',
        details: { where: expect.stringMatching(new RegExp(`:2, column ${column}$`)), expected, found },
      })
    },
  )

  it.each([
    ['U+200B', 'asset', 'b1,2026-01-31T10:00:00Z,main,buy,BTC\u200b,1,USD,100,0,'],
    ['U+FE0F', 'asset', 'b1,2026-01-31T10:00:00Z,main,buy,BTC\ufe0f,1,USD,100,0,'],
    ['U+2060', 'id', 'b1\u2060,2026-01-31T10:00:00Z,main,buy,BTC,1,USD,100,0,'],
    ['U+00A0', 'account', 'b1,2026-01-31T10:00:00Z,my\u00a0wallet,buy,BTC,1,USD,100,0,'],
    ['U+0085', 'account', 'b1,2026-01-31T10:00:00Z,my\u0085wallet,buy,BTC,1,USD,100,0,'],
  ])(
    'is a name with an invisible character (%s), which would be a different name',
    async (sign, column, row) => {
      await expect(books.trades(row)).rejects.toMatchObject({
        message: 'A cell contains an invisible character.',
        details: {
          where: expect.stringMatching(new RegExp(`:2, column ${column}$`)),
          found: expect.stringContaining(`${sign} in `),
        },
      })
    },
  )

  it('is not a name with a plain space, or with an emoji of several characters', async () => {
    const { added } = await books.trades(
      'b1,2026-01-31T10:00:00Z,\u2744\ufe0f cold,buy,BTC,1,USD,100,0,',
      'b2,2026-01-31T10:00:00Z,\u{1f468}\u200d\u{1f469}\u200d\u{1f467},buy,BTC,1,USD,100,0,',
    )
    expect(added).toBe(2)
  })

  it('is a row of a worksheet that has not been filled in', async () => {
    await expect(books.lots('b1,2025-01-31T10:00:00Z,main,BTC,1,,USD')).rejects.toMatchObject({
      message: 'A lot has no basis.',
      details: { where: expect.stringMatching(/:2, column basis$/), found: 'an empty cell' },
    })
  })

  it('is a time in the future, in every kind of file', async () => {
    const refused = (column: string, found: string) => ({
      message: 'A time is in the future.',
      details: { where: expect.stringMatching(new RegExp(`:2, column ${column}$`)), found },
    })
    await expect(books.trades('b1,2062-01-31T10:00:00Z,main,buy,BTC,1,USD,100,0,')).rejects.toMatchObject(
      refused('time', '2062-01-31T10:00:00.000Z'),
    )
    await expect(books.lots('b1,2099-01-31T10:00:00Z,main,BTC,1,50,USD')).rejects.toMatchObject(
      refused('time', '2099-01-31T10:00:00.000Z'),
    )
    await expect(
      books.import('prices', 'time,asset,currency,price\n2062-02-01,BTC,USD,3\n'),
    ).rejects.toMatchObject(refused('time', '2062-02-01T00:00:00.000Z'))
    const kraken = 'txid,refid,time,type,subtype,aclass,asset,amount,fee,balance'
    const deposit = 'L2,D1,2062-03-01 11:00:00,deposit,,currency,XXBT,1,0,1'
    await expect(
      books.import('trades', `${kraken}\n${deposit}\n`, 'ledgers.csv', { account: 'kraken' }),
    ).rejects.toMatchObject(refused('time', '2062-03-01T11:00:00.000Z'))
  })

  const BYTES = TRADE_HEADER.length + GOOD.length + 2
  it.each<readonly [what: string, change: (path: string) => void, found: string]>([
    [
      'grows',
      (path) => appendFileSync(path, `${GOOD.replace('b1', 'b2')}\n`),
      `a file of ${BYTES + GOOD.length + 1} bytes`,
    ],
    ['is cut', (path) => truncateSync(path, 100), 'a file of 100 bytes'],
    [
      'is written anew at the same length',
      (path) => {
        writeFileSync(path, readFileSync(path, 'utf8').replace(',100,', ',900,'))
        // The clock of some file systems goes by several milliseconds.
        utimesSync(path, 1_700_000_000, 1_700_000_000)
      },
      `a file of ${BYTES} bytes`,
    ],
    [
      'gives way to another',
      (path) => {
        writeFileSync(`${path}.new`, readFileSync(path))
        renameSync(`${path}.new`, path)
      },
      `a file of ${BYTES} bytes`,
    ],
    ['is removed', (path) => rmSync(path), 'no file with this name'],
  ])('is a file that %s while it is read', async (_what, change, found) => {
    const path = books.file('moving.csv', `${TRADE_HEADER}\n${GOOD}\n`)
    const disk = {
      ...nodeDisk,
      readFile: async (name: string) => {
        const bytes = await nodeDisk.readFile(name)
        change(name)
        return bytes
      },
    }
    await expect(readImport(disk, 'trades', path, { dir: books.dir })).rejects.toMatchObject({
      name: 'UsageError',
      message: 'The file changed while it was being read.',
      details: { where: path, found: expect.stringContaining(found) },
    })
  })

  it('is a file that does not exist, or is not a file', async () => {
    await expect(readImport(nodeDisk, 'trades', `${books.dir}/none.csv`, books)).rejects.toMatchObject({
      exitCode: 2,
      details: { found: 'no file with this name' },
    })
    await expect(readImport(nodeDisk, 'trades', books.dir, books)).rejects.toMatchObject({
      exitCode: 2,
      details: { found: 'a folder (EISDIR)' },
    })
  })
})
