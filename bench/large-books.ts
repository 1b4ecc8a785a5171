// A year of five unified accounts, or any other number, as the venue sends it, journaled and landed page by
// page as in a run, from a seed: spot fills over 20 coins with a fee in the platform coin and the orders
// behind them, futures with their records, orders and funding, interest, and transfers among the accounts;
// all in one balance per coin that closes. Awkward on purpose: records that come twice or long after their
// neighbours, records without a balance, unknown types, orders in two versions and orders that fill over
// midnight. Whatever the size, only the pages being filled are in memory.
import { formatAmount } from '../models/amount.ts'
import type { Books } from '../pipeline/books/books.ts'
import type { PageMeta } from '../pipeline/journal/frame.ts'
import { mulberry32 } from './random.ts'

const ACCOUNTS = 5
const COINS = 20

/**
 * Entries that the books make from one round of one account: fills, futures with their fees, funding,
 * interest.
 */
const ENTRIES_OF_ROUND = 12
/** Number of ids reserved for a round. */
const PLACES = 14
/** One round in this many ends with a transfer to the next account. */
const ROUNDS_TO_TRANSFER = 25
const PAGE_ROWS = 500
const UNDER_WAY = 32

/** One row in so many … */
const TWICE = 101
const LATE = 997
const SILENT = 9_973
const UNKNOWN = 49_999
const ORDERS_CHANGED = 199
const ORDERS_OVER_MIDNIGHT = 50

const YEAR_BEGINS_MS = Date.UTC(2025, 0, 1)
const YEAR_ENDS_MS = Date.UTC(2026, 0, 1) - 1_000
const ROUNDS_END_MS = Date.UTC(2025, 11, 31)
const DAY_MS = 86_400_000
const RECEIVED_AT = '2026-01-01T00:00:00.000Z'

const ONE = 10n ** 18n
const PLATFORM_FEE = 455_617_873_262_800n
const OPENING = 1_000_000_000n * ONE

export interface LargeBooks {
  readonly accounts: number
  /** Rows received, in all feeds. */
  readonly rows: number
}

/** Fills empty books with pages worth at least this many entries. */
export async function landLargeBooks(books: Books, entries: number, count = ACCOUNTS): Promise<LargeBooks> {
  const portions = landInPortions(books, entries, { count })
  for (;;) {
    const { done, value } = await portions.next()
    if (done === true) return value
  }
}

/**
 * The same in portions, each landed: the first with everything before the last days of the year, then one for
 * each of these days.
 */
export async function* landInPortions(
  books: Books,
  entries: number,
  { count = ACCOUNTS, nights = 0 }: { readonly count?: number; readonly nights?: number } = {},
): AsyncGenerator<number, LargeBooks> {
  const rounds = Math.ceil(entries / ENTRIES_OF_ROUND / count)
  const names = Array.from({ length: count }, (_, index) => (index === 0 ? 'main' : `desk-${index + 1}`))
  const venue = new Venue(books)
  await venue.begin(names)
  const accounts = names.map((name, index) => new Account(venue, name, index))
  let night = nights
  for (let round = 0; round < rounds; round += 1) {
    const beginsMs = YEAR_BEGINS_MS + Math.floor((round * (ROUNDS_END_MS - YEAR_BEGINS_MS)) / rounds)
    if (night > 0 && beginsMs >= ROUNDS_END_MS - night * DAY_MS) {
      for (const account of accounts) account.send()
      await venue.send(true)
      yield venue.rows
      night -= 1
    }
    for (const account of accounts) account.trade(round, beginsMs)
    if (round % ROUNDS_TO_TRANSFER === 0) {
      const from = (round / ROUNDS_TO_TRANSFER) % accounts.length
      accounts[from]?.transfer(accounts[(from + 1) % accounts.length]!, round, beginsMs + 5_000)
    }
    await venue.send()
  }
  for (const account of accounts) account.finish()
  await venue.send(true)
  return { accounts: count, rows: venue.rows }
}

type Row = Readonly<Record<string, unknown>>

interface Page {
  readonly meta: PageMeta
  readonly body: Buffer
}

/** The answers of the accounts, on their way into the books. */
class Venue {
  readonly #books: Books
  #pages: Page[] = []
  rows = 0

  constructor(books: Books) {
    this.#books = books
  }

  async begin(names: readonly string[]): Promise<void> {
    const { journal, landing } = this.#books
    for (const [index, account] of names.entries()) {
      const of = { account, venue: 'venue', uid: String(index + 1) }
      const kind = { kind: 'account', accountKind: 'unified', accountMode: 'unified' } as const
      await landing.land([await journal.append({ ...kind, ...of, at: RECEIVED_AT, run: 'bench' })])
    }
  }

  answer(page: Page, rows: number): void {
    this.#pages.push(page)
    this.rows += rows
  }

  /** Into the journal and then the landing database, once there are enough pages. */
  async send(all = false): Promise<void> {
    if (this.#pages.length < (all ? 1 : UNDER_WAY)) return
    const pages = this.#pages
    this.#pages = []
    const { journal, landing } = this.#books
    await landing.land(await Promise.all(pages.map(({ meta, body }) => journal.append(meta, body))))
  }
}

/**
 * Pages of one partition of a feed: rows arrive in the order in which they happened, and are stored newest
 * first.
 */
class Partition {
  readonly #venue: Venue
  readonly #of: Pick<PageMeta, 'account' | 'feed' | 'partition'>
  readonly #isList: boolean
  #rows: Row[] = []
  /** Rows that come long after their neighbours, or twice. */
  #late: Row[] = []
  #count = 0

  constructor(venue: Venue, of: Pick<PageMeta, 'account' | 'feed' | 'partition'>, isList: boolean) {
    this.#venue = venue
    this.#of = of
    this.#isList = isList
  }

  add(row: Row): void {
    this.#count += 1
    if (this.#count % LATE === 0) this.late(row)
    else {
      this.#rows.push(row)
      if (this.#rows.length === PAGE_ROWS) this.#rows = this.#send(this.#rows)
    }
    if (this.#count % TWICE === 0) this.late(row)
  }

  late(row: Row): void {
    this.#late.push(row)
    if (this.#late.length === PAGE_ROWS) this.#late = this.#send(this.#late)
  }

  /** What has happened so far, even if it does not fill a page. */
  send(): void {
    if (this.#rows.length > 0) this.#rows = this.#send(this.#rows)
    if (this.#late.length > 0) this.#late = this.#send(this.#late)
  }

  /** With the last page the whole year has been received. */
  finish(): void {
    this.#send(this.#rows)
    this.#send(this.#late, { start: YEAR_BEGINS_MS, end: YEAR_ENDS_MS })
  }

  #send(rows: readonly Row[], covers?: PageMeta['covers']): Row[] {
    const path = `/bench?feed=${this.#of.feed}&partition=${this.#of.partition}`
    const meta: PageMeta = {
      kind: 'page',
      at: RECEIVED_AT,
      run: 'bench',
      ...this.#of,
      request: { method: 'GET', path },
      status: 200,
      ...(covers === undefined ? {} : { covers }),
    }
    const newestFirst = rows.toReversed()
    const data = this.#isList ? { list: newestFirst } : newestFirst
    const envelope = { code: '00000', msg: 'success', requestTime: YEAR_ENDS_MS, data }
    this.#venue.answer({ meta, body: Buffer.from(JSON.stringify(envelope)) }, rows.length)
    return []
  }
}

type TaxLine = 'SPOT' | 'MARGIN-crossed' | 'USDT-FUTURES'
type OrderLine = 'SPOT' | 'MARGIN' | 'USDT-FUTURES'

class Account {
  readonly #index: number
  readonly #random: () => number
  readonly #balances = new Map<string, bigint>()
  /** Contracts of each coin that are held on both sides. */
  readonly #held = new Map<string, bigint>()
  readonly #tax: Readonly<Record<TaxLine, Partition>>
  readonly #futures: Partition
  readonly #orders: Readonly<Record<OrderLine, Partition>>
  #taxRows = 0
  #orderRows = 0

  constructor(venue: Venue, account: string, index: number) {
    this.#index = index
    this.#random = mulberry32(index + 1)
    const partition = (feed: string, name: string): Partition =>
      new Partition(venue, { account, feed, partition: name }, feed === 'trade.orderHistory')
    const tax = (name: string): Partition => partition('tax.records', name)
    const orders = (name: string): Partition => partition('trade.orderHistory', name)
    this.#tax = {
      SPOT: tax('SPOT'),
      'MARGIN-crossed': tax('MARGIN-crossed'),
      'USDT-FUTURES': tax('USDT-FUTURES'),
    }
    this.#futures = partition('tax.futuresRecords', 'USDT-FUTURES')
    this.#orders = { SPOT: orders('SPOT'), MARGIN: orders('MARGIN'), 'USDT-FUTURES': orders('USDT-FUTURES') }
  }

  /**
   * A purchase and a sale of a coin, interest, and futures: a long and a short position that are opened in one round of
   * the coin and closed in the next.
   */
  trade(round: number, beginsMs: number): void {
    const coin = `C${1 + (round % COINS)}`
    const size = BigInt(1 + Math.floor(this.#random() * 100_000)) * (ONE / 100n)
    const part = (numerator: bigint, denominator: bigint): bigint => (size * numerator) / denominator
    const first = round * PLACES
    const fee = part(-1n, 100n)

    this.#move('SPOT', first, coin, 'ORDER_DEALT_IN', size, beginsMs)
    this.#move('SPOT', first + 1, 'BGB', 'ORDER_PLF_FEE_OUT', -PLATFORM_FEE, beginsMs)
    this.#move('SPOT', first + 2, 'USDT', 'ORDER_DEALT_FROZEN_OUT', part(-5n, 4n), beginsMs)
    this.#move('SPOT', first + 3, 'USDT', 'ORDER_DEALT_IN', part(63n, 100n), beginsMs + 1_000)
    this.#move('SPOT', first + 4, 'BGB', 'ORDER_PLF_FEE_OUT', -PLATFORM_FEE, beginsMs + 1_000)
    this.#move('SPOT', first + 5, coin, 'ORDER_DEALT_FROZEN_OUT', part(-1n, 2n), beginsMs + 1_000)
    this.#future(first + 6, coin, 'CLOSE_LONG', part(7n, 10n), fee, beginsMs + 2_000)
    this.#future(first + 7, coin, 'CLOSE_SHORT', part(-1n, 20n), fee, beginsMs + 2_000)
    this.#future(first + 8, coin, 'CONTRACT_MAIN_SETTLE_FEE_USER_OUT', fee, 0n, beginsMs + 2_000)
    const type = (first + this.#index) % UNKNOWN < PLACES ? 'NEW_PRODUCT_OUT' : 'INTEREST_SETTLEMENT_OUT'
    this.#move('MARGIN-crossed', first + 9, 'USDT', type, part(-1n, 10_000n), beginsMs + 3_000)

    const order = { first, symbol: `${coin}USDT`, beginsMs }
    const [bought, sold] = [part(5n, 4n), part(63n, 100n)]
    this.#order(order, 0, 'SPOT', { side: 'buy' }, size, bought, ['BGB', PLATFORM_FEE])
    this.#order(order, 1, 'SPOT', { side: 'sell' }, part(1n, 2n), sold, ['BGB', PLATFORM_FEE])
    const held = this.#held.get(coin)
    const [long, short] = held === undefined ? (['buy', 'sell'] as const) : (['sell', 'buy'] as const)
    if (held === undefined) this.#held.set(coin, size)
    else this.#held.delete(coin)
    const contracts = held ?? size
    for (const [nth, side] of [
      [2, { side: long, posSide: 'long' }],
      [3, { side: short, posSide: 'short' }],
    ] as const)
      this.#order(order, nth, 'USDT-FUTURES', side, contracts, contracts * 2n, ['USDT', -fee])
  }

  transfer(to: Account, round: number, atMs: number): void {
    const [place, quantity] = [round * PLACES, ONE / 10n]
    const coin = `C${1 + (round % COINS)}`
    this.#move('SPOT', place + 10, coin, 'TRANSFER_OUT', -quantity, atMs)
    to.#move('SPOT', place + 11, coin, 'TRANSFER_IN', quantity, atMs + 1_000)
  }

  send(): void {
    for (const partition of this.#partitions()) partition.send()
  }

  finish(): void {
    for (const partition of this.#partitions()) partition.finish()
  }

  #partitions(): Partition[] {
    return [...Object.values(this.#tax), this.#futures, ...Object.values(this.#orders)]
  }

  #id(place: number): string {
    return String(1_375_573_238_000_000_000n + BigInt(this.#index) * 100_000_000_000n + BigInt(place))
  }

  #move(
    line: TaxLine,
    place: number,
    coin: string,
    type: string,
    amount: bigint,
    atMs: number,
    fee = 0n,
  ): void {
    const balance = (this.#balances.get(coin) ?? OPENING) + amount + fee
    this.#balances.set(coin, balance)
    this.#taxRows += 1
    this.#tax[line].add({
      id: this.#id(place),
      coin,
      type,
      amount: formatAmount(amount),
      fee: formatAmount(fee),
      ...(this.#taxRows % SILENT === 0 ? {} : { balance: formatAmount(balance) }),
      ts: String(atMs),
    })
  }

  /** One event that the unified feed and the futures feed both report. */
  #future(place: number, coin: string, type: string, amount: bigint, fee: bigint, atMs: number): void {
    this.#move('USDT-FUTURES', place, 'USDT', type, amount, atMs, fee)
    this.#futures.add({
      id: this.#id(50_000_000_000 + place),
      symbol: `${coin}USDT`,
      marginCoin: 'USDT',
      futureTaxType: type.toLowerCase(),
      amount: formatAmount(amount),
      fee: formatAmount(fee),
      ts: String(atMs),
    })
  }

  #order(
    {
      first,
      symbol,
      beginsMs,
    }: { readonly first: number; readonly symbol: string; readonly beginsMs: number },
    nth: number,
    category: OrderLine,
    side: Row,
    quantity: bigint,
    value: bigint,
    [feeCoin, fee]: readonly [string, bigint],
  ): void {
    this.#orderRows += 1
    const isOvernight = category === 'SPOT' && this.#orderRows % ORDERS_OVER_MIDNIGHT === 0
    const order = {
      orderId: this.#id(70_000_000_000 + first + nth),
      category,
      symbol,
      orderType: 'market',
      ...side,
      qty: formatAmount(quantity),
      orderStatus: 'filled',
      createdTime: String(beginsMs - (isOvernight ? 86_400_000 : 0)),
    }
    const partition = this.#orders[category]
    if (this.#orderRows % ORDERS_CHANGED === 0)
      partition.late({
        ...order,
        cumExecQty: '0',
        cumExecValue: '0',
        orderStatus: 'new',
        updatedTime: order.createdTime,
      })
    partition.add({
      ...order,
      cumExecQty: formatAmount(quantity),
      cumExecValue: formatAmount(value),
      feeDetail: [{ feeCoin, fee: formatAmount(fee) }],
      updatedTime: String(beginsMs + Math.min(nth, 2) * 1_000),
    })
  }
}

/** Frames of what is landed alongside the records are numbered from here. */
const PRICE_PAGE = 1_000_000_000

/** An hourly candle of each of the coins over the year, as the venue's candles land. Returns how many. */
export async function landCandles({ landing }: Books): Promise<number> {
  const connection = await landing.instance.connect()
  const at = (ms: number): string => `timestamptz '${new Date(ms).toISOString()}'`
  const landed = await connection.run(`
    insert into landing.main.fetched_prices
    with coins as (select 'C' || n as coin from range(1, ${COINS + 1}) as all_coins(n) union all select 'BGB')
    select ${PRICE_PAGE}, cast(row_number() over () as integer), hour, coin, 'USDT',
      cast(1.25 + (epoch_ms(hour) // 3600000 % 97) * 0.001 as decimal(38, 18)), 'candles', '1h'
    from coins
    cross join unnest(generate_series(${at(YEAR_BEGINS_MS)}, ${at(YEAR_ENDS_MS)}, interval 1 hour)) as hours(hour)`)
  connection.closeSync()
  return Number(landed.rowsChanged)
}
