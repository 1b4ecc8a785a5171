// Erases personal data from the books: finds the frames of the journal that hold it, lists what goes with them, and
// erases their bodies. The journal's chain still verifies; landing and ledger are rebuilt without them, into new files.
import { join } from 'node:path'
import type { Clock } from '../../models/clock.ts'
import { closing } from '../../models/closing.ts'
import { CorruptionError, UsageError } from '../../models/error.ts'
import { decodeJson, parseJson } from '../../models/json.ts'
import { type Disk, nodeDisk } from '../journal/disk.ts'
import { eraseFrames, resumeErasure } from '../journal/erase.ts'
import type { FrameMeta } from '../journal/frame.ts'
import { ERASED } from '../journal/layout.ts'
import { acquireLock } from '../journal/lock.ts'
import { finishRepair } from '../journal/repair.ts'
import { journalFolder, listSegments, refuse, scan } from '../journal/scan.ts'
import { bodyOf, type StoredFrame } from '../journal/segment.ts'
import { placeOfRows, rowSpans } from '../landing/raw-row.ts'
import { landingFeeds, mustBeBooks } from './books.ts'
import { mustBeOwnFiles, removeLanded } from './copies.ts'

/** Criteria for the frames to erase; a frame must meet all that are given. */
export interface EraseCriteria {
  readonly frames: readonly number[]
  readonly account?: string | undefined
  readonly feed?: string | undefined
  /** Text that occurs in the body, either literally or within the strings of its JSON. */
  readonly matching?: string | undefined
}

/** A frame to erase, without its body. */
export interface EraseTarget {
  readonly frame: number
  readonly kind: FrameMeta['kind']
  readonly account: string | null
  readonly feed: string | null
  readonly at: string
  readonly bytes: number
  /** Rows that go with the body; null if the body has none or can no longer be read. */
  readonly rows: number | null
  /** Rows that contain the text searched for; null if no text was given. */
  readonly matching: number | null
  /** `half`: its erasure was interrupted. `erased`: it was named, but is already erased. */
  readonly state: 'live' | 'half' | 'erased'
}

/**
 * The frames that meet the criteria. Throws a UsageError if there are no criteria, or for a frame number that is not in
 * the journal.
 */
export async function findEraseTargets(
  dir: string,
  criteria: EraseCriteria,
  disk: Disk = nodeDisk,
): Promise<EraseTarget[]> {
  const { frames, account, feed, matching } = criteria
  if (frames.length === 0 && account === undefined && feed === undefined && matching === undefined)
    throw new UsageError('Nothing to erase is named.', {
      expected: 'frame numbers, or --account, --feed or --matching',
      action: 'For example: `tieout erase --feed p2p.orders --matching "Jane Roe"`.',
    })
  if (matching === '')
    throw new UsageError('--matching is empty.', { action: 'Give the text to search for.' })
  mustBeBooks(dir, 'needed')
  const wanted = new Set(frames)
  /** Of the frames that were named. */
  const seen = new Set<number>()
  let last = 0
  const targets: EraseTarget[] = []
  const { segments } = await listSegments(disk, journalFolder(dir), refuse)
  for await (const frame of scan(disk, segments, { onProblem: refuse, onTear: () => undefined })) {
    const { seq, meta } = frame.header
    last = seq
    if (frames.length > 0 && !wanted.has(seq)) continue
    if (frames.length > 0) seen.add(seq)
    if (account !== undefined && ownerOf(meta) !== account) continue
    if (feed !== undefined && feedOf(meta) !== feed) continue
    const target = targetOf(frame, matching)
    if (target !== null && (target.state !== 'erased' || wanted.has(seq))) targets.push(target)
  }
  const missing = frames.filter((seq) => !seen.has(seq))
  if (missing.length > 0)
    throw new UsageError('The journal has no such frame to erase.', {
      where: journalFolder(dir),
      expected: `numbers from 1 to ${last}: the page_id of their rows`,
      found: missing.join(', '),
      action: 'Check the numbers and run the command again. Nothing was changed.',
    })
  return targets
}

const ownerOf = (meta: FrameMeta): string | null => ('account' in meta ? meta.account : null)

/** The endpoint of a write is treated as its feed, and the kind of an import as its feed. */
function feedOf(meta: FrameMeta): string | null {
  if ('feed' in meta) return meta.feed
  if ('endpoint' in meta) return meta.endpoint
  return meta.kind === 'import' ? meta.imports : null
}

/** Null for a frame without a body, or one whose body does not contain the text. */
function targetOf(frame: StoredFrame, matching: string | undefined): EraseTarget | null {
  const { seq, meta, bytes } = frame.header
  const { body, state } = readBody(frame)
  const text = matching ?? null
  if (bytes === 0) return null
  if (body !== null && text !== null && !holds(body, text)) return null
  const rows = body === null ? null : rowsOf(meta, body)
  return {
    frame: seq,
    kind: meta.kind,
    account: ownerOf(meta),
    feed: feedOf(meta),
    at: meta.at,
    bytes,
    rows: rows?.length ?? null,
    matching:
      rows === null || text === null ? null : rows.filter((row) => holds(Buffer.from(row), text)).length,
    state,
  }
}

function readBody(frame: StoredFrame): { body: Buffer | null; state: EraseTarget['state'] } {
  try {
    const body = bodyOf(frame)
    return { body, state: body === null ? 'erased' : 'live' }
  } catch (error) {
    // The erasure was started but not finished: whatever is left goes.
    if (error instanceof CorruptionError && frame.prelude.state === ERASED)
      return { body: null, state: 'half' }
    throw error
  }
}

/** Whether the text occurs in the bytes, or in a string or key of their JSON, however it is escaped. */
function holds(body: Buffer, text: string): boolean {
  if (body.includes(text)) return true
  try {
    return inJson(parseJson(decodeJson(body)).value, text)
  } catch {
    return false
  }
}

function inJson(value: unknown, text: string): boolean {
  if (typeof value === 'string') return value.includes(text)
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([key, member]) => key.includes(text) || inJson(member, text))
}

/** The rows of a page or an imported file; null for frames that add no rows. */
function rowsOf(meta: FrameMeta, body: Buffer): string[] | null {
  if (meta.kind === 'import')
    return body
      .toString('utf8')
      .split(/\r?\n/)
      .slice(1)
      .filter((line) => line !== '')
  const feed = meta.kind === 'page' ? landingFeeds.get(meta.feed) : undefined
  if (feed === undefined) return null
  const text = decodeJson(body)
  return rowSpans(text, placeOfRows(text, feed.rows)).map(({ start, end }) => text.slice(start, end))
}

/**
 * Erases the frames, and finishes an erasure that was interrupted. Landing goes first, as it can always be rebuilt; the
 * published ledger is replaced by the next build. If this is killed at any point, the next writer continues.
 */
export async function erase(
  dir: string,
  targets: readonly EraseTarget[],
  clock: Clock,
  disk: Disk = nodeDisk,
): Promise<void> {
  mustBeOwnFiles(dir)
  const lock = await acquireLock(dir, 'erase', clock, disk)
  const close = () => lock.release()
  await closing(close, async () => {
    await finishRepair(dir, disk)
    const removeCopies = (): Promise<void> => removeLanded(dir, disk)
    await resumeErasure(dir, clock, disk, removeCopies)
    const frames = targets.map(({ frame }) => frame)
    if (frames.length > 0) await eraseFrames(dir, frames, clock, disk, removeCopies)
  })
}

/** What crashes and repairs moved out of the journal: pieces of frames, whose bodies may be compressed. */
const MOVED_ASIDE = /^(torn|damaged)-/

/**
 * Files beside the journal's frames that cannot be searched: unfinished ends that crashes left, damaged bytes that
 * repairs set aside, and reports as filed.
 */
export async function unsearchedFiles(dir: string, disk: Disk = nodeDisk): Promise<string[]> {
  const aside = ((await disk.list(journalFolder(dir))) ?? []).filter((name) => MOVED_ASIDE.test(name))
  const filings = ((await disk.list(join(dir, 'filings'))) ?? []).filter((name) => name.endsWith('.json'))
  return [...aside.map((name) => join('journal', name)), ...filings.map((name) => join('filings', name))]
}
