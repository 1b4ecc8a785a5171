// The process in which a user's query runs: it is asked one question by the process that started it, and ends.
import { systemClock } from '../../models/clock.ts'
import { TieoutError } from '../../models/error.ts'
import { writeOut } from '../output/deliver.ts'
import { answerHere } from './answer.ts'
import type { Said } from './apart.ts'
import { endAbove, mostResident } from './memory.ts'
import type { Question } from './question.ts'

const stop = new AbortController()

// Ctrl-C reaches every process of the terminal; whoever started this one says what is to be done.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => {})
process.on('disconnect', () => process.exit())
process.once('message', (question: Question) => {
  process.on('message', () => stop.abort())
  void answer(question).then((said) => process.send?.(said, () => process.exit()))
})

async function answer(question: Question): Promise<Said> {
  try {
    endAbove(mostResident(question.engine.memoryLimit))
    await new Promise((sent) => process.send?.({ kind: 'begun' } satisfies Said, sent))
    await answerHere(question, { clock: systemClock, signal: stop.signal }, (pieces) =>
      writeOut(process.stdout, pieces),
    )
    return { kind: 'answered' }
  } catch (error) {
    if (!(error instanceof TieoutError)) {
      const details = { action: 'Report it, with the query.' }
      return { kind: 'failed', isUsage: false, message: `An unexpected error: ${String(error)}`, details }
    }
    const { message, exitCode } = error
    const { cause: _, ...details } = error.details
    return { kind: 'failed', isUsage: exitCode === 2, message, details }
  }
}
