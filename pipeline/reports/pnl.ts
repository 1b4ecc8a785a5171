// Profit and loss by month and symbol, in the columns of `pnl_monthly`: realised by lots on spot, as the venue booked
// it on futures. Made here and not read from that table, so that it follows the period and the lots that were asked for.
// Amounts of different coins are never added; what has no known gain is counted, not guessed.

import type { Ledger } from '../ledger/ledger.ts'
import type { Reader } from '../ledger/reader.ts'
import { asBatches, type Column } from '../output/column.ts'
import type { Cell, Row } from '../output/value.ts'
import { disposalsOf } from './disposals.ts'
import { reportCurrency } from './gains.ts'
import { counted, reportNotes } from './notes.ts'
import {
  addAmounts,
  fileNameOf,
  OF_ACCOUNT,
  type Report,
  type ReportRequest,
  reach,
  sums,
  valuesOf,
  within,
} from './report.ts'

/** line_id names the line by the five columns before the amounts. */
const COLUMNS: readonly Column[] = [
  { name: 'account' },
  { name: 'month' },
  { name: 'product_line' },
  { name: 'symbol' },
  { name: 'coin' },
  { name: 'realised_pnl', kind: 'amount' },
  { name: 'fees', kind: 'amount' },
  { name: 'funding', kind: 'amount' },
  { name: 'net_pnl', kind: 'amount' },
  { name: 'unknown_pieces', kind: 'number' },
  { name: 'line_id' },
]

export async function pnlReport(ledger: Ledger, request: ReportRequest): Promise<Report> {
  const standing = await reportNotes(ledger, request)
  const { reader, notes: matched } = await disposalsOf(ledger, request.lots, request.currency)
  const currency = await reportCurrency(reader, request.currency)
  const lines = [...(await spotLines(reader, request, currency)), ...(await futuresLines(ledger, request))]
    .map(
      (row): Row => [
        ...row,
        row
          .slice(0, 5)
          .map((part) => part ?? '')
          .join('/'),
      ],
    )
    .toSorted(byLineId)
  const unknown = lines.reduce((sum, row) => sum + Number(row[9]), 0)
  const notes =
    unknown === 0 ? [] : [`${counted(unknown, 'piece')} without a known gain are not in the figures.`]
  const { label } = request.period
  return {
    fileName: fileNameOf('pnl', request),
    title: label === '' ? 'Profit and loss' : `Profit and loss ${label}`,
    columns: COLUMNS,
    rows: asBatches(lines),
    totals: totalsOf(lines),
    notes: [...matched, ...notes, ...standing],
  }
}

/** On spot, fees are part of the gain. A month in which no gain is known has none, not zero. */
async function spotLines(reader: Reader, request: ReportRequest, currency: string | null): Promise<Row[]> {
  return await sums(
    reader,
    `select account, strftime(disposed_at, '%Y-%m-01') as month, 'SPOT', concat(coin, currency), currency,
       sum(gain), cast(0 as decimal(38, 18)), cast(0 as decimal(38, 18)), sum(gain),
       count(*) filter (gain is null), ${reach('gain')}
     from disposals
     where ${OF_ACCOUNT} and ${within('disposed_at')}
       and ($currency::varchar is null or currency is null or currency = $currency)
     group by account, month, coin, currency`,
    { ...valuesOf(request), currency },
  )
}

/** Futures are booked by day; a day counts when it begins in the period. */
async function futuresLines(ledger: Ledger, request: ReportRequest): Promise<Row[]> {
  return await sums(
    ledger,
    `select account, strftime(day, '%Y-%m-01') as month, product_type, symbol, margin_coin,
       sum(realised_pnl), sum(fees), sum(funding), sum(net_pnl), 0,
       ${reach('realised_pnl', 'fees', 'funding', 'net_pnl')}
     from futures_pnl
     where ${OF_ACCOUNT} and ${within('cast(day as timestamptz)')}
     group by account, month, product_type, symbol, margin_coin`,
    valuesOf(request),
  )
}

/** The id begins with account and month, so its order is that of the lines. */
function byLineId(one: Row, other: Row): number {
  return String(one.at(-1)) < String(other.at(-1)) ? -1 : 1
}

/** Sums by coin and product line, and by coin where it has several lines. */
function totalsOf(lines: readonly Row[]): Row[] {
  return distinct(lines, 4).flatMap((coin) => {
    const inCoin = lines.filter((row) => row[4] === coin)
    const productLines = distinct(inCoin, 2)
    const each = productLines.map((name) =>
      totalOf(
        inCoin.filter((row) => row[2] === name),
        name,
        coin,
      ),
    )
    return productLines.length > 1 ? [...each, totalOf(inCoin, null, coin)] : each
  })
}

function distinct(lines: readonly Row[], column: number): Cell[] {
  return [...new Set(lines.map((row) => row[column] ?? null))]
}

function totalOf(lines: readonly Row[], productLine: Cell, coin: Cell): Row {
  const amounts = [5, 6, 7, 8].map((index) => addAmounts(lines.map((row) => row[index])))
  const unknown = lines.reduce((sum, row) => sum + Number(row[9]), 0)
  return ['total', null, productLine, null, coin, ...amounts, unknown, null]
}
