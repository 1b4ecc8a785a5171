// Small books for tests: landing rows written as the venue would have sent them, in the order in which they happened,
// then built and read back. Everything is real except the network.
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { formatAmount, parseAmount } from '../../models/amount.ts'
import { systemClock } from '../../models/clock.ts'
import { columnName, type RecordType } from '../../models/record.ts'
import type { EngineSettings } from '../../pipeline/engine/settings.ts'
import { openLanding } from '../../pipeline/landing/database.ts'
import type { Landing } from '../../pipeline/landing/landing.ts'
import {
  type BuildConfig,
  type BuildOptions,
  type BuildResult,
  buildLedger,
} from '../../pipeline/ledger/build.ts'
import { feedRecords } from '../../pipeline/ledger/feeds.ts'

export interface TaxRow {
  readonly id: string
  readonly coin: string
  readonly type: string
  readonly amount: string
  readonly fee?: string
  readonly balance?: string | null
  readonly ts: string
}

/** A row by column name; times as ISO text, amounts as decimal text. */
export type Cells = Readonly<Record<string, string | null | undefined>>

export type Move = Omit<TaxRow, 'balance'>

/** Gives each row the balance that the venue would send: the coin's last balance plus amount plus fee. */
export function balanced(moves: readonly Move[], opening: Readonly<Record<string, string>> = {}): TaxRow[] {
  const balances = new Map(Object.entries(opening).map(([coin, text]) => [coin, units(text)]))
  return moves.map((move) => {
    const balance = (balances.get(move.coin) ?? 0n) + units(move.amount) + units(move.fee ?? '0')
    balances.set(move.coin, balance)
    return { ...move, balance: formatAmount(balance) }
  })
}

function units(text: string): bigint {
  const parsed = parseAmount(text)
  if (!parsed.ok) throw new Error(`${text}: ${parsed.problem}`)
  return parsed.units
}

/** The checks that compare the entries of any books with what was received. */
export const LEDGER_CHECKS: readonly string[] = [
  'checks.balance_chain',
  'checks.double_entry',
  'checks.duplicate_records',
  'checks.entries_match_balance',
  'checks.landed_row_has_page',
  'checks.negative_balance',
  'checks.quarantined_rows',
  'checks.sum_guard',
  'checks.unknown_type',
]

/** More than the number of frames in any books to which pages are added. */
const PAGES_BEFORE = 1000

/** The first page arrives a second later. */
const FIRST_PAGE = Date.UTC(2026, 1, 1)

export interface PageOptions {
  readonly account?: string
  readonly partition?: string
  /** Range that the page proves, as ISO texts. */
  readonly covers?: readonly [string, string]
  readonly run?: string
  readonly receivedAt?: string
}

export class TestBooks {
  readonly dir: string
  readonly landing: Landing
  private readonly connection: DuckDBConnection
  private readonly only: readonly string[] | undefined
  private pages = 0
  private readonly uids = new Map<string, string>()
  private reading: { readonly file: string; readonly opened: Promise<Reading> } | null = null

  private constructor(
    dir: string,
    landing: Landing,
    connection: DuckDBConnection,
    only: readonly string[] | undefined,
  ) {
    this.dir = dir
    this.landing = landing
    this.connection = connection
    this.only = only
  }

  /**
   * `only`: the tables and checks that its builds build, with everything they depend on; all if absent. `dir`: existing books,
   * such as imported ones, to which the pages given here are added.
   */
  static async open({
    only,
    dir: given,
    ...engine
  }: Partial<EngineSettings> & {
    readonly only?: readonly string[]
    readonly dir?: string
  } = {}): Promise<TestBooks> {
    const dir = given ?? mkdtempSync(join(tmpdir(), 'tieout-books-'))
    const landing = await openLanding(dir, {
      records: feedRecords.map(({ record }) => record),
      feeds: new Map(),
      threads: 1,
      ...engine,
    })
    const books = new TestBooks(dir, landing, await landing.instance.connect(), only)
    if (given !== undefined) books.pages = PAGES_BEFORE
    return books
  }

  async close(): Promise<void> {
    await stopReading(this.reading)
    this.connection.closeSync()
    await this.landing.close()
    rmSync(this.dir, { recursive: true, force: true })
  }

  async sql(statement: string): Promise<void> {
    await this.connection.run(statement)
  }

  /** States what kind of account it is, as 4.14 would. Each account has a different uid, starting with 1001. */
  async account(
    name: string,
    kind: 'unified' | 'classic' | 'unknown',
    uid = this.uids.get(name) ?? String(1001 + this.uids.size),
  ): Promise<void> {
    this.uids.set(name, uid)
    this.pages += 1
    await this.insert('accounts', {
      account: name,
      venue: 'venue',
      uid,
      kind,
      account_mode: kind === 'unified' ? 'unified' : null,
      page_id: String(this.pages),
    })
  }

  /** A page of any feed; rows are given in the order in which they happened and landed newest first, as the venue sends them. */
  async page(feed: string, rows: readonly Cells[], options: PageOptions = {}): Promise<number> {
    const record = feedRecords.find((one) => one.feed === feed)?.record as RecordType
    this.pages += 1
    const page = String(this.pages)
    const of = { account: options.account ?? 'main', partition: options.partition ?? '' }
    await this.connection.run('begin transaction')
    await this.insert('pages', {
      page_id: page,
      run_id: options.run ?? 'run-1',
      ...of,
      feed,
      path: '/',
      status: '200',
      received_at: options.receivedAt ?? new Date(FIRST_PAGE + this.pages * 1000).toISOString(),
      window_start: options.covers?.[0],
      window_end: options.covers?.[1],
      row_count: String(rows.length),
      quarantined: '0',
    })
    if (options.covers !== undefined) {
      const [starts_at, ends_at] = options.covers
      await this.insert('covered', {
        page_id: page,
        ...of,
        feed,
        starts_at,
        ends_at,
        row_count: String(rows.length),
      })
    }
    await this.insertAll(
      record.table,
      rows.toReversed().map((row, place) => ({ ...of, page_id: page, page_row: String(place), ...row })),
    )
    await this.connection.run('commit')
    return this.pages
  }

  /** A page of unified tax records of one business line. */
  tax(partition: string, rows: readonly TaxRow[], options: PageOptions = {}): Promise<number> {
    const cells = rows.map(({ fee = '0', balance = null, ...row }) => ({ ...row, fee, balance }))
    return this.page('tax.records', cells, { partition, ...options })
  }

  /** A page of futures records of one product type. */
  futures(partition: string, rows: readonly Cells[], options: PageOptions = {}): Promise<number> {
    return this.page('tax.futuresRecords', rows, { partition, ...options })
  }

  async statement(cells: Cells): Promise<void> {
    this.pages += 1
    await this.insert('statements', {
      seq: String(this.pages),
      run_id: 'run-1',
      account: 'main',
      partition: '',
      code: 'code',
      reason: 'a reason',
      named: 'false',
      stated_at: '2026-02-01 00:00:00+00',
      ...cells,
    })
  }

  async insert(table: string, cells: Cells): Promise<void> {
    await this.insertAll(table, [cells])
  }

  /** In one statement; fields that a row does not give are null. */
  private async insertAll(table: string, rows: readonly Cells[]): Promise<void> {
    const given = new Set(rows.flatMap((row) => Object.keys(row).filter((name) => row[name] !== undefined)))
    if (rows.length === 0) return
    const names = [...given].map((name) => `"${columnName(name)}"`)
    const places = rows.map((_, row) => `(${[...given].map((_name, cell) => `$v${row}_${cell}`).join(', ')})`)
    const values = rows.flatMap((row, at) =>
      [...given].map((name, cell) => [`v${at}_${cell}`, row[name] ?? null] as const),
    )
    await this.connection.run(
      `insert into landing.main.${table} (${names.join(', ')}) values ${places.join(', ')}`,
      Object.fromEntries(values),
    )
  }

  build(config: Partial<BuildConfig> = {}, options: Partial<BuildOptions> = {}): Promise<BuildResult> {
    return buildLedger({
      dir: this.dir,
      landing: this.landing,
      now: new Date('2026-02-02T00:00:00Z'),
      clock: systemClock,
      config: { accounts: [], publishPersonalData: false, ...config },
      ...(this.only === undefined ? {} : { only: this.only }),
      ...options,
    })
  }

  /** Rows of the published ledger, every value as text (decimals with their shortest form), null kept. */
  async query(sql: string): Promise<(string | null)[][]> {
    const connection = await this.published()
    const reader = await connection.runAndReadAll(sql)
    return reader
      .getRowsJson()
      .map((row) => row.map((value) => (value === null ? null : plain(String(value)))))
  }

  /** Opening a ledger takes longer than querying it, so the same one stays open. Tests may query it at the same time. */
  private async published(): Promise<DuckDBConnection> {
    const path = join(this.dir, 'ledger.duckdb')
    const { ino, mtimeMs, size } = statSync(path)
    const file = `${ino} ${mtimeMs} ${size}`
    if (this.reading?.file !== file) {
      const before = this.reading
      this.reading = { file, opened: stopReading(before).then(() => startReading(path)) }
    }
    return (await this.reading.opened).connection
  }
}

interface Reading {
  readonly instance: DuckDBInstance
  readonly connection: DuckDBConnection
}

async function startReading(path: string): Promise<Reading> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  await connection.run(`attach '${path}' as ledger (read_only); use ledger; set timezone = 'UTC'`)
  return { instance, connection }
}

async function stopReading(reading: { readonly opened: Promise<Reading> } | null): Promise<void> {
  if (reading === null) return
  const { instance, connection } = await reading.opened
  await connection.run('use memory; detach ledger')
  connection.closeSync()
  instance.closeSync()
}

const plain = (text: string): string =>
  /^-?\d+\.\d{18}$/.test(text) ? text.replace(/0+$/, '').replace(/\.$/, '') : text
