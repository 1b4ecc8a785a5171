// The envelope around every answer, and the rows within it. Anything that is not clearly an answer is malformed, never
// an empty page. Sources: interface document, part 1; venue-facts, Failures and Wire oddities.
import { z } from 'zod'
import { canonicalJson, parseJsonBytes } from '../models/json.ts'
import { findRows, isObject, saysTwoThings } from '../models/rows.ts'
import type { Endpoint } from './endpoint.ts'
import { plausibleTime } from './offset.ts'

export const SUCCESS = '00000'

const envelopeSchema = z.looseObject({
  // Codes are strings; a bare number is read as its digits.
  code: z.union([z.string(), z.number()]).transform(String),
  msg: z.unknown().optional(),
  requestTime: z.unknown().optional(),
  data: z.unknown().optional(),
})

export interface Envelope {
  readonly code: string
  readonly message: string
  /** Unix milliseconds; null if it is not a plausible time. */
  readonly requestTime: number | null
  readonly data: unknown
}

/** Parses a body; null if it is not JSON, not an envelope, or an envelope that contradicts itself. */
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

export interface Page {
  /** As received: newest first, if the venue keeps to its documented order. */
  readonly rows: readonly unknown[]
  /** What requests the next page; null if there is none. */
  readonly cursor: string | null
}

/** A non-empty string, or the exact digits of a number; null for every form of "nothing". */
export function textOf(value: unknown): string | null {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  return typeof value === 'string' && value !== '' ? value : null
}

/** The rows of `data` and the cursor of the next page; or a string that states what is wrong with it. */
export function readPage(endpoint: Endpoint, data: unknown): Page | string {
  if (endpoint.item === null) return { rows: [], cursor: null }
  const found = findRows(data, endpoint.rows)
  if (typeof found === 'string') return found
  const { rows } = found
  const { page } = endpoint
  if (page.kind === 'cursor') {
    const cursor = isObject(data) ? (data[page.from] ?? null) : null
    if (cursor !== null && !['string', 'number', 'bigint'].includes(typeof cursor))
      return `a ${page.from} that is neither a string nor a number`
    return { rows, cursor: textOf(cursor) }
  }
  return { rows, cursor: page.kind === 'last-id' ? lastId(endpoint, rows) : null }
}

/** Id of a row, as a string; null if it has none. */
export function idOf(endpoint: Endpoint, row: unknown): string | null {
  return isObject(row) ? textOf(row[endpoint.item?.key[0] ?? '']) : null
}

/** Id of the last row that has one; null if none has. */
export function lastId(endpoint: Endpoint, rows: readonly unknown[]): string | null {
  for (const row of rows.toReversed()) {
    const id = idOf(endpoint, row)
    if (id !== null) return id
  }
  return null
}

/**
 * Distinguishes a page from the one before it: the id of its last row, or that row itself if rows have no ids; null for
 * none.
 */
export function lastMark(endpoint: Endpoint, rows: readonly unknown[]): string | null {
  const last = rows.at(-1)
  return lastId(endpoint, rows) ?? (last === undefined ? null : canonicalJson(last))
}
