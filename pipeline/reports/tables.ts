// Reports that show a published table as it stands, filtered: income, breaks and coverage.
import type { Ledger } from '../ledger/ledger.ts'
import { reportNotes } from './notes.ts'
import { fileNameOf, OF_ACCOUNT, type Report, type ReportRequest, valuesOf, within } from './report.ts'

/** Funding, interest and rewards, line by line. */
export async function incomeReport(ledger: Ledger, request: ReportRequest): Promise<Report> {
  const notes = await reportNotes(ledger, request)
  const { columns, rows } = await ledger.stream(
    `select * from income where ${OF_ACCOUNT} and ${within('occurred_at')}
     order by occurred_at, account, coin, entry_id`,
    valuesOf(request),
  )
  return {
    fileName: fileNameOf('income', request),
    title: titled('Income', request),
    columns,
    rows,
    totals: [],
    notes,
  }
}

/** Disagreements that are open, then those that a note explains, the gravest first. */
export async function breaksReport(ledger: Ledger, request: ReportRequest): Promise<Report> {
  const notes = await reportNotes(ledger, request)
  const { columns, rows } = await ledger.stream(
    `select * from breaks
     where ${OF_ACCOUNT} and (occurred_at is null or (${within('occurred_at')})) and status <> 'resolved'
     order by status desc, case severity when 'error' then 0 when 'warning' then 1 else 2 end,
       check_name, account, coin, occurred_at, break_id`,
    valuesOf(request),
  )
  return {
    fileName: fileNameOf('breaks', request),
    title: titled('Breaks', request),
    columns,
    rows,
    totals: [],
    notes,
  }
}

/** What of each feed has been received, and what not and why. */
export async function coverageReport(ledger: Ledger, request: ReportRequest): Promise<Report> {
  const notes = await reportNotes(ledger, request)
  const { columns, rows } = await ledger.stream(
    `select * from coverage
     where ${OF_ACCOUNT}
       and ($from::timestamptz is null or ends_at is null or ends_at >= $from::timestamptz)
       and ($before::timestamptz is null or starts_at is null or starts_at < $before::timestamptz)
     order by account, feed, partition, starts_at nulls first, status`,
    valuesOf(request),
  )
  return {
    fileName: fileNameOf('coverage', request),
    title: titled('Coverage', request),
    columns,
    rows,
    totals: [],
    notes,
  }
}

function titled(title: string, { period }: ReportRequest): string {
  return period.label === '' ? title : `${title} ${period.label}`
}
