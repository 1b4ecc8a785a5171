// What is traded and at what price. Prices walk hour by hour in integers from a seed and stay constant once the history
// has ended, so that a write always meets the walk's last price.

import { HOUR_MS } from './clock.ts'
import type { FuturesLine } from './lines.ts'
import { cut, money, ONE, per } from './money.ts'
import { Random } from './random.ts'

/** The platform's own coin: fees can be paid in it at a discount, and dust is converted into it. */
export const PLATFORM_COIN = 'BGB'

/** The price of fiat money, which is constant. */
export const DOLLARS_PER_FIAT: Readonly<Record<string, string>> = { USD: '1', EUR: '1.085', GBP: '1.27' }

interface CoinSpec {
  start: string
  /** The largest move in an hour, in hundredths of a percent; 0 pegs the coin to the dollar. */
  stepBp: number
  /** Decimals of an amount of this coin. */
  places: number
}

export const COINS: Record<string, CoinSpec> = {
  USDT: { start: '1', stepBp: 0, places: 8 },
  USDC: { start: '1', stepBp: 0, places: 8 },
  BTC: { start: '64210.5', stepBp: 75, places: 8 },
  ETH: { start: '3120.75', stepBp: 95, places: 8 },
  SOL: { start: '148.32', stepBp: 125, places: 6 },
  XRP: { start: '0.6213', stepBp: 120, places: 4 },
  BGB: { start: '3.4125', stepBp: 90, places: 4 },
  DOGE: { start: '0.1584', stepBp: 135, places: 4 },
  ADA: { start: '0.4515', stepBp: 110, places: 4 },
  PEPE: { start: '0.0000112', stepBp: 135, places: 2 },
}

export interface SpotPair {
  symbol: string
  base: string
  quote: string
  pricePlaces: number
  quantityPlaces: number
  minQuantity: bigint
}

export interface Contract {
  symbol: string
  line: FuturesLine
  base: string
  quote: string
  marginCoin: string
  pricePlaces: number
  quantityPlaces: number
  /** Settled in the base coin; profit follows the reciprocal of the price. */
  inverse: boolean
}

export const SPOT_PAIRS: readonly SpotPair[] = (
  [
    ['BTC', 'USDT', 2, 6],
    ['ETH', 'USDT', 2, 4],
    ['SOL', 'USDT', 2, 4],
    ['XRP', 'USDT', 4, 4],
    ['BGB', 'USDT', 4, 4],
    ['DOGE', 'USDT', 5, 2],
    ['BTC', 'USDC', 2, 6],
    ['ETH', 'BTC', 6, 4],
    ['USDC', 'USDT', 4, 2],
  ] as const
).map(([base, quote, pricePlaces, quantityPlaces]) => ({
  symbol: base + quote,
  base,
  quote,
  pricePlaces,
  quantityPlaces,
  minQuantity: ONE / 10n ** BigInt(quantityPlaces),
}))

export const CONTRACTS: readonly Contract[] = (
  [
    ['BTCUSDT', 'USDT-FUTURES', 'BTC', 'USDT', 'USDT', 1, 4],
    ['ETHUSDT', 'USDT-FUTURES', 'ETH', 'USDT', 'USDT', 2, 2],
    ['SOLUSDT', 'USDT-FUTURES', 'SOL', 'USDT', 'USDT', 3, 1],
    ['XRPUSDT', 'USDT-FUTURES', 'XRP', 'USDT', 'USDT', 4, 0],
    ['BTCUSD', 'COIN-FUTURES', 'BTC', 'USD', 'BTC', 1, 4],
    ['ETHUSD', 'COIN-FUTURES', 'ETH', 'USD', 'ETH', 2, 2],
    ['BTCPERP', 'USDC-FUTURES', 'BTC', 'USDC', 'USDC', 1, 4],
    ['ETHPERP', 'USDC-FUTURES', 'ETH', 'USDC', 'USDC', 2, 2],
  ] as const
).map(([symbol, line, base, quote, marginCoin, pricePlaces, quantityPlaces]) => ({
  symbol,
  line,
  base,
  quote,
  marginCoin,
  pricePlaces,
  quantityPlaces,
  inverse: line === 'COIN-FUTURES',
}))

export function spotPair(symbol: string): SpotPair | undefined {
  return SPOT_PAIRS.find((pair) => pair.symbol === symbol)
}

export function contractsOf(line: FuturesLine): Contract[] {
  return CONTRACTS.filter((contract) => contract.line === line)
}

export class Market {
  readonly #startMs: number
  readonly #endMs: number
  readonly #walks = new Map<string, bigint[]>()

  constructor(seed: number, startMs: number, endMs: number) {
    this.#startMs = startMs
    this.#endMs = endMs
    const hours = Math.ceil((endMs - startMs) / HOUR_MS) + 1
    for (const [coin, { start, stepBp }] of Object.entries(COINS)) {
      const random = new Random(seed, `price/${coin}`)
      const walk = [money(start)]
      for (let hour = 1; hour <= hours; hour++) {
        const step = BigInt(10_000 + random.int(-stepBp, stepBp))
        walk.push((walk[hour - 1]! * step) / 10_000n)
      }
      this.#walks.set(coin, walk)
    }
  }

  /** The dollar price of a coin at a time, interpolated linearly between the hours. */
  dollarPrice(coin: string, atMs: number): bigint {
    const walk = this.#walks.get(coin)
    if (walk === undefined) throw new Error(`no price for ${coin}`)
    const elapsedMs = Math.max(0, Math.min(atMs, this.#endMs) - this.#startMs)
    const hour = Math.floor(elapsedMs / HOUR_MS)
    const [before, after] = [walk[hour]!, walk[hour + 1]!]
    return before + ((after - before) * BigInt(elapsedMs % HOUR_MS)) / BigInt(HOUR_MS)
  }

  spotPrice(pair: SpotPair, atMs: number): bigint {
    return cut(per(this.dollarPrice(pair.base, atMs), this.dollarPrice(pair.quote, atMs)), pair.pricePlaces)
  }

  contractPrice(contract: Contract, atMs: number): bigint {
    return cut(this.dollarPrice(contract.base, atMs), contract.pricePlaces)
  }
}
