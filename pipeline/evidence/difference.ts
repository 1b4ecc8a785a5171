// Two versions of a report held against each other, line by line: what was added, what was removed, and of each changed
// line every field that changed. The answer is a report itself, so that it prints in every format.

import { counted } from '../../models/text.ts'
import { type Cell, cellText, type Row } from '../output/cell.ts'
import { allRows, asBatches, type Column } from '../output/column.ts'
import type { Report } from '../reports/report.ts'

export interface Lines {
  readonly columns: readonly string[]
  readonly rows: readonly Row[]
}

/** The lines of a report, read into memory. */
export async function linesOf({ columns, rows }: Report): Promise<Lines> {
  return { columns: columns.map(({ name }) => name), rows: await allRows(rows) }
}

/** Columns that name a line of each report. A report that is not here is named by all that is no figure. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  balances: ['account', 'ledger', 'coin'],
  pnl: ['line_id'],
  gains: ['disposal_id', 'coin', 'lot_id', 'acquired_at'],
  'form-8949': ['disposal_id', 'lot_id'],
  'account-values': ['account'],
  taxes: ['form', 'line', 'figure', 'currency'],
  income: ['entry_id'],
  statement: ['line_id'],
  breaks: ['break_id'],
  coverage: ['account', 'feed', 'partition', 'starts_at'],
}

export function keyOf(report: string, columns: readonly Column[]): string[] {
  const names = columns.map(({ name }) => name)
  const key = KEYS[report]?.filter((name) => names.includes(name)) ?? []
  if (key.length === KEYS[report]?.length) return key
  return columns.filter(({ kind }) => kind !== 'amount' && kind !== 'number').map(({ name }) => name)
}

const COLUMNS: readonly Column[] = ['change', 'line', 'field', 'before', 'after'].map((name) => ({ name }))

/** Rows are change (added, removed, changed), line, field, before and after; a whole line is listed field by field too. */
export function differenceOf(
  name: string,
  key: readonly string[],
  before: Lines,
  after: Lines,
): Omit<Report, 'notes'> & { readonly summary: string } {
  const [old, now] = [byKey(key, before), byKey(key, after)]
  const removed = [...old].filter(([id]) => !now.has(id))
  const added = [...now].filter(([id]) => !old.has(id))
  const changed = [...old].flatMap(([id, line]) => {
    const fields = changedFields(line, now.get(id) ?? line)
    return fields.length === 0 ? [] : [{ id, fields }]
  })
  const rows: Row[] = [
    ...removed.flatMap(([id, line]) =>
      fieldsOf(line).map(([field, cell]) => ['removed', id, field, cell, '']),
    ),
    ...changed.flatMap(({ id, fields }) => fields.map((cells) => ['changed', id, ...cells])),
    ...added.flatMap(([id, line]) => fieldsOf(line).map(([field, cell]) => ['added', id, field, '', cell])),
  ]
  const counts = [
    ...(removed.length === 0 ? [] : [`${counted(removed.length, 'line')} removed`]),
    ...(changed.length === 0 ? [] : [`${counted(changed.length, 'line')} changed`]),
    ...(added.length === 0 ? [] : [`${counted(added.length, 'line')} added`]),
  ]
  return {
    fileName: ['difference', name],
    title: `Difference from the filing ${name}`,
    columns: COLUMNS,
    rows: asBatches(rows),
    totals: [],
    summary: counts.length === 0 ? 'No line differs.' : `${counts.join(', ')}.`,
  }
}

type Line = ReadonlyMap<string, string>

/** Lines of one key are told apart by their order. */
function byKey(key: readonly string[], { columns, rows }: Lines): Map<string, Line> {
  const lines = new Map<string, Line>()
  const nths = new Map<string, number>()
  for (const row of rows) {
    const line = new Map(columns.map((column, at) => [column, cellText((row[at] ?? null) as Cell)]))
    const id = key.map((column) => line.get(column) ?? '').join(' | ')
    let nth = (nths.get(id) ?? 0) + 1
    while (lines.has(named(id, nth))) nth += 1
    nths.set(id, nth)
    lines.set(named(id, nth), line)
  }
  return lines
}

const named = (id: string, nth: number): string => (nth === 1 ? id : `${id} (${nth})`)

const fieldsOf = (line: Line): [string, string][] => [...line].filter(([, cell]) => cell !== '')

/**
 * Field, before, after; a column that one of the two does not have is empty there. Of a column that a report has only since
 * another version, or no longer, a zero is no difference: it would make one of every line.
 */
function changedFields(before: Line, after: Line): [string, string, string][] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((field): [string, string, string][] => {
    const [old, now] = [before.get(field) ?? '', after.get(field) ?? '']
    const isNothing = before.has(field) !== after.has(field) && [old, now].includes('0')
    return old === now || isNothing ? [] : [[field, old, now]]
  })
}
