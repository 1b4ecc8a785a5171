// Connections for HTTP requests. The library that holds them takes a tenth of a second to load, and most commands send
// nothing, so the first request loads it.
import type { Dispatcher } from 'undici'

export class Connections {
  readonly #given: Dispatcher | undefined
  #own: Promise<Dispatcher> | undefined

  /** `given` is used instead of own connections, and stays open. */
  constructor(given: Dispatcher | undefined) {
    this.#given = given
  }

  async get(): Promise<Dispatcher> {
    if (this.#given !== undefined) return this.#given
    this.#own ??= opened()
    return await this.#own
  }

  /** Closes its own connections, even in the middle of a request. */
  async close(): Promise<void> {
    await (await this.#own)?.destroy()
  }
}

/**
 * Whether WebAssembly could not reserve address space: ten gigabytes for each memory, however little of it is used. The HTTP
 * library parses answers with it, and so does the copy of the library in Node itself, which loading ours loads too.
 */
export const isOutOfAddressSpace = (error: unknown): boolean =>
  error instanceof RangeError && error.message.includes('Cannot allocate Wasm memory')

async function opened(): Promise<Dispatcher> {
  const { Agent } = await import('undici')
  // Callers time requests out themselves, by the clock that they were given.
  return new Agent({ headersTimeout: 0, bodyTimeout: 0 })
}
