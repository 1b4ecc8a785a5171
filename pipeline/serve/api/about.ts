// What is served: GET /api/about, and the events of the server.
import type { NoteProgress } from './breaks.ts'
import type { LiveRun } from './runs.ts'
import type { Failure, Stamp, Time } from './shapes.ts'

/** GET /api/about */
export interface About {
  readonly version: string
  /** Folder of the books. */
  readonly dir: string
  /** What a command to copy repeats, each after a space, so that it means these books from any folder. */
  readonly options: string
  /** Notes cannot be saved. */
  readonly isReadOnly: boolean
  /** The server's current time. */
  readonly now: Time
  readonly stamp: Stamp
  /** For filters; sorted. */
  readonly accounts: readonly string[]
  readonly ledgers: readonly string[]
  readonly coins: readonly string[]
  /** Reporting currency of the published values; null if not known. */
  readonly currency: string | null
}

/**
 * GET /api/events, server-sent events. Each event has its kind as the name (`event: published`) and the object as JSON.
 * On connecting, `published`, `run` and, if there is one, `note` and `unopened` are sent immediately. `unopened` is for books
 * newer than those of `published` that cannot be opened; its value is null as soon as they can, or are gone.
 */
export type ServerEvent =
  | { readonly kind: 'published'; readonly stamp: Stamp }
  | { readonly kind: 'unopened'; readonly failure: Failure['error'] | null }
  | { readonly kind: 'run'; readonly run: LiveRun | null }
  | { readonly kind: 'note'; readonly note: NoteProgress }
