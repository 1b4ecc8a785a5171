// The console: the user's own SQL, each query in a process of its own that is started ahead of it. One at a time and a few
// waiting; what is cancelled is interrupted in the engine, and ended with its process two seconds later if that does not help.
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { Clock } from '../../models/clock.ts'
import { CONSOLE, type EngineSettings } from '../engine/settings.ts'
import { mebibytes, parseSize } from '../engine/size.ts'
import { QueryStopped } from '../ledger/limits.ts'
import type { Pieces } from '../output/deliver.ts'
import { ANSWERS, askApart, endApart, startApart, type Waiting } from '../reports/apart.ts'
import type { QueryFormat } from '../reports/question.ts'
import type {
  CompleteRequest,
  Completion,
  ConsoleDownload,
  ConsoleEnd,
  ConsoleLine,
  ConsoleRequest,
  Stamp,
} from './api.ts'
import type { ConsoleQuestion } from './console-answer.ts'
import { type Edition, openSealed } from './published.ts'
import { failureOf, Refusal } from './refusal.ts'

const PROGRAM = fileURLToPath(new URL('./console-child.js', import.meta.url))

const TIMEOUT_S = 30
const TIMEOUT_S_MAX = 600
const ROWS_MAX = 10_000
const BYTES_MAX = 16e6
const QUEUE_MAX = 4
const TICKET_MS = 60_000

/** DuckDB's limit from which the process ends itself at two gigabytes of real memory (reports/memory.ts). */
const MEMORY_BYTES_MAX = 1.4e9

export interface ConsoleOptions {
  readonly dir: string
  readonly engine: EngineSettings
  readonly clock: Clock
  readonly signal: AbortSignal
}

export interface Answering {
  readonly pieces: Pieces
  /** To be called once nobody reads any longer. */
  readonly end: () => void
}

interface Ticket extends ConsoleDownload {
  readonly lapsesAt: number
}

export class Console {
  readonly #options: ConsoleOptions
  readonly #engine: EngineSettings
  readonly #queue = new Queue()
  readonly #downloads = new Queue()
  readonly #running = new Map<string, AbortController>()
  readonly #tickets = new Map<string, Ticket>()
  #spare: Waiting | null = null
  #sealed: Promise<Edition> | null = null

  constructor(options: ConsoleOptions) {
    this.#options = options
    this.#engine = limited(options.engine)
    options.signal.addEventListener('abort', () => void this.#close(), { once: true })
  }

  /** Starts the process of the next query, so that it need not wait for one. */
  warm(): void {
    if (this.#options.signal.aborted || this.#spare !== null) return
    const spare = startApart(PROGRAM)
    this.#spare = spare
    void spare.gone.then(() => {
      if (this.#spare === spare) this.#spare = null
    })
  }

  #take(): Waiting {
    const spare = this.#spare
    this.#spare = null
    return spare ?? startApart(PROGRAM)
  }

  /**
   * The answer line by line; the last is `end`, whatever happens. Refusal when too many wait. `leaves` ends it. Whoever has
   * read it, or will not, says so by `end`.
   */
  run({ id, sql, timeout }: ConsoleRequest, known: Stamp, leaves: AbortSignal): Answering {
    if (typeof id !== 'string' || id === '' || typeof sql !== 'string')
      throw notAsked('id and sql, both text')
    const seconds = timeout ?? TIMEOUT_S
    if (!(typeof seconds === 'number' && seconds > 0 && seconds <= TIMEOUT_S_MAX))
      throw notAsked(`timeout: seconds, at most ${TIMEOUT_S_MAX}`)
    if (this.#running.has(id)) throw notAsked('an id that no query has that is running or waiting')
    const place = this.#queue.enter()
    const stop = new AbortController()
    this.#running.set(id, stop)
    const question: ConsoleQuestion = {
      dir: this.#options.dir,
      sql,
      engine: this.#engine,
      timeoutMs: seconds * 1_000,
      rowsMax: ROWS_MAX,
      bytesMax: BYTES_MAX,
      known,
    }
    const end = (): void => {
      place.leave()
      this.#running.delete(id)
      this.warm()
    }
    return {
      pieces: this.#lines(question, place, AbortSignal.any([stop.signal, leaves, this.#options.signal])),
      end,
    }
  }

  async *#lines(question: ConsoleQuestion, place: Place, signal: AbortSignal): AsyncIterable<string> {
    const { clock } = this.#options
    const began = clock.monotonic()
    const said = { rows: 0 }
    try {
      if (place.ahead > 0) yield lineOf({ kind: 'waiting', ahead: place.ahead })
      await place.comes(signal)
      if (signal.aborted)
        throw new QueryStopped('asked', 'The query was stopped.', { action: 'Run it again.' })
      yield* wholeLines(askApart(this.#take(), question, { clock, signal }), said)
    } catch (error) {
      const end: ConsoleEnd = {
        kind: 'end',
        how: error instanceof QueryStopped ? 'stopped' : 'failed',
        rows: said.rows,
        elapsedMs: Math.round(clock.monotonic() - began),
        ...failureOf(error),
      }
      yield lineOf(end)
    }
  }

  /** Stops a query, running or waiting; nothing happens when there is none of this id. */
  cancel(id: string): void {
    this.#running.get(id)?.abort()
  }

  /** A file of all that a query answers, to be fetched by an address that is good once: a link can be saved, a body cannot. */
  ticket({ sql, format }: ConsoleDownload): string {
    if (typeof sql !== 'string' || (format !== 'csv' && format !== 'parquet'))
      throw notAsked('sql, and format csv or parquet')
    const now = this.#options.clock.monotonic()
    for (const [token, { lapsesAt }] of this.#tickets) if (lapsesAt <= now) this.#tickets.delete(token)
    const token = randomBytes(32).toString('base64url')
    this.#tickets.set(token, { sql, format, lapsesAt: now + TICKET_MS })
    return token
  }

  /** The file of a ticket; its first piece has been made, so a query that is refused is refused before anything is sent. */
  async download(token: string, leaves: AbortSignal): Promise<Answering & { readonly format: QueryFormat }> {
    const ticket = this.#tickets.get(token)
    this.#tickets.delete(token)
    const { dir, clock, signal } = this.#options
    if (ticket === undefined || ticket.lapsesAt <= clock.monotonic()) {
      throw new Refusal(404, 'This download has been fetched, or is too old.', {
        action: 'Ask for it again.',
      })
    }
    const { sql, format } = ticket
    const place = this.#downloads.enter()
    const ended = AbortSignal.any([leaves, signal])
    try {
      await place.comes(ended)
      const question = { dir, query: sql, format, engine: this.#engine, timeoutMs: TIMEOUT_S_MAX * 1_000 }
      const pieces = askApart(startApart(ANSWERS), question, { clock, signal: ended })[Symbol.asyncIterator]()
      const end = (): void => {
        place.leave()
        void pieces.return?.()
      }
      return { format, pieces: following(await pieces.next(), pieces), end }
    } catch (error) {
      place.leave()
      throw error
    }
  }

  /** What may stand next, best first, by the engine's own parser under the same locks. */
  async complete({ sql, position }: CompleteRequest): Promise<Completion> {
    if (typeof sql !== 'string' || !Number.isInteger(position)) throw notAsked('sql and position')
    const before = sql.slice(0, Math.max(0, position))
    const { ledger } = await this.#sealedEdition()
    const rows = await ledger
      .query('select suggestion, suggestion_start from sql_auto_complete($before)', { before })
      // What cannot be parsed at all has no completion.
      .catch(() => [])
    const bytes = Buffer.from(before)
    return {
      suggestions: rows.map(([text, start]) => ({
        text: String(text),
        from: bytes.subarray(0, Number(start)).toString().length,
      })),
    }
  }

  async #sealedEdition(): Promise<Edition> {
    const { dir, clock, signal } = this.#options
    this.#sealed ??= openSealed(dir, { engine: this.#engine, clock, signal, timeoutMs: 2_000 })
    try {
      return await this.#sealed
    } catch (error) {
      this.#sealed = null
      throw error
    }
  }

  /** Another ledger has been published: its words are the ones to complete. */
  async renew(): Promise<void> {
    const before = this.#sealed
    this.#sealed = null
    await before?.then(
      ({ ledger }) => ledger.close(),
      () => undefined,
    )
  }

  async #close(): Promise<void> {
    await this.renew()
    const spare = this.#spare
    this.#spare = null
    if (spare !== null) await endApart(spare)
  }
}

const lineOf = (line: ConsoleLine): string => `${JSON.stringify(line)}\n`

const notAsked = (expected: string): Refusal =>
  new Refusal(400, 'The request is not understood.', { expected, action: 'Correct it.' })

/** Exported for its test. */
export function limited(engine: EngineSettings): EngineSettings {
  const bytes = parseSize(engine.memoryLimit) ?? MEMORY_BYTES_MAX
  return bytes <= MEMORY_BYTES_MAX
    ? engine
    : { ...engine, memoryLimit: mebibytes(MEMORY_BYTES_MAX), memoryFrom: CONSOLE }
}

const TOTAL = /^\{"kind":"rows","total":(\d+),/

/** Lines as they become whole: what a process left unfinished when it ended is not passed on. */
async function* wholeLines(pieces: Pieces, said: { rows: number }): AsyncIterable<string> {
  let rest: Buffer[] = []
  for await (const piece of pieces) {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : Buffer.from(piece)
    const last = bytes.lastIndexOf(0x0a)
    if (last < 0) {
      rest.push(bytes)
      continue
    }
    const whole = Buffer.concat([...rest, bytes.subarray(0, last + 1)]).toString()
    rest = [bytes.subarray(last + 1)]
    for (const line of whole.split('\n')) {
      const total = TOTAL.exec(line)?.[1]
      if (total !== undefined) said.rows = Number(total)
    }
    yield whole
  }
}

/** The first piece, which has been read already, and all that follow. */
async function* following(
  first: IteratorResult<string | Uint8Array>,
  pieces: AsyncIterator<string | Uint8Array>,
): Pieces {
  for (let next = first; next.done !== true; next = await pieces.next()) yield next.value
}

interface Place {
  /** How many come before. */
  readonly ahead: number
  /** Resolves when it is this one's turn, or when the signal aborts. */
  readonly comes: (signal: AbortSignal) => Promise<void>
  readonly leave: () => void
}

/** One at a time, in the order in which they came. */
class Queue {
  #places: { begin: () => void }[] = []

  /** Refusal when too many wait. */
  enter(): Place {
    if (this.#places.length > QUEUE_MAX) {
      throw new Refusal(429, 'Too many queries wait already.', {
        expected: `one that runs and at most ${QUEUE_MAX} that wait`,
        action: 'Wait for one of them, or cancel it.',
      })
    }
    let begin = (): void => {}
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    const place = { begin }
    const ahead = this.#places.push(place) - 1
    if (ahead === 0) begin()
    return {
      ahead,
      comes: async (signal) => {
        const stopped = new Promise<void>((resolve) => {
          if (signal.aborted) resolve()
          signal.addEventListener('abort', () => resolve(), { once: true })
        })
        await Promise.race([begun, stopped])
      },
      leave: () => {
        this.#places = this.#places.filter((one) => one !== place)
        this.#places[0]?.begin()
      },
    }
  }
}
