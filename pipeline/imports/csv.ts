// A CSV file read row by row, with the position of every cell, so that errors can be reported by line and
// column. The text must be UTF-8, with or without a byte-order mark; nothing in it is trimmed, cut or
// guessed.
import { CsvError, parse } from 'csv-parse/sync'
import { UsageError } from '../../models/error.ts'
import { Refusals, type RefusedCells, refuseCell } from './refusals.ts'

/** What is read: the bytes, and the name used for the file in messages. */
export interface CsvFile {
  readonly name: string
  readonly bytes: Uint8Array
}

/** One line of the file; the first has number 1. */
export interface CsvLine {
  readonly number: number
  readonly cells: readonly string[]
}

/** How a file of another service differs from ours. */
export interface CsvForm {
  /** Rows above the header, which carry no data. */
  readonly preamble?: number
  readonly delimiter?: ',' | ';'
  /** The header of a file that has none; it is on no line of the file. */
  readonly header?: readonly string[] | undefined
  /** Positions of unused columns: free text in them may span several lines. */
  readonly unread?: (header: readonly string[]) => ReadonlySet<number>
}

/**
 * Calls `begin` with the header, and the function that it returns with each further line. Empty lines are
 * skipped. UsageError for text that is not CSV in UTF-8. What is refused in single lines, such as a control
 * character or a line with too many or too few cells, becomes one error at the end, by line and column.
 */
export function readCsv(
  file: CsvFile,
  begin: (header: CsvLine) => (line: CsvLine) => void,
  { preamble = 0, delimiter = ',', header: told, unread = () => new Set() }: CsvForm = {},
): void {
  const text = decode(file)
  let header: CsvLine | undefined = told === undefined ? undefined : { number: 0, cells: told }
  let take = header === undefined ? undefined : begin(header)
  let notes: ReadonlySet<number> = new Set(header === undefined ? [] : unread(header.cells))
  // Counted here, because the parser counts some lines twice.
  let next = 1
  let empty = 0
  let above = preamble
  const refusals = new Refusals(file.name)
  try {
    parse(text, {
      delimiter,
      relax_column_count: true,
      skip_empty_lines: true,
      record_delimiter: ['\r\n', '\n'],
      on_record: (cells: string[], { empty_lines }) => {
        const number = next + empty_lines - empty
        next = number + linesOf(cells)
        empty = empty_lines
        if (above > 0) {
          above -= 1
          return null
        }
        const line = { number, cells }
        const [known, takes] = [header, take]
        if (known === undefined || takes === undefined) {
          refuseControls(file.name, line, undefined, notes)
          header = line
          notes = unread(cells)
          take = begin(line)
        } else
          refusals.attempt(() => {
            refuseControls(file.name, line, known, notes)
            refuseWidth(file.name, line, known)
            takes(line)
          })
        return null
      },
    })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const line = next + Number(error.empty_lines ?? empty) - empty
    refusals.add(notCsv(file.name, line, error, header, delimiter))
  }
  refusals.throwIfAny()
  if (header === undefined) begin({ number: 1, cells: [] })
}

/** The first rows of the file, one of which may be the header; as many as can be parsed. */
export function firstRows(
  file: CsvFile,
  count: number,
  delimiter: ',' | ';' = ',',
): readonly (readonly string[])[] {
  const rows: string[][] = []
  try {
    parse(decode(file), {
      delimiter,
      relax_column_count: true,
      skip_empty_lines: true,
      record_delimiter: ['\r\n', '\n'],
      to: count,
      on_record: (cells: string[]) => {
        rows.push(cells)
        return null
      },
    })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
  }
  return rows
}

/**
 * Whether the text ends within a cell: with no line end, and no quote or separator that closes the last cell.
 */
export function endsInCell({ bytes }: CsvFile): boolean {
  const last = bytes.at(-1)
  return last !== undefined && !'\r\n",;'.includes(String.fromCharCode(last))
}

function decode(file: CsvFile): string {
  const text = decodeUtf8(file)
  if (!text.includes('\r') || text.includes('\n')) return text
  throw new UsageError('The lines of the file end with a carriage return only.', {
    where: `${file.name}:1`,
    expected: 'lines that end with LF or CRLF',
    found: 'CR (U+000D) and no LF in the whole file, as in “CSV (Macintosh)”',
    action: 'Save the file as CSV in UTF-8 and import it again; nothing of it has been imported.',
  })
}

function decodeUtf8({ name, bytes }: CsvFile): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    const line = firstUnreadableLine(bytes)
    throw new UsageError('The file is not text in UTF-8.', {
      where: `${name}:${line}`,
      expected: 'UTF-8, with or without a byte-order mark',
      found: 'bytes that are not valid UTF-8',
      action: 'Save the file as CSV in UTF-8 and import it again; nothing of it has been imported.',
    })
  }
}

function firstUnreadableLine(bytes: Uint8Array): number {
  let number = 1
  for (let start = 0; start < bytes.length; number += 1) {
    const end = bytes.indexOf(0x0a, start)
    const line = bytes.subarray(start, end === -1 ? bytes.length : end)
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(line)
    } catch {
      return number
    }
    start = end === -1 ? bytes.length : end + 1
  }
  return 1
}

const columnOf = (header: CsvLine | undefined, index: number): string =>
  header?.cells[index] ?? String(index + 1)

/** How many lines of the file the row spans. */
const linesOf = (cells: readonly string[]): number =>
  cells.reduce((lines, cell) => lines + cell.split('\n').length - 1, 1)

const IN_NOTES = ['\t', '\n', '\r']

/** Position of the first control character; -1 for none. */
function controlIn(text: string, allowed: readonly string[]): number {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if ((code < 0x20 || code === 0x7f) && !allowed.includes(text.charAt(at))) return at
  }
  return -1
}

function refuseControls(
  file: string,
  line: CsvLine,
  header: CsvLine | undefined,
  notes: ReadonlySet<number>,
): void {
  for (const [index, cell] of line.cells.entries()) {
    const at = controlIn(cell, notes.has(index) ? IN_NOTES : [])
    if (at < 0) continue
    const code = cell.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0')
    throw refuseCell(file, line.number, columnOf(header, index), {
      message: 'A cell contains a control character.',
      expected: 'printable text on one line',
      found: `U+${code}`,
    })
  }
}

function refuseWidth(file: string, line: CsvLine, header: CsvLine): void {
  const { length } = line.cells
  if (length === header.cells.length) return
  throw refuseCell(file, line.number, columnOf(header, Math.min(length, header.cells.length)), {
    message: 'A row has a different number of cells from the header.',
    expected: `${header.cells.length} cells`,
    found: `${length} cells`,
    action: 'Put quotes around cells with commas in them; nothing of the file has been imported.',
  })
}

/** `line`: where the row begins that cannot be parsed. The parser names the column. */
function notCsv(
  file: string,
  line: number,
  error: CsvError,
  header: CsvLine | undefined,
  delimiter: ',' | ';',
): RefusedCells {
  const isOpen = error.code === 'CSV_QUOTE_NOT_CLOSED'
  return refuseCell(file, line, columnOf(header, Number(error.index ?? 0)), {
    message: 'The file cannot be parsed as CSV.',
    expected: `cells separated by ${delimiter === ',' ? 'commas' : 'semicolons'}; a cell is quoted as a whole or not at all, with quotes inside it doubled`,
    found: isOpen ? 'a quote that is not closed' : 'a quote inside a cell',
  })
}
