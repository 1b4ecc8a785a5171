// How fast lots are matched: one million buys and sells over 20 coins by every method, by the engine alone
// and by the build step, which reads events from DuckDB and writes disposals and lots there; and how the time
// grows from 1 to 5 million. Events are created outside the measured time, one coin after another, from a
// seed. The references of the same run are the SQL model of FIFO, which must produce the same number of
// pieces, and beancount on 20,000 events. Wall-clock time and processor time are both reported: on a shared
// machine only the second shows what the work costs.
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
import { packageRoot } from '../pipeline/config/root.ts'
import { LotEngine, type Method, methods } from '../pipeline/lots/engine.ts'
import type { EventId, LotEvent, NamedLotsOf, Selection, Sink } from '../pipeline/lots/event.ts'
import { lotsStep } from '../pipeline/lots/step.ts'
import { matchingOf } from '../pipeline/rules/matching.ts'
import { checkCpuSeconds, covered, hasBeancount } from './lots-beancount.ts'
import { mulberry32 } from './random.ts'

const COINS = 20
const MILLION = 1_000_000
/** What is owed, by any method. */
const TARGET_PER_SECOND = 600_000

const SIZES = [MILLION, 5 * MILLION]
/** Methods for which the step is measured too; the engine is measured for all. */
const GROWING: readonly Method[] = ['fifo', 'hifo', 'average', 'specific']

/**
 * The step is given its named lots all at once, as from a file; a file with millions of lines would measure
 * their memory.
 */
const MOST_NAMED = MILLION

interface Measurement {
  readonly seconds: number
  /** Of all threads. */
  readonly cpuSeconds: number
  /** The number of pieces of disposals. */
  readonly pieces: number
}

export async function run(): Promise<void> {
  // Before anything is compiled.
  besideBeancount()
  await allMethods()
  await growth()
}

async function allMethods(): Promise<void> {
  for (const method of methods) print(`${method}, engine`, MILLION, measure(method, MILLION))
  const books = await Books.of(MILLION)
  for (const method of methods) print(`${method}, step`, MILLION, await books.step(method))
  await books.besideModel()
  books.close()
}

async function growth(): Promise<void> {
  const taken = new Map<string, number[]>()
  const took = (what: string, events: number, measured: Measurement): void => {
    print(what, events, measured)
    taken.set(what, [...(taken.get(what) ?? []), measured.cpuSeconds])
  }
  for (const events of SIZES) {
    for (const method of methods) took(`${method}, engine`, events, measure(method, events))
    const books = await Books.of(events)
    for (const method of GROWING)
      if (method !== 'specific' || events <= MOST_NAMED)
        took(`${method}, step`, events, await books.step(method))
    books.close()
  }
  const [first = 0, last = 0] = SIZES
  const nLogN = (last * Math.log(last)) / (first * Math.log(first))
  for (const [what, [less, more]] of taken) {
    if (less === undefined || more === undefined) continue
    const grown = more / less
    process.stdout.write(
      `${what.padEnd(17)} ${last / first} times the events take ${grown.toFixed(1)} times the processor time, ` +
        `${(grown / nLogN).toFixed(2)} of n log n\n`,
    )
  }
}

function print(what: string, events: number, { seconds, cpuSeconds, pieces }: Measurement): void {
  const rate = (of: number): string => String(Math.round(events / of)).padStart(8)
  process.stdout.write(
    `${what.padEnd(17)} ${String(events).padStart(8)} events ${seconds.toFixed(2).padStart(6)} s ${rate(seconds)}/s, ` +
      `${(events / seconds / TARGET_PER_SECOND).toFixed(1)} of the target; of the processor ` +
      `${cpuSeconds.toFixed(2).padStart(6)} s ${rate(cpuSeconds)}/s; ${pieces} pieces\n`,
  )
}

/** Starts a stopwatch: returns wall-clock and processor seconds since. */
function stopwatch(): () => { readonly seconds: number; readonly cpuSeconds: number } {
  const [start, cpu] = [performance.now(), process.cpuUsage()]
  return () => {
    const { user, system } = process.cpuUsage(cpu)
    return { seconds: (performance.now() - start) / 1_000, cpuSeconds: (user + system) / 1e6 }
  }
}

/** Runs one method over `events` events and counts only the engine's time. */
function measure(method: Method, events: number): Measurement {
  return measureBooks(
    method,
    Array.from({ length: COINS }, (_, coin) => () => tradesOf(coin, events / COINS)),
  )
}

/** Under the rules that the method implies. */
function optionsOf<Named extends NamedLotsOf>(method: Method, selections: Named) {
  return { ...matchingOf({ method, scope: 'account' }).options, selections }
}

/** A book is created when its turn comes, so that only one is in memory. */
function measureBooks(method: Method, books: readonly (() => readonly LotEvent[])[]): Measurement {
  let [pieces, seconds, cpuSeconds] = [0, 0, 0]
  const sink: Sink = {
    piece: () => {
      pieces += 1
    },
    lot: () => {},
    moved: () => {},
    problem: () => {},
    shortSale: () => {},
    borrowed: () => {},
  }
  // By the row of each event, as in the step.
  const selections = new Map<EventId, readonly Selection<EventId>[]>()
  const engine = new LotEngine(optionsOf(method, selections), sink)
  for (const [at, make] of books.entries()) {
    const book = make()
    selections.clear()
    if (method === 'specific') for (const [sale, lot] of latestLots(book)) selections.set(sale, [lot])
    const stop = stopwatch()
    for (const event of book) engine.apply(event)
    if (at === books.length - 1) engine.finish()
    const took = stop()
    seconds += took.seconds
    cpuSeconds += took.cpuSeconds
  }
  return { seconds, cpuSeconds, pieces }
}

const PASSES = 21

/**
 * The engine and beancount over the same 20,000 buys and sells, in seconds of processor time. The engine gets
 * events in memory and counts what it finds; beancount reads its text, books and checks it, less the time of
 * an empty book. The first pass of the engine in a process is nearly all compilation, because afterwards
 * 20,000 events take a hundredth of a second: both are reported.
 */
function besideBeancount(): void {
  if (!hasBeancount()) {
    process.stdout.write('beancount is not installed (apt-get install beancount): no reference for it\n')
    return
  }
  const books = Array.from({ length: COINS }, (_, coin) => covered(tradesOf(coin, 20_000 / COINS)))
  const events = books.flat()
  const pass = (): number =>
    measureBooks(
      'fifo',
      books.map((book) => () => book),
    ).cpuSeconds
  const [first = 0, ...later] = Array.from({ length: PASSES }, pass)
  const median = later.sort((a, b) => a - b)[later.length >> 1] ?? 0
  const empty = checkCpuSeconds([])
  const seconds = checkCpuSeconds(events) - empty
  const times = (ours: number): string =>
    `${(ours * 1_000).toFixed(1)} ms, ${Math.round(seconds / ours)} times as fast`
  process.stdout.write(
    `fifo, bean-check  ${events.length} events ${seconds.toFixed(2)} s of the processor, and ${empty.toFixed(2)} s to start\n` +
      `fifo, engine      ${events.length} events, first pass ${times(first)}; median of ${later.length} later ones ${times(median)}\n`,
  )
}

/** The same trades in a separate database. */
class Books {
  readonly #instance: DuckDBInstance
  readonly #connection: DuckDBConnection
  readonly #events: number

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection, events: number) {
    this.#instance = instance
    this.#connection = connection
    this.#events = events
  }

  static async of(events: number): Promise<Books> {
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    await insertTrades(connection, events)
    return new Books(instance, connection, events)
  }

  /** The whole build step. */
  async step(method: Method): Promise<Measurement> {
    const selections = new Map<string, readonly Selection[]>()
    if (method === 'specific')
      for (let coin = 0; coin < COINS; coin += 1)
        for (const [sale, { lotId, quantity }] of latestLots(tradesOf(coin, this.#events / COINS)))
          selections.set(String(sale), [{ lotId: String(lotId), quantity }])
    return await this.#timed('disposals', () => lotsStep(optionsOf(method, selections)).run(this.#connection))
  }

  async besideModel(): Promise<void> {
    const model = readFileSync(join(packageRoot, 'bench/fifo.sql'), 'utf8')
    const step = await this.step('fifo')
    const reference = await this.#timed('pieces', () =>
      this.#connection.run(`create or replace table pieces as ${model}`),
    )
    print('fifo, SQL model', this.#events, reference)
    process.stdout.write(
      `the step of fifo takes ${(step.cpuSeconds / reference.cpuSeconds).toFixed(2)} of the processor time of the ` +
        `SQL model, with ${step.pieces === reference.pieces ? 'the same' : 'ANOTHER'} number of pieces\n`,
    )
  }

  close(): void {
    this.#connection.closeSync()
    this.#instance.closeSync()
  }

  async #timed(table: string, work: () => Promise<unknown>): Promise<Measurement> {
    const stop = stopwatch()
    await work()
    const took = stop()
    const counted = await this.#connection.runAndReadAll(`select count(*) from ${table}`)
    return { ...took, pieces: Number(counted.getRows()[0]?.[0]) }
  }
}

async function insertTrades(connection: DuckDBConnection, events: number): Promise<void> {
  await connection.run(`create table lot_events (
    account varchar, coin varchar, happened_at timestamptz, place bigint, event_id varchar, kind varchar,
    quantity decimal(38, 18), value decimal(38, 18), currency varchar, transfer_id varchar,
    value_shared decimal(38, 18) as (value), value_before_fees decimal(38, 18) as (value))`)
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
  return [
    account,
    coin,
    new DuckDBTimestampTZValue(happenedAtUs),
    place,
    String(id),
    kind,
    ...amounts,
    'USD',
    null,
  ]
}

/** Each sale names the purchase before it, which is often no longer held: the worst case of a selection. */
function* latestLots(book: readonly LotEvent[]): Iterable<readonly [sale: EventId, lot: Selection<EventId>]> {
  let latest: LotEvent | undefined
  for (const event of book) {
    if (event.kind === 'acquire') latest = event
    else if (latest !== undefined) yield [event.id, { lotId: latest.id, quantity: event.quantity }]
  }
}

/**
 * A trader who buys slightly more than is sold, every half hour, at a wandering price, in amounts of eight
 * decimals. So open lots pile up, and most sales take parts of several lots.
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
      id: coin * count + at,
      kind: isBuy ? 'acquire' : 'dispose',
      quantity: BigInt(size) * 10_000_000_000n,
      value: isBuy ? value + fee : value - fee,
    })
  }
  return events
}
