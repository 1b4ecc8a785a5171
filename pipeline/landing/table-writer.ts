// Rows into a DuckDB table through data chunks: columns are collected in arrays and handed over 2,048 at a time.
// A row counts only once it is ended, so one that turns out not to fit is simply written over.
import {
  BIGINT,
  BOOLEAN,
  DECIMAL,
  type DuckDBAppender,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBDecimalValue,
  DuckDBTimestampTZValue,
  type DuckDBType,
  type DuckDBValue,
  INTEGER,
  TIMESTAMPTZ,
  VARCHAR,
} from '@duckdb/node-api'
import type { FieldValue } from '../../models/record.ts'
import type { ColumnKind, Table } from '../engine/table.ts'

/** Rows of a data chunk: DuckDB's own vector size. */
const CHUNK_ROWS = 2048

const TYPES: Readonly<Record<ColumnKind, DuckDBType>> = {
  VARCHAR,
  BIGINT,
  INTEGER,
  BOOLEAN,
  TIMESTAMPTZ,
  'DECIMAL(38,18)': DECIMAL(38, 18),
}

/** Times arrive as milliseconds or, where those do not hold them, as a bigint of microseconds; amounts as units of 10^-18. */
const CONVERT: Readonly<Record<ColumnKind, ((value: FieldValue) => DuckDBValue) | null>> = {
  VARCHAR: null,
  INTEGER: null,
  BOOLEAN: null,
  BIGINT: (value) => BigInt(value as number),
  TIMESTAMPTZ: (value) =>
    new DuckDBTimestampTZValue(typeof value === 'bigint' ? value : BigInt(value as number) * 1000n),
  'DECIMAL(38,18)': (value) => new DuckDBDecimalValue(value as bigint, 38, 18),
}

export class TableWriter {
  /** Rows that have been handed over; all of them once the writer is closed. */
  rows = 0
  readonly #kinds: readonly ColumnKind[]
  /** Made with the first rows: many a table has none in a transaction. */
  #chunk: DuckDBDataChunk | null = null
  readonly #appender: DuckDBAppender
  readonly #columns: FieldValue[][]
  #count = 0

  private constructor(table: Table, appender: DuckDBAppender) {
    this.#kinds = table.columns.map((column) => column.kind)
    this.#appender = appender
    this.#columns = this.#kinds.map(() => [])
  }

  /** A writer for the transaction that is open on the connection; it must be closed or discarded before that ends. */
  static async open(connection: DuckDBConnection, table: Table): Promise<TableWriter> {
    return new TableWriter(table, await connection.createAppender(table.name, 'main', 'landing'))
  }

  /** Sets a column of the row that is being written; each must be set before it is ended. */
  set(column: number, value: FieldValue): void {
    this.#columns[column]![this.#count] = value
  }

  endRow(): void {
    this.#count += 1
    if (this.#count === CHUNK_ROWS) this.#append()
  }

  /** Writes one row, its values in the order of the columns. */
  append(values: readonly FieldValue[]): void {
    for (let column = 0; column < values.length; column++) this.set(column, values[column]!)
    this.endRow()
  }

  close(): void {
    if (this.#count > 0) this.#append()
    this.#appender.closeSync()
  }

  /** Drops what the appender still holds: left alone, it would write that when it is collected. */
  discard(): void {
    this.#appender.clear()
    this.#appender.closeSync()
  }

  #append(): void {
    this.#chunk ??= DuckDBDataChunk.create(this.#kinds.map((kind) => TYPES[kind]))
    const chunk = this.#chunk
    // A chunk keeps the text of earlier rows until it is reset.
    chunk.reset()
    chunk.rowCount = this.#count
    for (let column = 0; column < this.#kinds.length; column++) {
      const convert = CONVERT[this.#kinds[column]!]
      const all = this.#columns[column]!
      const values = this.#count === CHUNK_ROWS ? all : all.slice(0, this.#count)
      chunk.setColumnValues(
        column,
        convert === null
          ? (values as DuckDBValue[])
          : values.map((value) => (value === null ? null : convert(value))),
      )
    }
    this.#appender.appendDataChunk(chunk)
    this.rows += this.#count
    this.#count = 0
  }
}
