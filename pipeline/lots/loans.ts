// Borrowed coins, in front of the book of a coin. The principal of a loan is a debt: borrowing and repaying
// coins creates no gain and no lot. An account that holds borrowed coins sells them first, unless the law
// treats a sale as one of its own coins, whatever was borrowed (TCGA 1992 s.105(2)): then it sells them last.
// Such a short sale stays open until the account buys the coin back, which restores what it has to repay, or
// repays with lots of its own. Whatever a wallet repays beyond what it borrowed was owed before the books
// began, whatever another wallet of the account owes.
import type { CoinBook, EventId, LotEvent, RuleContext, ShortSalePiece } from './event.ts'
import { shareUpTo, smaller } from './share.ts'
import { excess, networkFee } from './transfers.ts'

/** A sale of borrowed coins, to the extent that it is open. */
interface ShortSale {
  readonly sale: LotEvent
  /** Of the sale's quantity, [from, to) is open. */
  from: bigint
  readonly to: bigint
}

interface Loan {
  /** Borrowed coins that have not been sold. */
  onHand: bigint
  /** Oldest first. */
  readonly shorts: ShortSale[]
  /** By wallet; together they equal what is on hand and sold short. */
  readonly owed: Map<string, bigint>
  /** The last purchase, and how much of it closed no short sale. */
  bought: { readonly id: EventId; readonly quantity: bigint } | null
}

export class LoanBook implements CoinBook {
  readonly #inner: CoinBook
  readonly #context: Pick<RuleContext, 'sink' | 'shortSales' | 'scope'>
  readonly #loans = new Map<string, Loan>()
  /** Own coins by holding, as known from the events. */
  readonly #own = new Map<string, bigint>()
  #coin = ''

  constructor(inner: CoinBook, context: Pick<RuleContext, 'sink' | 'shortSales' | 'scope'>) {
    this.#inner = inner
    this.#context = context
  }

  apply(event: LotEvent): void {
    this.#coin = event.coin
    switch (event.kind) {
      case 'borrow':
        this.#borrow(event)
        break
      case 'repay':
        this.#repay(event)
        break
      case 'dispose':
        this.#dispose(event)
        break
      case 'acquire':
        this.#acquire(event)
        break
      default:
        this.#pass(event)
    }
  }

  finish(): void {
    this.#inner.finish()
    const { sink } = this.#context
    for (const [account, { onHand, shorts }] of this.#loans) {
      for (const { sale, from, to } of shorts)
        sink.shortSale({ sale, quantity: to - from, ...moneyOf(sale, from, to), closing: null })
      if (onHand > 0n) sink.borrowed({ account, coin: this.#coin, quantity: onHand })
    }
  }

  #loan(account: string): Loan {
    let loan = this.#loans.get(account)
    if (loan === undefined) {
      loan = { onHand: 0n, shorts: [], owed: new Map(), bought: null }
      this.#loans.set(account, loan)
    }
    return loan
  }

  #borrow({ account, transferId = '', quantity }: LotEvent): void {
    const loan = this.#loan(account)
    loan.onHand += quantity
    loan.owed.set(transferId, (loan.owed.get(transferId) ?? 0n) + quantity)
  }

  #dispose(event: LotEvent): void {
    const loan = this.#loan(event.account)
    const short = smaller(event.quantity - this.#soldFirst(event, loan), loan.onHand)
    if (short > 0n) {
      loan.onHand -= short
      loan.shorts.push({ sale: event, from: 0n, to: short })
    }
    this.#rest(event, short)
  }

  /** How much of a sale is of own coins, before any borrowed ones are sold. */
  #soldFirst({ account, quantity, keptFrom }: LotEvent, { bought }: Loan): bigint {
    if (keptFrom !== undefined && keptFrom === bought?.id) return smaller(quantity, bought.quantity)
    if (this.#context.shortSales === 'when closed') return 0n
    return smaller(quantity, this.#own.get(this.#holdingOf(account)) ?? 0n)
  }

  #holdingOf(account: string): string {
    return this.#context.scope === 'universal' ? '' : account
  }

  /** Passes an event of own coins to the book, and counts them. */
  #pass(event: LotEvent): void {
    const key = this.#holdingOf(event.account)
    const held = (this.#own.get(key) ?? 0n) + this.#change(event)
    this.#own.set(key, held > 0n ? held : 0n)
    this.#inner.apply(event)
  }

  #change(event: LotEvent): bigint {
    const { kind, quantity, twin } = event
    const stays = twin !== undefined && this.#holdingOf(event.account) === this.#holdingOf(twin.account)
    if (kind === 'acquire') return quantity
    if (kind === 'transfer_in') return stays ? excess(event) : quantity
    return kind === 'transfer_out' && stays ? -networkFee(event) : -quantity
  }

  /** A purchase closes the oldest short sales first; the excess is a lot. */
  #acquire(event: LotEvent): void {
    const loan = this.#loan(event.account)
    let done = 0n
    for (const part of this.#close(loan, event.quantity)) {
      const quantity = part.to - part.from
      const cost = share(event, done, done + quantity)
      const money = moneyOf(part.sale, part.from, part.to)
      done += quantity
      loan.onHand += quantity
      this.#context.sink.shortSale({ sale: part.sale, quantity, ...money, closing: { event, cost } })
    }
    loan.bought = { id: event.id, quantity: event.quantity - done }
    this.#rest(event, done)
  }

  /**
   * Coins on hand are repaid without a gain. Own lots that are repaid close a short sale at its proceeds.
   * Repayments beyond every known loan of the wallet were borrowed before the books began, with unknown
   * proceeds.
   */
  #repay(event: LotEvent): void {
    const loan = this.#loan(event.account)
    const { transferId = '' } = event
    const owed = loan.owed.get(transferId) ?? 0n
    const known = smaller(event.quantity, owed)
    loan.owed.set(transferId, owed - known)
    const back = smaller(known, loan.onHand)
    loan.onHand -= back
    let done = back
    for (const { sale, from, to } of this.#close(loan, known - back)) {
      const quantity = to - from
      const { proceeds, fees } = moneyOf(sale, from, to)
      this.#context.sink.shortSale({ sale, quantity, proceeds, fees, closing: { event, cost: null } })
      this.#pass({ ...event, kind: 'dispose', quantity, value: proceeds, fees: fees ?? 0n })
      done += quantity
    }
    const beyond = event.quantity - done
    if (beyond > 0n) this.#pass({ ...event, kind: 'dispose', quantity: beyond, value: null })
  }

  /** Takes up to `wanted` off the open short sales, oldest first. */
  #close(loan: Loan, wanted: bigint): ShortSale[] {
    const closed: ShortSale[] = []
    let open = wanted
    while (open > 0n && loan.shorts[0] !== undefined) {
      const [short] = loan.shorts
      const quantity = smaller(open, short.to - short.from)
      closed.push({ sale: short.sale, from: short.from, to: short.from + quantity })
      short.from += quantity
      open -= quantity
      if (short.from === short.to) loan.shorts.shift()
    }
    return closed
  }

  /** The part of an event that loans leave to the book; its value is the rest of the value. */
  #rest(event: LotEvent, done: bigint): void {
    if (done === 0n) this.#pass(event)
    else if (done < event.quantity) {
      const quantity = event.quantity - done
      const { proceeds: value, fees } = moneyOf(event, done, event.quantity)
      this.#pass({ ...event, quantity, value, fees: fees ?? 0n, whole: event })
    }
  }
}

/** What a stretch of a sale's quantity brings, with the fees that this is net of. */
function moneyOf(sale: LotEvent, from: bigint, to: bigint): Pick<ShortSalePiece, 'proceeds' | 'fees'> {
  const { value, fees = 0n } = sale
  return {
    proceeds: share(sale, from, to),
    fees: value === null ? null : (share({ ...sale, value: fees }, from, to) ?? 0n),
  }
}

/** The part of an event's value that belongs to a stretch of its quantity; null if the value is not known. */
function share({ value, quantity }: LotEvent, from: bigint, to: bigint): bigint | null {
  return value === null ? null : shareUpTo(value, to, quantity) - shareUpTo(value, from, quantity)
}
