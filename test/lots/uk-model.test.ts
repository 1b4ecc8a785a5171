// The matching of the United Kingdom against a second model of it, written from TCGA 1992 ss. 104, 105 and 106A alone: lists of
// days and exact fractions, nothing of the engine. Random books of one coin in two accounts, in days of London around midnight
// and where the clocks change.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { LotEvent } from '../../pipeline/lots/event.ts'
import { computeLots } from './compute.ts'
import { type Fraction, least, minus, plus, share } from './fractions.ts'

const LONDON = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/London' })
const dayOf = (us: bigint): number => Date.parse(LONDON.format(Number(us / 1_000n))) / 86_400_000

interface Day {
  readonly day: number
  bought: bigint
  cost: Fraction
  sold: bigint
  proceeds: Fraction
}

/** By day of the sale and what it was identified with (a day, the pool, or nothing): quantity, proceeds, cost. */
type Pieces = Map<string, readonly [bigint, Fraction, Fraction]>

/** s 105(1)(a): the sales of a day are one sale, and the purchases one purchase. */
function daysOf(events: readonly LotEvent[]): Day[] {
  const days = new Map<number, Day>()
  const on = (us: bigint): Day => {
    const day = dayOf(us)
    const known = days.get(day) ?? { day, bought: 0n, cost: [0n, 1n], sold: 0n, proceeds: [0n, 1n] }
    days.set(day, known)
    return known
  }
  for (const event of events) {
    const { kind, quantity, value, happenedAtUs } = event
    // A move leaves the holding as it is; what did not arrive was spent when the coins left.
    const arrived = events.find(({ id }) => id === String(event.id).replace(':out', ':in'))
    const spent = kind === 'transfer_out' ? quantity - arrived!.quantity : quantity
    if (kind === 'transfer_in' || spent === 0n) continue
    const day = on(happenedAtUs)
    if (kind === 'acquire') {
      day.bought += quantity
      day.cost = plus(day.cost, [value!, 1n])
    } else {
      day.sold += spent
      day.proceeds = plus(day.proceeds, [value!, 1n])
    }
  }
  return [...days.values()].sort((a, b) => a.day - b.day)
}

function byLaw(events: readonly LotEvent[]): { pieces: Pieces; left: bigint; leftCost: Fraction } {
  const days = daysOf(events)
  const pieces: Pieces = new Map()
  const identify = (sale: Day, what: string, quantity: bigint, cost: Fraction): void => {
    const proceeds = share(sale.proceeds, quantity, sale.sold)
    pieces.set(`${sale.day} ${what}`, [quantity, proceeds, cost])
    sale.proceeds = minus(sale.proceeds, proceeds)
    sale.sold -= quantity
  }
  const match = (sale: Day, purchase: Day): void => {
    const quantity = least(sale.sold, purchase.bought)
    if (quantity === 0n) return
    const cost = share(purchase.cost, quantity, purchase.bought)
    purchase.cost = minus(purchase.cost, cost)
    purchase.bought -= quantity
    identify(sale, String(purchase.day), quantity, cost)
  }
  // s 105(1)(b), then s 106A(5): the earlier sale first, each with the earlier purchase.
  for (const day of days) match(day, day)
  for (const sale of days)
    for (const later of days) if (later.day > sale.day && later.day - sale.day <= 30) match(sale, later)
  // s 104: one holding, whose cost is shared by quantity.
  let left = 0n
  let leftCost: Fraction = [0n, 1n]
  for (const day of days) {
    left += day.bought
    leftCost = plus(leftCost, day.cost)
    const quantity = least(day.sold, left)
    if (quantity > 0n) {
      const cost = share(leftCost, quantity, left)
      leftCost = minus(leftCost, cost)
      left -= quantity
      identify(day, 'pool', quantity, cost)
    }
    if (day.sold > 0n) identify(day, 'nothing', day.sold, [0n, 1n])
  }
  return { pieces, left, leftCost }
}

function byEngine(events: readonly LotEvent[]): { pieces: Pieces; left: bigint; leftCost: Fraction } {
  const { disposals, lots, problems } = computeLots(events, { method: 'uk', scope: 'universal' })
  expect(problems).toEqual([])
  const at = new Map(events.map((event) => [event.id, dayOf(event.happenedAtUs)]))
  const pieces: Pieces = new Map()
  for (const { disposalId, lotId, quantity, proceeds, costBasis, basis } of disposals) {
    const what = basis === 'missing' ? 'nothing' : lotId === null ? 'pool' : at.get(lotId)
    const key = `${at.get(disposalId)} ${what}`
    if (pieces.has(key)) expect.fail(`two pieces of ${key}`)
    pieces.set(key, [quantity, [proceeds!, 1n], [costBasis ?? 0n, 1n]])
  }
  const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((a, b) => a + b, 0n)
  return {
    pieces,
    left: sum(lots.map((lot) => lot.quantityLeft)),
    leftCost: [sum(lots.map((lot) => lot.costBasisLeft!)), 1n],
  }
}

/** Amounts are rounded to units where pieces end; a few units of 10^-18 are all that this can come to. */
function expectNear(found: Fraction, expected: Fraction, where: string): void {
  const [n, d] = minus(found, expected)
  if ((n < 0n ? -n : n) > 4n * d) expect.fail(`${where}: found ${found}, expected ${expected}`)
}

const MINUTE = 60_000_000n
const FIRST = BigInt(Date.parse('2024-02-20T00:00:00Z')) * 1_000n
const amount = fc.oneof(
  fc.bigInt({ min: 1n, max: 10n ** 22n }),
  fc.constantFrom(10n ** 18n, 2n * 10n ** 18n, 5n * 10n ** 17n),
)
const happening = fc.record({
  account: fc.constantFrom('main', 'cold'),
  // Six weeks and a day over the change to summer time, so that many sales have purchases on the 29th to 31st day after.
  day: fc.integer({ min: 0, max: 44 }),
  // The hours around midnight in London, in winter and in summer time.
  minute: fc.oneof(fc.integer({ min: 0, max: 1439 }), fc.integer({ min: 1360, max: 1500 })),
  kind: fc.constantFrom('acquire', 'acquire', 'acquire', 'dispose', 'dispose', 'give', 'move'),
  quantity: amount,
  value: fc.oneof(fc.constant(0n), amount, amount, amount),
  kept: fc.integer({ min: 0, max: 3 }),
})

const book = fc.array(happening, { minLength: 12, maxLength: 24 }).map((all) =>
  all.flatMap(({ account, day, minute, kind, quantity, value, kept }, nth): LotEvent[] => {
    const happenedAtUs = FIRST + (BigInt(day) * 1440n + BigInt(minute)) * MINUTE
    const event = { account, coin: 'BTC', happenedAtUs, place: BigInt(nth) * 4n, quantity, value }
    if (kind !== 'move') return [{ ...event, id: `e${nth}`, kind: kind as 'acquire' | 'dispose' | 'give' }]
    const other = account === 'main' ? 'cold' : 'main'
    const arrived = {
      ...event,
      account: other,
      quantity: (quantity * BigInt(100 - kept)) / 100n,
      value: null,
    }
    if (arrived.quantity === 0n) return []
    return [
      { ...event, id: `e${nth}:out`, kind: 'transfer_out', transferId: `t${nth}` },
      {
        ...arrived,
        id: `e${nth}:in`,
        kind: 'transfer_in',
        transferId: `t${nth}`,
        place: event.place + 1n,
        happenedAtUs: happenedAtUs + 30n * MINUTE,
      },
    ]
  }),
)

it('the engine identifies every disposal as the law does: same day, 30 days, section 104', () => {
  let compared = 0
  fc.assert(
    fc.property(book, (events) => {
      const expected = byLaw(events)
      const found = byEngine(events)
      expect([...found.pieces.keys()].sort()).toEqual([...expected.pieces.keys()].sort())
      for (const [key, [quantity, proceeds, cost]] of expected.pieces) {
        const [q, p, c] = found.pieces.get(key)!
        if (q !== quantity) expect.fail(`${key}: found ${q}, expected ${quantity}`)
        expectNear(p, proceeds, `${key}, proceeds`)
        expectNear(c, cost, `${key}, cost`)
        compared += 1
      }
      expect(found.left).toBe(expected.left)
      expectNear(found.leftCost, expected.leftCost, 'left')
    }),
    { numRuns: 400 },
  )
  expect(compared).toBeGreaterThan(2_000)
})
