// What is to be fetched: reachable minus covered, plus what must be read again, split at the documented span.
// Pure of network and disk: it reads only what landing answers, so `plan` and `sync` cannot disagree.
import type { Endpoint, Partition, Window } from '../connectors/endpoint.ts'
import type { Range } from './journal/frame.ts'
import { clamp, difference, union, windowCount } from './ranges.ts'

/** Given up at the far end so that a start is never refused while the request is on its way. */
export const RETENTION_GUARD_MS = 60_000

/** What may slip over the moving edge of the venue's memory between planning and asking; it is no gap. */
export const EDGE_MS = 2 * RETENTION_GUARD_MS

/** What landing knows of a partition. */
export interface Known {
  /** Proven complete; may overlap. */
  readonly covered: readonly Range[]
  /** Windows begun and not finished. */
  readonly unfinished: readonly { readonly window: Range; readonly cursor: string }[]
  /** Time of the oldest record that may still change. */
  readonly oldestUnsettled: number | null
}

export interface Reach {
  readonly now: number
  /** Start of the history that the user wants; all that there is when absent. */
  readonly since?: number
  /** Overrides how long the venue remembers this feed. */
  readonly retentionMs?: number
}

export interface PartitionPlan {
  readonly partition: Partition
  /** Ranges to fetch, newest first. */
  readonly needs: readonly Range[]
  /** Windows to go on with, at their cursor. */
  readonly resume: readonly { readonly window: Range; readonly cursor: string }[]
  /** Wanted, but older than the venue remembers. */
  readonly lost: readonly Range[]
  /** Requests if every window fits into one page. */
  readonly requests: number
}

/** How long the venue remembers a feed, in milliseconds. */
export function retentionOf(window: Window, override?: number): number {
  return override ?? window.retentionMs ?? window.retentionAssumedMs ?? Number.POSITIVE_INFINITY
}

export function planPartition(
  endpoint: Endpoint,
  partition: Partition,
  known: Known,
  reach: Reach,
): PartitionPlan {
  const { window } = endpoint
  if (window === null) return { partition, needs: [], resume: [], lost: [], requests: 1 }
  const oldest = reach.now - retentionOf(window, reach.retentionMs) + RETENTION_GUARD_MS
  const start = Math.max(reach.since ?? oldest, oldest)
  const reachable = { start, end: reach.now }
  const covered = union(known.covered)
  const resume =
    window.proves === 'whole'
      ? known.unfinished.filter((begun) => begun.window.start >= start && begun.window.end <= reach.now)
      : []
  const settled = trust(covered, window.lookbackMs, known.oldestUnsettled)
  const held = [...settled, ...resume.map((begun) => begun.window)]
  const needs = difference([reachable], held)
    .filter((need) => need.end > oldest + EDGE_MS)
    .toReversed()
  const wantedFrom = Math.min(reach.since ?? start, covered.at(0)?.start ?? start)
  const lost = wantedFrom < start ? difference([{ start: wantedFrom, end: start }], covered) : []
  return {
    partition,
    needs,
    resume,
    lost,
    requests: needs.reduce((sum, need) => sum + windowCount(need, window.spanMaxMs), resume.length),
  }
}

/** Covered ranges without the newest part, which is read again for records that came late or may still change. */
function trust(covered: readonly Range[], lookbackMs: number, oldestUnsettled: number | null): Range[] {
  const newest = covered.at(-1)?.end
  if (newest === undefined) return []
  const until = Math.min(newest - lookbackMs, oldestUnsettled ?? Number.POSITIVE_INFINITY)
  return clamp(covered, { start: Number.NEGATIVE_INFINITY, end: until })
}
