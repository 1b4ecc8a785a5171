// What each account was worth from month to month, and why: the lines of the table `value_bridge`.
import { counted } from '../../models/text.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { dayIn } from '../lots/day.ts'
import type { Cell, Row } from '../output/cell.ts'
import { allRows, asBatches, type Column } from '../output/column.ts'
import { dateText } from '../rules/calendar.ts'
import { belowNothing } from './below-nothing.ts'
import { reportNotes } from './notes.ts'
import { openPositions } from './open-positions.ts'
import {
  addAmounts,
  fileNameOf,
  OF_ACCOUNT,
  type Report,
  type ReportRequest,
  titled,
  type Upright,
  valuesOf,
} from './report.ts'

/** Months that begin in the period, by the clock of any zone. */
const MONTHS_SHOWN = `($from::timestamptz is null
    or timezone('UTC', month::timestamp) >= $from::timestamptz - interval 14 hours)
  and ($before::timestamptz is null
    or timezone('UTC', month::timestamp) < $before::timestamptz - interval 14 hours)`

/**
 * What each account was worth from month to month, and why: the lines of `value_bridge`. Its months are UTC
 * months.
 */
export async function netWorthReport(ledger: Ledger, request: ReportRequest): Promise<Report> {
  const notes = await reportNotes(ledger, request)
  const { columns, rows: streamed } = await ledger.stream(
    `select * from value_bridge
     where ${OF_ACCOUNT} and ${MONTHS_SHOWN}
     order by account nulls first, month`,
    valuesOf(request),
  )
  const rows = await allRows(streamed)
  const months = monthTotals(columns, rows)
  const whole = periodTotal(columns, months)
  return {
    fileName: fileNameOf('net-worth', request),
    title: titled('Net worth by UTC month', request),
    columns,
    rows: asBatches(rows),
    // A total of one row would repeat it.
    totals: [...(months.length === rows.length ? [] : months), ...(months.length > 1 ? [whole] : [])],
    upright: upright(columns, whole),
    // There is nothing else to note about months that are not shown.
    notes: (await isOneHolding(ledger, request))
      ? [
          ...notes,
          `Lots are held across all accounts together, so ${request.account} has no bridge of its own. Omit --account.`,
        ]
      : [
          ...notes,
          ...(await belowNothing(ledger, request, { atEnd: false })),
          ...(isOfMonths(request) ? [] : [WHOLE_MONTHS]),
          ...(await openPositions(ledger, request)),
          ...(await leftOpen(ledger, request)),
          ...(await dayAcrossMonths(ledger, request)),
        ],
  }
}

const TOTAL = 'total'

/** The months of all accounts together, in order. */
function monthTotals(columns: readonly Column[], rows: readonly Row[]): Row[] {
  const at = columns.findIndex(({ name }) => name === 'month')
  const months = [...new Set(rows.map((row) => String(row[at])))].toSorted()
  return months.map((month) =>
    summed(
      columns,
      rows.filter((row) => row[at] === month),
      { account: TOTAL, month },
    ),
  )
}

/** From the value before the first month to the value at the end of the last. */
function periodTotal(columns: readonly Column[], months: readonly Row[]): Row {
  const total = summed(columns, months, { account: TOTAL, month: null })
  return columns.map(({ name }, at) => {
    if (name === 'opening_value') return months[0]?.[at] ?? null
    return name === 'closing_value' ? (months.at(-1)?.[at] ?? null) : (total[at] ?? null)
  })
}

/**
 * A missing value adds nothing, but then the difference is not known. Coins without a price are not added up:
 * several accounts and months may lack the price of the same coin.
 */
function summed(
  columns: readonly Column[],
  rows: readonly Row[],
  labels: Readonly<Record<string, Cell>>,
): Row {
  return columns.map(({ name, kind }, at) => {
    const cells = rows.map((row) => row[at] ?? null)
    if (name in labels) return labels[name] ?? null
    if (name === 'currency') return cells[0] ?? null
    if (name === 'difference' && cells.includes(null)) return null
    if (kind === 'amount') return addAmounts(cells)
    return name === 'unknown_events' ? cells.reduce((sum: number, cell) => sum + Number(cell), 0) : null
  })
}

/** The period as lines below each other, for a terminal too narrow for them side by side. */
function upright(columns: readonly Column[], whole: Row): Upright {
  const lines = columns.flatMap(({ name, kind }, at): Row[] =>
    kind === 'amount'
      ? [[name, whole[at] ?? null, whole[columns.findIndex((one) => one.name === 'currency')] ?? null]]
      : [],
  )
  return {
    title: 'From the opening to the closing value of the period:',
    columns: [{ name: 'line' }, { name: 'value', kind: 'amount' }, { name: 'currency' }],
    rows: lines,
  }
}

const WHOLE_MONTHS =
  'Months are whole months: those that begin in the period are shown to their end, and a month already in progress when it begins is not shown.'

/** Whether the period begins and ends with a month of its zone. */
function isOfMonths({ period, zone }: ReportRequest): boolean {
  const dayOf = dayIn(zone)
  return [period.from, period.before].every(
    (at) => at === null || dateText(dayOf(BigInt(Date.parse(at)) * 1_000n)).endsWith('-01'),
  )
}

/** Whether one account was asked for although the months are those of all accounts together. */
async function isOneHolding(ledger: Ledger, { account }: ReportRequest): Promise<boolean> {
  if (account === undefined) return false
  const together = await ledger.query('select 1 from value_bridge where account is null limit 1')
  return together.length > 0
}

/** What the months leave open because a value, a cost or a price is missing. */
async function leftOpen(ledger: Ledger, request: ReportRequest): Promise<string[]> {
  const [[unknown = 0, unpriced = 0] = []] = await ledger.query(
    `select coalesce(sum(unknown_events), 0)::integer, coalesce(max(unpriced_coins), 0)::integer
     from value_bridge where ${OF_ACCOUNT} and ${MONTHS_SHOWN}`,
    valuesOf(request),
  )
  const lacking = [
    ...(Number(unknown) === 0 ? [] : [`the value or cost of ${counted(Number(unknown), 'change')}`]),
    ...(Number(unpriced) === 0
      ? []
      : [`the price of up to ${counted(Number(unpriced), 'coin')} at the end of a month`]),
  ]
  if (lacking.length === 0) return []
  return [
    `Not known: ${lacking.join(', and ')}. A coin without a price is not included in any value; what cannot be attributed is shown as difference.`,
  ]
}

/**
 * Days of London whose sales are one disposal and that begin in the last hour of a UTC month (check
 * `value_bridge`).
 */
async function dayAcrossMonths(ledger: Ledger, request: ReportRequest): Promise<string[]> {
  const months = await ledger.query(
    `select distinct substr(cast(month as varchar), 1, 7) as month
     from value_bridge as bridge
     where ${OF_ACCOUNT} and ${MONTHS_SHOWN}
       and exists (select 1 from breaks
         where check_name = 'value_bridge' and severity = 'notice' and status <> 'resolved'
           and breaks.account is not distinct from bridge.account
           and breaks.occurred_at = timezone('UTC', bridge.month::timestamp))
     order by month`,
    valuesOf(request),
  )
  if (months.length === 0) return []
  return [
    `A day of London, whose sales count as one, reaches across the end of a UTC month: what was sold later that day is in the difference of both months, with opposite signs (${months.map(([month]) => String(month)).join(', ')}).`,
  ]
}
