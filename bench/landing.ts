// Landing: from journaled bytes to committed rows, compared with DuckDB's own JSON-to-typed-columns SQL over
// the same bytes. That reference gets its bodies already decompressed in a table, and does not check hashes,
// rows or unknown fields. A second reference appends prepared rows, which is what landing would cost if
// reading were free. All run with the same threads, alternately, to the same rows; the median of three counts
// for each. Then how memory grows with the input, and what the lossless JSON reader costs compared with
// JSON.parse.
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { parseAmount } from '../models/amount.ts'
import { systemClock } from '../models/clock.ts'
import { parseJson } from '../models/json.ts'
import type { FieldValue } from '../models/record.ts'
import { taxRecord } from '../models/records.ts'
import { openJournal } from '../pipeline/journal/journal.ts'
import { openLanding } from '../pipeline/landing/database.ts'
import { landJournal } from '../pipeline/landing/land-journal.ts'
import { TableWriter } from '../pipeline/landing/table-writer.ts'
import { recordTable } from '../pipeline/landing/tables.ts'

const ROWS = 500
const PAGES = 600
const ROUNDS = 3
/** How many times larger the second input of the memory measurement is. */
const GROWTH = 4
const THREADS = 2
const MEMORY = '512MB'
/** With 512 MB the reference runs out of memory on these 48 MB of bodies. */
const REFERENCE_MEMORY = '4GB'
const UNDER_WAY = 20
const MEBIBYTE = 2 ** 20
/** Pages of 80 kB, 16 MiB together: the size of one landing transaction. */
const TRANSACTION_ROWS = 205 * ROWS

const OPTIONS = {
  records: [taxRecord],
  feeds: new Map([['tax.records', { record: taxRecord, rows: '' }]]),
  threads: THREADS,
  memoryLimit: MEMORY,
}

/**
 * Runs it in a temporary folder and prints rows/s of both sides with their ratio, then MiB, then the ratio to
 * JSON.parse.
 */
export async function run(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'tieout-bench-'))
  try {
    // First, because the peak of a process only ever rises.
    await printMemory(dir)
    await printSpeed(dir)
    printJson()
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

async function printMemory(dir: string): Promise<void> {
  const peaks: number[] = []
  for (const growth of [1, GROWTH]) {
    const books = join(dir, `x${growth}`)
    await writeJournal(books, PAGES * growth)
    await land(books)
    peaks.push(process.resourceUsage().maxRSS * 1_024)
  }
  const [once = 0, more = 0] = peaks.map((bytes) => Math.round(bytes / MEBIBYTE))
  process.stdout.write(
    `peak memory: ${once} MiB for ${PAGES * ROWS} rows, ${more} MiB for ${PAGES * GROWTH * ROWS} rows ` +
      `(DuckDB allowed ${MEMORY})\n`,
  )
}

async function printSpeed(dir: string): Promise<void> {
  const books = join(dir, 'x1')
  const rows = readyRows()
  const own: Measured[] = []
  const ready: Measured[] = []
  const reference = new Map<string, Measured[]>(Object.keys(references).map((name) => [name, []]))
  for (let round = 0; round < ROUNDS; round++) {
    const landed = await land(books)
    own.push(landed)
    ready.push(await appendReady(join(dir, 'ready'), rows))
    for (const [name, times] of reference)
      times.push(await refer(join(dir, 'reference.duckdb'), references[name]!))
    for (const { content } of [ready.at(-1)!, ...[...reference.values()].map((times) => times.at(-1)!)])
      if (content !== landed.content) throw new Error('a reference gives other rows than landing')
  }
  process.stdout.write(`landing: ${rates(own)} from journal to commit\n`)
  for (const [name, times] of [['appending ready rows alone', ready] as const, ...reference])
    process.stdout.write(
      `  ${name}: ${rates(times)}; landing is ${compared(own, times, 'seconds')} x, ` +
        `by processor time ${compared(own, times, 'cpuSeconds')} x\n`,
    )
}

type Clock = 'seconds' | 'cpuSeconds'

const middle = (times: readonly Measured[], clock: Clock): number => median(times.map((one) => one[clock]))

const compared = (own: readonly Measured[], other: readonly Measured[], clock: Clock): string =>
  (middle(other, clock) / middle(own, clock)).toFixed(2)

function rates(times: readonly Measured[]): string {
  const rate = (clock: Clock): string => ((PAGES * ROWS) / middle(times, clock) / 1_000).toFixed(0)
  return `${rate('seconds')} k rows/s (${rate('cpuSeconds')} k by processor time)`
}

function printJson(): void {
  const texts = Array.from({ length: 100 }, (_, index) => makePage(index).toString())
  const seconds = (parse: (text: string) => unknown): number => {
    const times: number[] = []
    for (let round = 0; round < 15; round++) {
      const start = performance.now()
      for (const text of texts) parse(text)
      times.push(performance.now() - start)
    }
    return median(times) / 1_000
  }
  const native = seconds(JSON.parse)
  const own = seconds(parseJson)
  const rate = (time: number): string => `${Math.round((texts.length * ROWS) / time / 1_000)} k rows/s`
  process.stdout.write(
    `parseJson: ${rate(own)}; JSON.parse ${rate(native)}; ${((native / own) * 100).toFixed(0)} % of its speed\n`,
  )
}

interface Measured {
  readonly seconds: number
  /** Of all threads. */
  readonly cpuSeconds: number
  /** Number and hash of the rows: equal for equal rows. */
  readonly content: string
}

/** Lands the whole journal of these books into a new database. */
async function land(books: string): Promise<Measured> {
  await rm(join(books, 'landing.duckdb'), { force: true })
  const journal = await openJournal(books, { mode: 'read', clock: systemClock })
  const landing = await openLanding(books, OPTIONS)
  const took = await timed(() => landJournal(journal, landing))
  const content = await contentOf(landing.connection, 'landing.tax_records')
  await landing.close()
  await journal.close()
  return { ...took, content }
}

async function timed(work: () => Promise<unknown>): Promise<Omit<Measured, 'content'>> {
  const [start, cpu] = [performance.now(), process.cpuUsage()]
  await work()
  const { user, system } = process.cpuUsage(cpu)
  return { seconds: (performance.now() - start) / 1_000, cpuSeconds: (user + system) / 1e6 }
}

/** The rows as landing hands them to its writer. */
function readyRows(): FieldValue[][] {
  return Array.from({ length: PAGES }, (_, page) => page).flatMap((page) => {
    const { data } = JSON.parse(makePage(page).toString()) as { data: Record<string, string>[] }
    return data.map(({ id, coin, type, amount, fee, balance, ts }, row) => {
      const amounts = [amount, fee, balance].map((text) => unitsOf(text ?? ''))
      return ['main', 'SPOT', page + 1, row, id ?? '', coin ?? '', type ?? '', ...amounts, Number(ts), null]
    })
  })
}

function unitsOf(text: string): bigint {
  const amount = parseAmount(text)
  if (!amount.ok) throw new Error(`${text}: ${amount.problem}`)
  return amount.units
}

/**
 * A bound that landing cannot beat: rows that need neither reading nor checking, in transactions as large as
 * its own.
 */
async function appendReady(dir: string, rows: readonly FieldValue[][]): Promise<Measured> {
  await mkdir(dir, { recursive: true })
  await rm(join(dir, 'landing.duckdb'), { force: true })
  const landing = await openLanding(dir, OPTIONS)
  const { connection } = landing
  const took = await timed(async () => {
    for (let from = 0; from < rows.length; from += TRANSACTION_ROWS) {
      await connection.run('begin')
      const writer = await TableWriter.open(connection, recordTable(taxRecord))
      for (const row of rows.slice(from, from + TRANSACTION_ROWS)) writer.append(row)
      writer.close()
      await connection.run('commit')
    }
  })
  const content = await contentOf(connection, 'landing.tax_records')
  await landing.close()
  return { ...took, content }
}

const FIELDS = Object.keys(taxRecord.fields)
const VARCHARS = `{${FIELDS.map((field) => `"${field}":"VARCHAR"`).join(',')}}`

/** From a page and its rows as structs of texts to the columns of the landing table. */
const typed = (pages: string): string => `
  select 'main', 'SPOT', page_id, place - 1, item.id, item.coin, item.type, item.amount::decimal(38,18),
    item.fee::decimal(38,18), item.balance::decimal(38,18), epoch_ms(item.ts::bigint)::timestamptz, null
  from (select page_id, unnest(items) as item, generate_subscripts(items, 1) as place from (${pages}))`

const references: Readonly<Record<string, string>> = {
  'DuckDB with from_json': typed(
    `select page_id, from_json(body->'data', '[${VARCHARS}]') as items from bodies`,
  ),
  'DuckDB with json_transform': typed(
    `select page_id, json_transform(body, '{"data":[${VARCHARS}]}').data as items from bodies`,
  ),
}

async function refer(path: string, sql: string): Promise<Measured> {
  await rm(path, { force: true })
  const instance = await DuckDBInstance.create(path, {
    threads: String(THREADS),
    memory_limit: REFERENCE_MEMORY,
  })
  const connection = await instance.connect()
  await connection.run("set TimeZone = 'UTC'")
  await connection.run('create table bodies (page_id bigint, body varchar)')
  const bodies = await connection.createAppender('bodies')
  for (let page = 0; page < PAGES; page++) {
    bodies.appendBigInt(BigInt(page + 1))
    bodies.appendVarchar(makePage(page).toString())
    bodies.endRow()
  }
  bodies.closeSync()
  await connection.run(
    `create table tax_records (account varchar, partition varchar, page_id bigint, page_row integer, id varchar,
       coin varchar, type varchar, amount decimal(38,18), fee decimal(38,18), balance decimal(38,18),
       ts timestamptz, extra varchar)`,
  )
  await connection.run('checkpoint')
  const took = await timed(() => connection.run(`insert into tax_records ${sql}`))
  const content = await contentOf(connection, 'tax_records')
  connection.closeSync()
  instance.closeSync()
  return { ...took, content }
}

async function contentOf(connection: DuckDBConnection, table: string): Promise<string> {
  const result = await connection.runAndReadAll(`select count(*), sum(hash(columns(*))) from ${table}`)
  return JSON.stringify(result.getRowsJson())
}

async function writeJournal(books: string, pages: number): Promise<void> {
  const journal = await openJournal(books, { mode: 'append', clock: systemClock })
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < pages) {
      const page = next++
      const at = new Date(systemClock.wall()).toISOString()
      const request = { method: 'GET', path: `/api/v3/tax/records?limit=500&cursor=${page}` } as const
      const feed = { account: 'main', feed: 'tax.records', partition: 'SPOT', request, status: 200 } as const
      const covers = { start: page * 1_000, end: page * 1_000 + 999 }
      await journal.append(
        { kind: 'page', at, run: 'bench', ...feed, window: covers, covers, next: null },
        makePage(page),
      )
    }
  }
  await Promise.all(Array.from({ length: UNDER_WAY }, worker))
  await journal.close()
}

const COINS = ['USDT', 'BTC', 'ETH', 'BGB']
const TYPES = [
  'ORDER_DEALT_IN',
  'ORDER_DEALT_FROZEN_OUT',
  'ORDER_PLF_FEE_OUT',
  'CONTRACT_MAIN_SETTLE_FEE_USER_IN',
]

/** Tax records as the venue sends them, newest first; a page depends only on its number. */
function makePage(page: number): Buffer {
  let state = page + 1
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  const decimal = (places: number, below: number): string =>
    `${random(below)}.${String(random(1e7)).padStart(7, '0')}${String(random(1e7)).padStart(7, '0')}`.slice(
      0,
      places - 14 || undefined,
    )
  const data = Array.from({ length: ROWS }, (_, row) => ({
    id: String(
      1_375_573_238_088_888_369n - BigInt(page) * 1_000_000_000n - BigInt(row * 1_000 + random(1_000)),
    ),
    coin: COINS[random(4)],
    type: TYPES[random(4)],
    amount: `${random(2) === 0 ? '-' : ''}${decimal(8, 3_000)}`,
    fee: random(3) > 0 ? '0' : `-${decimal(10, 2)}`,
    balance: decimal(14, 50_000),
    ts: String(1_763_688_137_552 - page * 600_000 - row * 1_000 - random(1_000)),
  }))
  return Buffer.from(JSON.stringify({ code: '00000', msg: 'success', requestTime: 1_763_688_181_556, data }))
}

const median = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
