// Appends encoded frames in order, many with one write and one sync: frames that arrive during a sync go into the next.
// Nothing is acknowledged before its sync, and after the first failure nothing is acknowledged at all.
import type { TieoutError } from '../../models/error.ts'
import { type Disk, DiskError, type DiskFile } from './disk.ts'
import { encodeSegmentHeader, SEGMENT_HEADER_BYTES } from './layout.ts'
import { segmentPath } from './scan.ts'
import type { Segment } from './segment.ts'

export interface EncodedFrame {
  readonly seq: number
  readonly bytes: Buffer
  readonly previousChain: Buffer
}

interface Pending {
  readonly frame: EncodedFrame
  readonly resolve: () => void
  readonly reject: (error: TieoutError) => void
}

export class Appender {
  private failure: TieoutError | null = null
  private readonly disk: Disk
  private readonly folder: string
  private readonly segments: Segment[]
  private readonly segmentBytes: number
  /** The last segment, and its length up to the last acknowledged frame. */
  private file: DiskFile | null = null
  private size = 0
  private queue: Pending[] = []
  private running: Promise<void> | null = null

  private constructor(disk: Disk, folder: string, segments: Segment[], segmentBytes: number) {
    this.disk = disk
    this.folder = folder
    this.segments = segments
    this.segmentBytes = segmentBytes
  }

  /** Appends to the last of the segments; new segments are added to the list as they are created. */
  static async open(
    disk: Disk,
    folder: string,
    segments: Segment[],
    segmentBytes: number,
  ): Promise<Appender> {
    const appender = new Appender(disk, folder, segments, segmentBytes)
    const last = segments.at(-1)
    if (last === undefined) return appender
    appender.file = await disk.open(last.path, 'change')
    try {
      // The previous writer may have been killed between its write and its sync.
      await appender.file.sync()
      await disk.syncDir(folder)
      appender.size = await appender.file.size()
    } catch (error) {
      await appender.close()
      throw error
    }
    return appender
  }

  /** Resolves once the frame is safe on disk. */
  append(frame: EncodedFrame): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.failure !== null) return reject(this.failure)
      this.queue.push({ frame, resolve, reject })
      this.running ??= this.flush()
    })
  }

  /** Waits for writes in progress. */
  async close(): Promise<void> {
    await this.running
    await this.file?.close()
    this.file = null
  }

  private async flush(): Promise<void> {
    // Appends made in the same turn share even the first write.
    await Promise.resolve()
    while (this.queue.length > 0) {
      const batch = this.queue.splice(0)
      const failure = await this.write(batch.map(({ frame }) => frame))
      if (failure !== null) {
        this.failure = failure
        for (const { reject } of [...batch, ...this.queue.splice(0)]) reject(failure)
        break
      }
      for (const { resolve } of batch) resolve()
    }
    this.running = null
  }

  /**
   * Writes and syncs a batch. Returns the failure, if any, after which the file is cut back to what was acknowledged.
   */
  private async write(frames: readonly EncodedFrame[]): Promise<TieoutError | null> {
    const first = frames[0]
    if (first === undefined) return null
    try {
      const file = await this.fileFor(first)
      const bytes = Buffer.concat(frames.map((frame) => frame.bytes))
      await file.write(bytes, this.size)
      await file.sync()
      this.size += bytes.length
      return null
    } catch (cause) {
      await this.cutBack()
      const where = cause instanceof DiskError ? cause.details.where : undefined
      return new DiskError(
        `The journal could not be written from frame ${first.seq} on.`,
        where ?? this.folder,
        cause,
      )
    }
  }

  /** The last segment, or a new one if that is full. */
  private async fileFor(frame: EncodedFrame): Promise<DiskFile> {
    const isFull = this.size >= this.segmentBytes && this.size > SEGMENT_HEADER_BYTES
    if (this.file !== null && !isFull) return this.file
    const number = (this.segments.at(-1)?.number ?? 0) + 1
    const path = segmentPath(this.folder, number)
    const header = encodeSegmentHeader(number, frame.seq, frame.previousChain)
    const file = await this.disk.open(path, 'create', 0o600)
    try {
      await file.write(header, 0)
      await file.sync()
      await this.disk.syncDir(this.folder)
    } catch (error) {
      await file.close()
      throw error
    }
    await this.file?.close()
    this.file = file
    this.size = header.length
    this.segments.push({ version: 1, number, firstSeq: frame.seq, chain: frame.previousChain, path })
    return file
  }

  /** A disk that has failed may fail at this too; the next open then finds the unfinished end. */
  private async cutBack(): Promise<void> {
    try {
      await this.file?.truncate(this.size)
      await this.file?.sync()
    } catch {
      // The first failure is the one to report.
    }
  }
}
