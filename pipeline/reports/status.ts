// How the books stand: what is covered and how fresh, what the venue will forget and when, runs, and open breaks.
// Reads what is published, and how far the journal goes; so it answers without a configuration, without a ledger, and while a
// run writes.
import { stat } from 'node:fs/promises'
import { findEndpoint } from '../../connectors/catalogue.ts'
import { days, retentionOf } from '../../connectors/endpoint.ts'
import { systemClock } from '../../models/clock.ts'
import { TieoutError } from '../../models/error.ts'
import { type Range, union } from '../../models/ranges.ts'
import type { EngineSettings } from '../engine/settings.ts'
import { type Disk, nodeDisk } from '../journal/disk.ts'
import { openJournal } from '../journal/journal.ts'
import { lockHolder } from '../journal/lock.ts'
import { SEVERITIES, type Severity } from '../ledger/breaks.ts'
import type { LedgerSource } from '../ledger/distant.ts'
import { type Ledger, NoLedger, openLedger } from '../ledger/ledger.ts'
import { readUnpublishedBreaks } from '../ledger/publish.ts'
import type { Row } from '../output/cell.ts'

/** A stretch of time that was not had; times are ISO-8601 UTC. */
export interface Gap {
  readonly from: string
  readonly to: string
  /** As the table `coverage` says: pending, failed, lost or unproven as stated; missing where nobody has stated anything. */
  readonly status: string
  readonly reason: string | null
}

export interface FeedStatus {
  readonly account: string
  readonly feed: string
  readonly partition: string
  /** First and last instant that is covered; null when nothing is. */
  readonly from: string | null
  readonly to: string | null
  /** Milliseconds from the last covered instant to now. */
  readonly behindMs: number | null
  readonly gaps: readonly Gap[]
  /** not_applicable, failed or pending where that is all there is to say of the feed; null else. */
  readonly status: string | null
  readonly reason: string | null
  /** How long the venue remembers the feed; null if no limit is known. */
  readonly retentionDays: number | null
  /**
   * When the venue begins to forget what has not been fetched; in the past when it has begun. Null also for what the
   * configuration no longer names: no run would fetch it.
   */
  readonly forgetsAt: string | null
}

export interface BreakCounts {
  readonly error: number
  readonly warning: number
  readonly notice: number
  /** Open breaks by severity, the worst first, and name. */
  readonly checks: readonly { readonly severity: Severity; readonly check: string; readonly count: number }[]
}

export interface RunStatus {
  readonly startedAt: string | null
  readonly endedAt: string | null
  readonly command: string | null
  readonly requests: number
  readonly rows: number
  readonly retries: number
  readonly outcome: string | null
}

export interface Status {
  readonly dir: string
  readonly now: string
  /** When the ledger was published, as it says itself; null when there is none. */
  readonly publishedAt: string | null
  /** When the last run ended that read all that the configuration wants; null for none that the ledger knows of. */
  readonly lastGoodRunAt: string | null
  readonly feeds: readonly FeedStatus[]
  readonly runs: readonly RunStatus[]
  readonly breaks: BreakCounts
  /** How many breaks a note of the user explains. */
  readonly explained: number
  /**
   * Frames of the journal that the published ledger was not built from; null where that is not known: a run writes the books,
   * there is no ledger, or the journal is not there, cannot be read or ends before what the ledger was built from.
   */
  readonly unbuilt: number | null
  /** Breaks of the last build when it was not published; null when the published ledger is the last build. */
  readonly unpublished: BreakCounts | null
}

/** Accounts and feeds of the configuration; no feeds for all that there are. */
export interface Asked {
  readonly accounts: readonly string[]
  readonly feeds: readonly string[] | undefined
}

export interface StatusOptions {
  /** Unix milliseconds that the run calls now. */
  readonly now: number
  /** Days by feed, where the configuration overrides how long the venue remembers. */
  readonly retentionDays?: Readonly<Record<string, number>>
  /** What runs still ask for, as the configuration has it; everything where it names no account. */
  readonly asked?: Asked
  readonly disk?: Disk
  readonly engine?: EngineSettings
  /** Where the ledger stands instead of in a file of the books. */
  readonly source?: LedgerSource | undefined
}

const NO_BREAKS: BreakCounts = { error: 0, warning: 0, notice: 0, checks: [] }
const RUNS_SHOWN = 5
/** What the clock of a machine may be set back. */
const CLOCKS_APART_MS = 5 * 60_000

/** A ledger that is not there yet is a state to be reported; one that is damaged is an error. */
export async function readStatus(dir: string, options: StatusOptions): Promise<Status> {
  const unpublished = await readUnpublishedBreaks(options.disk ?? nodeDisk, dir)
  const common = {
    dir,
    now: new Date(options.now).toISOString(),
    unpublished:
      unpublished === null
        ? null
        : countBreaks(unpublished.map(({ severity, checkName }) => [severity, checkName, 1])),
  }
  let ledger: Ledger
  try {
    ledger = await openLedger(dir, {
      source: options.source,
      ...(options.engine === undefined ? {} : { engine: options.engine }),
    })
  } catch (error) {
    if (!(error instanceof NoLedger)) throw error
    const none = { publishedAt: null, lastGoodRunAt: null, feeds: [], runs: [] }
    return { ...common, ...none, breaks: NO_BREAKS, explained: 0, unbuilt: null }
  }
  try {
    return {
      ...common,
      publishedAt: await publishedAt(ledger),
      lastGoodRunAt: await lastGoodRunAt(ledger, options.now),
      feeds: await readFeeds(ledger, options),
      runs: await readRuns(ledger),
      breaks: countBreaks(
        await ledger.query(
          `select severity, check_name, count(*) from breaks where status = 'open'
           group by severity, check_name order by check_name`,
        ),
      ),
      explained: Number(
        (await ledger.query("select count(*) from breaks where status = 'explained'"))[0]?.[0] ?? 0,
      ),
      unbuilt: await unbuiltFrames(ledger, dir, options.disk ?? nodeDisk),
    }
  } finally {
    ledger.close()
  }
}

/** A ledger of an earlier version does not say it; then its file is all there is to go by. */
async function publishedAt(ledger: Ledger): Promise<string> {
  if (ledger.tables.get('about')?.includes('published_at') !== true)
    return (await stat(ledger.file)).mtime.toISOString()
  const [at] = (await ledger.query('select epoch_ms(published_at) from about'))[0] ?? []
  return new Date(Number(at)).toISOString()
}

/** A journal that is damaged, or that who asks may not read, is for `verify` to tell of. */
export async function unbuiltFrames(ledger: Ledger, dir: string, disk: Disk): Promise<number | null> {
  if (ledger.tables.get('about')?.includes('landed_seq') !== true) return null
  const [built] = (await ledger.query('select landed_seq from about'))[0] ?? []
  try {
    if ((await lockHolder(dir, disk)) !== null) return null
    const journal = await openJournal(dir, { mode: 'read', clock: systemClock, disk })
    const unbuilt = journal.lastSeq - Number(built)
    return unbuilt < 0 ? null : unbuilt
  } catch (error) {
    if (error instanceof TieoutError) return null
    throw error
  }
}

/**
 * Good is a run that read all that was wanted and published it: code 0, or 3 for breaks. A refused one, an incomplete one,
 * one of a part of the accounts or feeds, and one whose ledger was not published are not; nor is one that ended after `now`,
 * by a clock that was wrong or with --now.
 */
export async function lastGoodRunAt(ledger: Ledger, now: number): Promise<string | null> {
  const [at] =
    (
      await ledger.query(
        "select epoch_ms(max(ended_at)) from runs where outcome = 'done' and epoch_ms(ended_at) <= $latest::bigint",
        { latest: BigInt(now + CLOCKS_APART_MS) },
      )
    )[0] ?? []
  return at === null || at === undefined ? null : new Date(Number(at)).toISOString()
}

/** Whether the last good run is older than that, or there is none. */
export function isStale({ now, lastGoodRunAt }: Status, maxAgeMs: number): boolean {
  return lastGoodRunAt === null || Date.parse(now) - Date.parse(lastGoodRunAt) > maxAgeMs
}

/** Whether the books, or the build that was not published, have open breaks of severity error or warning. */
export function hasOpenBreaks({ breaks, unpublished }: Status): boolean {
  return [breaks, unpublished ?? NO_BREAKS].some(({ error, warning }) => error + warning > 0)
}

function countBreaks(rows: readonly Row[]): BreakCounts {
  const checks = new Map<string, { severity: Severity; check: string; count: number }>()
  for (const [severity, check, count] of rows) {
    const key = `${severity} ${check}`
    const before = checks.get(key)?.count ?? 0
    checks.set(key, { severity: severity as Severity, check: String(check), count: before + Number(count) })
  }
  const worstFirst = SEVERITIES.flatMap((severity) =>
    [...checks.values()].filter((one) => one.severity === severity),
  )
  const of = (severity: Severity): number =>
    worstFirst.reduce((sum, one) => sum + (one.severity === severity ? one.count : 0), 0)
  return { error: of('error'), warning: of('warning'), notice: of('notice'), checks: worstFirst }
}

async function readRuns(ledger: Ledger): Promise<RunStatus[]> {
  const rows = await ledger.query(
    `select started_at, ended_at, command, requests, rows, retries, outcome
     from runs order by started_at desc nulls last limit ${RUNS_SHOWN}`,
  )
  const text = (cell: unknown): string | null => (cell === null ? null : String(cell))
  return rows.map(([startedAt, endedAt, command, requests, count, retries, outcome]) => ({
    startedAt: text(startedAt),
    endedAt: text(endedAt),
    command: text(command),
    requests: Number(requests),
    rows: Number(count),
    retries: Number(retries),
    outcome: text(outcome),
  }))
}

interface Interval {
  readonly range: Range | null
  readonly status: string
  readonly reason: string | null
}

/** How each feed stands, by account, feed and partition. */
export async function readFeeds(
  ledger: Ledger,
  options: Pick<StatusOptions, 'now' | 'retentionDays' | 'asked'>,
): Promise<FeedStatus[]> {
  const reason = ledger.tables.get('coverage')?.includes('reason') === true ? 'reason' : 'null'
  const rows = await ledger.query(
    `select account, feed, partition, epoch_ms(starts_at), epoch_ms(ends_at), status, ${reason}
     from coverage order by account, feed, partition, starts_at nulls first`,
  )
  const feeds = new Map<string, { names: [string, string, string]; intervals: Interval[] }>()
  for (const [account, feed, partition, start, end, status, why] of rows) {
    const names: [string, string, string] = [String(account), String(feed), String(partition)]
    const found = feeds.get(JSON.stringify(names)) ?? { names, intervals: [] }
    const range = start === null || end === null ? null : { start: Number(start), end: Number(end) }
    found.intervals.push({ range, status: String(status), reason: why === null ? null : String(why) })
    feeds.set(JSON.stringify(names), found)
  }
  const all = [...feeds.values()].map(({ names, intervals }) => feedStatus(names, intervals, options))
  // What is public one account of a run reads for all: what any of them read last is what the venue has not forgotten.
  const publics = all.filter(({ feed }) => findEndpoint(feed)?.public === true)
  const newest = new Map<string, string>()
  for (const { feed, partition, to } of publics)
    if (to !== null && to > (newest.get(`${feed} ${partition}`) ?? '')) newest.set(`${feed} ${partition}`, to)
  return all.map((one) => {
    const readAt = newest.get(`${one.feed} ${one.partition}`)
    return readAt === undefined || readAt === one.to ? one : { ...one, forgetsAt: null }
  })
}

const HAD = ['complete', 'empty']

function feedStatus(
  [account, feed, partition]: readonly [string, string, string],
  intervals: readonly Interval[],
  options: Pick<StatusOptions, 'now' | 'retentionDays' | 'asked'>,
): FeedStatus {
  const covered = intervals.flatMap(({ range, status }) =>
    range !== null && HAD.includes(status) ? [range] : [],
  )
  const whole = intervals.find(({ range }) => range === null)
  const ends = union(covered)
  const last = ends.at(-1)?.end
  const gaps = gapsOf(intervals)
  const retentionMs = retention(feed, options)
  const open = [
    ...gaps.filter((gap) => gap.status !== 'lost').map((gap) => gap.range.start),
    ...(last === undefined ? [] : [last]),
  ]
  const forgets =
    retentionMs === null || open.length === 0 || !isAsked(account, feed, options.asked)
      ? null
      : Math.min(...open) + retentionMs
  return {
    account,
    feed,
    partition,
    from: iso(ends[0]?.start),
    to: iso(last),
    behindMs: last === undefined ? null : Math.max(0, options.now - last),
    gaps: gaps.map(({ range, status, reason }) => ({
      from: new Date(range.start).toISOString(),
      to: new Date(range.end).toISOString(),
      status,
      reason,
    })),
    status: whole?.status ?? null,
    reason: whole?.reason ?? null,
    retentionDays: retentionMs === null ? null : retentionMs / days(1),
    forgetsAt: iso(forgets),
  }
}

/** Whether a run would fetch it: what is public any account reads for all. */
function isAsked(account: string, feed: string, asked: Asked | undefined): boolean {
  if (asked === undefined || asked.accounts.length === 0) return true
  const hasAccount = asked.accounts.includes(account) || findEndpoint(feed)?.public === true
  return hasAccount && (asked.feeds?.includes(feed) ?? true)
}

/** What was wanted and not had, oldest first. */
function gapsOf(intervals: readonly Interval[]): { range: Range; status: string; reason: string | null }[] {
  return intervals
    .flatMap(({ range, status, reason }) =>
      range === null || HAD.includes(status) ? [] : [{ range, status, reason }],
    )
    .toSorted((one, other) => one.range.start - other.range.start)
}

function retention(feed: string, { retentionDays }: Pick<StatusOptions, 'retentionDays'>): number | null {
  const given = retentionDays?.[feed]
  const override = given === undefined ? undefined : days(given)
  const endpoint = findEndpoint(feed)
  if (endpoint === undefined) return override ?? null
  const ms = retentionOf(endpoint, override)
  return Number.isFinite(ms) ? ms : null
}

function iso(ms: number | null | undefined): string | null {
  return ms === null || ms === undefined ? null : new Date(ms).toISOString()
}
