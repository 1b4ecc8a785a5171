// The journal of the books, opened: every response that matters, in order, safe on disk before it is acknowledged.
// `dir` is the folder of the books; the segments are in its folder `journal`. Only one process writes at a time
// (lock.ts). Meta holds no secrets and no personal data: it is hashed into the chain permanently, and only bodies can
// be erased.
import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../models/clock.ts'
import { CorruptionError, TieoutError } from '../../models/error.ts'
import { Appender } from './appender.ts'
import type { Codec } from './codec.ts'
import { type Disk, nodeDisk } from './disk.ts'
import type { Frame, FrameMeta, Journal } from './frame.ts'
import { encodeFrame, GENESIS, SALT_BYTES } from './layout.ts'
import { moveTear, moveUnfinished, type Recovery } from './recover.ts'
import { checkLinks, cutOff, journalFolder, listSegments, refuse, scan } from './scan.ts'
import { asRead, bodyOf, type Segment, type Tear } from './segment.ts'

export interface JournalOptions {
  /**
   * append: the single writer, which also repairs an unfinished end. read: changes nothing, and sees what was complete
   * at opening.
   */
  readonly mode: 'append' | 'read'
  readonly clock: Clock
  /** Salts; must not return only zeros, which mark an erased frame. */
  readonly random?: (bytes: number) => Buffer
  /** The last frame that has landed: the journal must reach it. */
  readonly landedSeq?: number
  /** Hex of the chain hash at a landed frame: the journal must have the same hash there. */
  readonly expect?: { readonly seq: number; readonly chain: string }
  /** A segment longer than this is not appended to. */
  readonly segmentBytes?: number
  /** How new bodies are stored; reading supports every codec. */
  readonly codec?: Codec
  readonly disk?: Disk
}

export interface OpenJournal extends Journal {
  /** An unfinished end that a crash had left and opening moved aside; null if the journal was intact. */
  readonly recovered: Recovery | null
}

/** The last segment is read completely at opening, so its size bounds how long that takes. */
const SEGMENT_BYTES = 64 * 2 ** 20

/**
 * Opens the journal of the books in `dir`; the first append creates its first segment. Throws a CorruptionError if it
 * is not what was written or ends before what has landed, and a DiskError if the disk refuses.
 */
export async function openJournal(dir: string, options: JournalOptions): Promise<OpenJournal> {
  const disk = options.disk ?? nodeDisk
  const folder = journalFolder(dir)
  const appends = options.mode === 'append'
  if (appends) {
    await disk.makeDir(folder, 0o700)
    await disk.syncDir(dir)
  }
  const { segments, unfinished } = await listSegments(disk, folder, refuse)
  await checkLinks(disk, segments)
  const end = await readEnd(disk, segments, appends)
  if (end.tear !== null && unfinished !== null) throw cutOff(end.tear, end.seq + 1)
  await checkLanded(disk, folder, segments, end, options)
  let recovered: Recovery | null = null
  if (appends && end.tear !== null) recovered = await moveTear(disk, folder, end.tear, options.clock)
  if (appends && unfinished !== null)
    recovered = await moveUnfinished(disk, folder, unfinished, options.clock)
  const appender = appends
    ? await Appender.open(disk, folder, segments, options.segmentBytes ?? SEGMENT_BYTES)
    : null
  return new OpenedJournal({ disk, segments, end, recovered, appender, options })
}

interface End {
  readonly seq: number
  readonly chain: Buffer
  readonly tear: Tear | null
}

/**
 * Walks the last segment to its last complete frame, including bodies if something is to be appended. If it has none,
 * the one before is walked too: only its last frame shows which number comes next.
 */
async function readEnd(disk: Disk, segments: readonly Segment[], withBodies: boolean): Promise<End> {
  const last = segments.at(-1)
  let tear: Tear | null = null
  const onTear = (found: Tear): void => {
    tear = found
  }
  for (let from = segments.length - 1; from >= 0; from -= 1) {
    let end: Omit<End, 'tear'> | null = null
    for await (const frame of scan(disk, segments.slice(from), { onProblem: refuse, onTear })) {
      if (withBodies) bodyOf(frame)
      end = { seq: frame.header.seq, chain: frame.chain }
    }
    if (end !== null) return { ...end, tear }
  }
  return { seq: (last?.firstSeq ?? 1) - 1, chain: last?.chain ?? GENESIS, tear }
}

/** Everything that has landed must be in the journal, with the same hash. */
async function checkLanded(
  disk: Disk,
  folder: string,
  segments: readonly Segment[],
  end: End,
  options: JournalOptions,
): Promise<void> {
  const { expect } = options
  const landed = Math.max(options.landedSeq ?? 0, expect?.seq ?? 0)
  if (end.seq < landed) {
    const where =
      end.tear === null ? folder : `${end.tear.path}, frame ${end.seq + 1}, byte ${end.tear.offset}`
    throw notReached('The journal ends before what has landed.', where, [
      `frames 1 to ${landed}`,
      `${end.seq} whole frames`,
    ])
  }
  if (expect === undefined || expect.seq === 0) return
  const found = await chainAt(disk, segments, end, expect.seq)
  if (found !== expect.chain)
    throw notReached('The journal is not the one that has landed.', `${folder}, frame ${expect.seq}`, [
      `chain hash ${expect.chain}`,
      `chain hash ${found}`,
    ])
}

/** Anything that has landed and is not in the journal would be lost by landing again. */
const notReached = (
  message: string,
  where: string,
  [expected, found]: readonly [string, string],
): CorruptionError =>
  new CorruptionError(message, {
    where,
    expected,
    found,
    action:
      'Restore the journal folder from a backup. If this journal is all you have, move landing.duckdb and ledger.duckdb aside and run ' +
      '`tieout rebuild`: the books then hold what this journal has, and the next nightly run fetches what the venue still has.',
  })

/** Hex of the chain hash at a frame that the journal has. */
async function chainAt(disk: Disk, segments: readonly Segment[], end: End, seq: number): Promise<string> {
  if (seq === end.seq) return end.chain.toString('hex')
  const next = segments.find((segment) => segment.firstSeq === seq + 1)
  if (next !== undefined) return next.chain.toString('hex')
  for await (const frame of scanFrom(disk, segments, seq))
    if (frame.header.seq === seq) return frame.chain.toString('hex')
  return 'none'
}

/** Frames starting at the segment that holds `seq`. Errors are thrown; an unfinished end is treated as the end. */
function scanFrom(disk: Disk, segments: readonly Segment[], seq: number): ReturnType<typeof scan> {
  const index = segments.findLastIndex((segment) => segment.firstSeq <= seq)
  return scan(disk, segments.slice(Math.max(0, index)), { onProblem: refuse, onTear: () => undefined })
}

interface Opened {
  readonly disk: Disk
  readonly segments: readonly Segment[]
  readonly end: End
  readonly recovered: Recovery | null
  readonly appender: Appender | null
  readonly options: JournalOptions
}

class OpenedJournal implements OpenJournal {
  readonly recovered: Recovery | null
  private readonly opened: Opened
  /** The last frame that is safe on disk, and the last that was numbered. */
  private safe: { seq: number; chain: Buffer }
  private numbered: { seq: number; chain: Buffer }
  private closed = false

  constructor(opened: Opened) {
    this.opened = opened
    this.recovered = opened.recovered
    this.safe = opened.end
    this.numbered = opened.end
  }

  get lastSeq(): number {
    return this.safe.seq
  }

  get lastChain(): string {
    return this.safe.chain.toString('hex')
  }

  /** The body must not change until this resolves. Rejects with a TieoutError, and so do all later appends. */
  async append(meta: FrameMeta, body: Uint8Array = new Uint8Array()): Promise<Frame> {
    const { appender, options } = this.opened
    if (appender === null || this.closed)
      throw new TieoutError('The journal is not open for writing.', {
        action: 'This is a bug in tieout. Report it.',
      })
    checkMeta(meta)
    const previousChain = this.numbered.chain
    const seq = this.numbered.seq + 1
    const salt = (options.random ?? randomBytes)(SALT_BYTES)
    const codec = options.codec ?? 'brotli'
    const { bytes, chain } = encodeFrame({ seq, meta, body, salt, previousChain, codec })
    // Numbered before the first wait, so that frames are in the order in which append was called.
    this.numbered = { seq, chain }
    await appender.append({ seq, bytes, previousChain })
    this.safe = { seq, chain }
    return { seq, meta, body, chain: chain.toString('hex') }
  }

  async *read(from = 1): AsyncGenerator<Frame, void, void> {
    const { disk, segments } = this.opened
    const until = this.lastSeq
    if (from > until) return
    for await (const frame of scanFrom(disk, segments, from)) {
      const { seq } = frame.header
      if (seq >= from) yield asRead(frame)
      if (seq === until) return
    }
    throw new CorruptionError('The journal became shorter while it was being read.', {
      where: segments.at(-1)?.path ?? '',
      expected: `frames up to ${until}`,
      action: 'Make sure that no other program changes the journal, then run again.',
    })
  }

  async close(): Promise<void> {
    this.closed = true
    await this.opened.appender?.close()
  }
}

/**
 * A value that JSON would drop or change (undefined, NaN, dates) is a mistake of the caller, found before it is hashed.
 */
function checkMeta(meta: FrameMeta): void {
  if (isDeepStrictEqual(JSON.parse(JSON.stringify(meta)), meta)) return
  throw new TieoutError('The description of a frame would not survive as JSON.', {
    where: `frame of kind ${meta.kind}`,
    expected: 'strings, finite numbers, booleans, null, lists and objects',
    action: 'This is a bug in tieout. Report it.',
  })
}
