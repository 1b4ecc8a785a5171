// What of a file the books have already, imports that were withdrawn aside. An id is a row's identity: the same row again is nothing new, and another row
// under the same id is refused, with both named. Trades and opening lots share their ids, as reports name lots by them.
import {
  type DuckDBConnection,
  DuckDBDecimalValue,
  DuckDBTimestampTZValue,
  type DuckDBValue,
} from '@duckdb/node-api'
import { formatAmount } from '../../models/amount.ts'
import type { FieldValue } from '../../models/record.ts'
import { identifier } from '../engine/quote.ts'
import type { Column } from '../engine/table.ts'
import { type ImportedRow, type ImportFormat, PLACE_COLUMNS } from '../imports/format.ts'
import { Refusals, RefusedCells, refuseCell } from '../imports/refusals.ts'

interface KnownRow {
  readonly values: readonly FieldValue[]
  /** Number of the import that brought it. */
  readonly importId: number
  readonly file: string
  /** Place in that file, from 1, the header not counted. */
  readonly row: number
}

/**
 * The rows that the books do not have. UsageError with line and column for each row whose identity the books have with
 * other content, or as an import of another kind.
 */
export async function newRows(
  connection: DuckDBConnection,
  file: string,
  format: ImportFormat,
  rows: readonly ImportedRow[],
): Promise<ImportedRow[]> {
  const columns = format.table.columns.slice(PLACE_COLUMNS.length)
  const identityOf = (values: readonly FieldValue[]): string =>
    JSON.stringify(
      format.identity.map((name) => String(values[columns.findIndex((one) => one.name === name)])),
    )
  const known = new Map<string, KnownRow>()
  for await (const row of knownRows(connection, format, columns)) {
    const identity = identityOf(row.values)
    if (!known.has(identity)) known.set(identity, row)
  }
  const others = await idsOfOtherKind(connection, format)
  const takenBack = new Set<number>()
  const isNew = (row: ImportedRow): boolean => {
    const other = others.get(String(row.values[0]))
    if (other !== undefined) throw takenId(file, row, other)
    const before = known.get(identityOf(row.values))
    if (before === undefined) return true
    const differing = columns.findIndex((_, at) => before.values[at] !== row.values[at])
    if (differing < 0) return false
    takenBack.add(before.importId)
    throw otherContent(file, columns, row, before, differing)
  }
  const refusals = new Refusals(file)
  const added = rows.filter((row) => refusals.attempt(() => isNew(row)))
  try {
    refusals.throwIfAny()
  } catch (error) {
    if (!(error instanceof RefusedCells) || takenBack.size === 0) throw error
    throw error.withAction(remedy([...takenBack], format))
  }
  return added
}

/** Whoever corrects a row must not be led to give it another id: it would count twice. */
function remedy(imports: readonly number[], { identity }: ImportFormat): string {
  const undo = imports.map((id) => `\`tieout import --undo ${id}\``).join(', ')
  const other = identity.includes('id') ? ' What is another row needs another id.' : ''
  return `Where rows were corrected, take back the import that has them (${undo}) and import all of its rows again.${other} Nothing of the file has been imported.`
}

async function* knownRows(
  connection: DuckDBConnection,
  { table }: ImportFormat,
  columns: readonly Column[],
): AsyncGenerator<KnownRow> {
  const names = columns.map(({ name }) => `rows.${identifier(name)}`)
  const result = await connection.run(
    `select imports.page_id, imports.file_name, rows.page_row, ${names.join(', ')}
     from landing.main.${table.name} as rows
     join landing.main.imports as imports on imports.page_id = rows.page_id
     anti join landing.main.import_withdrawals as withdrawn on withdrawn.page_id = rows.page_id
     order by rows.page_id, rows.page_row`,
  )
  for (let at = 0; at < result.chunkCount; at += 1)
    for (const [importId, file, row, ...cells] of result.getChunk(at).getRows())
      yield {
        importId: Number(importId),
        file: String(file),
        row: Number(row) + 1,
        values: cells.map(fieldValue),
      }
}

/** A cell as reading a file gives it. */
function fieldValue(cell: DuckDBValue): FieldValue {
  if (cell instanceof DuckDBDecimalValue) return cell.value
  if (cell instanceof DuckDBTimestampTZValue) return cell.micros
  return cell as FieldValue
}

const OTHER_KIND: Readonly<Partial<Record<string, string>>> = {
  imported_trades: 'imported_lots',
  imported_lots: 'imported_trades',
}

/** By id, the file that has it as an import of the other kind. */
async function idsOfOtherKind(
  connection: DuckDBConnection,
  { table }: ImportFormat,
): Promise<ReadonlyMap<string, string>> {
  const other = OTHER_KIND[table.name]
  if (other === undefined) return new Map()
  const reader = await connection.runAndReadAll(
    `select rows.id, min(imports.file_name) from landing.main.${other} as rows
     join landing.main.imports as imports on imports.page_id = rows.page_id
     anti join landing.main.import_withdrawals as withdrawn on withdrawn.page_id = rows.page_id
     group by rows.id`,
  )
  return new Map(reader.getRows().map(([id, file]) => [String(id), String(file)]))
}

const takenId = (file: string, { line, values }: ImportedRow, other: string) =>
  refuseCell(file, line, 'id', {
    message: 'The books have this id already, as an import of another kind.',
    expected: 'an id of its own for each imported trade and lot',
    found: `${String(values[0])}, as in ${other}`,
  })

function otherContent(
  file: string,
  columns: readonly Column[],
  row: ImportedRow,
  before: KnownRow,
  at: number,
) {
  const name = columns[at]?.name ?? ''
  const show = (value: FieldValue | undefined): string => shown(columns[at], value)
  return refuseCell(file, row.line, columnOfFile(name), {
    message: `The books have this row with another ${columnOfFile(name)}.`,
    expected: `${show(before.values[at])}, as in row ${before.row} of ${before.file}, imported before`,
    found: show(row.values[at]),
  })
}

/** The name that the column has in the file. */
const columnOfFile = (name: string): string =>
  ['occurred_at', 'acquired_at', 'priced_at', 'nanos'].includes(name) ? 'time' : name

function shown(column: Column | undefined, value: FieldValue | undefined): string {
  if (value === null || value === undefined) return 'nothing'
  if (typeof value !== 'bigint') return String(value)
  if (column?.kind !== 'TIMESTAMPTZ') return formatAmount(value)
  const text = new Date(Number(value / 1000n)).toISOString()
  return `${text.slice(0, -1)}${String(value % 1000n).padStart(3, '0')}Z`
}
