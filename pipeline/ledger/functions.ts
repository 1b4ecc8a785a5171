// The two operations that DECIMAL(38,18) cannot do exactly in SQL, as functions over whole units of 10^-18:
// `exact_multiply(a, b)`, `exact_divide(a, b)` and `exact_ratio(a, b, c)` (a * b / c, rounded once), rounded half to even
// at the 18th decimal. Null in, null out; a division by zero, or a result beyond DECIMAL(38,18), is null.
import {
  DECIMAL,
  type DuckDBConnection,
  type DuckDBDataChunk,
  DuckDBDecimalValue,
  DuckDBScalarFunction,
} from '@duckdb/node-api'

const SCALE = 18
const ONE = 10n ** 18n
const LIMIT = 10n ** 38n

/** Whole quotient, rounded half to even. The divisor is not zero. */
export function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  const negative = dividend < 0n !== divisor < 0n
  const [top, bottom] = [dividend < 0n ? -dividend : dividend, divisor < 0n ? -divisor : divisor]
  const whole = top / bottom
  const twiceRest = (top % bottom) * 2n
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

/** Makes the functions known to the instance of the connection; doing so again changes nothing. */
export function registerExactFunctions(connection: DuckDBConnection): void {
  connection.registerScalarFunction(ofTwoAmounts('exact_multiply', exactMultiply))
  connection.registerScalarFunction(ofTwoAmounts('exact_divide', exactDivide))
  connection.registerScalarFunction(ofThreeAmounts('exact_ratio', exactRatio))
}

type Amount = DuckDBDecimalValue | null

function ofTwoAmounts(
  name: string,
  operation: (a: bigint, b: bigint) => bigint | null,
): DuckDBScalarFunction {
  return scalar(name, 2, (input) => {
    const left = input.getColumnVector(0)
    const right = input.getColumnVector(1)
    return (row) => {
      const a = left.getItem(row) as Amount
      const b = right.getItem(row) as Amount
      return a === null || b === null ? null : operation(a.value, b.value)
    }
  })
}

function ofThreeAmounts(
  name: string,
  operation: (a: bigint, b: bigint, c: bigint) => bigint | null,
): DuckDBScalarFunction {
  return scalar(name, 3, (input) => {
    const columns = [0, 1, 2].map((at) => input.getColumnVector(at))
    return (row) => {
      const [a, b, c] = columns.map((column) => column.getItem(row)) as [Amount, Amount, Amount]
      return a === null || b === null || c === null ? null : operation(a.value, b.value, c.value)
    }
  })
}

/** `begin` is called with each chunk, and what it answers with each of its rows. */
function scalar(
  name: string,
  parameters: number,
  begin: (input: DuckDBDataChunk) => (row: number) => bigint | null,
): DuckDBScalarFunction {
  const amount = DECIMAL(38, SCALE)
  return DuckDBScalarFunction.create({
    name,
    returnType: amount,
    parameterTypes: Array.from({ length: parameters }, () => amount),
    mainFunction: (_info, input, output) => {
      const resultOf = begin(input)
      for (let row = 0; row < input.rowCount; row += 1) {
        const units = resultOf(row)
        output.setItem(row, units === null ? null : new DuckDBDecimalValue(units, 38, SCALE))
      }
      output.flush()
    },
  })
}
