// Lands the journal: either the frames missing after a crash, or everything again into a new file. Both use the same
// function over the frames, in batches, so that memory use does not grow with the journal.
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { closing } from '../../models/closing.ts'
import { CorruptionError } from '../../models/error.ts'
import { DiskError } from '../journal/disk.ts'
import type { Frame, Journal } from '../journal/frame.ts'
import { openLandingFile } from './database.ts'
import { alreadyOpen, landingStopped } from './errors.ts'
import { isOpen } from './file.ts'
import type { Landing, LandingOptions } from './landing.ts'
import type { LandedSummary } from './transaction.ts'

/** Bytes of bodies that land in one transaction: large enough to make commits cheap. */
const BATCH_BYTES = 16 * 2 ** 20

/** The maximum number of frames in one transaction, for frames with little or no body. */
const BATCH_FRAMES = 10_000

export interface LandingProgress extends LandedSummary {
  readonly landedSeq: number
  readonly lastSeq: number
}

/**
 * Lands all frames after `landedSeq`. Throws a CorruptionError if the two do not belong together: if landing is ahead
 * of the journal, or has another chain hash at the same frame. Stops between two batches when the signal aborts, with a
 * LandingError of code 5.
 */
export async function landJournal(
  journal: Journal,
  landing: Landing,
  onProgress: (progress: LandingProgress) => void = () => undefined,
  signal?: AbortSignal,
): Promise<LandedSummary> {
  if (landing.landedSeq > journal.lastSeq)
    throw notOfThisJournal(`frame ${landing.landedSeq}`, `a journal that ends with frame ${journal.lastSeq}`)
  const landed = { seq: landing.landedSeq, chain: landing.chain }
  let total: LandedSummary = { frames: 0, pages: 0, rows: 0, quarantined: 0 }
  const land = async (batch: readonly Frame[]): Promise<void> => {
    total = sum(total, await landing.land(batch))
    onProgress({ ...total, landedSeq: landing.landedSeq, lastSeq: journal.lastSeq })
  }
  // While DuckDB commits one batch the next is read; no more than two are in memory.
  let committing: Promise<void> = Promise.resolve()
  for await (const batch of batchesAfter(journal, landed)) {
    await committing
    if (signal?.aborted === true) throw landingStopped()
    committing = land(batch)
    committing.catch(() => undefined) // Thrown by the await above or below, whatever happens to the read in the meantime.
  }
  await committing
  return total
}

/**
 * The frames that follow, in batches. Reading starts with the last landed frame: its chain hash shows whether the
 * journal is the right one.
 */
async function* batchesAfter(
  journal: Journal,
  landed: { readonly seq: number; readonly chain: string | null },
): AsyncGenerator<readonly Frame[]> {
  let batch: Frame[] = []
  let bytes = 0
  for await (const frame of journal.read(Math.max(1, landed.seq))) {
    if (frame.seq === landed.seq) {
      if (frame.chain !== landed.chain)
        throw notOfThisJournal(`chain ${landed.chain}`, `chain ${frame.chain}`)
      continue
    }
    batch.push(frame)
    bytes += frame.body?.byteLength ?? 0
    if (bytes < BATCH_BYTES && batch.length < BATCH_FRAMES) continue
    yield batch
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield batch
}

/**
 * Lands the whole journal into a new file, which then replaces `landing.duckdb` by an atomic rename. Until then the old
 * file stays as it is; it must not be open.
 */
export async function rebuildLanding(
  dir: string,
  journal: Journal,
  options: LandingOptions,
  onProgress?: (progress: LandingProgress) => void,
  signal?: AbortSignal,
): Promise<LandedSummary> {
  const path = join(dir, 'landing.duckdb')
  if (isOpen(path)) throw alreadyOpen(path)
  const fresh = join(options.tempDir ?? join(dir, 'tmp'), 'landing-rebuilt.duckdb')
  await onDisk(dirname(fresh), async () => {
    await mkdir(dirname(fresh), { recursive: true, mode: 0o700 })
    await removeDatabase(fresh)
  })
  const landing = await openLandingFile(fresh, options)
  let summary: LandedSummary
  try {
    summary = await landJournal(journal, landing, onProgress, signal)
  } catch (error) {
    await landing.close().catch(() => undefined) // The original error is the one to report.
    await removeDatabase(fresh)
    throw error
  }
  await landing.close()
  await onDisk(path, async () => {
    await sync(fresh)
    // A write-ahead log of the old file would be replayed into the new one.
    await rm(`${path}.wal`, { force: true })
    await rename(fresh, path)
    await sync(dir)
  })
  return summary
}

async function onDisk(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (cause) {
    throw new DiskError('The landing database could not be replaced by the rebuilt one.', path, cause)
  }
}

async function removeDatabase(path: string): Promise<void> {
  await rm(path, { force: true })
  await rm(`${path}.wal`, { force: true })
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  await closing(handle, () => handle.sync())
}

const sum = (a: LandedSummary, b: LandedSummary): LandedSummary => ({
  frames: a.frames + b.frames,
  pages: a.pages + b.pages,
  rows: a.rows + b.rows,
  quarantined: a.quarantined + b.quarantined,
})

const notOfThisJournal = (expected: string, found: string): CorruptionError =>
  new CorruptionError('The landing database does not belong to this journal.', {
    where: 'landing.duckdb',
    expected: `${expected}, as landed`,
    found,
    action:
      'Restore the missing frames of the journal. If this journal is all you have, move landing.duckdb and ledger.duckdb aside and run ' +
      '`tieout rebuild`.',
  })
