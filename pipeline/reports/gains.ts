// Gains by lot: the pieces of every disposal in a period. Unknown gains are shown separately, never as zero.
import { UsageError } from '../../models/error.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Reader, Values } from '../ledger/reader.ts'
import type { Row } from '../output/cell.ts'
import type { Column } from '../output/column.ts'
import { CHOSEN_DISPOSALS, withoutGain } from './completeness.ts'
import { disposalsOf } from './disposals.ts'
import { lawNotes } from './law-notes.ts'
import { reportNotes } from './notes.ts'
import { fileNameOf, type Report, type ReportRequest, reach, sums, valuesOf } from './report.ts'

/**
 * Columns of `disposals`. For each currency there is one total of what is known and a separate one of pieces
 * with no known gain.
 */
export async function gainsReport(ledger: Ledger, request: ReportRequest): Promise<Report> {
  const standing = await reportNotes(ledger, request)
  const { reader, notes, law } = await disposalsOf(ledger, request.lots, request.currency)
  const values = { ...valuesOf(request), currency: await reportCurrency(reader, request.currency) }
  const totals = await gainTotals(reader, values)
  const { columns, rows } = await reader.stream(
    `select * from disposals where ${CHOSEN_DISPOSALS}
     order by disposed_at, account, coin, disposal_id, acquired_at nulls last, lot_id nulls last`,
    values,
  )
  const { label } = request.period
  return {
    fileName: fileNameOf('gains', request),
    title: label === '' ? 'Gains' : `Gains ${label}`,
    columns,
    rows,
    totals: totals.map((total) => placed(columns, total)),
    warnings: await withoutGain(ledger, reader, values),
    notes: [...notes, ...(await lawNotes(ledger, reader, law, request)), ...standing],
  }
}

/** The currency to keep, null for all. UsageError if the disposals are calculated in other currencies. */
export async function reportCurrency(reader: Reader, wanted: string | undefined): Promise<string | null> {
  if (wanted === undefined) return null
  const found = await reader.query(
    'select distinct currency from disposals where currency is not null order by 1',
  )
  const currencies = found.map(([currency]) => String(currency))
  if (currencies.length === 0 || currencies.includes(wanted)) return wanted
  const named = wanted.toUpperCase()
  throw new UsageError(`The gains are not calculated in ${wanted}.`, {
    where: '--currency',
    expected: currencies.join(' or '),
    action:
      `Set \`reports: { currency: ${named} }\` in the configuration, import prices in ${named} (or the rates of the ECB) ` +
      'and run `tieout build`.',
  })
}

type Total = Readonly<Record<string, string | null>>

async function gainTotals(reader: Reader, values: Values): Promise<Total[]> {
  // Books of an earlier version have no fees apart.
  const fees = reader.tables.get('disposals')?.includes('fees') === true ? 'fees' : 'null::decimal(38, 18)'
  const rows = await sums(
    reader,
    `select currency, gain is null as is_unknown, sum(proceeds), sum(cost_basis), sum(denied_loss), sum(gain),
       sum(${fees}), ${reach('proceeds', 'cost_basis', 'denied_loss', 'gain', fees)}
     from disposals where ${CHOSEN_DISPOSALS}
     group by currency, is_unknown order by currency, is_unknown`,
    values,
  )
  return rows.map(([currency, isUnknown, proceeds, costBasis, deniedLoss, gain, charged]) => ({
    account: isUnknown === true ? 'total without a known gain' : 'total',
    currency: text(currency),
    proceeds: text(proceeds),
    cost_basis: text(costBasis),
    denied_loss: text(deniedLoss),
    gain: text(gain),
    fees: text(charged),
  }))
}

const text = (cell: unknown): string | null => (cell === null || cell === undefined ? null : String(cell))

function placed(columns: readonly Column[], total: Total): Row {
  return columns.map((column) => total[column.name] ?? null)
}
