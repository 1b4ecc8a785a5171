// Coverage: what was received from each feed, by interval, and when the venue starts to forget the rest.
import { readFeeds } from '../../reports/status.ts'
import type { Coverage, CoverageRow, CoverageRun, CoverageRuns } from '../api.ts'
import type { Edition } from '../published.ts'
import { Conditions, listOf, type Question, question, rowsOf, written } from '../question.ts'
import { type Filters, type Now, periodOf } from './filters.ts'

/** Intervals that overlap the period, and statuses of whole feeds. */
export function coverageQuestion(filters: Filters): Question {
  const { account, feed } = filters
  const { from, before } = periodOf(filters)
  const conditions = new Conditions().oneOf('account', account).oneOf('feed', feed)
  if (from !== null) conditions.add(`(ends_at is null or ends_at >= ${conditions.value(from)}::timestamptz)`)
  if (before !== null)
    conditions.add(`(starts_at is null or starts_at < ${conditions.value(before)}::timestamptz)`)
  return question(
    `
    select account, feed, partition, starts_at, ends_at, status, code, reason
    from coverage
    ${conditions.where}
    order by account, feed, partition, starts_at nulls first`,
    conditions.values,
  )
}

export async function coverage({ ledger, stamp }: Edition, filters: Filters, now: Now): Promise<Coverage> {
  const accounts = listOf(filters.account)
  const feeds = listOf(filters.feed)
  const asked = coverageQuestion(filters)
  return {
    stamp,
    intervals: await rowsOf<CoverageRow>(ledger, asked),
    feeds: {
      rows: (await readFeeds(ledger, now)).filter(
        (one) =>
          (accounts.length === 0 || accounts.includes(one.account)) &&
          (feeds.length === 0 || feeds.includes(one.feed)),
      ),
      sql: written(coverageQuestion({ account: filters.account, feed: filters.feed })),
    },
    now: new Date(now.now).toISOString(),
  }
}

/** The runs of one feed whose proven ranges overlap the period. */
export async function coverageRuns(
  { ledger, stamp }: Edition,
  { account, feed, partition = '', ...filters }: Filters,
): Promise<CoverageRuns> {
  const { from, before } = periodOf(filters)
  const conditions = new Conditions().oneOf('account', account).oneOf('feed', feed)
  conditions.add(`partition = ${conditions.value(partition)}`)
  if (from !== null) conditions.add(`ends_at >= ${conditions.value(from)}::timestamptz`)
  if (before !== null) conditions.add(`starts_at < ${conditions.value(before)}::timestamptz`)
  const asked = question(
    `
    select run_id, runs.started_at, runs.command, runs.outcome, ranges.starts_at, ranges.ends_at, ranges.pages, ranges.rows
    from (from fetched_ranges ${conditions.where}) as ranges
    left join runs using (run_id)
    order by runs.started_at desc nulls last, run_id`,
    conditions.values,
  )
  return { stamp, runs: await rowsOf<CoverageRun>(ledger, asked) }
}
