// Canada: adjusted cost base with superficial losses (Income Tax Act ss. 47(1), 53(1)(f), 54 "superficial
// loss"). A loss is denied for min(sold, bought from 30 days before to 30 days after, held at the end of
// them) of what was sold, and added to the cost of what replaced it. So a day is decided once the 30 days
// after it have been seen. The number of days, whose days they are and what a gift is are set by the law.
import { dayIn } from '../day.ts'
import type { CoinBook, DisposalPiece, LotEvent, MatchingRule, RuleContext } from '../event.ts'
import { Holdings } from '../holding.ts'
import { acquire } from '../parcel.ts'
import { type Disposal, piecesOf } from '../pieces.ts'
import { Pool } from '../pool.ts'
import { roundDiv, shareUpTo, smaller } from '../share.ts'
import { effectiveAtUs, excess, networkFee, staysInside, Transfers } from '../transfers.ts'

export const ca: MatchingRule = (context) => new CaBook(context)

interface Waiting {
  readonly event: LotEvent
  readonly day: number
  /** Denied losses that a later purchase will carry as cost. */
  deniedCost: bigint
}

/** First in, first out, without shifting the rest. */
class Line {
  #items: Waiting[] = []
  #head = 0

  push(item: Waiting): void {
    this.#items.push(item)
  }

  first(): Waiting | undefined {
    return this.#items[this.#head]
  }

  shift(): void {
    this.#head += 1
    if (this.#head < 1024 || this.#head * 2 < this.#items.length) return
    this.#items = this.#items.slice(this.#head)
    this.#head = 0
  }

  *[Symbol.iterator](): Iterator<Waiting> {
    for (let at = this.#head; at < this.#items.length; at += 1) yield this.#items[at]!
  }
}

/** What arrives with this event without a known cost. */
function unknownIn(event: LotEvent): bigint {
  if (event.kind === 'acquire') return event.value === null ? event.quantity : 0n
  if (event.kind !== 'transfer_in') return 0n
  return event.twin === undefined ? event.quantity : excess(event)
}

/**
 * Purchases of known cost around the day being decided, what is still to come without a known cost, and what is held
 * once everything seen is done.
 */
class Surroundings {
  readonly #behind = new Line()
  readonly ahead = new Line()
  boughtBehind = 0n
  boughtAhead = 0n
  unknownAhead = 0n
  heldAtEnd = 0n

  /** `moved` is what the event brings in or takes out; coins between two own accounts are held throughout. */
  see(waiting: Waiting, moved: bigint): void {
    const { event } = waiting
    if (event.kind === 'acquire' || event.kind === 'transfer_in') this.heldAtEnd += moved
    else this.heldAtEnd -= smaller(this.heldAtEnd, moved)
    this.unknownAhead += unknownIn(event)
    if (event.kind !== 'acquire' || event.value === null) return
    this.ahead.push(waiting)
    this.boughtAhead += event.quantity
  }

  /** The purchase is now part of the past. */
  pass(waiting: Waiting): void {
    this.ahead.shift()
    this.#behind.push(waiting)
    this.boughtAhead -= waiting.event.quantity
    this.boughtBehind += waiting.event.quantity
  }

  forgetBefore(day: number): void {
    for (let oldest = this.#behind.first(); oldest !== undefined; oldest = this.#behind.first()) {
      if (oldest.day >= day) return
      this.#behind.shift()
      this.boughtBehind -= oldest.event.quantity
    }
  }
}

class CaBook implements CoinBook {
  readonly #context: RuleContext
  readonly #dayOf: (us: bigint) => number
  readonly #holdings: Holdings<Pool>
  readonly #transfers: Transfers
  readonly #waiting = new Line()
  readonly #surroundings = new Map<string, Surroundings>()
  #coin = ''
  #today = Number.NEGATIVE_INFINITY

  constructor(context: RuleContext) {
    this.#context = context
    this.#dayOf = dayIn(context.timeZone)
    this.#holdings = new Holdings(context, () => new Pool())
    this.#transfers = new Transfers(this.#holdings)
  }

  apply(event: LotEvent): void {
    this.#coin = event.coin
    const waiting = { event, day: this.#dayOf(effectiveAtUs(event)), deniedCost: 0n }
    if (waiting.day > this.#today) this.#decideBefore(waiting.day - this.#context.lookAheadDays)
    this.#today = waiting.day
    this.#waiting.push(waiting)
    this.#around(event).see(waiting, this.#moved(event))
  }

  finish(): void {
    this.#decideBefore(Number.POSITIVE_INFINITY)
    this.#holdings.reportLeft(this.#coin)
  }

  #moved(event: LotEvent): bigint {
    if (!staysInside(event, this.#holdings)) return event.quantity
    return event.kind === 'transfer_in' ? excess(event) : networkFee(event)
  }

  #around(event: LotEvent): Surroundings {
    const key = this.#holdings.keyOf(event.account)
    let around = this.#surroundings.get(key)
    if (around === undefined) {
      around = new Surroundings()
      this.#surroundings.set(key, around)
    }
    return around
  }

  #decideBefore(day: number): void {
    for (let next = this.#waiting.first(); next !== undefined; next = this.#waiting.first()) {
      if (next.day >= day) return
      this.#waiting.shift()
      this.#decide(next)
    }
  }

  #decide(waiting: Waiting): void {
    const { event } = waiting
    const { untilUs } = this.#context
    if (untilUs !== null && effectiveAtUs(event) >= untilUs) return
    this.#around(event).unknownAhead -= unknownIn(event)
    switch (event.kind) {
      case 'acquire':
        this.#buy(waiting)
        break
      case 'dispose':
        this.#sell(waiting, 'disposal', event.quantity)
        break
      case 'give':
        if (this.#context.gifts === 'disposal') this.#sell(waiting, 'disposal', event.quantity)
        else this.#transfers.give(event)
        break
      case 'transfer_in':
        this.#transfers.arrive(event)
        break
      case 'transfer_out': {
        this.#transfers.leave(event)
        const fee = networkFee(event)
        if (fee > 0n) this.#sell(waiting, 'network fee', fee)
      }
    }
  }

  #buy(waiting: Waiting): void {
    const pool = this.#holdings.holding(waiting.event.account)
    pool.add(acquire(waiting.event, this.#holdings.nextOrder()))
    if (waiting.event.value === null) return
    pool.addCost(waiting.deniedCost)
    this.#around(waiting.event).pass(waiting)
  }

  #sell({ event, day }: Waiting, kind: Disposal['kind'], quantity: bigint): void {
    const { account, coin, id, happenedAtUs: disposedAtUs, value: proceeds, fees = 0n } = event
    const pool = this.#holdings.holding(account)
    const around = this.#around(event)
    around.forgetBefore(day - this.#context.lookAheadDays)
    const disposal = { account, coin, kind, id, disposedAtUs, quantity, proceeds, fees }
    for (const piece of piecesOf(disposal, pool.take(quantity)))
      this.#holdings.sink.piece(
        piece.gain !== null && piece.gain < 0n ? denied(piece, quantity, pool, around) : piece,
      )
  }
}

/**
 * Denies what the rule denies of a loss and adds it to the cost of what is still held, then of the later
 * purchases. Coins of unknown cost come last, as in a sale: they count as held, also if they are still to come, and
 * their cost stays unknown. The share is one of all that was sold, of which the piece has the known cost.
 */
function denied(piece: DisposalPiece, sold: bigint, pool: Pool, around: Surroundings): DisposalPiece {
  const loss = -(piece.gain ?? 0n)
  const bought = around.boughtBehind + around.boughtAhead
  const replaced = smaller(smaller(sold, bought), around.heldAtEnd)
  const replacedBehind = smaller(smaller(replaced, around.boughtBehind), pool.quantity)
  const replacedAhead = smaller(replaced - replacedBehind, around.boughtAhead)
  const known = replacedBehind + replacedAhead
  const quantity = known + smaller(replaced - known, pool.quantityOfUnknownCost + around.unknownAhead)
  if (quantity === 0n) return piece
  const deniedLoss = roundDiv(loss * quantity, sold)
  let placed = replacedBehind
  let handed = shareUpTo(deniedLoss, placed, quantity)
  pool.addCost(handed)
  for (const purchase of around.ahead) {
    if (placed === known) break
    placed += smaller(known - placed, purchase.event.quantity)
    const upTo = shareUpTo(deniedLoss, placed, quantity)
    purchase.deniedCost += upTo - handed
    handed = upTo
  }
  return { ...piece, deniedLoss, gain: deniedLoss - loss }
}
