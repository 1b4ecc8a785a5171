// Rows into a table by data chunks of exact decimals, the fastest way that keeps every digit.
// The appender takes an amount beyond DECIMAL(38,18) unchecked, so the bound is checked here.
import {
  type DuckDBAppender,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBDecimalValue,
  DuckDBTimestampTZValue,
  type DuckDBValue,
} from '@duckdb/node-api'
import { formatAmount } from '../../models/amount.ts'
import { TieoutError } from '../../models/error.ts'
import { type LotTableName, lotTables, type TableColumn } from './tables.ts'

const CHUNK_ROWS = 2048
const AMOUNT_LIMIT = 10n ** 38n

const sqlTypes = {
  VARCHAR: 'VARCHAR',
  TIMESTAMPTZ: 'TIMESTAMPTZ',
  AMOUNT: 'DECIMAL(38,18)',
  BIGINT: 'BIGINT',
} as const

const quote = (text: string): string => text.replaceAll("'", "''")

/** Text as it is; amounts in units of 10^-18; times in Unix microseconds; whole numbers. */
type Cell = string | bigint | number | null

export class TableWriter {
  readonly #table: LotTableName
  readonly #columns: readonly (readonly [string, TableColumn])[]
  readonly #appender: DuckDBAppender
  readonly #buffer: DuckDBValue[][]

  private constructor(table: LotTableName, appender: DuckDBAppender) {
    this.#table = table
    this.#columns = Object.entries(lotTables[table].columns)
    this.#appender = appender
    this.#buffer = this.#columns.map(() => [])
  }

  /** Makes the table anew, empty, with a comment on it and on each of its columns. */
  static async create(connection: DuckDBConnection, table: LotTableName): Promise<TableWriter> {
    const columns = Object.entries<TableColumn>(lotTables[table].columns)
    const definition = columns.map(([name, { type }]) => `${name} ${sqlTypes[type]}`).join(', ')
    const comments = columns.map(
      ([name, { doc }]) => `comment on column ${table}.${name} is '${quote(doc)}';`,
    )
    await connection.run(`
      create or replace table ${table} (${definition});
      comment on table ${table} is '${quote(lotTables[table].doc)}';
      ${comments.join('\n')}`)
    return new TableWriter(table, await connection.createAppender(table))
  }

  /** Cells in the order of the table's columns. */
  append(cells: readonly Cell[]): void {
    for (const [at, [name, column]] of this.#columns.entries())
      this.#buffer[at]!.push(this.#valueOf(cells[at] ?? null, name, column))
    if (this.#buffer[0]!.length === CHUNK_ROWS) this.#send()
  }

  close(): void {
    this.#send()
    this.#appender.closeSync()
  }

  #send(): void {
    const rows = this.#buffer[0]!.length
    if (rows === 0) return
    const chunk = DuckDBDataChunk.create(
      this.#columns.map((_, at) => this.#appender.columnType(at)),
      rows,
    )
    chunk.setColumns(this.#buffer)
    this.#appender.appendDataChunk(chunk)
    for (const column of this.#buffer) column.length = 0
  }

  #valueOf(cell: Cell, name: string, column: TableColumn): DuckDBValue {
    if (cell === null) return null
    if (column.type === 'VARCHAR') return cell
    const whole = BigInt(cell)
    if (column.type === 'BIGINT') return whole
    if (column.type === 'TIMESTAMPTZ') return new DuckDBTimestampTZValue(whole)
    if (whole >= AMOUNT_LIMIT || whole <= -AMOUNT_LIMIT) throw this.#overflow(name, whole)
    return new DuckDBDecimalValue(whole, 38, 18)
  }

  #overflow(column: string, units: bigint): TieoutError {
    return new TieoutError('An amount of the lots does not fit its column.', {
      where: `table ${this.#table}, column ${column}`,
      expected: 'at most 20 integer digits',
      found: formatAmount(units),
      action: 'Look for an event with an impossible quantity or value in lot_events.',
    })
  }
}
