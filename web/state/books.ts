// Which books the page shows. All that stands on the page is of one publication: an answer of another one is not shown
// beside it, but offered.
import { signal } from '@preact/signals'
import type { About, Failure, LiveRun, NoteProgress, ServerEvent, Stamp } from '../../pipeline/serve/api.ts'
import { forget } from './router.ts'

export const about = signal<About | null>(null)
/** The books on the page. */
export const stamp = signal<Stamp | null>(null)
/** Newer books than those on the page, once there are some. */
export const newer = signal<Stamp | null>(null)
/** Why books newer than those on the page cannot be opened. */
export const unopened = signal<Failure['error'] | null>(null)
/** Counts up when everything is to be asked for again. */
export const generation = signal(0)
export const liveRun = signal<LiveRun | null>(null)
export const noteProgress = signal<NoteProgress | null>(null)
/** What the server calls now; goes on while the page stays open, so that no age and no time left stands still. */
export const now = signal(new Date().toISOString())
let aheadMs = 0
const CLOCK_MS = 20_000

const tick = (): void => {
  now.value = new Date(Date.now() + aheadMs).toISOString()
}
setInterval(tick, CLOCK_MS)

/** Takes what the server calls now from an answer. */
export function setClock(given: string): void {
  aheadMs = Date.parse(given) - Date.now()
  tick()
}

/** Whether the line to the server stands. */
export const isConnected = signal(true)

/** Takes the stamp of an answer. False when the answer is of other books than the page shows, and so must not be shown. */
export function isOfTheseBooks(given: Stamp): boolean {
  const shown = stamp.value
  if (shown === null || shown.publication === given.publication) {
    // The hash of the ledger is calculated while the page is already read.
    if (shown === null || shown.ledgerHash !== given.ledgerHash) stamp.value = given
    return true
  }
  newer.value = given
  return false
}

/** Leaves the books on the page for the newest. A later page of a list was one of the books before: it begins anew. */
export function showNewest(): void {
  forget('cursor')
  stamp.value = null
  newer.value = null
  generation.value += 1
}

/** Follows what the server tells by itself: new books, a run, a note. The browser connects again on its own. */
export function followServer(): void {
  const events = new EventSource('/api/events')
  const take = (message: MessageEvent<string>): void => heard(JSON.parse(message.data) as ServerEvent)
  for (const kind of ['published', 'unopened', 'run', 'note']) events.addEventListener(kind, take)
  events.addEventListener('open', () => {
    isConnected.value = true
  })
  events.addEventListener('error', () => {
    isConnected.value = false
  })
}

function heard(event: ServerEvent): void {
  if (event.kind === 'run') liveRun.value = event.run
  else if (event.kind === 'note') noteProgress.value = event.note
  else if (event.kind === 'unopened') unopened.value = event.failure
  else if (event.stamp !== null && !isOfTheseBooks(event.stamp) && about.value?.stamp === null) showNewest()
}
