// Methods and scopes that change with time: what one book leaves, the next one takes over, and nothing is lost.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Change, LotOptions } from '../../pipeline/lots/engine.ts'
import type { LotEvent } from '../../pipeline/lots/event.ts'
import { at, buy, disposals, into, lots, out, problems, sell, units } from './books.ts'
import { computeLots } from './compute.ts'

const main = { account: 'main' }
const cold = { account: 'cold' }

const change = (time: string, method: Change['method'], scope: Change['scope']): Change => ({
  fromUs: at(time),
  method,
  scope,
})

const byAccountFrom2025: LotOptions = {
  method: 'fifo',
  scope: 'universal',
  changes: [change('2025-01-01T00:00:00Z', 'fifo', 'account')],
}

describe('a change of method', () => {
  it('continues with the lots that are left', () => {
    const book = [
      buy('b1', '2024-01-01', '2', '20'),
      buy('b2', '2024-01-02', '1', '30'),
      buy('b3', '2024-01-03', '1', '5'),
      sell('s1', '2024-12-31T23:59:59.999Z', '1', '50'),
      sell('s2', '2025-01-01T00:00:00Z', '1', '50'),
      sell('s3', '2026-01-01', '1', '50'),
    ]
    const result = computeLots(book, {
      method: 'fifo',
      scope: 'account',
      changes: [
        change('2025-01-01T00:00:00Z', 'hifo', 'account'),
        change('2026-01-01T00:00:00Z', 'lifo', 'account'),
      ],
    })
    expect(disposals(result)).toEqual([
      's1 <- b1: 1 for 50 cost 10 gain 40',
      's2 <- b2: 1 for 50 cost 30 gain 20',
      's3 <- b3: 1 for 50 cost 5 gain 45',
    ])
    expect(lots(result)).toEqual(['main b1: 1 cost 10'])
  })

  it('finds a transfer in transit', () => {
    const book = [
      buy('b1', '2024-01-01', '1', '10', main),
      out('t:out', '2024-12-31', '1', main),
      into('t:in', '2025-01-02', '1', cold),
      sell('s1', '2025-01-03', '1', '50', cold),
    ]
    const changes = [change('2025-01-01T00:00:00Z', 'hifo', 'account')]
    const result = computeLots(book, { method: 'fifo', scope: 'account', changes })
    expect(disposals(result)).toEqual(['s1 <- b1: 1 for 50 cost 10 gain 40'])
  })

  it('is refused for rules that look ahead', () => {
    const changes = [change('2025-01-01T00:00:00Z', 'uk', 'universal')]
    expect(() => computeLots([], { method: 'fifo', scope: 'universal', changes })).toThrow(
      'The method uk cannot change with time.',
    )
  })
})

describe('a change from all accounts together to each separately', () => {
  const book = [
    buy('m1', '2024-01-01', '2', '20', main),
    buy('c1', '2024-01-02', '2', '60', cold),
    sell('s1', '2024-06-01', '1', '50', cold),
  ]

  it('allots the oldest lots first, to the accounts in the order of their names', () => {
    // Cold has sold a unit of main's lot, so it holds 1 and main 2; m1 has 1 left and c1 2.
    const result = computeLots(book, byAccountFrom2025)
    expect(disposals(result)).toEqual(['s1 <- m1: 1 for 50 cost 10 gain 40'])
    expect(lots(result)).toEqual(['cold m1: 1 cost 10', 'main c1: 2 cost 60'])
  })

  it('prefers the owner’s allocation', () => {
    const allocations = [{ account: 'main', coin: 'BTC', lotId: 'm1', quantity: units('1') }]
    const result = computeLots(book, { ...byAccountFrom2025, allocations })
    expect(lots(result)).toEqual(['main m1: 1 cost 10', 'main c1: 1 cost 30', 'cold c1: 1 cost 30'])
    expect(problems(result)).toEqual([])
  })

  it('reduces an allocation to what the lot and the account hold, and says so', () => {
    const allocations = [
      { account: 'main', coin: 'BTC', lotId: 'm1', quantity: units('1.5') },
      { account: 'cold', coin: 'BTC', lotId: 'c1', quantity: units('2') },
      { account: 'cold', coin: 'ETH', lotId: 'c1', quantity: units('2') },
    ]
    const result = computeLots(book, { ...byAccountFrom2025, allocations })
    expect(lots(result)).toEqual(['main m1: 1 cost 10', 'main c1: 1 cost 30', 'cold c1: 1 cost 30'])
    expect(problems(result)).toEqual([
      'm1: allotted lot not held, 0.5 of m1',
      'c1: allotted lot not held, 1 of c1',
    ])
  })

  it('gives coins in transit to the account where they arrive', () => {
    const moving = [
      buy('b1', '2024-01-01', '3', '30', main),
      out('t:out', '2024-12-31', '2', main, '1'),
      into('t:in', '2025-01-02', '1.5', cold),
      sell('s1', '2025-01-03', '1.5', '50', cold),
    ]
    const result = computeLots(moving, byAccountFrom2025)
    expect(disposals(result)).toEqual([
      'fee of t:out <- b1: 0.5 for 1 cost 5 gain -4',
      's1 <- b1: 1.5 for 50 cost 15 gain 35',
    ])
    expect(lots(result)).toEqual(['main b1: 1 cost 10'])
  })

  it('leaves as missing what an account sold from the lots of another', () => {
    const short = [
      buy('m1', '2024-01-01', '3', '30', main),
      sell('s1', '2024-06-01', '1', '50', cold),
      sell('s2', '2025-06-01', '3', '150', main),
    ]
    expect(disposals(computeLots(short, byAccountFrom2025))).toEqual([
      's1 <- m1: 1 for 50 cost 10 gain 40',
      's2 <- m1: 2 for 100 cost 20 gain 80',
      's2 <- -: 1 for 50 cost ? gain ?',
    ])
  })

  it('takes nothing off a claim for what left an account beyond all known lots', () => {
    const gone = [
      buy('m1', '2024-01-01', '1', '10', main),
      out('t:out', '2024-02-01', '3', main),
      buy('m2', '2024-03-01', '1', '20', main),
      buy('c1', '2024-04-01', '1', '30', cold),
    ]
    expect(lots(computeLots(gone, byAccountFrom2025))).toEqual(['cold m2: 1 cost 20', 'main c1: 1 cost 30'])
  })

  const twice: LotOptions = {
    method: 'fifo',
    scope: 'universal',
    changes: [
      change('2025-01-01T00:00:00Z', 'fifo', 'account'),
      change('2026-01-01T00:00:00Z', 'fifo', 'universal'),
      change('2027-01-01T00:00:00Z', 'fifo', 'account'),
    ],
  }

  it('a second time allots by what the accounts held in between, not by what they once brought', () => {
    const bought = [buy('m1', '2024-01-01', '2', '20', main), buy('c1', '2024-01-02', '2', '60', cold)]
    const result = computeLots([...bought, sell('s1', '2026-06-01', '2', '90', cold)], twice)
    expect(disposals(result)).toEqual(['s1 <- m1: 2 for 90 cost 20 gain 70'])
    expect(lots(result)).toEqual(['main c1: 2 cost 60'])
  })

  it('a second time gives coins that were in transit in between to the account where they arrived', () => {
    const moving = [
      buy('m1', '2025-01-01', '2', '20', main),
      buy('c1', '2025-01-02', '1', '30', cold),
      out('t:out', '2025-12-31', '2', main),
      into('t:in', '2026-01-02', '2', cold),
    ]
    expect(lots(computeLots(moving, twice))).toEqual(['cold m1: 2 cost 20', 'cold c1: 1 cost 30'])
  })

  it('back to all accounts combines the lots again', () => {
    const result = computeLots([...book, sell('s2', '2026-06-01', '3', '90', main)], {
      ...byAccountFrom2025,
      changes: [...(byAccountFrom2025.changes ?? []), change('2026-01-01T00:00:00Z', 'lifo', 'universal')],
    })
    expect(disposals(result)).toEqual([
      's1 <- m1: 1 for 50 cost 10 gain 40',
      's2 <- c1: 2 for 60 cost 60 gain 0',
      's2 <- m1: 1 for 30 cost 10 gain 20',
    ])
    expect(lots(result)).toEqual([])
  })
})

describe('whatever changes', () => {
  const step = fc.record({
    kind: fc.constantFrom('buy', 'sell', 'move'),
    account: fc.constantFrom('a', 'b', 'c'),
    to: fc.constantFrom('a', 'b', 'c'),
    quantity: fc.integer({ min: 1, max: 9 }),
    day: fc.integer({ min: 1, max: 900 }),
    days: fc.integer({ min: 0, max: 40 }),
  })
  const phase = fc.record({
    method: fc.constantFrom('fifo', 'lifo', 'hifo', 'lofo', 'average', 'specific' as const),
    scope: fc.constantFrom('account', 'universal' as const),
  })

  const time = (day: number) => new Date(Date.UTC(2023, 0, day)).toISOString()

  function eventsOf(steps: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[]): LotEvent[] {
    return steps.flatMap(({ kind, account, to, quantity, day, days }, number): LotEvent[] => {
      const amount = String(quantity)
      if (kind === 'buy') return [buy(`b${number}`, time(day), amount, String(day), { account })]
      if (kind === 'sell') return [sell(`s${number}`, time(day), amount, String(day), { account })]
      if (account === to) return []
      return [
        out(`t${number}:out`, time(day), amount, { account }),
        into(`t${number}:in`, time(day + days), amount, { account: to }),
      ]
    })
  }

  it('what was bought = what is left + what was disposed of from known lots, in quantity and in cost', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 40 }),
        fc.array(phase, { minLength: 2, maxLength: 4 }),
        (steps, phases) => {
          const events = eventsOf(steps)
          const [first, ...rest] = phases as [LotOptions, ...LotOptions[]]
          const changes = rest.map((each, at_) => ({ ...each, fromUs: at(`${2024 + at_}-01-01T00:00:00Z`) }))
          const result = computeLots(events, { ...first, changes })
          const sum = (amounts: readonly (bigint | null)[]) =>
            amounts.reduce<bigint>((total, next) => total + (next ?? 0n), 0n)
          const bought = events.filter(({ kind }) => kind === 'acquire')
          const known = result.disposals.filter(({ basis }) => basis === 'known')
          const left = result.lots.filter(({ costBasisLeft }) => costBasisLeft !== null)
          expect(
            sum(known.map(({ quantity }) => quantity)) + sum(left.map(({ quantityLeft }) => quantityLeft)),
          ).toBe(sum(bought.map(({ quantity }) => quantity)))
          expect(
            sum(known.map(({ costBasis }) => costBasis)) +
              sum(left.map(({ costBasisLeft }) => costBasisLeft)),
          ).toBe(sum(bought.map(({ value }) => value)))
        },
      ),
      { numRuns: 300 },
    )
  })
})
