// The command that erases personal data from the books permanently. Without --yes it shows what would go.

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

/** Accepts a number only as the books write it: what is to be erased permanently is not guessed from `1e2`. */
function frameNumber(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw new UsageError('This is not the number of a frame.', {
    where: 'frames',
    expected: 'the page_id of a row, such as 17',
    found: text,
    action: 'Correct the number. Nothing has been changed.',
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
        describe: 'Frame numbers: the page_id of the rows that arrived in them',
      })
      .option('account', { type: 'string', describe: 'Only frames of this account', requiresArg: true })
      .option('feed', { type: 'string', describe: 'Only frames of this feed', requiresArg: true })
      .option('matching', {
        type: 'string',
        describe: 'Only frames that contain this text',
        requiresArg: true,
      })
      .option('yes', { type: 'boolean', default: false, describe: 'Erase; this cannot be undone' })
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
    if (targets.length === 0 && !interrupted) {
      await tellUnsearched(context)
      return 0
    }
    if (!yes) {
      context.tell(
        targets.length === 0
          ? 'Nothing has been changed. Add --yes to finish the erasure.'
          : 'Nothing has been changed. Add --yes to erase these frames; this cannot be undone.',
      )
      return 0
    }
    await erase(context.dir, targets, context.clock)
    context.tell(
      targets.length === 0
        ? 'Finishing the erasure; rebuilding landing and ledger.'
        : `Erased ${counted(targets.length, 'frame')}; rebuilding landing and ledger without them.`,
    )
    const { clock } = context
    const books = await openBooks(context.dir, {
      clock,
      command: 'erase',
      engine: engineSettings(config.engine),
    })
    await closing(books, async () => {
      // The data must leave the published ledger, whatever the checks find in the books without it.
      const built = await buildBooks(context, config, books, { publishAnyway: true })
      if (!json) context.advise(describeBreaks(built))
    })
    await tellRest(context)
    return 0
  },
})

const INTERRUPTED =
  'An earlier erasure was interrupted: the published ledger may still contain what was to be erased. Erase again or run `tieout build` to finish it.'

/** Frames that were named but are not among the targets. */
const nothingOf = (frames: readonly number[]): string =>
  `Nothing to erase in ${counted(frames.length, 'frame')} named here: ${frames.join(', ')}. Frames that only record runs and ranges have no body, and a named frame must also match --account, --feed and --matching.`

function describeTargets(targets: readonly EraseTarget[]): string {
  if (targets.length === 0) return 'No frame in the journal matches.'
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
    `${counted(targets.length, 'frame')} with ${counted(lost, 'row')}: the whole body of each frame is erased, with every row in it.`,
  ].join('\n')
}

/** Also if no frame matches: what is looked for may be in one of these. */
async function tellUnsearched({ dir, tell }: CommandContext): Promise<void> {
  const files = await unsearchedFiles(dir)
  if (files.length > 0) tell(`Not searched; check these files yourself: ${files.join(', ')}.`)
}

async function tellRest(context: CommandContext): Promise<void> {
  await tellUnsearched(context)
  context.tell(
    'Earlier backups, exports and reports still contain the data, and anything the venue still returns may be fetched again.',
  )
}
