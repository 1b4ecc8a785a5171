// How a workbook is written: as it is read, up to the limits of the format, completely or not at all.
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { strFromU8, unzipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { UsageError } from '../../models/error.ts'
import { nodeDisk } from '../../pipeline/journal/disk.ts'
import type { Row } from '../../pipeline/output/cell.ts'
import { asBatches, type Column, type RowBatches } from '../../pipeline/output/column.ts'
import { writeFileFrom } from '../../pipeline/output/deliver.ts'
import { Spool } from '../../pipeline/output/spool.ts'
import { PART_BYTES, SHEET_ROWS } from '../../pipeline/output/workbook.ts'
import { shownLength, xlsxBytes } from '../../pipeline/output/xlsx.ts'
import { writeReport } from '../../pipeline/reports/print.ts'
import { bytesOf, type Filled, unzipped } from '../support/workbook.ts'

const folder = (): string => mkdtempSync(join(tmpdir(), 'workbook-'))

const report = (rows: readonly Row[], columns: readonly Column[] = [{ name: 'what' }]): Filled => ({
  title: 'Things',
  columns,
  rows,
  totals: [],
  notes: [],
})

/** Temporary files of workbooks that this process has open. */
const spools = (): string[] =>
  readdirSync('/proc/self/fd')
    .map((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`)
      } catch {
        return '' // Closed since.
      }
    })
    .filter((path) => path.includes('/spool'))

/** Each row of a sheet as the text of its cells, by its letter. */
function readBack(bytes: Uint8Array): Record<string, string>[] {
  const parts = unzipSync(bytes)
  const part = (name: string): string => strFromU8(parts[name] as Uint8Array)
  const texts = [...part('xl/sharedStrings.xml').matchAll(/<t[^>]*>([^<]*)<\/t>/g)].map(([, text]) => text)
  return [...part('xl/worksheets/sheet2.xml').matchAll(/<row [^>]*>(.*?)<\/row>/g)].map(([, row]) =>
    Object.fromEntries(
      [...(row as string).matchAll(/<c r="([A-Z]+)\d+"[^>]*?( t="s")?><v>([^<]*)</g)].map(
        ([, letter, isText, value]) => [letter, isText === undefined ? value : texts[Number(value)]],
      ),
    ),
  )
}

describe('a workbook of more rows than are held in memory', () => {
  const ROWS = 200_001
  async function* rows(): RowBatches {
    for (let at = 0; at < ROWS; at += 2_048)
      yield Array.from({ length: Math.min(2_048, ROWS - at) }, (_, n) => [
        `id-${at + n}`,
        ['BTC', 'ETH', 'SOL'][(at + n) % 3] as string,
        // Only the last one has too many digits for a number.
        at + n === ROWS - 1 ? '0.1234567890123456789' : `${at + n}.5`,
      ])
  }

  test('has every row, finds out about the last amount, and leaves nothing else behind', async () => {
    const [dir, out] = [folder(), folder()]
    const file = await writeReport(
      {
        fileName: ['things'],
        title: 'Things',
        columns: [{ name: 'id' }, { name: 'coin' }, { name: 'quantity', kind: 'amount' }],
        rows: rows(),
        totals: [['sum', null, '20000199999.5']],
        notes: [],
      },
      'xlsx',
      { out, dir, terminal: { stdout: new PassThrough(), tell: () => {} } },
    )
    const bytes = readFileSync(file as string)
    const cells = readBack(bytes)
    expect(cells).toHaveLength(1 + ROWS + 1)
    expect(cells[0]).toEqual({ A: 'id', B: 'coin', C: 'quantity', D: 'quantity (exact)' })
    const wrong = cells
      .slice(1, ROWS)
      .findIndex(
        ({ A, B, C, D }, at) =>
          A !== `id-${at}` || B !== ['BTC', 'ETH', 'SOL'][at % 3] || C !== `${at}.5` || D !== `${at}.5`,
      )
    expect(wrong).toBe(-1)
    expect(cells[ROWS]).toEqual({
      A: 'id-200000',
      B: 'SOL',
      C: '0.12345678901234568',
      D: '0.1234567890123456789',
    })
    expect(cells[ROWS + 1]).toEqual({ A: 'sum', C: '20000199999.5', D: '20000199999.5' })
    expect(strFromU8(unzipSync(bytes)['xl/worksheets/sheet2.xml'] as Uint8Array)).toContain(
      '<autoFilter ref="A1:D200002"/>',
    )
    expect([readdirSync(out), readdirSync(dir), spools()]).toEqual([['things.xlsx'], [], []])
  })

  test('that is given up half-way leaves the old file, and no other', async () => {
    const dir = folder()
    const file = join(dir, 'a.xlsx')
    writeFileSync(file, 'old')
    async function* failing(): RowBatches {
      yield* rows()
      throw new Error('no more rows')
    }
    const pieces = xlsxBytes({ ...report([]), columns: [{ name: 'id' }], rows: failing() })
    await expect(writeFileFrom(nodeDisk, file, pieces)).rejects.toThrow('no more rows')
    for await (const piece of xlsxBytes({ ...report([]), columns: [{ name: 'id' }], rows: rows() })) {
      expect(piece.length).toBeGreaterThan(0)
      break
    }
    expect([readFileSync(file, 'utf8'), readdirSync(dir), spools()]).toEqual(['old', ['a.xlsx'], []])
  })
})

test('a workbook that is stopped after its rows have been read ends with code 5, and leaves the old file', async () => {
  const dir = folder()
  const file = join(dir, 'a.xlsx')
  writeFileSync(file, 'old')
  const stop = new AbortController()
  async function* rows(): RowBatches {
    yield [['a']]
    stop.abort()
  }
  const { title, columns, totals, notes } = report([])
  const written = writeReport({ fileName: ['a'], title, columns, rows: rows(), totals, notes }, 'xlsx', {
    out: file,
    dir,
    terminal: { stdout: new PassThrough(), tell: () => {} },
    signal: stop.signal,
  })
  await expect(written).rejects.toMatchObject({ exitCode: 5, message: 'The report was stopped.' })
  expect([readFileSync(file, 'utf8'), readdirSync(dir)]).toEqual(['old', ['a.xlsx']])
})

describe('a workbook at the limits of its format', () => {
  test('has no more rows than a sheet, with its headings and totals', async () => {
    // ECMA-376, as Excel documents it: 1,048,576 rows; sizes in a ZIP without its extension have 32 bits.
    expect([SHEET_ROWS, PART_BYTES]).toEqual([1_048_576, 2 ** 32 - 2])
    const room = { sheetRows: 5 }
    const full = { ...report([['a'], ['b'], ['c']]), totals: [['all']] }
    expect(readBack(await bytesOf(full, room)).map(({ A }) => A)).toEqual(['what', 'a', 'b', 'c', 'all'])
    const file = join(folder(), 'a.xlsx')
    const pieces = xlsxBytes({ ...full, rows: asBatches([['a'], ['b'], ['c'], ['d']]) }, room)
    await expect(writeFileFrom(nodeDisk, file, pieces)).rejects.toMatchObject({
      exitCode: 2,
      message: 'There are too many rows for this format.',
      details: { expected: 'at most 3 rows, which with their headings and totals fill a sheet' },
    })
    expect(existsSync(file)).toBe(false)
  })

  test('has no part, and is no file, of more bytes than a ZIP can state', async () => {
    const long = report(Array.from({ length: 2_000 }, (_, at) => [`${at} ${'<&>'.repeat(200)}`]))
    const length = (await unzipped(long))['xl/sharedStrings.xml']?.length ?? 0
    expect(length).toBeGreaterThan(2_000_000)
    await expect(bytesOf(long, { partBytes: length - 1 })).rejects.toThrow(
      'The report is too large for a workbook.',
    )
    expect((await bytesOf(long, { partBytes: length })).length).toBeGreaterThan(0)
  })
})

describe('a cell of a workbook', () => {
  test('has the text as a spreadsheet decodes it: no code becomes a character, no line break another', async () => {
    const strings = (await unzipped(report([['a_x0041_b_x'], ['c\r\nd\re']])))['xl/sharedStrings.xml']
    // ECMA-376, 22.9.2.19: `_x0041_` is A; an underscore that begins no code is written as `_x005F_`.
    expect(strings).toContain('<t>a_x005F_x0041_b_x</t>')
    // XML 1.0, 2.11: a bare carriage return is read as a line feed.
    expect(strings).toContain('<t>c&#13;\nd&#13;e</t>')
  })

  test('keeps the characters that XML discourages and allows', async () => {
    const text = '\ufdd0|\ufffd|\u{1fffe}'
    expect((await unzipped(report([[text]])))['xl/sharedStrings.xml']).toContain(`<t>${text}</t>`)
  })

  test('keeps spaces at both ends, and is left out if it is empty', async () => {
    const files = await unzipped(report([[' a '], ['']]))
    expect(files['xl/sharedStrings.xml']).toContain('<t xml:space="preserve"> a </t>')
    expect(files['xl/worksheets/sheet2.xml']).toContain('<row r="3"></row>')
  })

  test('is a text if the number or the time is none', async () => {
    const columns = [
      { name: 'n', kind: 'amount' },
      { name: 'at', kind: 'time' },
      { name: 'on', kind: 'date' },
    ] as const
    const [, row] = readBack(await bytesOf(report([['unknown', 'unknown', 'never']], columns)))
    expect(row).toEqual({ A: 'unknown', B: 'unknown', C: 'unknown', D: 'never' })
  })

  test('has the same bytes each time the same report is written', async () => {
    const once = await bytesOf(report([['a'], ['b']]))
    expect((await bytesOf(report([['a'], ['b']]))).equals(once)).toBe(true)
  })

  test('is measured as long as a spreadsheet shows its number', () => {
    const shown = new Intl.NumberFormat('en', { maximumFractionDigits: 18 })
    for (const [number, length] of [
      [0, 1],
      [-1, 2],
      [999, 3],
      [-1234.5, 8],
      [1e-8, 10],
      // 0.000123456789012346: a sheet shows 18 decimals of 0.00012345678901234567.
      [0.000_123_456_789_012_345_67, 20],
      [123456789012345, 19],
    ] as const)
      expect(shownLength(number)).toBe(length)
    fc.assert(
      fc.property(
        fc.oneof(
          fc.double({ noNaN: true, noDefaultInfinity: true }),
          fc.double({ noNaN: true, min: 1e-7, max: 1 }),
          fc.integer(),
        ),
        (number) => shownLength(number) === shown.format(number + 0).length,
      ),
    )
  })
})

describe('a spool', () => {
  const read = async (spool: Spool): Promise<string[]> => {
    const found: string[] = []
    for await (const piece of spool.pieces()) found.push(Buffer.from(piece).toString())
    return found
  }

  test.each([0, 4, 100])('returns its pieces in their order, with %i bytes in memory', async (held) => {
    const dir = folder()
    const spool = new Spool(dir, held)
    const pieces = ['one', '', 'zwölf', 'three', '4']
    for (const piece of pieces) await spool.add(Buffer.from(piece))
    expect(await read(spool)).toEqual(pieces)
    expect(await read(spool)).toEqual(pieces)
    // The file has lost its name, so it is gone with the process.
    expect([readdirSync(dir), spools().length]).toEqual([[], held === 100 ? 0 : 1])
    await spool.close()
    expect(spools()).toEqual([])
  })

  test('that has no place for a file needs none as long as it is small, and then says what to do', async () => {
    const before = process.env.TMPDIR
    process.env.TMPDIR = '/nowhere'
    try {
      const spool = new Spool('/nowhere/tmp', 3)
      await spool.add(Buffer.from('abc'))
      expect(await read(spool)).toEqual(['abc'])
      const more = spool.add(Buffer.from('d'))
      await expect(more).rejects.toBeInstanceOf(UsageError)
      await expect(more).rejects.toMatchObject({
        details: {
          where: '/nowhere',
          found: 'no folder that can be written',
          action: 'Make room there, or use --format csv or json, which need no such file.',
        },
      })
    } finally {
      if (before === undefined) delete process.env.TMPDIR
      else process.env.TMPDIR = before
    }
  })
})
