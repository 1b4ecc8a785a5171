// Profit and loss by month and symbol: realised by lots on spot, as the venue booked it on futures.
// Amounts of different currencies are never added; what has no known gain is counted, not guessed.
import { asBatches, type Column } from '../output/column.ts'
import type { Row } from '../output/value.ts'
import { disposalsOf } from './disposals.ts'
import { reportCurrency } from './gains.ts'
import type { Ledger } from './ledger.ts'
import type { Reader } from './reader.ts'
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
import { counted, standingNotes } from './standing.ts'

/**
 * line_id names the line by the five columns after it. line: spot or futures. symbol: the coin disposed of (spot), the
 * contract (futures, null where the venue does not tell). currency: what the amounts are in. net_pnl: realised_pnl +
 * fees + funding; on spot, fees are part of proceeds and cost basis already. unknown: pieces without a known gain.
 */
const COLUMNS: readonly Column[] = [
  { name: 'line_id' },
  { name: 'account' },
  { name: 'month' },
  { name: 'line' },
  { name: 'symbol' },
  { name: 'currency' },
  { name: 'proceeds', kind: 'amount' },
  { name: 'cost_basis', kind: 'amount' },
  { name: 'realised_pnl', kind: 'amount' },
  { name: 'fees', kind: 'amount' },
  { name: 'funding', kind: 'amount' },
  { name: 'net_pnl', kind: 'amount' },
  { name: 'unknown', kind: 'number' },
]

export async function pnlReport(ledger: Ledger, request: ReportRequest): Promise<Report> {
  const standing = await standingNotes(ledger)
  const { reader, note } = await disposalsOf(ledger, request.lots)
  const currency = await reportCurrency(reader, request.currency)
  const spot = await spotLines(reader, request, currency)
  const futures = await futuresLines(ledger, request)
  const lines = [...spot, ...futures]
    .map(
      (row): Row => [
        row
          .slice(0, 5)
          .map((part) => part ?? '')
          .join('/'),
        ...row,
      ],
    )
    .toSorted(byAccountAndMonth)
  const unknown = spot.reduce((sum, row) => sum + Number(row.at(-1)), 0)
  const notes =
    unknown === 0 ? [] : [`${counted(unknown, 'piece')} without a known gain are not in the figures.`]
  const { label } = request.period
  return {
    fileName: fileNameOf('pnl', request),
    title: label === '' ? 'Profit and loss' : `Profit and loss ${label}`,
    columns: COLUMNS,
    rows: asBatches(lines),
    totals: totalsOf(lines),
    notes: [note, ...notes, ...standing],
  }
}

async function spotLines(reader: Reader, request: ReportRequest, currency: string | null): Promise<Row[]> {
  return await sums(
    reader,
    `select account, strftime(disposed_at, '%Y-%m') as month, 'spot', coin, currency,
       sum(proceeds) filter (gain is not null), sum(cost_basis) filter (gain is not null),
       sum(gain), null, null, sum(gain), count(*) filter (gain is null),
       ${reach('proceeds', 'cost_basis', 'gain')}
     from disposals
     where ${OF_ACCOUNT} and ${within('disposed_at')}
       and ($currency::varchar is null or currency is null or currency = $currency)
     group by account, month, coin, currency`,
    { ...valuesOf(request), currency },
  )
}

async function futuresLines(ledger: Ledger, request: ReportRequest): Promise<Row[]> {
  return await sums(
    ledger,
    `select account, strftime(day, '%Y-%m') as month, 'futures', symbol, margin_coin,
       null, null, sum(realised_pnl), sum(fees), sum(funding), sum(net_pnl), 0,
       ${reach('realised_pnl', 'fees', 'funding', 'net_pnl')}
     from futures_pnl
     where ${OF_ACCOUNT} and ${within('cast(day as timestamptz)')}
     group by account, month, symbol, margin_coin`,
    valuesOf(request),
  )
}

/** The id begins with account and month, so that its order is that of the lines. */
function byAccountAndMonth(one: Row, other: Row): number {
  return String(one[0]) < String(other[0]) ? -1 : 1
}

/** Sums of the amounts by line and currency, and by currency where it has both lines. */
function totalsOf(lines: readonly Row[]): Row[] {
  const currencies = [...new Set(lines.map((row) => row[5] ?? null))]
  return currencies.flatMap((currency) => {
    const inCurrency = lines.filter((row) => row[5] === currency)
    const kinds = [...new Set(inCurrency.map((row) => row[3] ?? null))]
    const byKind = kinds.map((kind) =>
      totalOf(
        inCurrency.filter((row) => row[3] === kind),
        kind,
      ),
    )
    return kinds.length > 1 ? [...byKind, totalOf(inCurrency, null)] : byKind
  })
}

function totalOf(lines: readonly Row[], kind: Row[number]): Row {
  const amounts = [6, 7, 8, 9, 10, 11].map((index) => addAmounts(lines.map((row) => row[index])))
  const unknown = lines.reduce((sum, row) => sum + Number(row[12]), 0)
  return ['total', null, null, kind, null, lines[0]?.[5] ?? null, ...amounts, unknown]
}
