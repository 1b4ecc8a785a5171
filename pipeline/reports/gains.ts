// Gains by lot: the pieces of every disposal in a period, with what is not known shown apart and never as zero.
import { UsageError } from '../../models/error.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Reader, Values } from '../ledger/reader.ts'
import type { Column } from '../output/column.ts'
import type { Row } from '../output/value.ts'
import { disposalsOf } from './disposals.ts'
import { counted, reportNotes } from './notes.ts'
import {
  fileNameOf,
  OF_ACCOUNT,
  type Report,
  type ReportRequest,
  reach,
  sums,
  valuesOf,
  within,
} from './report.ts'

const CHOSEN = `${OF_ACCOUNT} and ${within('disposed_at')}
  and ($currency::varchar is null or currency is null or currency = $currency)`

/** Columns of `disposals`; totals of what is known and, apart, of what has no known gain, for each currency. */
export async function gainsReport(ledger: Ledger, request: ReportRequest): Promise<Report> {
  const standing = await reportNotes(ledger, request)
  const { reader, notes } = await disposalsOf(ledger, request.lots, request.currency)
  const values = { ...valuesOf(request), currency: await reportCurrency(reader, request.currency) }
  const totals = await gainTotals(reader, values)
  const unknown = await unknownBasis(reader, values)
  const { columns, rows } = await reader.stream(
    `select * from disposals where ${CHOSEN}
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
    notes: [...notes, ...unknown, ...standing],
  }
}

/** The currency to keep, null for all. UsageError when the disposals are reckoned in others. */
export async function reportCurrency(reader: Reader, wanted: string | undefined): Promise<string | null> {
  if (wanted === undefined) return null
  const found = await reader.query(
    'select distinct currency from disposals where currency is not null order by 1',
  )
  const currencies = found.map(([currency]) => String(currency))
  if (currencies.length === 0 || currencies.includes(wanted)) return wanted
  throw new UsageError(`The gains are not reckoned in ${wanted}.`, {
    where: '--currency',
    expected: currencies.join(' or '),
    action:
      `Set \`reports: { currency: ${wanted} }\` in the configuration, import prices in ${wanted} (or the rates of the ECB) ` +
      'and run `tieout build`.',
  })
}

type Total = Readonly<Record<string, string | null>>

async function gainTotals(reader: Reader, values: Values): Promise<Total[]> {
  const rows = await sums(
    reader,
    `select currency, gain is null as is_unknown, sum(proceeds), sum(cost_basis), sum(denied_loss), sum(gain),
       ${reach('proceeds', 'cost_basis', 'denied_loss', 'gain')}
     from disposals where ${CHOSEN}
     group by currency, is_unknown order by currency, is_unknown`,
    values,
  )
  return rows.map(([currency, isUnknown, proceeds, costBasis, deniedLoss, gain]) => ({
    account: isUnknown === true ? 'total without a known gain' : 'total',
    currency: text(currency),
    proceeds: text(proceeds),
    cost_basis: text(costBasis),
    denied_loss: text(deniedLoss),
    gain: text(gain),
  }))
}

const text = (cell: unknown): string | null => (cell === null || cell === undefined ? null : String(cell))

function placed(columns: readonly Column[], total: Total): Row {
  return columns.map((column) => total[column.name] ?? null)
}

const NAMED = 10

async function unknownBasis(reader: Reader, values: Values): Promise<string[]> {
  const rows = await sums(
    reader,
    `select account, coin, count(*), sum(quantity), ${reach('quantity')}
     from disposals where ${CHOSEN} and gain is null group by account, coin order by account, coin`,
    values,
  )
  if (rows.length === 0) return []
  const pieces = rows.reduce((sum, row) => sum + Number(row[2]), 0)
  const named = rows.slice(0, NAMED).map(([account, coin, , quantity]) => `${quantity} ${coin} (${account})`)
  const more = rows.length > NAMED ? ` and ${rows.length - NAMED} more` : ''
  return [
    `${counted(pieces, 'piece')} without a known gain, left out of the totals: ${named.join(', ')}${more}. ` +
      'Import what is missing: `tieout import lots`, `import trades` or `import prices`.',
  ]
}
