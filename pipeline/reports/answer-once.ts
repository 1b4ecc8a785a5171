// What a child process does: wait for its one question, answer on standard output, report how that ended, and
// exit.
import { type Clock, systemClock } from '../../models/clock.ts'
import { TieoutError } from '../../models/error.ts'
import { QueryStopped } from '../ledger/limits.ts'
import { type Pieces, writeOut } from '../output/deliver.ts'
import type { Limited, Said } from './apart.ts'
import { endAbove, mostResident } from './memory.ts'

type Answering<Q> = (
  question: Q,
  stopping: { readonly clock: Clock; readonly signal: AbortSignal },
  deliver: (pieces: Pieces) => Promise<void>,
) => Promise<void>

export function answerOnce<Q extends Limited>(answering: Answering<Q>): void {
  const stop = new AbortController()
  // Ctrl-C and a hangup reach every process of the terminal; the parent decides what this one does about
  // them.
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => {})
  process.on('disconnect', () => process.exit())
  process.once('message', (question: Q) => {
    process.on('message', () => stop.abort())
    void answer(answering, question, stop.signal).then((said) => process.send?.(said, () => process.exit()))
  })
}

async function answer<Q extends Limited>(
  answering: Answering<Q>,
  question: Q,
  signal: AbortSignal,
): Promise<Said> {
  try {
    endAbove(mostResident(question.engine.memoryLimit))
    await new Promise((sent) => process.send?.({ kind: 'begun' } satisfies Said, sent))
    await answering(question, { clock: systemClock, signal }, (pieces) => writeOut(process.stdout, pieces))
    return { kind: 'answered' }
  } catch (error) {
    if (!(error instanceof TieoutError)) {
      const details = { action: 'Report it, with the query.' }
      const message = `An unexpected error: ${String(error)}`
      return { kind: 'failed', isUsage: false, stopped: null, message, details }
    }
    const { message, exitCode } = error
    const { cause: _, ...details } = error.details
    return {
      kind: 'failed',
      isUsage: exitCode === 2,
      stopped: error instanceof QueryStopped ? error.why : null,
      message,
      details,
    }
  }
}
