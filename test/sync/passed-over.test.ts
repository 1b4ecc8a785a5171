// How many windows of a feed may be skipped, by what has arrived of it.
import { describe, expect, it } from 'vitest'
import { findEndpoint } from '../../connectors/catalogue.ts'
import type { Endpoint } from '../../connectors/endpoint.ts'
import { beginWalk } from '../../connectors/walk.ts'
import type { WalkState } from '../../connectors/walk-state.ts'
import { inTurn, Queue, Skips } from '../../pipeline/sync/passed-over.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const endpoint = findEndpoint('tax.records') as Endpoint

/** A window by its hours. */
const hours = (start: number, end: number): WalkState =>
  beginWalk(endpoint, { start: start * HOUR, end: end * HOUR })

/** What the queue still requests, by its hours. */
function requested(queue: Queue): number[][] {
  const all: number[][] = []
  for (let next = queue.next(); next !== undefined; next = queue.next())
    if ('window' in next) all.push([next.window.start / HOUR, next.window.end / HOUR])
  return all
}

const arrived = (): Skips => {
  const skips = new Skips()
  skips.had(false)
  return skips
}

const times = (count: number, work: () => void): void => {
  for (let nth = 0; nth < count; nth += 1) work()
}

describe('as long as no page of a feed has arrived', () => {
  it('eight windows may be skipped, and from the third on it is time for halves', () => {
    const skips = new Skips()
    times(2, () => skips.skipped())
    expect([skips.isInDoubt, skips.another(0)]).toEqual([false, true])
    skips.skipped()
    expect([skips.isInDoubt, skips.another(0)]).toEqual([true, true])
    times(4, () => skips.skipped())
    expect(skips.another(0)).toBe(true)
    skips.skipped()
    expect(skips.another(0)).toBe(false)
  })

  it('other partitions are requested only after one or two missing answers', () => {
    const skips = new Skips()
    expect(skips.goesOn).toBe(false)
    skips.unanswered()
    expect(skips.goesOn).toBe(true)
    skips.unanswered()
    expect(skips.goesOn).toBe(true)
    skips.unanswered()
    expect(skips.goesOn).toBe(false)
  })
})

describe('once a page has arrived', () => {
  it('sixty windows of a partition may be skipped, whatever was before', () => {
    const skips = new Skips()
    times(9, () => skips.skipped())
    skips.had(false)
    expect([skips.hasHad, skips.isInDoubt]).toEqual([true, false])
    expect([skips.another(0), skips.another(59), skips.another(60)]).toEqual([true, true, false])
  })

  it('nine missing answers in a row end a partition, and eighteen the feed; a page begins anew', () => {
    const skips = new Skips()
    skips.had(false)
    times(8, () => skips.unanswered())
    expect([skips.another(0), skips.goesOn]).toEqual([true, true])
    skips.unanswered()
    expect([skips.another(0), skips.goesOn]).toEqual([false, true])
    times(8, () => skips.unanswered())
    expect(skips.goesOn).toBe(true)
    skips.unanswered()
    expect(skips.goesOn).toBe(false)
    skips.had(false)
    expect([skips.another(0), skips.goesOn]).toEqual([true, true])
  })

  it('only first pages arrive if three cursors led nowhere, until one leads on', () => {
    const skips = new Skips()
    times(2, () => skips.hadNoneByCursor())
    expect(skips.onlyFirstPages).toBe(false)
    skips.hadNoneByCursor()
    skips.had(false)
    expect(skips.onlyFirstPages).toBe(true)
    skips.had(true)
    expect(skips.onlyFirstPages).toBe(false)
  })
})

describe('what a queue requests again', () => {
  const [older, newer] = [hours(0, 8), hours(8, 16)]
  /** Both windows were skipped, at a moment when each night begins with the oldest. */
  const bothSkipped = (skips: Skips, mayBeDivided = true): Queue => {
    const queue = new Queue(endpoint, skips, [newer, older], [], 0)
    for (const walk of [newer, older]) {
      expect(queue.next()).toBe(walk)
      queue.passOver(walk, { walk, hides: false }, mayBeDivided, null)
    }
    return queue
  }

  it('is one window after the other in halves, once pages have arrived', () => {
    const queue = bothSkipped(arrived())
    expect(requested(queue)).toEqual([
      [4, 8],
      [0, 4],
      [12, 16],
      [8, 12],
    ])
    expect(queue.hasLeft).toBe(false)
  })

  it('is all of them together and once only, as long as no page has arrived', () => {
    const queue = bothSkipped(new Skips())
    const part = queue.next() as WalkState
    expect(part.window).toEqual({ start: 12 * HOUR, end: 16 * HOUR })
    queue.passOver(part, { walk: part, hides: false }, true, null)
    expect(requested(queue)).toEqual([
      [8, 12],
      [4, 8],
      [0, 4],
    ])
    expect(queue.hasLeft).toBe(true)
  })

  it('is nothing of a window that may not be divided, which is left', () => {
    const queue = bothSkipped(arrived(), false)
    expect(requested(queue)).toEqual([])
    expect(queue.hasLeft).toBe(true)
  })

  it('is nothing of a window too small for halves, which is left', () => {
    const hour = hours(7, 8)
    const queue = new Queue(endpoint, arrived(), [hour], [], 0)
    expect(queue.next()).toBe(hour)
    queue.passOver(hour, { walk: hour, hides: false }, true, null)
    expect(requested(queue)).toEqual([])
    expect(queue.hasLeft).toBe(true)
  })

  it('is limited like parts if an earlier run skipped it, and comes last', () => {
    const queue = new Queue(endpoint, arrived(), [newer], [older], 0)
    expect([queue.sizeOf(newer), queue.sizeOf(older)]).toEqual(['window', 'part'])
    expect(requested(queue)).toEqual([
      [8, 16],
      [0, 8],
    ])
  })
})

it('each day begins at another one of what is left, and goes round', () => {
  expect(inTurn(['a', 'b', 'c'], 0)).toEqual(['a', 'b', 'c'])
  // 0.618 of three is 1.85.
  expect(inTurn(['a', 'b', 'c'], DAY)).toEqual(['b', 'c', 'a'])
})
