// Which rows of a file the books already have, not counting withdrawn imports. The query looks up only the rows of the
// file, because the books may hold any number of others. A row is identified by its id: the same row again is nothing
// new, and a different row under the same id is refused, naming both. Trades and opening lots share one set of ids,
// because reports identify lots by them.
import {
  type DuckDBConnection,
  DuckDBDecimalValue,
  DuckDBTimestampTZValue,
  type DuckDBValue,
} from '@duckdb/node-api'
import { formatAmount } from '../../models/amount.ts'
import { UsageError } from '../../models/error.ts'
import type { FieldValue } from '../../models/record.ts'
import { counted } from '../../models/text.ts'
import { identifier } from '../engine/quote.ts'
import type { Column } from '../engine/table.ts'
import {
  type ImportedRow,
  type ImportFormat,
  type ImportKind,
  ownColumns,
  placeOf,
} from '../imports/format.ts'
import { Refusals, RefusedCells, refuseCell } from '../imports/refusals.ts'
import { TableWriter } from '../landing/table-writer.ts'

interface KnownRow {
  readonly values: readonly FieldValue[]
  /** Number of the import that contains it. */
  readonly importId: number
  readonly file: string
  /** Row number in that file, from 1, not counting the header. */
  readonly row: number
}

/**
 * The rows that the books do not have. Throws a UsageError with line and column for each row whose identity the books
 * have with other content, or as an import of another kind.
 */
export async function newRows(
  connection: DuckDBConnection,
  file: string,
  format: ImportFormat,
  rows: readonly ImportedRow[],
): Promise<ImportedRow[]> {
  const columns = ownColumns(format)
  const identity = format.identity.map((name) => placeOf(format, name))
  const identityOf = (values: readonly FieldValue[]): string =>
    JSON.stringify(identity.map((at) => String(values[at])))
  await putIdentities(connection, format, rows)
  const known = new Map<string, KnownRow>()
  for await (const row of knownRows(connection, format, columns)) {
    const id = identityOf(row.values)
    if (!known.has(id)) known.set(id, row)
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

/** The message must not lead someone who is correcting a row to give it another id: it would count twice. */
function remedy(imports: readonly number[], { identity }: ImportFormat): string {
  const undo = imports.map((id) => `\`tieout import --undo ${id}\``).join(', ')
  const other = identity.includes('id') ? ' A different row needs a different id.' : ''
  return `If rows were corrected, withdraw the import that has them (${undo}) and import all of its rows again.${other} Nothing of the file has been imported.`
}

/** Temporary table of the connection: the identities of the file's rows. */
const IDENTITIES = 'temp.identities'

async function putIdentities(
  connection: DuckDBConnection,
  format: ImportFormat,
  rows: readonly ImportedRow[],
): Promise<void> {
  const places = format.identity.map((name) => placeOf(format, name))
  const columns = places.map((at) => ownColumns(format)[at] as Column)
  const declared = columns.map(({ name, kind }) => `${identifier(name)} ${kind}`)
  await connection.run(`create or replace temporary table ${IDENTITIES} (${declared.join(', ')})`)
  const writer = await TableWriter.open(connection, { name: 'identities', columns }, 'temp')
  for (const { values } of rows) writer.append(places.map((at) => values[at] as FieldValue))
  writer.close()
}

async function* knownRows(
  connection: DuckDBConnection,
  { table, identity }: ImportFormat,
  columns: readonly Column[],
): AsyncGenerator<KnownRow> {
  const names = columns.map(({ name }) => `rows.${identifier(name)}`)
  const isOne = identity.map(
    (name) => `asked.${identifier(name)} is not distinct from rows.${identifier(name)}`,
  )
  const result = await connection.stream(
    `select imports.page_id, imports.file_name, rows.page_row, ${names.join(', ')}
     from landing.main.${table.name} as rows
     semi join ${IDENTITIES} as asked on ${isOne.join(' and ')}
     join landing.main.imports as imports on imports.page_id = rows.page_id
     anti join landing.main.import_withdrawals as withdrawn on withdrawn.page_id = rows.page_id
     order by rows.page_id, rows.page_row`,
  )
  for await (const chunk of result)
    for (const [importId, file, row, ...cells] of chunk.getRows())
      yield {
        importId: Number(importId),
        file: String(file),
        row: Number(row) + 1,
        values: cells.map(fieldValue),
      }
}

/** A cell, as reading a file returns it. */
function fieldValue(cell: DuckDBValue): FieldValue {
  if (cell instanceof DuckDBDecimalValue) return cell.value
  if (cell instanceof DuckDBTimestampTZValue) return cell.micros
  return cell as FieldValue
}

/**
 * Throws a UsageError if the books already have this very file, read differently: with another mapping, in another time
 * zone, or as prices of another coin. Rows without an id of their own would now get a different one and would count
 * twice; a price would be recorded for two coins, or at two times.
 */
export async function refuseReadOtherwise(
  connection: DuckDBConnection,
  { kind, name, sha256 }: { readonly kind: ImportKind; readonly name: string; readonly sha256: string },
  added: readonly ImportedRow[],
): Promise<void> {
  const reader = await connection.runAndReadAll(
    `select imports.page_id, imports.file_name from landing.main.imports as imports
     anti join landing.main.import_withdrawals as withdrawn on withdrawn.page_id = imports.page_id
     where imports.kind = $1 and imports.sha256 = $2
     order by imports.page_id`,
    [kind, sha256],
  )
  const [id, before] = reader.getRows()[0] ?? []
  if (id === undefined) return
  const [told, both] =
    kind === 'prices'
      ? [
          'the mapping, --asset, --currency, --zone and --candle',
          'only one reading of its prices can be right',
        ]
      : ['the mapping, the account and the zone', 'otherwise its rows would count twice']
  throw new UsageError('The books already have this very file, read differently.', {
    where: name,
    expected: `${told} of the earlier import, or a new file`,
    found: `${counted(added.length, 'row')} that import ${id} (${before}), of the same bytes, does not have`,
    action: `Take that import back first (\`tieout import --undo ${id}\`): ${both}. Nothing of the file has been imported.`,
  })
}

/** Rows from earlier exports of a service that fall within the accounts and times of this export but are not in it. */
export interface GoneRows {
  readonly count: number
  /** Numbers of the imports that contain them. */
  readonly imports: readonly number[]
}

/** A row that has since been corrected or deleted at a service stays in the books, alongside its replacement. */
export async function goneRows(
  connection: DuckDBConnection,
  layout: string,
  format: ImportFormat,
  rows: readonly ImportedRow[],
): Promise<GoneRows> {
  const valuesOf = (column: string): FieldValue[] => {
    const at = placeOf(format, column)
    return rows.map(({ values }) => values[at] as FieldValue)
  }
  const accounts = new Set(valuesOf('account').map(String))
  const micros = valuesOf('occurred_at').map(Number)
  const first = micros.reduce((low, at) => Math.min(low, at), Number.POSITIVE_INFINITY)
  const last = micros.reduce((high, at) => Math.max(high, at), 0)
  await putIdentities(connection, format, rows)
  const reader = await connection.runAndReadAll(
    `select rows.id, any_value(rows.account), min(rows.page_id) from landing.main.${format.table.name} as rows
     join landing.main.imports as imports on imports.page_id = rows.page_id
     anti join landing.main.import_withdrawals as withdrawn on withdrawn.page_id = rows.page_id
     anti join ${IDENTITIES} as here on here.id = rows.id
     where imports.layout = $1 and epoch_us(rows.occurred_at) between $2 and $3
     group by rows.id`,
    [layout, first, last],
  )
  const gone = reader.getRows().filter(([, account]) => accounts.has(String(account)))
  const imports = new Set(gone.map(([, , importId]) => Number(importId)))
  return { count: gone.length, imports: [...imports].toSorted((a, b) => a - b) }
}

/**
 * Two account names that look the same or differ only in capitalisation: the one in the file, and the one already in
 * the books.
 */
export type AlikeAccounts = readonly [found: string, before: string]

/** An account under two names is two accounts: what one bought and the other sold has no cost. */
export async function alikeAccounts(
  connection: DuckDBConnection,
  format: ImportFormat,
  rows: readonly ImportedRow[],
): Promise<AlikeAccounts[]> {
  const at = placeOf(format, 'account')
  if (at < 0) return []
  const imported = ['imported_trades', 'imported_lots'].map(
    (name) => `select rows.account from landing.main.${name} as rows
      anti join landing.main.import_withdrawals as withdrawn on withdrawn.page_id = rows.page_id`,
  )
  const reader = await connection.runAndReadAll(
    `${['select account from landing.main.accounts', ...imported].join(' union ')} order by account`,
  )
  const known = reader.getRows().map(([account]) => String(account))
  const here = new Set(rows.map(({ values }) => String(values[at])))
  const names = new Map<string, string>()
  const alike: AlikeAccounts[] = []
  for (const name of new Set([...known, ...here])) {
    const look = name.normalize('NFKC').toLowerCase()
    const before = names.get(look)
    if (before === undefined) names.set(look, name)
    else if (here.has(name)) alike.push([name, before])
    else if (here.has(before)) alike.push([before, name])
  }
  return alike
}

const OTHER_KIND: Readonly<Partial<Record<string, string>>> = {
  imported_trades: 'imported_lots',
  imported_lots: 'imported_trades',
}

/**
 * By id, the file whose import of the other kind has it; covers the ids of the file, which are in the temporary table.
 */
async function idsOfOtherKind(
  connection: DuckDBConnection,
  { table }: ImportFormat,
): Promise<ReadonlyMap<string, string>> {
  const other = OTHER_KIND[table.name]
  if (other === undefined) return new Map()
  const reader = await connection.runAndReadAll(
    `select rows.id, min(imports.file_name) from landing.main.${other} as rows
     semi join ${IDENTITIES} as asked on asked.id = rows.id
     join landing.main.imports as imports on imports.page_id = rows.page_id
     anti join landing.main.import_withdrawals as withdrawn on withdrawn.page_id = rows.page_id
     group by rows.id`,
  )
  return new Map(reader.getRows().map(([id, file]) => [String(id), String(file)]))
}

const takenId = (file: string, { line, values }: ImportedRow, other: string) =>
  refuseCell(file, line, 'id', {
    message: 'The books already have this id, from an import of another kind.',
    expected: 'a unique id for each imported trade and lot',
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
    message: `The books have this row with a different ${columnOfFile(name)}.`,
    expected: `${show(before.values[at])}, as in row ${before.row} of ${before.file}, imported before`,
    found: show(row.values[at]),
  })
}

/** The name of the column in the file. */
const columnOfFile = (name: string): string =>
  ['occurred_at', 'acquired_at', 'priced_at', 'nanos'].includes(name) ? 'time' : name

function shown(column: Column | undefined, value: FieldValue | undefined): string {
  if (value === null || value === undefined) return 'nothing'
  if (typeof value !== 'bigint') return String(value)
  if (column?.kind !== 'TIMESTAMPTZ') return formatAmount(value)
  const text = new Date(Number(value / 1000n)).toISOString()
  return `${text.slice(0, -1)}${String(value % 1000n).padStart(3, '0')}Z`
}
