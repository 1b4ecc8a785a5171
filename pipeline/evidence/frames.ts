// What was received, byte for byte: the rows that steps name, read from the journal. Reading verifies the
// chain up to each frame and the hash of its body, so what is shown is what was written. No lock is taken.
import { createHash } from 'node:crypto'
import { decodeJson } from '../../models/json.ts'
import { landingFeeds } from '../books/books.ts'
import { erasedAt } from '../journal/erase.ts'
import { findFrames } from '../journal/find.ts'
import type { Frame } from '../journal/frame.ts'
import { readJournaledImport } from '../landing/import.ts'
import { placeOfRows, rawRows, rowSpans } from '../landing/raw-row.ts'
import type { Fields, Place } from './step.ts'

export interface RowEvidence {
  /** The row as it is in the body; null if the body is gone or has no such row. */
  readonly text: string | null
  /** Position of the row in the body, from 0, end exclusive; null if it is not known. */
  readonly bytes: readonly [from: number, before: number] | null
  /** Personal data is shown as null in the text, because the configuration does not publish it. */
  readonly isWithoutPersonalData: boolean
}

export interface FrameEvidence {
  readonly frame: number
  /** The frame's own description: account, feed, request, when it was received. */
  readonly meta: Fields
  /** Hex of the chain hash that ends with this frame; verified while reading. */
  readonly chain: string
  /** Hex SHA-256 of the body as received; null if the body was erased. */
  readonly bodySha256: string | null
  readonly bodyBytes: number | null
  /** When the body was erased; null if it was not, or if no note beside the journal records it. */
  readonly erasedAt: string | null
  /** Null if the body has no such row. */
  readonly rowAt: (row: number) => RowEvidence | null
}

/**
 * Reads the named frames, and only the segments that hold them. A frame that the journal does not have is
 * left out. CorruptionError if a frame, or one before it in its segment, is not what was written.
 */
export async function readFrames(
  dir: string,
  places: readonly Place[],
  { showPersonalData }: { readonly showPersonalData: boolean },
): Promise<Map<number, FrameEvidence>> {
  const wanted = new Set(places.map(({ frame }) => frame))
  const found = new Map<number, FrameEvidence>()
  if (wanted.size === 0) return found
  const erased = await erasedAt(dir)
  for await (const frame of findFrames(dir, wanted)) {
    const at = frame.body === null ? erased.get(frame.seq) : undefined
    found.set(frame.seq, { ...evidenceOf(frame, showPersonalData), erasedAt: at || null })
  }
  return found
}

function evidenceOf(frame: Frame, showPersonalData: boolean): Omit<FrameEvidence, 'erasedAt'> {
  const { seq, meta, chain, body } = frame
  const { request, ...rest } = meta as unknown as Record<string, never>
  return {
    frame: seq,
    meta: { ...rest, ...(request === undefined ? {} : { request }) },
    chain,
    bodySha256: body === null ? null : createHash('sha256').update(body).digest('hex'),
    bodyBytes: body === null ? null : body.length,
    rowAt: rowReader(frame, showPersonalData),
  }
}

const GONE: RowEvidence = { text: null, bytes: null, isWithoutPersonalData: false }

function rowReader(frame: Frame, showPersonalData: boolean): FrameEvidence['rowAt'] {
  const { meta, body } = frame
  if (body === null) return () => GONE
  if (meta.kind === 'import') {
    // A row from another service's export may come from several lines: the first is shown.
    const rows = readJournaledImport(frame.seq, meta, body).rows
    return (row) => lineOf(body, rows[row]?.line ?? null)
  }
  // A line of reference rates comes below the header; candles are the rows of the answer's data.
  if (meta.kind === 'prices' && meta.source === 'ecb') return (row) => lineOf(body, row + 2)
  if (meta.kind === 'prices') return spanReader(decodeJson(body), '')
  const feed = meta.kind === 'page' ? landingFeeds.get(meta.feed) : undefined
  if (feed === undefined) return () => GONE
  const text = decodeJson(body)
  const rowAt = spanReader(text, feed.rows)
  const shown = rawRows(text, placeOfRows(text, feed.rows), feed.record)
  const isPersonal = Object.values(feed.record.fields).some(({ personal }) => personal)
  return (row) => {
    const found = rowAt(row)
    if (found === null || showPersonalData) return found
    return { ...found, text: shown(row), isWithoutPersonalData: isPersonal }
  }
}

/** Rows of an answer as they are in it. */
function spanReader(text: string, rows: string): FrameEvidence['rowAt'] {
  const spans = rowSpans(text, placeOfRows(text, rows))
  return (row) => {
    const span = spans[row]
    if (span === undefined) return null
    const raw = text.slice(span.start, span.end)
    const from = Buffer.byteLength(text.slice(0, span.start))
    return { text: raw, bytes: [from, from + Buffer.byteLength(raw)], isWithoutPersonalData: false }
  }
}

/** A line of a user's file, from 1; a row never spans lines, but a line may hold several. */
function lineOf(body: Uint8Array, line: number | null): RowEvidence | null {
  if (line === null) return null
  let begin = 0
  for (let number = 1; number < line; number += 1) {
    const newline = body.indexOf(0x0a, begin)
    if (newline < 0) return null
    begin = newline + 1
  }
  const newline = body.indexOf(0x0a, begin)
  const text = Buffer.from(body.subarray(begin, newline < 0 ? body.length : newline))
    .toString()
    .replace(/\r$/, '')
  return { text, bytes: [begin, begin + Buffer.byteLength(text)], isWithoutPersonalData: false }
}
