// Profit and loss by month and symbol, in the columns of `pnl_monthly`: realised by lots on spot, as the venue booked
// it on futures. Summed here so that it follows the period and the lots that were asked for, from the same parts as that
// table (sql/intermediate/pnl), which decide what counts, where, and what an unknown gain is.
// Amounts of different coins are never added; what has no known gain is counted, not guessed.

import type { Ledger } from '../ledger/ledger.ts'
import { shippedModel } from '../ledger/models.ts'
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
  const lines = [
    ...(await spotLines(reader, request, currency)),
    ...(await futuresLines(ledger, request)),
  ].toSorted(byLineId)
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

/** SQL of the id of a line, of its five columns; what is not known is empty there. */
export const LINE_ID = `concat(account, '/', month, '/', product_line, '/', symbol, '/', coin)`

/** What the disposals that a reader has add to which line: rows of sql/intermediate/pnl/spot_pnl_parts.sql. */
export const spotParts = (): string => `(${shippedModel('staging.spot_pnl_parts').select})`

/** The same of entries: rows of sql/intermediate/pnl/futures_pnl_parts.sql. */
export const futuresParts = (): string => `(${shippedModel('staging.futures_pnl_parts').select})`

/** On spot, fees are part of the gain. A month in which no gain is known has none, not zero. */
async function spotLines(reader: Reader, request: ReportRequest, currency: string | null): Promise<Row[]> {
  return await sums(
    reader,
    `select account, month::varchar, product_line, symbol, coin,
       sum(realised_pnl), cast(0 as decimal(38, 18)), cast(0 as decimal(38, 18)), sum(realised_pnl),
       count(*) filter (is_unknown), ${LINE_ID}, ${reach('realised_pnl')}
     from ${spotParts()}
     where ${OF_ACCOUNT} and ${within('disposed_at')}
       and ($currency::varchar is null or coin is null or coin = $currency)
     group by account, month, product_line, symbol, coin`,
    { ...valuesOf(request), currency },
  )
}

/** Futures are booked by day; a day counts when it begins in the period. */
async function futuresLines(ledger: Ledger, request: ReportRequest): Promise<Row[]> {
  return await sums(
    ledger,
    `with days as (
       select account, cast(date_trunc('month', day) as date) as month, product_type as product_line, symbol,
         margin_coin as coin, realised_pnl, fees, funding, net_pnl
       from futures_pnl
       where ${OF_ACCOUNT} and ${within('cast(day as timestamptz)')}
     )
     select account, month::varchar, product_line, symbol, coin,
       sum(realised_pnl), sum(fees), sum(funding), sum(net_pnl), 0, ${LINE_ID},
       ${reach('realised_pnl', 'fees', 'funding', 'net_pnl')}
     from days
     group by account, month, product_line, symbol, coin`,
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
