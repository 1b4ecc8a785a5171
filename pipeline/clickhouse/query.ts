// Runs a query in the user's own SQL on the published state of a server: read-only, with a time limit, and with its
// rows streamed as they are produced.
import { onAbort } from '../../models/abort.ts'
import { UsageError } from '../../models/error.ts'
import { NoLedger } from '../ledger/ledger.ts'
import { type Limits, type Stop, stopError } from '../ledger/limits.ts'
import type { Cell, CellKind, Row } from '../output/cell.ts'
import type { Column, RowBatches } from '../output/column.ts'
import { wholeNumber } from '../output/value.ts'
import { ClickHouseRefused, Server } from './server.ts'
import type { ClickHouseSettings } from './settings.ts'
import { States } from './states.ts'
import { columnsThere } from './transfer.ts'

/** The result of a query: rows to be printed, or the bytes of a Parquet file. */
export interface Answered {
  readonly columns: readonly Column[]
  readonly rows: RowBatches
}

/** The server's number for a statement that ran out of time (TIMEOUT_EXCEEDED). */
const TIME_OVER = '159'

/** The server's number for a syntax error (SYNTAX_ERROR), and its words if that is a second statement. */
const NOT_UNDERSTOOD = '62'
const SEVERAL = /multi-?statements/i

/** A reader may neither write nor change the settings that restrict it to reading. */
const reading = (timeoutMs: number) => ({
  readonly: 1,
  max_execution_time: Math.ceil(timeoutMs / 1_000),
  cancel_http_readonly_queries_on_client_close: 1,
  output_format_json_quote_64bit_integers: 1,
  output_format_json_quote_decimals: 1,
  output_format_json_quote_denormals: 1,
  // Whatever a column's time zone, values are returned as instants in UTC.
  date_time_output_format: 'iso',
})

/** Ends a query when its time is over, whether or not the server listens, or when the user stops it. */
class Stopping {
  readonly #limits: Limits
  readonly #stopped = new AbortController()
  readonly #over = new AbortController()
  readonly #letGo: (() => void) | undefined
  #why: Stop | null = null

  constructor(limits: Limits) {
    const { clock, signal, timeoutMs } = limits
    this.#limits = limits
    this.#letGo = signal === undefined ? undefined : onAbort(signal, () => this.#stop('asked'))
    void clock.sleep(timeoutMs, this.#over.signal).then(() => this.#stop('time'))
  }

  get signal(): AbortSignal {
    return this.#stopped.signal
  }

  #stop(why: Stop): void {
    if (this.#why !== null || this.#over.signal.aborted) return
    this.#why = why
    this.#stopped.abort()
  }

  /** The error to report: that the query was stopped, if it was. */
  told(cause: unknown): unknown {
    return this.#why === null ? cause : stopError(this.#why, this.#limits, cause)
  }

  end(): void {
    this.#over.abort()
    this.#letGo?.()
  }
}

export class Question {
  readonly #server: Server
  readonly #database: string
  /** The server, and the database as the user names it. */
  readonly #where: string
  readonly #limits: Limits
  readonly #stopping: Stopping

  private constructor(server: Server, database: string, where: string, limits: Limits, stopping: Stopping) {
    this.#server = server
    this.#database = database
    this.#where = where
    this.#limits = limits
    this.#stopping = stopping
  }

  /** Throws NoLedger if nothing has been published. */
  static async to(settings: ClickHouseSettings, limits: Limits): Promise<Question> {
    const stopping = new Stopping(limits)
    const where = `${settings.url}, database ${settings.database}`
    let server: Server | undefined
    try {
      server = await Server.open(settings, stopping.signal)
      const state = await new States([server], settings.database).published()
      if (state !== null) return new Question(server, state.databases.main, where, limits, stopping)
      throw new NoLedger('There is no published ledger on the server yet.', {
        where,
        action: 'Run `tieout build --engine clickhouse` first, or name another database.',
      })
    } catch (error) {
      stopping.end()
      await server?.close()
      throw stopping.told(error)
    }
  }

  async close(): Promise<void> {
    this.#stopping.end()
    await this.#server.close()
  }

  async rows(sql: string): Promise<Answered> {
    const lines = linesOf(await this.#ask(sql, 'JSONCompactEachRowWithNamesAndTypes'))
    const next = async (): Promise<string[]> => {
      const { value, done } = await lines.next().catch((cause: unknown) => this.#refuse(cause))
      if (done === true) return []
      return (parsed(value) ?? (await this.#refuse(await brokenOff(value, lines)))) as string[]
    }
    const names = await next()
    const types = await next()
    const columns = names.map((name, at) => ({ name, kind: kindOf(types[at] ?? '') }))
    return { columns, rows: this.#batches(lines, types) }
  }

  /** The result as a Parquet file, as the server writes it. */
  async *parquet(sql: string): AsyncIterable<Buffer> {
    try {
      yield* await this.#ask(sql, 'Parquet')
    } catch (cause) {
      await this.#refuse(cause)
    }
  }

  async *#batches(lines: AsyncGenerator<string>, types: readonly string[]): RowBatches {
    let batch: Row[] = []
    try {
      for await (const line of lines) {
        const cells = parsed(line)
        if (cells === null) throw await brokenOff(line, lines)
        batch.push(cells.map((value, at) => cellOf(value, types[at] ?? '')))
        if (batch.length < BATCH_ROWS) continue
        yield batch
        batch = []
      }
    } catch (cause) {
      await this.#refuse(cause)
    }
    if (batch.length > 0) yield batch
  }

  async #ask(sql: string, format: string): Promise<AsyncIterable<Buffer>> {
    const question = `${sql.trim().replace(/;$/, '')}\nformat ${format}`
    try {
      return await this.#server.stream(question, {
        database: this.#database,
        settings: reading(this.#limits.timeoutMs),
      })
    } catch (cause) {
      return await this.#refuse(cause)
    }
  }

  async #refuse(cause: unknown): Promise<never> {
    if (!(cause instanceof ClickHouseRefused)) throw this.#stopping.told(cause)
    if (cause.code === TIME_OVER) throw stopError('time', this.#limits, cause)
    const found = (cause.details.found ?? '').trim()
    if (cause.code === NOT_UNDERSTOOD && SEVERAL.test(found))
      throw new UsageError('The query is more than one statement.', {
        where: this.#where,
        expected: 'one reading statement, in the SQL of ClickHouse',
        found,
        action: 'Run the statements one by one.',
        cause,
      })
    const tables = [...(await columnsThere(this.#server, this.#database)).keys()]
    throw new UsageError('The query was refused.', {
      where: this.#where,
      found,
      action: `Correct the query, in the SQL of ClickHouse. Tables: ${tables.join(', ')}.`,
      cause,
    })
  }
}

const BATCH_ROWS = 1_000

/** The cells of a line; null for a line that is not in the expected format. */
function parsed(line: string): unknown[] | null {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}

/**
 * What a server sends in place of a row when a query fails part-way: since ClickHouse 25.11 several lines, the first of
 * which has no words; before that, one.
 */
async function brokenOff(line: string, lines: AsyncIterator<string>): Promise<ClickHouseRefused> {
  let said = line
  while (said.length < SAID_CHARACTERS_MAX) {
    // The server may break the connection after its message.
    const { value, done } = await lines.next().catch(() => ({ value: '', done: true }))
    if (done === true) break
    said += `\n${value}`
  }
  const [, code = '', words = said.slice(0, SAID_CHARACTERS_MAX)] =
    /Code: (\d+)\. DB::Exception: (.*)/.exec(said) ?? []
  return new ClickHouseRefused(code, 'The query failed before its last row.', {
    found: words.trim(),
    action: 'Ask for less, or give it more time with --timeout.',
  })
}

/** Longer than any server message that somebody would read. */
const SAID_CHARACTERS_MAX = 2_000

async function* linesOf(pieces: AsyncIterable<Buffer>): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const piece of pieces) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
  return undefined
}

const bare = (type: string): string => type.replace(/^(?:(?:Nullable|LowCardinality)\()+(.*?)\)*$/, '$1')

const isTime = (type: string): boolean => bare(type).startsWith('DateTime')
const isWhole = (type: string): boolean => /^U?Int\d+$/.test(bare(type))
const isFloat = (type: string): boolean => /^B?Float\d+$/.test(bare(type))

function kindOf(type: string): CellKind {
  if (bare(type).startsWith('Decimal')) return 'amount'
  if (isTime(type)) return 'time'
  return isWhole(type) || isFloat(type) ? 'number' : 'text'
}

function cellOf(value: unknown, type: string): Cell {
  const [, inner] = /^Array\((.*)\)$/.exec(type) ?? []
  if (Array.isArray(value) && inner !== undefined) return value.map((each) => cellOf(each, inner))
  if (typeof value !== 'string') return value as Cell
  if (isWhole(type)) return wholeNumber(BigInt(value))
  if (isFloat(type)) return String(Number(value.replace('inf', 'Infinity')))
  return isTime(type) ? timeText(value) : value
}

/** `2025-01-31T00:00:00.000000Z` as `2025-01-31T00:00:00.000Z`; six decimals if milliseconds are not enough. */
function timeText(value: string): string {
  const [seconds = '', fraction = ''] = value.replace('Z', '').split('.')
  const decimals = fraction.padEnd(6, '0').replace(/000$/, '')
  return `${seconds}.${decimals}Z`
}
