// An inventory as beancount has it: which lots it takes by itself, by the day of their cost and, within a day, as they were added.
import { describe, expect, it } from 'vitest'
import { type LotBooking, LotsInventory } from '../../pipeline/exports/lots-inventory.ts'

/** Lots such as `2026-01-05 a 3`, each under its own label unless a fourth word states one. */
function inventory(booking: LotBooking, ...lots: string[]): LotsInventory {
  const made = new LotsInventory(booking)
  for (const lot of lots) {
    const [day = '', key = '', quantity = '', label = key] = lot.split(' ')
    made.add(day, key, label, BigInt(quantity))
  }
  return made
}

/** Shares such as `a 3`. */
const shares = (...all: string[]) =>
  all.map((share) => {
    const [lotKey = '', quantity = ''] = share.split(' ')
    return { lotKey, quantity: BigInt(quantity) }
  })

const taken = (of: LotsInventory, ...all: string[]): string[] =>
  of.take(shares(...all)).map(({ day, label, quantity }) => `${day} ${label} ${quantity}`)

// b is of an earlier day than a, though it came later; c and d are of one day, and c came first.
const LOTS = ['2026-01-05 a 3', '2026-01-02 b 4', '2026-01-09 c 1', '2026-01-09 d 2']

describe('a reduction that names no lots', () => {
  it('takes the oldest first, whenever they came', () => {
    const of = () => inventory('fifo', ...LOTS)
    expect(of().choosesItself(shares('b 4'))).toBe(true)
    expect(of().choosesItself(shares('b 2'))).toBe(true)
    expect(of().choosesItself(shares('a 2'))).toBe(false)
    expect(of().choosesItself(shares('a 2', 'b 4'))).toBe(true)
    // It would take all of b first.
    expect(of().choosesItself(shares('a 2', 'b 3'))).toBe(false)
    expect(of().choosesItself(shares('a 3', 'b 4', 'c 1', 'd 1'))).toBe(true)
    expect(of().choosesItself(shares('a 3', 'b 4', 'd 1'))).toBe(false)
    // Two pieces of one lot are one share of it.
    expect(of().choosesItself(shares('b 1', 'b 3', 'a 1'))).toBe(true)
  })

  it('takes the newest day first under lifo, and within a day what was added first', () => {
    const of = () => inventory('lifo', ...LOTS)
    expect(of().choosesItself(shares('c 1'))).toBe(true)
    expect(of().choosesItself(shares('d 1'))).toBe(false)
    expect(of().choosesItself(shares('c 1', 'd 2', 'a 1'))).toBe(true)
    expect(of().choosesItself(shares('c 1', 'd 2', 'b 1'))).toBe(false)
  })

  it('takes no more than is there, and nothing takes nothing', () => {
    expect(inventory('fifo', ...LOTS).choosesItself(shares('b 4', 'a 3', 'c 1', 'd 3'))).toBe(false)
    expect(inventory('fifo').choosesItself(shares('a 1'))).toBe(false)
    expect(inventory('fifo').choosesItself([])).toBe(true)
  })

  it('takes all parcels of a lot before a later lot, though no more of it was wanted', () => {
    const of = () => inventory('fifo', '2026-01-05 a 3 first', '2026-01-06 a 2 second', '2026-01-07 b 2')
    expect(of().choosesItself(shares('a 5', 'b 2'))).toBe(true)
    expect(of().choosesItself(shares('a 3', 'b 2'))).toBe(false)
  })

  it('passes over what was taken before', () => {
    const of = inventory('fifo', ...LOTS)
    expect(taken(of, 'b 1', 'a 3')).toEqual(['2026-01-02 b 1', '2026-01-05 a 3'])
    expect(of.choosesItself(shares('b 3', 'c 1'))).toBe(true)
    expect(of.choosesItself(shares('b 3', 'd 1'))).toBe(false)
    expect(taken(of, 'c 1')).toEqual(['2026-01-09 c 1'])
    expect(of.choosesItself(shares('b 3', 'd 2'))).toBe(true)
    // What is added to a day that was used up begins it again.
    of.add('2026-01-05', 'e', 'e', 1n)
    expect(of.choosesItself(shares('b 3', 'e 1'))).toBe(true)
  })
})

describe('what is taken', () => {
  it('comes from the parcels of the lot as they were added, each under its own label and day', () => {
    const of = inventory('fifo', '2026-01-05 a 3 first', '2026-01-05 b 1', '2026-01-06 a 2 second')
    expect(taken(of, 'a 4', 'b 1')).toEqual(['2026-01-05 first 3', '2026-01-06 second 1', '2026-01-05 b 1'])
    expect(taken(of, 'a 1')).toEqual(['2026-01-06 second 1'])
    expect(() => taken(of, 'a 1')).toThrow('A lot that is not held cannot be used.')
  })

  it('is never more than is held', () => {
    expect(() => taken(inventory('lifo', '2026-01-05 a 3'), 'a 4')).toThrow(
      expect.objectContaining({
        details: expect.objectContaining({ where: 'lot a', found: '0.000000000000000001 too much' }),
      }),
    )
  })
})
