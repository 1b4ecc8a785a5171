// A query of a view: a fixed statement with the user's input as bound values. The view shows the statement with the values
// written out, so that users can open it in the console and continue from there.
import type { DuckDBValue } from '@duckdb/node-api'
import { literal } from '../engine/quote.ts'
import type { Reader } from '../ledger/reader.ts'
import type { QueryResult } from '../ledger/session.ts'
import type { Row } from '../output/cell.ts'
import type { Rows } from './api.ts'

export interface Question {
  readonly sql: string
  readonly values: Readonly<Record<string, string | number | boolean | null>>
}

/** The statement without empty lines and the indentation of the source code. */
export function question(sql: string, values: Question['values'] = {}): Question {
  const lines = sql.split('\n').filter((line) => line.trim() !== '')
  const indent = Math.min(...lines.map((line) => line.length - line.trimStart().length))
  return { sql: lines.map((line) => line.slice(indent).trimEnd()).join('\n'), values }
}

/** The statement as it can be run anywhere, with its values as literals. */
export function written({ sql, values }: Question): string {
  return sql.replace(/\$([a-z][a-z0-9_]*)/g, (place, name: string) => {
    const value = values[name]
    if (value === undefined) throw new RangeError(`The statement has no value for ${place}.`)
    if (value === null) return 'null'
    return typeof value === 'string' ? literal(value) : String(value)
  })
}

/** Only the values that the statement names: DuckDB refuses any others. */
const named = ({ sql, values }: Question): Record<string, DuckDBValue> =>
  Object.fromEntries(
    [...sql.matchAll(/\$([a-z][a-z0-9_]*)/g)].map(([, name = '']) => [name, values[name] as DuckDBValue]),
  )

export const streamOf = (ledger: Reader, asked: Question): Promise<QueryResult> =>
  ledger.stream(asked.sql, named(asked))

/** All rows as objects by column name, and the statement that returned them. */
export async function rowsOf<R>(ledger: Reader, asked: Question): Promise<Rows<R>> {
  const { columns, rows } = await streamOf(ledger, asked)
  const names = columns.map(({ name }) => name)
  const found: R[] = []
  for await (const batch of rows) for (const row of batch) found.push(asObject<R>(names, row))
  return { rows: found, sql: written(asked) }
}

const asObject = <R>(names: readonly string[], row: Row): R =>
  Object.fromEntries(names.map((name, at) => [name, row[at] ?? null])) as R

/** Conditions joined by `and`, each with its values. */
export class Conditions {
  readonly #parts: string[] = []
  readonly values: Record<string, string | number | boolean | null> = {}

  /** Adds a value under a unique name, and returns its placeholder in the statement. */
  value(value: string | number | boolean | null): string {
    const name = `v${Object.keys(this.values).length + 1}`
    this.values[name] = value
    return `$${name}`
  }

  add(condition: string): this {
    this.#parts.push(condition)
    return this
  }

  /**
   * The column equals one of several texts, given as in an address, separated by commas. An empty text adds no condition.
   * `widened` turns the condition into the one to add.
   */
  oneOf(column: string, given: string | undefined, widened = (condition: string) => condition): this {
    const texts = listOf(given)
    if (texts.length === 0) return this
    return this.add(widened(`${column} in (${texts.map((text) => this.value(text)).join(', ')})`))
  }

  /** At or after one instant and before another; ISO-8601. */
  within(column: string, { from, before }: { from: string | null; before: string | null }): this {
    if (from !== null) this.add(`${column} >= ${this.value(from)}::timestamptz`)
    if (before !== null) this.add(`${column} < ${this.value(before)}::timestamptz`)
    return this
  }

  /** All conditions after `where`; empty if there are none. */
  get where(): string {
    return this.#parts.length === 0 ? '' : `where ${this.#parts.join('\n  and ')}`
  }
}

/** The texts between commas. A name may itself contain a comma, so the whole text is included as one name too. */
export function listOf(given: string | undefined): string[] {
  const texts = (given ?? '')
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '')
  return texts.length > 0 && given?.includes(',') ? [...new Set([...texts, given])] : texts
}
