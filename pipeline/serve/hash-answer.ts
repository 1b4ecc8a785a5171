// The hash of a published ledger, calculated in a separate process and stored beside the ledger for the next time.
import { constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { EngineSettings } from '../engine/settings.ts'
import { hashOfTables } from '../ledger/hash.ts'
import { freshHashes } from '../ledger/known-hash.ts'
import type { Pieces } from '../output/deliver.ts'
import { askApart, startApart } from '../reports/apart.ts'
import { type HashAnswer, type OpenOptions, openEdition } from './published.ts'

const PROGRAM = fileURLToPath(new URL('./hash-child.js', import.meta.url))

/** Time limit for reading all of a large ledger with one thread. */
const TIMEOUT_MS = 3_600_000

/** Rows are hashed one by one and sorted, which spills. */
const MEMORY = '160MiB'

export interface HashQuestion {
  readonly dir: string
  readonly engine: EngineSettings
  readonly timeoutMs: number
}

/** The hash of the currently published ledger, calculated by a separate process with one thread while views are answered. */
export async function hashApart(dir: string, { engine, clock, signal }: OpenOptions): Promise<HashAnswer> {
  const limited = { ...engine, threads: 1, memoryLimit: MEMORY }
  const question: HashQuestion = { dir, engine: limited, timeoutMs: TIMEOUT_MS }
  const waiting = startApart(PROGRAM)
  yieldToViews(waiting.child.pid)
  let text = ''
  for await (const piece of askApart(waiting, question, { clock, signal })) text += piece
  return JSON.parse(text) as HashAnswer
}

/** Set before the process creates its threads, which inherit it. If that is not allowed, views only take longer to answer. */
function yieldToViews(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW)
  } catch {} // It has ended already, or the system forbids it.
}

/** The other side: what that process does. */
export async function answerHash(
  { dir, engine, timeoutMs }: HashQuestion,
  stopping: Omit<OpenOptions, 'engine'>,
  deliver: (pieces: Pieces) => Promise<void>,
): Promise<void> {
  const limits = { timeoutMs, memoryLimit: engine.memoryLimit }
  const { open } = await openEdition(dir, { ...stopping, engine }, limits)
  const { ledger, stamp } = open
  try {
    const ledgerHash = hashOfTables(await freshHashes(ledger))
    const answer: HashAnswer = { publication: stamp.publication, ledgerHash }
    await deliver(
      (async function* () {
        yield JSON.stringify(answer)
      })(),
    )
  } finally {
    ledger.close()
  }
}
