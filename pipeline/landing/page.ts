// Lands one journaled page: its body becomes rows of the feed's table, or lines of quarantine and drift, and nothing is
// lost. The journal holds only pages that could be parsed; one that no longer can is damage, not data.
import { CorruptionError } from '../../models/error.ts'
import {
  conflictingKey,
  type Displaced,
  DUPLICATES,
  decodeJson,
  JsonError,
  type JsonProblem,
  parseJson,
} from '../../models/json.ts'
import type { Range } from '../../models/ranges.ts'
import { AN_IDENTITY, ONE_VALUE, type RecordType, spellingOf } from '../../models/record.ts'
import { type FoundRows, findRows, isObject } from '../../models/rows.ts'
import type { Frame, PageMeta } from '../journal/frame.ts'
import { Drift } from './drift.ts'
import { plainRows } from './plain-page.ts'
import { rawRows } from './raw-row.ts'
import { createRowReader, type Row, type RowProblem, type RowReader } from './row-reader.ts'
import type { TableWriter } from './table-writer.ts'

/** What landing needs to know about a feed: a part of its endpoint. */
export interface LandingFeed {
  readonly record: RecordType
  /** `Endpoint.rows`: '' if `data` is the list, 'object' if it is the one row, otherwise the field of `data`. */
  readonly rows: string
  /** Wire name of the field with the time of a record; by default the record's required time. */
  readonly time?: string
  /** Wire names of the times by which a row must touch the requested window; none are checked if absent. */
  readonly touches?: readonly string[]
}

export interface PageFrame extends Frame {
  readonly meta: PageMeta
}

export interface PageTables {
  readonly rows: TableWriter
  readonly quarantine: TableWriter
  readonly drift: TableWriter
}

/** Rows received on a page, and how many of them were quarantined. */
export interface PageCounts {
  readonly rows: number
  readonly quarantined: number
}

export class PageLander {
  readonly #feed: LandingFeed
  readonly #reader: RowReader
  readonly #drift: Drift

  constructor(feed: LandingFeed) {
    this.#feed = feed
    this.#reader = createRowReader(feed.record, feed)
    this.#drift = new Drift(feed.record)
  }

  /** A page whose body was erased has no rows. Throws a CorruptionError for a body that can no longer be read. */
  land(frame: PageFrame, tables: PageTables): PageCounts {
    if (frame.body === null) return { rows: 0, quarantined: 0 }
    this.#drift.take() // A page that failed part-way leaves nothing to the next one.
    const { text, rows, place, problems } = readBody(frame, frame.body, this.#feed.rows)
    const { account, feed, partition, at } = frame.meta
    const page: PageFacts = {
      conflicts: problems.some((problem) => problem.kind === 'conflicting key'),
      fractions: fractionsOf(problems),
      asked: askedFor(frame.meta),
    }
    let rawOf: ((row: number) => string | null) | null = null
    let quarantined = 0
    for (let index = 0; index < rows.length; index++) {
      const problem = this.#landRow(rows[index], tables.rows, page)
      if (problem === null) {
        tables.rows.set(0, account)
        tables.rows.set(1, partition)
        tables.rows.set(2, frame.seq)
        tables.rows.set(3, index)
        tables.rows.endRow()
        continue
      }
      quarantined += 1
      rawOf ??= rawRows(text, place, this.#feed.record)
      const { field, reason } = problem
      const of = [account, feed, partition, frame.seq, index]
      tables.quarantine.append([...of, field, reason, rawOf(index), Date.parse(at)])
    }
    this.#landDrift(frame, problems, tables.drift)
    return { rows: rows.length, quarantined }
  }

  #landRow(row: unknown, sink: TableWriter, { conflicts, fractions, asked }: PageFacts): RowProblem | null {
    if (row === NO_ROWS) return { field: this.#feed.rows || 'data', reason: 'expected a list of rows' }
    if (!isObject(row)) return { field: '', reason: 'expected an object' }
    const conflict = conflicts ? conflictingKey(row) : null
    if (conflict !== null) return { field: conflict, reason: `expected ${ONE_VALUE}` }
    const fraction = fractions.size === 0 ? null : this.#fractionIn(row, fractions)
    if (fraction !== null) return { field: fraction, reason: `expected ${AN_IDENTITY}` }
    return this.#reader.read(row, sink, this.#drift, asked)
  }

  /** The identity field that holds a bare number which is not an integer; such a number arrives here as its digits. */
  #fractionIn(row: Row, fractions: ReadonlySet<string>): string | null {
    const { key, fields } = this.#feed.record
    const held = key.find((name) => {
      const value = row[spellingOf(name, fields[name]!, row)]
      return typeof value === 'string' && fractions.has(value)
    })
    return held ?? null
  }

  #landDrift(frame: PageFrame, problems: readonly JsonProblem[], table: TableWriter): void {
    for (const { kind, key, lexeme } of problems) {
      if (kind === 'number') this.#drift.add('number instead of text', key, lexeme)
      else this.#drift.add(kind === 'conflicting key' ? 'duplicate key' : kind, key)
    }
    const { account, feed } = frame.meta
    for (const { field, problem, example, rows } of this.#drift.take())
      table.append([account, feed, frame.seq, field, problem, example, rows])
  }
}

/** What is known about a page before its rows are read. */
interface PageFacts {
  readonly conflicts: boolean
  /** Bare numbers of the page that are not integers and arrived as text. */
  readonly fractions: ReadonlySet<string>
  /** The times that the request asked for; null if it asked for none. */
  readonly asked: Range | null
}

function fractionsOf(problems: readonly JsonProblem[]): ReadonlySet<string> {
  const lexemes = problems.flatMap(({ kind, lexeme }) =>
    kind === 'number' && lexeme !== undefined && !/^-?\d+$/.test(lexeme) ? [lexeme] : [],
  )
  return new Set(lexemes)
}

/** Taken from the request itself, because a window's start is moved up to what the venue still has. */
function askedFor({ request, window }: PageMeta): Range | null {
  const query = new URLSearchParams(request.path.split('?')[1] ?? '')
  const [start, end] = ['startTime', 'endTime'].map((name) => query.get(name) ?? '')
  if (/^\d{1,15}$/.test(start ?? '') && /^\d{1,15}$/.test(end ?? ''))
    return { start: Number(start), end: Number(end) }
  return window ?? null
}

interface ReadBody extends FoundRows {
  readonly text: string
  readonly problems: readonly JsonProblem[]
}

function readBody(frame: PageFrame, body: Uint8Array, rowsField: string): ReadBody {
  try {
    const text = decodeJson(body)
    const plain = plainRows(text, rowsField)
    if (plain !== null) return { text, ...plain, problems: [] }
    const { value, problems } = parseJson(text)
    return { text, ...rowsOf(frame, value, rowsField), problems }
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    throw unreadable(
      frame,
      'the JSON text that was parsed when it was received',
      `${error.what} at character ${error.offset}`,
    )
  }
}

/**
 * The placeholder row of a page that has no rows where they are expected: such a page is never taken for an empty one.
 */
const NO_ROWS = Symbol('no rows')

function rowsOf(frame: PageFrame, envelope: unknown, field: string): FoundRows {
  if (!isObject(envelope)) throw unreadable(frame, 'an object that holds data', 'another value')
  const data = memberOf(frame, envelope, 'data')
  const found = findRows(data, field)
  if (typeof found !== 'string') return found
  if (isObject(data)) memberOf(frame, data, field)
  // Whether the value in place of a single row is valid is left to the reader of rows.
  return { rows: [field === 'object' ? data : NO_ROWS], place: 'one' }
}

function memberOf(frame: PageFrame, object: Row, key: string): unknown {
  const displaced = (object as { readonly [DUPLICATES]?: Displaced })[DUPLICATES]
  if (displaced?.some(([name]) => name === key))
    throw unreadable(frame, `one ${key}`, `two unequal members named ${key}`)
  return object[key]
}

function unreadable(frame: PageFrame, expected: string, found: string): CorruptionError {
  const { feed, account, partition } = frame.meta
  return new CorruptionError('A page of the journal can no longer be read.', {
    where: `frame ${frame.seq}: ${feed} of ${account}${partition === '' ? '' : `, ${partition}`}`,
    expected,
    found,
    action:
      'Run `tieout verify`. If the journal verifies, report this page: it should not have been journaled.',
  })
}
