// How fast the lots engine matches: one million buys and sells over 20 coins by every method, and how the time grows.
// Events are made outside the measured time, one coin after another, from a seed. The reference is the SQL model of
// FIFO on the same events in the same run, which must also come to the same number of pieces, and beancount on 20,000.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import {
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBDecimalValue,
  DuckDBInstance,
  DuckDBTimestampTZValue,
} from '@duckdb/node-api'
import { LotEngine, type Method, methods } from '../pipeline/lots/engine.ts'
import type { LotEvent, Selection, Sink } from '../pipeline/lots/event.ts'
import { lotsStep } from '../pipeline/lots/step.ts'
import { packageRoot } from '../pipeline/root.ts'
import { checkSeconds, covered, hasBeancount } from './lots-beancount.ts'

const COINS = 20
const MILLION = 1_000_000
/** What the engine owes, by any method. */
const TARGET_PER_SECOND = 300_000

interface Measurement {
  readonly seconds: number
  /** Pieces of disposals that came out. */
  readonly pieces: number
}

export async function run(): Promise<void> {
  measure('fifo', MILLION / 10)
  for (const method of methods) print(`${method}, engine`, MILLION, measure(method, MILLION))
  for (const method of ['fifo', 'hifo'] as const)
    for (const events of [MILLION / 10, MILLION, 5 * MILLION])
      print(`${method}, engine`, events, measure(method, events))
  await inDatabase(MILLION / 10)
  await inDatabase(MILLION)
  besideBeancount()
}

function print(what: string, events: number, { seconds, pieces }: Measurement): void {
  const rate = Math.round(events / seconds)
  process.stdout.write(
    `${what.padEnd(24)} ${String(events).padStart(9)} events ${seconds.toFixed(2).padStart(6)} s ` +
      `${String(rate).padStart(9)}/s, ${(rate / TARGET_PER_SECOND).toFixed(1)} of the target, ${pieces} pieces\n`,
  )
}

/** Runs one method over `events` events and counts only the engine's time. */
function measure(method: Method, events: number): Measurement {
  return measureBooks(
    method,
    Array.from({ length: COINS }, (_, coin) => () => tradesOf(coin, events / COINS)),
  )
}

/** A book is made when its turn comes, so that only one is in memory. */
function measureBooks(method: Method, books: readonly (() => readonly LotEvent[])[]): Measurement {
  let pieces = 0
  let ms = 0
  const sink: Sink = {
    piece: () => {
      pieces += 1
    },
    lot: () => {},
    moved: () => {},
    problem: () => {},
  }
  const selections = new Map<string, readonly Selection[]>()
  const engine = new LotEngine({ method, scope: 'account', selections }, sink)
  for (const [at, make] of books.entries()) {
    const book = make()
    if (method === 'specific') selectLatest(book, selections)
    const start = performance.now()
    for (const event of book) engine.apply(event)
    if (at === books.length - 1) engine.finish()
    ms += performance.now() - start
  }
  return { seconds: ms / 1_000, pieces }
}

/** The engine and beancount over the same 20,000 buys and sells. */
function besideBeancount(): void {
  if (!hasBeancount()) {
    process.stdout.write('beancount is not installed (apt-get install beancount): no reference of it\n')
    return
  }
  const books = Array.from({ length: COINS }, (_, coin) => covered(tradesOf(coin, 20_000 / COINS)))
  const events = books.flat()
  const ours = measureBooks(
    'fifo',
    books.map((book) => () => book),
  )
  const seconds = checkSeconds(events)
  const empty = checkSeconds([])
  print('fifo, engine', events.length, ours)
  process.stdout.write(
    `fifo, bean-check ${events.length} events ${seconds.toFixed(2)} s, of which ${empty.toFixed(2)} s to start; ` +
      `the engine takes 1/${Math.round((seconds - empty) / ours.seconds)} of the rest\n`,
  )
}

/** The whole step of the build, and the SQL model, over the same table of events. */
async function inDatabase(events: number): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await insertTrades(connection, events)
  const step = await timed(connection, 'disposals', () =>
    lotsStep({ method: 'fifo', scope: 'account' }).run(connection),
  )
  print('fifo, step of the build', events, step)
  const model = readFileSync(join(packageRoot, 'pipeline/lots/fifo.sql'), 'utf8')
  const reference = await timed(connection, 'pieces', () => connection.run(`create table pieces as ${model}`))
  print('fifo, SQL reference', events, reference)
  process.stdout.write(
    `the step takes ${(step.seconds / reference.seconds).toFixed(2)} of the reference's time, ` +
      `with ${step.pieces === reference.pieces ? 'the same' : 'ANOTHER'} number of pieces\n`,
  )
  connection.closeSync()
  instance.closeSync()
}

async function timed(
  connection: DuckDBConnection,
  table: string,
  work: () => Promise<unknown>,
): Promise<Measurement> {
  const start = performance.now()
  await work()
  const seconds = (performance.now() - start) / 1_000
  const counted = await connection.runAndReadAll(`select count(*) from ${table}`)
  return { seconds, pieces: Number(counted.getRows()[0]?.[0]) }
}

async function insertTrades(connection: DuckDBConnection, events: number): Promise<void> {
  await connection.run(`create table lot_events (
    account varchar, coin varchar, happened_at timestamptz, place bigint, event_id varchar, kind varchar,
    quantity decimal(38, 18), value decimal(38, 18), currency varchar, transfer_id varchar)`)
  const appender = await connection.createAppender('lot_events')
  const types = Array.from({ length: appender.columnCount }, (_, column) => appender.columnType(column))
  for (let coin = 0; coin < COINS; coin += 1) {
    const book = tradesOf(coin, events / COINS)
    for (let from = 0; from < book.length; from += 2_048) {
      const rows = book.slice(from, from + 2_048)
      const chunk = DuckDBDataChunk.create(types, rows.length)
      chunk.setRows(rows.map(rowOf))
      appender.appendDataChunk(chunk)
    }
  }
  appender.closeSync()
}

function rowOf({ account, coin, happenedAtUs, place, id, kind, quantity, value }: LotEvent) {
  const amounts = [new DuckDBDecimalValue(quantity, 38, 18), new DuckDBDecimalValue(value ?? 0n, 38, 18)]
  return [account, coin, new DuckDBTimestampTZValue(happenedAtUs), place, id, kind, ...amounts, 'USD', null]
}

/** Each sale names the purchase before it, which is often not held any more: the worst case of a selection. */
function selectLatest(book: readonly LotEvent[], selections: Map<string, readonly Selection[]>): void {
  let latest: LotEvent | undefined
  for (const event of book) {
    if (event.kind === 'acquire') latest = event
    else if (latest !== undefined) selections.set(event.id, [{ lotId: latest.id, quantity: event.quantity }])
  }
}

/**
 * A trader who buys a little more than is sold, every half hour, at a wandering price, in amounts of eight decimals.
 * So open lots pile up, and most sales take parts of several lots.
 */
export function tradesOf(coin: number, count: number): LotEvent[] {
  const random = mulberry32(coin + 1)
  const events: LotEvent[] = []
  let priceCents = 1_000_000
  for (let at = 0; at < count; at += 1) {
    priceCents = Math.max(100, Math.round(priceCents * (1 + (random() - 0.5) / 100)))
    const isBuy = random() < 0.5
    const size = Math.floor(random() * (isBuy ? 120_000_000 : 100_000_000)) + 1
    const value = BigInt(size) * BigInt(priceCents) * 100_000_000n
    const fee = value / 1_000n
    events.push({
      account: 'main',
      coin: `C${String(coin).padStart(2, '0')}`,
      happenedAtUs: 1_262_304_000_000_000n + BigInt(at) * 1_800_000_000n,
      place: BigInt(at),
      id: `t${coin}-${at}`,
      kind: isBuy ? 'acquire' : 'dispose',
      quantity: BigInt(size) * 10_000_000_000n,
      value: isBuy ? value + fee : value - fee,
    })
  }
  return events
}

/** Small seeded generator: the same seed gives the same trades on every machine. */
function mulberry32(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
