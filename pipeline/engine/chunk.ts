// Reads and writes data chunks as bytes: a column is a typed array that is copied into DuckDB's vector in one step, or
// read from it in place. The client's own vectors create an object and check a type for every value, which costs more
// than the value itself. Layouts are those of duckdb.h; every platform that DuckDB's client supports is little-endian.
import {
  type BIGINT,
  BOOLEAN,
  DECIMAL,
  type DuckDBAppender,
  DuckDBDataChunk,
  type DuckDBType,
  INTEGER,
  type TIMESTAMPTZ,
  VARCHAR,
} from '@duckdb/node-api'
import duckdb, { type Vector } from '@duckdb/node-bindings'
import { plainWords } from './decimal.ts'

/** Rows of a data chunk: DuckDB's own vector size. */
export const CHUNK_ROWS = 2048

/** One column of the chunk that is being filled. A row may be set again: the last value applies. */
export interface Column {
  readonly type: DuckDBType
  /** Copies the rows into the vector, and starts again. */
  flush(vector: Vector, rows: number): void
}

/** Which rows of a column have a value: a bit for each, lowest first. */
class Validity {
  readonly #bits = new Uint8Array(CHUNK_ROWS / 8).fill(0xff)
  #hasNulls = false

  setNull(row: number): void {
    this.#hasNulls = true
    this.#bits[row >> 3]! &= ~(1 << (row & 7))
  }

  /** For every value: the row may have been null before it was abandoned and overwritten. */
  setValid(row: number): void {
    if (this.#hasNulls) this.#bits[row >> 3]! |= 1 << (row & 7)
  }

  /** A new vector has every row valid. */
  flush(vector: Vector): void {
    if (!this.#hasNulls) return
    duckdb.vector_ensure_validity_writable(vector)
    duckdb.copy_data_to_vector_validity(vector, 0, this.#bits.buffer, 0, this.#bits.byteLength)
    this.#bits.fill(0xff)
    this.#hasNulls = false
  }
}

/** Whole numbers of 32 bits. */
export class IntegerColumn implements Column {
  readonly type = INTEGER
  readonly #items = new Int32Array(CHUNK_ROWS)
  readonly #validity = new Validity()

  /** Throws a RangeError for a number that does not fit. */
  set(row: number, value: number | null): void {
    if (value === null) {
      this.#validity.setNull(row)
      return
    }
    if ((value | 0) !== value) throw new RangeError(`${value} does not fit INTEGER`)
    this.#validity.setValid(row)
    this.#items[row] = value
  }

  flush(vector: Vector, rows: number): void {
    duckdb.copy_data_to_vector(vector, 0, this.#items.buffer, 0, rows * 4)
    this.#validity.flush(vector)
  }
}

/** Whole numbers of 64 bits, or Unix microseconds; a number is written without creating a bigint. */
export class BigintColumn implements Column {
  readonly type: DuckDBType
  readonly #items = new BigInt64Array(CHUNK_ROWS)
  readonly #words = new Int32Array(this.#items.buffer)
  readonly #validity = new Validity()

  constructor(type: typeof BIGINT | typeof TIMESTAMPTZ) {
    this.type = type
  }

  set(row: number, value: bigint | number | null): void {
    if (value === null) {
      this.#validity.setNull(row)
      return
    }
    this.#validity.setValid(row)
    if (typeof value === 'number' && Number.isSafeInteger(value)) {
      this.#words[row * 2] = value // Its lowest 32 bits.
      this.#words[row * 2 + 1] = Math.floor(value / 2 ** 32)
    } else this.#items[row] = BigInt(value)
  }

  flush(vector: Vector, rows: number): void {
    duckdb.copy_data_to_vector(vector, 0, this.#items.buffer, 0, rows * 8)
    this.#validity.flush(vector)
  }
}

/**
 * DECIMAL(38,18), in units of 10^-18: 128 bits, the lower half first. The caller must refuse values outside that range.
 */
export class AmountColumn implements Column {
  readonly type = DECIMAL(38, 18)
  readonly #halves = new BigInt64Array(CHUNK_ROWS * 2)
  readonly #words = new Int32Array(this.#halves.buffer)
  readonly #validity = new Validity()

  set(row: number, value: bigint | null): void {
    if (value === null) {
      this.#validity.setNull(row)
      return
    }
    this.#validity.setValid(row)
    this.#halves[row * 2] = value
    this.#halves[row * 2 + 1] = value >> 64n
  }

  /** The same from a plain decimal; returns false, and sets nothing, for a text that needs the exact parser. */
  setPlain(row: number, text: string): boolean {
    if (!plainWords(text, this.#words, row * 4)) return false
    this.#validity.setValid(row)
    return true
  }

  flush(vector: Vector, rows: number): void {
    duckdb.copy_data_to_vector(vector, 0, this.#halves.buffer, 0, rows * 16)
    this.#validity.flush(vector)
  }
}

export class BooleanColumn implements Column {
  readonly type = BOOLEAN
  readonly #items = new Uint8Array(CHUNK_ROWS)
  readonly #validity = new Validity()

  set(row: number, value: boolean | null): void {
    if (value === null) {
      this.#validity.setNull(row)
      return
    }
    this.#validity.setValid(row)
    this.#items[row] = value ? 1 : 0
  }

  flush(vector: Vector, rows: number): void {
    duckdb.copy_data_to_vector(vector, 0, this.#items.buffer, 0, rows)
    this.#validity.flush(vector)
  }
}

/**
 * Bytes of a string that are stored directly in its 16 bytes, after the length; a longer string has its address there.
 */
const INLINE_BYTES = 12

/** Strings without unpaired surrogates, which UTF-8 cannot represent. */
export class TextColumn implements Column {
  readonly type = VARCHAR
  readonly #texts: string[] = new Array(CHUNK_ROWS).fill('')
  /** Length, then the string or its first four bytes and its address: four words for each row. */
  readonly #words = new Int32Array(CHUNK_ROWS * 4)
  readonly #bytes = new Uint8Array(this.#words.buffer)
  readonly #validity = new Validity()

  set(row: number, value: string | null): void {
    this.#texts[row] = value ?? ''
    if (value === null) this.#validity.setNull(row)
    else this.#validity.setValid(row)
  }

  /**
   * All strings go to DuckDB as one, and each row points into it: one call for each would cost as much as everything
   * else done here. This works if character offsets equal byte offsets.
   */
  flush(vector: Vector, rows: number): void {
    const texts = rows === CHUNK_ROWS ? this.#texts : this.#texts.slice(0, rows)
    const all = texts.join('')
    if (all.length > INLINE_BYTES && Buffer.byteLength(all) === all.length) {
      duckdb.vector_assign_string_element(vector, 0, all)
      const { buffer, byteOffset } = duckdb.vector_get_data(vector, 16)
      this.#pointInto(all, Number(new DataView(buffer, byteOffset).getBigUint64(8, true)), texts)
      duckdb.copy_data_to_vector(vector, 0, this.#words.buffer, 0, rows * 16)
    } else
      for (let row = 0; row < rows; row += 1) duckdb.vector_assign_string_element(vector, row, texts[row]!)
    this.#validity.flush(vector)
  }

  /** `address` is where the bytes of `all` begin; it fits a number, because no machine has 2^53 bytes. */
  #pointInto(all: string, address: number, texts: readonly string[]): void {
    const [words, bytes] = [this.#words, this.#bytes]
    let from = 0
    for (let row = 0; row < texts.length; row += 1) {
      const { length } = texts[row]!
      const word = row * 4
      words[word] = length
      words[word + 1] = 0
      words[word + 2] = 0
      words[word + 3] = 0
      const shown = length <= INLINE_BYTES ? length : 4
      for (let at = 0; at < shown; at += 1) bytes[word * 4 + 4 + at] = all.charCodeAt(from + at)
      if (length > INLINE_BYTES) {
        const start = address + from
        words[word + 2] = start // Its lowest 32 bits.
        words[word + 3] = Math.floor(start / 2 ** 32)
      }
      from += length
    }
  }
}

/** One chunk that is filled row by row, handed to the appender when it is full, and filled again. */
export class ChunkWriter {
  /** The row that is being filled. */
  row = 0
  /** Rows that have been handed over; all of them once the writer is flushed. */
  written = 0
  readonly #appender: DuckDBAppender
  readonly #columns: readonly Column[]
  readonly #chunk: DuckDBDataChunk
  readonly #vectors: readonly Vector[]

  /** `columns` in the order of the table. */
  constructor(appender: DuckDBAppender, columns: readonly Column[]) {
    this.#appender = appender
    this.#columns = columns
    this.#chunk = DuckDBDataChunk.create(columns.map(({ type }) => type))
    this.#vectors = columns.map((_, at) => duckdb.data_chunk_get_vector(this.#chunk.chunk, at))
  }

  /** Must be called when every column of the row has been set. */
  endRow(): void {
    this.row += 1
    if (this.row === CHUNK_ROWS) this.flush()
  }

  flush(): void {
    if (this.row === 0) return
    // A chunk keeps the strings of earlier rows until it is reset.
    if (this.written > 0) this.#chunk.reset()
    for (const [at, column] of this.#columns.entries()) column.flush(this.#vectors[at]!, this.row)
    this.#chunk.rowCount = this.row
    this.#appender.appendDataChunk(this.#chunk)
    this.written += this.row
    this.row = 0
  }
}

/** The values of an INTEGER column without nulls. */
export function integersOf(chunk: DuckDBDataChunk, column: number): Int32Array {
  const { buffer, byteOffset } = bytesOf(chunk, column, 4)
  return new Int32Array(buffer, byteOffset, chunk.rowCount)
}

/** The values of a BIGINT column, or microseconds of a TIMESTAMPTZ, without nulls. */
export function bigintsOf(chunk: DuckDBDataChunk, column: number): BigInt64Array {
  const { buffer, byteOffset } = bytesOf(chunk, column, 8)
  return new BigInt64Array(buffer, byteOffset, chunk.rowCount)
}

/** Which rows of a column have a value, a bit for each, lowest first; null if all have one. */
export const validityOf = (chunk: DuckDBDataChunk, column: number): Uint8Array | null =>
  duckdb.vector_get_validity(
    duckdb.data_chunk_get_vector(chunk.chunk, column),
    Math.ceil(chunk.rowCount / 64) * 8,
  )

/** The values of a DECIMAL(38,18) column in units of 10^-18; undefined content for rows without a value. */
export class Amounts {
  readonly #lower: BigUint64Array
  readonly #words: Int32Array

  constructor(chunk: DuckDBDataChunk, column: number) {
    const { buffer, byteOffset } = bytesOf(chunk, column, 16)
    this.#lower = new BigUint64Array(buffer, byteOffset, chunk.rowCount * 2)
    this.#words = new Int32Array(buffer, byteOffset, chunk.rowCount * 4)
  }

  at(row: number): bigint {
    const lower = this.#lower[row * 2]!
    const upper = this.#words[row * 4 + 2]!
    // An upper half that fits 32 bits stays a number until it is needed: most amounts are built in at most one step.
    if (this.#words[row * 4 + 3] === upper >> 31) return upper === 0 ? lower : (BigInt(upper) << 64n) + lower
    return (BigInt.asIntN(64, this.#lower[row * 2 + 1]!) << 64n) + lower
  }
}

function bytesOf(chunk: DuckDBDataChunk, column: number, width: number): Uint8Array {
  return duckdb.vector_get_data(duckdb.data_chunk_get_vector(chunk.chunk, column), chunk.rowCount * width)
}
