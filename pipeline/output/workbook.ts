// The format of a workbook (ECMA-376) as far as a report needs it: a cover and a table, as XML in a ZIP, written piece
// by piece. Styles and everything else that does not depend on the rows is fixed. The texts of all cells are a part of
// their own, which cells refer to by number: Apple's programs show no texts that are written in the cells themselves.
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32, createDeflateRaw } from 'node:zlib'
import { Zip, type ZipInputFile } from 'fflate'
import { UsageError } from '../../models/error.ts'
import { Spool } from './spool.ts'
import { printable } from './table.ts'

/** Rows of a sheet, by the format. */
export const SHEET_ROWS = 1_048_576
/** Characters of a cell, by the format. */
const TEXT_LIMIT = 32_767
/** Bytes of a part, and of the file: a ZIP states them in 32 bits, and not every spreadsheet reads the extension to 64. */
export const PART_BYTES = 0xffff_fffe

/**
 * Without a number format, a spreadsheet shows a satoshi as 1E-08, and a time as a number. It rounds to what it
 * displays: without milliseconds, the last half second of a year becomes the next year.
 */
const FORMATS = {
  plain: 'General',
  whole: '#,##0',
  decimal: '#,##0.00################',
  date: 'yyyy-mm-dd',
  time: 'yyyy-mm-dd hh:mm:ss',
  fineTime: 'yyyy-mm-dd hh:mm:ss.000',
} as const

export interface SheetCell {
  /** A date is the number of days since 1899-12-30. */
  readonly value: string | number | boolean
  readonly format: keyof typeof FORMATS
  readonly isBold?: boolean
  /** With a little space before the text that may begin in the next column. */
  readonly isRight?: boolean
}

export interface SheetRow {
  readonly cells: readonly (SheetCell | null)[]
  /** Points, for a row of several lines, whose texts are wrapped and begin at the top; else as high as a line. */
  readonly height?: number
}

/** Characters that XML cannot contain: control characters, lone surrogates, two non-characters. */
const NOT_XML = /[\p{Cs}\u{FFFE}\u{FFFF}]|(?![\t\n\r])\p{Cc}/gu

/** As a cell can hold it. */
export function cellOfText(value: string): SheetCell {
  const written = value.replace(NOT_XML, printable)
  return {
    value: written.length > TEXT_LIMIT ? `${written.slice(0, TEXT_LIMIT - 1)}…` : written,
    format: 'plain',
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  // A reader of XML would make it a line feed.
  '\r': '&#13;',
  // `_x0041_` is how a spreadsheet writes a character by its code.
  _: '_x005F_',
}
const escaped = (text: string): string =>
  text.replace(/[&<>\r]|_(?=x[0-9A-Fa-f]{4}_)/g, (character) => ESCAPES[character] as string)

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATION = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

const relations = (targets: readonly (readonly [string, string])[]): string => {
  const each = targets.map(
    ([type, target], at) => `<Relationship Id="rId${at + 1}" Type="${RELATION}/${type}" Target="${target}"/>`,
  )
  return `${XML}<Relationships xmlns="${PACKAGE}/relationships">${each.join('')}</Relationships>`
}

/** Every format, plain or bold, to the left or to the right, on one line or several: `styleOf` counts in this order. */
function stylesXml(): string {
  const codes = Object.values(FORMATS)
  const formats = codes.map((code, at) => `<numFmt numFmtId="${100 + at}" formatCode="${code}"/>`).slice(1)
  const styles = codes.flatMap((_, format) =>
    [0, 1, 2, 3, 4, 5, 6, 7].map((look) => {
      const [right, lines] = [look & RIGHT, look & SEVERAL_LINES]
      const alignment = `${right ? ' horizontal="right" indent="1"' : ''}${lines ? ' vertical="top" wrapText="1"' : ''}`
      return (
        `<xf numFmtId="${format === 0 ? 0 : 100 + format}" fontId="${look & BOLD}" fillId="0" borderId="0"` +
        ` applyNumberFormat="1" applyFont="1" applyAlignment="1">` +
        `${alignment === '' ? '' : `<alignment${alignment}/>`}</xf>`
      )
    }),
  )
  return (
    `${XML}<styleSheet xmlns="${MAIN}"><numFmts count="${formats.length}">${formats.join('')}</numFmts>` +
    '<fonts count="2"><font><family val="2"/><scheme val="minor"/><color theme="1"/></font>' +
    // Without a name, a bold font is one that the spreadsheet chooses.
    '<font><name val="Arial"/><family val="2"/><b/><color theme="1"/></font></fonts>' +
    '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
    `<cellXfs count="${styles.length}">${styles.join('')}</cellXfs></styleSheet>`
  )
}

const [BOLD, RIGHT, SEVERAL_LINES] = [1, 2, 4]
const FORMAT_NUMBERS = Object.fromEntries(Object.keys(FORMATS).map((name, at) => [name, 8 * at]))

const styleOf = ({ format, isBold, isRight }: SheetCell, isHigh: boolean): number =>
  (FORMAT_NUMBERS[format] as number) +
  (isBold === true ? BOLD : 0) +
  (isRight === true ? RIGHT : 0) +
  (isHigh ? SEVERAL_LINES : 0)

/** Both sheets, of which the second has the headings of its first row on each page. */
const FIXED: readonly (readonly [string, string])[] = [
  [
    '[Content_Types].xml',
    `${XML}<Types xmlns="${PACKAGE}/content-types"><Default ContentType="application/xml" Extension="xml"/>` +
      '<Default ContentType="application/vnd.openxmlformats-package.relationships+xml" Extension="rels"/>' +
      [
        ['workbook', 'sheet.main'],
        ['sharedStrings', 'sharedStrings'],
        ['styles', 'styles'],
        ['worksheets/sheet1', 'worksheet'],
        ['worksheets/sheet2', 'worksheet'],
      ]
        .map(([part, type]) => `<Override ContentType="${TYPE}.${type}+xml" PartName="/xl/${part}.xml"/>`)
        .join('') +
      '</Types>',
  ],
  ['_rels/.rels', relations([['officeDocument', 'xl/workbook.xml']])],
  [
    'xl/workbook.xml',
    `${XML}<workbook xmlns="${MAIN}" xmlns:r="${RELATION}"><workbookPr/><bookViews><workbookView/></bookViews>` +
      '<sheets><sheet name="Cover" sheetId="1" r:id="rId1"/><sheet name="Report" sheetId="2" r:id="rId2"/></sheets>' +
      '<definedNames><definedName name="_xlnm.Print_Titles" localSheetId="1">Report!$1:$1</definedName></definedNames>' +
      '<calcPr/></workbook>',
  ],
  [
    'xl/_rels/workbook.xml.rels',
    relations([
      ['worksheet', 'worksheets/sheet1.xml'],
      ['worksheet', 'worksheets/sheet2.xml'],
      ['sharedStrings', 'sharedStrings.xml'],
      ['styles', 'styles.xml'],
    ]),
  ],
  ['xl/styles.xml', stylesXml()],
]

export interface Sheet {
  /** Width of each column in digits. */
  readonly widths: readonly number[]
  /** In batches. */
  readonly rows: AsyncIterable<readonly SheetRow[]> | Iterable<readonly SheetRow[]>
  /** How many of its rows a filter covers, the headings included; the headings stay in view. */
  readonly filtered?: number
}

/**
 * The bytes of an .xlsx file. `title` is at the head of each page. UsageError if the file, or a part of it, would be
 * larger than the format allows.
 */
export async function* workbookBytes(
  title: string,
  { cover, table }: { readonly cover: Sheet; readonly table: Sheet },
  { tempDir, partBytes = PART_BYTES }: { readonly tempDir?: string | undefined; readonly partBytes?: number },
): AsyncIterable<Uint8Array> {
  const texts = new Texts(tempDir)
  try {
    yield* zipped(title, partBytes, [
      ...FIXED.map(([name, xml]): Part => [name, [xml]]),
      ['xl/worksheets/sheet1.xml', sheetXml(cover, title, texts)],
      ['xl/worksheets/sheet2.xml', sheetXml(table, title, texts)],
      ['xl/sharedStrings.xml', texts.xml()],
    ])
  } finally {
    await texts.close()
  }
}

/** A sheet is printed as wide as a page, with the title. */
async function* sheetXml(
  { widths, rows, filtered }: Sheet,
  title: string,
  texts: Texts,
): AsyncIterable<string> {
  const columns = widths.map((width, at) => {
    const number = at + 1
    return `<col min="${number}" max="${number}" width="${width}" customWidth="1"/>`
  })
  const letters = widths.map((_, at) => columnName(at + 1))
  yield `${XML}<worksheet xmlns="${MAIN}"><sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>`
  if (filtered !== undefined)
    yield '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>'
  yield `${columns.length === 0 ? '' : `<cols>${columns.join('')}</cols>`}<sheetData>`
  let number = 0
  for await (const batch of rows) {
    let xml = ''
    for (const row of batch) {
      number += 1
      xml += rowXml(row, String(number), letters, texts)
    }
    await texts.keep()
    yield xml
  }
  yield '</sheetData>'
  if (filtered !== undefined && letters.length > 0)
    yield `<autoFilter ref="A1:${letters.at(-1)}${filtered}"/>`
  // An ampersand begins a code; Excel allows at most 255 characters.
  const head = `&L${title.slice(0, 200).replaceAll('&', '&&')}&RPage &P of &N`.replace(NOT_XML, printable)
  yield '<pageMargins left="0.7" right="0.7" top="0.75" bottom="0.75" header="0.3" footer="0.3"/>' +
    '<pageSetup paperSize="9" orientation="landscape" fitToHeight="0"/>' +
    `<headerFooter><oddHeader>${escaped(head)}</oddHeader></headerFooter></worksheet>`
}

function rowXml(
  { cells, height }: SheetRow,
  number: string,
  letters: readonly string[],
  texts: Texts,
): string {
  const isHigh = height !== undefined
  let xml = `<row r="${number}"${isHigh ? ` ht="${height}" customHeight="1"` : ''}>`
  for (let at = 0; at < cells.length; at += 1) {
    const cell = cells[at]
    if (cell === null || cell === undefined) continue
    const { value } = cell
    const style = styleOf(cell, isHigh)
    if (value === '' && style === 0) continue
    xml += `<c r="${letters[at]}${number}"${style === 0 ? '' : ` s="${style}"`}`
    if (value === '') xml += '/>'
    else if (typeof value === 'string') xml += ` t="s"><v>${texts.numberOf(value)}</v></c>`
    else if (typeof value === 'number') xml += `><v>${value}</v></c>`
    else xml += ` t="b"><v>${value ? 1 : 0}</v></c>`
  }
  return `${xml}</row>`
}

/** How many texts are known at a time, and how long one may be that may come again. */
const [KNOWN_TEXTS, KNOWN_LENGTH] = [65_536, 100]

/**
 * The texts of all cells, in the order in which they are first needed. A text that comes again has the number that it
 * has, if it is among those that are known: all are forgotten when they have become too many, since most texts of a
 * long table are its ids, which come once.
 */
class Texts {
  readonly #known = new Map<string, number>()
  readonly #spool: Spool
  #next = 0
  #pending = ''

  constructor(tempDir?: string) {
    this.#spool = new Spool(tempDir)
  }

  numberOf(text: string): number {
    const known = this.#known.get(text)
    if (known !== undefined) return known
    const number = this.#next
    this.#next += 1
    // Without it, a reader may drop spaces at both ends.
    const space = text.trim().length === text.length ? '' : ' xml:space="preserve"'
    this.#pending += `<si><t${space}>${escaped(text)}</t></si>`
    if (text.length <= KNOWN_LENGTH) {
      if (this.#known.size >= KNOWN_TEXTS) this.#known.clear()
      this.#known.set(text, number)
    }
    return number
  }

  async keep(): Promise<void> {
    await this.#spool.add(Buffer.from(this.#pending))
    this.#pending = ''
  }

  async *xml(): AsyncIterable<string | Uint8Array> {
    yield `${XML}<sst xmlns="${MAIN}">`
    yield* this.#spool.pieces()
    yield '</sst>'
  }

  async close(): Promise<void> {
    await this.#spool.close()
  }
}

type Part = readonly [
  name: string,
  pieces: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
]

/** Every part has the same time, the earliest that a ZIP can state: the same report has the same bytes. */
const NO_TIME = new Date(1980, 0, 1)

/** Number of the method of compression in a ZIP. */
const DEFLATED = 8
const CHUNK_BYTES = 64 * 1024

/**
 * The library writes the ZIP; the system's own compression takes half as long as the library's, and runs beside the
 * making of the XML.
 */
async function* zipped(title: string, partBytes: number, parts: readonly Part[]): AsyncIterable<Uint8Array> {
  let [ready, written]: [Uint8Array[], number] = [[], 0]
  const zip = new Zip((error, bytes) => {
    if (error !== null) throw error
    ready.push(bytes)
    written += bytes.length
  })
  const done = (): Uint8Array[] => {
    if (written > partBytes) throw tooLarge(title, partBytes)
    const bytes = ready
    ready = []
    return bytes
  }
  for (const [filename, pieces] of parts) {
    const part: ZipInputFile = { filename, mtime: NO_TIME, compression: DEFLATED, size: 0, crc: 0 }
    zip.add(part)
    async function* measured(): AsyncIterable<Uint8Array> {
      for await (const piece of pieces) {
        const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece
        part.size += bytes.length
        if (part.size > partBytes) throw tooLarge(title, partBytes)
        part.crc = crc32(bytes, part.crc)
        yield bytes
      }
    }
    const deflated = createDeflateRaw({ chunkSize: CHUNK_BYTES })
    // What fails here fails for the reader too.
    const fed = pipeline(Readable.from(measured()), deflated).catch(() => undefined)
    for await (const bytes of deflated) {
      part.ondata?.(null, bytes, false)
      yield* done()
    }
    await fed
    part.ondata?.(null, new Uint8Array(), true)
  }
  zip.end()
  yield* done()
}

const tooLarge = (title: string, partBytes: number): UsageError =>
  new UsageError('The report is too large for a workbook.', {
    where: title,
    expected: `at most ${partBytes} bytes in the file and in each of its parts, which is what a ZIP can state`,
    action: 'Use --format csv or json, which have no limit, or narrow the request.',
  })

/** `A` for 1, `AA` for 27. */
function columnName(number: number): string {
  const rest = (number - 1) % 26
  const before = Math.floor((number - 1) / 26)
  return (before === 0 ? '' : columnName(before)) + String.fromCharCode(65 + rest)
}
