// Borrowed coins: books with figures worked out by hand, and what holds for every book.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Method, methods } from '../../pipeline/lots/engine.ts'
import type { LotEvent } from '../../pipeline/lots/event.ts'
import { borrow, buy, disposals, into, lots, out, repay, sell, shortSales, units } from './books.ts'
import { computeLots, type LotResult } from './compute.ts'

const run = (events: readonly LotEvent[], method: Method = 'fifo') =>
  computeLots(events, { method, scope: 'account' })

const onHand = ({ borrowed }: LotResult): bigint => borrowed.reduce((sum, { quantity }) => sum + quantity, 0n)

describe('the principal of a loan', () => {
  it('makes no gain and no lot when the borrowed coins are repaid, whatever the method and the price', () => {
    for (const method of methods) {
      const result = run(
        [
          buy('b1', '2024-01-01', '1', '100'),
          borrow('l1', '2024-02-01', '2'),
          repay('r1', '2024-03-01', '1.5'),
          repay('r2', '2024-03-02', '0.5'),
        ],
        method,
      )
      expect(disposals(result), method).toEqual([])
      expect(result.lots.map(({ quantityLeft, costBasisLeft }) => [quantityLeft, costBasisLeft])).toEqual([
        [units('1'), units('100')],
      ])
      expect(result.borrowed).toEqual([])
    }
  })

  it('is on hand, but not a lot, until it is sold or repaid', () => {
    const result = run([borrow('l1', '2024-02-01', '2'), repay('r1', '2024-03-01', '0.5')])
    expect(lots(result)).toEqual([])
    expect(onHand(result)).toBe(units('1.5'))
  })

  it('is of its coin alone: each of several coins has loans of its own', () => {
    const ofEth = { coin: 'ETH' }
    const result = run([
      borrow('l1', '2024-02-01', '2'),
      sell('s1', '2024-02-02', '0.5', '150'),
      borrow('l2', '2024-02-01', '3', ofEth),
      sell('s2', '2024-02-02', '1', '20', ofEth),
      repay('r2', '2024-02-03', '0.5', ofEth),
    ])
    expect(result.borrowed.map(({ coin, quantity }) => [coin, quantity])).toEqual([
      ['BTC', units('1.5')],
      ['ETH', units('1.5')],
    ])
    expect(shortSales(result)).toEqual(['s1 open: 0.5 for 150', 's2 open: 1 for 20'])
    expect(disposals(result)).toEqual([])
  })
})

describe('a sale of borrowed coins', () => {
  it('closes when the coin is bought again: its gain is its proceeds less that cost, and own lots stay', () => {
    const result = run([
      buy('b1', '2024-01-01', '1', '100'),
      borrow('l1', '2024-02-01', '1'),
      sell('s1', '2024-02-02', '1', '300'),
      buy('b2', '2024-02-09', '1', '250'),
      repay('r1', '2024-02-10', '1'),
    ])
    expect(shortSales(result)).toEqual(['s1 by b2: 1 for 300 cost 250'])
    expect(disposals(result)).toEqual([])
    expect(lots(result)).toEqual(['main b1: 1 cost 100'])
    expect(onHand(result)).toBe(0n)
  })

  it('takes borrowed coins first, then own lots; a purchase closes the oldest sale first, and the rest becomes a lot', () => {
    const result = run([
      buy('b1', '2024-01-01', '1', '100'),
      borrow('l1', '2024-02-01', '1'),
      sell('s1', '2024-02-02', '0.5', '150'),
      { ...sell('s2', '2024-02-03', '1', '310'), fees: units('4') },
      buy('b2', '2024-02-09', '2', '480'),
      repay('r1', '2024-02-10', '1'),
    ])
    // s1: half a borrowed one for 150, bought again at 240 a coin. s2: half for 155 likewise, half an own one that cost 50.
    expect(shortSales(result)).toEqual(['s1 by b2: 0.5 for 150 cost 120', 's2 by b2: 0.5 for 155 cost 120'])
    expect(disposals(result)).toEqual(['s2 <- b1: 0.5 for 155 cost 50 gain 105'])
    expect([...result.shortSales, ...result.disposals].map(({ fees }) => fees)).toEqual([
      0n,
      units('2'),
      units('2'),
    ])
    expect(lots(result)).toEqual(['main b1: 0.5 cost 50', 'main b2: 1 cost 240'])
  })

  it('leaves the unit cost of the purchase that closes it unchanged: of equal ones the earlier lot goes first', () => {
    const result = run(
      [
        buy('b1', '2024-01-01', '3', '100'),
        borrow('l1', '2024-02-01', '1'),
        sell('s1', '2024-02-02', '1', '40'),
        buy('b2', '2024-02-09', '3', '100'),
        repay('r1', '2024-02-10', '1'),
        sell('s2', '2024-03-01', '1', '40'),
      ],
      'hifo',
    )
    // 100 less a third, rounded, is no longer two thirds of 100 to the last digit; the purchase cost 100 for 3 all the same.
    expect(shortSales(result)).toEqual(['s1 by b2: 1 for 40 cost 33.333333333333333333'])
    expect(lots(result)).toEqual([
      'main b1: 2 cost 66.666666666666666667',
      'main b2: 2 cost 66.666666666666666667',
    ])
  })

  it('is open, without a gain, while nothing has closed it', () => {
    const result = run([borrow('l1', '2024-02-01', '1'), sell('s1', '2024-02-02', '0.4', '120')])
    expect(shortSales(result)).toEqual(['s1 open: 0.4 for 120'])
    expect(disposals(result)).toEqual([])
    expect(onHand(result)).toBe(units('0.6'))
  })

  it('closes with own lots if those are repaid, for what it had brought after its fees', () => {
    const result = run([
      buy('b1', '2024-01-01', '1', '100'),
      borrow('l1', '2024-02-01', '1'),
      { ...sell('s1', '2024-02-02', '1', '300'), fees: units('2') },
      repay('r1', '2024-02-10', '1'),
    ])
    expect(shortSales(result)).toEqual(['s1 by r1: 1 for 300 cost ?'])
    expect(disposals(result)).toEqual(['r1 <- b1: 1 for 300 cost 100 gain 200'])
    expect(result.disposals.map(({ fees }) => fees)).toEqual([units('2')])
    expect(lots(result)).toEqual([])
  })

  it('at an unknown price, or closed by a purchase at one, has no gain', () => {
    const result = run([
      borrow('l1', '2024-02-01', '2'),
      { ...sell('s1', '2024-02-02', '1', null), fees: units('1') },
      sell('s2', '2024-02-03', '1', '300'),
      buy('b1', '2024-02-09', '1', '250'),
      buy('b2', '2024-02-10', '1', null),
    ])
    expect(shortSales(result)).toEqual(['s1 by b1: 1 for ? cost 250', 's2 by b2: 1 for 300 cost ?'])
    expect(result.shortSales.map(({ fees }) => fees)).toEqual([null, 0n])
  })

  it('leaves what is on hand as it is if coins are sent on: they are missing from the lots', () => {
    const result = run([borrow('l1', '2024-02-01', '1'), out('t', '2024-02-02', '0.4', {})])
    expect(onHand(result)).toBe(units('1'))
    expect(result.moved.map(({ basis, quantity }) => [basis, quantity])).toEqual([['missing', units('0.4')]])
  })

  it('concerns only the account that borrowed', () => {
    const result = run([
      buy('b1', '2024-01-01', '1', '100', { account: 'cold' }),
      borrow('l1', '2024-02-01', '1'),
      sell('s1', '2024-02-02', '1', '300', { account: 'cold' }),
    ])
    expect(disposals(result)).toEqual(['s1 <- b1: 1 for 300 cost 100 gain 200'])
    expect(onHand(result)).toBe(units('1'))
  })
})

describe('a fee that is paid with the very coins of its purchase', () => {
  const fee = () => ({ ...sell('f', '2024-02-09', '0.1', '12'), keptFrom: 'b' })

  it('is paid with them, not with borrowed coins', () => {
    const result = run([borrow('l1', '2024-02-01', '2'), buy('b', '2024-02-09', '1', '100'), fee()])
    expect(disposals(result)).toEqual(['f <- b: 0.1 for 12 cost 10 gain 2'])
    expect(shortSales(result)).toEqual([])
    expect(onHand(result)).toBe(units('2'))
  })

  it('takes borrowed coins for what a short sale has left too little of', () => {
    const result = run([
      borrow('l1', '2024-02-01', '1'),
      sell('s1', '2024-02-02', '1', '300'),
      buy('b', '2024-02-09', '1.05', '105'),
      fee(),
    ])
    expect(shortSales(result)).toEqual(['s1 by b: 1 for 300 cost 100', 'f open: 0.05 for 6'])
    expect(disposals(result)).toEqual(['f <- b: 0.05 for 6 cost 5 gain 1'])
    expect(onHand(result)).toBe(units('0.95'))
  })
})

describe('under section 105(2), a sale while coins are borrowed', () => {
  const uk = (events: readonly LotEvent[]) => computeLots(events, { method: 'uk', scope: 'universal' })
  const own = buy('own', '2023-01-01', '2', '200')
  const loan = borrow('l', '2024-03-01', '1')
  const sale = sell('s', '2024-03-02', '1', '300')

  it('is from the pool, and purchases after thirty days go there', () => {
    const result = uk([own, loan, sale, buy('c', '2024-06-01', '1', '250'), repay('r', '2024-06-02', '1')])
    expect(disposals(result)).toEqual(['s <- -: 1 for 300 cost 100 gain 200'])
    expect(shortSales(result)).toEqual([])
    expect(lots(result)).toEqual(['- -: 2 cost 350'])
  })

  it('leaves a later purchase to the sale of its day', () => {
    const other = sell('o', '2024-06-01T10:00:00Z', '1', '260')
    const bought = buy('c', '2024-06-01T12:00:00Z', '1', '250')
    const result = uk([own, loan, sale, other, bought, repay('r', '2024-06-02', '1')])
    expect(disposals(result)).toEqual([
      's <- -: 1 for 300 cost 100 gain 200',
      'o <- c: 1 for 260 cost 250 gain 10',
    ])
  })

  it('is a disposal of its own day even if the owner’s coins go back to the lender', () => {
    const result = uk([own, loan, sale, repay('r', '2024-06-02', '1')])
    expect(disposals(result)).toEqual(['s <- -: 1 for 300 cost 100 gain 200'])
    expect(lots(result)).toEqual(['- -: 1 cost 100'])
  })

  it('counts what is in other accounts of the person, less the cost of a transfer', () => {
    const there = { account: 'cold' }
    const moved = [
      out('t:out', '2023-02-01', '2', {}, '1'),
      into('t:in', '2023-02-01T01:00:00Z', '1.5', there),
    ]
    const result = uk([own, ...moved, loan, sell('s', '2024-03-02', '1', '300')])
    expect(shortSales(result)).toEqual([])
    const more = uk([
      own,
      ...moved,
      loan,
      borrow('m', '2024-03-01', '1'),
      sell('s', '2024-03-02', '2', '600'),
    ])
    expect(shortSales(more)).toEqual(['s open: 0.5 for 150'])
  })

  it('counts what came from an unknown place, and no longer what left for one', () => {
    const came = uk([into('t:in', '2023-01-01', '1', {}), loan, sale])
    expect(shortSales(came)).toEqual([])
    expect(disposals(came)).toEqual(['s <- t:in: 1 for 300 cost ? gain ?'])
    const left = uk([own, out('t:out', '2023-02-01', '1.5', {}), loan, sale])
    expect(shortSales(left)).toEqual(['s open: 0.5 for 150'])
    expect(disposals(left)).toEqual(['s <- -: 0.5 for 150 cost 50 gain 100'])
  })

  it('is short only beyond these, and closed by the earliest purchases', () => {
    const result = uk([
      buy('own', '2023-01-01', '1', '100'),
      borrow('l', '2024-03-01', '3'),
      sell('s', '2024-03-02', '3', '900'),
      buy('c', '2024-06-01', '1', '250'),
      buy('d', '2024-07-01', '2', '560'),
      repay('r', '2024-07-02', '3'),
    ])
    expect(disposals(result)).toEqual(['s <- -: 1 for 300 cost 100 gain 200'])
    expect(shortSales(result)).toEqual(['s by c: 1 for 300 cost 250', 's by d: 1 for 300 cost 280'])
    expect(lots(result)).toEqual(['- -: 1 cost 280'])
  })
})

describe('wallets of one account', () => {
  const cross = { transferId: 'UNIFIED' }
  const isolated = { transferId: 'MARGIN-isolated' }

  it('owe separately: what one repays on a loan from before the books is not another’s loan', () => {
    const result = run([
      buy('b1', '2024-01-01', '1', '100'),
      borrow('l1', '2024-02-01', '1', cross),
      repay('r0', '2024-02-02', '1', isolated),
      sell('s1', '2024-02-03', '1', '300'),
      buy('b2', '2024-02-09', '1', '250'),
      repay('r1', '2024-02-10', '1', cross),
    ])
    expect(disposals(result)).toEqual(['r0 <- b1: 1 for ? cost 100 gain ?'])
    expect(shortSales(result)).toEqual(['s1 by b2: 1 for 300 cost 250'])
    expect(lots(result)).toEqual([])
    expect(onHand(result)).toBe(0n)
  })

  it('repay what they owe, and beyond it what was owed before', () => {
    const result = run([
      buy('b1', '2024-01-01', '3', '300'),
      borrow('l1', '2024-02-01', '1', cross),
      borrow('l2', '2024-02-01', '0.5', isolated),
      repay('r1', '2024-02-02', '2', isolated),
    ])
    // 0.5 are of the loan; 1.5 were owed before, and 1 of the other loan is on hand still.
    expect(disposals(result)).toEqual(['r1 <- b1: 1.5 for ? cost 150 gain ?'])
    expect(lots(result)).toEqual(['main b1: 1.5 cost 150'])
    expect(onHand(result)).toBe(units('1'))
  })

  it('owe nothing more of what they have repaid', () => {
    const result = run([
      buy('b1', '2024-01-01', '3', '300'),
      borrow('l1', '2024-02-01', '1', cross),
      borrow('l2', '2024-02-01', '0.25', isolated),
      borrow('l3', '2024-02-01', '0.25', isolated),
      repay('r1', '2024-02-02', '0.5', isolated),
      repay('r2', '2024-02-03', '0.25', isolated),
    ])
    expect(disposals(result)).toEqual(['r2 <- b1: 0.25 for ? cost 25 gain ?'])
    expect(onHand(result)).toBe(units('1'))
  })
})

it('what is repaid beyond every known loan has no known gain: it was borrowed before the books', () => {
  const result = run([buy('b1', '2024-01-01', '2', '200'), repay('r1', '2024-02-10', '1')])
  expect(disposals(result)).toEqual(['r1 <- b1: 1 for ? cost 100 gain ?'])
  expect(lots(result)).toEqual(['main b1: 1 cost 100'])
})

const step = fc.record({
  kind: fc.constantFrom('acquire', 'acquire', 'dispose', 'dispose', 'borrow', 'repay') as fc.Arbitrary<
    LotEvent['kind']
  >,
  quantity: fc.bigInt({ min: 1n, max: 10n ** 20n }),
  value: fc.option(fc.bigInt({ min: 0n, max: 10n ** 22n }), { nil: null, freq: 8 }),
  account: fc.constantFrom('main', 'cold'),
})

it('no coin and no money is lost: what came in is left, on hand, sold or repaid, to the last unit', () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 60 }),
      fc.constantFrom(...methods),
      fc.constantFrom('account', 'universal'),
      (steps, method, scope) => {
        const events = steps.map((one, at): LotEvent => {
          const isLoan = one.kind === 'borrow' || one.kind === 'repay'
          const place = BigInt(at)
          return {
            ...one,
            coin: 'BTC',
            id: `e${at}`,
            place,
            happenedAtUs: place * 3_600_000_000n,
            value: isLoan ? null : one.value,
          }
        })
        const result = computeLots(events, { method, scope: scope as 'account' | 'universal' })
        const sum = (of: readonly bigint[]): bigint => of.reduce((total, one) => total + one, 0n)
        const quantities = (kind: LotEvent['kind']): bigint =>
          sum(events.filter((event) => event.kind === kind).map(({ quantity }) => quantity))
        const missing = sum(
          result.disposals.filter(({ basis }) => basis === 'missing').map(({ quantity }) => quantity),
        )
        const left = sum(result.lots.map(({ quantityLeft }) => quantityLeft))
        expect(left + onHand(result) - missing).toBe(
          quantities('acquire') + quantities('borrow') - quantities('dispose') - quantities('repay'),
        )
        // Every sale is told whole, between the two tables; what repayments close stands in both.
        const sold = sum(
          events
            .filter(({ kind, value }) => kind === 'dispose' && value !== null)
            .map(({ value }) => value as bigint),
        )
        const isSale = new Set(events.filter(({ kind }) => kind === 'dispose').map(({ id }) => id))
        const direct = result.disposals.filter(({ disposalId }) => isSale.has(disposalId))
        const told =
          sum(direct.map(({ proceeds }) => proceeds ?? 0n)) +
          sum(result.shortSales.map(({ proceeds }) => proceeds ?? 0n))
        // uk and ca merge the sales of a day, some of them without a price.
        if (method !== 'uk' && method !== 'ca') expect(told).toBe(sold)
      },
    ),
    { numRuns: 150 },
  )
})
