// Filings: reports as they were filed, and how today's reports differ from them.

import type { Clock } from '../../../models/clock.ts'
import { UsageError } from '../../../models/error.ts'
import { shellWord } from '../../../models/text.ts'
import { type Filing, filingNames, readFiling } from '../../evidence/filing.ts'
import { compareWithFiling } from '../../evidence/freeze.ts'
import type { Disk } from '../../journal/disk.ts'
import { allRows } from '../../output/column.ts'
import type { ReportName } from '../../reports/catalogue.ts'
import type { Report } from '../../reports/report.ts'
import type { FilingDifference, FilingRow, Filings } from '../api.ts'
import type { Edition, Published } from '../published.ts'
import { failureOf } from '../refusal.ts'

export interface FilingsContext {
  readonly dir: string
  readonly clock: Clock
  readonly disk: Disk
}

export async function filings({ dir, disk }: FilingsContext): Promise<Filings> {
  const rows: FilingRow[] = []
  for (const name of await filingNames(disk, dir)) rows.push(await rowOf(disk, dir, name))
  return { filings: rows.toSorted((one, other) => other.frozenAt.localeCompare(one.frozenAt)) }
}

async function rowOf(disk: Disk, dir: string, name: string): Promise<FilingRow> {
  try {
    return rowOfFiling(await readFiling(disk, dir, name))
  } catch (error) {
    const { message } = failureOf(error).error
    return {
      name,
      frozenAt: '',
      report: '',
      title: '',
      lines: 0,
      options: {},
      ledgerHash: '',
      version: '',
      problem: message,
    }
  }
}

const rowOfFiling = (filing: Filing): FilingRow => ({
  name: filing.name,
  frozenAt: filing.frozen_at,
  report: filing.report,
  title: filing.title,
  lines: filing.rows.length,
  options: filing.options,
  ledgerHash: filing.inputs.ledger,
  version: filing.inputs.tieout,
  problem: null,
})

/** The report of a filing, generated again and compared with it; its rows are in memory. */
export async function filingReport(
  { ledger }: Edition,
  name: string,
  context: FilingsContext,
): Promise<{ filing: Filing; report: Report }> {
  const filing = await readFiling(context.disk, context.dir, name)
  const asked = { name: filing.report as ReportName, options: {} }
  return { filing, report: await compareWithFiling(ledger, asked, name, context) }
}

const ROWS_MAX = 10_000

export async function filingDifference(
  published: Published,
  name: string,
  context: FilingsContext & { readonly options: string },
): Promise<FilingDifference> {
  return await published.useApart(async (edition) => {
    const { filing, report } = await filingReport(edition, name, context)
    const rows = await allRows(report.rows)
    const cut =
      rows.length > ROWS_MAX
        ? [`${ROWS_MAX} of ${rows.length} differences are shown; the CSV has all of them.`]
        : []
    return {
      stamp: edition.stamp,
      filing: rowOfFiling(filing),
      columns: report.columns.map((column) => ({ name: column.name, kind: column.kind ?? 'text' })),
      rows: rows.slice(0, ROWS_MAX),
      notes: [...report.notes, ...cut],
      command: `tieout report ${filing.report} --against ${shellWord(name)}${context.options}`,
    }
  })
}

export const noFilingNamed = (): UsageError =>
  new UsageError('The CSV needs the name of a filing.', { where: 'name', action: 'Name the filing.' })
