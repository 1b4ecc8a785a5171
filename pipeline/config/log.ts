// What a process writes to standard error: a log in JSON, and lines for people. At the levels `info` and `debug` a
// program reads it, so every line is a log line; otherwise the lines are plain text, with warnings among them.
import { type Logger, pino } from 'pino'
import { TieoutError } from '../../models/error.ts'
import { forTerminal } from '../../models/text.ts'
import { setIn } from '../output/wrap.ts'
import { logsAlone } from './log-level.ts'
import { type Output, widthOf } from './surroundings.ts'

export interface StandardError {
  readonly log: Logger
  /** Writes a progress line as wide as a terminal, without control characters that one would obey. */
  readonly tell: (text: string) => void
}

/** `run` identifies the run in every line of the log. */
export function openStandardError(level: string, stderr: Output, run: string): StandardError {
  const out = stderr.fd === undefined ? stderr : destination(stderr, stderr.fd)
  const log = pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    { write: (line) => out.write(forTerminal(line)) },
  ).child({ run })
  const width = widthOf(stderr)
  const inWidth = (text: string): string => (width === undefined ? text : setIn(text, width))
  if (!logsAlone(level)) return { log, tell: (text) => stderr.write(`${forTerminal(inWidth(text))}\n`) }
  if (stderr === process.stderr) {
    // Node would write them as text.
    process.removeAllListeners('warning')
    process.on('warning', ({ name, message }) => log.warn({ warning: name }, message))
  }
  return { log, tell: (text) => log.info(text) }
}

/** A failed write there is an error event of the stream; if nobody listened, it would end the run at its next line. */
function destination(stderr: Output, fd: number): { write(line: string): unknown } {
  const out = pino.destination({ dest: fd, sync: true })
  out.on('error', (cause: unknown) => stderr.emit('error', cause))
  return out
}

/** An error as the last line of a log. */
export function logFailure(log: Logger, error: unknown): void {
  if (error instanceof TieoutError) {
    const { where, expected, found, action } = error.details
    log.error({ error: error.name, where, expected, found, action }, error.message)
    return
  }
  const message = error instanceof Error ? error.message : String(error)
  const stack = process.env.TIEOUT_DEBUG !== undefined && error instanceof Error ? error.stack : undefined
  log.error(
    { error: 'unexpected', stack, action: 'Progress is kept. Run again; if it persists, report it.' },
    message,
  )
}
