// The matching rules of the United Kingdom and of Canada, each once more from the words of its law, over small random books,
// held against the lots engine. Nothing here is shared with the engine: days, order and averages are calculated anew, with 36
// decimals more, so that only the last digits may differ, by what the engine rounds.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LotEvent } from '../../pipeline/lots/event.ts'
import { computeLots, type LotResult } from './compute.ts'

const UNIT = 10n ** 18n
const FINE = 10n ** 36n
const DAY_MS = 86_400_000
/** One rounding for each piece and each loss that is handed on. */
const ROUNDING = 200n

interface Deal {
  readonly isPurchase: boolean
  readonly ms: number
  readonly quantity: bigint
  readonly money: bigint
}

/** Around the change of the clocks, half of it in the hour whose day is another in London than in UTC. */
const deals = fc
  .array(
    fc.record({
      isPurchase: fc.boolean(),
      ms: fc
        .tuple(fc.integer({ min: 0, max: 80 }), fc.constantFrom(9, 23.5))
        .map(([day, hour]) => Date.UTC(2024, 2, 1) + day * DAY_MS + hour * 3_600_000),
      quantity: fc.bigInt({ min: 1n, max: 9n }).map((whole) => whole * UNIT),
      money: fc.bigInt({ min: 1n, max: 999n }).map((whole) => whole * UNIT),
    }),
    { minLength: 1, maxLength: 14 },
  )
  .map((found): Deal[] => found.sort((a, b) => a.ms - b.ms))

const eventsOf = (book: readonly Deal[]): LotEvent[] =>
  book.map(({ isPurchase, ms, quantity, money }, at) => ({
    ...{ account: 'main', coin: 'BTC', id: `e${at}`, place: BigInt(at), happenedAtUs: BigInt(ms) * 1_000n },
    ...{ kind: isPurchase ? 'acquire' : 'dispose', quantity, value: money },
  }))

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n)
const least = (...amounts: readonly [bigint, ...bigint[]]): bigint =>
  amounts.toSorted((a, b) => Number(a > b) - Number(a < b))[0] as bigint

/** Days since 1970 by the calendar of London, and of Greenwich. */
const calendars = {
  London: new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/London', dateStyle: 'short' }),
  Greenwich: new Intl.DateTimeFormat('en-CA', { timeZone: 'UTC', dateStyle: 'short' }),
}
type Place = keyof typeof calendars

const dayIn = (place: Place, ms: number): number =>
  Date.parse(`${calendars[place].format(ms)}T00:00:00Z`) / DAY_MS

/** What a law says of each day on which something was sold, and of the holding at the end; money with FINE more decimals. */
interface Calculated {
  readonly days: Map<number, { cost: bigint; denied: bigint; missing: bigint }>
  readonly left: { readonly quantity: bigint; readonly cost: bigint }
}

function mustAgree(calculated: Calculated, { disposals, lots }: LotResult, place: Place): void {
  const near = (ours: bigint, theirs: bigint): void => {
    const apart = ours - theirs / FINE
    expect([ours, theirs / FINE, apart < ROUNDING && apart > -ROUNDING]).toEqual([ours, theirs / FINE, true])
  }
  for (const [day, { cost, denied, missing }] of calculated.days) {
    const pieces = disposals.filter(({ disposedAtUs }) => dayIn(place, Number(disposedAtUs / 1_000n)) === day)
    near(sum(pieces.map((piece) => piece.costBasis ?? 0n)), cost)
    near(sum(pieces.map((piece) => piece.deniedLoss ?? 0n)), denied)
    expect(sum(pieces.map((piece) => (piece.basis === 'missing' ? piece.quantity : 0n)))).toBe(missing)
  }
  expect(sum(lots.map((lot) => lot.quantityLeft))).toBe(calculated.left.quantity)
  near(sum(lots.map((lot) => lot.costBasisLeft ?? 0n)), calculated.left.cost)
}

/**
 * TCGA 1992. Section 105(1)(a): what is acquired on one day is one acquisition, what is disposed of on one day one disposal;
 * (b): they are identified with each other first. Section 106A(4), (5): then, an earlier disposal before a later one, with
 * what is acquired within the 30 days after, the earlier first (HMRC CG51560). Section 104: else with the single holding of
 * all other shares, at the average of its cost (CG51620).
 */
function unitedKingdom(book: readonly Deal[]): Calculated {
  const london = (deal: Deal): number => dayIn('London', deal.ms)
  const days = [...new Set(book.map(london))].sort((a, b) => a - b)
  const total = (day: number, isPurchase: boolean) => {
    const found = book.filter((deal) => london(deal) === day && deal.isPurchase === isPurchase)
    return {
      quantity: sum(found.map(({ quantity }) => quantity)),
      cost: sum(found.map(({ money }) => money)) * FINE,
    }
  }
  const bought = new Map(days.map((day) => [day, { ...total(day, true), free: total(day, true).quantity }]))
  const sold = new Map(days.map((day) => [day, { open: total(day, false).quantity, cost: 0n }]))
  const identify = (saleDay: number, purchaseDay: number): void => {
    const [sale, purchase] = [sold.get(saleDay), bought.get(purchaseDay)]
    if (sale === undefined || purchase === undefined || purchase.quantity === 0n) return
    const quantity = least(sale.open, purchase.free)
    sale.open -= quantity
    purchase.free -= quantity
    sale.cost += (purchase.cost * quantity) / purchase.quantity
  }
  for (const day of days) identify(day, day)
  for (const day of days) for (const later of days) if (later > day && later <= day + 30) identify(day, later)
  const holding = { quantity: 0n, cost: 0n }
  const calculated: Calculated = { days: new Map(), left: holding }
  for (const day of days) {
    const [sale, purchase] = [sold.get(day)!, bought.get(day)!]
    if (purchase.free > 0n) {
      holding.quantity += purchase.free
      holding.cost += (purchase.cost * purchase.free) / purchase.quantity
    }
    const quantity = least(sale.open, holding.quantity)
    if (quantity > 0n) {
      const cost = (holding.cost * quantity) / holding.quantity
      holding.quantity -= quantity
      holding.cost -= cost
      sale.cost += cost
    }
    calculated.days.set(day, { cost: sale.cost, denied: 0n, missing: sale.open - quantity })
  }
  return calculated
}

/**
 * Income Tax Act. Section 47(1): each unit of identical property costs the average of all that is held. Section 54,
 * "superficial loss": a loss where such property is acquired from 30 days before to 30 days after and held at their end, for
 * the part that the least of sold, acquired and held is of what was sold (IT-456R, paragraph 12). Section 53(1)(f): it joins
 * the cost of what replaced it. Of replacements on both sides those that are held already come first: the law is silent.
 */
function canada(book: readonly Deal[]): Calculated {
  const day = (deal: Deal): number => dayIn('Greenwich', deal.ms)
  const joins = book.map(() => 0n)
  const holding = { quantity: 0n, cost: 0n }
  const calculated: Calculated = { days: new Map(), left: holding }
  const heldAfter = (last: number): bigint =>
    sum(
      book
        .filter((deal) => day(deal) <= last)
        .map((deal) => (deal.isPurchase ? deal.quantity : -deal.quantity)),
    )
  for (const [at, deal] of book.entries()) {
    const { quantity, money } = deal
    if (deal.isPurchase) {
      holding.quantity += quantity
      holding.cost += money * FINE + (joins[at] ?? 0n)
      continue
    }
    const cost = (holding.cost * quantity) / holding.quantity
    holding.quantity -= quantity
    holding.cost -= cost
    const around = [...book.entries()].filter(
      ([, other]) => other.isPurchase && Math.abs(day(other) - day(deal)) <= 30,
    )
    const before = sum(around.filter(([place]) => place < at).map(([, other]) => other.quantity))
    const replaced = least(
      quantity,
      sum(around.map(([, other]) => other.quantity)),
      heldAfter(day(deal) + 30),
    )
    const loss = cost - money * FINE
    const denied = loss > 0n ? (loss * replaced) / quantity : 0n
    let toPlace = replaced
    const place = (units: bigint): bigint => {
      const here = least(toPlace, units)
      toPlace -= here
      return replaced === 0n ? 0n : (denied * here) / replaced
    }
    holding.cost += place(least(before, holding.quantity))
    for (const [later, other] of around)
      if (later > at) joins[later] = (joins[later] ?? 0n) + place(other.quantity)
    const so = calculated.days.get(day(deal)) ?? { cost: 0n, denied: 0n, missing: 0n }
    calculated.days.set(day(deal), { cost: so.cost + cost, denied: so.denied + denied, missing: 0n })
  }
  return calculated
}

/** Sales of what is held, and no more: of the rest the law knows no cost. */
function ofWhatIsHeld(book: readonly Deal[]): Deal[] {
  let held = 0n
  return book.flatMap((deal) => {
    const quantity = deal.isPurchase ? deal.quantity : least(deal.quantity, held)
    held += deal.isPurchase ? quantity : -quantity
    return quantity === 0n ? [] : [{ ...deal, quantity }]
  })
}

describe('the law, read a second time', () => {
  it('United Kingdom: same day, thirty days and section 104 holding', () => {
    const check = fc.property(deals, (book) => {
      const result = computeLots(eventsOf(book), { method: 'uk', scope: 'universal' })
      mustAgree(unitedKingdom(book), result, 'London')
    })
    fc.assert(check, { numRuns: 300 })
  })

  it('Canada: average cost and superficial losses', () => {
    const check = fc.property(deals.map(ofWhatIsHeld), (book) => {
      const result = computeLots(eventsOf(book), { method: 'ca', scope: 'universal' })
      mustAgree(canada(book), result, 'Greenwich')
    })
    fc.assert(check, { numRuns: 300 })
  })
})
