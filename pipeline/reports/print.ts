// A report in each of its formats, on standard output or in a file.
import { join } from 'node:path'
import { UsageError } from '../../models/error.ts'
import { forTerminal } from '../../models/text.ts'
import { type Disk, nodeDisk } from '../journal/disk.ts'
import { QueryStopped } from '../ledger/limits.ts'
import { allRows } from '../output/column.ts'
import { csvText } from '../output/csv.ts'
import {
  forScreen,
  outFile,
  type Pieces,
  safeFileName,
  type Terminal,
  writeFileFrom,
  writeOut,
} from '../output/deliver.ts'
import { htmlText } from '../output/html.ts'
import { jsonText } from '../output/json.ts'
import { fitted, screenTable } from '../output/screen.ts'
import { printTable, TABLE_ROW_LIMIT } from '../output/table.ts'
import { setIn } from '../output/wrap.ts'
import { xlsxBytes } from '../output/xlsx.ts'
import type { Report } from './report.ts'

export const REPORT_FORMATS = ['table', 'csv', 'xlsx', 'html', 'json'] as const
export type ReportFormat = (typeof REPORT_FORMATS)[number]

export interface Destination {
  /** File or folder; standard output if absent. */
  readonly out?: string | undefined
  /** Folder of the books, no part of which is ever replaced. */
  readonly dir: string
  readonly terminal: Terminal
  readonly disk?: Disk
  /** Stops the writing of a file, which then stays as it was. */
  readonly signal?: AbortSignal
}

/**
 * Writes the report and returns the file, or null for standard output. CSV and JSON contain only the rows;
 * warnings and notes go to standard error. UsageError (code 2) for a path that cannot be written, and for a
 * workbook on a terminal.
 */
export async function writeReport(
  report: Report,
  format: ReportFormat,
  { out, dir, terminal, disk = nodeDisk, signal }: Destination,
): Promise<string | null> {
  let file: string | null = null
  if (out === undefined) {
    if (format === 'xlsx') {
      throw new UsageError('A workbook cannot be written to a terminal.', {
        expected: '--out FILE with --format xlsx',
        action: 'Name a file or a folder.',
      })
    }
    await writeOut(terminal.stdout, piecesOf(report, format, terminal))
  } else {
    file = await outFile(out, fileName(report, format), dir)
    await writeFileFrom(disk, file, untilStopped(piecesOf(report, format, {}, join(dir, 'tmp')), signal))
  }
  if (format === 'csv' || format === 'json')
    for (const note of [...(report.warnings ?? []), ...report.notes]) terminal.tell(note)
  return file
}

/** A query ends by itself, but a workbook is mostly written after its query has ended. */
async function* untilStopped(pieces: Pieces, signal: AbortSignal | undefined): Pieces {
  for await (const piece of pieces) {
    if (signal?.aborted === true)
      throw new QueryStopped('asked', 'The report was stopped.', { action: 'Run it again.' })
    yield piece
  }
}

/** The report as a table for people: title, warnings, rows, totals, notes; without a trailing line break. */
export async function printReport(report: Report): Promise<string> {
  const rows = await allRows(report.rows, TABLE_ROW_LIMIT)
  return page(
    report,
    orNone(report, rows.length, printTable(report.columns, rows, { totals: report.totals })),
  )
}

/** The same for a terminal of a given width: the columns that fit, and the names of those that do not. */
async function showReport(report: Report, width: number): Promise<string> {
  const { columns, importance, totals, upright } = report
  let count = 0
  async function* counted() {
    for await (const batch of report.rows) {
      count += batch.length
      yield batch
    }
  }
  const { table, leftOut, notShown } = await screenTable(columns, counted(), { width, importance, totals })
  const beside =
    upright === undefined || leftOut.length === 0
      ? []
      : ['', setIn(upright.title, width), '', fitted(upright.columns, upright.rows, { width }).table]
  const shown = [table, ...notShown.map((line) => setIn(line, width)), ...beside]
  const whole = orNone(report, count, shown.join('\n'))
  return page(report, whole, (text) => setIn(text, width))
}

/** Headings over no rows would leave open whether something is missing. */
const orNone = ({ totals }: Report, rows: number, table: string): string =>
  rows === 0 && totals.length === 0 ? 'None.' : table

function page(
  { title, warnings = [], notes }: Report,
  table: string,
  say: (text: string) => string = (text) => text,
): string {
  const opening = warnings.length === 0 ? [] : [...warnings.map(say), '']
  return [say(title), '', ...opening, table, '', ...notes.map(say)].join('\n')
}

function fileName(report: Report, format: ReportFormat): string {
  return safeFileName(report.fileName, format === 'table' ? 'txt' : format)
}

async function* piecesOf(
  report: Report,
  format: ReportFormat,
  { width, wide = false }: Pick<Terminal, 'width' | 'wide'>,
  tempDir?: string,
): Pieces {
  switch (format) {
    case 'csv':
      return yield* forScreen(width, csvText(report.columns, report.rows))
    case 'json':
      return yield* forScreen(width, jsonText(report.columns, report.rows))
    case 'html':
      return yield* forScreen(width, htmlText(report))
    case 'table':
      return yield `${forTerminal(width === undefined || wide ? await printReport(report) : await showReport(report, width))}\n`
    case 'xlsx':
      return yield* xlsxBytes(report, { tempDir })
  }
}
