// Rows of numbers into a temporary table by data chunks, the fastest way that keeps every digit: no nulls and no text,
// which cost more than they tell. The appender takes an amount beyond DECIMAL(38,18) unchecked, so the bound is checked here.
import {
  type DuckDBAppender,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBDecimalValue,
  type DuckDBValue,
  type DuckDBVector,
} from '@duckdb/node-api'
import { formatAmount } from '../../models/amount.ts'
import { TieoutError } from '../../models/error.ts'

const CHUNK_ROWS = 2048
const AMOUNT_LIMIT = 10n ** 38n
const ZERO = new DuckDBDecimalValue(0n, 38, 18)

const sqlTypes = { whole: 'INTEGER', time: 'BIGINT', amount: 'DECIMAL(38,18)' } as const

/** Whole numbers are numbers; amounts, in units of 10^-18, and times, in Unix microseconds, are bigints. */
export type WriterColumns = Readonly<Record<string, keyof typeof sqlTypes>>

type Cell = number | bigint

/**
 * Fills one chunk in place, row by row, and again when it has been sent: nothing is held twice, amounts become bytes at
 * once, and an amount that was never anything but zero (few rules deny losses) is written once for all rows.
 */
export class RowWriter {
  readonly #destination: string
  readonly #names: readonly string[]
  readonly #isAmount: readonly boolean[]
  /** By column: every row of the chunk is an amount of zero. */
  readonly #isZero: boolean[]
  readonly #appender: DuckDBAppender
  readonly #chunk: DuckDBDataChunk
  readonly #vectors: readonly DuckDBVector[]
  #rows = 0
  #written = 0

  private constructor(destination: string, columns: WriterColumns, appender: DuckDBAppender) {
    this.#destination = destination
    this.#names = Object.keys(columns)
    this.#isAmount = Object.values(columns).map((type) => type === 'amount')
    this.#isZero = [...this.#isAmount]
    this.#appender = appender
    const types = this.#names.map((_, at) => appender.columnType(at))
    this.#chunk = DuckDBDataChunk.create(types, CHUNK_ROWS)
    this.#vectors = this.#names.map((_, at) => this.#chunk.getColumnVector(at))
    for (const [at, vector] of this.#vectors.entries())
      if (this.#isAmount[at]) for (let row = 0; row < CHUNK_ROWS; row += 1) vector.setItem(row, ZERO)
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
      if (!this.#isAmount[at]) this.#vectors[at]!.setItem(this.#rows, cell)
      else if (cell !== 0n || !this.#isZero[at]) {
        this.#isZero[at] = false
        this.#vectors[at]!.setItem(this.#rows, this.#decimal(cell as bigint, at))
      }
    }
    this.#rows += 1
    if (this.#rows === CHUNK_ROWS) this.#send()
  }

  /** Answers how many rows were written. */
  close(): number {
    this.#send()
    this.#appender.closeSync()
    return this.#written
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

  #send(): void {
    if (this.#rows === 0) return
    for (const vector of this.#vectors) vector.flush()
    this.#chunk.rowCount = this.#rows
    this.#appender.appendDataChunk(this.#chunk)
    this.#written += this.#rows
    this.#rows = 0
  }
}
