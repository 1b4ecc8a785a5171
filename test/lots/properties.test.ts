// What must hold for every book: nothing is lost, input order does not matter, and two independent models of
// first in, first out (the engine and `fifo.sql`) cut every lot at the same places.
import { readFileSync } from 'node:fs'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Method, methods } from '../../pipeline/lots/engine.ts'
import type { LotEvent, Scope } from '../../pipeline/lots/event.ts'
import { lotsStep } from '../../pipeline/lots/step.ts'
import { computeLots, inOrder, type LotResult } from './compute.ts'
import { insertEvents, makeLotEvents } from './database.ts'

const DAY_US = 86_400_000_000n
const LARGEST = 10n ** 33n

/** From single units of 10^-18 to 10^15 whole coins, with every length of digits about as often. */
const quantity = fc
  .tuple(fc.integer({ min: 0, max: 33 }), fc.bigInt({ min: 1n, max: LARGEST }))
  .map(([digits, number]) => (number % 10n ** BigInt(digits)) + 1n)

const value = fc.option(fc.bigInt({ min: -(10n ** 20n), max: LARGEST }), { nil: null, freq: 10 })

const trade = fc.record({
  account: fc.constantFrom('main', 'cold'),
  coin: fc.constantFrom('BTC', 'ETH'),
  // Few days and few quantities, so that ties and exact ends of lots are common.
  day: fc.integer({ min: 0, max: 90 }),
  kind: fc.constantFrom('acquire', 'acquire', 'dispose', 'dispose', 'transfer'),
  quantity: fc.oneof(quantity, fc.constantFrom(10n ** 18n, 3n * 10n ** 18n)),
  arriving: fc.integer({ min: -1, max: 110 }),
  value,
  fees: fc.bigInt({ min: 0n, max: 10n ** 20n }),
})

/** A transfer becomes its two legs; some legs are missing, and some let more arrive than left. */
const book = fc.array(trade, { maxLength: 60 }).map((trades) =>
  trades.flatMap(({ account, coin, day, kind, quantity, arriving, value, fees }, at): LotEvent[] => {
    const common = { coin, happenedAtUs: BigInt(day) * DAY_US, value }
    const place = BigInt(at) * 2n
    if (kind !== 'transfer')
      return [
        {
          ...{ ...common, account, id: `e${at}`, place, kind: kind as 'acquire' | 'dispose', quantity },
          ...(kind === 'dispose' && value !== null ? { fees } : {}),
        },
      ]
    const transferId = `t${at}`
    const other = account === 'main' ? 'cold' : 'main'
    const out: LotEvent = {
      ...common,
      account,
      id: `t${at}:out`,
      place,
      kind: 'transfer_out',
      quantity,
      transferId,
    }
    const arrived = (quantity * BigInt(arriving)) / 100n
    if (arrived <= 0n) return [out]
    const into: LotEvent = {
      ...common,
      account: other,
      id: `t${at}:in`,
      place: place + 1n,
      kind: 'transfer_in',
      quantity: arrived,
      transferId,
    }
    return arriving % 10 === 9 ? [into] : [out, into]
  }),
)

const onlyTrades = book.map((events) => events.filter(({ kind }) => !kind.startsWith('transfer')))

const sum = (amounts: Iterable<bigint | null>): bigint => {
  let total = 0n
  for (const amount of amounts) total += amount ?? 0n
  return total
}

describe('for every book and every method', () => {
  const eachScope = fc.constantFrom<Scope>('account', 'universal')
  const runs = { numRuns: 100 }
  const forEveryMethod = (check: (method: Method) => void) => methods.forEach(check)

  it('acquired + arrived = left + disposed + sent, less what was missing, for each account and coin', () => {
    const check = fc.property(book, (events) =>
      forEveryMethod((method) => {
        const result = computeLots(events, { method, scope: 'account' })
        for (const account of ['main', 'cold'])
          for (const coin of ['BTC', 'ETH']) {
            const mine = events.filter((event) => event.account === account && event.coin === coin)
            const moves = mine.map(({ kind, quantity }) =>
              kind === 'acquire' || kind === 'transfer_in' ? quantity : -quantity,
            )
            expect(leftLessMissing(result, account, coin)).toBe(sum(moves))
          }
      }),
    )
    fc.assert(check, runs)
  })

  it('the pieces of a disposal sum to its quantity, its proceeds and its fees', () => {
    const check = fc.property(onlyTrades, eachScope, (events, scope) =>
      forEveryMethod((method) => {
        const { disposals } = computeLots(events, { method, scope })
        const sold = events.filter(({ kind }) => kind === 'dispose')
        expect(sum(disposals.map((piece) => piece.fees))).toBe(sum(sold.map((event) => event.fees ?? 0n)))
        expect(sum(disposals.map((piece) => piece.quantity))).toBe(sum(sold.map((event) => event.quantity)))
        expect(sum(disposals.map((piece) => piece.proceeds))).toBe(sum(sold.map((event) => event.value)))
        // A merged day stands under the id of its first sale.
        for (const event of method === 'uk' ? [] : sold) {
          const pieces = disposals.filter((piece) => piece.disposalId === event.id)
          expect(sum(pieces.map((piece) => piece.quantity))).toBe(event.quantity)
          expect(sum(pieces.map((piece) => piece.proceeds))).toBe(event.value ?? 0n)
          expect(sum(pieces.map((piece) => piece.fees))).toBe(event.fees ?? 0n)
        }
      }),
    )
    fc.assert(check, runs)
  })

  /** What was paid, less the cost of what left and of what is left. */
  const costNotFound = (events: readonly LotEvent[], { disposals, lots, moved }: LotResult): bigint => {
    const paid = sum(events.map((event) => (event.kind === 'acquire' ? event.value : null)))
    const gone = moved.filter(({ toAccount }) => toAccount === null)
    const spent =
      sum(disposals.map((piece) => piece.costBasis)) +
      sum(gone.map((piece) => piece.costBasis)) -
      sum(disposals.map((piece) => piece.deniedLoss))
    return paid - spent - sum(lots.map((lot) => lot.costBasisLeft))
  }

  it('cost is conserved: what was paid = cost of what left + cost of what is left', () => {
    const check = fc.property(book, eachScope, (events, scope) =>
      forEveryMethod((method) => {
        const result = computeLots(events, { method, scope })
        const lost = costNotFound(events, result)
        if (method !== 'ca') expect(lost).toBe(0n)
        else {
          // Of a denied loss, what belongs to coins of unknown cost joins a cost that stays unknown.
          expect(lost).toBeGreaterThanOrEqual(0n)
          expect(lost).toBeLessThanOrEqual(sum(result.disposals.map((piece) => piece.deniedLoss)))
        }
      }),
    )
    fc.assert(check, runs)
  })

  it('ca: cost is conserved where every cost is known', () => {
    const known = onlyTrades.map((events) =>
      events.map((event): LotEvent => ({ ...event, value: event.value ?? 0n })),
    )
    const check = fc.property(known, eachScope, (events, scope) => {
      expect(costNotFound(events, computeLots(events, { method: 'ca', scope }))).toBe(0n)
    })
    fc.assert(check, runs)
  })

  it('the order of the input does not matter', () => {
    const shuffled = book.chain((events) =>
      fc.tuple(fc.constant(events), fc.shuffledSubarray(events, { minLength: events.length })),
    )
    const check = fc.property(shuffled, eachScope, ([events, mixed], scope) =>
      forEveryMethod((method) =>
        expect(computeLots(mixed, { method, scope })).toEqual(computeLots(events, { method, scope })),
      ),
    )
    fc.assert(check, runs)
  })

  it('there is a gain exactly if proceeds and cost are known', () => {
    const check = fc.property(book, eachScope, (events, scope) =>
      forEveryMethod((method) => {
        for (const piece of computeLots(events, { method, scope }).disposals) {
          const { proceeds, costBasis, deniedLoss, gain, basis } = piece
          expect(costBasis === null).toBe(basis !== 'known')
          const known = proceeds !== null && costBasis !== null
          expect(gain).toBe(known ? proceeds - costBasis + (deniedLoss ?? 0n) : null)
        }
      }),
    )
    fc.assert(check, runs)
  })
})

describe('hifo and lofo', () => {
  it('take the most expensive and the cheapest of everything that was held, compared as fractions', () => {
    const sign = { hifo: 1n, lofo: -1n } as const
    fc.assert(
      fc.property(onlyTrades, fc.constantFrom<'hifo' | 'lofo'>('hifo', 'lofo'), (unordered, method) => {
        const events = inOrder(unordered)
        const last = events.findLastIndex(({ kind }) => kind === 'dispose')
        fc.pre(last >= 0)
        const { id, account, coin } = events[last]!
        const result = computeLots(events.slice(0, last + 1), { method, scope: 'account' })
        const taken = result.disposals.filter((piece) => piece.disposalId === id)
        const left = result.lots.filter((lot) => lot.account === account && lot.coin === coin)
        const lots = new Map(events.map((event) => [event.id, event]))
        for (const { lotId } of taken)
          for (const other of left) {
            const [a, b] = [lots.get(lotId ?? ''), lots.get(other.lotId ?? '')]
            if (a?.value == null || b?.value == null) continue
            expect(sign[method] * (a.value * b.quantity - b.value * a.quantity) >= 0n).toBe(true)
          }
      }),
      { numRuns: 200 },
    )
  })
})

describe('fifo, computed twice', () => {
  const model = readFileSync(new URL('../../bench/fifo.sql', import.meta.url), 'utf8')
  let instance: DuckDBInstance
  let connection: DuckDBConnection

  beforeAll(async () => {
    instance = await DuckDBInstance.create(':memory:')
    connection = await instance.connect()
  })

  afterAll(() => {
    connection.closeSync()
    instance.closeSync()
  })

  /** Every piece by both: quantity, place on the lot, and so its cost. */
  async function bothAgree(events: readonly LotEvent[], inserted: readonly LotEvent[]): Promise<number> {
    await makeLotEvents(connection)
    await insertEvents(connection, inserted)
    const reader = await connection.runAndReadAll(model)
    const inSql = reader.getRows().map(([account, coin, disposalId, lotId, quantity, lotFrom]) => {
      const cost = costOfStretch(events, lotId as string | null, lotFrom as bigint, quantity as bigint)
      return [account, coin, disposalId, lotId, quantity, cost].join(' ')
    })
    const { disposals } = computeLots(events, { method: 'fifo', scope: 'account' })
    const inEngine = disposals.map(({ account, coin, disposalId, lotId, quantity, costBasis }) =>
      [account, coin, disposalId, lotId, quantity, costBasis].join(' '),
    )
    expect(inEngine.sort()).toEqual(inSql.sort())
    return inSql.length
  }

  it('the engine and the SQL model agree on every piece, in whatever order the rows are in the table', async () => {
    const shuffled = onlyTrades.chain((events) =>
      fc.tuple(fc.constant(events), fc.shuffledSubarray(events, { minLength: events.length })),
    )
    await fc.assert(
      fc.asyncProperty(shuffled, async ([events, mixed]) => {
        await bothAgree(events, mixed)
      }),
      { numRuns: 60 },
    )
  })

  it('they agree at 10^15 coins and 18 decimals, where a double would lose the last 15 digits', async () => {
    const units = (whole: bigint, rest: bigint): bigint => whole * 10n ** 18n + rest
    const event = (id: string, kind: 'acquire' | 'dispose', quantity: bigint): LotEvent => {
      const place = BigInt(id.slice(1))
      const common = { account: 'main', coin: 'PEPE', happenedAtUs: place * DAY_US, place, id, kind }
      return { ...common, quantity, value: units(123_456n, 789n) }
    }
    const all = units(10n ** 15n, 0n)
    const events = [
      event('b1', 'acquire', all - 1n),
      event('b2', 'acquire', 1n),
      event('s3', 'dispose', 1n),
      event('s4', 'dispose', all - 2n),
      event('b5', 'acquire', units(999_999_999_999_999n, 999_999_999_999_999_999n)),
      event('s6', 'dispose', units(333_333_333_333_333n, 333_333_333_333_333_333n)),
      event('s7', 'dispose', all),
    ]
    // s6 takes b2, then b5; s7 takes the rest of b5, and is short of what remains.
    expect(await bothAgree(events, events)).toBe(6)
    const { disposals } = computeLots(events, { method: 'fifo', scope: 'account' })
    expect(disposals.map(({ disposalId, lotId, quantity }) => [disposalId, lotId, quantity])).toEqual([
      ['s3', 'b1', 1n],
      ['s4', 'b1', all - 2n],
      ['s6', 'b2', 1n],
      ['s6', 'b5', 333_333_333_333_333_333_333_333_333_333_332n],
      ['s7', 'b5', 666_666_666_666_666_666_666_666_666_666_667n],
      ['s7', null, 333_333_333_333_333_333_333_333_333_333_333n],
    ])
  })

  it('the step of the build and the SQL model agree on 20,000 random events in one database', async () => {
    const events = fc.sample(trade, { seed: 7, numRuns: 20_000 }).map(
      ({ account, coin, day, kind, quantity, value }, at): LotEvent => ({
        ...{ account, coin, value, id: `e${at}`, place: BigInt(at), happenedAtUs: BigInt(day) * DAY_US },
        kind: kind === 'acquire' ? 'acquire' : 'dispose',
        // Sums of 20,000 stay within 38 digits.
        quantity: (quantity % 10n ** 30n) + 1n,
      }),
    )
    await makeLotEvents(connection)
    await insertEvents(connection, events)
    await lotsStep({ method: 'fifo', scope: 'account' }).run(connection)
    await connection.run(`create or replace table pieces as ${model}`)
    const ours = `select account, coin, disposal_id, lot_id, cast(replace(cast(quantity as varchar), '.', '') as hugeint)
      from disposals`
    const theirs = 'select account, coin, disposal_id, lot_id, quantity from pieces'
    for (const [one, other] of [
      [ours, theirs],
      [theirs, ours],
    ])
      expect((await connection.runAndReadAll(`${one} except all ${other} limit 1`)).getRows()).toEqual([])
    const [counted] = (await connection.runAndReadAll('select count(*) from pieces')).getRows()
    expect(Number(counted?.[0])).toBeGreaterThan(15_000)
  })
})

/** From the definition: the cost of a stretch is the difference of the lot's cost up to its two ends, rounded. */
function costOfStretch(
  events: readonly LotEvent[],
  lotId: string | null,
  from: bigint,
  quantity: bigint,
): bigint | null {
  const lot = events.find((event) => event.id === lotId)
  if (lot?.value == null) return null
  const { value } = lot
  const upTo = (part: bigint): bigint => {
    const magnitude = value < 0n ? -value : value
    const half = (magnitude * part * 2n) % (lot.quantity * 2n) >= lot.quantity ? 1n : 0n
    const rounded = (magnitude * part) / lot.quantity + half
    return value < 0n ? -rounded : rounded
  }
  return upTo(from + quantity) - upTo(from)
}

function leftLessMissing({ lots, disposals, moved }: LotResult, account: string, coin: string): bigint {
  const left = lots.filter((lot) => lot.account === account && lot.coin === coin)
  const missing = disposals.filter(
    (piece) => piece.account === account && piece.coin === coin && piece.basis === 'missing',
  )
  const sent = moved.filter(
    (piece) => piece.fromAccount === account && piece.coin === coin && piece.basis === 'missing',
  )
  return (
    sum(left.map((lot) => lot.quantityLeft)) -
    sum(missing.map((piece) => piece.quantity)) -
    sum(sent.map((piece) => piece.quantity))
  )
}
