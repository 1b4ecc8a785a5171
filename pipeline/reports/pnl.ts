// Profit and loss by month and symbol, in the columns of `pnl_monthly`: gains of matched lots, futures as the
// venue booked them, interest, liquidations, and fees that belong to no trade. Months are those of the
// report's zone. It is summed here, so that it honours the requested period and lots, from the same parts as
// that table (sql/intermediate/pnl), which determine what counts, in which line, and how an unknown gain is
// treated. Amounts of different coins are never added. Unknown gains are counted, not guessed.

import type { Ledger } from '../ledger/ledger.ts'
import { shippedModel } from '../ledger/models.ts'
import type { Reader } from '../ledger/reader.ts'
import type { Cell, Row } from '../output/cell.ts'
import { asBatches, type Column } from '../output/column.ts'
import { withoutGain } from './completeness.ts'
import { disposalsOf } from './disposals.ts'
import { reportCurrency } from './gains.ts'
import { lawNotes } from './law-notes.ts'
import { reportNotes } from './notes.ts'
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

/** line_id identifies the line by the five columns before the amounts. */
const COLUMNS: readonly Column[] = [
  { name: 'account' },
  { name: 'month', kind: 'date' },
  { name: 'product_line' },
  { name: 'symbol' },
  { name: 'coin' },
  { name: 'realised_pnl', kind: 'amount' },
  { name: 'fees', kind: 'amount' },
  { name: 'funding', kind: 'amount' },
  { name: 'interest', kind: 'amount' },
  { name: 'net_pnl', kind: 'amount' },
  { name: 'unknown_pieces', kind: 'number' },
  { name: 'line_id' },
]

export async function pnlReport(ledger: Ledger, request: ReportRequest): Promise<Report> {
  const standing = await reportNotes(ledger, request)
  const { reader, notes: matched, law } = await disposalsOf(ledger, request.lots, request.currency)
  const currency = await reportCurrency(reader, request.currency)
  const lines = [
    ...(await lotLines(reader, request, currency)),
    ...(await entryLines(ledger, request)),
  ].toSorted(byLineId)
  const { label } = request.period
  return {
    fileName: fileNameOf('pnl', request),
    title: label === '' ? 'Profit and loss' : `Profit and loss ${label}`,
    columns: COLUMNS,
    rows: asBatches(lines),
    totals: totalsOf(lines),
    warnings: await withoutGain(ledger, reader, { ...valuesOf(request), currency }),
    notes: [...matched, ...(await lawNotes(ledger, reader, law, request)), ...standing],
  }
}

/** SQL of a line's id, built from its five columns; unknown ones are empty there. */
export const LINE_ID = `concat(account, '/', month, '/', product_line, '/', symbol, '/', coin)`

/** The month of an instant in the zone given by the value `$zone`. */
const month = (instant: string): string =>
  `date_trunc('month', timezone($zone::varchar, ${instant}))::date::varchar`

/** What a reader's disposals add to which line: rows of sql/intermediate/pnl/lot_pnl_parts.sql, by month. */
export const lotParts = (): string =>
  `(select *, ${month('occurred_at')} as month from (${shippedModel('staging.lot_pnl_parts').select}))`

/** Ledgers built by an earlier version have no imported entries, or do not link the two legs of a move. */
export const canTellImported = ({ tables }: Pick<Reader, 'tables'>): boolean =>
  tables.get('imported_entries')?.includes('counter_entry_id') === true && tables.has('lot_events')

/**
 * The same for entries and imported rows: rows of sql/intermediate/pnl/entry_pnl_parts.sql and
 * imported_pnl_parts.sql, by month.
 */
export function entryParts(ledger: Pick<Reader, 'tables'>): string {
  const names = [
    'staging.entry_pnl_parts',
    ...(canTellImported(ledger) ? ['staging.imported_pnl_parts'] : []),
  ]
  const parts = names.map((name) => `(${shippedModel(name).select})`).join(' union all ')
  return `(select *, ${month('occurred_at')} as month from (${parts}))`
}

/** The gain of a lot already includes its fees. A month in which no gain is known has no gain, not zero. */
async function lotLines(reader: Reader, request: ReportRequest, currency: string | null): Promise<Row[]> {
  const none = 'cast(0 as decimal(38, 18))'
  return await sums(
    reader,
    `select account, month, product_line, symbol, coin, sum(realised_pnl), ${none}, ${none}, ${none}, sum(realised_pnl),
       count(*) filter (is_unknown), ${LINE_ID}, ${reach('realised_pnl')}
     from ${lotParts()}
     where ${OF_ACCOUNT} and ${within('occurred_at')}
       and ($currency::varchar is null or coin is null or coin = $currency)
     group by account, month, product_line, symbol, coin`,
    { ...valuesOf(request), currency, zone: request.zone },
  )
}

async function entryLines(ledger: Ledger, request: ReportRequest): Promise<Row[]> {
  return await sums(
    ledger,
    `select account, month, product_line, symbol, coin, sum(realised_pnl), sum(fee), sum(funding), sum(interest),
       sum(realised_pnl) + sum(fee) + sum(funding) + sum(interest), 0, ${LINE_ID},
       ${reach('realised_pnl', 'fee', 'funding', 'interest')}
     from ${entryParts(ledger)}
     where ${OF_ACCOUNT} and ${within('occurred_at')}
     group by account, month, product_line, symbol, coin`,
    { ...valuesOf(request), zone: request.zone },
  )
}

/** The id begins with account and month, so its order is that of the lines. */
function byLineId(one: Row, other: Row): number {
  return String(one.at(-1)) < String(other.at(-1)) ? -1 : 1
}

/** Sums by coin and product line, and by coin if it has several product lines. */
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
  const amounts = [5, 6, 7, 8, 9].map((index) => addAmounts(lines.map((row) => row[index])))
  const unknown = lines.reduce((sum, row) => sum + Number(row[10]), 0)
  return ['total', null, productLine, null, coin, ...amounts, unknown, null]
}
