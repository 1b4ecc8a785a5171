// What becomes of work for which DuckDB's memory was not enough: an error that says how much there was, where that limit
// comes from, and which key raises it.
import { type ErrorDetails, TieoutError, UsageError } from '../../models/error.ts'
import { CONSOLE, type EngineSettings, OPTION, VIEW } from './settings.ts'
import { describeSize, parseSize } from './size.ts'

/** A run that writes the books: what was received is kept, the published ledger is as it was. */
export class OutOfMemory extends TieoutError {
  override readonly name = 'OutOfMemory'
  override readonly exitCode = 5
}

/** A question to the published ledger. */
export class QueryOutOfMemory extends UsageError {}

/**
 * Whether it, or what caused it, is DuckDB's refusal of memory. The client hands out DuckDB's class of an error in no other
 * way than as the beginning of its message.
 */
export function isOutOfMemory(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return error.message.startsWith('Out of Memory Error:') || isOutOfMemory(error.cause)
}

/** Null for any other error. `sentence` says what came to nothing, `where` at which table or file. */
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

/** Without a cause where the process that was to answer had to be ended. */
export function queryTooLarge(engine: EngineSettings, cause: unknown = null): QueryOutOfMemory {
  const raise = RAISE_OF[engine.memoryFrom] ?? RAISE
  return new QueryOutOfMemory('The question needs more memory than it may take.', {
    ...detailsOf(engine, cause),
    action: `Ask for less, one account or a shorter period. ${raise}`,
  })
}

const RAISE =
  'Set engine.memory in tieout.yaml to more (`engine: { memory: 8GB }`) if the machine has it; ' +
  'fewer threads (`engine: { threads: 1 }`) need less.'

/** Where the limit is none of the configuration. */
const RAISE_OF: Readonly<Record<string, string>> = {
  [OPTION]: `Or give it more with ${OPTION}.`,
  [CONSOLE]: 'Or ask it with `tieout sql`, which has the memory of the configuration.',
  [VIEW]: 'Or take the CSV of the view, or the console: they have the memory of the configuration.',
}

function detailsOf(engine: EngineSettings, cause: unknown): Omit<ErrorDetails, 'action'> {
  const bytes = parseSize(engine.memoryLimit)
  const limit = bytes === null ? engine.memoryLimit : describeSize(bytes)
  return {
    expected: `work within ${limit} of memory: ${engine.memoryFrom}`,
    ...(cause === null ? {} : { found: sentenceOf(cause), cause }),
  }
}

/** DuckDB's own first line, which says what it could not have. */
function sentenceOf(error: unknown): string {
  if (error instanceof Error && !error.message.startsWith('Out of Memory Error:'))
    return sentenceOf(error.cause)
  return String(error instanceof Error ? error.message : error).split('\n')[0] ?? ''
}
