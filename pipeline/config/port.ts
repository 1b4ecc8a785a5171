// Ports of this machine that a command is told to listen on.
import { UsageError } from '../../models/error.ts'

const PORT_MAX = 65_535

/** UsageError for what is no port. */
export function mustBePort(port: number): void {
  if (Number.isInteger(port) && port >= 0 && port <= PORT_MAX) return
  throw new UsageError('--port is not a port.', {
    where: '--port',
    expected: `0 to ${PORT_MAX}`,
    found: String(port),
    action: 'Correct it.',
  })
}

const REASONS: Readonly<Record<string, readonly [message: string, expected: string]>> = {
  EADDRINUSE: ['Another program is listening on this port.', 'a port that is free on loopback'],
  EACCES: ['This user may not listen on this port.', 'a port above 1023'],
}

/** The user's mistake behind an error of listening; null where it is none. */
export function portRefused(port: number, cause: unknown): UsageError | null {
  const reason = REASONS[String((cause as NodeJS.ErrnoException).code)]
  if (reason === undefined) return null
  const [message, expected] = reason
  const action = 'Name another port, or `--port 0` for any that is free.'
  return new UsageError(message, { where: `--port ${port}`, expected, action, cause })
}
