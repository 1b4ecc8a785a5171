// Reads a received row into the columns of its table, according to the declaration of its record. It accepts and
// refuses exactly what the record's zod schema does (a property test compares them), without creating an object for
// each row and value. It also refuses a row whose time is outside the requested range.
import { canonicalJson } from '../../models/json.ts'
import type { Range } from '../../models/ranges.ts'
import {
  EARLIEST_MS,
  type Field,
  type FieldValue,
  isAbsent,
  NO_EARLY_TIME,
  type RecordType,
  readField,
  spellingOf,
} from '../../models/record.ts'
import type { Drift } from './drift.ts'
import { ROW_COLUMNS } from './tables.ts'

/** Why a row is quarantined. */
export interface RowProblem {
  readonly field: string
  readonly reason: string
}

export type Row = Readonly<Record<string, unknown>>

/** Where the values go: the open row of a table. */
export interface RowSink {
  set(column: number, value: FieldValue): void
  /** Sets an amount from a plain decimal; false for a text that needs the exact parser. */
  setPlain(column: number, text: string): boolean
}

export interface RowReader {
  /**
   * Sets every field of the row and `extra`; returns the first field that does not fit, if any. `asked` are the times
   * that the request asked for; null if it asked for none.
   */
  read(row: Row, sink: RowSink, drift: Drift, asked: Range | null): RowProblem | null
}

/** Which times of a row are compared with the requested window, as in `LandingFeed`. */
export interface RowTimes {
  readonly time?: string
  readonly touches?: readonly string[]
}

/** By how much a row may lie outside the window: not all clocks are read to the millisecond. Contract. */
const SLACK_MS = 1_000

interface Place {
  readonly name: string
  readonly field: Field
  readonly column: number
  readonly values: ReadonlySet<string> | null
  /** The row's time, or one of those by which it touches a window. */
  readonly isTime: boolean
  readonly touches: boolean
}

export function createRowReader(record: RecordType, { time, touches = [] }: RowTimes = {}): RowReader {
  const places: readonly Place[] = Object.entries(record.fields).map(([name, field], index) => ({
    name,
    field,
    column: ROW_COLUMNS.length + index,
    values: field.values === undefined ? null : new Set(field.values),
    isTime: name === time || touches.includes(name),
    touches: touches.includes(name),
  }))
  const extraColumn = ROW_COLUMNS.length + places.length
  return {
    read(row, sink, drift, asked) {
      let known = 0
      let misfits: Set<string> | null = null
      let first = Number.POSITIVE_INFINITY
      let last = Number.NEGATIVE_INFINITY
      for (const place of places) {
        const { name, field } = place
        const spelling = spellingOf(name, field, row)
        const value = row[spelling]
        if (value !== undefined) known += 1
        if (spelling !== name && row[name] !== undefined) known += 1
        // Most values of a record are amounts.
        if (field.kind !== 'amount' || typeof value !== 'string' || !sink.setPlain(place.column, value)) {
          const reading = readField(field, value)
          // These times are compared with the requested window: an invalid one cannot be inside it.
          if (!reading.ok && (!field.dispensable || place.isTime))
            return { field: name, reason: `expected ${reading.expected}` }
          const read = reading.ok ? reading.value : null
          sink.set(place.column, read)
          if (!reading.ok || (read === null && !isAbsent(value))) {
            misfits = (misfits ?? new Set<string>()).add(spelling)
            drift.add(reading.ok || field.beyond ? 'unknown value' : 'value that does not fit', name, value)
            continue
          }
          noteType(place, value, drift)
          if (place.isTime && typeof read === 'number' && read < EARLIEST_MS)
            return { field: name, reason: `expected ${NO_EARLY_TIME}` }
          if (place.touches && typeof read === 'number') {
            first = Math.min(first, read)
            last = Math.max(last, read)
          }
        }
        if (place.values !== null && typeof value === 'string' && value !== '' && !place.values.has(value))
          drift.add('unknown value', name, value)
      }
      const hasTime = first <= last
      if (asked !== null && hasTime && (last < asked.start - SLACK_MS || first > asked.end + SLACK_MS))
        return { field: time ?? '', reason: NOT_ASKED_FOR }
      sink.set(
        extraColumn,
        misfits !== null || hasMore(row, known) ? extraOf(places, row, drift, misfits) : null,
      )
      return null
    },
  }
}

const NOT_ASKED_FOR = 'expected a time within the window that was asked for'

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

/** The members that no field took, and those that did not fit theirs, as canonical JSON. */
function extraOf(
  places: readonly Place[],
  row: Row,
  drift: Drift,
  misfits: ReadonlySet<string> | null,
): string {
  const taken = new Set(places.flatMap(({ name, field }) => [name, spellingOf(name, field, row)]))
  const unknown = Object.entries(row).filter(([name]) => !taken.has(name))
  for (const [name, value] of unknown) drift.add('unknown field', name, value)
  const misfitting = Object.entries(row).filter(([name]) => misfits?.has(name))
  return canonicalJson(Object.fromEntries([...unknown, ...misfitting]))
}
