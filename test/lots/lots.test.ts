// Lots by the methods that decide at once: small books with figures worked out by hand.
import { describe, expect, it } from 'vitest'
import { LotEngine } from '../../pipeline/lots/engine.ts'
import type { LotEvent, Selection } from '../../pipeline/lots/event.ts'
import { compareUnitCost, wholeLot } from '../../pipeline/lots/parcel.ts'
import { buy, disposals, into, lots, out, problems, sell, units } from './books.ts'
import { computeLots } from './compute.ts'

const run = (
  method: 'fifo' | 'lifo' | 'hifo' | 'lofo' | 'average',
  events: LotEvent[],
  scope: 'account' | 'universal' = 'account',
) => computeLots(events, { method, scope })

describe('the order in which lots are taken', () => {
  const book = [
    buy('b1', '2024-01-01', '1', '100'),
    buy('b2', '2024-02-01', '1', '300'),
    buy('b3', '2024-03-01', '1', '200'),
    sell('s1', '2024-04-01', '1.5', '600'),
  ]

  it('fifo: a sale larger than the oldest lot continues into the next', () => {
    const result = run('fifo', book)
    expect(disposals(result)).toEqual([
      's1 <- b1: 1 for 400 cost 100 gain 300',
      's1 <- b2: 0.5 for 200 cost 150 gain 50',
    ])
    expect(lots(result)).toEqual(['main b2: 0.5 cost 150', 'main b3: 1 cost 200'])
  })

  it('lifo: a sale takes the newest lot first', () => {
    const result = run('lifo', book)
    expect(disposals(result)).toEqual([
      's1 <- b3: 1 for 400 cost 200 gain 200',
      's1 <- b2: 0.5 for 200 cost 150 gain 50',
    ])
    expect(lots(result)).toEqual(['main b1: 1 cost 100', 'main b2: 0.5 cost 150'])
  })

  it('hifo: a sale takes the most expensive lot first', () => {
    expect(disposals(run('hifo', book))).toEqual([
      's1 <- b2: 1 for 400 cost 300 gain 100',
      's1 <- b3: 0.5 for 200 cost 100 gain 100',
    ])
  })

  it('lofo: a sale takes the cheapest lot first', () => {
    expect(disposals(run('lofo', book))).toEqual([
      's1 <- b1: 1 for 400 cost 100 gain 300',
      's1 <- b3: 0.5 for 200 cost 100 gain 100',
    ])
  })

  it('average: a sale takes its share of the pool, without lot and date', () => {
    const result = run('average', book)
    expect(disposals(result)).toEqual(['s1 <- -: 1.5 for 600 cost 300 gain 300'])
    expect(result.disposals[0]?.acquiredAtUs).toBeNull()
    expect(lots(result)).toEqual(['main -: 1.5 cost 300'])
  })

  it('events may be given in any order', () => {
    expect(run('fifo', [...book].reverse())).toEqual(run('fifo', book))
  })
})

describe('ties', () => {
  const lot = (quantity: bigint, value: bigint) => wholeLot('b', 'main', 0n, 1, quantity, value).lot

  const sameTime = [
    buy('b1', '2024-01-01', '1', '100'),
    buy('b2', '2024-01-01', '1', '100'),
    sell('s1', '2024-01-02', '1', '150'),
  ]

  it('lifo takes the later row among equal times', () => {
    expect(disposals(run('lifo', sameTime))).toEqual(['s1 <- b2: 1 for 150 cost 100 gain 50'])
  })

  it('fifo, hifo and lofo take the earlier row among equals', () => {
    for (const method of ['fifo', 'hifo', 'lofo'] as const)
      expect(disposals(run(method, sameTime))).toEqual(['s1 <- b1: 1 for 150 cost 100 gain 50'])
  })

  it('hifo and lofo prefer the earlier time among equal unit costs', () => {
    const book = [
      buy('b1', '2024-01-01', '3', '300'),
      buy('b2', '2024-01-02', '1', '100'),
      sell('s1', '2024-01-03', '1', '150'),
    ]
    for (const method of ['hifo', 'lofo'] as const)
      expect(disposals(run(method, book))).toEqual(['s1 <- b1: 1 for 150 cost 100 gain 50'])
  })

  it('unit costs are compared as fractions, more precisely than a double or 18 decimals can', () => {
    // The second costs 2/9 * 10^-33 more for each unit; as doubles both are 1/3.
    const book = [
      buy('third', '2024-01-01', '3', '1'),
      buy('more', '2024-01-02', '3000000000000000.000000000000000001', '1000000000000000.000000000000000001'),
      sell('s1', '2024-01-03', '1', '1'),
    ]
    expect(run('hifo', book).disposals[0]?.lotId).toBe('more')
    expect(run('lofo', book).disposals[0]?.lotId).toBe('third')
  })

  it('a double that errs in the other direction does not decide', () => {
    // As doubles the first quotient is one step above the second; as fractions it is below.
    const cheaper = lot(13_192_192_194_985_507_189_001n, 13_126_209_968_215_582_326_445n)
    const dearer = lot(12_104_162_794_801_428_696_770n, 12_043_622_468_934_265_057_480n)
    expect(cheaper.nearUnitCost).toBeGreaterThan(dearer.nearUnitCost)
    expect(compareUnitCost(cheaper, dearer)).toBe(-1)
    expect(compareUnitCost(dearer, cheaper)).toBe(1)
  })

  it('the fee is part of the unit cost', () => {
    // 100 + 5 is dearer than 104 without a fee.
    const book = [
      buy('with-fee', '2024-01-01', '1', '105'),
      buy('no-fee', '2024-01-02', '1', '104'),
      sell('s1', '2024-01-03', '1', '150'),
    ]
    expect(run('hifo', book).disposals[0]?.lotId).toBe('with-fee')
  })
})

describe('scope', () => {
  const book = [
    buy('b1', '2024-01-01', '1', '100', { account: 'cold' }),
    buy('b2', '2024-01-02', '1', '200', { account: 'main' }),
    buy('b3', '2024-01-03', '1', '7', { account: 'main', coin: 'ETH' }),
    sell('s1', '2024-01-04', '1', '300', { account: 'main' }),
  ]

  it('account: a sale takes only what its own account holds', () => {
    expect(disposals(run('fifo', book))).toEqual(['s1 <- b2: 1 for 300 cost 200 gain 100'])
    expect(lots(run('fifo', book))).toEqual(['cold b1: 1 cost 100', 'main b3: 1 cost 7'])
  })

  it('universal: a sale takes from all accounts, and a lot stays where it was acquired', () => {
    const result = run('fifo', book, 'universal')
    expect(disposals(result)).toEqual(['s1 <- b1: 1 for 300 cost 100 gain 200'])
    expect(lots(result)).toEqual(['main b2: 1 cost 200', 'main b3: 1 cost 7'])
  })

  it('universal: a pool belongs to no account', () => {
    expect(lots(run('average', book, 'universal'))).toEqual(['- -: 1 cost 150', '- -: 1 cost 7'])
  })
})

describe('specific identification', () => {
  const book = [
    buy('b1', '2024-01-01', '2', '200'),
    buy('b2', '2024-01-02', '2', '600'),
    buy('b3', '2024-01-03', '2', '400'),
    sell('s1', '2024-01-04', '3', '900'),
    sell('s2', '2024-01-05', '3', '900'),
  ]
  const select = (selections: Record<string, [string, bigint][]>) =>
    computeLots(book, {
      method: 'specific',
      scope: 'account',
      selections: new Map(
        Object.entries(selections).map(([id, chosen]) => [
          id,
          chosen.map(([lotId, whole]) => ({ lotId, quantity: whole * 10n ** 18n })),
        ]),
      ),
    })

  it('a sale takes the lots that were named for it, and first in, first out for the rest', () => {
    expect(
      disposals(
        select({
          s1: [
            ['b3', 1n],
            ['b2', 1n],
          ],
        }),
      ),
    ).toEqual([
      's1 <- b3: 1 for 300 cost 200 gain 100',
      's1 <- b2: 1 for 300 cost 300 gain 0',
      's1 <- b1: 1 for 300 cost 100 gain 200',
      's2 <- b1: 1 for 300 cost 100 gain 200',
      's2 <- b2: 1 for 300 cost 300 gain 0',
      's2 <- b3: 1 for 300 cost 200 gain 100',
    ])
  })

  it('a named lot that is not held is reported, and nothing is taken twice', () => {
    const result = select({ s1: [['b2', 3n]], s2: [['b2', 1n]] })
    expect(problems(result)).toEqual([
      's1: selected lot not held, 1 of b2',
      's2: selected lot not held, 1 of b2',
    ])
    expect(disposals(result)).toEqual([
      's1 <- b2: 2 for 600 cost 600 gain 0',
      's1 <- b1: 1 for 300 cost 100 gain 200',
      's2 <- b1: 1 for 300 cost 100 gain 200',
      's2 <- b3: 2 for 600 cost 400 gain 200',
    ])
    expect(lots(result)).toEqual([])
  })

  const named = (events: readonly LotEvent[], selections: Record<string, Selection[]>) =>
    computeLots(events, {
      method: 'specific',
      scope: 'account',
      selections: new Map(Object.entries(selections)),
    })
  const of = (lotId: string, quantity: string, coin?: string): Selection => ({
    ...{ lotId, quantity: units(quantity) },
    ...(coin === undefined ? {} : { coin }),
  })
  const main = { account: 'main' }
  const cold = { account: 'cold' }

  it('a transfer takes its lots first for what arrives, then for its fee, and none twice', () => {
    const result = named(
      [
        ...['10', '20', '30'].map((cost, at) => buy(`b${at + 1}`, `2024-01-0${at + 1}`, '1', cost, main)),
        out('t:out', '2024-02-01', '1', main, '1'),
        into('t:in', '2024-02-01T13:00:00Z', '0.9', cold),
      ],
      { 't:out': [of('b2', '0.9'), of('b3', '0.1')] },
    )
    expect(problems(result)).toEqual([])
    expect(disposals(result)).toEqual(['fee of t:out <- b3: 0.1 for 1 cost 3 gain -2'])
    expect(lots(result)).toEqual([
      'main b1: 1 cost 10',
      'main b2: 0.1 cost 2',
      'main b3: 0.9 cost 27',
      'cold b2: 0.9 cost 18',
    ])
  })

  it('of a row that disposes of two coins, each takes the lots that were named for it', () => {
    const eth = { coin: 'ETH' }
    const result = named(
      [
        buy('b1', '2024-01-01', '1', '10'),
        buy('b2', '2024-01-02', '1', '20'),
        sell('s', '2024-02-01', '1', '50'),
        buy('e1', '2024-01-01', '1', '1', eth),
        buy('e2', '2024-01-02', '1', '2', eth),
        sell('s', '2024-02-01', '1', '5', eth),
      ],
      { s: [of('b2', '1', 'BTC'), of('e2', '1', 'ETH')] },
    )
    expect(problems(result)).toEqual([])
    expect(disposals(result)).toEqual(['s <- b2: 1 for 50 cost 20 gain 30', 's <- e2: 1 for 5 cost 2 gain 3'])
  })

  it('a lot that has moved to another account is not held where it was', () => {
    const result = named(
      [
        buy('b1', '2024-01-01', '1', '10', main),
        out('t:out', '2024-02-01', '1', main),
        into('t:in', '2024-02-01T13:00:00Z', '1', cold),
        buy('b2', '2024-03-01', '1', '20', main),
        sell('s', '2024-04-01', '1', '50', main),
      ],
      { s: [of('b1', '1')] },
    )
    expect(problems(result)).toEqual(['s: selected lot not held, 1 of b1'])
    expect(disposals(result)).toEqual(['s <- b2: 1 for 50 cost 20 gain 30'])
    expect(lots(result)).toEqual(['cold b1: 1 cost 10'])
  })

  it('a lot that has left and come back in parts is held with all of them', () => {
    const away = (id: string, month: number) => [
      out(`${id}:out`, `2024-0${month}-01`, '1', main),
      into(`${id}:in`, `2024-0${month}-02`, '1', cold),
    ]
    const back = (id: string, month: number) => [
      out(`${id}:out`, `2024-0${month}-01`, '1', cold),
      into(`${id}:in`, `2024-0${month}-02`, '1', main),
    ]
    const result = named(
      [
        buy('b0', '2023-01-01', '3', '3', main),
        buy('b1', '2024-01-01', '3', '30', main),
        ...[...away('t1', 2), ...away('t2', 3), ...back('t3', 4), ...back('t4', 5)],
        sell('s1', '2024-06-01', '1', '50', main),
        sell('s2', '2024-07-01', '2', '100', main),
      ],
      { 't1:out': [of('b1', '1')], 't2:out': [of('b1', '1')], s1: [of('b1', '1')], s2: [of('b1', '2')] },
    )
    expect(problems(result)).toEqual([])
    expect(lots(result)).toEqual(['main b0: 3 cost 3'])
  })

  it('coins of unknown date are taken last', () => {
    const arrived = into('t:in', '2023-01-01', '1', main)
    const result = named(
      [arrived, buy('b1', '2024-01-01', '1', '10', main), sell('s', '2024-06-01', '1', '50', main)],
      {},
    )
    expect(disposals(result)).toEqual(['s <- b1: 1 for 50 cost 10 gain 40'])
  })

  it('a lot named for a fee that by law is paid from particular coins is reported, and one of these coins is not', () => {
    const forFee = (lotId: string) =>
      computeLots(
        [
          buy('b1', '2024-01-01', '2', '200'),
          buy('b2', '2024-01-02', '2', '600'),
          { ...sell('f1', '2024-01-02', '1', '300'), keptFrom: 'b2' },
        ],
        {
          method: 'specific',
          scope: 'account',
          selections: new Map([['f1', [{ lotId, quantity: 10n ** 18n }]]]),
        },
      )
    expect(disposals(forFee('b1'))).toEqual(['f1 <- b2: 1 for 300 cost 300 gain 0'])
    expect(problems(forFee('b1'))).toEqual(['f1: selected lot not needed, 1 of b1'])
    expect(problems(forFee('b2'))).toEqual([])
  })
})

it.each(['fifo', 'hifo', 'specific'] as const)(
  '%s: a fee that takes all of the coins that it is kept back from leaves no lot of them',
  (method) => {
    const bought = buy('b1', '2024-01-01', '1', '100')
    const fee = { ...sell('f', '2024-01-01', '1', '90'), keptFrom: 'b1' }
    const result = computeLots([bought, fee], { method, scope: 'account' })
    expect(disposals(result)).toEqual(['f <- b1: 1 for 90 cost 100 gain -10'])
    expect(lots(result)).toEqual([])
  },
)

it('a fee whose own coins are gone takes lots like any other', () => {
  const result = run('fifo', [
    buy('b1', '2024-01-01', '1', '100'),
    buy('b2', '2024-01-02', '1', '300'),
    { ...sell('f', '2024-01-03', '0.1', '20'), keptFrom: 'b0' },
  ])
  expect(disposals(result)).toEqual(['f <- b1: 0.1 for 20 cost 10 gain 10'])
})

describe('the engine', () => {
  const none = () => {}
  const ignored = { piece: none, lot: none, moved: none, problem: none, shortSale: none, borrowed: none }

  it('refuses events out of order, and states which', () => {
    const engine = new LotEngine({ method: 'fifo', scope: 'account' }, ignored)
    engine.apply(buy('b2', '2024-01-02', '1', '1'))
    expect(() => engine.apply(buy('b1', '2024-01-01', '1', '1'))).toThrow(
      expect.objectContaining({
        message: 'The lots engine was given events out of order.',
        details: {
          where: 'account main, coin BTC, event b1',
          expected: 'a time not before 1704196800000000 (event b2)',
          found: '1704110400000000 (Unix microseconds)',
          action: 'Sort the events by coin, time and place first.',
        },
      }),
    )
  })

  it('refuses a coin that appears again after another, and states which', () => {
    const engine = new LotEngine({ method: 'fifo', scope: 'account' }, ignored)
    engine.apply(buy('b1', '2024-01-01', '1', '1'))
    engine.apply(buy('e1', '2024-01-01', '1', '1', { coin: 'ETH' }))
    expect(() => engine.apply(buy('b2', '2024-01-02', '1', '1'))).toThrow(
      expect.objectContaining({
        message: 'The lots engine was given a coin whose book is already closed.',
        details: {
          where: 'account main, coin BTC, event b2',
          expected: 'all events of a coin one after another',
          found: 'events of ETH between them',
          action: 'Sort the events by coin, time and place first.',
        },
      }),
    )
  })
})
