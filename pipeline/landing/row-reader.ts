// A received row into the columns of its table, by the declaration of its record. It accepts and refuses exactly what
// the record's zod schema does (a property test holds them together), without an object for each row and value.
import { canonicalJson } from '../../models/json.ts'
import { type Field, type FieldValue, type RecordType, readField, spellingOf } from '../../models/record.ts'
import { plainUnits } from './decimal.ts'
import type { Drift } from './drift.ts'
import { ROW_COLUMNS } from './tables.ts'

/** Why a row is kept aside. */
export interface RowProblem {
  readonly field: string
  readonly reason: string
}

export type Row = Readonly<Record<string, unknown>>

/** Where the values go: the open row of a table. */
export interface RowSink {
  set(column: number, value: FieldValue): void
}

export interface RowReader {
  /** Sets every field of the row and `extra`; the first field that does not fit is answered instead. */
  read(row: Row, sink: RowSink, drift: Drift): RowProblem | null
}

interface Place {
  readonly name: string
  readonly field: Field
  readonly column: number
  readonly values: ReadonlySet<string> | null
}

export function createRowReader(record: RecordType): RowReader {
  const places: readonly Place[] = Object.entries(record.fields).map(([name, field], index) => ({
    name,
    field,
    column: ROW_COLUMNS.length + index,
    values: field.values === undefined ? null : new Set(field.values),
  }))
  const extraColumn = ROW_COLUMNS.length + places.length
  return {
    read(row, sink, drift) {
      let known = 0
      for (const place of places) {
        const { name, field } = place
        const spelling = spellingOf(name, field, row)
        const value = row[spelling]
        if (value !== undefined) known += 1
        if (spelling !== name && row[name] !== undefined) known += 1
        const quick = quickValue(field, value)
        if (quick !== undefined) {
          sink.set(place.column, quick)
        } else {
          const reading = readField(field, value)
          if (!reading.ok) return { field: name, reason: `expected ${reading.expected}` }
          sink.set(place.column, reading.value)
          noteType(place, value, drift)
        }
        if (place.values !== null && typeof value === 'string' && value !== '' && !place.values.has(value))
          drift.add('unknown value', name, value)
      }
      sink.set(extraColumn, hasMore(row, known) ? extraOf(places, row, drift) : null)
      return null
    },
  }
}

/** The commonest values without a look at their declaration; undefined leaves the value to `readField`. */
function quickValue(field: Field, value: unknown): FieldValue | undefined {
  if (typeof value !== 'string' || value === '' || field.kind !== 'amount') return undefined
  return plainUnits(value) ?? undefined
}

function noteType({ name, field }: Place, value: unknown, drift: Drift): void {
  if (field.kind === 'json' || field.kind === 'flag') return
  if (typeof value === 'number') drift.add('number instead of text', name, value)
  if (typeof value === 'boolean') drift.add('boolean instead of text', name, value)
}

function hasMore(row: Row, known: number): boolean {
  let members = 0
  for (const _ in row) members += 1
  return members > known
}

/** The members that no field took, as canonical JSON. */
function extraOf(places: readonly Place[], row: Row, drift: Drift): string {
  const taken = new Set(places.flatMap(({ name, field }) => [name, spellingOf(name, field, row)]))
  const unknown = Object.entries(row).filter(([name]) => !taken.has(name))
  for (const [name, value] of unknown) drift.add('unknown field', name, value)
  return canonicalJson(Object.fromEntries(unknown))
}
