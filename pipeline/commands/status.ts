// `tieout status`: how the books stand, from the published ledger, also while a run writes.
import type { ExitCode } from '../../models/error.ts'
import { optionalConfig } from '../config/context.ts'
import { engineSettings } from '../engine/settings.ts'
import { hasOpenBreaks, readStatus } from '../reports/status.ts'
import { describeStatus } from '../reports/status-text.ts'
import { defineCommand, terminalOf } from './command.ts'

export const statusCommand = defineCommand({
  example: ['$0 status --json', 'for a monitor; exit code 3 means open breaks'],
  options: (parser) => parser.option('json', { type: 'boolean', default: false, describe: 'As JSON' }),
  run: async (context, args): Promise<ExitCode> => {
    const config = optionalConfig(context)
    const retentionDays = config.venue.retention_days
    const status = await readStatus(context.dir, {
      now: context.now(),
      retentionDays,
      engine: engineSettings(config.engine),
    })
    context.print(
      args.json ? JSON.stringify(status, null, 2) : describeStatus(status, terminalOf(context).width),
    )
    return hasOpenBreaks(status) ? 3 : 0
  },
})
