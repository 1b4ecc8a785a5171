// The command that takes data about people out of the books for good. Without --yes it shows what would go.

import { closing } from '../../models/closing.ts'
import { type ExitCode, UsageError } from '../../models/error.ts'
import { counted } from '../../models/text.ts'
import { openBooks } from '../books/books.ts'
import { type EraseTarget, erase, findEraseTargets, unsearchedFiles } from '../books/erase.ts'
import { buildBooks } from '../books/night.ts'
import { type CommandContext, optionalConfig } from '../config/context.ts'
import { engineSettings } from '../engine/settings.ts'
import { isErasing } from '../journal/erase.ts'
import { printTable } from '../output/table.ts'
import { describeBreaks } from '../reports/summary.ts'
import { defineCommand } from './command.ts'

/** Written as the books write it: what is to go for good is not guessed from `1e2`. */
function frameNumber(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw new UsageError('A frame is known by its number.', {
    where: 'frames',
    expected: 'the page_id of a row, such as 17',
    found: text,
    action: 'Correct the number. Nothing was changed.',
  })
}

export const eraseCommand = defineCommand({
  example: ['$0 erase --feed p2p.orders --matching "Jane Roe"', 'then the same with --yes'],
  options: (parser) =>
    parser
      .positional('frames', {
        type: 'string',
        array: true,
        default: [] as string[],
        describe: 'Numbers of frames: the page_id of the rows they brought',
      })
      .option('account', { type: 'string', describe: 'Only frames of this account', requiresArg: true })
      .option('feed', { type: 'string', describe: 'Only frames of this feed', requiresArg: true })
      .option('matching', {
        type: 'string',
        describe: 'Only frames with this text in them',
        requiresArg: true,
      })
      .option('yes', { type: 'boolean', default: false, describe: 'Do it; this cannot be undone' })
      .option('json', { type: 'boolean', default: false, describe: 'As JSON' }),
  run: async (context, { frames, account, feed, matching, yes, json }): Promise<ExitCode> => {
    const config = optionalConfig(context)
    const named = frames.map(frameNumber)
    const targets = await findEraseTargets(context.dir, { frames: named, account, feed, matching })
    const interrupted = await isErasing(context.dir)
    if (json) context.print(JSON.stringify({ targets, interrupted, erased: yes }, null, 2))
    else context.print(describeTargets(targets))
    const found = new Set(targets.map(({ frame }) => frame))
    const others = named.filter((number) => !found.has(number))
    if (others.length > 0) context.tell(nothingOf(others))
    if (interrupted) context.tell(INTERRUPTED)
    if (targets.length === 0 && !interrupted) return 0
    if (!yes) {
      context.tell(
        targets.length === 0
          ? 'Nothing was changed. Add --yes to finish it.'
          : 'Nothing was changed. Add --yes to erase these frames: there is no way back.',
      )
      return 0
    }
    await erase(context.dir, targets, context.clock)
    context.tell(
      targets.length === 0
        ? 'Finishing it; making landing and ledger again.'
        : `Erased ${counted(targets.length, 'frame')}; making landing and ledger again without them.`,
    )
    const { clock } = context
    const books = await openBooks(context.dir, {
      clock,
      command: 'erase',
      engine: engineSettings(config.engine),
    })
    await closing(books, async () => {
      // What stands in the published ledger must go, whatever the checks say of the books without it.
      const built = await buildBooks(context, config, books, { publishAnyway: true })
      if (!json) context.print(describeBreaks(built))
    })
    await tellRest(context)
    return 0
  },
})

const INTERRUPTED =
  'An earlier erasure was interrupted: the published ledger may still hold what was to go. Erasing again finishes it, and so does `tieout build`.'

/** Frames that were named and are none of the targets. */
const nothingOf = (frames: readonly number[]): string =>
  `There is nothing to erase in ${counted(frames.length, 'frame')} named here: ${frames.join(', ')}. Frames that only tell of runs and ranges have no body, and a frame that is named must fit --account, --feed and --matching too.`

function describeTargets(targets: readonly EraseTarget[]): string {
  if (targets.length === 0) return 'No frame of the journal matches.'
  const columns = ['frame', 'kind', 'account', 'feed', 'received', 'bytes', 'rows', 'matching', ''].map(
    (name) => ({
      name,
    }),
  )
  const states = { live: '', half: 'erased in part', erased: 'erased already' }
  const rows = targets.map((one) => [
    ...[one.frame, one.kind, one.account, one.feed, one.at, one.bytes, one.rows, one.matching],
    states[one.state],
  ])
  const lost = targets.reduce((sum, { rows: count }) => sum + (count ?? 0), 0)
  return [
    printTable(columns, rows),
    `${counted(targets.length, 'frame')} with ${counted(lost, 'row')}: the whole body of a frame goes, with every row in it.`,
  ].join('\n')
}

async function tellRest({ dir, tell }: CommandContext): Promise<void> {
  const files = await unsearchedFiles(dir)
  if (files.length > 0) tell(`Not searched, look at them yourself: ${files.join(', ')}.`)
  tell(
    'Backups, exports and reports made before still hold it; what the venue still tells may be fetched again.',
  )
}
