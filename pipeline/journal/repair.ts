// Repairs a damaged journal. Every intact frame stays as it is, under its number; every damaged byte goes into a file
// beside it; a placeholder frame replaces each lost one; and one more frame records what was set aside and what the
// chain was. From the first damage on, the segments are rewritten, and they replace the old ones once all of them are
// on disk. If this is interrupted, the next writer continues.
import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Clock } from '../../models/clock.ts'
import { closing } from '../../models/closing.ts'
import { CorruptionError } from '../../models/error.ts'
import { type Disk, DiskError, type DiskFile, writeFileAtomic } from './disk.ts'
import type { FrameMeta, RepairMeta, SetAsideMeta } from './frame.ts'
import { encodeFrame, encodeSegmentHeader, GENESIS, rechained, SALT_BYTES } from './layout.ts'
import { freeName } from './recover.ts'
import { journalFolder, REPAIR_FILE, segmentPath } from './scan.ts'
import { isWhole, type LostFrame, type SegmentSurvey, type Survey, type WholeFrame } from './survey.ts'

/** Where the new segments are written, in the folder of the journal. */
const WORK_FOLDER = 'repair'

/** What the frames of a repair record, apart from what the files themselves show. */
export interface RepairWords {
  readonly run: string
  readonly reopens: RepairMeta['reopens']
  /** Frames to follow the repair's own. */
  readonly statements: readonly FrameMeta[]
}

export interface Repaired {
  /** The file with the damaged bytes; null if there were none. */
  readonly file: string | null
  readonly setAside: RepairMeta['setAside']
}

/** Consecutive numbers as ranges. */
export function rangesOf(numbers: readonly number[]): { from: number; to: number }[] {
  const ranges: { from: number; to: number }[] = []
  for (const number of numbers) {
    const last = ranges.at(-1)
    if (last !== undefined && last.to === number - 1) last.to = number
    else ranges.push({ from: number, to: number })
  }
  return ranges
}

/** Rewrites everything from the first damage on and puts it in place. Nothing is changed until then. */
export async function repairJournal(
  dir: string,
  survey: Survey,
  words: RepairWords,
  clock: Clock,
  disk: Disk,
): Promise<Repaired> {
  const folder = journalFolder(dir)
  const work = join(folder, WORK_FOLDER)
  await discard(work)
  await disk.makeDir(work, 0o700)
  const from = survey.firstDamaged ?? 1
  const lost = survey.segments.flatMap(({ frames }) => frames.filter((frame) => !isWhole(frame)))
  const setAside = rangesOf(lost.map(({ seq }) => seq))
  try {
    const file = survey.pieces.length === 0 ? null : await freeName(disk, folder, clock, 'damaged')
    if (file !== null) await writePieces(disk, folder, survey, join(work, 'damaged.bin'))
    const meta: RepairMeta = {
      kind: 'repair',
      at: new Date(clock.wall()).toISOString(),
      run: words.run,
      setAside,
      file: file === null ? null : file.slice(folder.length + 1),
      rechainedFrom: survey.segments[from - 1]?.frames[0]?.seq ?? survey.lastSeq + 1,
      oldChain: survey.lastChain.toString('hex'),
      reopens: words.reopens,
    }
    const writer = new SegmentWriter(disk, work, survey, from, meta)
    const close = () => writer.leave()
    await closing(close, async () => {
      for (const segment of survey.segments.slice(from - 1)) await writer.write(segment)
      await writer.finish([meta, ...words.statements], Buffer.from(JSON.stringify(survey.pieces)))
    })
    await disk.syncDir(work)
    const manifest = {
      segments: survey.segments.slice(from - 1).map(({ number }) => number),
      file: meta.file,
    }
    await writeFileAtomic(disk, join(folder, REPAIR_FILE), JSON.stringify(manifest), 0o600)
    await finishRepair(dir, disk)
    return { file, setAside }
  } catch (error) {
    // Once the manifest exists, the new segments are the journal.
    if ((await disk.readFile(join(folder, REPAIR_FILE)).catch(() => null)) === null)
      await discard(work).catch(() => undefined)
    throw error
  }
}

/**
 * Puts in place what a repair has written; false if none was interrupted. The caller must hold the lock. What has
 * landed belongs to the old chain and is rebuilt.
 */
export async function finishRepair(dir: string, disk: Disk): Promise<boolean> {
  const folder = journalFolder(dir)
  const work = join(folder, WORK_FOLDER)
  const manifest = await disk.readFile(join(folder, REPAIR_FILE))
  if (manifest === null) {
    // A repair that died before its end has changed nothing; its copies of bodies must not outlive an erasure.
    await discard(work)
    return false
  }
  const { segments, file } = readManifest(folder, manifest)
  for (const name of ['landing.duckdb.wal', 'landing.duckdb']) await disk.remove(join(dir, name))
  await disk.syncDir(dir)
  const left = new Set(await disk.list(work))
  // The damaged bytes are on disk beside the journal before the first segment that held them is replaced.
  if (file !== null && left.has('damaged.bin')) {
    await disk.rename(join(work, 'damaged.bin'), join(folder, file))
    await disk.syncDir(folder)
  }
  for (const number of segments) {
    const path = segmentPath(work, number)
    if (left.has(path.slice(work.length + 1))) await disk.rename(path, segmentPath(folder, number))
  }
  await disk.syncDir(folder)
  await disk.remove(join(folder, REPAIR_FILE))
  await disk.syncDir(folder)
  await discard(work)
  return true
}

const manifestSchema = z.object({
  segments: z.array(z.int().positive()),
  file: z
    .string()
    .regex(/^damaged-[^/\\]+$/)
    .nullable(),
})

/** Throws a CorruptionError for an unreadable manifest: everything that it listed is intact in the folder beside it. */
function readManifest(folder: string, manifest: Buffer): z.output<typeof manifestSchema> {
  try {
    return manifestSchema.parse(JSON.parse(manifest.toString()))
  } catch (cause) {
    throw new CorruptionError('The list of segments of an interrupted repair cannot be read.', {
      where: join(folder, REPAIR_FILE),
      expected: 'the list of the segments that the repair wrote',
      found: 'different content',
      action: `Restore the journal folder from a backup. Without one: move the files of ${join(folder, WORK_FOLDER)} into ${folder}, over those with the same names, remove ${REPAIR_FILE} and landing.duckdb, then run \`tieout verify\`.`,
      cause,
    })
  }
}

async function discard(work: string): Promise<void> {
  await rm(work, { recursive: true, force: true }).catch((cause: unknown) => {
    throw new DiskError('The folder of an unfinished repair could not be removed.', work, cause)
  })
}

/** The damaged bytes, one piece after the other; the repair's frame records where each came from. */
async function writePieces(disk: Disk, folder: string, survey: Survey, path: string): Promise<void> {
  const out = await disk.open(path, 'create', 0o600)
  await closing(out, async () => {
    let position = 0
    for (const { segment, offset, bytes } of survey.pieces) {
      const from = await disk.open(segmentPath(folder, segment), 'read')
      const piece = await closing(from, () => from.read(offset, bytes))
      await out.write(piece, position)
      position += piece.length
    }
    await out.sync()
  })
}

class SegmentWriter {
  readonly #disk: Disk
  readonly #work: string
  readonly #meta: RepairMeta
  #seq: number
  #chain: Buffer
  #out: { file: DiskFile; size: number } | null = null

  constructor(disk: Disk, work: string, survey: Survey, from: number, meta: RepairMeta) {
    const before = survey.segments
      .slice(0, from - 1)
      .flatMap(({ frames }) => frames.filter(isWhole))
      .at(-1)
    this.#disk = disk
    this.#work = work
    this.#meta = meta
    this.#seq = before?.seq ?? 0
    this.#chain = before?.chain ?? GENESIS
  }

  /** Rewrites one segment under its number. */
  async write({ number, path, frames }: SegmentSurvey): Promise<void> {
    await this.#close()
    const header = encodeSegmentHeader(number, this.#seq + 1, this.#chain)
    const file = await this.#disk.open(segmentPath(this.#work, number), 'create', 0o600)
    this.#out = { file, size: 0 }
    await this.#put(header)
    const old = path === null ? null : await this.#disk.open(path, 'read')
    const close = () => old?.close()
    await closing(close, async () => {
      for (const frame of frames) {
        if (isWhole(frame)) await this.#copy(old as DiskFile, frame)
        else await this.#stand(frame)
      }
    })
  }

  /** Appends these to the last segment, the first of them with a body. */
  async finish(metas: readonly FrameMeta[], body: Buffer): Promise<void> {
    for (const [at, meta] of metas.entries()) await this.#add(meta, at === 0 ? body : Buffer.alloc(0))
    await this.#close()
  }

  /** Closes what a failure has left open. */
  async leave(): Promise<void> {
    const out = this.#out
    this.#out = null
    await out?.file.close()
  }

  async #copy(old: DiskFile, { seq, offset, end, state }: WholeFrame): Promise<void> {
    const { bytes, chain } = rechained(await old.read(offset, end - offset), state, this.#chain)
    await this.#put(bytes)
    this.#seq = seq
    this.#chain = chain
  }

  async #stand({ meta }: LostFrame): Promise<void> {
    const { at, run } = this.#meta
    const was: SetAsideMeta['was'] =
      meta === null
        ? null
        : {
            kind: meta.kind,
            at: meta.at,
            ...('account' in meta ? { account: meta.account } : {}),
            ...('feed' in meta ? { feed: meta.feed, partition: meta.partition } : {}),
          }
    await this.#add({ kind: 'set-aside', at, run, was })
  }

  async #add(meta: FrameMeta, body: Buffer = Buffer.alloc(0)): Promise<void> {
    const salt = randomBytes(SALT_BYTES)
    const seq = this.#seq + 1
    const { bytes, chain } = encodeFrame({
      seq,
      meta,
      body,
      salt,
      previousChain: this.#chain,
      codec: 'brotli',
    })
    await this.#put(bytes)
    this.#seq = seq
    this.#chain = chain
  }

  async #put(bytes: Buffer): Promise<void> {
    if (this.#out === null) return
    await this.#out.file.write(bytes, this.#out.size)
    this.#out.size += bytes.length
  }

  async #close(): Promise<void> {
    await this.#out?.file.sync()
    await this.leave()
  }
}
