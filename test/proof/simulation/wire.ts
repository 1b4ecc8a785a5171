// How a row of the model venue is written, and what it must have become once it has landed. Written a second time and
// independently of the code under test: decimals here are texts that are shifted, never numbers.
import type { RecordType } from '../../../models/record.ts'
import { columnName } from '../../../models/record.ts'

/** A bare JSON number, digit by digit. */
export class Bare {
  readonly lexeme: string
  constructor(lexeme: string) {
    this.lexeme = lexeme
  }
}

export type Cell = string | Bare | boolean | null

const textOf = (cell: Cell): string | null =>
  cell === null || cell === '' ? null : cell instanceof Bare ? cell.lexeme : String(cell)

const json = (cell: Cell): string => (cell instanceof Bare ? cell.lexeme : JSON.stringify(cell))

/** The row as it is sent: members in their order, a later entry of the same name standing a second time. */
export const written = (members: readonly (readonly [string, Cell])[]): string =>
  `{${members.map(([name, cell]) => `${JSON.stringify(name)}:${json(cell)}`).join(',')}}`

const NOTHING = '∅'

/** What stands between two columns of a row. */
export const COLUMN_END = '\u001f'

/** A decimal text, with or without exponent, with exactly 18 decimals. */
export function decimal18(text: string): string {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(text)!
  const shift = Number(exponent)
  const digits = whole + fraction
  const point = whole.length + shift
  const padded = '0'.repeat(Math.max(0, 1 - point)) + digits + '0'.repeat(Math.max(0, point - digits.length))
  const at = Math.max(1, point)
  const integer = padded.slice(0, at).replace(/^0+(?=\d)/, '')
  const decimals = padded.slice(at).padEnd(18, '0').slice(0, 18)
  const isZero = /^0*$/.test(integer + decimals)
  return `${sign === '-' && !isZero ? '-' : ''}${integer}.${decimals}`
}

/** In `extra` a number that a float would change stands as a text with all its digits. */
const kept = (cell: Cell): string =>
  cell instanceof Bare && String(Number(cell.lexeme)) !== cell.lexeme
    ? JSON.stringify(cell.lexeme)
    : json(cell)

/** The landed columns of a row, `extra` last, as one text that `contentSql` gives too. */
export function contentOf(record: RecordType, row: Readonly<Record<string, Cell>>): string {
  const columns = Object.entries(record.fields).map(([name, field]) => {
    const text = textOf(row[name] ?? null)
    if (text === null) return field.required && field.kind === 'text' && row[name] === '' ? '' : NOTHING
    return field.kind === 'amount' ? decimal18(text) : text
  })
  const unknown = Object.keys(row)
    .filter((name) => !(name in record.fields))
    .sort()
  const extra = unknown.map((name) => `${JSON.stringify(name)}:${kept(row[name] ?? null)}`).join(',')
  return [...columns, unknown.length === 0 ? NOTHING : `{${extra}}`].join(COLUMN_END)
}

/** The same text from a table that has the columns of the record. */
export function contentSql(record: RecordType): string {
  const columns = Object.entries(record.fields).map(([name, { kind }]) => {
    const column = `"${columnName(name)}"`
    return kind === 'millis' ? `epoch_ms(${column})` : column
  })
  return [...columns, 'extra']
    .map((column) => `coalesce(cast(${column} as varchar), '${NOTHING}')`)
    .join(' || chr(31) || ')
}
