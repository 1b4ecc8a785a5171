// The smallest readers: amounts and JSON, each against a second, simpler reading.
import { isUtf8 } from 'node:buffer'
import { formatAmount, parseAmount } from '../../../../models/amount.ts'
import { canonicalJson, JsonError, parseJson, parseJsonBytes } from '../../../../models/json.ts'
import { plainUnits } from '../../../support/plain-units.ts'
import { BOUND_MS, must, type Target } from '../target.ts'

const LIMIT = 10n ** 38n

/** By the definition of a decimal: digits as one number, moved by the exponent; null for what is none. */
function exactUnits(text: string): bigint | null {
  const match = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,5}))?$/.exec(text)
  if (match === null || `${match[2]}${match[3]}` === '') return null
  const digits = BigInt(`${match[2]}${match[3]}`)
  const shift = 18 - (match[3] as string).length + Number(match[4] ?? '0')
  if (digits === 0n) return 0n
  if (shift < -400 || shift > 60) return null
  if (shift < 0 && digits % 10n ** BigInt(-shift) !== 0n) return null
  const units = shift < 0 ? digits / 10n ** BigInt(-shift) : digits * 10n ** BigInt(shift)
  if (units >= LIMIT) return null
  return match[1] === '-' ? -units : units
}

export const amountTarget: Target = {
  name: 'amount',
  shape: {
    kind: 'bytes',
    tokens: ['0', '9', '.', '-', '+', 'e', 'E', '000000000000000000', '1e-18', '1e20'],
  },
  boundMs: BOUND_MS,
  open: () => ({
    run: (input) => {
      // Longer texts only make the second reading slow.
      const text = input.subarray(0, 200).toString('utf8')
      const parsed = parseAmount(text)
      const expected = exactUnits(text)
      must(parsed.ok ? parsed.units === expected : expected === null, 'an amount is read exactly or refused')
      const plain = plainUnits(text)
      must(plain === null || plain === expected, 'the fast reading of an amount is the exact one')
      if (!parsed.ok) return parsed.problem
      const again = parseAmount(formatAmount(parsed.units))
      must(again.ok && again.units === parsed.units, 'an amount that is written reads back')
      return `${parsed.units < 0n ? '-' : ''}${formatAmount(parsed.units).length}`
    },
  }),
}

export const jsonTarget: Target = {
  name: 'json',
  shape: {
    kind: 'json',
    tokens: ['{"a":1,"a":2}', '{"a":1,"a":1}', '1.50', '-0', '1e1', '\\u0061', '"\\ud83d\\ude00"'],
  },
  boundMs: BOUND_MS,
  open: () => ({
    run: (input) => {
      const native = isUtf8(input) ? nativeJson(input.toString('utf8').replace(/^\ufeff/, '')) : null
      let read: ReturnType<typeof parseJsonBytes>
      try {
        read = parseJsonBytes(input)
      } catch (error) {
        if (!(error instanceof JsonError)) throw error
        must(
          native === null || error.what.includes('deep'),
          'what is JSON in UTF-8, and not too deep, is read',
        )
        throw error
      }
      must(native !== null, 'what is no JSON is refused')
      const { value, problems } = read
      if (problems.length === 0)
        must(canonicalJson(value) === canonicalJson(native.value), 'JSON is read as it stands')
      for (const { kind, lexeme } of problems)
        if (kind === 'number') must(input.includes(lexeme ?? '?'), 'a number is kept digit by digit')
      const text = JSON.stringify(value)
      must(canonicalJson(parseJson(text).value) === canonicalJson(value), 'JSON that is written reads back')
      return `${typeof value} ${[...new Set(problems.map(({ kind }) => kind))].sort().join(' ')}`
    },
  }),
}

function nativeJson(text: string): { value: unknown } | null {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return null
  }
}
