// A command that reports its end: whatever it came to, thrown errors included, is reported once everything is closed.
import { type ExitCode, TieoutError } from '../../models/error.ts'
import type { Config } from '../config/config.ts'
import type { CommandContext } from '../config/context.ts'
import type { BuildResult } from '../ledger/build.ts'
import type { SyncResult } from '../sync/sync.ts'
import { messageOf, notify } from './notify.ts'

/** Filled by the command as far as it comes. */
export interface Progressed {
  sync?: SyncResult
  build?: BuildResult
}

/** Does the work, tells of it where the configuration asks for that, and hands on its code or its error. */
export async function notifying(
  context: CommandContext,
  config: Config,
  command: string,
  work: (progressed: Progressed) => Promise<ExitCode>,
): Promise<ExitCode> {
  const startedAt = context.now()
  const progressed: Progressed = {}
  const tell = async (exitCode: ExitCode, error?: unknown): Promise<void> => {
    if (config.notify === undefined) return
    const report = {
      run: context.run,
      command,
      startedAt,
      endedAt: context.now(),
      exitCode,
      error,
      ...progressed,
    }
    const message = messageOf(report, config.notify.on)
    if (message === null) return
    for (const { by, reason } of await notify(config.notify, message, context.clock, process.env)) {
      context.log.error({ by, reason }, 'notify failed')
      context.tell(`tieout: Nobody was notified of this run: the ${by} of notify failed (${reason}).`)
    }
  }
  let code: ExitCode
  try {
    code = await work(progressed)
  } catch (error) {
    await tell(error instanceof TieoutError ? error.exitCode : 1, error)
    throw error
  }
  await tell(code)
  return code
}
