// Amounts as other services write them: with a decimal comma, thousands separators, currency signs or
// exponents. Anything that the format does not allow is not an amount; nothing is guessed, and no digit goes
// through a float.
import type { Mapping } from './mapping.ts'
import type { NumberForm } from './row.ts'

/** Amounts in a mapping's files; `isNothing` for a cell that has none. */
export interface MappedNumbers extends NumberForm {
  readonly isNothing: (text: string) => boolean
}

const literally = (text: string): string => text.replace(/[.*+?^${}()|[\]\\-]/g, String.raw`\$&`)

/** Separators as spreadsheets write them too: non-breaking spaces, and the Swiss apostrophe. */
const SPELLINGS: Readonly<Record<string, string>> = {
  ' ': String.raw`[ \u00a0\u202f]`,
  "'": String.raw`['\u2019]`,
}

/**
 * Whether a file is new, or is in the journal and was accepted before, perhaps by less strict rules: what was
 * accepted once stays readable.
 */
export type Standing = 'new' | 'journaled'

export function numbersOf(
  { decimal, thousands, signs, nothing }: Mapping['numbers'],
  standing: Standing,
): MappedNumbers {
  // A grouped amount never begins with a zero: 0,123 is the 0.123 of a file saved under other settings, and
  // not 123.
  const first = standing === 'new' ? String.raw`[1-9]\d{0,2}` : String.raw`\d{1,3}`
  const separator = thousands === undefined ? null : (SPELLINGS[thousands] ?? literally(thousands))
  const grouped = separator === null ? '' : String.raw`${first}(?:${separator}\d{3})+|`
  const around = String.raw`[${literally(signs)}\s]*`
  const pattern = new RegExp(
    String.raw`^(?<before>[+-]?)${around}(?<behind>[+-]?)(?<whole>${grouped}\d*)` +
      String.raw`(?:${literally(decimal)}(?<fraction>\d*))?(?:[eE](?<exponent>[+-]?\d{1,2}))?${around}$`,
  )
  const plain = (text: string): string | null => {
    const found = pattern.exec(text)?.groups
    if (found === undefined) return null
    const { before = '', behind = '', whole = '', fraction = '', exponent = '0' } = found
    const digits = whole.replace(/\D/g, '')
    if (digits + fraction === '' || (before !== '' && behind !== '')) return null
    return `${before === '-' || behind === '-' ? '-' : ''}${shifted(digits, fraction, Number(exponent))}`
  }
  const example =
    thousands === undefined ? `1234${decimal}5` : `1234${decimal}5 or 1${thousands}234${decimal}5`
  return {
    plain,
    expected: `an amount such as ${example}`,
    isNothing: (text) => text.trim() === '' || nothing.includes(text.trim().normalize('NFC')),
  }
}

/** The plain decimal with its point moved. */
function shifted(whole: string, fraction: string, places: number): string {
  const digits = whole + fraction
  const at = whole.length + places
  if (at <= 0) return `0.${'0'.repeat(-at)}${digits}`
  if (at >= digits.length) return digits + '0'.repeat(at - digits.length)
  return `${digits.slice(0, at)}.${digits.slice(at)}`
}
