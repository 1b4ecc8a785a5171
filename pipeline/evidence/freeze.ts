// Freezes a report, and runs the same report again later to show line by line what has changed.
import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../models/clock.ts'
import { UsageError } from '../../models/error.ts'
import type { Disk } from '../journal/disk.ts'
import { freshHashes, knownHashes, type TableHashes } from '../ledger/known-hash.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { cellText, type Row } from '../output/cell.ts'
import { asBatches, type RowBatches } from '../output/column.ts'
import {
  lotsOf,
  makeReport,
  type ReportDefaults,
  type ReportName,
  type ReportOptions,
} from '../reports/catalogue.ts'
import { parseMethods } from '../reports/method-comparison.ts'
import type { Report } from '../reports/report.ts'
import { differenceOf, keyOf } from './difference.ts'
import { FILING_FORMAT, type Filing, mustBeNew, readFiling, writeFiling } from './filing.ts'
import { brokenChain, changesOf, type Inputs, readInputs } from './inputs.ts'
import { restoreOptions, storeDefaults, storeOptions } from './options.ts'

/** A report as requested with `tieout report`. */
export interface Asked {
  readonly name: ReportName
  readonly options: ReportOptions
  /** The configuration's choice of lots. */
  readonly defaults: ReportDefaults
}

export interface FilingContext {
  readonly dir: string
  readonly clock: Clock
  readonly disk: Disk
  /** Maximum size of all cells of a filing as text; 64 MiB by default. */
  readonly maxFilingBytes?: number
}

/**
 * A filing is one text that is hashed, written and read as a whole: limited by memory and by a text in
 * Node.js, with a margin.
 */
const MAX_FILING_BYTES = 64 * 1024 * 1024

/**
 * Runs the report, stores it as a filing, and returns it with the filing's file. The whole report is held in
 * memory. UsageError if a filing of this name already exists, or the report is too large for one; nothing is
 * written then.
 */
export async function freezeReport(
  ledger: Ledger,
  asked: Asked,
  filingName: string,
  context: FilingContext,
): Promise<{ report: Report; file: string }> {
  const { dir, clock, disk } = context
  await mustBeNew(disk, dir, filingName)
  const made = await makeReport(ledger, asked.name, asked.options, asked.defaults)
  const rows = await rowsOf(made.rows, context.maxFilingBytes ?? MAX_FILING_BYTES)
  const filing: Filing = {
    format: FILING_FORMAT,
    name: filingName,
    frozen_at: new Date(clock.wall()).toISOString(),
    report: asked.name,
    options: storeOptions(asked.options),
    defaults: storeDefaults(asked.defaults),
    title: made.title,
    // The filing is based on the file as it is now.
    inputs: await inputsOf(ledger, asked, context, freshHashes),
    key: keyOf(asked.name, made.columns),
    columns: made.columns.map(({ name }) => name),
    rows,
    totals: made.totals,
    notes: [...(made.warnings ?? []), ...made.notes],
  }
  const file = await writeFiling(disk, dir, filing)
  return { report: { ...made, rows: asBatches(rows) }, file }
}

/** All rows, as long as their text stays below the limit. */
async function rowsOf(batches: RowBatches, maxBytes: number): Promise<Row[]> {
  const rows: Row[] = []
  let bytes = 0
  for await (const batch of batches) {
    for (const row of batch) {
      for (const cell of row) bytes += cellText(cell).length + CELL_BYTES
      rows.push(row)
    }
    if (bytes > maxBytes) throw tooLarge(rows.length, maxBytes)
  }
  return rows
}

/** Quotes and comma. */
const CELL_BYTES = 3

function tooLarge(lines: number, maxBytes: number): UsageError {
  return new UsageError('The report is too large for one filing.', {
    where: `after ${lines} lines`,
    expected: `at most ${Math.floor(maxBytes / 1024 / 1024)} MiB of text`,
    action: 'Freeze it in parts: one --account, or shorter periods by --from and --to.',
  })
}

/** What a report is made from, as hashes; earlier hashes of this ledger are reused if there are any. */
export async function inputsOf(
  ledger: Ledger,
  { name, options, defaults }: Asked,
  { dir, clock }: Pick<FilingContext, 'dir' | 'clock'>,
  hashes: (ledger: Ledger) => Promise<TableHashes> = knownHashes,
): Promise<Inputs> {
  const methods = options.methods === undefined ? [] : parseMethods(options.methods)
  const lots = lotsOf(name, options, defaults)
  return await readInputs(ledger, await hashes(ledger), dir, lots, methods, clock)
}

/**
 * Runs the report of a filing again, with the filing's own options, and returns the differences as a report.
 * UsageError for another report or options other than the filing's, and if there is no such filing.
 */
export async function compareWithFiling(
  ledger: Ledger,
  { name, options }: Pick<Asked, 'name' | 'options'>,
  filingName: string,
  context: FilingContext,
): Promise<Report> {
  const filing = await readFiling(context.disk, context.dir, filingName)
  requireSame(filing, name, options)
  const asked = {
    name,
    options: restoreOptions(filing.options),
    defaults: filing.defaults as ReportDefaults,
  }
  const made = await makeReport(ledger, name, asked.options, asked.defaults)
  const { summary, ...difference } = await differenceOf(filingName, filing.key, filing, made)
  const inputs = await inputsOf(ledger, asked, context)
  const changes = changesOf(filing.inputs, inputs)
  const broken = await brokenChain(context.dir, filing.inputs.journal, context.clock)
  return {
    ...difference,
    notes: [
      `Frozen as ${filingName} at ${filing.frozen_at}: ${filing.title}.`,
      summary,
      changes.length === 0 ? 'Its inputs are the same.' : `Changed since then: ${changes.join('; ')}.`,
      ...(broken === null ? [] : [`The journal no longer holds what it held then: ${broken}`]),
    ],
  }
}

/** A filing is compared only with its own report: other options would differ whatever the data. */
function requireSame(filing: Filing, name: ReportName, given: ReportOptions): void {
  if (filing.report !== name) {
    throw new UsageError('The filing is of another report.', {
      where: filing.name,
      expected: `tieout report ${filing.report} --against ${filing.name}`,
      found: `report ${name}`,
      action: 'Name the report that was frozen.',
    })
  }
  const other = Object.entries(storeOptions(given)).find(
    ([option, value]) => !isDeepStrictEqual(value, filing.options[option]),
  )
  if (other === undefined) return
  throw new UsageError('The filing was frozen with other options.', {
    where: filing.name,
    expected: `${other[0]} ${JSON.stringify(filing.options[other[0]] ?? null)}`,
    found: `${other[0]} ${JSON.stringify(other[1])}`,
    action: 'Omit the option: --against uses those of the filing.',
  })
}
