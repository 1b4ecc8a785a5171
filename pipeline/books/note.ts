// A user's explanation of a break, journaled as a statement of ours: it survives every rebuild, applies to the figures
// it was written for, and can be withdrawn. The build works out its effect (pipeline/ledger/breaks.ts).
import type { Clock } from '../../models/clock.ts'
import { closing } from '../../models/closing.ts'
import { UsageError } from '../../models/error.ts'
import { isBlank } from '../../models/text.ts'
import type { Config } from '../config/config.ts'
import type { CommandContext } from '../config/context.ts'
import { landJournal } from '../landing/land-journal.ts'
import { lastBuilt } from '../landing/last-landed.ts'
import type { Break } from '../ledger/breaks.ts'
import { type Books, openBooksFor } from './books.ts'
import { buildBooks, type NightlyBuild } from './night.ts'

/** Longer than any explanation that someone would read in a report. */
const NOTE_CHARACTERS_MAX = 2_000

/** The note as it is stored. Throws a UsageError for one that is empty or too long. */
export function readNote(text: string): string {
  const note = text.trim()
  if (!isBlank(note) && note.length <= NOTE_CHARACTERS_MAX) return note
  throw new UsageError('The note cannot be stored.', {
    where: '--note',
    expected: `1 to ${NOTE_CHARACTERS_MAX} characters`,
    found: isBlank(note) ? 'nothing visible' : `${note.length} characters`,
    action: 'Explain the break in a sentence or two.',
  })
}

/**
 * The break identified by an id, or by an unambiguous beginning of one. Throws a UsageError for an id that no break
 * has, and for a break of severity error: books that contradict themselves need repair, not an explanation.
 */
export function chooseBreak(breaks: readonly Break[], id: string): Break {
  const meant = id === '' ? [] : breaks.filter(({ breakId }) => breakId.startsWith(id))
  const [found, other] = meant
  if (found === undefined || other !== undefined) {
    throw new UsageError(
      found === undefined ? 'No current break has this id.' : 'Several breaks begin with this id.',
      {
        where: id,
        expected: 'the id of a break that `tieout check` shows',
        found: found === undefined ? 'none' : meant.map(({ breakId }) => breakId).join(', '),
        action: 'Copy the id from `tieout check` or `tieout report breaks`.',
      },
    )
  }
  if (found.severity === 'error') {
    throw new UsageError('A break of severity error cannot be explained.', {
      where: `${found.checkName} ${found.breakId}`,
      expected: 'a break of severity warning or notice',
      found: found.explanation,
      action:
        'The books contradict themselves: run `tieout verify`, then `tieout rebuild`. To publish anyway, use --publish-anyway.',
    })
  }
  return found
}

/** Throws a UsageError for a break without a note: there is nothing to withdraw. */
export function mustBeExplained({ breakId, status }: Pick<Break, 'breakId' | 'status'>): void {
  if (status === 'explained') return
  throw new UsageError('This break has no note to withdraw.', {
    where: breakId,
    expected: 'a break explained by a note',
    found: `status ${status}`,
    action: 'Run `tieout check` to see which breaks have a note.',
  })
}

/**
 * Explains a break as it stands now with a note, or takes the last one back if the note is null, and publishes the
 * books with it. Opens the books for writing and closes them. Throws a UsageError if another process is writing, or the
 * break cannot be explained.
 */
export async function explainBreak(
  context: CommandContext,
  config: Config,
  asked: {
    /** Shown to others that wait for the lock. */
    readonly command: string
    /** Id of the break, or the first characters of it. */
    readonly breakId: string
    readonly note: string | null
    /** Called once the note is stored and before the books are published with it. */
    readonly onNoted?: () => void
  },
): Promise<{ chosen: Break; result: NightlyBuild }> {
  const { command, breakId, note, onNoted } = asked
  const books = await openBooksFor(context, config, { command, existing: 'needed' })
  return await closing(books, async () => {
    const before = await buildBooks(context, config, books, { publishAnyway: false, publish: false })
    const chosen = chooseBreak([...before.openBreaks, ...before.explainedBreaks], breakId)
    // If the command was stopped before its build, running it again finishes it.
    const isTaken = note === null && (await isTakenBack(books, chosen.breakId))
    if (note === null && !isTaken) mustBeExplained(chosen)
    if (!isTaken) await journalNote(books, chosen, note, { id: context.run, clock: context.clock })
    onNoted?.()
    return { chosen, result: await buildBooks(context, config, books, { publishAnyway: false }) }
  })
}

/** Whether the last note on the break was withdrawn and no published ledger reflects that yet. */
async function isTakenBack({ dir, landing: { connection } }: Books, breakId: string): Promise<boolean> {
  const reader = await connection.runAndReadAll(
    `select is_withdrawn and seq > $built from landing.main.notes where break_id = $id order by seq desc limit 1`,
    { built: await lastBuilt(connection, dir), id: breakId },
  )
  return reader.getRows()[0]?.[0] === true
}

/** Journals the note on a break as it stands, or (null) that the last one is withdrawn, and lands it. */
export async function journalNote(
  books: Books,
  { breakId, figuresHash }: Pick<Break, 'breakId' | 'figuresHash'>,
  note: string | null,
  run: { readonly id: string; readonly clock: Clock },
): Promise<void> {
  await books.journal.append(
    {
      kind: 'note',
      at: new Date(run.clock.wall()).toISOString(),
      run: run.id,
      breakId,
      figures: figuresHash,
      isWithdrawn: note === null,
    },
    Buffer.from(note ?? '', 'utf8'),
  )
  await landJournal(books.journal, books.landing)
}
