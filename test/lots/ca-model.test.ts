// The matching of Canada against a second model of it, written from ITA ss. 40, 47(1), 53(1)(f) and 54 alone, in exact fractions:
// purchases, sales and exchanges of three coins in three accounts, with fees of every kind, gifts, and moves between the accounts
// of which the network takes a part. Nothing of the engine is used.
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import type { FeesInKind } from '../../pipeline/lots/event.ts'
import { show } from '../rules/books.ts'
import { computeLots } from './compute.ts'
import {
  expectNear,
  type Fraction,
  isBelow,
  least,
  minus,
  plus,
  share,
  sum,
  unitsOf,
  whole,
  ZERO,
} from './fractions.ts'
import {
  eventsOf,
  type Fact,
  imported,
  netted,
  published,
  type Taxpayer,
  taxpayers,
  together,
} from './taxpayers.ts'

const TORONTO = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Toronto' })
const dayOf = (us: bigint): number => Date.parse(TORONTO.format(Number(us / 1_000n))) / 86_400_000

/** An acquisition (quantity above zero) or disposition (below) of one property. */
interface Change {
  readonly name: string
  readonly us: bigint
  readonly day: number
  readonly quantity: bigint
  /** Cost with its outlays; proceeds less outlays of disposition (s. 40(1)(a)). */
  readonly value: bigint
  /** The outlays that the proceeds are less. */
  readonly outlays: bigint
  /** Losses denied before, which are added to the cost of this acquisition (s. 53(1)(f)). */
  denied: Fraction
}

interface Disposed {
  readonly coin: string
  readonly us: bigint
  /** Of it, what is of the purchases that are known; the rest has no cost, and is no part of the amounts. */
  readonly quantity: bigint
  readonly proceeds: Fraction
  readonly outlays: Fraction
  readonly cost: Fraction
  readonly denied: Fraction
}

interface Pool {
  readonly quantity: bigint
  readonly cost: Fraction
}

interface Result {
  readonly disposed: Map<string, Disposed>
  /** By coin. */
  readonly pools: Map<string, Pool>
}

/** What becomes of each coin, in order. A move changes nothing but by what the network takes, which is spent when it leaves. */
function changesOf(facts: readonly Fact[]): Map<string, Change[]> {
  const changes = new Map<string, Change[]>()
  for (const fact of facts) {
    const change = (part: string, coin: string, quantity: bigint, value: bigint, outlays = 0n): void => {
      const { id, us } = fact
      if (quantity === 0n) return
      const ofCoin = changes.get(coin) ?? []
      changes.set(coin, ofCoin)
      ofCoin.push({ name: `${id}:${part}`, us, day: dayOf(us), quantity, value, outlays, denied: ZERO })
    }
    if (fact.kind === 'move') change('out', fact.coin, -fact.lost.quantity, fact.lost.value)
    // s. 69(1)(b): as if sold for what it is worth.
    else if (fact.kind === 'gift') change('given', fact.given.coin, -fact.given.quantity, fact.given.value)
    else {
      const { given, got, fee, isPurchase } = fact
      if (got !== null) change('got', got.coin, got.quantity, got.value + (isPurchase ? fee.value : 0n))
      const outlays = isPurchase ? 0n : fee.value
      if (given !== null) change('given', given.coin, -given.quantity, given.value - outlays, outlays)
      if (fee.coin !== null) change('fee', fee.coin, -fee.quantity, fee.value)
    }
  }
  return changes
}

/** Nobody owns less than nothing: what was sold beyond that came from before. */
const ownedAfter = (changes: readonly Change[]): bigint =>
  changes.reduce((owned, { quantity }) => (owned + quantity < 0n ? 0n : owned + quantity), 0n)

/** `until`: what happened from that instant on is known, and denies losses, but is not counted itself. */
function byLaw(facts: readonly Fact[], until: bigint | null = null): Result {
  const disposed: Result['disposed'] = new Map()
  const pools: Result['pools'] = new Map()
  for (const [coin, changes] of changesOf(facts)) {
    let held = 0n
    let cost = ZERO
    for (const [at, change] of changes.entries()) {
      if (until !== null && change.us >= until) break
      if (change.quantity > 0n) {
        held += change.quantity
        cost = plus(plus(cost, whole(change.value)), change.denied)
        continue
      }
      // s. 47(1): every unit costs the average.
      const sold = -change.quantity
      const quantity = least(sold, held)
      if (quantity === 0n) continue
      const ofSold = share(cost, quantity, held)
      const proceeds = share(whole(change.value), quantity, sold)
      const outlays = share(whole(change.outlays), quantity, sold)
      held -= quantity
      cost = minus(cost, ofSold)
      let denied = ZERO
      if (isBelow(proceeds, ofSold)) {
        // s. 54 "superficial loss", IT-456R: the least of what was sold, acquired in the period, and owned at its end.
        const acquired = (from: number, to?: number): Change[] =>
          changes
            .slice(from, to)
            .filter((other) => other.quantity > 0n && Math.abs(other.day - change.day) <= 30)
        const total = (all: readonly Change[]) => sum(all.map((other) => other.quantity))
        const [before, after] = [acquired(0, at), acquired(at + 1)]
        const owned = ownedAfter(changes.filter(({ day }) => day <= change.day + 30))
        const superficial = least(sold, total(before) + total(after), owned)
        const loss = minus(ofSold, proceeds)
        denied = share(loss, superficial, sold)
        // s. 53(1)(f): to the cost of what replaces them, as far as possible of what is already owned, then of what is to come.
        const already = least(superficial, total(before), held)
        cost = plus(cost, share(loss, already, sold))
        let open = superficial - already
        for (const later of after) {
          const part = least(open, later.quantity)
          later.denied = plus(later.denied, share(loss, part, sold))
          open -= part
        }
        expect(open).toBe(0n)
      }
      disposed.set(change.name, { coin, us: change.us, quantity, proceeds, outlays, cost: ofSold, denied })
    }
    pools.set(coin, { quantity: held, cost })
  }
  return { disposed, pools }
}

function byEngine(facts: readonly Fact[], until: bigint | null = null) {
  const { disposals, lots, problems } = computeLots(eventsOf(facts), {
    ...{ method: 'ca', scope: 'universal', timeZone: 'America/Toronto' },
    ...(until === null ? {} : { untilUs: until }),
  })
  expect(problems).toEqual([])
  const known = disposals.filter(({ basis }) => basis !== 'missing')
  const pieces = new Map(known.map((piece) => [String(piece.disposalId), piece]))
  expect(known.length).toBe(pieces.size)
  return { disposals: pieces, lots }
}

let compared = 0
let deniedLosses = 0

function mustAgree(facts: readonly Fact[], until: bigint | null = null): void {
  const { disposed, pools } = byLaw(facts, until)
  const found = byEngine(facts, until)
  expect([...found.disposals.keys()].sort()).toEqual([...disposed.keys()].sort())
  for (const [name, expected] of disposed) {
    const piece = found.disposals.get(name)!
    expect([name, piece.quantity]).toEqual([name, expected.quantity])
    expectNear(piece.proceeds, expected.proceeds, `${name}, proceeds`)
    expectNear(piece.fees, expected.outlays, `${name}, outlays`)
    expectNear(piece.costBasis, expected.cost, `${name}, cost`)
    expectNear(piece.deniedLoss ?? 0n, expected.denied, `${name}, denied`)
    const gain = plus(minus(expected.proceeds, expected.cost), expected.denied)
    expectNear(piece.gain, gain, `${name}, gain`)
    compared += 1
    if (expected.denied[0] !== 0n) deniedLosses += 1
  }
  for (const [coin, { quantity, cost }] of pools) {
    const left = found.lots.filter((lot) => lot.coin === coin)
    expect([coin, sum(left.map((lot) => lot.quantityLeft))]).toEqual([coin, quantity])
    expectNear(sum(left.map((lot) => lot.costBasisLeft!)), cost, `${coin}, left`)
  }
}

/** Much of it around midnight in Toronto, 05:00 and in summer time 04:00, and so that many days are 29 to 31 apart. */
const around = (days: fc.Arbitrary<number>) =>
  fc
    .tuple(days, fc.constantFrom(0, 239, 240, 241, 299, 300, 301, 720))
    .map(([day, minute]) => day * 1_440 + minute)

const withinWeeks = taxpayers({
  // Over the change to summer time.
  first: '2024-02-01T00:00:00Z',
  minutes: around(fc.oneof(fc.integer({ min: 0, max: 70 }), fc.constantFrom(8, 9, 38, 39, 40, 69))),
  length: [10, 45],
})

it('the engine finds the cost of every disposition, and what of its loss is superficial, as the law does', () => {
  fc.assert(
    fc.property(withinWeeks, ({ facts }) => mustAgree(facts)),
    { numRuns: 200 },
  )
  expect([compared > 500, deniedLosses > 150]).toEqual([true, true])
})

it('the engine finds the pools of any moment as the law does, of which later purchases deny losses before it', () => {
  fc.assert(
    fc.property(withinWeeks, fc.integer({ min: 0, max: 70 }), ({ facts }, day) =>
      mustAgree(facts, BigInt(Date.parse('2024-02-01T05:00:00Z') + day * 86_400_000) * 1_000n),
    ),
    { numRuns: 200 },
  )
})

it('the same of what is known, where some purchases are in no books', () => {
  const isKnown = fc.infiniteStream(fc.constantFrom(true, true, false))
  fc.assert(
    fc.property(withinWeeks, isKnown, ({ facts }, known) =>
      mustAgree(facts.filter((fact) => fact.kind !== 'trade' || fact.given !== null || known.next().value)),
    ),
    { numRuns: 200 },
  )
})

/** Around two turns of the year. */
const withinYears = taxpayers({
  first: '2023-11-01T00:00:00Z',
  minutes: around(fc.oneof(fc.integer({ min: 0, max: 75 }), fc.integer({ min: 400, max: 475 }))),
  length: [10, 45],
})

const ZONE = { timeZone: 'America/Toronto' }
const yearOf = (us: bigint): number => Number(TORONTO.format(Number(us / 1_000n)).slice(0, 4))

const YEARS = [2023, 2024, 2025]

type Returned = Readonly<Record<string, Fraction | null>>

/** Schedule 3 of each year: half of what is gained (s. 38), less what is left of the halves lost (ss. 3(b), 111(1)(b)). */
function returnsByLaw(facts: readonly Fact[]): Returned[] {
  const disposed = [...byLaw(facts).disposed.values()]
  const first = Math.min(...disposed.map(({ us }) => yearOf(us)))
  const rooms = new Map<number, Fraction>()
  let left = ZERO
  return YEARS.map((year) => {
    const ofYear = disposed.filter(({ us }) => yearOf(us) === year)
    const sum = (of: (each: Disposed) => Fraction) =>
      ofYear.reduce((total, each) => plus(total, of(each)), ZERO)
    const [proceeds, outlays, cost, denied] = [
      sum((each) => each.proceeds),
      sum((each) => each.outlays),
      sum((each) => each.cost),
      sum((each) => each.denied),
    ]
    const gain = plus(minus(proceeds, cost), denied)
    const taxable = share(gain, 1n, 2n)
    const brought = left
    const above = isBelow(taxable, ZERO) ? ZERO : taxable
    const used = isBelow(brought, above) ? brought : above
    const loss = minus(above, taxable)
    left = plus(minus(brought, used), loss)
    rooms.set(year, minus(above, used))
    const back = (to: number): Fraction | null => {
      const room = rooms.get(to)
      return room === undefined || to < first ? null : isBelow(loss, room) ? loss : room
    }
    return {
      // Columns 2, 3 and 4 of the schedule.
      'Proceeds of disposition': plus(proceeds, outlays),
      'Adjusted cost base': cost,
      'Outlays and expenses (from dispositions)': outlays,
      'Superficial losses denied': denied,
      'Capital gain (or loss)': gain,
      'Inclusion rate': [10n ** 18n, 2n],
      'Taxable capital gain (or allowable capital loss)': taxable,
      'Net capital losses of other years, left': brought,
      'Net capital losses of other years, used': used,
      'Net capital losses to carry forward, none of them carried back': left,
      ...(loss[0] === 0n
        ? {}
        : Object.fromEntries(
            [year - 1, year - 2, year - 3].map((to) => [
              `Loss that could be carried back to ${to}`,
              back(to),
            ]),
          )),
    }
  })
}

async function returnsMustAgree(dir: string, facts: readonly Fact[]): Promise<void> {
  for (const [at, expected] of returnsByLaw(facts).entries()) {
    const year = YEARS[at]!
    const { rows } = await show(dir, 'taxes', { rules: 'ca', year }, ZONE)
    const found = new Map(rows.map(({ figure, value }) => [String(figure).replace(/, at most$/, ''), value]))
    for (const [figure, value] of Object.entries(expected)) {
      const [shown, where] = [found.get(figure), `${year}, ${figure}`]
      // A year before the books is unknown.
      if (value === null || facts.every(({ us }) => yearOf(us) > year))
        expect([where, shown]).toEqual([where, null])
      else expectNear(unitsOf(shown), value, where)
    }
  }
}

async function dispositionsMustAgree(
  dir: string,
  facts: readonly Fact[],
  feesInKind: FeesInKind,
): Promise<void> {
  const { rows } = await show(dir, 'gains', {}, { rules: 'ca', ...ZONE, feesInKind })
  // A trade and its fee in one of its coins are two disposals of one row.
  const found = new Map<string, bigint[]>()
  for (const row of rows) {
    const key = `${row.disposal_id} ${row.coin}`
    const amounts = [row.quantity, row.proceeds, row.cost_basis, row.denied_loss ?? '0', row.gain].map(
      unitsOf,
    )
    found.set(
      key,
      amounts.map((amount, at) => amount + (found.get(key)?.[at] ?? 0n)),
    )
  }
  const expected = new Map<string, Fraction[]>()
  for (const [name, { coin, quantity, proceeds, cost, denied }] of byLaw(facts).disposed) {
    const key = `${name.endsWith(':out') ? name : name.split(':')[0]} ${coin}`
    const gain = plus(minus(proceeds, cost), denied)
    const amounts = [whole(quantity), proceeds, cost, denied, gain]
    expected.set(
      key,
      amounts.map((amount, at) => plus(amount, expected.get(key)?.[at] ?? ZERO)),
    )
  }
  expect([...found.keys()].sort()).toEqual([...expected.keys()].sort())
  for (const [key, amounts] of expected)
    for (const [at, amount] of amounts.entries())
      expectNear(
        found.get(key)![at]!,
        amount,
        `${key}, ${['quantity', 'proceeds', 'cost', 'denied', 'gain'][at]}`,
      )
}

it('imported files become the same dispositions, however fees are withheld, and the same return of each year', async () => {
  const { facts, prices } = together(fc.sample(withinYears, { numRuns: 30, seed: 1 }))
  const books = await imported({ facts, prices }, { rules: 'ca', currency: 'CAD', time_zone: ZONE.timeZone })
  onTestFinished(() => books.close())
  await dispositionsMustAgree(books.dir, facts, 'disposal')
  await dispositionsMustAgree(books.dir, netted(facts), 'net')
  await returnsMustAgree(books.dir, facts)
})

const isAbove0 = (amount: Fraction | null | undefined): boolean => isBelow(ZERO, amount ?? ZERO)
const [USED, LEFT] = [
  'Net capital losses of other years, used',
  'Net capital losses to carry forward, none of them carried back',
]

it.each<[string, number, (returns: readonly Returned[]) => boolean]>([
  [
    'a part of the losses of other years is used',
    96,
    (all) => all.some((one) => isAbove0(one[USED]) && isAbove0(one[LEFT])),
  ],
  [
    'a loss could be carried back to two years',
    6,
    ([, , last]) => [2023, 2024].every((to) => isAbove0(last![`Loss that could be carried back to ${to}`])),
  ],
  [
    'a loss could be carried back to what older losses leave of a gain',
    1105,
    ([, second, last]) =>
      isAbove0(second![USED]) &&
      isAbove0(last!['Loss that could be carried back to 2024']) &&
      isBelow(last!['Loss that could be carried back to 2024']!, last![LEFT]!),
  ],
])('the returns of small books agree where %s', async (_, seed, isSo) => {
  const [{ facts }] = fc.sample(withinYears, { numRuns: 1, seed }) as [Taxpayer]
  expect(isSo(returnsByLaw(facts))).toBe(true)
  await returnsMustAgree(await published(facts, 'CAD'), facts)
})
