// The cells of one row, each read as its column requires, or refused with file, line, column, what was
// expected and what was found. Amounts are plain decimals; digits beyond the 18th, as spreadsheets produce
// them, are rounded half to even and counted.
import { parseAmount, roundAmount } from '../../models/amount.ts'
import type { CsvLine } from './csv.ts'
import { type Instant, type InstantResult, parseInstant } from './instant.ts'
import { type RefusedCells, refuseCell, together } from './refusals.ts'

/** Which amounts a column allows. */
export type Sign = 'above zero' | 'not below zero' | 'any'

/** How a file writes amounts: the plain decimal of a text, or null if it is not an amount. */
export interface NumberForm {
  readonly plain: (text: string) => string | null
  readonly expected: string
}

const PLAIN = /^-?(\d+(\.\d*)?|\.\d+)$/
const plainDecimals: NumberForm = {
  plain: (text) => (PLAIN.test(text) ? text : null),
  expected: 'digits with at most one point; no exponent, no thousands separator',
}

const NAME_LENGTH_MAX = 64
const ID_LENGTH_MAX = 256

const isName = (text: string, length: number): boolean =>
  text !== '' && text === text.trim() && text.length <= length

/** A slash is reserved for parts of an account. */
export const isAccountName = (text: string): boolean => isName(text, NAME_LENGTH_MAX) && !text.includes('/')

export class ImportRow {
  readonly line: number
  readonly #file: string
  readonly #columns: readonly string[]
  readonly #cells: readonly string[]
  readonly #rounded = new Set<string>()

  constructor(file: string, columns: readonly string[], line: CsvLine) {
    this.line = line.number
    this.#file = file
    this.#columns = columns
    this.#cells = line.cells
  }

  /** How many cells were rounded since the last call. */
  takeRounded(): number {
    const { size } = this.#rounded
    this.#rounded.clear()
    return size
  }

  /** The text of a cell, unchanged. */
  text(column: string): string {
    return this.#cells[this.#columns.indexOf(column)] ?? ''
  }

  isEmpty(column: string): boolean {
    return this.text(column) === ''
  }

  /** The error for a cell of this row. */
  refuse(column: string, message: string, expected: string, found?: string, action?: string): RefusedCells {
    const text = this.text(column)
    const seen = found ?? (text === '' ? 'an empty cell' : text)
    const then = action === undefined ? {} : { action }
    return refuseCell(this.#file, this.line, column, { message, expected, found: seen, ...then })
  }

  /** Reads several cells; all refusals are thrown together. */
  together<T extends readonly unknown[]>(...readers: { readonly [At in keyof T]: () => T[At] }): T {
    return together<T>(this.#file, readers)
  }

  id(column = 'id'): string {
    return this.#name(column, 'Invalid id.', ID_LENGTH_MAX)
  }

  account(column = 'account'): string {
    const name = this.#name(column, 'Invalid account name.', NAME_LENGTH_MAX)
    if (isAccountName(name)) return name
    throw this.refuse(column, 'Invalid account name.', 'a name without a slash')
  }

  /** The code of a coin or a currency. */
  code(column: string): string {
    const code = this.#name(column, 'Invalid coin or currency code.', NAME_LENGTH_MAX)
    if (!/\s/.test(code)) return code
    throw this.refuse(column, 'Invalid coin or currency code.', 'a code such as BTC or EUR')
  }

  /** Null for an empty cell. */
  optionalCode(column: string): string | null {
    return this.isEmpty(column) ? null : this.code(column)
  }

  /** Units of 10^-18. */
  amount(column: string, sign: Sign, form = plainDecimals): bigint {
    const text = form.plain(this.text(column))
    if (text === null) throw this.refuse(column, 'Not a plain decimal.', form.expected)
    const kept = roundAmount(text)
    if (kept !== text) this.#rounded.add(column)
    const parsed = parseAmount(kept)
    if (!parsed.ok) throw this.refuse(column, 'An amount is too large.', 'at most 20 digits before the point')
    const { units } = parsed
    if (units < 0n && sign !== 'any') throw this.refuse(column, 'An amount is negative.', `a number ${sign}`)
    if (units === 0n && sign === 'above zero')
      throw this.refuse(column, 'An amount is zero.', 'a number above zero')
    return units
  }

  /** Null for an empty cell. */
  optionalAmount(column: string, sign: Sign): bigint | null {
    return this.isEmpty(column) ? null : this.amount(column, sign)
  }

  instant(
    column = 'time',
    read: (text: string) => InstantResult = parseInstant,
    expected = 'ISO-8601 with Z or an offset, up to nine decimals of a second: 2026-01-31T23:59:59.5Z',
  ): Instant {
    const result = read(this.text(column))
    if (result.ok) return result.instant
    throw this.refuse(
      column,
      'Invalid time.',
      expected,
      `${result.problem}: ${this.text(column) || 'an empty cell'}`,
    )
  }

  #name(column: string, message: string, length: number): string {
    const text = this.text(column)
    if (isName(text, length)) return text
    throw this.refuse(column, message, `1 to ${length} characters, no space at either end`)
  }
}
