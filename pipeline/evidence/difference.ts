// Two versions of a report compared line by line: what was added, what was removed, and every field that
// changed in each changed line. The result is itself a report, so it prints in every format.

import { counted } from '../../models/text.ts'
import { type Cell, cellText, type Row } from '../output/cell.ts'
import { asBatches, type Column } from '../output/column.ts'
import type { Report } from '../reports/report.ts'

export interface Lines {
  readonly columns: readonly string[]
  readonly rows: readonly Row[]
}

/**
 * Columns that identify a line of each report. For a report not listed here, all columns that are not
 * figures.
 */
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

/**
 * Rows are change (added, removed, changed), line, field, before and after; a whole line is listed field by
 * field too. The lines of `after` are streamed: of unchanged lines only their names are kept.
 */
export async function differenceOf(
  name: string,
  key: readonly string[],
  before: Lines,
  after: Pick<Report, 'columns' | 'rows'>,
): Promise<Omit<Report, 'notes'> & { readonly summary: string }> {
  const [old, now] = [placesOf(before.columns), placesOf(after.columns.map((column) => column.name))]
  const fields = new Set([...old.keys(), ...now.keys()])
  const nameOld = namer(key, old)
  const left = new Map(before.rows.map((row, place) => [nameOld(row), { row, place }]))
  const nameNow = namer(key, now)
  const changed: { readonly place: number; readonly rows: readonly Row[] }[] = []
  const added: (readonly [id: string, Row])[] = []
  for await (const batch of after.rows)
    for (const row of batch) {
      const id = nameNow(row)
      const was = left.get(id)
      if (was === undefined) added.push([id, row])
      else {
        left.delete(id)
        const cells = changedFields(fields, [old, was.row], [now, row])
        if (cells.length > 0)
          changed.push({ place: was.place, rows: cells.map((each) => ['changed', id, ...each]) })
      }
    }
  const rows: Row[] = [
    ...[...left].flatMap(([id, { row }]) =>
      fieldsOf(old, row).map(([field, cell]) => ['removed', id, field, cell, '']),
    ),
    ...changed.toSorted((one, other) => one.place - other.place).flatMap((line) => line.rows),
    ...added.flatMap(([id, row]) =>
      fieldsOf(now, row).map(([field, cell]) => ['added', id, field, '', cell]),
    ),
  ]
  const counts = [
    ...(left.size === 0 ? [] : [`${counted(left.size, 'line')} removed`]),
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

/** The position of each column in a row. */
type Places = ReadonlyMap<string, number>

const placesOf = (columns: readonly string[]): Places => new Map(columns.map((column, at) => [column, at]))

const textAt = (row: Row, at: number): string => cellText((row[at] ?? null) as Cell)

/** Names the lines of a report as they come; lines with the same key are distinguished by their order. */
function namer(key: readonly string[], places: Places): (row: Row) => string {
  const names = new Set<string>()
  const nths = new Map<string, number>()
  return (row) => {
    const id = key
      .map((column) => {
        const at = places.get(column)
        return at === undefined ? '' : textAt(row, at)
      })
      .join(' | ')
    let nth = (nths.get(id) ?? 0) + 1
    while (names.has(named(id, nth))) nth += 1
    nths.set(id, nth)
    names.add(named(id, nth))
    return named(id, nth)
  }
}

const named = (id: string, nth: number): string => (nth === 1 ? id : `${id} (${nth})`)

const fieldsOf = (places: Places, row: Row): [string, string][] =>
  [...places].flatMap(([field, at]): [string, string][] => {
    const cell = textAt(row, at)
    return cell === '' ? [] : [[field, cell]]
  })

/**
 * Field, before, after; a column that one of the two does not have is empty there. For a column that only one
 * version of the report has, a zero is not a difference: otherwise every line would be one.
 */
function changedFields(
  fields: Iterable<string>,
  before: readonly [Places, Row],
  after: readonly [Places, Row],
): [string, string, string][] {
  const cellOf = ([places, row]: readonly [Places, Row], field: string): string => {
    const at = places.get(field)
    return at === undefined ? '' : textAt(row, at)
  }
  const isOfOne = (field: string): boolean => before[0].has(field) !== after[0].has(field)
  const changed: [string, string, string][] = []
  for (const field of fields) {
    const [old, now] = [cellOf(before, field), cellOf(after, field)]
    if (old !== now && !(isOfOne(field) && [old, now].includes('0'))) changed.push([field, old, now])
  }
  return changed
}
