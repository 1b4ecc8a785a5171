// The envelope around every answer, and the rows within it. Whatever is not plainly an answer is malformed, never
// an empty page. Sources: interface document, part 1; venue-facts, Failures and Wire oddities.
import { z } from 'zod'
import { DUPLICATES, parseJsonBytes } from '../models/json.ts'
import type { Endpoint } from './endpoint.ts'
import { plausibleTime } from './offset.ts'

export const SUCCESS = '00000'

const envelopeSchema = z.looseObject({
  // Codes are texts; a bare number is read as its digits.
  code: z.union([z.string(), z.number()]).transform(String),
  msg: z.unknown().optional(),
  requestTime: z.unknown().optional(),
  data: z.unknown().optional(),
})

export interface Envelope {
  readonly code: string
  readonly message: string
  /** Unix milliseconds; null where it is not a plausible time. */
  readonly requestTime: number | null
  readonly data: unknown
}

/** Reads a body; null where it is not JSON, or not an envelope, or one that says two things at once. */
export function readEnvelope(body: Buffer): Envelope | null {
  let value: unknown
  try {
    value = parseJsonBytes(body).value
  } catch {
    return null
  }
  const envelope = envelopeSchema.safeParse(value)
  if (!envelope.success || saysTwoThings(value)) return null
  const { code, msg, requestTime, data } = envelope.data
  return {
    code,
    message: typeof msg === 'string' ? msg : '',
    requestTime: plausibleTime(requestTime),
    data,
  }
}

/** The same key stands twice in it with unequal values: two lists of rows must not become one. */
const saysTwoThings = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && DUPLICATES in value

export interface Page {
  /** As received, newest first where the venue keeps to its order. */
  readonly rows: readonly unknown[]
  /** What asks for the next page; null where there is none. */
  readonly cursor: string | null
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A text that says something, or the exact digits of a number; null for every way of saying nothing. */
export function textOf(value: unknown): string | null {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  return typeof value === 'string' && value !== '' ? value : null
}

/** The rows of `data` and the cursor of the next page; a text instead says what is wrong with it. */
export function readPage(endpoint: Endpoint, data: unknown): Page | string {
  if (endpoint.item === null) return { rows: [], cursor: null }
  const rows = readRows(endpoint, data)
  if (typeof rows === 'string') return rows
  const { page } = endpoint
  if (page.kind === 'cursor') return { rows, cursor: isObject(data) ? textOf(data[page.from]) : null }
  return { rows, cursor: page.kind === 'last-id' ? lastId(endpoint, rows) : null }
}

function readRows(endpoint: Endpoint, data: unknown): readonly unknown[] | string {
  if (data === undefined || data === null) return 'data is missing'
  if (endpoint.rows === 'object')
    return isObject(data) && Object.keys(data).length > 0 ? [data] : 'data is not an object with fields'
  if (endpoint.rows === '') {
    if (Array.isArray(data)) return data
    // An empty answer in the form of the endpoints that wrap their list.
    return isObject(data) && 'list' in data && isEmptyList(data.list) ? [] : 'data is not a list'
  }
  if (Array.isArray(data))
    return data.length === 0 ? [] : `data is a list instead of an object with ${endpoint.rows}`
  if (!isObject(data) || !(endpoint.rows in data)) return `data has no ${endpoint.rows}`
  if (saysTwoThings(data)) return 'data has a field twice, with unequal values'
  const list = data[endpoint.rows]
  if (list === null) return []
  return Array.isArray(list) ? list : `${endpoint.rows} is not a list`
}

const isEmptyList = (value: unknown): boolean =>
  value === null || (Array.isArray(value) && value.length === 0)

/** Id of a row, as text; null where it has none. */
export function idOf(endpoint: Endpoint, row: unknown): string | null {
  return isObject(row) ? textOf(row[endpoint.item?.key[0] ?? '']) : null
}

/** Id of the last row that has one; null where none has. */
export function lastId(endpoint: Endpoint, rows: readonly unknown[]): string | null {
  for (const row of rows.toReversed()) {
    const id = idOf(endpoint, row)
    if (id !== null) return id
  }
  return null
}
