// The one way into the books: a frame is journaled, then landed, and only then does the caller go on.
// Frames land in the order of their numbers, several to a transaction when they come faster than they land.
import type { Frame, FrameMeta, Journal } from '../journal/frame.ts'
import type { Landing } from '../landing/landing.ts'

interface Waiting {
  readonly frame: Frame
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
}

export interface Recorder {
  /** Resolves when the frame is safe in the journal and its rows and progress are committed. */
  record(meta: FrameMeta, body?: Uint8Array): Promise<void>
  readonly rows: number
}

export function createRecorder(journal: Journal, landing: Landing): Recorder {
  const waiting = new Map<number, Waiting>()
  let landingNow = false
  let rows = 0
  /** Set when a frame was journaled but could not land: nothing more is taken, the next run lands it first. */
  let broken: { readonly reason: unknown } | null = null

  /** The frames that follow what has landed, without a gap. */
  function takeBatch(): Waiting[] {
    const batch: Waiting[] = []
    for (let seq = landing.landedSeq + 1; waiting.has(seq); seq += 1) {
      batch.push(waiting.get(seq) as Waiting)
      waiting.delete(seq)
    }
    return batch
  }

  async function drain(): Promise<void> {
    if (landingNow) return
    landingNow = true
    for (let batch = takeBatch(); batch.length > 0; batch = takeBatch()) {
      try {
        const landed = await landing.land(batch.map((one) => one.frame))
        rows += landed.rows
        for (const one of batch) one.resolve()
      } catch (reason) {
        broken = { reason }
        for (const one of [...batch, ...waiting.values()]) one.reject(reason)
        waiting.clear()
      }
    }
    landingNow = false
  }

  return {
    get rows() {
      return rows
    },
    async record(meta, body) {
      if (broken !== null) throw broken.reason
      const frame = await journal.append(meta, body)
      await new Promise<void>((resolve, reject) => {
        if (broken !== null) return reject(broken.reason)
        waiting.set(frame.seq, { frame, resolve, reject })
        void drain()
      })
    },
  }
}
