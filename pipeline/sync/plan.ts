// What is to be fetched: what is reachable minus what is covered, plus what must be read again, split at the documented
// span. Uses neither network nor disk: it depends only on what landing returns, so `plan` and `sync` cannot disagree.
import type { Window } from '../../connectors/endpoint.ts'
import { type Endpoint, type Partition, retentionOf } from '../../connectors/endpoint.ts'
import { pagesById } from '../../connectors/walk.ts'
import type { Range } from '../../models/ranges.ts'
import { clamp, difference, union, windowCount } from '../../models/ranges.ts'

/** Given up at the far end so that a start is never refused while the request is in transit. */
export const RETENTION_GUARD_MS = 60_000

/** What may slip over the moving edge of the retention period between planning and asking; it is not a gap. */
export const EDGE_MS = 2 * RETENTION_GUARD_MS

/** How far beyond the venue's clock a request reaches: that clock is known only to within an answer's travel time. */
const BEYOND_MS = 60_000

/** A window that an earlier run began, and the cursor that continues it. */
export interface Begun {
  readonly window: Range
  readonly cursor: string
}

/** What landing knows about a partition. */
export interface Known {
  /**
   * Proven complete; may overlap. `readAt`: the moment whose state they reflect, by default when the newest of them was
   * read.
   */
  readonly covered: readonly (Range & { readonly readAt?: number })[]
  /** How far back the partition has ever been wanted, and which part of that is already stated as lost. */
  readonly wanted?: { readonly from: number | null; readonly lost: readonly Range[] }
  /** Windows begun and not finished. */
  readonly unfinished: readonly Begun[]
  /** Time of the oldest record that may still change. */
  readonly oldestUnsettled: number | null
}

export interface Reach {
  readonly now: number
  /**
   * The instant from which the venue's retention is counted back, by default now: a machine whose clock is ahead must
   * not treat as expired what the venue still has.
   */
  readonly remembersTo?: number
  /** Requests reach at most a moment beyond it (by default `remembersTo`): a window in the future proves nothing. */
  readonly until?: number
  /** Start of the history that the user wants; everything there is if absent. */
  readonly since?: number
  /** Overrides how long the venue keeps this feed. */
  readonly retentionMs?: number
}

export interface PartitionPlan {
  readonly partition: Partition
  /** Ranges to fetch, newest first. */
  readonly needs: readonly Range[]
  /** Windows to continue, at their cursor. */
  readonly resume: readonly Begun[]
  /** Wanted, but older than the venue keeps. */
  readonly lost: readonly Range[]
  /** Stated as lost by an earlier run. */
  readonly saidLost: readonly Range[]
  /** Number of requests if every window fits on one page. */
  readonly requests: number
}

export function planPartition(
  endpoint: Endpoint,
  partition: Partition,
  known: Known,
  reach: Reach,
): PartitionPlan {
  const { window } = endpoint
  if (window === null) return { partition, needs: [], resume: [], lost: [], saidLost: [], requests: 1 }
  const { now, remembersTo = now, until = remembersTo } = reach
  const oldest = remembersTo - retentionOf(endpoint, reach.retentionMs) + RETENTION_GUARD_MS
  const start = Math.max(reach.since ?? oldest, oldest)
  const reachable = { start, end: Math.min(now, until + BEYOND_MS) }
  const covered = union(known.covered)
  const unsettledFrom = known.oldestUnsettled ?? Number.POSITIVE_INFINITY
  const settled = trust(known.covered, window.lookbackMs, unsettledFrom)
  const resume =
    window.proves === 'whole' && !pagesById(endpoint)
      ? known.unfinished.filter(
          (begun) =>
            begun.window.start >= start &&
            begun.window.end <= now &&
            begun.window.start < unsettledFrom &&
            !isDivided(begun, known.unfinished, settled),
        )
      : []
  // The pages already read of a begun window are read again too if something on them may still change.
  const begun = clamp(
    resume.map((one) => resumed(window, one.window)),
    { start: Number.NEGATIVE_INFINITY, end: unsettledFrom },
  )
  const held = [...settled, ...begun]
  const needs = difference([reachable], held)
    .filter((need) => need.end > oldest + EDGE_MS)
    .toReversed()
  const wantedFrom = Math.min(
    reach.since ?? start,
    covered.at(0)?.start ?? start,
    known.wanted?.from ?? start,
  )
  const saidLost = known.wanted?.lost ?? []
  const had = [...covered, ...saidLost]
  const lost = wantedFrom < oldest ? difference([{ start: wantedFrom, end: oldest }], had) : []
  return {
    partition,
    needs,
    resume,
    lost,
    saidLost,
    requests: needs.reduce((sum, need) => sum + windowCount(need, window.spanMaxMs), resume.length),
  }
}

/** Whether a begun window has since been requested in parts: a part of it has been fetched, or was itself begun. */
function isDivided({ window }: Begun, unfinished: Known['unfinished'], settled: readonly Range[]): boolean {
  const [rest] = difference([window], settled)
  if (rest === undefined || rest.start > window.start || rest.end < window.end) return true
  return unfinished.some(
    (other) =>
      other.window.start >= window.start &&
      other.window.end <= window.end &&
      other.window.end - other.window.start < window.end - window.start,
  )
}

/**
 * What continuing a window proves: its first pages were read when it was begun, so its newest part is read again like
 * that of every window.
 */
export const resumed = ({ lookbackMs }: Window, { start, end }: Range): Range => ({
  start,
  end: Math.max(start, end - lookbackMs),
})

/**
 * Covered ranges without the part that was new when they were read: it is read again for records that arrived late or
 * may still change. Each range is judged by its own reading, since an interrupted one has read only the newest part
 * again.
 */
function trust(covered: Known['covered'], lookbackMs: number, oldestUnsettled: number): Range[] {
  const newest = covered.reduce((latest, { end }) => Math.max(latest, end), Number.NEGATIVE_INFINITY)
  return covered.flatMap(({ start, end, readAt = newest }) => {
    const until = Math.min(readAt - lookbackMs, oldestUnsettled)
    return clamp([{ start, end }], { start: Number.NEGATIVE_INFINITY, end: until })
  })
}
