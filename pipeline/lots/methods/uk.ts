// Same day, then the days after (30 in the United Kingdom), then the pool of section 104 (TCGA 1992 ss. 104,
// 105, 106A; HMRC CRYPTO22200 ff.). The number of days, whose days they are and what a gift is are set by the
// law. The sales of a day are one sale and the purchases one purchase; those without a known price are merged
// separately, so that one unknown never hides the rest of its day.
import { dayIn } from '../day.ts'
import type { CoinBook, LotEvent, MatchingRule, RuleContext } from '../event.ts'
import { Holdings } from '../holding.ts'
import { cutFront, type Parcel, quantityOf, wholeLot } from '../parcel.ts'
import { type Disposal, piecesOf } from '../pieces.ts'
import { Pool } from '../pool.ts'
import { smaller } from '../share.ts'
import { effectiveAtUs, networkFee, Transfers } from '../transfers.ts'

export const uk: MatchingRule = (context) => new UkBook(context)

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** The sales of one day, and the purchases that they were matched with. */
interface Sale {
  readonly disposal: Mutable<Disposal>
  readonly matched: Parcel[]
  open: bigint
}

interface Purchase {
  readonly first: LotEvent
  readonly order: number
  quantity: bigint
  value: bigint | null
}

interface Day {
  readonly number: number
  readonly purchases: Purchase[]
  readonly sales: Sale[]
  /** The purchases once the day is over: what is left of them goes to the pool. */
  bought: Parcel[]
}

class UkBook implements CoinBook {
  readonly #context: RuleContext
  readonly #dayOf: (us: bigint) => number
  readonly #holdings: Holdings<Pool>
  readonly #transfers: Transfers
  /** By holding: its days, ascending, as events are in order. */
  readonly #days = new Map<string, Day[]>()
  readonly #legs = new Map<number, LotEvent[]>()
  /**
   * The last day that is done: in full or, if the moment of `untilUs` divides it, the part before that
   * moment.
   */
  readonly #lastDay: number
  #coin = ''

  constructor(context: RuleContext) {
    this.#context = context
    this.#dayOf = dayIn(context.timeZone)
    this.#lastDay = context.untilUs === null ? Number.POSITIVE_INFINITY : this.#dayOf(context.untilUs - 1n)
    this.#holdings = new Holdings(context, () => new Pool())
    this.#transfers = new Transfers(this.#holdings)
  }

  apply(event: LotEvent): void {
    this.#coin = event.coin
    if (this.#isLeftOfLastDay(event)) return
    switch (event.kind) {
      case 'acquire':
        this.#buy(event)
        break
      case 'dispose':
        this.#sell(event, 'disposal', event.quantity)
        break
      case 'give':
        if (this.#context.gifts === 'disposal') this.#sell(event, 'disposal', event.quantity)
        else this.#keepLeg(event)
        break
      case 'transfer_in':
        this.#keepLeg(event)
        break
      case 'transfer_out': {
        this.#keepLeg(event)
        const fee = networkFee(event)
        if (fee > 0n) this.#sell(event, 'network fee', fee)
      }
    }
  }

  finish(): void {
    for (const days of this.#days.values()) {
      for (const day of days) day.bought = day.purchases.map(boughtParcel)
      for (const day of days) matchDays(day, day)
      matchFollowingDays(days, this.#context.lookAheadDays)
    }
    this.#runPools()
    this.#holdings.reportLeft(this.#coin)
  }

  #isLeftOfLastDay(event: LotEvent): boolean {
    const { untilUs } = this.#context
    const at = effectiveAtUs(event)
    return untilUs !== null && at >= untilUs && this.#dayOf(at) === this.#lastDay
  }

  #keepLeg(event: LotEvent): void {
    const number = this.#dayOf(effectiveAtUs(event))
    const legs = this.#legs.get(number)
    if (legs === undefined) this.#legs.set(number, [event])
    else legs.push(event)
  }

  #dayFor(event: LotEvent): Day {
    const number = this.#dayOf(effectiveAtUs(event))
    const key = this.#holdings.keyOf(event.account)
    const days = this.#days.get(key) ?? []
    const last = days[days.length - 1]
    if (last?.number === number) return last
    if (last === undefined) this.#days.set(key, days)
    const day = { number, purchases: [], sales: [], bought: [] }
    days.push(day)
    return day
  }

  #buy(event: LotEvent): void {
    const { purchases } = this.#dayFor(event)
    const same = purchases.find((purchase) => (purchase.value === null) === (event.value === null))
    if (same === undefined) {
      const { quantity, value } = event
      const purchase = { first: event, order: this.#holdings.nextOrder(), quantity, value }
      // One of unknown cost is used last, whatever the times: the law sees only the day.
      if (value === null) purchases.push(purchase)
      else purchases.unshift(purchase)
      return
    }
    same.quantity += event.quantity
    if (same.value !== null) same.value += event.value ?? 0n
  }

  #sell(event: LotEvent, kind: Disposal['kind'], quantity: bigint): void {
    const { account, coin, id, happenedAtUs: disposedAtUs, value: proceeds, fees = 0n } = event
    const { sales } = this.#dayFor(event)
    const same = sales.find((sale) => (sale.disposal.proceeds === null) === (proceeds === null))
    if (same === undefined) {
      const disposal = { account, coin, kind, id, disposedAtUs, quantity, proceeds, fees }
      sales.push({ disposal, matched: [], open: quantity })
      return
    }
    same.open += quantity
    same.disposal.quantity += quantity
    same.disposal.fees += fees
    if (same.disposal.proceeds !== null) same.disposal.proceeds += proceeds ?? 0n
  }

  /** What was not matched goes through the pools, day by day: purchases, then transfers, then sales. */
  #runPools(): void {
    const byNumber = new Map<number, { readonly key: string; readonly day: Day }[]>()
    for (const number of this.#legs.keys()) byNumber.set(number, [])
    for (const [key, days] of this.#days)
      for (const day of days) {
        const same = byNumber.get(day.number)
        if (same === undefined) byNumber.set(day.number, [{ key, day }])
        else same.push({ key, day })
      }
    for (const number of [...byNumber.keys()].sort((a, b) => a - b)) {
      if (number > this.#lastDay) return
      const today = byNumber.get(number)!
      for (const { key, day } of today)
        for (const parcel of day.bought) if (quantityOf(parcel) > 0n) this.#holdings.holding(key).add(parcel)
      for (const leg of this.#legs.get(number) ?? [])
        if (leg.kind === 'transfer_out') this.#transfers.leave(leg)
        else if (leg.kind === 'give') this.#transfers.give(leg)
        else this.#transfers.arrive(leg)
      for (const { key, day } of today) for (const sale of day.sales) this.#report(sale, key)
    }
  }

  #report(sale: Sale, key: string): void {
    const { parcels, missing } = this.#holdings.holding(key).take(sale.open)
    const taken = { parcels: [...sale.matched, ...parcels], missing }
    for (const piece of piecesOf(sale.disposal, taken)) this.#holdings.sink.piece(piece)
  }
}

function boughtParcel({ first, order, quantity, value }: Purchase): Parcel {
  return wholeLot(first.id, first.account, first.happenedAtUs, order, quantity, value)
}

/** Gives the open sales of one day what is left of the purchases of another. */
function matchDays(sold: Day, bought: Day): void {
  for (const sale of sold.sales)
    for (const parcel of bought.bought) {
      const quantity = smaller(sale.open, quantityOf(parcel))
      if (quantity === 0n) continue
      sale.matched.push(cutFront(parcel, quantity))
      sale.open -= quantity
    }
}

/** Earlier sales first, each with the earliest purchases of the days after it. */
function matchFollowingDays(days: readonly Day[], lookAheadDays: number): void {
  for (const [at, sold] of days.entries()) {
    for (let next = at + 1; next < days.length; next += 1) {
      const bought = days[next]!
      if (bought.number > sold.number + lookAheadDays) break
      if (sold.sales.every((sale) => sale.open === 0n)) break
      matchDays(sold, bought)
    }
  }
}
