// How commands start the sandbox: options it does not accept are reported as usage errors.
import { UsageError } from '../../../models/error.ts'
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../sandbox/index.ts'
import { portRefused } from '../../config/port.ts'

export const seedOption = {
  type: 'number',
  default: 1,
  describe: 'Seed of the generated history',
  requiresArg: true,
} as const

export const daysOption = {
  type: 'number',
  default: 365,
  describe: 'Length of the history in days',
  requiresArg: true,
} as const

/** Option for how the sandbox orders and pages feeds whose order the interface document leaves open. */
export const pagingOption = {
  type: 'string',
  describe:
    'Order and cursor of feeds paged by id: newest-first, oldest-first-literal, …, or seeded; or ENDPOINT=WAY,…',
  requiresArg: true,
} as const

/**
 * Starts the sandbox. UsageError (code 2) for unusable numbers, for unknown faults and ways of paging, and for a port that is
 * not available.
 */
export async function startSandboxOf(options: SandboxOptions): Promise<Sandbox> {
  for (const option of ['seed', 'days', 'speed'] as const) mustBeUsable(option, options[option])
  try {
    return await startSandbox(options)
  } catch (error) {
    if (!(error instanceof RangeError)) throw portRefused(options.port ?? 0, error) ?? error
    throw new UsageError('The sandbox cannot be started with these options.', {
      where: '--faults, --paging or --days',
      found: error.message,
      action: 'Correct the option; sandbox/README.md lists faults and ways of paging.',
      cause: error,
    })
  }
}

function mustBeUsable(option: string, value: number | undefined): void {
  if (value === undefined) return
  if (Number.isFinite(value) && value >= 0 && (option === 'seed' || value > 0)) return
  throw new UsageError(`--${option} is not a usable number.`, {
    where: `--${option}`,
    expected: option === 'seed' ? 'a number from 0' : 'a number above 0',
    found: String(value),
    action: 'Correct the number.',
  })
}
