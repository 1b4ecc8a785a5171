// Which books the page shows. Everything on the page comes from one publication: an answer from another one is not shown with
// it, but offered.
import { signal } from '@preact/signals'
import type { About, Failure, LiveRun, NoteProgress, ServerEvent, Stamp } from '../../pipeline/serve/api.ts'
import { forget } from './router.ts'

export const about = signal<About | null>(null)
/** The books on the page. */
export const stamp = signal<Stamp | null>(null)
/** Newer books than those on the page, if there are any. */
export const newer = signal<Stamp | null>(null)
/** Why books newer than those on the page cannot be opened. */
export const unopened = signal<Failure['error'] | null>(null)
/** Incremented when everything is to be requested again. */
export const generation = signal(0)
export const liveRun = signal<LiveRun | null>(null)
export const noteProgress = signal<NoteProgress | null>(null)
/** The server's current time. It advances while the page stays open, so that ages and remaining times stay current. */
export const now = signal(new Date().toISOString())
let aheadMs = 0
const CLOCK_MS = 20_000

const tick = (): void => {
  now.value = new Date(Date.now() + aheadMs).toISOString()
}
setInterval(tick, CLOCK_MS)

/** Sets the server's current time from an answer. */
export function setClock(given: string): void {
  aheadMs = Date.parse(given) - Date.now()
  tick()
}

/** Whether the page is connected to the server. */
export const isConnected = signal(true)

/** Checks the stamp of an answer. False if the answer comes from other books than the page shows, so it must not be shown. */
export function isOfTheseBooks(given: Stamp): boolean {
  const shown = stamp.value
  if (shown === null || shown.publication === given.publication) {
    // The ledger's hash may still be calculated after the page is shown.
    if (shown === null || shown.ledgerHash !== given.ledgerHash) stamp.value = given
    return true
  }
  newer.value = given
  return false
}

/** Switches the page to the newest books. Lists return to their first page, because a cursor belongs to the earlier books. */
export function showNewest(): void {
  forget('cursor')
  stamp.value = null
  newer.value = null
  generation.value += 1
}

/** Follows the server's events: new books, a run, a note. The browser reconnects by itself. */
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
