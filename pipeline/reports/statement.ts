// A statement for each account, ledger and coin: opening balance, movements by kind, closing balance.
// Opening + movements = closing, line by line, because all three are sums of the same entries.

import type { Ledger } from '../ledger/ledger.ts'
import { asBatches, type Column } from '../output/column.ts'
import type { Row } from '../output/value.ts'
import { reportNotes } from './notes.ts'
import {
  addAmounts,
  fileNameOf,
  movesOf,
  OF_ACCOUNT,
  type Report,
  type ReportRequest,
  reach,
  sums,
  valuesOf,
} from './report.ts'

const COLUMNS: readonly Column[] = [
  { name: 'line_id' },
  { name: 'account' },
  { name: 'ledger' },
  { name: 'coin' },
  { name: 'line' },
  { name: 'kind' },
  { name: 'amount', kind: 'amount' },
  { name: 'entries', kind: 'number' },
]

/**
 * One line for each account, ledger and coin: line `opening`, one `movement` for each kind of entry, `closing`.
 * An entry of kind opening (history from before the books) is a movement at its time.
 */
export async function statementReport(ledger: Ledger, request: ReportRequest): Promise<Report> {
  const notes = await reportNotes(ledger, request)
  const found = await sums(
    ledger,
    `select account, ledger, coin,
       case when $from::timestamptz is null or occurred_at >= $from::timestamptz then kind end as movement,
       sum(amount), count(*), ${reach('amount')}
     from ${movesOf(ledger)} as moves
     where ${OF_ACCOUNT} and ($before::timestamptz is null or occurred_at < $before::timestamptz)
     group by account, ledger, coin, movement order by account, ledger, coin, movement nulls first`,
    valuesOf(request),
  )
  const books = new Map<string, Row[]>()
  for (const row of found) {
    const key = JSON.stringify(row.slice(0, 3))
    books.set(key, [...(books.get(key) ?? []), row])
  }
  const lines = [...books.values()].flatMap(statementOf)
  const { label } = request.period
  const title = label === '' ? 'Statement' : `Statement ${label}`
  return {
    fileName: fileNameOf('statement', request),
    title,
    columns: COLUMNS,
    rows: asBatches(lines),
    totals: [],
    notes,
  }
}

/** The lines of one account, ledger and coin, from its sums by kind; the sum without a kind lies before the period. */
function statementOf(sumsByKind: readonly Row[]): Row[] {
  const [account = null, wallet = null, coin = null] = sumsByKind[0] ?? []
  const line = (name: string, kind: string | null, of: readonly Row[]): Row => {
    const id = [account, wallet, coin, name, ...(kind === null ? [] : [kind])].join('/')
    const entries = of.reduce((sum, row) => sum + Number(row[5]), 0)
    return [id, account, wallet, coin, name, kind, addAmounts(of.map((row) => row[4])) ?? '0', entries]
  }
  const before = sumsByKind.filter((row) => row[3] === null)
  const during = sumsByKind.filter((row) => row[3] !== null)
  return [
    line('opening', null, before),
    ...during.map((row) => line('movement', String(row[3]), [row])),
    line('closing', null, sumsByKind),
  ]
}
