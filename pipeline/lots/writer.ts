// Rows of numbers into a temporary table: only whole numbers, times and amounts, because text costs more than
// it is worth. The appender accepts an amount beyond DECIMAL(38,18) unchecked, so the bound is checked here.
import { type DuckDBAppender, type DuckDBConnection, TIMESTAMPTZ } from '@duckdb/node-api'
import { formatAmount } from '../../models/amount.ts'
import { TieoutError } from '../../models/error.ts'
import { AmountColumn, BigintColumn, ChunkWriter, IntegerColumn } from '../engine/chunk.ts'

const TOO_LARGE = 10n ** 38n
const TOO_SMALL = -TOO_LARGE

/** Whole numbers are numbers; amounts, in units of 10^-18, and times, in Unix microseconds, are bigints. Any may be null. */
export type WriterColumns = Readonly<Record<string, 'whole' | 'time' | 'amount'>>

class BoundAmountColumn extends AmountColumn {
  readonly #where: string

  constructor(where: string) {
    super()
    this.#where = where
  }

  override set(row: number, units: bigint | null): void {
    mustFit(units, this.#where)
    super.set(row, units)
  }
}

/** Throws a TieoutError for an amount that DECIMAL(38,18) cannot hold; `where` is the target column. */
export function mustFit(units: bigint | null, where: string): void {
  if (units !== null && (units >= TOO_LARGE || units <= TOO_SMALL)) throw tooLarge(units, where)
}

function tooLarge(units: bigint, where: string): TieoutError {
  return new TieoutError('An amount of the lots does not fit its column.', {
    where,
    expected: 'at most 20 integer digits',
    found: formatAmount(units),
    action: 'Look for an event with an impossible quantity or value in lot_events.',
  })
}

const makers = {
  whole: () => new IntegerColumn(),
  time: () => new BigintColumn(TIMESTAMPTZ),
  amount: (where: string) => new BoundAmountColumn(where),
} as const satisfies Record<WriterColumns[string], (where: string) => unknown>

type ColumnOf<Kind extends keyof typeof makers> = ReturnType<(typeof makers)[Kind]>

/** Each row is set column by column, at `row`, and then ended. */
export class RowWriter<Columns extends WriterColumns = WriterColumns> {
  readonly columns: { readonly [Name in keyof Columns]: ColumnOf<Columns[Name]> }
  readonly #appender: DuckDBAppender
  readonly #chunks: ChunkWriter

  private constructor(destination: string, columns: Columns, appender: DuckDBAppender) {
    const made = Object.entries(columns).map(
      ([name, kind]) => [name, makers[kind](`table ${destination}, column ${name}`)] as const,
    )
    this.columns = Object.fromEntries(made) as RowWriter<Columns>['columns']
    this.#appender = appender
    this.#chunks = new ChunkWriter(
      appender,
      made.map(([, column]) => column),
    )
  }

  /**
   * Recreates the temporary table, empty. `destination` is the table that its rows are for, as errors name
   * it.
   */
  static async create<Columns extends WriterColumns>(
    connection: DuckDBConnection,
    table: string,
    columns: Columns,
    destination = table,
  ): Promise<RowWriter<Columns>> {
    const definition = Object.entries(columns).map(([name, kind]) => `${name} ${makers[kind]('').type}`)
    await connection.run(`create or replace temp table ${table} (${definition.join(', ')})`)
    return new RowWriter(destination, columns, await connection.createAppender(table, 'main', 'temp'))
  }

  /** The row to set. */
  get row(): number {
    return this.#chunks.row
  }

  endRow(): void {
    this.#chunks.endRow()
  }

  /** Returns the number of rows written. */
  close(): number {
    this.#chunks.flush()
    this.#appender.closeSync()
    return this.#chunks.written
  }
}
