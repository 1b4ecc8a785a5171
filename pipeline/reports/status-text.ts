// The status of the books in words, for the command `status` without --json.

import { counted } from '../../models/text.ts'
import type { Row } from '../output/cell.ts'
import type { Column } from '../output/column.ts'
import type { Meaning } from '../output/ink.ts'
import { fitted, type Importance } from '../output/screen.ts'
import { printTable } from '../output/table.ts'
import { setIn } from '../output/wrap.ts'
import type { BreakCounts, FeedStatus, Status } from './status.ts'

const FEED_COLUMNS: readonly Column[] = [
  { name: 'account' },
  { name: 'feed' },
  { name: 'partition' },
  { name: 'from', kind: 'time' },
  { name: 'to', kind: 'time' },
  { name: 'behind', align: 'right' },
  { name: 'gaps', kind: 'number' },
  { name: 'forgets', title: 'forgotten from', kind: 'time' },
  { name: 'state' },
]

const GAP_COLUMNS: readonly Column[] = ['account', 'feed', 'partition', 'from', 'to', 'status', 'reason'].map(
  (name) => ({ name }),
)

const RUN_COLUMNS: readonly Column[] = [
  { name: 'started', kind: 'time' },
  { name: 'ended', kind: 'time' },
  { name: 'command' },
  { name: 'requests', kind: 'number' },
  { name: 'rows', kind: 'number' },
  { name: 'retries', kind: 'number' },
  { name: 'outcome' },
]

/** A good run older than this means that a nightly run was missed. */
const FRESH_FOR_MS = 36 * 3_600_000

export interface StatusForm {
  /** Columns of the terminal; if absent, nothing is omitted or summarised. */
  readonly width?: number
  /** How old the last good run may be. */
  readonly maxAgeMs?: number | null
}

type Counts = Pick<BreakCounts, 'error' | 'warning' | 'notice'>

/** What a verdict depends on. */
export type Standing = Pick<Status, 'dir' | 'publishedAt' | 'unbuilt'> & {
  readonly runs: readonly unknown[]
  readonly breaks: Counts
  readonly unpublished: Counts | null
}

/** The state of the books in one line, and how serious it is. */
export function verdict(standing: Standing): { readonly meaning: Meaning; readonly text: string } {
  const { dir, publishedAt, unpublished, unbuilt, breaks, runs } = standing
  if (publishedAt === null)
    return { meaning: 'doubtful', text: `The books in ${dir} have not been built yet.` }
  const { error, warning, notice } = unpublished ?? breaks
  const open = error + warning
  if (open > 0) {
    const counts = [
      ...(error > 0 ? [counted(error, 'error')] : []),
      ...(warning > 0 ? [counted(warning, 'warning')] : []),
    ]
    return {
      meaning: error > 0 ? 'bad' : 'doubtful',
      text: `${counted(open, 'open break')}: ${counts.join(', ')}.`,
    }
  }
  const none = `no open breaks${notice === 0 ? '' : ` (${counted(notice, 'notice')})`}`
  if (unbuilt !== null && unbuilt > 0)
    return {
      meaning: 'doubtful',
      text: `The ledger is behind the journal by ${counted(unbuilt, 'frame')}; as built, it has ${none}.`,
    }
  // Books built from imports only have nothing to reconcile with.
  if (runs.length === 0)
    return { meaning: 'doubtful', text: `No run has reached the venue; on its own, the ledger has ${none}.` }
  return { meaning: 'good', text: `Ties out: ${none}.` }
}

/** One page with the verdict first, as paragraphs wrapped for a terminal; without a trailing line break. */
export function describeStatus(status: Status, form: StatusForm = {}): string {
  const { width } = form
  const gaps = status.feeds.flatMap((feed) =>
    feed.gaps.map((gap) => [
      feed.account,
      feed.feed,
      feed.partition,
      gap.from,
      gap.to,
      gap.status,
      gap.reason,
    ]),
  )
  const runs = status.runs.map((run) => [
    run.startedAt,
    run.endedAt,
    run.command,
    run.requests,
    run.rows,
    run.retries,
    run.outcome,
  ])
  const table = (columns: readonly Column[], rows: readonly Row[], importance: Importance): string =>
    width === undefined ? printTable(columns, rows) : fitted(columns, rows, { width, importance }).table
  const gapsShown = width === undefined ? gaps : gaps.slice(0, GAPS_SHOWN)
  const moreGaps = gaps.length - gapsShown.length
  const say = (text: string): string => (width === undefined ? text : setIn(text, width))
  return [
    [verdict(status).text, freshness(status, form.maxAgeMs ?? FRESH_FOR_MS), losses(status)]
      .filter((line) => line !== '')
      .map((line, at) => (at === 0 ? line : say(line)))
      .join('\n'),
    status.unpublished === null
      ? ''
      : say(
          `The last build was not published: ${breaks(status.unpublished)}\n` +
            'The published ledger is from the build before it. `tieout check` shows the breaks.',
        ),
    status.unpublished === null ? say(older(status)) : '',
    status.publishedAt === null ? '' : say(`Open breaks: ${breaks(status.breaks)}${explained(status)}`),
    coverage(status, width, table),
    gaps.length === 0
      ? ''
      : `Gaps\n${table(GAP_COLUMNS, gapsShown, ['account', 'feed', 'partition', 'status', 'from', 'to', 'reason'])}` +
        (moreGaps === 0 ? '' : `\n… ${moreGaps} more gaps; --wide shows all.`),
    runs.length === 0
      ? ''
      : `Last runs\n${table(RUN_COLUMNS, runs, ['started', 'command', 'outcome', 'requests', 'rows', 'ended'])}`,
    say(
      `Books in ${status.dir}, at ${status.now}${status.publishedAt === null ? '' : `; ledger published ${status.publishedAt}`}.`,
    ),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

const GAPS_SHOWN = 10
/** If there are more feeds than this, a terminal shows one line per account. */
const FEEDS_SHOWN = 15

function coverage(
  status: Status,
  width: number | undefined,
  table: (columns: readonly Column[], rows: readonly Row[], importance: Importance) => string,
): string {
  const { feeds } = status
  if (feeds.length === 0) return ''
  if (width === undefined || feeds.length <= FEEDS_SHOWN) {
    const importance = ['account', 'feed', 'partition', 'behind', 'gaps', 'forgets', 'state', 'to']
    const lines = feeds.map((feed) => feedLine(feed, status))
    return `Coverage\n${table(FEED_COLUMNS, lines, importance)}`
  }
  const accounts = byAccount(feeds)
  const shown =
    accounts.length <= ACCOUNTS_SHOWN ? accounts : accounts.toSorted(worstFirst).slice(0, ACCOUNTS_SHOWN)
  const lines = shown.map((account) => accountLine(account, status))
  const more = accounts.length - shown.length
  return (
    `Coverage by account${more === 0 ? '' : ', the worst first'}\n` +
    `${table(ACCOUNT_COLUMNS, lines, ['account', 'feeds', 'behind', 'gaps', 'forgets', 'next', 'to'])}\n` +
    (more === 0 ? '' : `… ${more} more accounts, none with more gaps or further behind.\n`) +
    `${counted(feeds.length, 'feed')} and partitions in all; --wide shows each.`
  )
}

/** If there are more accounts than this, a terminal shows only the worst. */
const ACCOUNTS_SHOWN = 25

/**
 * One account's feeds together; each figure is that of the worst feed. Feeds that do not apply are left out.
 */
interface AccountStatus {
  readonly account: string
  readonly feeds: readonly FeedStatus[]
  readonly gaps: number
  readonly behindMs: number | null
}

function byAccount(feeds: readonly FeedStatus[]): AccountStatus[] {
  const accounts = new Map<string, FeedStatus[]>(feeds.map(({ account }) => [account, []]))
  for (const feed of feeds) if (feed.status !== 'not_applicable') accounts.get(feed.account)?.push(feed)
  return [...accounts].map(([account, own]) => {
    const behind = own.flatMap(({ behindMs }) => behindMs ?? [])
    return {
      account,
      feeds: own,
      gaps: own.reduce((sum, { gaps }) => sum + gaps.length, 0),
      behindMs: behind.length === 0 ? null : Math.max(...behind),
    }
  })
}

const worstFirst = (one: AccountStatus, other: AccountStatus): number =>
  other.gaps - one.gaps || (other.behindMs ?? 0) - (one.behindMs ?? 0)

const ACCOUNT_COLUMNS: readonly Column[] = [
  { name: 'account' },
  { name: 'feeds', kind: 'number' },
  { name: 'to', title: 'all read to', kind: 'time' },
  { name: 'behind', align: 'right' },
  { name: 'gaps', kind: 'number' },
  { name: 'forgets', title: 'forgotten from', kind: 'time' },
  { name: 'next', title: 'forgotten first' },
]

function accountLine({ account, feeds, gaps, behindMs }: AccountStatus, { now }: Status): Row {
  const to = feeds.flatMap((feed) => feed.to ?? []).toSorted()[0] ?? null
  const next = forgottenFirst(feeds)
  return [
    account,
    feeds.length,
    to,
    behindMs === null ? null : duration(behindMs),
    gaps,
    next === null ? null : String(next.forgetsAt) <= now ? 'already' : next.forgetsAt,
    next === null ? null : nameOf(next),
  ]
}

/** `Fresh` or `Stale`, or that there has been no good run, or that there is no ledger. */
function freshness({ now, publishedAt, lastGoodRunAt, runs }: Status, maxAgeMs: number): string {
  if (publishedAt === null)
    return 'There is no published ledger yet. Run `tieout nightly`, or `tieout build`.'
  if (runs.length === 0) return 'If these books have an account at the venue, run `tieout nightly`.'
  if (lastGoodRunAt === null) return `Stale: ${noGoodRun(now, runs)}. Run \`tieout nightly\`.`
  const age = Date.parse(now) - Date.parse(lastGoodRunAt)
  const ended = `the last good run ended ${lastGoodRunAt}, ${duration(Math.max(0, age))} ago`
  return age > maxAgeMs ? `Stale: ${ended}. Run \`tieout nightly\`.` : `Fresh: ${ended}.`
}

/** If the clock was set back, or was ahead once, all good runs may lie in the future. */
function noGoodRun(now: string, runs: Status['runs']): string {
  const ahead = runs.find(({ outcome, endedAt }) => outcome === 'done' && endedAt !== null && endedAt > now)
  if (ahead === undefined) return 'no good run yet'
  return `by this machine’s clock (${now}) the last good run ends in the future, at ${ahead.endedAt}: one of the two times is wrong`
}

function feedLine(feed: FeedStatus, { now }: Status): Row {
  const { account, partition, from, to, behindMs, gaps, forgetsAt } = feed
  const forgets = forgetsAt !== null && forgetsAt <= now ? 'already' : forgetsAt
  const behind = behindMs === null ? null : duration(behindMs)
  const state = [feed.status, feed.reason].filter((part) => part !== null).join(': ')
  return [account, feed.feed, partition, from, to, behind, gaps.length, forgets, state]
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const

/** The largest unit that fits, rounded down: `3 d`, `5 h`, `0 s`. */
export function duration(ms: number): string {
  const [unit, size] = UNITS.find(([, each]) => ms >= each) ?? ['s', 1_000]
  return `${Math.floor(ms / size)} ${unit}`
}

/** The feed whose records the venue forgets first. */
function forgottenFirst(feeds: readonly FeedStatus[]): FeedStatus | null {
  return (
    feeds
      .filter((feed) => feed.forgetsAt !== null)
      .toSorted((one, other) => Date.parse(String(one.forgetsAt)) - Date.parse(String(other.forgetsAt)))[0] ??
    null
  )
}

const nameOf = ({ feed, partition }: FeedStatus): string =>
  `${feed}${partition === '' ? '' : ` ${partition}`}`

function losses({ feeds, now }: Status): string {
  const soonest = forgottenFirst(feeds)
  if (soonest === null) return ''
  const of = `${nameOf(soonest)} of ${soonest.account}`
  const at = String(soonest.forgetsAt)
  if (at <= now)
    return `The venue is forgetting records of ${of} that were never fetched. Run \`tieout nightly\` now.`
  const left = duration(Date.parse(at) - Date.parse(now))
  return `Without another run, the venue forgets ${of} first, from ${at} onwards (in ${left}).`
}

function older({ unbuilt }: Status): string {
  if (unbuilt === null || unbuilt === 0) return ''
  return (
    `The ledger is missing ${counted(unbuilt, 'frame')} of the journal, as happens after a repair, a \`tieout sync\` or a run that could not build.\n` +
    'Run `tieout build` to build it from everything in the journal.'
  )
}

function explained({ explained: count }: Status): string {
  return count === 0 ? '' : `\nExplained by a note: ${counted(count, 'break')}.`
}

function breaks({ error, warning, notice, checks }: BreakCounts): string {
  if (error + warning + notice === 0) return 'none.'
  const counts = [counted(error, 'error'), counted(warning, 'warning'), counted(notice, 'notice')]
  const names = checks.map(({ severity, check, count }) => `  ${severity.padEnd(7)}  ${check} (${count})`)
  return `${counts.join(', ')}.\n${names.join('\n')}`
}
