// What is to be fetched: reachable minus covered, plus what must be read again, split at the documented span.
// Pure of network and disk: it reads only what landing answers, so `plan` and `sync` cannot disagree.
import type { Window } from '../../connectors/endpoint.ts'
import { type Endpoint, type Partition, retentionOf } from '../../connectors/endpoint.ts'
import { pagesById } from '../../connectors/walk.ts'
import type { Range } from '../../models/ranges.ts'
import { clamp, difference, union, windowCount } from '../../models/ranges.ts'

/** Given up at the far end so that a start is never refused while the request is on its way. */
export const RETENTION_GUARD_MS = 60_000

/** What may slip over the moving edge of the venue's memory between planning and asking; it is no gap. */
export const EDGE_MS = 2 * RETENTION_GUARD_MS

/** How far beyond the venue's clock is asked for: that clock is known to within the way of an answer. */
const BEYOND_MS = 60_000

/** A window that an earlier run began, and the cursor with which it goes on. */
export interface Begun {
  readonly window: Range
  readonly cursor: string
}

/** What landing knows of a partition. */
export interface Known {
  /** Proven complete; may overlap. `readAt`: as it stood then, by default when the newest of them was read. */
  readonly covered: readonly (Range & { readonly readAt?: number })[]
  /** How far back the partition has ever been wanted, and what of it is already said to be lost. */
  readonly wanted?: { readonly from: number | null; readonly lost: readonly Range[] }
  /** Windows begun and not finished. */
  readonly unfinished: readonly Begun[]
  /** Time of the oldest record that may still change. */
  readonly oldestUnsettled: number | null
}

export interface Reach {
  readonly now: number
  /**
   * The instant from which the venue's memory is counted back, by default now: a machine whose clock is ahead must not take
   * for forgotten what the venue still has.
   */
  readonly remembersTo?: number
  /** No more is asked for than a moment beyond it, by default `remembersTo`: a window of the future proves nothing. */
  readonly until?: number
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
  readonly resume: readonly Begun[]
  /** Wanted, but older than the venue remembers. */
  readonly lost: readonly Range[]
  /** Said to be lost by an earlier run. */
  readonly saidLost: readonly Range[]
  /** Requests if every window fits into one page. */
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
  // The pages that a begun window has behind it are read again too where something on them may still change.
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

/** Whether a begun window has been asked for in parts since: a part of it has been had, or was begun itself. */
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
 * What going on with a window proves: its first pages were read when it was begun, so its newest part is read again
 * like that of every window.
 */
export const resumed = ({ lookbackMs }: Window, { start, end }: Range): Range => ({
  start,
  end: Math.max(start, end - lookbackMs),
})

/**
 * Covered ranges without the part that was new when they were read: it is read again for records that came late or
 * may still change. Each by its own reading, since one that was stopped half-way has read only the newest part again.
 */
function trust(covered: Known['covered'], lookbackMs: number, oldestUnsettled: number): Range[] {
  const newest = covered.reduce((latest, { end }) => Math.max(latest, end), Number.NEGATIVE_INFINITY)
  return covered.flatMap(({ start, end, readAt = newest }) => {
    const until = Math.min(readAt - lookbackMs, oldestUnsettled)
    return clamp([{ start, end }], { start: Number.NEGATIVE_INFINITY, end: until })
  })
}
