// The console: the user's own SQL, each query in a separate process that is started in advance. One query runs at a time and a
// few can wait. A cancelled query is interrupted in the engine; if it has not stopped after two seconds, its process is killed.
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

/** DuckDB's memory limit; with it, the process ends itself at two gigabytes of real memory (reports/memory.ts). */
const MEMORY_BYTES_MAX = 1.4e9

export interface ConsoleOptions {
  readonly dir: string
  readonly engine: EngineSettings
  readonly clock: Clock
  readonly signal: AbortSignal
}

export interface Answering {
  readonly pieces: Pieces
  /** Must be called once the answer is no longer read. */
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

  /** Starts the process for the next query in advance. */
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
   * The answer line by line; the last line is always `end`. Refusal if too many queries are waiting. `leaves` ends it. The
   * caller must call `end` once it has read the answer or will not read on.
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

  /** Stops a running or waiting query; a no-op if there is none with this id. */
  cancel(id: string): void {
    this.#running.get(id)?.abort()
  }

  /** Prepares a file of all rows of a query, to be fetched from an address that works once: a browser can save a link, not a POST. */
  ticket({ sql, format }: ConsoleDownload): string {
    if (typeof sql !== 'string' || (format !== 'csv' && format !== 'parquet'))
      throw notAsked('sql, and format csv or parquet')
    const now = this.#options.clock.monotonic()
    for (const [token, { lapsesAt }] of this.#tickets) if (lapsesAt <= now) this.#tickets.delete(token)
    const token = randomBytes(32).toString('base64url')
    this.#tickets.set(token, { sql, format, lapsesAt: now + TICKET_MS })
    return token
  }

  /** The file for a ticket. Its first piece is produced first, so that a query is refused before anything is sent. */
  async download(token: string, leaves: AbortSignal): Promise<Answering & { readonly format: QueryFormat }> {
    const ticket = this.#tickets.get(token)
    this.#tickets.delete(token)
    const { dir, clock, signal } = this.#options
    if (ticket === undefined || ticket.lapsesAt <= clock.monotonic()) {
      throw new Refusal(404, 'This download has already been fetched or has expired.', {
        action: 'Request the download again.',
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

  /** Possible completions, best first, from the engine's own parser under the same locks. */
  async complete({ sql, position }: CompleteRequest): Promise<Completion> {
    if (typeof sql !== 'string' || !Number.isInteger(position)) throw notAsked('sql and position')
    const before = sql.slice(0, Math.max(0, position))
    const { ledger } = await this.#sealedEdition()
    const rows = await ledger
      .query('select suggestion, suggestion_start from sql_auto_complete($before)', { before })
      // Text that cannot be parsed at all has no completion.
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

  /** Another ledger has been published: completions come from it from now on. */
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
  new Refusal(400, 'The request is not valid.', { expected, action: 'Correct it.' })

/** Exported for its test. */
export function limited(engine: EngineSettings): EngineSettings {
  const bytes = parseSize(engine.memoryLimit) ?? MEMORY_BYTES_MAX
  return bytes <= MEMORY_BYTES_MAX
    ? engine
    : { ...engine, memoryLimit: mebibytes(MEMORY_BYTES_MAX), memoryFrom: CONSOLE }
}

const TOTAL = /^\{"kind":"rows","total":(\d+),/

/** Complete lines only: a line left unfinished when the process ended is not passed on. */
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

/** The first piece, which has already been read, and all that follow. */
async function* following(
  first: IteratorResult<string | Uint8Array>,
  pieces: AsyncIterator<string | Uint8Array>,
): Pieces {
  for (let next = first; next.done !== true; next = await pieces.next()) yield next.value
}

interface Place {
  /** How many are ahead. */
  readonly ahead: number
  /** Resolves when it is this one's turn, or when the signal aborts. */
  readonly comes: (signal: AbortSignal) => Promise<void>
  readonly leave: () => void
}

/** One at a time, in the order in which they arrived. */
class Queue {
  #places: { begin: () => void }[] = []

  /** Refusal if too many are waiting. */
  enter(): Place {
    if (this.#places.length > QUEUE_MAX) {
      throw new Refusal(429, 'Too many queries are already waiting.', {
        expected: `one running query and at most ${QUEUE_MAX} waiting`,
        action: 'Wait for one of them to end, or cancel one.',
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
