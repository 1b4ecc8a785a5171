// Rows of numbers into a temporary table by data chunks, the fastest way that keeps every digit: no nulls and no text,
// which cost more than they tell. The appender takes an amount beyond DECIMAL(38,18) unchecked, so the bound is checked here.
import {
  type DuckDBAppender,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBDecimalValue,
  type DuckDBType,
  type DuckDBValue,
  type DuckDBVector,
} from '@duckdb/node-api'
import { formatAmount } from '../../models/amount.ts'
import { TieoutError } from '../../models/error.ts'

const CHUNK_ROWS = 2048
const AMOUNT_LIMIT = 10n ** 38n

const sqlTypes = { whole: 'INTEGER', time: 'BIGINT', amount: 'DECIMAL(38,18)' } as const

/** Whole numbers are numbers; amounts, in units of 10^-18, and times, in Unix microseconds, are bigints. */
export type WriterColumns = Readonly<Record<string, keyof typeof sqlTypes>>

type Cell = number | bigint

/** Fills one chunk in place, row by row: nothing is held twice, and amounts become bytes at once. */
export class RowWriter {
  readonly #destination: string
  readonly #names: readonly string[]
  readonly #isAmount: readonly boolean[]
  readonly #appender: DuckDBAppender
  readonly #types: readonly DuckDBType[]
  #chunk: DuckDBDataChunk
  #vectors: readonly DuckDBVector[] = []
  #rows = 0

  private constructor(destination: string, columns: WriterColumns, appender: DuckDBAppender) {
    this.#destination = destination
    this.#names = Object.keys(columns)
    this.#isAmount = Object.values(columns).map((type) => type === 'amount')
    this.#appender = appender
    this.#types = this.#names.map((_, at) => appender.columnType(at))
    this.#chunk = this.#emptyChunk()
  }

  /** Makes the temporary table anew, empty. `destination` is the table that its rows are for, as errors name it. */
  static async create(
    connection: DuckDBConnection,
    table: string,
    columns: WriterColumns,
    destination = table,
  ): Promise<RowWriter> {
    const definition = Object.entries(columns).map(([name, type]) => `${name} ${sqlTypes[type]}`)
    await connection.run(`create or replace temp table ${table} (${definition.join(', ')})`)
    return new RowWriter(destination, columns, await connection.createAppender(table, 'main', 'temp'))
  }

  /** Cells in the order of the columns. */
  append(cells: readonly Cell[]): void {
    for (let at = 0; at < cells.length; at += 1) {
      const cell = cells[at]!
      this.#vectors[at]!.setItem(this.#rows, this.#isAmount[at] ? this.#decimal(cell as bigint, at) : cell)
    }
    this.#rows += 1
    if (this.#rows === CHUNK_ROWS) this.#send()
  }

  close(): void {
    this.#send()
    this.#appender.closeSync()
  }

  #decimal(units: bigint, at: number): DuckDBValue {
    if (units < AMOUNT_LIMIT && units > -AMOUNT_LIMIT) return new DuckDBDecimalValue(units, 38, 18)
    throw new TieoutError('An amount of the lots does not fit its column.', {
      where: `table ${this.#destination}, column ${this.#names[at]}`,
      expected: 'at most 20 integer digits',
      found: formatAmount(units),
      action: 'Look for an event with an impossible quantity or value in lot_events.',
    })
  }

  #emptyChunk(): DuckDBDataChunk {
    const chunk = DuckDBDataChunk.create(this.#types, CHUNK_ROWS)
    this.#vectors = this.#names.map((_, at) => chunk.getColumnVector(at))
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
}
