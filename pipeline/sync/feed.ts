// Syncs one feed of one account: its partitions are planned, then walked one after the other. What cannot be fetched is
// stated with its reason, never silently skipped.

import type { Endpoint, Partition } from '../../connectors/endpoint.ts'
import { firstPage } from '../../connectors/pages.ts'
import type { AccountClient } from '../../connectors/venue.ts'
import { beginWalk, resumeWalk } from '../../connectors/walk.ts'
import { isNarrow } from '../../connectors/walk-state.ts'
import type { Landing } from '../landing/landing.ts'
import { type SyncContext, state, surelyNow } from './context.ts'
import { type FeedEnd, of, stateRest } from './failure.ts'
import { retentionOverride, TOO_OLD } from './page.ts'
import { type FeedRun, PartitionWalk } from './partition.ts'
import { inTurn, Skips } from './passed-over.ts'
import { type PartitionPlan, planPartition, resumed } from './plan.ts'

/** What planning asks of the landing database. */
export type Knowledge = Pick<
  Landing,
  'covered' | 'wanted' | 'unfinished' | 'oldestUnsettled' | 'oldestThatLeft'
>

/** Public data is the same for everyone, so only the first account of a run requests it. */
export const asksFor = (endpoint: Endpoint, place: number): boolean => !endpoint.public || place === 0

/**
 * `venueNow`: the time by the venue's own clock, if known; `surelyNow`: the same, once more than one answer confirms
 * it.
 */
export async function planFeedPartition(
  context: Pick<SyncContext, 'config' | 'now' | 'since'> & {
    readonly landing: Knowledge
    readonly venueNow?: number | null
    readonly surelyNow?: number | null
  },
  account: string,
  endpoint: Endpoint,
  partition: Partition,
): Promise<PartitionPlan> {
  const { landing } = context
  const retentionMs = retentionOverride(context, endpoint.name)
  const since = context.since ?? context.config.history.since
  const of = [account, endpoint.name, partition.label] as const
  const { unsettled: state, endsOf } = endpoint
  const partitions = endpoint.partitions.map(({ label }) => label)
  const [covered, wanted, unfinished, ...oldest] = await Promise.all([
    landing.covered(...of),
    landing.wanted(...of),
    landing.unfinished(...of),
    state === undefined ? null : landing.oldestUnsettled(...of, state.field, state.values),
    endsOf === undefined ? null : landing.oldestThatLeft(...of, { ...endsOf, partitions }),
  ])
  const mayChange = oldest.filter((time) => time !== null)
  const known = {
    covered,
    wanted,
    unfinished,
    oldestUnsettled: mayChange.length === 0 ? null : Math.min(...mayChange),
  }
  return planPartition(endpoint, partition, known, {
    now: context.now(),
    remembersTo: Math.min(context.now(), context.venueNow ?? Number.POSITIVE_INFINITY),
    until: context.surelyNow ?? Number.POSITIVE_INFINITY,
    ...(since === undefined ? {} : { since }),
    ...(retentionMs === undefined ? {} : { retentionMs }),
  })
}

export async function syncFeed(
  context: SyncContext,
  account: string,
  client: AccountClient,
  endpoint: Endpoint,
): Promise<FeedEnd> {
  // The plan reads what has landed, so everything that this run has recorded must have landed first.
  await context.recorder.flush()
  const told = {
    venueNow: context.venue.venueAt(context.clock.monotonic()),
    surelyNow: surelyNow(context),
  }
  const plans = await Promise.all(
    endpoint.partitions.map((partition) =>
      planFeedPartition({ ...context, ...told }, account, endpoint, partition),
    ),
  )
  const requests = plans.reduce((sum, plan) => sum + plan.requests, 0)
  context.progress({ kind: 'planned', account, feed: endpoint.name, requests })
  let end: FeedEnd = 'done'
  const feed: FeedRun = { context, account, client, endpoint, skips: new Skips() }
  for (const [index, plan] of plans.entries()) {
    for (const range of plan.lost) {
      await state(context, of(account, endpoint, plan), { ...TOO_OLD, range })
    }
    const walked = await walkOf(feed, plan).toItsEnd()
    if (walked.end !== 'done') end = walked.end
    if (!walked.isStopped) continue
    // A failure that stopped one partition stops the remaining ones: statements are recorded for them, and they are not
    // requested.
    for (const rest of plans.slice(index + 1)) await stateRest(context, account, endpoint, rest, walked.end)
    break
  }
  context.progress({ kind: 'finished', account, feed: endpoint.name, status: end })
  return end
}

function walkOf(feed: FeedRun, plan: PartitionPlan): PartitionWalk {
  const { context, endpoint } = feed
  const declared = endpoint.window
  if (declared === null) return new PartitionWalk(feed, plan, [firstPage])
  const begun = plan.resume.map(({ window, cursor }) => resumeWalk(window, resumed(declared, window), cursor))
  // Small windows were skipped before and may be again, so they come last.
  const [newest, ...older] = plan.needs
  const wide = [...(newest === undefined ? [] : [newest]), ...older.filter((need) => !isNarrow(need))]
  const narrow = inTurn(older.filter(isNarrow).toReversed(), context.now())
  const walks = [...begun, ...wide.map((need) => beginWalk(endpoint, need))]
  const last = narrow.map((need) => beginWalk(endpoint, need))
  return new PartitionWalk(feed, plan, walks, last)
}
