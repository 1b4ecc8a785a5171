// A report is data: a title, columns, rows, totals and notes, so that every format prints the same figures.
// Rows are streamed; the ledger that they come from must stay open until they have been printed.

import { formatAmount, parseAmount } from '../../models/amount.ts'
import { TieoutError, UsageError } from '../../models/error.ts'
import { concerning } from '../ledger/breaks.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Reader, Values } from '../ledger/reader.ts'
import type { Row } from '../output/cell.ts'
import type { Column, RowBatches } from '../output/column.ts'
import type { Section } from '../output/html.ts'
import type { Running } from '../output/html-style.ts'
import type { Importance } from '../output/screen.ts'
import type { Form1099, OpeningLosses } from '../rules/figures.ts'
import type { LotChoice } from '../rules/matching.ts'
import type { Period } from './period.ts'

export interface Report {
  /** The parts of its file name: the report, and what it was filtered by. */
  readonly fileName: readonly string[]
  readonly title: string
  readonly columns: readonly Column[]
  /** Which columns a narrow terminal shows first. */
  readonly importance?: Importance | undefined
  readonly rows: RowBatches
  /** Sums of the rows, for people; machine-readable formats omit them. */
  readonly totals: readonly Row[]
  /** What a terminal shows besides the table if the table does not fit. */
  readonly upright?: Upright
  /** What makes the figures incomplete; printed before them in every format. */
  readonly warnings?: readonly string[]
  /** What it was asked for and made from, by name; for the cover of a workbook. */
  readonly facts?: readonly (readonly [string, string])[]
  /** What a reader must know besides the rows: as of when, open breaks, what the figures exclude. */
  readonly notes: readonly string[]
  /** What its printed document has instead of the single table, and at the head and foot of each page. */
  readonly sections?: readonly Section[]
  /** The zone of the times in its printed document; UTC if absent. */
  readonly zone?: string
  readonly running?: Running
}

/** A row as lines below each other. */
export interface Upright {
  readonly title: string
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
}

/** What a report was asked for. */
export interface ReportRequest {
  readonly account?: string | undefined
  readonly period: Period
  /** IANA name of the single zone that determines the report's days, months and years. */
  readonly zone: string
  readonly lots: LotChoice
  readonly currency?: string | undefined
  /** For US forms: which Form 1099-DA was received. */
  readonly form1099?: Form1099 | undefined
  /**
   * Losses of returns from before the books, as configured; those returns were filed under the configured
   * rules.
   */
  readonly losses?: OpeningLosses | undefined
  /** Null if the configured rules have no returns. */
  readonly lossesUnder: string | null
}

/** UsageError if the ledger was published by a version that did not create the table. */
export function requireTable(ledger: Reader, table: string): void {
  if (ledger.tables.has(table)) return
  throw new UsageError(`The published ledger has no table ${table}.`, {
    expected: `the table ${table}, which this report reads`,
    action: 'Run `tieout build` to publish the ledger again.',
  })
}

/** Beyond this many units the sum of a DECIMAL(38,18) column may be wrong without an error. */
const SAFE_REACH = 1e20

/**
 * Rows of a query whose sums are proven not to have overflowed. Its last column, `reach(…)`, is the largest
 * sum that the summed rows could have reached; it is checked and removed.
 */
export async function sums(reader: Pick<Reader, 'query'>, sql: string, values: Values): Promise<Row[]> {
  const rows = await reader.query(sql, values)
  for (const row of rows) {
    if (Number(row.at(-1) ?? 0) < SAFE_REACH) continue
    throw new TieoutError('A sum is too large to be exact.', {
      where: row.slice(0, -1).join(', '),
      expected: 'amounts whose sum stays below 10^20',
      action: 'Run `tieout check`: the check for sums near overflow lists the records.',
    })
  }
  return rows.map((row) => row.slice(0, -1))
}

/**
 * SQL for the last column of `sums`: bounds the sum of each of the columns. The maximum is taken as a
 * decimal, because converting a decimal to a double takes longer than summing it.
 */
export function reach(...columns: readonly string[]): string {
  const bounds = columns.map((column) => `coalesce(cast(max(abs(${column})) as double), 0)`)
  return `count(*) * greatest(${bounds.join(', ')}, 0)`
}

/** Adds amounts exactly. Nulls add nothing; if all are null, so is the sum. */
export function addAmounts(amounts: readonly unknown[]): string | null {
  let sum: bigint | null = null
  for (const amount of amounts) {
    const parsed = amount === null ? null : parseAmount(String(amount))
    if (parsed?.ok === true) sum = (sum ?? 0n) + parsed.units
  }
  return sum === null ? null : formatAmount(sum)
}

/** SQL that restricts a time column to a period by the values `$from` and `$before`. */
export function within(column: string): string {
  return `($from::timestamptz is null or ${column} >= $from::timestamptz)
    and ($before::timestamptz is null or ${column} < $before::timestamptz)`
}

/**
 * SQL of the runs that count towards the state of the books; a ledger of an older version does not
 * distinguish them.
 */
export const answeredRuns = (ledger: Pick<Reader, 'tables'>): string =>
  ledger.tables.get('runs')?.includes('is_answered') === true
    ? '(select * from runs where is_answered)'
    : 'runs'

/** SQL of when the venue last answered a run: up to then the records are known, and after it only imports. */
export const lastAnswered = (ledger: Pick<Reader, 'tables'>): string =>
  `(select max(ended_at) from ${answeredRuns(ledger)})`

/** SQL that restricts a row to the account of the value `$account`, if there is one. */
export const OF_ACCOUNT = '($account::varchar is null or account = $account)'

/** The same for breaks. */
export const CONCERNS_ACCOUNT = concerning(OF_ACCOUNT)

export function valuesOf({ account, period }: ReportRequest): Values {
  return { account: account ?? null, from: period.from, before: period.before }
}

export function titled(title: string, { period }: ReportRequest): string {
  return period.label === '' ? title : `${title} ${period.label}`
}

export function fileNameOf(name: string, { account, period }: ReportRequest): string[] {
  return [name, account ?? '', period.label.replaceAll(' ', '-')]
}

/**
 * Changes of balances: entries of the venue's accounts, and imported rows of accounts known only from
 * imports.
 */
export function movesOf(ledger: Ledger): string {
  const columns = 'account, ledger, coin, kind, amount, occurred_at, entry_id'
  // Books of an earlier version have no imported entries.
  const imported = ledger.tables.has('imported_entries')
    ? `union all select ${columns}, imported_id from imported_entries`
    : ''
  return `(select ${columns}, null::varchar as imported_id from entries ${imported})`
}

/** UsageError that lists the known accounts if the ledger does not know this one. */
export async function requireAccount(ledger: Ledger, account: string | undefined): Promise<void> {
  if (account === undefined) return
  const known = await ledger.query(
    'select account from accounts union select distinct account from entries order by 1',
  )
  const names = known.map(([name]) => String(name))
  if (names.includes(account)) return
  throw new UsageError(`The ledger has no account ${account}.`, {
    where: '--account',
    expected: names.length === 0 ? 'an account; the ledger has none yet' : `one of ${names.join(', ')}`,
    action: 'Correct the name.',
  })
}
