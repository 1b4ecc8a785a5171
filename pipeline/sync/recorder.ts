// The only way into the books: a frame is journaled before the caller continues; landing follows behind, in the order
// of the frames, with all frames that arrive within a moment in one transaction. Our secrets are removed from every
// answer here, and the frame records how many, so that no caller can forget either.
import { redactSecrets } from '../../connectors/secrets.ts'
import type { Clock } from '../../models/clock.ts'
import type {
  AccountMeta,
  Frame,
  Journal,
  PageMeta,
  RefusalMeta,
  RunEndMeta,
  RunStartMeta,
  StatementMeta,
} from '../journal/frame.ts'
import type { Landing } from '../landing/landing.ts'

/**
 * Bytes that may wait to land before the next caller has to wait too; bounds memory, and what a restart lands first.
 */
const BACKLOG_MAX_BYTES = 16 * 2 ** 20
/** How long frames wait for others: a transaction costs about as much as the rows of twenty small pages. */
const GATHER_MS = 100
/** This many frames are enough for a transaction. */
const GATHER_MAX = 64
/** Reused as the reason, since a new error would be created with its stack for each page. */
const ENOUGH = 'enough'

/** An answer of the venue's; the recorder adds how much was redacted in its body. */
export type AnswerMeta = Omit<PageMeta, 'redacted'> | Omit<RefusalMeta, 'redacted'>

/** A statement of ours. */
export type WordMeta = RunStartMeta | RunEndMeta | AccountMeta | StatementMeta

export interface Recorder {
  /** Resolves when the frame is safe in the journal; its rows and progress land soon after, even after a crash. */
  record(...frame: [answer: AnswerMeta, body: Buffer] | [word: WordMeta]): Promise<void>
  /**
   * Resolves when everything recorded so far has landed, whatever arrives in the meantime. Throws the error that kept a
   * frame from landing.
   */
  flush(): Promise<void>
  /** Rows received so far, quarantined ones included. */
  readonly rows: number
}

/** `secrets` are credentials that must never reach the journal. */
export function createRecorder(
  {
    journal,
    landing,
    clock,
  }: { readonly journal: Journal; readonly landing: Landing; readonly clock: Clock },
  secrets: readonly string[],
): Recorder {
  const waiting = new Map<number, Frame>()
  let waitingBytes = 0
  /** Number of the newest frame handed over for landing. */
  let newest = 0
  /** Ends the waiting for more frames immediately. */
  let enough = new AbortController()
  let working: Promise<void> | null = null
  let rows = 0
  /** Set when a frame was journaled but could not land: nothing more is accepted, and the next run lands it first. */
  let broken: { readonly reason: unknown } | null = null

  /** The frames that follow what has landed, without a gap. */
  function takeBatch(): Frame[] {
    const batch: Frame[] = []
    for (let seq = landing.landedSeq + 1; waiting.has(seq); seq += 1) {
      const frame = waiting.get(seq) as Frame
      batch.push(frame)
      waiting.delete(seq)
      waitingBytes -= frame.body?.length ?? 0
    }
    return batch
  }

  async function landBatch(): Promise<void> {
    await clock.sleep(GATHER_MS, enough.signal)
    enough = new AbortController()
    const batch = takeBatch()
    if (batch.length > 0) rows += (await landing.land(batch)).rows
  }

  /** Resolves when the current batch has landed; there is one as long as frames are waiting that can land. */
  function work(): Promise<void> {
    working ??= landBatch()
      .catch((reason: unknown) => {
        broken = { reason }
        waiting.clear()
        waitingBytes = 0
      })
      .finally(() => {
        working = null
        if (waiting.has(landing.landedSeq + 1)) void work()
      })
    return working
  }

  function refuseIfBroken(): void {
    if (broken !== null) throw broken.reason
  }

  return {
    get rows() {
      return rows
    },
    async record(...given) {
      refuseIfBroken()
      const frame =
        given.length === 1
          ? await journal.append(given[0])
          : await journal.append(...redactedAnswer(given[0], given[1], secrets))
      refuseIfBroken()
      waiting.set(frame.seq, frame)
      newest = Math.max(newest, frame.seq)
      waitingBytes += frame.body?.length ?? 0
      const landed = work()
      if (waiting.size >= GATHER_MAX) enough.abort(ENOUGH)
      if (waitingBytes > BACKLOG_MAX_BYTES) {
        enough.abort(ENOUGH)
        await landed
      }
    },
    async flush() {
      // Not until nothing is waiting: many accounts record without a pause, and a caller would wait forever.
      const wanted = newest
      while (landing.landedSeq < wanted && broken === null) {
        const landed = work()
        enough.abort(ENOUGH)
        await landed
      }
      refuseIfBroken()
    },
  }
}

function redactedAnswer(
  meta: AnswerMeta,
  received: Buffer,
  secrets: readonly string[],
): [PageMeta | RefusalMeta, Buffer] {
  const { body, redacted } = redactSecrets(received, secrets)
  return [redacted === 0 ? meta : { ...meta, redacted }, body]
}
