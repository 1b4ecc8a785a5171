// The state of the books: coverage and freshness, what the venue will forget and when, runs, and open breaks.
// It reads the published ledger and how far the journal reaches, so it works without a configuration, without
// a ledger, and while a run is writing.
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

/** A period that was not received; times are ISO-8601 UTC. */
export interface Gap {
  readonly from: string
  readonly to: string
  /**
   * As in the table `coverage`: pending, failed, lost or unproven as stated there; missing if nothing is
   * stated.
   */
  readonly status: string
  readonly reason: string | null
}

export interface FeedStatus {
  readonly account: string
  readonly feed: string
  readonly partition: string
  /** First and last instant covered; null if nothing is. */
  readonly from: string | null
  readonly to: string | null
  /** Milliseconds from the last covered instant to now. */
  readonly behindMs: number | null
  readonly gaps: readonly Gap[]
  /** not_applicable, failed or pending if that applies to the whole feed, else null. */
  readonly status: string | null
  readonly reason: string | null
  /** How long the venue remembers the feed; null if no limit is known. */
  readonly retentionDays: number | null
  /**
   * When the venue begins to forget what has not been fetched; in the past if it has begun. Also null for a
   * feed that the configuration no longer names: no run would fetch it.
   */
  readonly forgetsAt: string | null
}

export interface BreakCounts {
  readonly error: number
  readonly warning: number
  readonly notice: number
  /** Open breaks by severity, the worst first, then by name. */
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
  /** When the ledger was published, as recorded in it; null if there is none. */
  readonly publishedAt: string | null
  /**
   * When the last run ended that fetched everything the configuration asks for; null if the ledger records
   * none.
   */
  readonly lastGoodRunAt: string | null
  readonly feeds: readonly FeedStatus[]
  readonly runs: readonly RunStatus[]
  readonly breaks: BreakCounts
  /** How many breaks are explained by a note of the user. */
  readonly explained: number
  /**
   * Frames of the journal that the published ledger was not built from. Null if that is not known: a run is
   * writing the books, there is no ledger, or the journal is missing, cannot be read or ends before the
   * frames that the ledger was built from.
   */
  readonly unbuilt: number | null
  /** Breaks of the last build if it was not published; null if the published ledger is the last build. */
  readonly unpublished: BreakCounts | null
}

/** Accounts and feeds of the configuration; feeds undefined means all. */
export interface Asked {
  readonly accounts: readonly string[]
  readonly feeds: readonly string[] | undefined
}

export interface StatusOptions {
  /** Unix milliseconds that the run treats as now. */
  readonly now: number
  /** Days by feed, for feeds whose retention the configuration overrides. */
  readonly retentionDays?: Readonly<Record<string, number>>
  /** What runs still ask for, according to the configuration; everything if it names no account. */
  readonly asked?: Asked
  readonly disk?: Disk
  readonly engine?: EngineSettings
  /** Where the ledger is, if not in a file of the books. */
  readonly source?: LedgerSource | undefined
}

const NO_BREAKS: BreakCounts = { error: 0, warning: 0, notice: 0, checks: [] }
const RUNS_SHOWN = 5
/** How far the clock of a machine may be set back. */
const CLOCKS_APART_MS = 5 * 60_000

/** A missing ledger is a state to be reported; a damaged ledger is an error. */
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

/** A ledger of an earlier version does not record it, so the time of its file is used. */
async function publishedAt(ledger: Ledger): Promise<string> {
  if (ledger.tables.get('about')?.includes('published_at') !== true)
    return (await stat(ledger.file)).mtime.toISOString()
  const [at] = (await ledger.query('select epoch_ms(published_at) from about'))[0] ?? []
  return new Date(Number(at)).toISOString()
}

/** A journal that is damaged or unreadable to this user is reported by `verify`, not here. */
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
 * A good run fetched everything that was asked for and published it: code 0, or 3 for breaks. Runs that were
 * refused, incomplete, limited to some accounts or feeds, or not published are not good, and neither is a run
 * that ended after `now` because of a wrong clock or --now.
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

/** The state of each feed, by account, feed and partition. */
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
  // One account fetches public feeds for all of them, so the venue forgets only what no account has read.
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

/** Whether a run would fetch it; any account fetches public feeds for all. */
function isAsked(account: string, feed: string, asked: Asked | undefined): boolean {
  if (asked === undefined || asked.accounts.length === 0) return true
  const hasAccount = asked.accounts.includes(account) || findEndpoint(feed)?.public === true
  return hasAccount && (asked.feeds?.includes(feed) ?? true)
}

/** What was asked for and not received, oldest first. */
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
