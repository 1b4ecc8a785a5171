// What was received, byte for byte: the rows that steps name, read from the journal. Reading verifies the chain up to
// each frame and the hash of its body, so what is shown is what was written. No lock is taken.
import { createHash } from 'node:crypto'
import type { Clock } from '../../models/clock.ts'
import { decodeJson } from '../../models/json.ts'
import { landingFeeds } from '../books/books.ts'
import { readMapped } from '../imports/mapped.ts'
import { readingOf } from '../imports/mapping.ts'
import type { Frame } from '../journal/frame.ts'
import { openJournal } from '../journal/journal.ts'
import { placeOfRows, rawRows, rowSpans } from '../landing/raw-row.ts'
import type { Fields, Place } from './step.ts'

export interface RowEvidence {
  /** The row as it stands in the body; null where the body is gone or holds no such row. */
  readonly text: string | null
  /** Place of the row in the body, from 0, the end not included; null where it cannot be told. */
  readonly bytes: readonly [from: number, before: number] | null
  /** Data about people stand as null in the text, because the configuration does not publish them. */
  readonly isWithoutPersonalData: boolean
}

export interface FrameEvidence {
  readonly frame: number
  /** How the frame describes itself: account, feed, request, when it was received. */
  readonly meta: Fields
  /** Hex of the chain hash that ends with this frame; it was verified while reading. */
  readonly chain: string
  /** Hex SHA-256 of the body as received; null when the body was erased. */
  readonly bodySha256: string | null
  readonly bodyBytes: number | null
  /** Null where the body holds no such row. */
  readonly rowAt: (row: number) => RowEvidence | null
}

export interface ReadOptions {
  readonly clock: Clock
  readonly showPersonalData: boolean
}

/**
 * Reads the frames that the places name, in one pass. A frame that the journal does not have is left out.
 * CorruptionError when a frame, or one before it in its segment, is not what was written.
 */
export async function readFrames(
  dir: string,
  places: readonly Place[],
  { clock, showPersonalData }: ReadOptions,
): Promise<Map<number, FrameEvidence>> {
  const wanted = new Set(places.map(({ frame }) => frame))
  const found = new Map<number, FrameEvidence>()
  if (wanted.size === 0) return found
  const last = Math.max(...wanted)
  const journal = await openJournal(dir, { mode: 'read', clock })
  try {
    for await (const frame of journal.read(Math.min(...wanted))) {
      if (wanted.has(frame.seq)) found.set(frame.seq, evidenceOf(frame, showPersonalData))
      if (frame.seq >= last) break
    }
  } finally {
    await journal.close()
  }
  return found
}

function evidenceOf(frame: Frame, showPersonalData: boolean): FrameEvidence {
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
    // Of another service's export a row of ours may come of several lines: the first is shown.
    const reading = readingOf(meta.reading)
    if (reading === null) return (row) => lineOf(body, row)
    const { rows } = readMapped({ name: meta.file, bytes: body }, reading)
    return (row) => placeOfLine(body, rows[row]?.line)
  }
  const feed = meta.kind === 'page' ? landingFeeds.get(meta.feed) : undefined
  if (feed === undefined) return () => GONE
  const text = decodeJson(body)
  const place = placeOfRows(text, feed.rows)
  const spans = rowSpans(text, place)
  const shown = rawRows(text, place, feed.record)
  const isPersonal = Object.values(feed.record.fields).some(({ personal }) => personal)
  return (row) => {
    const span = spans[row]
    if (span === undefined) return null
    const raw = text.slice(span.start, span.end)
    const from = Buffer.byteLength(text.slice(0, span.start))
    return {
      text: showPersonalData ? raw : shown(row),
      bytes: [from, from + Buffer.byteLength(raw)],
      isWithoutPersonalData: isPersonal && !showPersonalData,
    }
  }
}

/** A line of the file, from 1. */
function placeOfLine(body: Uint8Array, line: number | undefined): RowEvidence | null {
  return findLine(body, (_, number) => number === line)
}

/** A row of a user's file never spans lines; empty lines and the header are no rows. */
function lineOf(body: Uint8Array, row: number): RowEvidence | null {
  let rows = -1
  return findLine(body, (text) => {
    if (text !== '') rows += 1
    return text !== '' && rows === row + 1
  })
}

function findLine(body: Uint8Array, isMeant: (text: string, number: number) => boolean): RowEvidence | null {
  let begin = 0
  for (let number = 1; begin < body.length; number += 1) {
    const newline = body.indexOf(0x0a, begin)
    const end = newline < 0 ? body.length : newline
    const text = Buffer.from(body.subarray(begin, end)).toString().replace(/\r$/, '')
    if (isMeant(text, number))
      return { text, bytes: [begin, begin + Buffer.byteLength(text)], isWithoutPersonalData: false }
    begin = end + 1
  }
  return null
}
