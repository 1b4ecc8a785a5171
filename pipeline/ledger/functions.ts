// The two operations that DECIMAL(38,18) cannot do exactly in SQL, as functions over whole units of 10^-18:
// `exact_multiply(a, b)`, `exact_divide(a, b)` and `exact_ratio(a, b, c)` (a * b / c, rounded once), rounded half to even
// at the 18th decimal. Null in, null out; a division by zero, or a result beyond DECIMAL(38,18), is null.
import { DECIMAL, type DuckDBConnection, DuckDBDataChunk, DuckDBScalarFunction } from '@duckdb/node-api'
import duckdb from '@duckdb/node-bindings'
import { AmountColumn, Amounts, validityOf } from '../engine/chunk.ts'

const SCALE = 18
const ONE = 10n ** 18n
const LIMIT = 10n ** 38n

/** Integer quotient, rounded half to even. The divisor is not zero. */
export function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  const negative = dividend < 0n !== divisor < 0n
  const [top, bottom] = [dividend < 0n ? -dividend : dividend, divisor < 0n ? -divisor : divisor]
  const whole = top / bottom
  const twiceRest = (top - whole * bottom) * 2n
  const up = twiceRest > bottom || (twiceRest === bottom && whole % 2n === 1n)
  const rounded = up ? whole + 1n : whole
  return negative ? -rounded : rounded
}

export const exactMultiply = (a: bigint, b: bigint): bigint | null => inRange(divideHalfEven(a * b, ONE))

export const exactDivide = (a: bigint, b: bigint): bigint | null =>
  b === 0n ? null : inRange(divideHalfEven(a * ONE, b))

export const exactRatio = (a: bigint, b: bigint, c: bigint): bigint | null =>
  c === 0n ? null : inRange(divideHalfEven(a * b, c))

const inRange = (units: bigint): bigint | null => (units < LIMIT && units > -LIMIT ? units : null)

/** Registers the functions with the instance of the connection; repeating it changes nothing. */
export function registerExactFunctions(connection: DuckDBConnection): void {
  connection.registerScalarFunction(scalar('exact_multiply', exactMultiply))
  connection.registerScalarFunction(scalar('exact_divide', exactDivide))
  connection.registerScalarFunction(scalar('exact_ratio', exactRatio))
}

/** A function with as many amounts as the operation takes. */
function scalar(name: string, operation: (...units: bigint[]) => bigint | null): DuckDBScalarFunction {
  const amount = DECIMAL(38, SCALE)
  const { length } = operation
  const made = new DuckDBScalarFunction()
  made.setName(name)
  made.setReturnType(amount)
  for (let at = 0; at < length; at += 1) made.addParameter(amount)
  const results = new AmountColumn()
  // Through the raw handles: the client's own vectors create an object per value, which costs as much as the
  // calculation.
  duckdb.scalar_function_set_function(made.scalar_function, (_info, handle, output) => {
    const input = new DuckDBDataChunk(handle)
    const rows = input.rowCount
    const amounts = Array.from({ length }, (_, at) => new Amounts(input, at))
    const known = amounts.flatMap((_, at) => validityOf(input, at) ?? [])
    for (let row = 0; row < rows; row += 1) {
      const isKnown = known.every((bits) => (bits[row >> 3]! >> (row & 7)) & 1)
      results.set(row, isKnown ? operation(...amounts.map((column) => column.at(row))) : null)
    }
    results.flush(output, rows)
  })
  return made
}
