// One ClickHouse server over HTTP or HTTPS, through its official client: statements, rows, and whole tables as Parquet.
// Errors name the server's address and quote its words. Credentials are sent only in a header, and never appear in a
// statement, an address or an error.
import { createReadStream, createWriteStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ClickHouseClientConfigOptions, ClickHouseError, createClient as make } from '@clickhouse/client'
import { onAbort } from '../../models/abort.ts'
import { TieoutError, UsageError } from '../../models/error.ts'
import { identifier } from '../engine/quote.ts'
import { stopError } from '../ledger/limits.ts'
import { clickhouseSettings } from '../ledger/portable.ts'
import { type ClickHouseSettings, PASSWORD_VARIABLE, USER_VARIABLE } from './settings.ts'

/** A statement that the server did not execute. */
export class ClickHouseRefused extends TieoutError {
  override readonly name = 'ClickHouseRefused'
  /** The server's error number; empty if it gave none. */
  readonly code: string

  constructor(code: string, ...given: ConstructorParameters<typeof TieoutError>) {
    super(...given)
    this.code = code
  }
}

/** Nobody answered: landed data and published state are unchanged. */
export class ClickHouseUnreachable extends TieoutError {
  override readonly name = 'ClickHouseUnreachable'
  override readonly exitCode = 5
}

type Client = ReturnType<typeof make>

/** What a statement may be given besides its text. */
export interface StatementOptions {
  /** Where names without a database are looked up. */
  readonly database?: string
  readonly settings?: Readonly<Record<string, string | number>>
  /** Executed even if a stop was requested. */
  readonly heedless?: true
}

/** A build of large books takes hours in one statement. */
const STATEMENT_MS = 24 * 3_600_000

/**
 * The server's error numbers for a user or password that it does not accept (UNKNOWN_USER, WRONG_PASSWORD,
 * REQUIRED_PASSWORD, AUTHENTICATION_FAILED).
 */
const NO_ENTRY: ReadonlySet<string> = new Set(['192', '193', '194', '516'])

/** QueryStopped if a stop was requested: a report waiting for this ends as its own queries do. */
function refuseStopped(signal: AbortSignal | undefined, cause?: unknown): void {
  if (signal?.aborted === true) throw stopError('asked', { timeoutMs: STATEMENT_MS }, cause)
}

export class Server {
  readonly url: string
  readonly #client: Client
  readonly #signal: AbortSignal | undefined

  private constructor(url: string, client: Client, signal: AbortSignal | undefined) {
    this.url = url
    this.#client = client
    this.#signal = signal
  }

  /**
   * Asks the server for its version, so that an unreachable server or refused credentials are noticed before any work.
   */
  static async open(settings: ClickHouseSettings, signal?: AbortSignal): Promise<Server> {
    const { createClient, ClickHouseLogLevel } = await import('@clickhouse/client')
    const options: ClickHouseClientConfigOptions = {
      url: settings.url,
      username: settings.user,
      password: settings.password,
      application: 'tieout',
      request_timeout: settings.timeoutMs ?? STATEMENT_MS,
      // Its log could contain a statement; errors are reported by the caller.
      log: { level: ClickHouseLogLevel.OFF },
      ...(settings.ca === undefined ? {} : { tls: { ca_cert: settings.ca } }),
    }
    const server = new Server(settings.url, createClient(options), signal)
    try {
      await server.rows('select version()')
      return server
    } catch (error) {
      await server.close()
      throw error
    }
  }

  async close(): Promise<void> {
    await this.#client.close()
  }

  /** Executes a statement that returns nothing. */
  async run(statement: string, options: StatementOptions = {}): Promise<void> {
    await this.#asking(statement, options, async (parameters) => {
      await this.#client.command({ ...parameters, query: statement })
    })
  }

  /** The rows of a short result; whole numbers of 64 bits and more, and amounts, are strings. */
  async rows(question: string, options: StatementOptions = {}): Promise<readonly (readonly unknown[])[]> {
    return await this.#asking(question, options, async (parameters) => {
      const answer = await this.#client.query({
        ...parameters,
        query: question,
        format: 'JSONCompactEachRow',
      })
      const letGo = this.#untilStopped(options, () => answer.close())
      return await answer.json<unknown[]>().finally(letGo)
    })
  }

  /** The result of a query that names its own format, byte by byte. */
  async stream(question: string, options: StatementOptions = {}): Promise<AsyncIterable<Buffer>> {
    const stream = await this.#asking(
      question,
      options,
      async (parameters) => (await this.#client.exec({ ...parameters, query: question })).stream,
    )
    return this.#piecesOf(stream, question, options)
  }

  async *#piecesOf(stream: Readable, question: string, options: StatementOptions): AsyncIterable<Buffer> {
    const letGo = this.#untilStopped(options, () => stream.destroy(new Error('stopped')))
    try {
      yield* stream
    } catch (cause) {
      refuseStopped(this.#signalOf(options), cause)
      throw this.#told(question, cause)
    } finally {
      letGo()
    }
  }

  /** Writes the result into this file as Parquet. */
  async download(question: string, file: string, options: StatementOptions = {}): Promise<void> {
    await this.#asking(question, options, async (parameters) => {
      const { stream } = await this.#client.exec({ ...parameters, query: `${question} format Parquet` })
      const letGo = this.#untilStopped(options, () => stream.destroy(new Error('stopped')))
      await pipeline(stream, createWriteStream(file)).finally(letGo)
    })
  }

  /** Adds the rows of a Parquet file to a table; columns are matched by name. */
  async upload(table: string, columns: readonly string[], file: string): Promise<void> {
    const query = `insert into ${table} (${columns.map(identifier).join(', ')}) format Parquet`
    await this.#asking(query, {}, async (parameters) => {
      const { stream } = await this.#client.exec({ ...parameters, query, values: createReadStream(file) })
      // Nothing is returned, but the statement is complete only when the response has been read to its end.
      for await (const _ of stream);
    })
  }

  #signalOf({ heedless }: StatementOptions): AbortSignal | undefined {
    return heedless === true ? undefined : this.#signal
  }

  /** Ends a response that has begun: until then the client itself handles the signal. */
  #untilStopped(options: StatementOptions, end: () => void): () => void {
    const signal = this.#signalOf(options)
    return signal === undefined ? () => undefined : onAbort(signal, end)
  }

  async #asking<T>(
    statement: string,
    options: StatementOptions,
    ask: (parameters: {
      readonly clickhouse_settings: Record<string, string | number>
      readonly abort_signal?: AbortSignal
      readonly http_headers?: Record<string, string>
    }) => Promise<T>,
  ): Promise<T> {
    const { database, settings } = options
    const signal = this.#signalOf(options)
    // The client only listens for what is yet to arrive.
    refuseStopped(signal)
    try {
      return await ask({
        clickhouse_settings: { ...clickhouseSettings, ...settings },
        ...(database === undefined ? {} : { http_headers: { 'X-ClickHouse-Database': database } }),
        ...(signal === undefined ? {} : { abort_signal: signal }),
      })
    } catch (cause) {
      refuseStopped(signal, cause)
      throw this.#told(statement, cause)
    }
  }

  #told(statement: string, cause: unknown): TieoutError {
    const { code } = cause as Partial<ClickHouseError>
    // A numeric code comes from the server, a textual one from the connection.
    if (typeof code !== 'string' || !/^\d+$/.test(code)) return this.#unreachable(cause)
    const said = (cause as Error).message.split('\n')[0] ?? ''
    if (NO_ENTRY.has(code))
      return new UsageError('The ClickHouse server refused the credentials.', {
        where: this.url,
        expected: `the user of ${USER_VARIABLE} with the password of ${PASSWORD_VARIABLE}`,
        found: `error ${code} from the server`,
        action: 'Correct the two environment variables, or grant the user the missing rights.',
      })
    return new ClickHouseRefused(code, 'The ClickHouse server failed to execute a statement.', {
      where: `${this.url}: ${statement.trim().slice(0, 120).replace(/\s+/g, ' ')}`,
      found: said,
      action: 'The published state is unchanged. Correct what the server reports, then run again.',
      cause,
    })
  }

  #unreachable(cause: unknown): TieoutError {
    const { code, message } = cause as NodeJS.ErrnoException
    return new ClickHouseUnreachable('The ClickHouse server does not answer.', {
      where: this.url,
      expected: 'a server with the HTTP interface of ClickHouse',
      // A proxy in front of the server may answer with a page.
      found: code ?? message.split('\n')[0]?.slice(0, 200) ?? '',
      action:
        'Check that it is running, and check its address and certificate; then run again. Nothing was lost.',
      cause,
    })
  }
}
