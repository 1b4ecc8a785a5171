// How cells are printed: exact in every format, lined up for people, harmless in a terminal, a spreadsheet and a page.
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { UsageError } from '../../models/error.ts'
import { type Disk, DiskError, HOST, nodeDisk } from '../../pipeline/journal/disk.ts'
import type { Cell, Row } from '../../pipeline/output/cell.ts'
import { asBatches, type Column } from '../../pipeline/output/column.ts'
import { csvText } from '../../pipeline/output/csv.ts'
import { outFile, safeFileName, writeFileFrom, writeOut } from '../../pipeline/output/deliver.ts'
import { htmlText } from '../../pipeline/output/html.ts'
import { jsonText } from '../../pipeline/output/json.ts'
import { cssString, h, written } from '../../pipeline/output/markup.ts'
import { printTable } from '../../pipeline/output/table.ts'
import { readValue } from '../../pipeline/output/value.ts'
import { isExactInSheet } from '../../pipeline/output/xlsx.ts'
import { unzipped } from '../support/workbook.ts'

async function joined(pieces: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const piece of pieces) text += piece
  return text
}

async function* one(text: string): AsyncIterable<string> {
  yield text
}

const names = (...columns: string[]): Column[] => columns.map((name) => ({ name }))

describe('reading a value of DuckDB', () => {
  let connection: DuckDBConnection
  beforeAll(async () => {
    connection = await (await DuckDBInstance.create(':memory:')).connect()
    await connection.run("set timezone = 'Asia/Tokyo'")
  })
  afterAll(() => connection.closeSync())

  const read = async (expression: string): Promise<Cell> => {
    const result = await connection.run(`select ${expression}`)
    return (await result.convertRows(readValue))[0]?.[0] as Cell
  }

  test.each<[string, Cell]>([
    ["'12345678901234567890.123456789012345678'::decimal(38,18)", '12345678901234567890.123456789012345678'],
    ["'1.500'::decimal(38,18)", '1.5'],
    ["'-0.000000000000000001'::decimal(38,18)", '-0.000000000000000001'],
    ["'-0.10'::decimal(4,2)", '-0.1'],
    ["'100'::decimal(38,18)", '100'],
    ["'0'::decimal(38,18)", '0'],
    ["'100'::decimal(10,0)", '100'],
    ['9007199254740991::bigint', 9007199254740991],
    ['9007199254740993::bigint', '9007199254740993'],
    ['170141183460469231731687303715884105727::hugeint', '170141183460469231731687303715884105727'],
    ["timestamptz '2025-01-31 23:59:59.123+00'", '2025-01-31T23:59:59.123Z'],
    ["timestamptz '2025-01-31 23:59:59.123456+00'", '2025-01-31T23:59:59.123456Z'],
    ["timestamptz '1969-12-31 23:59:59.999999+00'", '1969-12-31T23:59:59.999999Z'],
    ["'infinity'::timestamptz", 'infinity'],
    ["date '2024-02-29'", '2024-02-29'],
    ["'NaN'::double", 'NaN'],
    ['0.5::double', 0.5],
    ['true', true],
    ['null::decimal(38,18)', null],
    ['[1.50::decimal(5,2), null]', ['1.5', null]],
    ["{'a': 1.50::decimal(5,2), 'b': ['x']}", { a: '1.5', b: ['x'] }],
    ["map {'k': 2.0::decimal(5,2)}", [{ key: 'k', value: '2' }]],
  ])('%s reads as %j', async (expression, cell) => {
    expect(await read(expression)).toEqual(cell)
  })
})

describe('a table', () => {
  test('aligns amounts at the decimal point and numbers at the right, and puts totals below a rule', () => {
    const columns: Column[] = [
      { name: 'coin' },
      { name: 'quantity', kind: 'amount' },
      { name: 'count', title: 'rows', kind: 'number' },
    ]
    const rows = [
      ['BTC', '0.5', 3],
      ['USDT', '-10123.25', 12],
      ['日本', '7', null],
    ]
    expect(printTable(columns, rows, { totals: [['all', '-10115.25', 15]] })).toBe(
      [
        'coin   quantity  rows',
        '────  ─────────  ────',
        'BTC        0.5      3',
        'USDT  -10123.25    12',
        '日本       7',
        '────  ─────────  ────',
        'all   -10115.25    15',
      ].join('\n'),
    )
  })

  test('without rows is only its heading', () => {
    expect(printTable(names('a', 'b'), [])).toBe('a  b\n─  ─')
  })

  test('cuts only running text to the width of the terminal', () => {
    const columns: Column[] = [{ name: 'text' }, { name: 'amount', kind: 'amount' }]
    const table = printTable(columns, [['a sentence that is rather long', '12345678.123']], { width: 26 })
    expect(table.split('\n')[2]).toBe('a sentence …  12345678.123')
  })

  test('shows control and direction characters as codes instead of obeying them', () => {
    const table = printTable(names('a'), [['\u001b[2Jgone\u202e\nnext']])
    expect(table.split('\n')[2]).toBe('\\u{1b}[2Jgone\\u{202e}\\nnext')
  })
})

describe('CSV', () => {
  test('quotes commas, quotes and line breaks, and distinguishes null from an empty text', async () => {
    const rows: Row[] = [['a,b', 'say "x"', 'two\nlines', null, '']]
    expect(await joined(csvText(names('a', 'b', 'c', 'd', 'e'), asBatches(rows)))).toBe(
      'a,b,c,d,e\n"a,b","say ""x""","two\nlines",,""\n',
    )
  })

  test('is read back by DuckDB as the same values', async () => {
    const connection = await (await DuckDBInstance.create(':memory:')).connect()
    const file = join(mkdtempSync(join(tmpdir(), 'output-')), 'a.csv')
    const rows: Row[] = [
      ['1', 'a,"b"\r\nc', '12345678901234567890.123456789012345678', null],
      ['2', '', '-1', 'é日本'],
    ]
    await writeFileFrom(nodeDisk, file, csvText(names('id', 'text', 'amount', 'more'), asBatches(rows)))
    const result = await connection.run(
      `select * from read_csv('${file}', header = true, all_varchar = true, allow_quoted_nulls = false)`,
    )
    expect(await result.convertRows(readValue)).toEqual(rows)
    connection.closeSync()
  })

  test.each([
    ['=1+1', "'=1+1"],
    ['+cmd', "'+cmd"],
    ['-2+3', "'-2+3"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\r=1', '"\'\r=1"'],
    ['=HYPERLINK("x","y")', '"\'=HYPERLINK(""x"",""y"")"'],
    ['-1.5', '-1.5'],
    ['+1', '+1'],
    ['-1e-7', '-1e-7'],
    ['-', "'-"],
    ['a=1', 'a=1'],
  ])('keeps a spreadsheet from running %j', async (cell, field) => {
    expect(await joined(csvText(names('a'), asBatches([[cell]])))).toBe(`a\n${field}\n`)
  })
})

describe('JSON', () => {
  test('is one array of objects with amounts as text, over any number of batches', async () => {
    async function* batches(): AsyncIterable<Row[]> {
      yield [['1.5', null]]
      yield []
      yield [['2', { a: ['x'] }]]
    }
    const text = await joined(jsonText(names('quantity', '__proto__'), batches()))
    expect(text).toBe(
      '[\n{"quantity":"1.5","__proto__":null},\n{"quantity":"2","__proto__":{"a":["x"]}}\n]\n',
    )
  })

  test('without rows is an empty array', async () => {
    expect(await joined(jsonText(names('a'), asBatches([])))).toBe('[]\n')
  })
})

describe('HTML', () => {
  test('escapes every text and loads nothing', async () => {
    const page = await joined(
      htmlText({
        title: 'Gains <2025> & "more"',
        columns: [{ name: '<i>' }, { name: 'gain', kind: 'amount' }],
        rows: asBatches([['<script>alert(1)</script>', '-1.5']]),
        totals: [['all', '-1.5']],
        notes: ["it's <b>", 'less `owed`: `tieout explain <ID>`, and one ` alone'],
      }),
    )
    expect(page).toContain('<title>Gains &lt;2025&gt; &amp; &quot;more&quot;</title>')
    expect(page).toContain(
      '<tr><th scope="row">&lt;script&gt;alert(1)&lt;/script&gt;</th><td>-1.5</td></tr>\n</tbody><tfoot>',
    )
    expect(page).toContain('<li>it&#39;s &lt;b&gt;</li>')
    expect(page).toContain(
      '<li>less <code>owed</code>: <code>tieout explain &lt;ID&gt;</code>, and one ` alone</li>',
    )
    expect(page).toContain("default-src 'none'")
    expect(page).not.toMatch(/<script|<link|src=|href=/)
  })

  test('sets commands in the project’s own sentences as code, and shows what was received as it is', async () => {
    const said = 'run `tieout sync` <again>'
    const page = await joined(
      htmlText({
        ...{ title: 'Breaks', totals: [], notes: [] },
        columns: ['type', 'explanation', 'no_value_because', 'note'].map((name) => ({ name })),
        rows: asBatches([[said, said, said, said]]),
      }),
    )
    const asCode = 'run <code>tieout sync</code> &lt;again&gt;'
    const asItIs = 'run `tieout sync` &lt;again&gt;'
    expect(page).toContain(
      `<th scope="row">${asItIs}</th><td>${asCode}</td><td>${asCode}</td><td>${asItIs}</td>`,
    )
  })

  test('shows instants as they are read, with every digit that they have, under a heading that states the zone', async () => {
    const at = [
      '2026-01-07T10:00:00.000Z',
      '2026-01-07T10:00:00.040Z',
      '2026-01-07T10:00:00.000123Z',
      'infinity',
    ]
    const page = await joined(
      htmlText({
        ...{ title: 'Times', totals: [], notes: [] },
        columns: [{ name: 'sold_at', kind: 'time' }],
        rows: asBatches(at.map((time) => [time])),
      }),
    )
    expect(page).toContain('<th scope="col">sold at (UTC)</th>')
    expect([...page.matchAll(/<th scope="row">([^<]*)</g)].map(([, text]) => text)).toEqual([
      '2026-01-07 10:00:00',
      '2026-01-07 10:00:00.040',
      '2026-01-07 10:00:00.000123',
      'infinity',
    ])
  })

  test('shows instants in local time of its zone, even across a change of clocks, and states that in the heading', async () => {
    const at = ['2026-03-29T00:30:00.5Z', '2026-03-29T01:00:00.000Z', '2026-04-05T23:00:00.000Z']
    const page = await joined(
      htmlText({
        ...{ title: 'Times', totals: [], notes: [], zone: 'Europe/London' },
        columns: [{ name: 'sold_at', kind: 'time' }],
        rows: asBatches(at.map((time) => [time])),
      }),
    )
    expect(page).toContain('<th scope="col">sold at (Europe/London)</th>')
    expect([...page.matchAll(/<th scope="row">([^<]*)</g)].map(([, text]) => text)).toEqual([
      '2026-03-29 00:30:00.5',
      '2026-03-29 02:00:00',
      '2026-04-06 00:00:00',
    ])
  })

  test('of a stream is the same, whatever is in it', async () => {
    async function* rows() {
      yield [h('td', {}, '<b>')]
      yield [asBatches([]) as AsyncIterable<never>, 'a & b']
    }
    expect(await joined(written(h('tr', { class: '"><i>' }, rows())))).toBe(
      '<tr class="&quot;&gt;&lt;i&gt;"><td>&lt;b&gt;</td>a &amp; b</tr>',
    )
  })

  test('links nowhere else and has no style that could end itself', async () => {
    await expect(joined(written(h('a', { href: 'javascript:alert(1)' })))).rejects.toThrow(
      'A document cannot link elsewhere',
    )
    await expect(joined(written(h('style', {}, '</style><b>')))).rejects.toThrow('may contain only rules')
    expect(cssString('a"}</style>\\')).toBe('"a\\22 \\7d \\3c \\2f style\\3e \\5c "')
  })
})

describe('XLSX', () => {
  const report = (amounts: string[]) => ({
    title: 'Balances',
    columns: [
      { name: 'coin', kind: 'text' as const },
      { name: 'quantity', kind: 'amount' as const },
    ],
    rows: amounts.map((amount) => ['=BTC', amount]),
    totals: [],
    notes: ['1 open warning'],
  })
  const sheet = async (amounts: string[]): Promise<{ cells: string; strings: string }> => {
    const files = await unzipped(report(amounts))
    return {
      cells: files['xl/worksheets/sheet2.xml'] as string,
      strings: files['xl/sharedStrings.xml'] as string,
    }
  }

  test('writes amounts as numbers, with a filter over the rows and the heading frozen', async () => {
    const { cells, strings } = await sheet(['0.5', '-123456789.123456'])
    expect(cells).toContain('<v>0.5</v>')
    expect(cells).toContain('<v>-123456789.123456</v>')
    expect(cells).not.toContain('<f>')
    expect(cells).toMatch(/<\/sheetData><autoFilter ref="A1:B3"\/>/)
    expect(cells).toContain('state="frozen"')
    expect(strings).not.toContain('exact')
  })

  test('is as wide as its content, wraps longer texts, and shows no amount as a power of ten', async () => {
    const files = await unzipped({
      title: 'Gains & <losses>',
      columns: [{ name: 'what' }, { name: 'note' }, { name: 'quantity', kind: 'amount' }],
      rows: [
        ['a name of twenty-six signs', 'n'.repeat(150), '0.00000001'],
        ['b', null, '1234567'],
      ],
      totals: [],
      notes: ['m'.repeat(300)],
    })
    const [cover, cells] = [files['xl/worksheets/sheet1.xml'], files['xl/worksheets/sheet2.xml']]
    const widths = [...(cells as string).matchAll(/<col [^>]*width="(\d+)"/g)].map(([, width]) =>
      Number(width),
    )
    // One more than the widest text; the longest column ends at 60; 0.00000001 is shorter than its heading with the button.
    expect(widths).toEqual([27, 61, 12])
    // 150 letters in 61 digits, of which a tenth more letters fit: three lines; 300 letters of the cover in 100: three.
    expect(cells).toMatch(/<row r="2"[^>]*ht="42"/)
    expect(cover).toMatch(/<row r="2"[^>]*ht="42"/)
    expect(cells).not.toMatch(/<row r="3"[^>]*ht=/)
    expect(files['xl/styles.xml']).toContain('#,##0.00################')
    expect(files['xl/styles.xml']).toMatch(/wrapText="(1|true)"/)
  })

  test('prints totals in the bold font of the headings, in columns wide enough for it', async () => {
    const amount = '-123456789012.123456789'
    const files = await unzipped({
      ...report(['1']),
      columns: [{ name: 'n', kind: 'amount' }],
      rows: [['1']],
      totals: [[amount]],
    })
    const fonts = [...(files['xl/styles.xml'] as string).matchAll(/<font>.*?<\/font>/g)].map(([font]) => font)
    const bolds = fonts.filter((font) => font.includes('<b/>'))
    expect(bolds.length).toBeGreaterThan(0)
    // A font without a name is whatever the spreadsheet falls back to.
    for (const font of bolds) expect(font).toContain('<name val="Arial"/>')
    const widths = [...(files['xl/worksheets/sheet2.xml'] as string).matchAll(/<col [^>]*width="(\d+)"/g)]
    // Bold digits are wider than those by which columns are measured: 23 of them take the room of 25.3.
    expect(Number(widths[1]?.[1])).toBeGreaterThanOrEqual(26)
  })

  test('shows the milliseconds of an instant, without which the last one of a year would be rounded to the next', async () => {
    const files = await unzipped({
      title: 'Gains',
      columns: [
        { name: 'sold_at', kind: 'time' },
        { name: 'bought_at', kind: 'time' },
        { name: 'sold_on', kind: 'date' },
      ],
      rows: [['2026-12-31T23:59:59.935Z', '2026-01-07T12:00:00.000Z', '2026-12-31']],
      totals: [],
      notes: [],
    })
    const cells = files['xl/worksheets/sheet2.xml'] as string
    const styles = files['xl/styles.xml'] as string
    const formats = new Map(
      [...styles.matchAll(/<numFmt numFmtId="(\d+)" formatCode="([^"]*)"/g)].map(([, id, code]) => [
        id,
        code,
      ]),
    )
    const used = [...styles.replace(/^.*<cellXfs/s, '').matchAll(/<xf [^>]*?(?:numFmtId="(\d+)"[^>]*)?\/?>/g)]
    const shown = [...cells.matchAll(/<c r="[A-C]2" s="(\d+)"[^>]*><v>([^<]*)</g)].map(
      ([, style, value]) => `${value?.slice(0, 14)} as ${formats.get(used[Number(style)]?.[1])}`,
    )
    expect(shown).toEqual([
      '46387.99999924 as yyyy-mm-dd hh:mm:ss.000',
      '46029.5 as yyyy-mm-dd hh:mm:ss',
      '46387 as yyyy-mm-dd',
    ])
    expect([...cells.matchAll(/<col [^>]*width="(\d+)"/g)].map(([, width]) => width)).toEqual([
      '25',
      '21',
      '21',
    ])
  })

  test('is printed as wide as a page, with the headings and the title on each', async () => {
    const files = await unzipped({ ...report(['1']), title: 'Gains & <losses>' })
    for (const sheet of ['sheet1', 'sheet2']) {
      const xml = files[`xl/worksheets/${sheet}.xml`]
      expect(xml).toMatch(/<worksheet [^>]*><sheetPr><pageSetUpPr fitToPage="1"\/><\/sheetPr></)
      expect(xml).toMatch(/<pageSetup paperSize="9" orientation="landscape" fitToHeight="0"\/><headerFooter>/)
      expect(xml).toContain(
        '<oddHeader>&amp;LGains &amp;&amp; &lt;losses&gt;&amp;RPage &amp;P of &amp;N</oddHeader>',
      )
    }
    expect(files['xl/workbook.xml']).toContain(
      '<definedName name="_xlnm.Print_Titles" localSheetId="1">Report!$1:$1</definedName>',
    )
  })

  test('keeps the exact text beside a column of numbers that lose digits, so that both sums and digits are available', async () => {
    const { cells, strings } = await sheet(['0.5', '123456789.123456789012345678'])
    expect(cells).toContain('<v>0.5</v>')
    expect(cells).toContain('<v>123456789.12345679</v>')
    expect(strings).toContain('123456789.123456789012345678')
    expect(strings).toContain('quantity (exact)')
  })

  test('writes times and dates as dates, labelled with their zone, and those too old for spreadsheets as text', async () => {
    const files = await unzipped({
      title: 't',
      columns: [
        { name: 'at', kind: 'time' },
        { name: 'on', kind: 'date' },
      ],
      rows: [
        ['2026-01-02T12:00:00.000Z', '2026-01-02'],
        ['1815-06-18T12:00:00.000Z', null],
      ],
      totals: [],
      notes: [],
    })
    // 46024 days after 1899-12-30, by hand: 126 years of 365 days, 31 leap days, and four days.
    expect(files['xl/worksheets/sheet2.xml']).toContain('<v>46024.5</v>')
    expect(files['xl/worksheets/sheet2.xml']).toContain('<v>46024</v>')
    expect(files['xl/sharedStrings.xml']).toContain('at (UTC)')
    expect(files['xl/sharedStrings.xml']).toContain('1815-06-18T12:00:00.000Z')
  })

  test('opens with a cover: what makes it incomplete, what it was made from, and the notes', async () => {
    const files = await unzipped({
      ...report(['1']),
      warnings: ['INCOMPLETE: 1 of 2 (`tieout explain ID`)'],
      facts: [['Ledger', 'SHA-256 abc']],
      notes: ['1 open warning', 'less the lines `owed`'],
    })
    const cover = files['xl/worksheets/sheet1.xml'] as string
    expect(files['xl/workbook.xml']).toMatch(/name="Cover".*name="Report"/s)
    const strings = [...(files['xl/sharedStrings.xml'] as string).matchAll(/<t[^>]*>([^<]*)</g)].map(
      ([, text]) => text,
    )
    const shown = [...cover.matchAll(/<v>(\d+)<\/v>/g)].map(([, at]) => strings[Number(at)])
    expect(shown).toEqual([
      report([]).title,
      'INCOMPLETE: 1 of 2 (tieout explain ID)',
      'Ledger: SHA-256 abc',
      '1 open warning',
      'less the lines owed',
    ])
  })

  test('writes a whole number of 16 digits as text, and shows what XML cannot contain', async () => {
    const files = await unzipped({
      ...report([]),
      columns: [{ name: 'page', kind: 'number' }, { name: 'text' }],
      rows: [[9007199254740991, 'a\u0001b\ud800']],
    })
    const strings = files['xl/sharedStrings.xml']
    expect(strings).toContain('9007199254740991')
    expect(strings).toContain('a\\u{1}b\\u{d800}')
  })

  test.each([
    ['0', true],
    ['-0.000000000000000001', true],
    ['999999999999999', true],
    ['9999999999999999', false],
    ['0.1234567890123456', false],
    ['10000000000000000000', true],
  ])('%s fits a cell: %s', (amount, fits) => {
    expect(isExactInSheet(amount)).toBe(fits)
  })
})

describe('a file', () => {
  const folder = (): string => mkdtempSync(join(tmpdir(), 'output-'))

  test('appears complete, and stays as it was if its writer fails', async () => {
    const dir = folder()
    const file = join(dir, 'a.csv')
    await writeFileFrom(nodeDisk, file, one('first\n'))
    async function* failing(): AsyncIterable<string> {
      yield 'half'
      throw new Error('no more rows')
    }
    await expect(writeFileFrom(nodeDisk, file, failing())).rejects.toThrow('no more rows')
    expect(readFileSync(file, 'utf8')).toBe('first\n')
    expect(readdirSync(dir)).toEqual(['a.csv'])
  })

  test('for which the disk has no space is refused, and nothing half-written stays', async () => {
    const dir = folder()
    const full: Disk = {
      ...nodeDisk,
      open: async (path, how, mode) => ({
        ...(await nodeDisk.open(path, how, mode)),
        write: async () => {
          throw new DiskError(
            'The disk refused to write a file.',
            path,
            Object.assign(new Error('full'), { code: 'ENOSPC' }),
          )
        },
      }),
    }
    await expect(writeFileFrom(full, join(dir, 'a.csv'), one('x'))).rejects.toBeInstanceOf(UsageError)
    expect(readdirSync(dir)).toEqual([])
  })

  test('in a folder gets a name that cannot leave it', async () => {
    const dir = folder()
    const name = safeFileName(['gains', '../../etc/passwd', '2025'], 'csv')
    expect(name).toBe('gains-__.._etc_passwd-2025.csv')
    expect(safeFileName(['..'], 'csv')).toBe('_.csv')
    expect(await outFile(dir, name, '/nowhere')).toBe(join(dir, name))
    expect(await outFile(`${dir}/`, name, '/nowhere')).toBe(join(dir, name))
  })

  test('removes what a killed run left of the same file, and nothing else', async () => {
    const dir = folder()
    const { pid } = spawnSync(process.execPath, ['--version'])
    const gone = `${pid}-${HOST}00c0ffee`
    const others = ['.a.csv.old', `.a.csv.gz.${gone}.tmp`, `.a.csv.${gone}.tmp.bak`, `a.csv.${gone}.tmp`]
    const living = [`.a.csv.${process.pid}-${HOST}00c0ffee.tmp`, `.a.csv.${pid}-0badcafe00c0ffee.tmp`]
    const old = [`.a.csv.${pid}-00000000deadbeef.tmp`, `.a.csv.${pid}-deadbeef.tmp`]
    for (const name of [`.a.csv.${gone}.tmp`, ...others, ...living, ...old])
      writeFileSync(join(dir, name), 'x')
    for (const name of old) utimesSync(join(dir, name), 0, 0)
    await writeFileFrom(nodeDisk, join(dir, 'a.csv'), one('whole'))
    expect(readdirSync(dir)).toEqual(['a.csv', ...others, ...living].toSorted())
  })

  test('is readable by nobody who could not read the file that it replaces', async () => {
    const file = join(folder(), 'a.csv')
    writeFileSync(file, 'old')
    chmodSync(file, 0o600)
    await writeFileFrom(nodeDisk, file, one('new'))
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['new', 0o600])
  })

  test('through a link to a file that does not exist yet creates that file, and leaves the link', async () => {
    const dir = folder()
    symlinkSync('later/real.csv', join(dir, 'link.csv'))
    symlinkSync('link.csv', join(dir, 'far.csv'))
    symlinkSync('round.csv', join(dir, 'round.csv'))
    await expect(outFile(join(dir, 'far.csv'), 'x', '/nowhere')).rejects.toMatchObject({
      details: { found: 'no such folder' },
    })
    mkdirSync(join(dir, 'later'))
    expect(await outFile(join(dir, 'far.csv'), 'x', '/nowhere')).toBe(join(dir, 'later', 'real.csv'))
    await expect(outFile(join(dir, 'round.csv'), 'x', '/nowhere')).rejects.toMatchObject({
      details: { found: 'links that lead in a circle (ELOOP)' },
    })
  })

  test('that is standard output is refused even if that is a file, which would be replaced', async () => {
    const file = join(folder(), 'log')
    writeFileSync(file, 'before')
    const held = openSync(file, 'a')
    for (const out of [`/dev/fd/${held}`, `/proc/self/fd/${held}`, '/dev/stdout'])
      await expect(outFile(out, 'x', '/nowhere')).rejects.toMatchObject({
        message: 'The output is not a regular file.',
      })
    closeSync(held)
  })

  test('through a link replaces what the link names', async () => {
    const dir = folder()
    writeFileSync(join(dir, 'real.csv'), 'old')
    symlinkSync(join(dir, 'real.csv'), join(dir, 'link.csv'))
    expect(await outFile(join(dir, 'link.csv'), 'x', '/nowhere')).toBe(join(dir, 'real.csv'))
  })

  test('in a folder that does not exist is refused as a usage error', async () => {
    const out = join(folder(), 'none', 'a.csv')
    await expect(outFile(out, 'x', '/nowhere')).rejects.toMatchObject({
      exitCode: 2,
      message: 'The output cannot be written to this path.',
      details: { where: out, found: 'no such folder' },
    })
  })

  test('below a file, where there can be no folder, is refused', async () => {
    const dir = folder()
    writeFileSync(join(dir, 'a'), '')
    await expect(outFile(join(dir, 'a', 'b.csv'), 'x', '/nowhere')).rejects.toMatchObject({
      exitCode: 2,
      details: { found: 'a file where the path needs a folder (ENOTDIR)' },
    })
  })

  test('whose folder has been removed by the time it is written is refused', async () => {
    const file = join(folder(), 'gone', 'a.csv')
    await expect(writeFileFrom(nodeDisk, file, one('x'))).rejects.toMatchObject({ exitCode: 2 })
  })

  test('that is a device is refused, not replaced', async () => {
    await expect(outFile('/dev/null', 'x', '/nowhere')).rejects.toMatchObject({
      exitCode: 2,
      message: 'The output is not a regular file.',
    })
  })

  test('may be in the folder of the books, but never replaces a part of them', async () => {
    const dir = folder()
    mkdirSync(join(dir, 'journal'))
    for (const part of ['ledger.duckdb', 'credentials.yaml', 'journal/000001.journal'])
      await expect(outFile(join(dir, part), 'x', dir)).rejects.toMatchObject({ exitCode: 2 })
    expect(await outFile(join(dir, 'gains.csv'), 'x', dir)).toBe(join(dir, 'gains.csv'))
    expect(existsSync(join(dir, 'gains.csv'))).toBe(false)
  })
})

describe('standard output', () => {
  test('that is closed by its reader ends the writing without an error', async () => {
    let taken = 0
    const head = new Writable({
      write(_chunk, _encoding, done) {
        taken += 1
        done(taken > 1 ? Object.assign(new Error('closed'), { code: 'EPIPE' }) : null)
      },
    })
    let made = 0
    async function* endless(): AsyncIterable<string> {
      for (;;) yield `${made++}\n`
    }
    await writeOut(head, endless())
    expect([taken, made]).toEqual([2, 2])
  })
})
