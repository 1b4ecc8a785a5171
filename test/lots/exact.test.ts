// No unit is lost where a lot or a sale is cut, and nothing is invented where the history is missing.
import { describe, expect, it } from 'vitest'
import type { Method } from '../../pipeline/lots/engine.ts'
import type { Basis, LotEvent } from '../../pipeline/lots/event.ts'
import { heldBy } from '../../pipeline/lots/held.ts'
import { roundDiv } from '../../pipeline/lots/share.ts'
import { UnknownBasis } from '../../pipeline/lots/unknown-basis.ts'
import { buy, disposals, lots, problems, sell } from './books.ts'
import { computeLots } from './compute.ts'

const run = (method: Method, events: LotEvent[]) => computeLots(events, { method, scope: 'account' })

describe('exact pieces', () => {
  it('a lot of 10 cut in thirds gives pieces that sum to 10', () => {
    const result = run('fifo', [
      buy('b1', '2024-01-01', '3', '10'),
      sell('s1', '2024-01-02', '1', '4'),
      sell('s2', '2024-01-03', '1', '4'),
      sell('s3', '2024-01-04', '1', '4'),
    ])
    expect(disposals(result)).toEqual([
      's1 <- b1: 1 for 4 cost 3.333333333333333333 gain 0.666666666666666667',
      's2 <- b1: 1 for 4 cost 3.333333333333333334 gain 0.666666666666666666',
      's3 <- b1: 1 for 4 cost 3.333333333333333333 gain 0.666666666666666667',
    ])
    expect(lots(result)).toEqual([])
  })

  it('proceeds of 10 over three equal lots give pieces that sum to 10', () => {
    const result = run('fifo', [
      buy('b1', '2024-01-01', '1', '1'),
      buy('b2', '2024-01-01', '1', '1'),
      buy('b3', '2024-01-01', '1', '1'),
      sell('s1', '2024-01-02', '3', '10'),
    ])
    expect(result.disposals.map((piece) => piece.proceeds)).toEqual([
      3_333_333_333_333_333_333n,
      3_333_333_333_333_333_334n,
      3_333_333_333_333_333_333n,
    ])
  })

  it('average: thirds of a pool of 10 sum to 10', () => {
    const result = run('average', [
      buy('b1', '2024-01-01', '3', '10'),
      sell('s1', '2024-01-02', '1', '0'),
      sell('s2', '2024-01-03', '1', '0'),
      sell('s3', '2024-01-04', '1', '0'),
    ])
    expect(result.disposals.reduce((sum, piece) => sum + (piece.costBasis ?? 0n), 0n)).toBe(10n ** 19n)
    expect(lots(result)).toEqual([])
  })

  it('average: the rounding of a thousand sales does not accumulate in what is left', () => {
    const book = [buy('b', '2024-01-01', '3000', '1000')]
    for (let sale = 0; sale < 1_000; sale += 1) book.push(sell(`s${sale}`, '2024-01-02', '1', '1'))
    expect(lots(run('average', book))).toEqual(['main -: 2000 cost 666.666666666666666667'])
  })

  it('a negative basis and negative proceeds are divided like any other', () => {
    const result = run('fifo', [buy('b1', '2024-01-01', '2', '-1'), sell('s1', '2024-01-02', '1', '-0.5')])
    expect(disposals(result)).toEqual(['s1 <- b1: 1 for -0.5 cost -0.5 gain 0'])
    expect(lots(result)).toEqual(['main b1: 1 cost -0.5'])
  })

  it('average: half a unit below zero that the next purchase lifts above it is neither lost nor counted twice', () => {
    const result = run('average', [
      buy('b1', '2024-01-01', '2', '-0.000000000000000001'),
      sell('s1', '2024-01-02', '1', '0'),
      buy('b2', '2024-01-03', '1', '0.000000000000000001'),
      sell('s2', '2024-01-04', '2', '0'),
    ])
    expect(result.disposals.reduce((sum, piece) => sum + (piece.costBasis ?? 0n), 0n)).toBe(0n)
    expect(lots(result)).toEqual([])
  })

  it('halves are rounded away from zero', () => {
    expect([roundDiv(1n, 2n), roundDiv(-1n, 2n), roundDiv(3n, 2n), roundDiv(1n, 3n)]).toEqual([
      1n,
      -1n,
      2n,
      0n,
    ])
  })
})

describe('missing history is never a gain', () => {
  it('what was sold beyond all known lots has no cost and no gain', () => {
    const result = run('fifo', [
      buy('b1', '2024-01-01', '1', '100'),
      sell('s1', '2024-01-02', '3', '600'),
      buy('b2', '2024-01-03', '1', '100'),
    ])
    expect(disposals(result)).toEqual([
      's1 <- b1: 1 for 200 cost 100 gain 100',
      's1 <- -: 2 for 400 cost ? gain ?',
    ])
    expect(result.disposals.map((piece) => piece.basis)).toEqual(['known', 'missing'])
    expect(lots(result)).toEqual(['main b2: 1 cost 100'])
  })

  it('an acquisition of unknown value keeps its place in the queue and gives no gain', () => {
    const result = run('fifo', [
      buy('gift', '2024-01-01', '1', null),
      buy('b2', '2024-01-02', '1', '100'),
      sell('s1', '2024-01-03', '2', '300'),
    ])
    expect(disposals(result)).toEqual([
      's1 <- gift: 1 for 150 cost ? gain ?',
      's1 <- b2: 1 for 150 cost 100 gain 50',
    ])
    expect(result.disposals[0]?.basis).toBe('unvalued')
  })

  it('lifo takes the newest lot, also if its value is unknown', () => {
    const result = computeLots(
      [
        buy('b1', '2024-01-01', '1', '100'),
        buy('b2', '2024-01-02', '1', null),
        sell('s1', '2024-01-03', '1', '150'),
      ],
      { method: 'lifo', scope: 'account' },
    )
    expect(disposals(result)).toEqual(['s1 <- b2: 1 for 150 cost ? gain ?'])
    expect(lots(result)).toEqual(['main b1: 1 cost 100'])
  })

  it('hifo, lofo and average take lots without a known cost last, as nothing says where they belong', () => {
    for (const method of ['hifo', 'lofo', 'average'] as const) {
      const result = run(method, [
        buy('gift', '2024-01-01', '1', null),
        buy('b2', '2024-01-02', '1', '100'),
        sell('s1', '2024-01-03', '2', '300'),
      ])
      expect(result.disposals.map((piece) => piece.costBasis)).toEqual([100n * 10n ** 18n, null])
      expect(result.disposals[1]?.lotId).toBe('gift')
    }
  })

  it('unknown proceeds leave the cost known and the gain unknown', () => {
    const book = [buy('b1', '2024-01-01', '1', '100'), sell('s1', '2024-01-02', '1', null)]
    expect(disposals(run('fifo', book))).toEqual(['s1 <- b1: 1 for ? cost 100 gain ?'])
  })

  it('a quantity that is not above zero is reported and moves nothing', () => {
    const result = run('fifo', [buy('b1', '2024-01-01', '0', '100')])
    expect(problems(result)).toEqual(['b1: quantity not above zero, 0'])
    expect(lots(result)).toEqual([])
  })
})

it('what left without a known cost adds up by account and coin, and each disposal counts once', () => {
  const unknown = new UnknownBasis()
  const left = (disposalId: string, basis: Basis, quantity: bigint, account = 'main') =>
    unknown.disposed({ account, coin: 'BTC', quantity, basis, disposalId })
  left('s1', 'known', 1n)
  expect(unknown.rows()).toEqual([])
  left('s2', 'unvalued', 2n)
  left('s2', 'missing', 4n)
  left('s3', 'missing', 8n)
  left('s3', 'missing', 16n, 'cold')
  expect(unknown.rows()).toMatchObject([
    { account: 'main', coin: 'BTC', quantity: 12n, unvaluedQuantity: 2n, disposals: 2 },
    { account: 'cold', coin: 'BTC', quantity: 16n, unvaluedQuantity: 0n, disposals: 1 },
  ])
})

it('what is sold in the moment of its purchase was held for no day, and what is bought later not at all', () => {
  const termOf = (acquired: number, sold: number) => (sold > acquired ? 'long' : 'short')
  const held = heldBy({ rules: 'generic', timeZone: 'UTC', termOf })
  expect(held({ acquiredAtUs: 5n, disposedAtUs: 5n })).toEqual({ days: 0, term: 'short' })
  expect(held({ acquiredAtUs: 6n, disposedAtUs: 5n })).toEqual({ days: null, term: null })
  expect(held({ acquiredAtUs: null, disposedAtUs: 5n })).toEqual({ days: null, term: null })
})
