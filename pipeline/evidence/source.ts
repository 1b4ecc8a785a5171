// Questions to the published ledger, answered by column name.

import type { Reader, Values } from '../ledger/reader.ts'
import type { Cell } from '../output/cell.ts'
import { allRows } from '../output/column.ts'
import type { Fields } from './step.ts'

/** Rows by column name; nulls are left out. */
export async function ask(reader: Reader, sql: string, values: Values = {}): Promise<Fields[]> {
  const { columns, rows } = await reader.stream(sql, values)
  const all = await allRows(rows)
  return all.map((row) =>
    Object.fromEntries(
      columns.flatMap(({ name }, at): [string, Cell][] => {
        const cell = row[at] ?? null
        return cell === null ? [] : [[name, cell]]
      }),
    ),
  )
}

/**
 * Restricts a question to one instant, if known: tables are in time order, so nothing else of them is read.
 * Returns the condition, to be appended to another, and its value.
 */
export const atInstant = (column: string, at: string): { readonly sql: string; readonly values: Values } =>
  at === '' ? { sql: '', values: {} } : { sql: ` and ${column} = $at::timestamptz`, values: { at } }

/** One after the other: each question has its own connection. */
export async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (const item of items) results.push(await work(item))
  return results
}

export const without = (fields: Fields, ...names: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))

/** The text of a cell; empty for none. */
export const textOf = (cell: Cell | undefined): string =>
  cell === undefined || cell === null ? '' : String(cell)
