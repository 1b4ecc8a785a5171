// Transfers between own accounts: basis and date travel, fees are disposals, and a lone leg is never guessed at.
import { describe, expect, it } from 'vitest'
import { type Method, methods } from '../../pipeline/lots/engine.ts'
import type { LotEvent } from '../../pipeline/lots/event.ts'
import { at, buy, disposals, into, lots, out, problems, sell } from './books.ts'
import { computeLots, inOrder } from './compute.ts'

const cold = { account: 'cold' }
const main = { account: 'main' }

const run = (method: Method, events: LotEvent[], scope: 'account' | 'universal' = 'account') =>
  computeLots(events, { method, scope })

describe('a transfer with both legs', () => {
  it('takes basis, date and lot id to the other account', () => {
    const result = run('fifo', [
      buy('b1', '2024-01-01', '2', '200', main),
      out('t1:out', '2024-02-01', '1', main),
      into('t1:in', '2024-02-02', '1', cold),
      sell('s1', '2024-03-01', '1', '500', cold),
    ])
    expect(disposals(result)).toEqual(['s1 <- b1: 1 for 500 cost 100 gain 400'])
    expect(result.disposals[0]?.acquiredAtUs).toBe(at('2024-01-01'))
    expect(lots(result)).toEqual(['main b1: 1 cost 100'])
    expect(result.moved).toEqual([
      {
        coin: 'BTC',
        eventId: 't1:out',
        movedAtUs: at('2024-02-01'),
        fromAccount: 'main',
        toAccount: 'cold',
        acquiredAtUs: at('2024-01-01'),
        quantity: 10n ** 18n,
        costBasis: 100n * 10n ** 18n,
        lotId: 'b1',
        basis: 'known',
      },
    ])
  })

  it('moves the lots that the method would sell', () => {
    const book = [
      buy('b1', '2024-01-01', '1', '100', main),
      buy('b2', '2024-01-02', '1', '300', main),
      buy('b3', '2024-01-03', '1', '200', main),
      out('t1:out', '2024-02-01', '1', main),
      into('t1:in', '2024-02-01', '1', cold),
    ]
    const left = (method: Method) => lots(run(method, book)).filter((lot) => lot.startsWith('cold'))
    expect(left('fifo')).toEqual(['cold b1: 1 cost 100'])
    expect(left('lifo')).toEqual(['cold b3: 1 cost 200'])
    expect(left('hifo')).toEqual(['cold b2: 1 cost 300'])
    expect(left('lofo')).toEqual(['cold b1: 1 cost 100'])
    expect(left('average')).toEqual(['cold -: 1 cost 200'])
    const selections = new Map([['t1:out', [{ lotId: 'b2', quantity: 10n ** 18n }]]])
    expect(lots(computeLots(book, { method: 'specific', scope: 'account', selections }))).toContain(
      'cold b2: 1 cost 300',
    )
  })

  it('moved lots are ordered by the time of their acquisition, not of their arrival', () => {
    const book = [
      buy('b1', '2024-01-01', '1', '100', main),
      buy('b2', '2024-01-02', '1', '300', cold),
      out('t1:out', '2024-02-01', '1', main),
      into('t1:in', '2024-02-01', '1', cold),
      sell('s1', '2024-03-01', '1', '400', cold),
    ]
    expect(disposals(run('fifo', book))).toEqual(['s1 <- b1: 1 for 400 cost 100 gain 300'])
    expect(disposals(run('lifo', book))).toEqual(['s1 <- b2: 1 for 400 cost 300 gain 100'])
  })

  it('a lot cut by a transfer still sums to itself, and its parts rank equally', () => {
    const result = run('hifo', [
      buy('b1', '2024-01-01', '3', '10', main),
      buy('b2', '2024-01-02', '3', '10', cold),
      out('t1:out', '2024-02-01', '1', main),
      into('t1:in', '2024-02-01', '1', cold),
      sell('s1', '2024-03-01', '4', '40', cold),
      sell('s2', '2024-03-01', '2', '20', main),
    ])
    expect(disposals(result)).toEqual([
      's1 <- b1: 1 for 10 cost 3.333333333333333333 gain 6.666666666666666667',
      's1 <- b2: 3 for 30 cost 10 gain 20',
      's2 <- b1: 2 for 20 cost 6.666666666666666667 gain 13.333333333333333333',
    ])
  })

  it('lots that leave and return are as they were before', () => {
    for (const method of methods) {
      const result = run(method, [
        buy('b1', '2024-01-01', '2', '200', main),
        out('t1:out', '2024-02-01', '1', main),
        into('t1:in', '2024-02-01', '1', cold),
        out('t2:out', '2024-02-02', '1', cold),
        into('t2:in', '2024-02-02', '1', main),
        sell('s1', '2024-06-01', '2', '500', main),
      ])
      expect(lots(result)).toEqual([])
      expect(result.disposals.reduce((sum, piece) => sum + (piece.gain ?? 0n), 0n)).toBe(300n * 10n ** 18n)
    }
  })

  it('coins that arrive before they left, by another clock, are there when they are sold', () => {
    const result = run('fifo', [
      buy('b1', '2024-01-01', '1', '100', main),
      into('t1:in', '2024-02-01T12:00:00Z', '1', cold),
      sell('s1', '2024-02-01T12:00:01Z', '1', '150', cold),
      out('t1:out', '2024-02-01T12:00:02Z', '1', main),
    ])
    expect(disposals(result)).toEqual(['s1 <- b1: 1 for 150 cost 100 gain 50'])
    expect(problems(result)).toEqual([])
  })

  it('over all accounts nothing moves', () => {
    const result = run(
      'fifo',
      [
        buy('b1', '2024-01-01', '1', '100', main),
        out('t1:out', '2024-02-01', '1', main),
        into('t1:in', '2024-02-01', '1', cold),
      ],
      'universal',
    )
    expect(lots(result)).toEqual(['main b1: 1 cost 100'])
    expect(result.moved).toEqual([])
  })

  it('two transfers under one id match first with first and second with second', () => {
    const legs = [
      into('t1:in', '2024-02-02', '1', cold),
      out('t1:out', '2024-02-01', '1', main),
      into('t1:in2', '2024-02-04', '2', cold),
      out('t1:out2', '2024-02-03', '2', main),
    ]
    expect(inOrder(legs).map((leg) => [leg.id, leg.twin?.id])).toEqual([
      ['t1:out', 't1:in'],
      ['t1:in', 't1:out'],
      ['t1:out2', 't1:in2'],
      ['t1:in2', 't1:out2'],
    ])
  })
})

describe('a larger quantity out than in', () => {
  const book = (feeValue: string | null) => [
    buy('b1', '2024-01-01', '1', '100', main),
    out('t1:out', '2024-02-01', '1', main, feeValue),
    into('t1:in', '2024-02-01', '0.75', cold),
  ]

  it('is a network fee: a disposal that the caller values', () => {
    for (const scope of ['account', 'universal'] as const)
      expect(disposals(run('fifo', book('50'), scope))).toEqual([
        'fee of t1:out <- b1: 0.25 for 50 cost 25 gain 25',
      ])
    expect(lots(run('fifo', book('50')))).toEqual(['cold b1: 0.75 cost 75'])
  })

  it('without a value has no proceeds and no gain', () => {
    expect(disposals(run('fifo', book(null)))).toEqual(['fee of t1:out <- b1: 0.25 for ? cost 25 gain ?'])
  })
})

describe('inconsistent transfers', () => {
  it('a transfer in without a first leg is a lot of unknown basis and date, taken when nothing else is left', () => {
    const result = run('fifo', [
      into('t1:in', '2024-01-01', '1', main),
      buy('b1', '2024-01-02', '1', '100', main),
      sell('s1', '2024-01-03', '2', '300', main),
      into('t2:in', '2024-01-04', '1', main),
    ])
    expect(disposals(result)).toEqual([
      's1 <- b1: 1 for 150 cost 100 gain 50',
      's1 <- t1:in: 1 for 150 cost ? gain ?',
    ])
    expect(result.disposals[1]?.acquiredAtUs).toBeNull()
    expect(lots(result)).toEqual(['main t2:in: 1 cost ?'])
    expect(problems(result)).toEqual([
      't1:in: transfer without its first leg, 1',
      't2:in: transfer without its first leg, 1',
    ])
  })

  it('a transfer out without a second leg takes its lots with it and is not a disposal', () => {
    const result = run('fifo', [
      buy('b1', '2024-01-01', '2', '200', main),
      out('t1:out', '2024-02-01', '1', main),
    ])
    expect(disposals(result)).toEqual([])
    expect(lots(result)).toEqual(['main b1: 1 cost 100'])
    expect(result.moved.map(({ lotId, toAccount }) => [lotId, toAccount])).toEqual([['b1', null]])
    expect(problems(result)).toEqual(['t1:out: transfer without its second leg, 1'])
  })

  it('more in than out has an unknown basis for the difference', () => {
    const result = run('fifo', [
      buy('b1', '2024-01-01', '1', '100', main),
      out('t1:out', '2024-02-01', '1', main),
      into('t1:in', '2024-02-01', '1.5', cold),
    ])
    expect(lots(result)).toEqual(['cold b1: 1 cost 100', 'cold t1:in: 0.5 cost ?'])
    expect(problems(result)).toEqual(['t1:in: more arrived than left, 0.5'])
  })

  it('moving more than is known makes what is missing a lot of unknown basis on arrival', () => {
    for (const method of ['fifo', 'average', 'uk', 'ca'] as const) {
      const result = run(method, [
        buy('b1', '2024-01-01', '1', '100', main),
        out('t1:out', '2024-03-01', '3', main),
        into('t1:in', '2024-03-01', '3', cold),
        sell('s1', '2024-05-01', '3', '600', cold),
      ])
      expect(result.disposals.map(({ quantity, gain, basis }) => [quantity, gain, basis])).toEqual([
        [10n ** 18n, 100n * 10n ** 18n, 'known'],
        [2n * 10n ** 18n, null, 'unvalued'],
      ])
      expect(result.moved.map(({ quantity, costBasis, basis }) => [quantity, costBasis, basis])).toEqual([
        [10n ** 18n, 100n * 10n ** 18n, 'known'],
        [2n * 10n ** 18n, null, 'missing'],
      ])
      expect(lots(result)).toEqual([])
    }
  })
})
