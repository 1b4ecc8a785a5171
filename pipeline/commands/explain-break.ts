// The command with which a user explains a break: the note is journaled, and the books are built and published with
// it, so that the next status and report show it.

import { type ExitCode, UsageError } from '../../models/error.ts'
import { explainBreak, readNote } from '../books/note.ts'
import { optionalConfig } from '../config/context.ts'
import { buildJson, describeBreaks, NOT_PUBLISHED } from '../reports/summary.ts'
import { defineCommand, jsonOption } from './command.ts'

export const explainBreakCommand = defineCommand({
  example: ['$0 explain-break 4f0c --note "Gift from a friend, 2026-03-01"', 'the id is from `tieout check`'],
  options: (parser) =>
    parser
      .positional('break_id', {
        type: 'string',
        demandOption: true,
        describe: 'Id of the break, or the first characters of it',
      })
      .option('note', { type: 'string', describe: 'The explanation', requiresArg: true })
      .option('withdraw', { type: 'boolean', describe: 'Withdraw the note' })
      .conflicts('note', 'withdraw')
      .option('json', jsonOption),
  run: async (context, args): Promise<ExitCode> => {
    const note = wordOf(args)
    const config = optionalConfig(context)
    const { chosen, result } = await explainBreak(context, config, {
      command: 'explain-break',
      breakId: String(args.break_id),
      note,
    })
    const { severity, checkName, breakId } = chosen
    if (args.json) {
      const answer = { break_id: breakId, check_name: checkName, severity, note, ...buildJson(result) }
      context.print(JSON.stringify(answer, null, 2))
    } else {
      const what = `${severity} ${checkName} ${breakId}`
      context.print(note === null ? `The note on ${what} is withdrawn.` : `Explained: ${what}.`)
      context.advise(describeBreaks(result))
    }
    if (result.published) return 0
    context.tell(NOT_PUBLISHED)
    return 1
  },
})

/** The note to record; null to withdraw the last one. */
function wordOf({
  note,
  withdraw,
}: {
  note?: string | undefined
  withdraw?: boolean | undefined
}): string | null {
  if (note !== undefined) return readNote(note)
  if (withdraw === true) return null
  throw new UsageError('The note is missing.', {
    where: 'explain-break',
    expected: '--note TEXT, or --withdraw',
    action: 'Explain the break in a sentence or two.',
  })
}
