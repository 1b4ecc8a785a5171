// One question in the user's own SQL to the published state on a server: it may read and nothing else, for so long and no
// longer, and its rows come as they are made.
import { UsageError } from '../../models/error.ts'
import { NoLedger } from '../ledger/ledger.ts'
import { type Limits, stopError } from '../ledger/limits.ts'
import type { Cell, CellKind, Row } from '../output/cell.ts'
import type { Column, RowBatches } from '../output/column.ts'
import { wholeNumber } from '../output/value.ts'
import { ClickHouseRefused, Server } from './server.ts'
import type { ClickHouseSettings } from './settings.ts'
import { States } from './states.ts'
import { columnsThere } from './transfer.ts'

/** What a question answers: rows to be printed, or the bytes of a Parquet file. */
export interface Answered {
  readonly columns: readonly Column[]
  readonly rows: RowBatches
}

/** The server's number for a statement whose time was over (TIMEOUT_EXCEEDED). */
const TIME_OVER = '159'

/** A reader may neither write nor change what holds it to reading. */
const reading = (timeoutMs: number) => ({
  readonly: 1,
  max_execution_time: Math.ceil(timeoutMs / 1_000),
  cancel_http_readonly_queries_on_client_close: 1,
  output_format_json_quote_64bit_integers: 1,
  output_format_json_quote_decimals: 1,
  output_format_json_quote_denormals: 1,
})

export class Question {
  readonly #server: Server
  readonly #database: string
  readonly #limits: Limits

  private constructor(server: Server, database: string, limits: Limits) {
    this.#server = server
    this.#database = database
    this.#limits = limits
  }

  /** NoLedger where nothing has been published. */
  static async to(settings: ClickHouseSettings, limits: Limits): Promise<Question> {
    const server = await Server.open(settings, limits.signal)
    try {
      const state = await new States([server], settings.database).published()
      if (state !== null) return new Question(server, state.databases.main, limits)
      throw new NoLedger('There is no published ledger on the server yet.', {
        where: `${settings.url}, database ${settings.database}`,
        action: 'Run `tieout build --engine clickhouse` first, or name another database.',
      })
    } catch (error) {
      await server.close()
      throw error
    }
  }

  close(): Promise<void> {
    return this.#server.close()
  }

  async rows(sql: string): Promise<Answered> {
    const lines = linesOf(await this.#ask(sql, 'JSONCompactEachRowWithNamesAndTypes'))
    const next = async (): Promise<string[]> => {
      const { value, done } = await lines.next().catch((cause: unknown) => this.#refuse(cause))
      return done === true ? [] : (parsed(value) as string[])
    }
    const names = await next()
    const types = await next()
    const columns = names.map((name, at) => ({ name, kind: kindOf(types[at] ?? '') }))
    return { columns, rows: this.#batches(lines, types) }
  }

  /** The answer as a Parquet file, as the server writes it. */
  async *parquet(sql: string): AsyncIterable<Buffer> {
    try {
      yield* await this.#ask(sql, 'Parquet')
    } catch (cause) {
      await this.#refuse(cause)
    }
  }

  async *#batches(lines: AsyncIterable<string>, types: readonly string[]): RowBatches {
    let batch: Row[] = []
    try {
      for await (const line of lines) {
        batch.push((parsed(line) as unknown[]).map((value, at) => cellOf(value, types[at] ?? '')))
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
    if (this.#limits.signal?.aborted === true) throw stopError('asked', this.#limits, cause)
    if (!(cause instanceof ClickHouseRefused)) throw cause
    if (cause.code === TIME_OVER) throw stopError('time', this.#limits, cause)
    const tables = [...(await columnsThere(this.#server, this.#database)).keys()]
    throw new UsageError('The query was refused.', {
      found: cause.details.found ?? '',
      action: `Correct the query, in the SQL of ClickHouse. Tables: ${tables.join(', ')}.`,
      cause,
    })
  }
}

const BATCH_ROWS = 1_000

/** A line that is none of its format is the server's word that the query failed half-way. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch (cause) {
    throw new ClickHouseRefused(
      /Code: (\d+)/.exec(line)?.[1] ?? '',
      'The query failed before its last row.',
      {
        found: line.slice(0, 500),
        action: 'Ask for less, or give it more time with --timeout.',
        cause,
      },
    )
  }
}

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

function kindOf(type: string): CellKind {
  if (bare(type).startsWith('Decimal')) return 'amount'
  if (isTime(type)) return 'time'
  return isWhole(type) || bare(type).startsWith('Float') ? 'number' : 'text'
}

function cellOf(value: unknown, type: string): Cell {
  if (typeof value !== 'string') return value as Cell
  if (isWhole(type)) return wholeNumber(BigInt(value))
  return isTime(type) ? timeText(value) : value
}

/** `2025-01-31 00:00:00.000000` as `2025-01-31T00:00:00.000Z`; six decimals where milliseconds do not hold it. */
function timeText(value: string): string {
  const [day = '', time = ''] = value.split(' ')
  const [seconds = '', fraction = ''] = time.split('.')
  const decimals = fraction.padEnd(6, '0').replace(/000$/, '')
  return `${day}T${seconds}.${decimals}Z`
}
