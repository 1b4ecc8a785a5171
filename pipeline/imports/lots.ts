// Opening lots: what was held before the books begin, each with the time and the cost of its acquisition.

import { type CsvFile, readCsv } from './csv.ts'
import { type ImportedRow, type ImportFormat, requireHeader, SeenOnce } from './format.ts'
import { ImportRow } from './row.ts'
import { importedLotsTable } from './tables.ts'

export const LOT_COLUMNS = ['id', 'time', 'account', 'asset', 'quantity', 'basis', 'currency'] as const

/** A worksheet states beside each lot why it is listed; that column is not read. */
const HEADERS = [LOT_COLUMNS, [...LOT_COLUMNS, 'note']]

export const lotsFormat: ImportFormat = {
  kind: 'lots',
  table: importedLotsTable,
  identity: ['id'],
  read: readLots,
}

function readLots(file: CsvFile): ImportedRow[] {
  const rows: ImportedRow[] = []
  const seen = new SeenOnce(file.name, 'id')
  readCsv(
    file,
    (header) => {
      const columns = requireHeader(file.name, header, HEADERS)
      return (line) => {
        const row = new ImportRow(file.name, columns, line)
        const values = lotValues(row, seen)
        rows.push({ line: row.line, values, rounded: row.takeRounded() })
      }
    },
    { unread: () => new Set([LOT_COLUMNS.length]) },
  )
  return rows
}

/**
 * The values of one row, in the order of the landing table. The basis includes the fees of the acquisition.
 */
function lotValues(row: ImportRow, seen: SeenOnce): ImportedRow['values'] {
  const [id, { micros, nanos }, account, asset, quantity, basis, currency] = row.together(
    () => seen.add(row.id(), row.line),
    () => row.instant(),
    () => row.account(),
    () => row.code('asset'),
    () => row.amount('quantity', 'above zero'),
    () => basisOf(row),
    () => row.code('currency'),
  )
  if (currency === asset)
    throw row.refuse('currency', 'A coin is valued in its own units.', 'another coin or currency')
  return [id, micros, nanos, account, asset, quantity, basis, currency]
}

/** A worksheet has cells to be filled in. */
function basisOf(row: ImportRow): bigint {
  if (!row.isEmpty('basis')) return row.amount('basis', 'not below zero')
  throw row.refuse('basis', 'A lot has no basis.', 'the cost, 0 if it cost nothing; or delete the row')
}
