// Events sent to every open page: another ledger, the progress of a run, the progress of a note.
import type { ServerEvent } from './api.ts'

type Listener = (event: ServerEvent) => void

export class Events {
  readonly #listeners = new Set<Listener>()
  readonly #last = new Map<ServerEvent['kind'], ServerEvent>()

  /** Sends an event to all listeners; the last of each kind is also sent to later listeners. */
  tell(event: ServerEvent): void {
    this.#last.set(event.kind, event)
    for (const listener of this.#listeners) listener(event)
  }

  last<Kind extends ServerEvent['kind']>(kind: Kind): Extract<ServerEvent, { kind: Kind }> | null {
    return (this.#last.get(kind) as Extract<ServerEvent, { kind: Kind }> | undefined) ?? null
  }

  /** All events from now on, after the last of each kind, as a stream of server-sent events. Ends with the signal. */
  stream(signal: AbortSignal): ReadableStream<Uint8Array> {
    const encoder = new TextEncoder()
    let stop = (): void => {}
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        const send: Listener = (event) =>
          controller.enqueue(encoder.encode(`event: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`))
        const end = (): void => {
          stop()
          controller.close()
        }
        stop = () => {
          this.#listeners.delete(send)
          signal.removeEventListener('abort', end)
        }
        controller.enqueue(encoder.encode(': events\n\n'))
        for (const event of this.#last.values()) send(event)
        if (signal.aborted) return end()
        signal.addEventListener('abort', end, { once: true })
        this.#listeners.add(send)
      },
      cancel: () => stop(),
    })
  }
}
