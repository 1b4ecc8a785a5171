// The status of the books in words, for the command `status` without --json.
import type { Column } from '../output/column.ts'
import { printTable } from '../output/table.ts'
import { counted } from './notes.ts'
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

/** Paragraphs for a terminal, without a line break at the end. */
export function describeStatus(status: Status, width?: number): string {
  const options = width === undefined ? {} : { width }
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
  const table = (columns: readonly Column[], rows: readonly (readonly unknown[])[]): string =>
    printTable(columns, rows, options)
  return [
    head(status),
    status.feeds.length === 0
      ? ''
      : `Coverage\n${table(
          FEED_COLUMNS,
          status.feeds.map((feed) => feedLine(feed, status)),
        )}`,
    gaps.length === 0 ? '' : `Gaps\n${table(GAP_COLUMNS, gaps)}`,
    losses(status),
    runs.length === 0 ? '' : `Last runs\n${table(RUN_COLUMNS, runs)}`,
    status.publishedAt === null ? '' : `Open breaks: ${breaks(status.breaks)}${explained(status)}`,
    status.unpublished === null
      ? ''
      : `The last build was not published: ${breaks(status.unpublished)}\n` +
        'The published ledger is the one before it. `tieout check` shows the breaks.',
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

function head({ dir, now, publishedAt, lastGoodRunAt }: Status): string {
  const ledger =
    publishedAt === null
      ? 'There is no published ledger yet. Run `tieout nightly` first, or `tieout build`.'
      : `Ledger published ${publishedAt}; ${goodRun(lastGoodRunAt)}.`
  return `Books in ${dir}, at ${now}\n${ledger}`
}

const goodRun = (at: string | null): string => (at === null ? 'no good run yet' : `last good run ended ${at}`)

function feedLine(feed: FeedStatus, { now }: Status): unknown[] {
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

function losses({ feeds, now }: Status): string {
  const next = feeds.filter((feed) => feed.forgetsAt !== null)
  if (next.length === 0) return ''
  const soonest = next.reduce((first, feed) =>
    String(feed.forgetsAt) < String(first.forgetsAt) ? feed : first,
  )
  const of = `${soonest.feed}${soonest.partition === '' ? '' : ` ${soonest.partition}`} of ${soonest.account}`
  const at = String(soonest.forgetsAt)
  if (at <= now)
    return `The venue is forgetting records of ${of} that were never fetched. Run \`tieout nightly\` now.`
  const left = duration(Date.parse(at) - Date.parse(now))
  return `Without another run the venue forgets first: ${of}, from ${at} on (in ${left}).`
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
