// Ports on this machine that a command is asked to listen on.
import { UsageError } from '../../models/error.ts'

const PORT_MAX = 65_535

/** Throws a UsageError for anything that is not a port. */
export function mustBePort(port: number): void {
  if (Number.isInteger(port) && port >= 0 && port <= PORT_MAX) return
  throw new UsageError('--port is not a valid port.', {
    where: '--port',
    expected: `0 to ${PORT_MAX}`,
    found: String(port),
    action: 'Correct it.',
  })
}

const REASONS: Readonly<Record<string, readonly [message: string, expected: string]>> = {
  EADDRINUSE: ['Another program is listening on this port.', 'a free port on loopback'],
  EACCES: ['This user may not listen on this port.', 'a port above 1023'],
}

/** The UsageError for a failure to listen; null if the failure is not the user's mistake. */
export function portRefused(port: number, cause: unknown): UsageError | null {
  const reason = REASONS[String((cause as NodeJS.ErrnoException).code)]
  if (reason === undefined) return null
  const [message, expected] = reason
  const action = 'Name another port, or use `--port 0` for any free one.'
  return new UsageError(message, { where: `--port ${port}`, expected, action, cause })
}
