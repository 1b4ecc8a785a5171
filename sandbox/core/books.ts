// The truth: plain books written as events are invented, never computed from the records that the feeds return.
// Balances per account, ledger and coin; futures results per symbol; the times of each feed's records. Every quantity
// ever touched stays in the books, even when it is back at zero.

import { DAY_MS } from './clock.ts'
import { FEEDS, type FeedName, type FuturesLine, RETENTION_DAYS } from './lines.ts'
import { text } from './money.ts'

export interface Truth {
  accounts: TruthOfAccount[]
}

export interface TruthOfAccount {
  uid: string
  balances: { ledger: string; coin: string; quantity: string }[]
  futuresPnl: {
    productType: string
    symbol: string
    marginCoin: string
    realisedPnl: string
    funding: string
    fees: string
  }[]
  records: Record<FeedName, number>
  /** Principal of margin loans that is still owed. */
  loans: { ledger: string; coin: string; quantity: string }[]
}

export interface FuturesResult {
  realisedPnl?: bigint
  funding?: bigint
  fees?: bigint
}

interface AccountBooks {
  balances: Map<string, bigint>
  /** What a pending transfer will take, though it has not been recorded yet. */
  held: Map<string, bigint>
  futures: Map<string, Required<FuturesResult>>
  recordTimes: Record<FeedName, number[]>
}

export class Books {
  readonly #accounts = new Map<string, AccountBooks>()

  open(uid: string): void {
    const recordTimes = Object.fromEntries(
      FEEDS.map((feed) => [feed, []]),
    ) as unknown as AccountBooks['recordTimes']
    this.#accounts.set(uid, { balances: new Map(), held: new Map(), futures: new Map(), recordTimes })
  }

  /** What can be spent: the balance without what a pending transfer will take. */
  balance(uid: string, ledger: string, coin: string): bigint {
    const { balances, held } = this.#of(uid)
    const key = `${ledger}|${coin}`
    return (balances.get(key) ?? 0n) - (held.get(key) ?? 0n)
  }

  /** Reserves an amount so that it cannot be spent; a negative amount releases it. */
  hold(uid: string, ledger: string, coin: string, amount: bigint): void {
    const { held } = this.#of(uid)
    const key = `${ledger}|${coin}`
    held.set(key, (held.get(key) ?? 0n) + amount)
  }

  /** Coins of one ledger with their balances, in the order in which they first moved. */
  holdings(uid: string, ledger: string): { coin: string; quantity: bigint }[] {
    return [...this.#of(uid).balances]
      .map(([key, quantity]) => ({ at: key.split('|'), quantity }))
      .filter(({ at }) => at[0] === ledger)
      .map(({ at, quantity }) => ({ coin: at[1]!, quantity }))
  }

  /** Moves a balance and returns the new balance. */
  move(uid: string, ledger: string, coin: string, change: bigint): bigint {
    const { balances } = this.#of(uid)
    const key = `${ledger}|${coin}`
    const after = (balances.get(key) ?? 0n) + change
    if (after < 0n && change < 0n) throw new Error(`${uid} ${ledger} ${coin} would fall to ${text(after)}`)
    balances.set(key, after)
    return after
  }

  futuresResult(
    uid: string,
    line: FuturesLine,
    symbol: string,
    marginCoin: string,
    result: FuturesResult,
  ): void {
    const futures = this.#of(uid).futures
    const key = `${line}|${symbol}|${marginCoin}`
    const sums = futures.get(key) ?? { realisedPnl: 0n, funding: 0n, fees: 0n }
    sums.realisedPnl += result.realisedPnl ?? 0n
    sums.funding += result.funding ?? 0n
    sums.fees += result.fees ?? 0n
    futures.set(key, sums)
  }

  recordKept(uid: string, feed: FeedName, ts: number): void {
    this.#of(uid).recordTimes[feed].push(ts)
  }

  /** The truth of one account as of the given time; `tells` lists the ledgers that some feed of it covers. */
  truth(uid: string, tells: (ledger: string) => boolean, nowMs: number): Omit<TruthOfAccount, 'loans'> {
    const { balances, futures, recordTimes } = this.#of(uid)
    return {
      uid,
      balances: [...balances]
        .sort(byKey)
        .map(([key, quantity]) => ({ at: key.split('|'), quantity: text(quantity) }))
        .filter(({ at }) => tells(at[0]!))
        .map(({ at, quantity }) => ({ ledger: at[0]!, coin: at[1]!, quantity })),
      futuresPnl: [...futures].sort(byKey).map(([key, sums]) => {
        const [productType, symbol, marginCoin] = key.split('|') as [string, string, string]
        return {
          productType,
          symbol,
          marginCoin,
          realisedPnl: text(sums.realisedPnl),
          funding: text(sums.funding),
          fees: text(sums.fees),
        }
      }),
      records: Object.fromEntries(
        FEEDS.map((feed) => {
          const days = RETENTION_DAYS[feed]
          const oldestMs = days === null ? 0 : nowMs - days * DAY_MS
          return [feed, recordTimes[feed].filter((ts) => ts >= oldestMs).length]
        }),
      ) as Record<FeedName, number>,
    }
  }

  #of(uid: string): AccountBooks {
    const books = this.#accounts.get(uid)
    if (books === undefined) throw new Error(`no books for account ${uid}`)
    return books
  }
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0
}
