// The error for work that ran out of DuckDB's memory: states how much there was, where that limit comes from, and which
// key raises it.
import { type ErrorDetails, TieoutError, UsageError } from '../../models/error.ts'
import { CONSOLE, type EngineSettings, OPTION, VIEW } from './settings.ts'
import { describeSize, parseSize } from './size.ts'

/** A run that writes the books: what was received is kept, and the published ledger is unchanged. */
export class OutOfMemory extends TieoutError {
  override readonly name = 'OutOfMemory'
  override readonly exitCode = 5
}

/** A query to the published ledger. */
export class QueryOutOfMemory extends UsageError {}

/**
 * Whether the error, or its cause, is DuckDB's refusal of memory. The client exposes DuckDB's error class only as the
 * beginning of its message.
 */
export function isOutOfMemory(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return error.message.startsWith('Out of Memory Error:') || isOutOfMemory(error.cause)
}

/** Null for any other error. `sentence` states what failed, `where` at which table or file. */
export function outOfMemory(
  sentence: string,
  where: string,
  engine: EngineSettings,
  cause: unknown,
): OutOfMemory | null {
  if (!isOutOfMemory(cause)) return null
  const action = `${RAISE} Then run again: what has been received is kept.`
  return new OutOfMemory(sentence, { where, ...detailsOf(engine, cause), action })
}

/** Null for any other error. */
export function queryOutOfMemory(engine: EngineSettings, cause: unknown): QueryOutOfMemory | null {
  return isOutOfMemory(cause) ? queryTooLarge(engine, cause) : null
}

/** Without a cause if the process that should have answered had to be ended. */
export function queryTooLarge(engine: EngineSettings, cause: unknown = null): QueryOutOfMemory {
  const raise = RAISE_OF[engine.memoryFrom] ?? RAISE
  return new QueryOutOfMemory('The query needs more memory than it may use.', {
    ...detailsOf(engine, cause),
    action: `Ask for less: one account or a shorter period. ${raise}`,
  })
}

const RAISE =
  'Raise engine.memory in tieout.yaml (`engine: { memory: 8GB }`) if the machine has more; ' +
  'fewer threads (`engine: { threads: 1 }`) need less.'

/** If the limit does not come from the configuration. */
const RAISE_OF: Readonly<Record<string, string>> = {
  [OPTION]: `Or allow more with ${OPTION}.`,
  [CONSOLE]: 'Or use `tieout sql`, which has the configured memory.',
  [VIEW]: 'Or use the CSV of the view, or the console, which have the configured memory.',
}

function detailsOf(engine: EngineSettings, cause: unknown): Omit<ErrorDetails, 'action'> {
  const bytes = parseSize(engine.memoryLimit)
  const limit = bytes === null ? engine.memoryLimit : describeSize(bytes)
  return {
    expected: `work within ${limit} of memory: ${engine.memoryFrom}`,
    ...(cause === null ? {} : { found: sentenceOf(cause), cause }),
  }
}

/** DuckDB's own first line, which states what it could not allocate. */
function sentenceOf(error: unknown): string {
  if (error instanceof Error && !error.message.startsWith('Out of Memory Error:'))
    return sentenceOf(error.cause)
  return String(error instanceof Error ? error.message : error).split('\n')[0] ?? ''
}
