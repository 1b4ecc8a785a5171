// The only thing that the page writes: a note on a break. It is journaled and the books are published with it, which takes as
// long as a build. The request is answered immediately, and events report the progress.

import type { Clock } from '../../models/clock.ts'
import { shellWord } from '../../models/text.ts'
import { mustBeExplained, readNote } from '../books/note.ts'
import type { Disk } from '../journal/disk.ts'
import { lockHolder } from '../journal/lock.ts'
import type { BreakRow, NoteProgress, NoteRow, OneBreak } from './api.ts'
import type { Events } from './events.ts'
import type { Edition } from './published.ts'
import { Conditions, question, rowsOf } from './question.ts'
import { failureOf, Refusal } from './refusal.ts'
import { oneBreakQuestion } from './views/breaks.ts'

/** Explains a break with a note, or withdraws the note with null, and publishes. Returns whether the books were published. */
export type Explain = (breakId: string, note: string | null, onNoted: () => void) => Promise<boolean>

export interface NotesOptions {
  readonly dir: string
  /** What a command to copy repeats, each after a space. */
  readonly options: string
  readonly disk: Disk
  readonly clock: Clock
  readonly events: Events
  readonly isReadOnly: boolean
  readonly explain: Explain
}

export class Notes {
  readonly #options: NotesOptions
  #current: NoteProgress | null = null
  #done: Promise<void> = Promise.resolve()

  constructor(options: NotesOptions) {
    this.#options = options
  }

  get current(): NoteProgress | null {
    return this.#current
  }

  /** Resolves when no note is in progress. */
  get done(): Promise<void> {
    return this.#done
  }

  /** Starts saving the note. Refusal if it is not allowed, if another note is in progress, or if another run holds the lock. */
  async begin({ ledger }: Edition, breakId: string, given: unknown): Promise<NoteProgress> {
    const { isReadOnly, dir, disk, clock, options } = this.#options
    if (isReadOnly) throw readOnly()
    if (given !== null && typeof given !== 'string') {
      throw new Refusal(400, 'The note is not text.', {
        where: 'note',
        expected: 'text, or null to withdraw the note',
        action: 'Correct it.',
      })
    }
    const note = given === null ? null : readNote(given)
    const [found] = (await rowsOf<BreakRow>(ledger, oneBreakQuestion(breakId))).rows
    if (found === undefined) throw noBreak(breakId)
    if (found.severity === 'error') {
      throw new Refusal(400, 'A break of severity error cannot be explained.', {
        where: breakId,
        expected: 'a break of severity warning or notice',
        action: 'The books contradict themselves. Run `tieout verify`, then `tieout rebuild`.',
      })
    }
    if (note === null) mustBeExplained({ breakId, status: found.status })
    const isMaking = this.#current !== null && ['building', 'noted'].includes(this.#current.state)
    if (isMaking) {
      throw new Refusal(409, 'Another note is being published.', {
        name: 'Busy',
        action: 'Wait until the page shows it as published, then save this note again.',
      })
    }
    const holder = await lockHolder(dir, disk)
    if (holder !== null) {
      throw new Refusal(409, 'Another run is writing to these books.', {
        name: 'Busy',
        expected: 'no other run',
        found: `process ${holder.pid} on ${holder.host}, command "${holder.command}", since ${holder.since}`,
        action: `Wait until it has ended, then save the note again, or run: ${commandOf(breakId, note, options)}`,
      })
    }
    const begun: NoteProgress = {
      breakId,
      note,
      state: 'building',
      since: new Date(clock.wall()).toISOString(),
      error: null,
    }
    this.#tell(begun)
    this.#done = this.#make(begun)
    return begun
  }

  async #make(begun: NoteProgress): Promise<void> {
    try {
      const isPublished = await this.#options.explain(begun.breakId, begun.note, () =>
        this.#tell({ ...begun, state: 'noted' }),
      )
      this.#tell({ ...begun, state: isPublished ? 'published' : 'unpublished' })
    } catch (error) {
      this.#tell({ ...begun, state: 'failed', error: failureOf(error).error })
    }
  }

  #tell(note: NoteProgress): void {
    this.#current = note
    this.#options.events.tell({ kind: 'note', note })
  }

  /** The break with all notes on it. Refusal if there is no such break. */
  async of({ ledger, stamp }: Edition, breakId: string): Promise<OneBreak> {
    const found = await rowsOf<BreakRow>(ledger, oneBreakQuestion(breakId))
    const [row] = found.rows
    if (row === undefined) throw noBreak(breakId)
    const conditions = new Conditions()
    const [id, hash] = [conditions.value(breakId), conditions.value(row.figures_hash)]
    // A ledger from an earlier version does not number its notes.
    const said = question(
      `
      select noted_at, note, is_withdrawn, figures_hash = ${hash} as is_of_these_figures
      from break_notes
      where break_id = ${id}
      order by ${ledger.tables.get('break_notes')?.includes('note_id') === true ? 'note_id' : 'noted_at'}`,
      conditions.values,
    )
    return {
      stamp,
      break: found,
      // A ledger from an earlier version has no table of notes.
      notes: ledger.tables.has('break_notes')
        ? await rowsOf<NoteRow>(ledger, said)
        : { rows: [], sql: found.sql },
      noNote: await this.#whyNot(row),
      command: commandOf(breakId, 'TEXT', this.#options.options),
    }
  }

  async #whyNot({ severity }: BreakRow): Promise<string | null> {
    const { isReadOnly, dir, disk } = this.#options
    if (severity === 'error')
      return 'A break of severity error has to be corrected, not explained. Run `tieout verify`, then `tieout rebuild`.'
    if (isReadOnly) return readOnly().message
    const holder = await lockHolder(dir, disk)
    return holder === null
      ? null
      : `The command ${holder.command} (process ${holder.pid} on ${holder.host}) has been writing to these books since ${holder.since}.`
  }
}

const commandOf = (breakId: string, note: string | null, options: string): string =>
  `tieout explain-break ${shellWord(breakId)} ${note === null ? '--withdraw' : `--note${note.startsWith('-') ? '=' : ' '}${shellWord(note)}`}${options}`

const readOnly = (): Refusal =>
  new Refusal(403, 'This page is read-only.', {
    action: 'Start `tieout serve` without --read-only, or use `tieout explain-break`.',
  })

const noBreak = (breakId: string): Refusal =>
  new Refusal(404, 'No current break has this id.', {
    where: breakId,
    action: 'Reload the list of breaks.',
  })
