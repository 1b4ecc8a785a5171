// Writes rows into a DuckDB table through data chunks. A row is kept only once it is ended, so one that turns out not
// to fit is overwritten.
import { BIGINT, type DuckDBAppender, type DuckDBConnection, TIMESTAMPTZ } from '@duckdb/node-api'
import type { FieldValue } from '../../models/record.ts'
import {
  AmountColumn,
  BigintColumn,
  BooleanColumn,
  ChunkWriter,
  type Column,
  IntegerColumn,
  TextColumn,
} from '../engine/chunk.ts'
import type { ColumnKind, Table } from '../engine/table.ts'

/** Times arrive as milliseconds, or as a bigint of microseconds if milliseconds cannot hold them. */
class TimeColumn extends BigintColumn {
  constructor() {
    super(TIMESTAMPTZ)
  }

  override set(row: number, value: bigint | number | null): void {
    if (typeof value !== 'number') super.set(row, value)
    else super.set(row, Number.isSafeInteger(value * 1_000) ? value * 1_000 : BigInt(value) * 1_000n)
  }
}

/** Takes the values of its kind; the reader of rows has checked that they are. */
interface FieldColumn extends Column {
  set(row: number, value: FieldValue): void
}

const makers: Readonly<Record<ColumnKind, () => Column>> = {
  VARCHAR: () => new TextColumn(),
  INTEGER: () => new IntegerColumn(),
  BIGINT: () => new BigintColumn(BIGINT),
  BOOLEAN: () => new BooleanColumn(),
  TIMESTAMPTZ: () => new TimeColumn(),
  'DECIMAL(38,18)': () => new AmountColumn(),
}

interface Filling {
  readonly columns: readonly FieldColumn[]
  readonly chunks: ChunkWriter
}

export class TableWriter {
  readonly #table: Table
  readonly #appender: DuckDBAppender
  /** Created with the first row: many tables have none in a transaction. */
  #filling: Filling | null = null

  private constructor(table: Table, appender: DuckDBAppender) {
    this.#table = table
    this.#appender = appender
  }

  /**
   * A writer for the transaction that is open on the connection; it must be closed or discarded before that ends.
   * `database` is where the table is: the landing database, or the connection's own.
   */
  static async open(
    connection: DuckDBConnection,
    table: Table,
    database: 'landing' | 'temp' = 'landing',
  ): Promise<TableWriter> {
    return new TableWriter(table, await connection.createAppender(table.name, 'main', database))
  }

  /** Rows that have been handed over; all of them once the writer is closed. */
  get rows(): number {
    return this.#filling?.chunks.written ?? 0
  }

  /** Sets a column of the row that is being written; each must be set before the row is ended. */
  set(column: number, value: FieldValue): void {
    this.#filling ??= this.#begin()
    this.#filling.columns[column]!.set(this.#filling.chunks.row, value)
  }

  /** Sets a column of amounts from a plain decimal; false for a text that needs the exact parser. */
  setPlain(column: number, text: string): boolean {
    this.#filling ??= this.#begin()
    const { columns, chunks } = this.#filling
    return (columns[column] as unknown as AmountColumn).setPlain(chunks.row, text)
  }

  endRow(): void {
    this.#filling?.chunks.endRow()
  }

  /** Writes one row, its values in the order of the columns. */
  append(values: readonly FieldValue[]): void {
    for (let column = 0; column < values.length; column++) this.set(column, values[column]!)
    this.endRow()
  }

  close(): void {
    this.#filling?.chunks.flush()
    this.#appender.closeSync()
  }

  /** Drops what the appender still holds: otherwise it would be written when the appender is collected. */
  discard(): void {
    this.#appender.clear()
    this.#appender.closeSync()
  }

  #begin(): Filling {
    const columns = this.#table.columns.map(({ kind }) => makers[kind]() as FieldColumn)
    return { columns, chunks: new ChunkWriter(this.#appender, columns) }
  }
}
