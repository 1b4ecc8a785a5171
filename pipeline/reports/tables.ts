// Reports that show a published table unchanged but filtered: income, breaks and coverage.
import type { Ledger } from '../ledger/ledger.ts'
import type { Cell } from '../output/cell.ts'
import { withoutValue } from './completeness.ts'
import { reportNotes } from './notes.ts'
import {
  addAmounts,
  CONCERNS_ACCOUNT,
  fileNameOf,
  OF_ACCOUNT,
  type Report,
  type ReportRequest,
  reach,
  sums,
  titled,
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
