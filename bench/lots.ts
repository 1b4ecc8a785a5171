// How fast the lots engine matches: one million buys and sells over 20 coins by every method, and how the time grows.
// Events are made outside the measured time, one coin after another, from a seed; the engine alone is measured.
import { performance } from 'node:perf_hooks'
import { LotEngine, type LotOptions, type Method, methods } from '../pipeline/lots/engine.ts'
import type { LotEvent, Sink } from '../pipeline/lots/event.ts'

export interface LotsMeasurement {
  readonly name: string
  readonly events: number
  readonly seconds: number
  readonly eventsPerSecond: number
  /** Pieces of disposals that came out. */
  readonly pieces: number
}

const COINS = 20
const MILLION = 1_000_000

/** Every method at one million events, then FIFO and HIFO at 0.1, 1 and 5 million. */
export function run(): LotsMeasurement[] {
  measure('fifo', 100_000)
  const byMethod = methods.map((method) => measure(method, MILLION))
  const growth = (['fifo', 'hifo'] as const).flatMap((method) =>
    [MILLION / 10, MILLION, 5 * MILLION].map((events) => measure(method, events)),
  )
  return [...byMethod, ...growth]
}

/** Runs one method over `events` events and counts only the engine's time. */
export function measure(method: Method, events: number): LotsMeasurement {
  let pieces = 0
  const sink: Sink = {
    piece: () => {
      pieces += 1
    },
    lot: () => {},
    moved: () => {},
    problem: () => {},
  }
  const options: LotOptions = { method, scope: 'account', selections: new Map() }
  let ms = 0
  const engine = new LotEngine(options, sink)
  for (let coin = 0; coin < COINS; coin += 1) {
    const book = tradesOf(coin, events / COINS)
    const start = performance.now()
    for (const event of book) engine.apply(event)
    if (coin === COINS - 1) engine.finish()
    ms += performance.now() - start
  }
  const seconds = ms / 1_000
  return { name: `lots ${method}`, events, seconds, eventsPerSecond: Math.round(events / seconds), pieces }
}

/**
 * A trader who buys a little more than is sold, at a wandering price, in amounts of eight decimals.
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
      happenedAtUs: 1_700_000_000_000_000n + BigInt(at) * 31_000_000n,
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
