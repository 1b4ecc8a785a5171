// Reports that show a published table unchanged but filtered: income, net worth, breaks and coverage.
import { counted } from '../../models/text.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { dayIn } from '../lots/day.ts'
import type { Cell } from '../output/cell.ts'
import { dateText } from '../rules/calendar.ts'
import { belowNothing } from './below-nothing.ts'
import { withoutValue } from './completeness.ts'
import { reportNotes } from './notes.ts'
import { openPositions } from './open-positions.ts'
import {
  addAmounts,
  CONCERNS_ACCOUNT,
  fileNameOf,
  OF_ACCOUNT,
  type Report,
  type ReportRequest,
  reach,
  sums,
  valuesOf,
  within,
} from './report.ts'

/** Funding, interest and rewards, line by line. */
export async function incomeReport(ledger: Ledger, request: ReportRequest): Promise<Report> {
  const notes = await reportNotes(ledger, request)
  const totals = await incomeTotals(ledger, request)
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
    totals: totals.map((total) => columns.map(({ name }) => total[name] ?? null)),
    warnings: await withoutValue(ledger, valuesOf(request)),
    notes: [...notes, ...(totals.some(({ account }) => account === PAID) ? [PAID_TOO] : [])],
  }
}

const [RECEIVED, PAID] = ['total received', 'total paid']

export const PAID_TOO =
  'Amounts below zero were paid, such as interest on loans; they are not part of any total received.'

/** Totals received and, separately, paid: by kind and coin, and by value for a kind with several coins. */
async function incomeTotals(
  ledger: Ledger,
  request: ReportRequest,
): Promise<Readonly<Record<string, Cell>>[]> {
  const isValued = ledger.tables.get('income')?.includes('value') === true
  const [value, currency] = isValued ? ['value', 'currency'] : ['null::decimal(38, 18)', 'null::varchar']
  const rows = await sums(
    ledger,
    `with chosen as (
       select kind, coin, amount < 0 as is_paid, amount, ${value} as value, ${currency} as currency
       from income where ${OF_ACCOUNT} and ${within('occurred_at')}
     )
     select kind, is_paid, coin, min(currency), sum(amount), sum(value), ${reach('amount', 'value')}
     from chosen group by kind, is_paid, coin order by kind, is_paid, coin`,
    valuesOf(request),
  )
  const each = rows.map(([kind = null, isPaid, coin = null, told = null, amount, worth]) => ({
    account: isPaid === true ? PAID : RECEIVED,
    kind,
    coin,
    amount: addAmounts([amount ?? null]),
    value: addAmounts([worth ?? null]),
    currency: told,
  }))
  return each.flatMap((total, at) => {
    const next = each[at + 1]
    if (next?.kind === total.kind && next.account === total.account) return [total]
    const coins = each.filter(({ kind, account }) => kind === total.kind && account === total.account)
    if (coins.length === 1 || !isValued) return [total]
    const together = addAmounts(coins.map(({ value: worth }) => worth))
    return [total, { ...total, coin: null, amount: null, value: together }]
  })
}

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
  const { columns, rows } = await ledger.stream(
    `select * from value_bridge
     where ${OF_ACCOUNT} and ${MONTHS_SHOWN}
     order by account nulls first, month`,
    valuesOf(request),
  )
  return {
    fileName: fileNameOf('net-worth', request),
    title: titled('Net worth by UTC month', request),
    columns,
    rows,
    totals: [],
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
        ],
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

/** Open breaks, then those explained by a note, the most severe first. */
export async function breaksReport(ledger: Ledger, request: ReportRequest): Promise<Report> {
  const notes = await reportNotes(ledger, request)
  const { columns, rows } = await ledger.stream(
    `select * from breaks
     where ${CONCERNS_ACCOUNT} and (occurred_at is null or (${within('occurred_at')})) and status <> 'resolved'
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

/** What has been received of each feed, and what has not and why. */
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
