// The run that is currently writing the books, as the page shows it: polled a few times a second, and sent when it has changed.
import type { Clock } from '../../models/clock.ts'
import { type RunState, readRun } from '../books/run-state.ts'
import type { LiveRun } from './api.ts'
import type { Events } from './events.ts'

const LOOK_EVERY_MS = 300

/** Follows the runs of the books until the signal ends it. */
export async function followRuns(
  dir: string,
  { clock, signal, events }: { readonly clock: Clock; readonly signal: AbortSignal; readonly events: Events },
): Promise<void> {
  let shown = ''
  while (!signal.aborted) {
    const run = await liveRun(dir)
    const text = JSON.stringify(run)
    if (text !== shown) events.tell({ kind: 'run', run })
    shown = text
    await clock.sleep(LOOK_EVERY_MS, signal)
  }
}

export async function liveRun(dir: string): Promise<LiveRun | null> {
  const found = await readRun(dir)
  return found === null ? null : shownRun(found.state, found.isDead)
}

function shownRun(state: RunState, isDead: boolean): LiveRun {
  const sum = (of: (feed: RunState['feeds'][number]) => number): number =>
    state.feeds.reduce((total, feed) => total + of(feed), 0)
  const done = sum((feed) => feed.requestsDone)
  // A window may take more pages than were planned.
  const planned = sum((feed) => Math.max(feed.requestsPlanned, feed.requestsDone))
  const perMs = done === 0 || state.fetchingMs === 0 ? null : done / state.fetchingMs
  const isFetching = !isDead && state.phase === 'fetching'
  return {
    run: state.run,
    command: state.process.command,
    pid: state.process.pid,
    startedAt: state.process.since,
    updatedAt: state.updatedAt,
    phase: isDead ? 'died' : state.phase,
    requestsDone: done,
    requestsPlanned: planned,
    rows: sum((feed) => feed.rows),
    perMinute: perMs === null ? null : Math.round(perMs * 600_000) / 10,
    endsAbout:
      isFetching && perMs !== null && planned > done
        ? new Date(Date.parse(state.updatedAt) + (planned - done) / perMs).toISOString()
        : null,
    feeds: state.feeds,
    notes: state.notes,
  }
}
