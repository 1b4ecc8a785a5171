// Repairs the books after damage to their journal: intact frames are kept, damaged ones are set aside, and every range
// whose coverage depended on a lost frame becomes pending again, so that the next run fetches it while the venue still
// has it.
import { type DuckDBConnection, type DuckDBValue, listValue } from '@duckdb/node-api'
import { closing } from '../../models/closing.ts'
import type { Range } from '../../models/ranges.ts'
import { counted } from '../../models/text.ts'
import type { Config } from '../config/config.ts'
import type { CommandContext } from '../config/context.ts'
import { type EngineSettings, engineSettings } from '../engine/settings.ts'
import { type Disk, nodeDisk } from '../journal/disk.ts'
import type { FrameMeta, PageMeta, Reopened, StatementMeta } from '../journal/frame.ts'
import { acquireLock } from '../journal/lock.ts'
import { finishRepair, rangesOf, repairJournal } from '../journal/repair.ts'
import { journalFolder } from '../journal/scan.ts'
import { isWhole, type LostFrame, type SegmentSurvey, type Survey, surveyJournal } from '../journal/survey.ts'
import { verifyJournal } from '../journal/verify.ts'
import { lastLanded } from '../landing/last-landed.ts'
import { mustBeBooks, readLanding } from './books.ts'
import { mustBeOwnFiles } from './copies.ts'

export interface RepairResult {
  /** Number of frames that were kept as they are. */
  readonly kept: number
  /** Numbers of the lost frames. */
  readonly setAside: readonly { readonly from: number; readonly to: number }[]
  /**
   * Those of them that are not damaged but missing: they had landed, and the journal ends before them. Null for none.
   */
  readonly missing: { readonly from: number; readonly to: number } | null
  /** File with the damaged bytes; null if none were left. */
  readonly file: string | null
  /** Number of ranges to be fetched again. */
  readonly pending: number
  /** What no venue can supply again, and what to do about it. */
  readonly losses: readonly string[]
}

/**
 * Repairs the journal where it is damaged. Returns null if it is intact, and also if nothing of it is. Holds the lock
 * of the books while it works.
 */
export async function repairBooks(
  { dir, clock, run }: Pick<CommandContext, 'dir' | 'clock' | 'run'>,
  config: Config,
  disk: Disk = nodeDisk,
): Promise<RepairResult | null> {
  mustBeBooks(dir, 'needed')
  mustBeOwnFiles(dir)
  const lock = await acquireLock(dir, 'verify --repair', clock, disk)
  const close = () => lock.release()
  return await closing(close, async () => {
    await finishRepair(dir, disk)
    const engine = engineSettings(config.engine)
    const { problems, frames } = await verifyJournal(dir, disk)
    const { landedSeq = 0 } = await lastLanded(dir, engine)
    if (problems.length === 0 && landedSeq <= frames) return null
    const folder = journalFolder(dir)
    const asItIs = await surveyJournal(disk, folder)
    const foreign = await foreignFiles(dir, engine, asItIs)
    const found = foreign.length === 0 ? asItIs : await surveyJournal(disk, folder, foreign)
    const survey = reaching(found, landedSeq)
    const missing = landedSeq > found.lastSeq ? { from: found.lastSeq + 1, to: landedSeq } : null
    // A journal of which nothing is left has nothing to keep: restore it from a backup.
    if (!survey.segments.some((segment) => segment.frames.some(isWhole))) return null
    const lost = survey.segments.flatMap((segment) => segment.frames.filter((frame) => !isWhole(frame)))
    const reopens = reopened(survey)
    const losses = [
      ...foreign.map(
        (path) => `${path} belonged to other books: its pages are not the ones that had landed.`,
      ),
      ...describeLost(lost),
      ...(await describeLanded(dir, engine, lost)),
    ]
    const statements = reopens.flatMap((one) => statementOf(one, config, run, clock.wall()))
    const { file, setAside } = await repairJournal(dir, survey, { run, reopens, statements }, clock, disk)
    const kept = survey.segments.reduce((sum, segment) => sum + segment.frames.filter(isWhole).length, 0)
    return { kept, setAside, missing, file, pending: reopens.length, losses }
  })
}

/**
 * Files that do not chain to those before them, and whose pages are not the ones that had landed under these numbers.
 * Of files that have not landed, those that begin at a number that earlier files of the books also have. Returns none
 * if the landing database cannot be read or has no page of this journal: then it belongs to other books itself, and
 * proves nothing.
 */
async function foreignFiles(dir: string, engine: EngineSettings, { segments }: Survey): Promise<string[]> {
  const parts: SegmentSurvey[][] = []
  for (const segment of segments)
    if (segment.continues && parts.length > 0) parts.at(-1)?.push(segment)
    else parts.push([segment])
  const landing = parts.length < 2 ? null : await readLanding(dir, engine).catch(() => null)
  if (landing === null) return []
  return await closing(landing, async () => {
    const foreign: SegmentSurvey[][] = []
    let hasOwn = false
    let ownEnd = 0
    for (const part of parts) {
      const isOwn = await isAsLanded(landing.connection, part)
      const beginsAgain = (part[0]?.firstSeq ?? Number.POSITIVE_INFINITY) <= ownEnd
      if (isOwn === false || (isOwn === null && beginsAgain)) foreign.push(part)
      if (isOwn !== true) continue
      hasOwn = true
      ownEnd = part.flatMap(({ frames }) => frames.filter(isWhole)).at(-1)?.seq ?? ownEnd
    }
    return hasOwn ? foreign.flat().flatMap(({ path }) => path ?? []) : []
  })
}

/** This many pages are enough to tell. */
const PAGES_COMPARED = 1000

/** Null if none of its pages had landed, so that nothing can be concluded. */
async function isAsLanded(
  connection: DuckDBConnection,
  part: readonly SegmentSurvey[],
): Promise<boolean | null> {
  const runs = new Map(
    part
      .flatMap(({ frames }) => frames.filter(isWhole))
      .flatMap(({ seq, meta }) => (meta.kind === 'page' ? [[seq, meta.run] as const] : []))
      .slice(0, PAGES_COMPARED),
  )
  if (runs.size === 0) return null
  const reader = await connection.runAndReadAll(
    `select page_id, run_id from landing.main.pages where page_id in (${[...runs.keys()].join(', ')})`,
  )
  const landed = reader.getRows()
  return landed.length === 0 ? null : landed.some(([seq, run]) => runs.get(Number(seq)) === run)
}

/** Everything that had landed was in the journal, so numbers beyond its end are lost frames too. */
function reaching(survey: Survey, landedSeq: number): Survey {
  const last = survey.segments.at(-1)
  if (last === undefined || landedSeq <= survey.lastSeq) return survey
  for (let seq = survey.lastSeq + 1; seq <= landedSeq; seq += 1) last.frames.push({ seq, meta: null })
  return { ...survey, lastSeq: landedSeq, firstDamaged: survey.firstDamaged ?? last.number }
}

const PENDING = {
  status: 'pending',
  code: 'set aside',
  reason:
    'a frame of the journal was damaged or missing when it was repaired, so this is to be fetched again',
} as const

function statementOf({ range, ...of }: Reopened, config: Config, run: string, now: number): StatementMeta[] {
  if (range === null) return []
  const named = config.history.feeds?.includes(of.feed) ?? false
  return [{ kind: 'statement', at: new Date(now).toISOString(), run, ...of, range, ...PENDING, named }]
}

interface RunSpan {
  first: number
  last: number
  hasStart: boolean
  hasEnd: boolean
}

/**
 * Coverage that depended on the lost frames. If a page's header is intact, it names its window. A frame of which
 * nothing is known may have been any page of the runs that were in progress: all their windows are included, and every
 * window that was continued and whose first page is missing.
 */
export function reopened(survey: Survey): Reopened[] {
  const all = survey.segments.flatMap(({ frames }) => frames)
  const unknown = all.flatMap((frame) => (!isWhole(frame) && frame.meta === null ? [frame.seq] : []))
  const pages = all.flatMap((frame) => (frame.meta?.kind === 'page' ? [{ frame, meta: frame.meta }] : []))
  const found = new Map<string, Reopened>()
  const reopen = ({ account, feed, partition, window, covers }: PageMeta): void => {
    if (window === undefined) return
    const range: Range = {
      start: Math.min(window.start, covers?.start ?? window.start),
      end: Math.max(window.end, covers?.end ?? window.end),
    }
    const one = { account, feed, partition, range }
    found.set(JSON.stringify(one), one)
  }
  for (const { frame, meta } of pages) if (!isWhole(frame)) reopen(meta)
  if (unknown.length === 0) return [...found.values()]
  const affected = runsAround(all, unknown)
  const windowOf = ({ account, feed, partition, window }: PageMeta): string =>
    JSON.stringify([account, feed, partition, window])
  const begun = new Set(pages.flatMap(({ meta }) => (meta.cursor === undefined ? [windowOf(meta)] : [])))
  for (const { meta } of pages) if (affected.has(meta.run) || !begun.has(windowOf(meta))) reopen(meta)
  return [...found.values()]
}

/**
 * Runs that may have written a frame with one of these numbers (ascending). Only one process writes at a time, so
 * another run's start or end bounds them.
 */
function runsAround(
  frames: Survey['segments'][number]['frames'],
  numbers: readonly number[],
): ReadonlySet<string> {
  const runs = new Map<string, RunSpan>()
  for (const { seq, meta } of frames) {
    if (meta === null || !('run' in meta)) continue
    const span = runs.get(meta.run) ?? { first: seq, last: seq, hasStart: false, hasEnd: false }
    span.last = seq
    if (meta.kind === 'run-start') span.hasStart = true
    if (meta.kind === 'run-end') span.hasEnd = true
    runs.set(meta.run, span)
  }
  // After the start or end of another run, a run is over; before it, the run had not begun.
  const bounds = [...runs.values()].flatMap(({ first, last }) => [first, last]).toSorted((a, b) => a - b)
  return new Set(
    [...runs].flatMap(([run, { first, last, hasStart, hasEnd }]) => {
      const [after, behind] = [above(numbers, first), above(numbers, last)]
      const before = below(numbers, first)
      const isAround =
        (after !== undefined && after < last) ||
        (behind !== undefined && !hasEnd && behind <= (above(bounds, last) ?? behind)) ||
        (before !== undefined && !hasStart && before >= (below(bounds, first) ?? before))
      return isAround ? [run] : []
    }),
  )
}

/** Index of the first of these ascending numbers that is not below a limit. */
function placeOf(numbers: readonly number[], limit: number): number {
  let [from, to] = [0, numbers.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if ((numbers[middle] as number) < limit) from = middle + 1
    else to = middle
  }
  return from
}

const above = (numbers: readonly number[], limit: number): number | undefined =>
  numbers[placeOf(numbers, limit + 1)]

const below = (numbers: readonly number[], limit: number): number | undefined =>
  numbers[placeOf(numbers, limit) - 1]

/** Losses that only the user can restore, for frames whose header is intact. */
function describeLost(lost: readonly LostFrame[]): string[] {
  return lost.flatMap(({ seq, meta }) => (meta === null ? [] : describeOne(seq, meta)))
}

const importLost = (seq: number, file: string): string =>
  `Frame ${seq} was the import of ${file}: import the file again.`
const withdrawalLost = (seq: number, id: number): string =>
  `Frame ${seq} withdrew import ${id}, which is included again: run tieout import --undo ${id}.`
const noteLost = (seq: number, breakId: string): string =>
  `Frame ${seq} was a note on break ${breakId}: if the break is open again, explain it again.`
const writeLost = (seq: number, endpoint: string, account: string): string =>
  `Frame ${seq} was the intent of a write (${endpoint} of account ${account}): the books no longer have a record of it. Look at the account before you send it again.`

function describeOne(seq: number, meta: FrameMeta): string[] {
  switch (meta.kind) {
    case 'import':
      return [importLost(seq, meta.file)]
    case 'import-withdrawal':
      return [withdrawalLost(seq, meta.withdraws)]
    case 'note':
      return [noteLost(seq, meta.breakId)]
    case 'write-intent':
      return [writeLost(seq, meta.endpoint, meta.account)]
    case 'write-outcome':
      return [
        `Frame ${seq} was the outcome of write ${meta.intent}: \`tieout writes\` lists it as open; settle it there.`,
      ]
    default:
      return []
  }
}

/** The same for frames of which the journal knows nothing any more, from what had landed of them. */
async function describeLanded(
  dir: string,
  engine: EngineSettings,
  lost: readonly LostFrame[],
): Promise<string[]> {
  const numbers = lost.flatMap(({ seq, meta }) => (meta === null ? [seq] : []))
  if (numbers.length === 0) return []
  const landing = await readLanding(dir, engine).catch(() => null)
  const frames = named(rangesOf(numbers))
  if (landing === null)
    return [
      `The content of ${frames} is unknown. Look for missing imports, notes and writes with \`tieout import --list\`, \`tieout check\` and \`tieout writes\`.`,
    ]
  return await closing(landing, async () => {
    const texts = await landedWords(landing.connection, numbers)
    const { landedSeq } = landing
    const never = numbers.filter((seq) => seq > landedSeq)
    return never.length === 0 ? texts : [...texts, `The content of ${frames} is only partly known.`]
  })
}

async function landedWords(connection: DuckDBConnection, numbers: readonly number[]): Promise<string[]> {
  const lost = listValue(numbers)
  /** Rows of a table for the lost frames; the first column holds the frame's number. */
  const ask = async (table: string, seq: string, ...others: readonly string[]): Promise<DuckDBValue[][]> => {
    const reader = await connection.runAndReadAll(
      `select ${[seq, ...others].join(', ')} from landing.main.${table} where ${seq} in (select unnest($lost::bigint[]))`,
      { lost },
    )
    return reader.getRows()
  }
  return [
    ...(await ask('imports', 'page_id', 'file_name')).map(([seq, file]) =>
      importLost(Number(seq), String(file)),
    ),
    ...(await ask('import_withdrawals', 'seq', 'page_id')).map(([seq, id]) =>
      withdrawalLost(Number(seq), Number(id)),
    ),
    ...(await ask('notes', 'seq', 'break_id')).map(([seq, id]) => noteLost(Number(seq), String(id))),
    ...(await ask('writes', 'seq', 'endpoint', 'account')).map(([seq, endpoint, account]) =>
      writeLost(Number(seq), String(endpoint), String(account)),
    ),
  ]
}

function named(ranges: RepairResult['setAside']): string {
  const isOne = ranges.length === 1 && ranges[0]?.from === ranges[0]?.to
  const numbers = ranges.map(({ from, to }) => (from === to ? `${from}` : `${from} to ${to}`))
  return `${isOne ? 'frame' : 'frames'} ${numbers.join(', ')}`
}

export function describeRepair({ kept, setAside, missing, file, pending, losses }: RepairResult): string {
  const end = (missing?.from ?? Number.POSITIVE_INFINITY) - 1
  const damaged = setAside
    .filter(({ from }) => from <= end)
    .map(({ from, to }) => ({ from, to: Math.min(to, end) }))
  return [
    damaged.length === 0
      ? `${missing === null ? 'The journal was repaired' : 'No frame of the journal is damaged'}; all ${kept} frames are kept.`
      : `${file === null ? 'Missing' : 'Damaged or missing'}: ${named(damaged)}. Kept: ${counted(kept, 'whole frame')}.`,
    ...(missing === null ? [] : [describeMissing(missing)]),
    ...(file === null ? [] : [`The damaged bytes are in ${file}.`]),
    ...losses,
    ...(pending === 0
      ? []
      : [
          pending === 1
            ? '1 range is pending again: `tieout nightly` fetches it while the venue still has it.'
            : `${pending} ranges are pending again: \`tieout nightly\` fetches them while the venue still has them.`,
        ]),
  ].join('\n')
}

const describeMissing = ({ from, to }: NonNullable<RepairResult['missing']>): string =>
  `${from === to ? `Frame ${from} is` : `Frames ${from} to ${to} are`} missing: they had landed, but are beyond the end of this journal. ` +
  'If a later backup of the journal has them, put that backup in place and run `tieout rebuild`.'
