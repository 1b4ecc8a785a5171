// From a figure to the venue's own bytes: what an id means in the published ledger, followed down through
// lots and entries to records, and each record as it is in the journal. Only reads; a run may write
// meanwhile.
import { CorruptionError, UsageError } from '../../models/error.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { disposalsOf } from '../reports/disposals.ts'
import { type PeriodOptions, readPeriod } from '../reports/period.ts'
import { requireTable } from '../reports/report.ts'
import { calendarOf } from '../rules/catalogue.ts'
import { type LotChoice, lawOf } from '../rules/matching.ts'
import { asideSteps } from './aside.ts'
import { meaningsOf, unknownId } from './find.ts'
import { type FrameEvidence, readFrames } from './frames.ts'
import type { Place, Step } from './step.ts'

export interface Explanation {
  readonly id: string
  /** Every meaning of the id. */
  readonly steps: readonly Step[]
  /** The frames that the steps name, by number. */
  readonly frames: ReadonlyMap<number, FrameEvidence>
}

export interface ExplainOptions {
  /** How many parallel steps are followed; the rest are counted. 20 by default. */
  readonly limit?: number
  /** How lots are matched; as published if absent or empty. */
  readonly lots?: LotChoice
  /** Currency in which gains are calculated; as published if absent. */
  readonly currency?: string | undefined
  /** The period of the report that a line belongs to; all of history if absent or empty. */
  readonly period?: PeriodOptions
  /** Show data about people as received. */
  readonly showPersonalData?: boolean
}

const LIMIT = 20

/**
 * Explains an id: of a disposal, lot, entry, transaction, trade, break, line of a report, record of the
 * venue, imported row, even if withdrawn or quarantined, or a position in the journal (`frame:row`).
 * UsageError with near matches for an unknown id; CorruptionError if the journal is not what was written.
 */
export async function explain(
  ledger: Ledger,
  dir: string,
  id: string,
  { limit = LIMIT, lots, currency, period: given = {}, showPersonalData = false }: ExplainOptions,
): Promise<Explanation> {
  for (const table of ['entries', 'breaks']) requireTable(ledger, table)
  const matched =
    lots === undefined && currency === undefined
      ? ledger
      : (await disposalsOf(ledger, lots ?? {}, currency)).reader
  const calendar = calendarOf(lawOf(lots ?? {}), lots?.timeZone)
  const period = readPeriod(given, calendar)
  const known = await meaningsOf({ matched, ledger, limit, zone: calendar.timeZone, period }, id)
  // A number is a position in the journal if it is nothing else.
  const isNothingElse = known.every(({ what }) => what === 'frame')
  const aside = isNothingElse ? await asideSteps(ledger, dir, id, limit) : []
  const steps = aside.length > 0 ? aside : known
  if (steps.length === 0) throw await unknownId(ledger, dir, id)
  if (period.label !== '') mustBeOfPeriod(id, steps)
  const frames = await readFrames(dir, namedRows(steps), { showPersonalData })
  for (const { what, frame, row } of namedRows(steps)) {
    const evidence = frames.get(frame)
    const isThere = evidence !== undefined && (row === null || evidence.rowAt(row) !== null)
    if (isThere) continue
    // A position that the user named may not exist; one that the ledger names must.
    if (what === 'frame') throw await unknownId(ledger, dir, id)
    throw notInJournal(frame, row)
  }
  return { id, steps, frames }
}

/** Nothing else is restricted to a period, and must not look as if it were. */
function mustBeOfPeriod(id: string, steps: readonly Step[]): void {
  if (steps.some(({ what }) => what === 'line')) return
  throw new UsageError('Only a line of a report has a period.', {
    where: '--from, --to, --year',
    expected: 'the line_id of a statement or of the profit and loss, or a balance',
    found: `${id}, which is ${steps.map(({ what }) => `${/^[aeiou]/.test(what) ? 'an' : 'a'} ${what}`).join(' and ')}`,
    action: 'Omit these options.',
  })
}

function namedRows(steps: readonly Step[]): (Place & { readonly what: string })[] {
  return steps.flatMap(({ what, place, steps: below }) => [
    ...(place === null ? [] : [{ what, ...place }]),
    ...namedRows(below),
  ])
}

function notInJournal(frame: number, row: number | null): CorruptionError {
  return new CorruptionError('The journal does not hold the row that the ledger names.', {
    where: `frame ${frame}`,
    expected: `row ${row}, counted from 0`,
    found: 'no such row, or no such frame',
    action:
      'Run `tieout verify`; if the journal verifies, run `tieout rebuild` to build the books again from it.',
  })
}
