// Wraps a command so that its outcome, including a thrown error, is notified once everything is closed.
import { type ExitCode, TieoutError } from '../../models/error.ts'
import { type Config, readNotify } from '../config/config.ts'
import { type CommandContext, requiredConfig } from '../config/context.ts'
import type { BuildResult } from '../ledger/build.ts'
import type { SyncResult } from '../sync/sync.ts'
import { messageOf, notify } from './notify.ts'

/** Filled in by the command as it progresses. */
export interface Progressed {
  sync?: SyncResult
  build?: BuildResult
}

/**
 * Reads the configuration, does the work, sends a notification if the configuration asks for one, and returns the exit code
 * or rethrows the error. If the configuration is refused because of another key, its `notify` section is still honoured.
 */
export async function notifying(
  context: CommandContext,
  command: string,
  work: (config: Config, progressed: Progressed) => Promise<ExitCode>,
): Promise<ExitCode> {
  const startedAt = context.now()
  const progressed: Progressed = {}
  let config: Config | undefined
  const tell = async (exitCode: ExitCode, error?: unknown): Promise<void> => {
    const settings = config === undefined ? readNotify(context.configFile) : config.notify
    if (settings === undefined) return
    const report = {
      run: context.run,
      command,
      startedAt,
      endedAt: context.now(),
      exitCode,
      error,
      ...progressed,
    }
    const message = messageOf(report, settings.on)
    if (message === null) return
    for (const { by, reason } of await notify(settings, message, context.clock, process.env)) {
      context.log.error({ by, reason }, 'notify failed')
      context.tell(
        `tieout: The notification for this run was not delivered: the ${by} of notify failed (${reason}).`,
      )
    }
  }
  let code: ExitCode
  try {
    config = requiredConfig(context)
    code = await work(config, progressed)
  } catch (error) {
    await tell(error instanceof TieoutError ? error.exitCode : 1, error)
    throw error
  }
  await tell(code)
  return code
}
