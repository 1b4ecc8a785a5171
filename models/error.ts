// Errors that users read: what happened, where, what was expected, what to do next.
// The class of an error determines the exit code and whether a retry can help; nothing matches message text.
import { forTerminal, shortened } from './text.ts'

export interface ErrorDetails {
  /** Where it happened: a file and line, a field, an endpoint, an account. */
  readonly where?: string
  readonly expected?: string
  readonly found?: string
  /** What the reader can do next. */
  readonly action: string
  readonly cause?: unknown
}

/** Cells of files and answers of the venue can be of any length, so messages are cut off here. */
const LINE_LENGTH_MAX = 1_500

/** Exit codes of the contract. */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 5

export class TieoutError extends Error {
  override readonly name: string = 'TieoutError'
  readonly exitCode: ExitCode = 1
  readonly details: ErrorDetails

  constructor(message: string, details: ErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.details = details
  }

  /**
   * The whole message on a few lines, for a terminal: nothing in it is obeyed by one, and nothing is endless. `asShown`
   * completes what it says to do.
   */
  describe(asShown: (action: string) => string = (action) => action): string {
    const { where, expected, found, action } = this.details
    const lines = [
      this.message,
      where === undefined ? '' : `  where:    ${where}`,
      expected === undefined ? '' : `  expected: ${expected}`,
      found === undefined ? '' : `  found:    ${found}`,
      `  next:     ${asShown(action)}`,
    ]
    return describeLines(lines)
  }
}

/** Lines of a message for a terminal, without empty ones. */
export function describeLines(lines: readonly string[]): string {
  return lines
    .filter((line) => line !== '')
    .map((line) => shortened(forTerminal(line), LINE_LENGTH_MAX))
    .join('\n')
}

/** A wrong command line, configuration or input file. */
export class UsageError extends TieoutError {
  override readonly name = 'UsageError'
  override readonly exitCode: ExitCode = 2
}

/** The journal, the landing database or the published file is not what was written. */
export class CorruptionError extends TieoutError {
  override readonly name = 'CorruptionError'
  override readonly exitCode = 1
}
