// The order in which lots leave under US rules, once more from the words of its law, over small random books around the turn of
// 2025, held against the lots engine. Nothing here is shared with the engine: it looks through all lots for every coin that
// leaves, and calculates costs as fractions, so that only the last digits may differ, by what the engine rounds.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LotEvent } from '../../pipeline/lots/event.ts'
import { matchingOf } from '../../pipeline/rules/matching.ts'
import { computeLots, type LotResult } from './compute.ts'

const UNIT = 10n ** 18n
const HOUR_MS = 3_600_000
/** Each piece is the difference of two rounded totals; several may be of one lot. */
const ROUNDING = 10n

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)

const ACCOUNTS = ['cold', 'main', 'old'] as const
const METHODS = ['fifo', 'lifo', 'hifo', 'lofo'] as const
type Method = (typeof METHODS)[number]

const NEW_YEAR_IN_NEW_YORK = BigInt(Date.UTC(2025, 0, 1, 5)) * 1_000n

/** Few hours, quantities and prices, so that many lots are equally old or cost the same. */
const wishes = fc.array(
  fc.record({
    kind: fc.constantFrom('buy', 'buy', 'sell', 'sell', 'give', 'move', 'move'),
    ms: fc
      .tuple(fc.integer({ min: 0, max: 14 }), fc.constantFrom(4.9, 5, 17))
      .map(([day, hour]) => Date.UTC(2024, 11, 28 + day) + hour * HOUR_MS),
    account: fc.constantFrom(...ACCOUNTS),
    to: fc.constantFrom(...ACCOUNTS),
    quantity: fc.bigInt({ min: 1n, max: 6n }).map((halves) => (halves * UNIT) / 2n),
    money: fc.constantFrom(10n, 20n, 30n, 37n).map((whole) => whole * UNIT),
    fee: fc.constantFrom(0n, 0n, UNIT / 10n),
    hoursUnderWay: fc.constantFrom(0, 1, 30),
  }),
  { minLength: 4, maxLength: 30, size: 'large' },
)

/** The books of these wishes, as far as an account has the coins. */
const books = wishes.map((wished): LotEvent[] => {
  const events: LotEvent[] = []
  const held = new Map<string, bigint>()
  const arrivals: LotEvent[] = []
  const add = (account: string, quantity: bigint) => held.set(account, (held.get(account) ?? 0n) + quantity)
  for (const [at, wish] of wished.toSorted((a, b) => a.ms - b.ms).entries()) {
    const { kind, ms, account, to, money, fee } = wish
    const happenedAtUs = BigInt(ms) * 1_000n
    for (const arrival of arrivals.splice(0)) {
      if (arrival.happenedAtUs < happenedAtUs) add(arrival.account, arrival.quantity)
      else arrivals.push(arrival)
    }
    const place = BigInt(at) * 2n
    const event = { account, coin: 'BTC', happenedAtUs, place, id: `e${at}`, value: money }
    if (kind === 'buy') {
      events.push({ ...event, kind: 'acquire', quantity: wish.quantity })
      if (fee > 0n)
        events.push({ ...event, kind: 'dispose', quantity: fee, place: place + 1n, keptFrom: event.id })
      add(account, wish.quantity - fee)
      continue
    }
    const quantity = least(wish.quantity, held.get(account) ?? 0n)
    if (quantity <= fee || (kind === 'move' && to === account)) continue
    add(account, -quantity)
    if (kind !== 'move') {
      events.push({ ...event, kind: kind === 'sell' ? 'dispose' : 'give', quantity })
      continue
    }
    const transferId = event.id
    events.push({ ...event, kind: 'transfer_out', quantity, transferId })
    const arrival: LotEvent = {
      ...{ ...event, id: `${event.id}:in`, account: to, place: place + 1n, kind: 'transfer_in', transferId },
      happenedAtUs: happenedAtUs + BigInt(wish.hoursUnderWay * HOUR_MS) * 1_000n,
      quantity: quantity - fee,
    }
    events.push(arrival)
    arrivals.push(arrival)
  }
  return events
})

interface Lot {
  readonly id: string
  readonly quantity: bigint
  readonly cost: bigint
  /** By account; by the empty name as long as all accounts are one. */
  readonly left: Map<string, bigint>
}

type Taken = readonly (readonly [Lot, bigint])[]

/** Whether `a` leaves before `b`, which was acquired later. */
const goesFirst: Record<Method, (a: Lot, b: Lot) => boolean> = {
  fifo: () => true,
  lifo: () => false,
  hifo: (a, b) => a.cost * b.quantity >= b.cost * a.quantity,
  lofo: (a, b) => a.cost * b.quantity <= b.cost * a.quantity,
}

/**
 * Until the end of 2024 the units of all accounts are one (Rev. Proc. 2024-28: universal). On 1 January 2025 the oldest lots
 * go to the accounts that hold the coins, in order of their names. From then on, units leave the account that held them
 * (Treas. Reg. 1.1012-1(j)), except that units kept back for a fee are of those just received ((j)(3)(iii)). A move takes lots
 * along with cost and date; of its lots, those that arrive leave first, and the network's after them.
 */
function unitedStates(book: readonly LotEvent[], before: Method, since: Method): Found {
  const events = book.toSorted((a, b) => Number(a.happenedAtUs - b.happenedAtUs || a.place - b.place))
  const arriving = new Map(events.map((event) => [`${event.kind} ${event.transferId}`, event]))
  const lots: Lot[] = []
  const owns = new Map<string, bigint>(ACCOUNTS.map((account) => [account, 0n]))
  const underWay = new Map<string, Taken>()
  const pieces = new Map<string, readonly [Lot, bigint]>()
  let [method, isByAccount] = [before, false]
  const add = (lot: Lot, account: string, quantity: bigint) => {
    const key = isByAccount ? account : ''
    lot.left.set(key, (lot.left.get(key) ?? 0n) + quantity)
  }
  const owned = (account: string, quantity: bigint) => owns.set(account, owns.get(account)! + quantity)
  const take = (account: string, wanted: bigint, keptFrom?: string): Taken => {
    const found: [Lot, bigint][] = []
    const has = (lot: Lot) => lot.left.get(isByAccount ? account : '') ?? 0n
    for (let open = wanted; open > 0n; ) {
      const candidates = lots.filter((lot) => has(lot) > 0n && (keptFrom ?? lot.id) === lot.id)
      const next = candidates.reduce((a, b) => (goesFirst[method](a, b) ? a : b))
      const quantity = least(has(next), open)
      add(next, account, -quantity)
      open -= quantity
      found.push([next, quantity])
    }
    return found
  }
  const record = (name: string, taken: Taken) => {
    for (const [lot, quantity] of taken) {
      const key = `${name} ${lot.id}`
      pieces.set(key, [lot, (pieces.get(key)?.[1] ?? 0n) + quantity])
    }
  }
  const turnTheYear = () => {
    ;[method, isByAccount] = [since, true]
    const claims = new Map(owns)
    for (const lot of lots)
      for (const account of ACCOUNTS) {
        const [rest, claim] = [lot.left.get('') ?? 0n, claims.get(account)!]
        const quantity = least(rest, claim)
        lot.left.set('', rest - quantity)
        claims.set(account, claim - quantity)
        add(lot, account, quantity)
      }
  }
  for (const event of events) {
    const { id, kind, account, quantity, transferId } = event
    if (!isByAccount && event.happenedAtUs >= NEW_YEAR_IN_NEW_YORK) turnTheYear()
    if (kind === 'acquire') {
      lots.push({ id: id as string, quantity, cost: event.value!, left: new Map() })
      add(lots.at(-1)!, account, quantity)
      owned(account, quantity)
    } else if (kind === 'transfer_in') {
      for (const [lot, units] of underWay.get(transferId!) ?? []) add(lot, account, units)
    } else if (kind === 'transfer_out') {
      const arrival = arriving.get(`transfer_in ${transferId}`)!
      owned(account, -quantity)
      owned(arrival.account, arrival.quantity)
      if (isByAccount) underWay.set(transferId!, take(account, arrival.quantity))
      record(`${id} sold`, take(account, quantity - arrival.quantity))
    } else {
      owned(account, -quantity)
      record(`${id} ${kind === 'give' ? 'given' : 'sold'}`, take(account, quantity, event.keptFrom as string))
    }
  }
  if (!isByAccount) turnTheYear()
  for (const lot of lots) {
    for (const [account, quantity] of lot.left)
      if (quantity > 0n) pieces.set(`${account} ${lot.id}`, [lot, quantity])
  }
  return new Map(
    [...pieces].map(([key, [lot, quantity]]) => [key, [quantity, (lot.cost * quantity) / lot.quantity]]),
  )
}

/** Quantity and cost of each lot in each disposal, gift, and account at the end. */
type Found = Map<string, [bigint, bigint]>

/** The same of what the engine found; pieces of one lot are one. */
function found({ disposals, moved, lots }: LotResult): Found {
  const all: Found = new Map()
  const see = (key: string, quantity: bigint, cost: bigint | null) => {
    const [units, money] = all.get(key) ?? [0n, 0n]
    all.set(key, [units + quantity, money + (cost ?? 0n)])
  }
  for (const piece of disposals)
    see(`${piece.disposalId} sold ${piece.lotId}`, piece.quantity, piece.costBasis)
  for (const piece of moved)
    if (piece.toAccount === null)
      see(`${piece.eventId} given ${piece.lotId}`, piece.quantity, piece.costBasis)
  for (const lot of lots) see(`${lot.account} ${lot.lotId}`, lot.quantityLeft, lot.costBasisLeft)
  return all
}

function mustAgree(book: readonly LotEvent[], before: Method, since: Method): void {
  const method = `${before},2025:${since}`
  const { options } = matchingOf({ rules: 'us', method, timeZone: 'America/New_York' })
  const ours = found(computeLots(book, options))
  const theirs = unitedStates(book, before, since)
  expect([method, ...[...ours.keys()].sort()]).toEqual([method, ...[...theirs.keys()].sort()])
  for (const [key, [quantity, cost]] of ours) {
    const [units, money] = theirs.get(key)!
    const apart = cost - money
    const isNear = apart <= ROUNDING && apart >= -ROUNDING
    expect([method, key, quantity, cost, isNear]).toEqual([method, key, units, cost, true])
  }
}

describe('the law of the United States, read once more', () => {
  it('takes the same lots, at the same cost, from the same accounts', () => {
    const check = fc.property(books, fc.constantFrom(...METHODS), (book, before) => {
      for (const since of METHODS) mustAgree(book, before, since)
    })
    fc.assert(check, { numRuns: 80 })
  })
})
