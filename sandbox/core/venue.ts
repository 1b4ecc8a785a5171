// The venue's whole state, and the only place where a balance moves: one posting moves the books, then writes the
// record of it, with the balance after it. Ids rise in that order. Interface document, 2.9 to 2.11.

import {
  type Account,
  type ApiKey,
  castAccounts,
  isTold,
  ledgerOf,
  type SandboxAccount,
  taxPartition,
} from './accounts.ts'
import { Books, type Truth, type TruthOfAccount } from './books.ts'
import { type Clock, DAY_MS } from './clock.ts'
import { type Customer, inventCustomers } from './customers.ts'
import { Feed } from './feed.ts'
import { Ids } from './ids.ts'
import {
  type BusinessLine,
  FUTURES_LINES,
  type FuturesLine,
  isFuturesLine,
  type MarginType,
} from './lines.ts'
import { type Manners, USUAL_MANNERS } from './manners.ts'
import { Market } from './market.ts'
import { text } from './money.ts'
import { isOpen, newOrder, type Order, type OrderDraft } from './orders.ts'
import { mannerOf, PAGED_ENDPOINTS, type PagedEndpoint } from './paging.ts'
import { Random } from './random.ts'
import type { Liquidation, P2pOrder, P2pType } from './records.ts'

export interface Posting {
  line: BusinessLine
  marginType?: MarginType
  coin: string
  type: string
  /** Signed, in the coin. */
  amount: bigint
  /** Signed, negative when charged; not part of the amount. */
  fee?: bigint
  /** The contract of a futures posting; a transfer has none. */
  symbol?: string
}

const CLIENT_OID_DIGITS = 18

export class Venue {
  readonly seed: number
  readonly startMs: number
  readonly endMs: number
  readonly clock: Clock
  readonly manners: Manners
  readonly ids = new Ids()
  readonly books = new Books()
  readonly market: Market
  readonly accounts: readonly Account[]
  readonly keys: Map<string, ApiKey>
  readonly listed: SandboxAccount[]
  readonly customers: readonly Customer[]
  /** The same customers, as 4.5 pages them. */
  readonly kycResults = new Feed<Customer>()
  /** Of the whole market, in which others trade too. */
  readonly liquidations = new Map<FuturesLine, Feed<Liquidation>>(
    FUTURES_LINES.map((line) => [line, new Feed()]),
  )
  /** The randomness in the ids of those endpoints that have them scattered. */
  readonly #scatters: ReadonlyMap<PagedEndpoint, Random>
  #lastMs: number

  constructor(seed: number, days: number, endMs: number, clock: Clock, manners = USUAL_MANNERS) {
    this.seed = seed
    this.startMs = endMs - Math.round(days * DAY_MS)
    this.endMs = endMs
    this.clock = clock
    this.manners = manners
    this.#scatters = new Map(
      PAGED_ENDPOINTS.filter((endpoint) => mannerOf(manners.paging[endpoint]).ids === 'scattered').map(
        (endpoint) => [endpoint, new Random(seed, `ids/${endpoint}`)],
      ),
    )
    this.#lastMs = this.startMs
    this.market = new Market(seed, this.startMs, endMs)
    const { accounts, keys, listed } = castAccounts(seed, manners.plainAccounts)
    this.accounts = accounts
    this.keys = new Map(keys.map((key) => [key.apiKey, key]))
    this.listed = listed
    this.customers = inventCustomers(seed, endMs)
    this.#listKycResults()
    for (const { uid } of accounts) this.books.open(uid)
  }

  account(uid: string): Account | undefined {
    return this.accounts.find((account) => account.uid === uid)
  }

  named(name: string): Account {
    return this.accounts.find((account) => account.name === name)!
  }

  /** The time of a write: the venue's clock, never earlier than what has already happened. */
  writeTimeMs(): number {
    return Math.max(this.clock.nowMs(), this.#lastMs)
  }

  balance(account: Account, line: string, coin: string): bigint {
    return this.books.balance(account.uid, ledgerOf(account, line), coin)
  }

  /** Moves one coin of one account; the amount and the fee together change the balance. */
  post(account: Account, atMs: number, posting: Posting): void {
    const { line, marginType, coin, type, amount, symbol } = posting
    const fee = posting.fee ?? 0n
    this.#lastMs = atMs
    const after = this.books.move(account.uid, ledgerOf(account, line), coin, amount + fee)
    const shared = { amount: text(amount), fee: text(fee), ts: String(atMs) }
    if (account.kind === 'unified') {
      const id = this.#newId(atMs, 'tax.records')
      const row = {
        id,
        coin,
        type,
        amount: shared.amount,
        fee: shared.fee,
        balance: text(after),
        ts: shared.ts,
      }
      account.taxRecords.get(taxPartition(line, marginType))!.append(id, atMs, row)
      this.books.recordKept(account.uid, 'tax.records', atMs)
    }
    if (isFuturesLine(line)) {
      const id = this.#newId(atMs, 'tax.futuresRecords')
      const row = { id, symbol: symbol ?? '', marginCoin: coin, futureTaxType: type, ...shared }
      account.futuresRecords.get(line)!.append(id, atMs, row)
      this.books.recordKept(account.uid, 'tax.futuresRecords', atMs)
    }
  }

  /** Moves one coin of the P2P wallet; the record holds the quantity without a sign. */
  postP2p(account: Account, atMs: number, coin: string, type: P2pType, quantity: bigint): void {
    this.#lastMs = atMs
    const change = type === 'buy' || type === 'transfer_in' ? quantity : -quantity
    this.books.move(account.uid, 'P2P', coin, change)
    const id = this.#newId(atMs, 'tax.p2pRecords')
    const row = { id, coin, p2pTaxType: type, balance: text(quantity), ts: String(atMs) }
    account.p2pRecords.append(id, atMs, row)
    this.books.recordKept(account.uid, 'tax.p2pRecords', atMs)
  }

  placeOrder(
    account: Account,
    draft: Omit<OrderDraft, 'orderId' | 'clientOid' | 'holdMode'> & { clientOid?: string },
  ): Order {
    this.#lastMs = draft.createdMs
    const orderId = this.#newId(draft.createdMs, 'trade.orderHistory', 'trade.openOrders')
    // If the request names none, one is generated, which is not the order's id.
    const clientOid =
      draft.clientOid ?? new Random(this.seed, `clientOid/${orderId}`).digits(CLIENT_OID_DIGITS)
    const order = newOrder({ ...draft, orderId, clientOid, holdMode: account.holdMode })
    account.orders.append(order.orderId, order.createdMs, order)
    return order
  }

  /** Ends an order; what has been filled stays filled. A closed order belongs to the history. */
  closeOrder(account: Account, order: Order, atMs: number, cancelReason = ''): void {
    if (isOpen(order)) {
      order.status = 'cancelled'
      order.cancelReason = cancelReason
      order.updatedMs = atMs
    }
    if (account.kind === 'unified') this.books.recordKept(account.uid, 'trade.orderHistory', order.createdMs)
  }

  listP2pOrder(account: Account, atMs: number, order: Omit<P2pOrder, 'orderId'>): P2pOrder {
    const listed = { orderId: this.#newId(atMs, 'p2p.orders'), ...order }
    account.p2pOrders.append(listed.orderId, atMs, listed)
    this.books.recordKept(account.uid, 'p2p.orders', atMs)
    return listed
  }

  publishLiquidation(line: FuturesLine, atMs: number, liquidation: Omit<Liquidation, 'cursor' | 'ts'>): void {
    const cursor = this.#newId(atMs, 'market.liquidations')
    this.liquidations.get(line)!.append(cursor, atMs, { ...liquidation, cursor, ts: String(atMs) })
  }

  /** An id for a row that these endpoints return: scattered if one of them is configured so. */
  #newId(atMs: number, ...endpoints: PagedEndpoint[]): string {
    const scattered = endpoints.find((endpoint) => this.#scatters.has(endpoint))
    return scattered === undefined
      ? this.ids.next(atMs)
      : this.ids.scattered(atMs, this.#scatters.get(scattered)!)
  }

  /** Uids rise with registration, and the checks follow days later in no order: the two orders that 4.5 can have. */
  #listKycResults(): void {
    const listed = this.#scatters.has('broker.customerKyc')
      ? this.customers.toSorted((a, b) => a.kycMs - b.kycMs)
      : this.customers
    for (const customer of listed) this.kycResults.append(customer.uid, customer.registeredMs, customer)
  }

  truth(): Truth {
    const nowMs = this.clock.nowMs()
    const tells = (account: Account) => (ledger: string) => isTold(account, ledger)
    return {
      accounts: this.accounts.map((account) => ({
        ...this.books.truth(account.uid, tells(account), nowMs),
        loans: loansOf(account),
      })),
    }
  }
}

/** Debts by the ledger that received the coins, in the order of the coins. */
function loansOf(account: Account): TruthOfAccount['loans'] {
  const ledger = ledgerOf(account, 'MARGIN')
  const sums = new Map<string, bigint>()
  for (const { coin, principal } of account.debts) sums.set(coin, (sums.get(coin) ?? 0n) + principal)
  return [...sums].sort().map(([coin, quantity]) => ({ ledger, coin, quantity: text(quantity) }))
}
