// The matching of Germany against a second model of it, written from § 23 EStG, the rules of the BGB on periods and the letters of
// the Federal Ministry of Finance as docs/rules/de.md cites them, in exact fractions: purchases, sales and exchanges of three coins
// in three accounts, with fees of every kind, income, gifts, and moves that take a while and of which the network takes a part.
// Nothing of the engine is used.
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import type { FeesInKind } from '../../pipeline/lots/event.ts'
import { matchingOf } from '../../pipeline/rules/matching.ts'
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
  UNIT,
  type Worth,
} from './taxpayers.ts'

interface Lot {
  readonly id: string
  readonly us: bigint
  /** Among lots of one instant, in the order of the records. */
  readonly nth: number
  readonly coin: string
  readonly quantity: bigint
  readonly cost: bigint
}

/** A part of a lot. */
interface Part {
  readonly lot: Lot
  readonly quantity: bigint
}

interface Sold extends Part {
  readonly name: string
  readonly us: bigint
  readonly kind: 'sold' | 'given'
  /** Of the whole disposal, which has this quantity. */
  readonly proceeds: bigint
  readonly of: bigint
}

const isOlder = (a: Lot, b: Lot): boolean => a.us < b.us || (a.us === b.us && a.nth < b.nth)

/** First in, first out, in each wallet on its own; what is moved keeps the day and the cost of its acquisition. */
function byLaw(facts: readonly Fact[]): { sold: Sold[]; wallets: Map<string, Part[]> } {
  const wallets = new Map<string, Part[]>()
  const sold: Sold[] = []
  const wallet = (account: string): Part[] => wallets.get(account) ?? wallets.set(account, []).get(account)!
  const put = (account: string, part: Part) => wallet(account).push(part)
  const take = (account: string, coin: string, wanted: bigint): Part[] => {
    const taken: Part[] = []
    for (let open = wanted; open > 0n; ) {
      const oldest = wallet(account)
        .filter(({ lot }) => lot.coin === coin)
        .reduce((a, b) => (isOlder(b.lot, a.lot) ? b : a))
      const quantity = least(oldest.quantity, open)
      wallets.set(
        account,
        wallet(account).flatMap((part) =>
          part !== oldest
            ? [part]
            : part.quantity === quantity
              ? []
              : [{ ...part, quantity: part.quantity - quantity }],
        ),
      )
      taken.push({ lot: oldest.lot, quantity })
      open -= quantity
    }
    return taken
  }
  let underWay: { readonly us: bigint; readonly to: string; readonly parts: readonly Part[] }[] = []
  // An arrival has the place of its move among the records of one instant, so it comes before those that follow.
  const arrive = (until: bigint | null) => {
    for (const { us, to, parts } of underWay)
      if (until === null || us <= until) for (const part of parts) put(to, part)
    underWay = underWay.filter(({ us }) => until !== null && us > until)
  }
  for (const [nth, fact] of facts.entries()) {
    const { account, us, id } = fact
    arrive(us)
    const leave = (part: string, kind: Sold['kind'], { coin, quantity, value }: Worth) => {
      for (const each of take(account, coin, quantity))
        sold.push({ ...each, name: `${id}:${part}`, us, kind, proceeds: value, of: quantity })
    }
    if (fact.kind === 'gift') leave('given', 'given', fact.given)
    else if (fact.kind === 'move') {
      const parts = take(account, fact.coin, fact.quantity - fact.lost.quantity)
      leave('out', 'sold', fact.lost)
      if (fact.arrivesUs === us) for (const part of parts) put(fact.to, part)
      else underWay.push({ us: fact.arrivesUs, to: fact.to, parts })
    } else {
      const { given, got, fee, isPurchase } = fact
      if (got !== null) {
        const { coin, quantity } = got
        const cost = got.value + (isPurchase ? fee.value : 0n)
        put(account, { lot: { id: `${id}:got`, us, nth, coin, quantity, cost }, quantity })
      }
      if (given !== null)
        leave('given', 'sold', { ...given, value: given.value - (isPurchase ? 0n : fee.value) })
      if (fee.coin !== null) leave('fee', 'sold', { ...fee, coin: fee.coin })
    }
  }
  arrive(null)
  return { sold, wallets }
}

/** Parts of one lot that left with one event, or are in one wallet, are one. */
function byKey<Each>(all: readonly Each[], keyOf: (each: Each) => string): Map<string, Each[]> {
  const found = new Map<string, Each[]>()
  for (const each of all) found.set(keyOf(each), [...(found.get(keyOf(each)) ?? []), each])
  return found
}

let compared = 0

function mustAgree(facts: readonly Fact[]): void {
  const { sold, wallets } = byLaw(facts)
  const result = computeLots(eventsOf(facts), matchingOf({ rules: 'de' }).options)
  expect(result.problems).toEqual([])
  const expected = byKey(sold, ({ kind, name, lot }) => `${kind} ${name} ${lot.id}`)
  const gifts = result.moved.filter(({ toAccount }) => toAccount === null)
  const pieces = byKey(result.disposals, ({ disposalId, lotId }) => `sold ${disposalId} ${lotId}`)
  const given = byKey(gifts, ({ eventId, lotId }) => `given ${eventId} ${lotId}`)
  expect([...pieces.keys(), ...given.keys()].sort()).toEqual([...expected.keys()].sort())
  for (const [key, parts] of expected) {
    const { lot, proceeds, of, us } = parts[0]!
    const found = pieces.get(key) ?? given.get(key)!
    const quantity = sum(parts.map((part) => part.quantity))
    expect([key, sum(found.map((piece) => piece.quantity))]).toEqual([key, quantity])
    expect([key, ...found.map((piece) => piece.acquiredAtUs)]).toEqual([key, ...found.map(() => lot.us)])
    expectNear(
      sum(found.map((piece) => piece.costBasis!)),
      share(whole(lot.cost), quantity, lot.quantity),
      key,
    )
    for (const piece of pieces.get(key) ?? []) {
      expect(piece.disposedAtUs).toBe(us)
      expect(piece.gain).toBe(piece.proceeds! - piece.costBasis!)
    }
    if (pieces.has(key))
      expectNear(
        sum(pieces.get(key)!.map((piece) => piece.proceeds!)),
        share(whole(proceeds), quantity, of),
        key,
      )
    compared += 1
  }
  const left = [...wallets].flatMap(([account, parts]) => parts.map((part) => ({ ...part, account })))
  const held = byKey(left, ({ account, lot }) => `${account} ${lot.id}`)
  const lots = byKey(result.lots, ({ account, lotId }) => `${account} ${lotId}`)
  expect([...lots.keys()].sort()).toEqual([...held.keys()].sort())
  for (const [key, parts] of held) {
    const { lot } = parts[0]!
    const found = lots.get(key)!
    const quantity = sum(parts.map((part) => part.quantity))
    expect([key, sum(found.map((each) => each.quantityLeft))]).toEqual([key, quantity])
    expectNear(
      sum(found.map((each) => each.costBasisLeft!)),
      share(whole(lot.cost), quantity, lot.quantity),
      key,
    )
  }
}

/** Much of it around midnight in Berlin, 23:00 and in summer time 22:00. */
const around = (days: fc.Arbitrary<number>) =>
  fc
    .tuple(days, fc.constantFrom(0, 600, 1_319, 1_320, 1_379, 1_380, 1_381))
    .map(([day, minute]) => day * 1_440 + minute)

const withinWeeks = taxpayers({
  first: '2024-01-01T00:00:00Z',
  minutes: around(fc.integer({ min: 0, max: 60 })),
  length: [10, 45],
})

it('the engine takes the same parts of the same lots as the law does', () => {
  fc.assert(
    fc.property(withinWeeks, ({ facts }) => mustAgree(facts)),
    { numRuns: 100 },
  )
  expect(compared).toBeGreaterThan(600)
})

it('coins that arrive at the instant of a later record are there for it, and are taken first if they are older', () => {
  const day = (of: number): bigint => BigInt(Date.UTC(2024, 0, of)) * 1_000n
  const worth = (tenths: bigint) => ({ coin: 'CCC', quantity: (UNIT * tenths) / 10n, value: UNIT })
  const none = { coin: null, quantity: 0n, value: 0n }
  const trade = {
    kind: 'trade',
    given: null,
    got: null,
    fee: none,
    isPurchase: true,
    isIncome: false,
  } as const
  const facts: readonly Fact[] = [
    { ...trade, id: 'b1', us: day(1), account: 'desk', got: worth(2n) },
    { ...trade, id: 'b2', us: day(2), account: 'cold', got: worth(1n) },
    {
      ...{
        id: 'm1',
        us: day(3),
        account: 'desk',
        kind: 'move',
        to: 'cold',
        coin: 'CCC',
        quantity: UNIT / 5n,
      },
      ...{ lost: { coin: 'CCC', quantity: 0n, value: 0n }, arrivesUs: day(5) },
    } as Fact,
    { ...trade, id: 's1', us: day(5), account: 'cold', given: worth(1n), isPurchase: false },
  ]
  expect(byLaw(facts).sold.map(({ name, lot }) => `${name} ${lot.id}`)).toEqual(['s1:given b1:got'])
  mustAgree(facts)
})

/** Around the end of February, of April and of December, three times, with a leap day among them. */
const withinYears = taxpayers({
  first: '2023-02-26T00:00:00Z',
  minutes: around(
    fc
      .tuple(fc.constantFrom(0, 306, 365, 367, 426, 671, 731), fc.integer({ min: 0, max: 6 }))
      .map(([day, more]) => day + more),
  ),
  length: [10, 45],
})

const BERLIN = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin' })
const dateOf = (us: bigint): string => BERLIN.format(Number(us / 1_000n))
const yearOf = (us: bigint): number => Number(dateOf(us).slice(0, 4))

/**
 * §§ 187 Abs. 1, 188 Abs. 2 and 3 BGB: the day of acquisition does not count, and the year ends with the day of the same
 * number in the same month, or with the last of the month if it has no such day.
 */
function isHeldLonger(acquired: bigint, sold: bigint): boolean {
  const [year = '', month, day] = dateOf(acquired).split('-')
  const ends = `${Number(year) + 1}-${month}-${month === '02' && day === '29' ? '28' : day}`
  return dateOf(sold) > ends
}

const YEARS = [2023, 2024, 2025]
type Returned = Readonly<Record<string, Fraction | null>>

const NAMES = {
  proceeds: 'Proceeds of what was held up to one year',
  costs: 'Costs of what was held up to one year',
  gain: 'Gain or loss of what was held up to one year',
  limit: 'Limit below which it is free',
  brought: 'Losses of earlier years, brought forward',
  used: 'Losses brought forward, used',
  taxable: 'Taxable gain',
  left: 'Losses to carry forward, none of them carried back',
  long: 'Gain or loss of what was held longer, free',
  income: 'Income from rewards, interest and the like, at its value when received',
  incomeTaxed: 'Income from rewards, interest and the like, taxable',
}

/** § 23 Abs. 3 Sätze 5, 7 and 8, § 10d, § 22 Nr. 3 EStG, far below a million euros. */
function returnsByLaw(facts: readonly Fact[]): Returned[] {
  const sales = byLaw(facts).sold.filter(({ kind }) => kind === 'sold')
  const first = Math.min(...sales.map(({ us }) => yearOf(us)))
  const rooms = new Map<number, Fraction>()
  const smaller = (a: Fraction, b: Fraction) => (isBelow(a, b) ? a : b)
  let left = ZERO
  return YEARS.map((year) => {
    const ofYear = sales.filter(({ us }) => yearOf(us) === year)
    const sums = (isLong: boolean) => {
      const parts = ofYear.filter(({ lot, us }) => isHeldLonger(lot.us, us) === isLong)
      const all = (of: (sale: Sold) => Fraction) => parts.reduce((total, sale) => plus(total, of(sale)), ZERO)
      const proceeds = all((sale) => share(whole(sale.proceeds), sale.quantity, sale.of))
      const costs = all(({ lot, quantity }) => share(whole(lot.cost), quantity, lot.quantity))
      return { proceeds, costs, gain: minus(proceeds, costs) }
    }
    const short = sums(false)
    const limit = whole((year < 2024 ? 600n : 1_000n) * UNIT)
    // All of it is free, or all of it is taxable.
    const isFree = isBelow(short.gain, limit)
    const gain = isFree ? ZERO : short.gain
    const loss = isBelow(short.gain, ZERO) ? minus(ZERO, short.gain) : ZERO
    const brought = left
    const used = smaller(brought, gain)
    left = plus(minus(brought, used), loss)
    rooms.set(year, minus(gain, used))
    const income = facts
      .flatMap((fact) =>
        fact.kind === 'trade' && fact.isIncome && yearOf(fact.us) === year ? [fact.got!.value] : [],
      )
      .reduce((a, b) => a + b, 0n)
    const found: Record<string, Fraction | null> = {
      [NAMES.proceeds]: short.proceeds,
      [NAMES.costs]: short.costs,
      [NAMES.gain]: short.gain,
      [NAMES.limit]: limit,
      [NAMES.brought]: brought,
      [NAMES.used]: used,
      [NAMES.taxable]: minus(gain, used),
      [NAMES.left]: left,
      [NAMES.long]: sums(true).gain,
      [NAMES.income]: whole(income),
      [NAMES.incomeTaxed]: whole(income < 256n * UNIT ? 0n : income),
    }
    // The nearer year first; what it cannot absorb goes to the one before it.
    let open: Fraction | null = loss
    for (const to of loss[0] === 0n ? [] : [year - 1, year - 2]) {
      const room = to < first ? undefined : rooms.get(to)
      const back: Fraction | null = room === undefined || open === null ? null : smaller(open, room)
      found[`Loss that could be carried back to ${to}`] = back
      open = open === null || back === null ? null : minus(open, back)
    }
    return found
  })
}

async function returnsMustAgree(dir: string, facts: readonly Fact[]): Promise<void> {
  for (const [at, expected] of returnsByLaw(facts).entries()) {
    const year = YEARS[at]!
    const { rows } = await show(dir, 'taxes', { rules: 'de', year })
    const found = new Map(rows.map(({ figure, value }) => [String(figure), value]))
    for (const [figure, value] of Object.entries(expected)) {
      const [shown, where] = [found.get(figure), `${year}, ${figure}`]
      // A year before the books is unknown.
      if (value === null || facts.every(({ us }) => yearOf(us) > year))
        expect([where, shown]).toEqual([where, null])
      else expectNear(unitsOf(shown), value, where)
    }
  }
}

async function salesMustAgree(dir: string, facts: readonly Fact[], feesInKind: FeesInKind): Promise<void> {
  const { rows } = await show(dir, 'gains', {}, { rules: 'de', feesInKind })
  const sales = byLaw(facts).sold.filter(({ kind }) => kind === 'sold')
  const rowOf = (name: string) => (name.endsWith(':out') ? name : name.split(':')[0])
  // A trade and its fee in one of its coins are two disposals of one row.
  const found = byKey(rows, (row) => `${row.disposal_id} ${row.coin} ${row.lot_id} ${row.term}`)
  const expected = byKey(sales, ({ name, lot, us }) =>
    [rowOf(name), lot.coin, rowOf(lot.id), isHeldLonger(lot.us, us) ? 'long' : 'short'].join(' '),
  )
  expect([...found.keys()].sort()).toEqual([...expected.keys()].sort())
  for (const [key, parts] of expected) {
    const total = (column: string) => sum(found.get(key)!.map((row) => unitsOf(row[column])))
    const all = (of: (sale: Sold) => Fraction) => parts.reduce((so, sale) => plus(so, of(sale)), ZERO)
    const proceeds = all((sale) => share(whole(sale.proceeds), sale.quantity, sale.of))
    const cost = all(({ lot, quantity }) => share(whole(lot.cost), quantity, lot.quantity))
    expect([key, total('quantity')]).toEqual([key, sum(parts.map(({ quantity }) => quantity))])
    expectNear(total('proceeds'), proceeds, `${key}, proceeds`)
    expectNear(total('cost_basis'), cost, `${key}, cost`)
    expectNear(total('gain'), minus(proceeds, cost), `${key}, gain`)
  }
}

it('imported files become the same sales, however fees are withheld, with their terms, and the same returns', async () => {
  const { facts, prices } = together(fc.sample(withinYears, { numRuns: 30, seed: 1 }))
  const books = await imported({ facts, prices }, { rules: 'de', currency: 'EUR' })
  onTestFinished(() => books.close())
  await salesMustAgree(books.dir, facts, 'disposal')
  await salesMustAgree(books.dir, netted(facts), 'net')
  await returnsMustAgree(books.dir, facts)
})

/** The days around a leap day, and those on which a year after them ends. */
const aroundLeapDay = taxpayers({
  first: '2024-02-27T00:00:00Z',
  minutes: around(fc.constantFrom(1, 2, 2, 2, 3, 367, 368, 368, 368, 369)),
  length: [20, 45],
})

it('what was bought on a leap day is held for a year at the end of 28 February', async () => {
  const taxpayer = together(fc.sample(aroundLeapDay, { numRuns: 20, seed: 1 }))
  const ofLeapDay = byLaw(taxpayer.facts).sold.filter(
    ({ kind, lot, us }) => kind === 'sold' && dateOf(lot.us) === '2024-02-29' && dateOf(us) === '2025-03-01',
  )
  expect(ofLeapDay.length).toBeGreaterThan(5)
  const books = await imported(taxpayer, { rules: 'de', currency: 'EUR' })
  onTestFinished(() => books.close())
  await salesMustAgree(books.dir, taxpayer.facts, 'disposal')
})

const isAbove0 = (amount: Fraction | null | undefined): boolean => isBelow(ZERO, amount ?? ZERO)

it.each<[string, number, (returns: readonly Returned[]) => boolean]>([
  [
    'a part of the losses of other years is used',
    128,
    (all) => all.some((one) => isAbove0(one[NAMES.used]) && isAbove0(one[NAMES.left])),
  ],
  [
    'some of a gain is taxable after such losses',
    74,
    (all) => all.some((one) => isAbove0(one[NAMES.used]) && isAbove0(one[NAMES.taxable])),
  ],
  [
    'a gain below the limit uses none of them, and income below its limit is free',
    27,
    (all) =>
      all.some(
        (one) =>
          [NAMES.brought, NAMES.gain].every((name) => isAbove0(one[name])) && !isAbove0(one[NAMES.used]),
      ) && all.some((one) => isAbove0(one[NAMES.income]) && !isAbove0(one[NAMES.incomeTaxed])),
  ],
  [
    'a loss could be carried back beyond a year whose gain was free',
    52,
    ([, second, last]) =>
      isAbove0(second![NAMES.gain]) &&
      !isAbove0(second![NAMES.taxable]) &&
      isAbove0(last!['Loss that could be carried back to 2023']),
  ],
])('the returns of small books agree where %s', async (_, seed, isSo) => {
  const [{ facts }] = fc.sample(withinYears, { numRuns: 1, seed }) as [Taxpayer]
  expect(isSo(returnsByLaw(facts))).toBe(true)
  await returnsMustAgree(await published(facts, 'EUR'), facts)
})
