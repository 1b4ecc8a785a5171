// Rows into a table by data chunks of exact decimals, the fastest way that keeps every digit.
// The appender takes an amount beyond DECIMAL(38,18) unchecked, so the bound is checked here.
import {
  type DuckDBAppender,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBDecimalValue,
  DuckDBTimestampTZValue,
  type DuckDBType,
  type DuckDBValue,
  type DuckDBVector,
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

/** Fills one chunk in place, row by row: nothing is held twice, and amounts become bytes at once. */
export class TableWriter {
  readonly #table: LotTableName
  readonly #columns: readonly (readonly [string, TableColumn])[]
  readonly #appender: DuckDBAppender
  readonly #types: readonly DuckDBType[]
  #chunk: DuckDBDataChunk
  #vectors: readonly DuckDBVector[] = []
  #rows = 0

  private constructor(table: LotTableName, appender: DuckDBAppender) {
    this.#table = table
    this.#columns = Object.entries(lotTables[table].columns)
    this.#appender = appender
    this.#types = this.#columns.map((_, at) => appender.columnType(at))
    this.#chunk = this.#emptyChunk()
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
    for (let at = 0; at < this.#columns.length; at += 1)
      this.#vectors[at]!.setItem(this.#rows, this.#valueOf(cells[at] ?? null, at))
    this.#rows += 1
    if (this.#rows === CHUNK_ROWS) this.#send()
  }

  close(): void {
    this.#send()
    this.#appender.closeSync()
  }

  #emptyChunk(): DuckDBDataChunk {
    const chunk = DuckDBDataChunk.create(this.#types, CHUNK_ROWS)
    this.#vectors = this.#columns.map((_, at) => chunk.getColumnVector(at))
    this.#rows = 0
    return chunk
  }

  #send(): void {
    if (this.#rows === 0) return
    for (const vector of this.#vectors) vector.flush()
    this.#chunk.rowCount = this.#rows
    this.#appender.appendDataChunk(this.#chunk)
    this.#chunk = this.#emptyChunk()
  }

  #valueOf(cell: Cell, at: number): DuckDBValue {
    if (cell === null) return null
    const [name, column] = this.#columns[at]!
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
