// The command with which a user answers for a break: the note is journaled, and the books are built and published with
// it, so that the next status and report have it.

import { type ExitCode, UsageError } from '../../models/error.ts'
import { openBooks } from '../books/books.ts'
import { buildBooks } from '../books/night.ts'
import { chooseBreak, journalNote, readNote } from '../books/note.ts'
import { optionalConfig } from '../config/context.ts'
import { engineSettings } from '../engine/settings.ts'
import type { Break } from '../ledger/breaks.ts'
import { describeBreaks, NOT_PUBLISHED } from '../reports/summary.ts'
import { defineCommand } from './command.ts'

export const explainBreakCommand = defineCommand({
  example: ['$0 explain-break 4f0c --note "Gift of a friend, 2026-03-01"', 'the id is from `$0 check`'],
  options: (parser) =>
    parser
      .positional('break_id', {
        type: 'string',
        demandOption: true,
        describe: 'Id of the break, or its beginning',
      })
      .option('note', { type: 'string', describe: 'What explains it', requiresArg: true })
      .option('withdraw', { type: 'boolean', describe: 'Take the note back' })
      .conflicts('note', 'withdraw'),
  run: async (context, args): Promise<ExitCode> => {
    const note = wordOf(args)
    const config = optionalConfig(context)
    const books = await openBooks(context.dir, {
      clock: context.clock,
      command: 'explain-break',
      onNote: context.tell,
      engine: engineSettings(config.engine),
    })
    try {
      const before = await buildBooks(context, config, books, { publishAnyway: false, publish: false })
      const chosen = chooseBreak([...before.openBreaks, ...before.explainedBreaks], String(args.break_id))
      if (note === null) mustBeExplained(chosen)
      await journalNote(books, chosen, note, { id: context.run, clock: context.clock })
      const result = await buildBooks(context, config, books, { publishAnyway: false })
      const what = `${chosen.severity} ${chosen.checkName} ${chosen.breakId}`
      context.print(note === null ? `The note on ${what} is taken back.` : `Explained: ${what}.`)
      context.print(describeBreaks(result))
      if (result.published) return 0
      context.tell(NOT_PUBLISHED)
      return 1
    } finally {
      await books.close()
    }
  },
})

/** The note to make; null where the last one is taken back. */
function wordOf({
  note,
  withdraw,
}: {
  note?: string | undefined
  withdraw?: boolean | undefined
}): string | null {
  if (note !== undefined) return readNote(note)
  if (withdraw === true) return null
  throw new UsageError('Nothing is said of the break.', {
    where: 'explain-break',
    expected: '--note TEXT, or --withdraw',
    action: 'Say in a sentence or two what explains it.',
  })
}

function mustBeExplained({ breakId, status }: Break): void {
  if (status === 'explained') return
  throw new UsageError('There is no note to take back.', {
    where: breakId,
    expected: 'a break that a note explains',
    found: `status ${status}`,
    action: '`tieout check` shows which breaks have a note.',
  })
}
