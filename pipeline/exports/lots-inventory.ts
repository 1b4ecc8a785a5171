// What beancount has in one inventory, and which lots it would take by itself. It orders lots by the day of
// their cost and, within a day, by their position in the inventory, under LIFO too; our lots are ordered to
// the microsecond. Comparing the two shows where a reduction must name its lots.
import { formatAmount } from '../../models/amount.ts'
import { TieoutError } from '../../models/error.ts'
import { smaller } from '../lots/share.ts'

export type LotBooking = 'fifo' | 'lifo'

interface Held {
  readonly lotKey: string
  /** Identifies this parcel in beancount. */
  readonly label: string
  quantity: bigint
}

interface Day {
  readonly day: string
  readonly held: Held[]
  /** Parcels before this position are used up. */
  head: number
}

export interface Share {
  readonly lotKey: string
  readonly quantity: bigint
}

export interface LabelledShare {
  readonly day: string
  readonly label: string
  readonly quantity: bigint
}

export class LotsInventory {
  readonly #booking: LotBooking
  /** Oldest first. */
  readonly #days: Day[] = []
  readonly #byLot = new Map<string, { readonly day: Day; readonly held: Held }[]>()

  constructor(booking: LotBooking) {
    this.#booking = booking
  }

  add(day: string, lotKey: string, label: string, quantity: bigint): void {
    let at = this.#days.length
    while (at > 0 && (this.#days[at - 1] as Day).day > day) at -= 1
    const there = this.#days[at - 1]
    const of = there?.day === day ? there : { day, held: [], head: 0 }
    if (of !== there) this.#days.splice(at, 0, of)
    const held = { lotKey, label, quantity }
    of.held.push(held)
    const parcels = this.#byLot.get(lotKey)
    if (parcels === undefined) this.#byLot.set(lotKey, [{ day: of, held }])
    else parcels.push({ day: of, held })
  }

  /** Whether a reduction that names no lots would take exactly these. */
  choosesItself(shares: readonly Share[]): boolean {
    const wanted = new Map<string, bigint>()
    let open = 0n
    for (const { lotKey, quantity } of shares) {
      wanted.set(lotKey, (wanted.get(lotKey) ?? 0n) + quantity)
      open += quantity
    }
    for (const { lotKey, quantity } of this.#inItsOrder()) {
      if (open === 0n) break
      const taken = smaller(quantity, open)
      if ((wanted.get(lotKey) ?? 0n) < taken) return false
      wanted.set(lotKey, (wanted.get(lotKey) ?? 0n) - taken)
      open -= taken
    }
    return open === 0n
  }

  *#inItsOrder(): Iterable<Held> {
    for (let nth = 0; nth < this.#days.length; nth += 1) {
      const { held, head } = this.#days.at(this.#booking === 'fifo' ? nth : -1 - nth) as Day
      for (let at = head; at < held.length; at += 1)
        if ((held[at] as Held).quantity > 0n) yield held[at] as Held
    }
  }

  /** Takes the shares out; returns them by the parcels that they came from. */
  take(shares: readonly Share[]): LabelledShare[] {
    return shares.flatMap(({ lotKey, quantity }) => this.#takeFrom(lotKey, quantity))
  }

  #takeFrom(lotKey: string, quantity: bigint): LabelledShare[] {
    const parcels = this.#byLot.get(lotKey) ?? []
    const taken: LabelledShare[] = []
    let open = quantity
    while (open > 0n && parcels[0] !== undefined) {
      const { day, held } = parcels[0]
      const part = smaller(held.quantity, open)
      held.quantity -= part
      open -= part
      taken.push({ day: day.day, label: held.label, quantity: part })
      if (held.quantity === 0n) {
        parcels.shift()
        this.#forget(day)
      }
    }
    if (parcels.length === 0) this.#byLot.delete(lotKey)
    if (open === 0n) return taken
    throw new TieoutError('A lot that is not held cannot be used.', {
      where: `lot ${lotKey}`,
      expected: 'the lots engine to take what it has acquired',
      found: `${formatAmount(open)} too much`,
      action: 'This is a bug in tieout: please report it.',
    })
  }

  #forget(day: Day): void {
    while (day.head < day.held.length && (day.held[day.head] as Held).quantity === 0n) day.head += 1
    if (day.head === day.held.length) this.#days.splice(this.#days.indexOf(day), 1)
  }
}
