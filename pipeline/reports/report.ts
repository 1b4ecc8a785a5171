// A report is data: a title, columns, rows, totals and notes, so that every format prints the same figures.
// Rows come as they are read; the ledger that they come from stays open until they have been printed.

import { formatAmount, parseAmount } from '../../models/amount.ts'
import { TieoutError, UsageError } from '../../models/error.ts'
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
  /** What a file of it is named by: the report, and what it was narrowed to. */
  readonly fileName: readonly string[]
  readonly title: string
  readonly columns: readonly Column[]
  /** Which columns a narrow terminal shows first. */
  readonly importance?: Importance | undefined
  readonly rows: RowBatches
  /** Sums of the rows for people; formats for machines leave them out. */
  readonly totals: readonly Row[]
  /** What makes the figures incomplete: said before them in every form. */
  readonly warnings?: readonly string[]
  /** What it was asked for and made from, by name; for the cover of a workbook. */
  readonly facts?: readonly (readonly [string, string])[]
  /** What a reader must know besides the rows: as of when, open breaks, what the figures leave out. */
  readonly notes: readonly string[]
  /** What its printed document has instead of the one table, and at the head and foot of each page. */
  readonly sections?: readonly Section[]
  /** The zone by whose clocks its printed document has times; UTC when absent. */
  readonly zone?: string
  readonly running?: Running
}

/** What a report was asked for. */
export interface ReportRequest {
  readonly account?: string | undefined
  readonly period: Period
  /** IANA name of the one zone whose days, months and years the report counts. */
  readonly zone: string
  readonly lots: LotChoice
  readonly currency?: string | undefined
  /** For US forms: which Form 1099-DA was received. */
  readonly form1099?: Form1099 | undefined
  /** Losses of returns from before the books, as configured; they are of returns under the configured rules. */
  readonly losses?: OpeningLosses | undefined
  /** Null where none are configured that have returns. */
  readonly lossesUnder: string | null
}

/** UsageError when the ledger was published by a version that did not make the table. */
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
 * Rows of a query whose sums are proven not to have overflowed: its last column is the largest sum that the summed
 * rows could have reached (`reach(…)`), and is taken off.
 */
export async function sums(reader: Pick<Reader, 'query'>, sql: string, values: Values): Promise<Row[]> {
  const rows = await reader.query(sql, values)
  for (const row of rows) {
    if (Number(row.at(-1) ?? 0) < SAFE_REACH) continue
    throw new TieoutError('A sum is too large to be exact.', {
      where: row.slice(0, -1).join(', '),
      expected: 'amounts whose sum stays below 10^20',
      action: 'Run `tieout check`: the check of sums near overflow names the records.',
    })
  }
  return rows.map((row) => row.slice(0, -1))
}

/**
 * SQL for the last column of `sums`: bounds the sum of each of the columns. The largest is found as a decimal, since a
 * decimal takes longer to become a double than to be summed.
 */
export function reach(...columns: readonly string[]): string {
  const bounds = columns.map((column) => `coalesce(cast(max(abs(${column})) as double), 0)`)
  return `count(*) * greatest(${bounds.join(', ')}, 0)`
}

/** Adds amounts exactly; what is null adds nothing, and nothing but nulls adds to null. */
export function addAmounts(amounts: readonly unknown[]): string | null {
  let sum: bigint | null = null
  for (const amount of amounts) {
    const parsed = amount === null ? null : parseAmount(String(amount))
    if (parsed?.ok === true) sum = (sum ?? 0n) + parsed.units
  }
  return sum === null ? null : formatAmount(sum)
}

/** SQL that holds a time column to a period by the values `$from` and `$before`. */
export function within(column: string): string {
  return `($from::timestamptz is null or ${column} >= $from::timestamptz)
    and ($before::timestamptz is null or ${column} < $before::timestamptz)`
}

/** SQL of the runs whose word on when the books stand counts; a ledger of an older version does not tell them from others. */
export const answeredRuns = (ledger: Pick<Reader, 'tables'>): string =>
  ledger.tables.get('runs')?.includes('is_answered') === true
    ? '(select * from runs where is_answered)'
    : 'runs'

/** SQL of when the venue last answered a run: until then it is known what there was, and beyond it only what imports tell. */
export const lastAnswered = (ledger: Pick<Reader, 'tables'>): string =>
  `(select max(ended_at) from ${answeredRuns(ledger)})`

/** SQL that holds a row to the account of the value `$account`, if there is one. */
export const OF_ACCOUNT = '($account::varchar is null or account = $account)'

export function valuesOf({ account, period }: ReportRequest): Values {
  return { account: account ?? null, from: period.from, before: period.before }
}

export function fileNameOf(name: string, { account, period }: ReportRequest): string[] {
  return [name, account ?? '', period.label.replaceAll(' ', '-')]
}

/** Changes of balances: entries of the venue's accounts, and imported rows of accounts that imports alone tell of. */
export function movesOf(ledger: Ledger): string {
  const columns = 'account, ledger, coin, kind, amount, occurred_at, entry_id'
  // Books of an earlier version have no imported entries.
  const imported = ledger.tables.has('imported_entries')
    ? `union all select ${columns}, imported_id from imported_entries`
    : ''
  return `(select ${columns}, null::varchar as imported_id from entries ${imported})`
}

/** UsageError with the accounts there are, when the ledger knows nothing of this one. */
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
