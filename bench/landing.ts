// Landing: from journaled bytes to committed rows, beside DuckDB's own JSON-to-typed-columns SQL over the same bytes.
// The reference gets its bodies already decompressed in a table, and does not check hashes, rows or unknown fields.
// Both run with the same threads, in turns, to the same rows; the median of three counts for each.
// Then how memory grows with the input, and what the lossless JSON reader costs beside JSON.parse.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { systemClock } from '../models/clock.ts'
import { parseJson } from '../models/json.ts'
import { taxRecord } from '../models/records.ts'
import { openJournal } from '../pipeline/journal/journal.ts'
import { openLanding } from '../pipeline/landing/database.ts'
import { landJournal } from '../pipeline/landing/land-journal.ts'

const ROWS = 500
const PAGES = 600
const ROUNDS = 3
/** How many times as much the second input of the memory measurement is. */
const GROWTH = 4
const THREADS = 2
const MEMORY = '512MB'
/** With 512 MB the reference runs out of memory on these 48 MB of bodies. */
const REFERENCE_MEMORY = '4GB'
const UNDER_WAY = 20
const MEBIBYTE = 2 ** 20

/** Runs it in a temporary folder and prints rows/s of both sides with their ratio, then MiB, then the share of JSON.parse. */
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
  const own: number[] = []
  const reference = new Map<string, number[]>(Object.keys(references).map((name) => [name, []]))
  for (let round = 0; round < ROUNDS; round++) {
    const landed = await land(books)
    own.push(landed.seconds)
    for (const [name, times] of reference) {
      const referred = await refer(join(dir, 'reference.duckdb'), references[name]!)
      times.push(referred.seconds)
      if (referred.content !== landed.content) throw new Error(`${name} gives other rows than landing`)
    }
  }
  const rate = (times: readonly number[]): number => (PAGES * ROWS) / median(times) / 1_000
  process.stdout.write(`landing: ${rate(own).toFixed(0)} k rows/s from journal to commit\n`)
  for (const [name, times] of reference)
    process.stdout.write(
      `  DuckDB with ${name}: ${rate(times).toFixed(0)} k rows/s; landing is ${(rate(own) / rate(times)).toFixed(2)} x\n`,
    )
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
  /** Number and hash of the rows: equal for equal rows. */
  readonly content: string
}

/** Lands the whole journal of these books into a new database. */
async function land(books: string): Promise<Measured> {
  await rm(join(books, 'landing.duckdb'), { force: true })
  const journal = await openJournal(books, { mode: 'read', clock: systemClock })
  const landing = await openLanding(books, {
    records: [taxRecord],
    feeds: new Map([['tax.records', { record: taxRecord, rows: '' }]]),
    threads: THREADS,
    memoryLimit: MEMORY,
  })
  const start = performance.now()
  await landJournal(journal, landing)
  const seconds = (performance.now() - start) / 1_000
  const content = await contentOf(landing.connection, 'landing.tax_records')
  await landing.close()
  await journal.close()
  return { seconds, content }
}

const FIELDS = Object.keys(taxRecord.fields)
const VARCHARS = `{${FIELDS.map((field) => `"${field}":"VARCHAR"`).join(',')}}`

/** From a page and its rows as structs of texts to the columns of the landing table. */
const typed = (pages: string): string => `
  select 'main', 'SPOT', page_id, place - 1, item.id, item.coin, item.type, item.amount::decimal(38,18),
    item.fee::decimal(38,18), item.balance::decimal(38,18), epoch_ms(item.ts::bigint)::timestamptz, null
  from (select page_id, unnest(items) as item, generate_subscripts(items, 1) as place from (${pages}))`

const references: Readonly<Record<string, string>> = {
  from_json: typed(`select page_id, from_json(body->'data', '[${VARCHARS}]') as items from bodies`),
  json_transform: typed(
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
  const start = performance.now()
  await connection.run(`insert into tax_records ${sql}`)
  const seconds = (performance.now() - start) / 1_000
  const content = await contentOf(connection, 'tax_records')
  connection.closeSync()
  instance.closeSync()
  return { seconds, content }
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

/** Tax records as the venue sends them, newest first; a page depends on its number alone. */
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
