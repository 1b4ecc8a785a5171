// What is planned for a partition, from what landing knows: pure, in whole days of an invented clock.
import { describe, expect, test } from 'vitest'
import { findEndpoint } from '../../connectors/catalogue.ts'
import type { Endpoint } from '../../connectors/endpoint.ts'
import { EDGE_MS, type Known, planPartition, RETENTION_GUARD_MS } from '../../pipeline/sync/plan.ts'

const DAY = 86_400_000
const NOW = 1_000 * DAY
const tax = findEndpoint('tax.records') as Endpoint
const orders = findEndpoint('trade.orderHistory') as Endpoint
const partition = { label: 'SPOT', params: {} }
const nothing: Known = { covered: [], unfinished: [], oldestUnsettled: null }

/** Oldest instant that a feed of so many days is asked for. */
const oldest = (days: number): number => NOW - days * DAY + RETENTION_GUARD_MS
const range = (start: number, end: number) => ({ start, end })

describe('the first run', () => {
  test('needs everything that the venue still has, except a minute at the far edge', () => {
    const plan = planPartition(tax, partition, nothing, { now: NOW })
    expect(plan.needs).toEqual([range(oldest(366), NOW)])
    expect(plan.requests).toBe(53)
    expect(plan.lost).toEqual([])
  })

  test('since a later day needs only from there', () => {
    const plan = planPartition(tax, partition, nothing, { now: NOW, since: NOW - 10 * DAY })
    expect(plan.needs).toEqual([range(NOW - 10 * DAY, NOW)])
    expect(plan.requests).toBe(2)
  })

  test('since a day that is beyond the venue’s retention states what is lost', () => {
    const plan = planPartition(tax, partition, nothing, { now: NOW, since: NOW - 400 * DAY })
    expect(plan.lost).toEqual([range(NOW - 400 * DAY, oldest(366))])
    expect(plan.needs).toEqual([range(oldest(366), NOW)])
  })
})

describe('a later run', () => {
  test('needs the tail, with a day that is read again for late records', () => {
    const known = { ...nothing, covered: [range(oldest(366) - DAY, NOW - DAY)] }
    expect(planPartition(tax, partition, known, { now: NOW }).needs).toEqual([range(NOW - 2 * DAY, NOW)])
  })

  test('needs a gap in the middle as well, newest first', () => {
    const known = {
      ...nothing,
      covered: [range(oldest(366), NOW - 50 * DAY), range(NOW - 40 * DAY, NOW - DAY)],
    }
    expect(planPartition(tax, partition, known, { now: NOW }).needs).toEqual([
      range(NOW - 2 * DAY, NOW),
      range(NOW - 50 * DAY, NOW - 40 * DAY),
    ])
  })

  test('with a clock a year ahead of the venue’s needs what the venue has, nothing of the future, and calls nothing lost', () => {
    const known = { ...nothing, covered: [range(oldest(90), NOW - DAY)] }
    const ahead = NOW + 365 * DAY
    const { needs, lost } = planPartition(orders, partition, known, { now: ahead, remembersTo: NOW })
    expect({ needs, lost }).toEqual({ needs: [range(NOW - 8 * DAY, NOW + 60_000)], lost: [] })
  })

  test('with a later start calls nothing lost that the venue still has, though an earlier run had begun to request it', () => {
    const known = {
      ...nothing,
      covered: [range(NOW - 100 * DAY, NOW - DAY)],
      wanted: { from: NOW - 400 * DAY, lost: [] },
    }
    const { needs, lost } = planPartition(tax, partition, known, { now: NOW, since: NOW - 30 * DAY })
    expect({ needs, lost }).toEqual({
      needs: [range(NOW - 2 * DAY, NOW)],
      lost: [range(NOW - 400 * DAY, oldest(366))],
    })
  })

  test('reads again from the oldest order that may still change', () => {
    const known = { ...nothing, covered: [range(oldest(90), NOW)], oldestUnsettled: NOW - 20 * DAY }
    expect(planPartition(orders, partition, known, { now: NOW }).needs).toEqual([range(NOW - 20 * DAY, NOW)])
  })

  test('resumes a window that was begun, and plans only the rest anew', () => {
    const begun = { window: range(NOW - 60 * DAY, NOW - 30 * DAY), cursor: '7' }
    const known = { ...nothing, covered: [range(NOW - 30 * DAY, NOW)], unfinished: [begun] }
    const plan = planPartition(orders, partition, known, { now: NOW })
    expect(plan.resume).toEqual([begun])
    expect(plan.needs).toEqual([
      range(NOW - 7 * DAY, NOW),
      range(NOW - 37 * DAY, NOW - 30 * DAY),
      range(oldest(90), NOW - 60 * DAY),
    ])
  })

  test('does not resume a window that has been divided since: what has been received of it is not requested again', () => {
    const begun = { window: range(NOW - 60 * DAY, NOW - 30 * DAY), cursor: '7' }
    const half = { window: range(NOW - 45 * DAY, NOW - 30 * DAY), cursor: '8' }
    const newer = range(NOW - 30 * DAY, NOW)
    const planned = (covered: Known['covered'], ...unfinished: Known['unfinished']) => {
      const known = { ...nothing, covered, unfinished }
      const { resume, needs } = planPartition(orders, partition, known, { now: NOW })
      return { resume, needs: needs.slice(1) }
    }
    const divided = [newer, { ...range(NOW - 60 * DAY, NOW - 45 * DAY), readAt: NOW }]
    expect(planned(divided, begun)).toEqual({
      resume: [],
      needs: [range(NOW - 45 * DAY, NOW - 30 * DAY), range(oldest(90), NOW - 60 * DAY)],
    })
    expect(planned([newer], begun, half)).toEqual({
      resume: [half],
      needs: [range(NOW - 37 * DAY, NOW - 30 * DAY), range(oldest(90), NOW - 45 * DAY)],
    })
  })

  describe('of a begun window', () => {
    const begun = { window: range(NOW - 60 * DAY, NOW - 30 * DAY), cursor: '7' }
    const covered = [range(NOW - 30 * DAY, NOW)]
    const planned = (known: Partial<Known>, reach: { since?: number; now?: number } = {}) =>
      planPartition(
        orders,
        partition,
        { ...nothing, covered, unfinished: [begun], ...known },
        { now: NOW, ...reach },
      )

    test('resumes nothing that begins before what is wanted, or ends after now', () => {
      expect(planned({}, { since: NOW - 60 * DAY }).resume).toEqual([begun])
      const later = planned({}, { since: NOW - 60 * DAY + 1 })
      expect(later.resume).toEqual([])
      expect(later.needs).toEqual([range(NOW - 7 * DAY, NOW), range(NOW - 60 * DAY + 1, NOW - 30 * DAY)])
      expect(planned({}, { now: NOW - 30 * DAY }).resume).toEqual([begun])
      expect(planned({}, { now: NOW - 30 * DAY - 1 }).resume).toEqual([])
    })

    test('resumes nothing that begins with an order that may still change', () => {
      expect(planned({ oldestUnsettled: NOW - 60 * DAY + 1 }).resume).toEqual([begun])
      expect(planned({ oldestUnsettled: NOW - 60 * DAY }).resume).toEqual([])
    })

    test('resumes nothing of which the newer part, or all, has been fetched since', () => {
      const newer = planned({ covered: [range(NOW - 45 * DAY, NOW)] })
      expect(newer.resume).toEqual([])
      expect(newer.needs).toEqual([range(NOW - 7 * DAY, NOW), range(oldest(90), NOW - 45 * DAY)])
      const all = planned({ covered: [range(NOW - 60 * DAY, NOW)] })
      expect(all.resume).toEqual([])
      expect(all.needs).toEqual([range(NOW - 7 * DAY, NOW), range(oldest(90), NOW - 60 * DAY)])
    })

    test('resumes it beside one that only overlaps it', () => {
      const beside = { window: range(NOW - 40 * DAY, NOW - 20 * DAY), cursor: '8' }
      expect(planned({ covered: [], unfinished: [begun, beside] }).resume).toEqual([begun, beside])
    })
  })

  test('reads a begun window again from its oldest order that may still change', () => {
    const begun = { window: range(NOW - 60 * DAY, NOW - 30 * DAY), cursor: '7' }
    const known = { ...nothing, covered: [range(NOW - 30 * DAY, NOW)], unfinished: [begun] }

    const inside = planPartition(
      orders,
      partition,
      { ...known, oldestUnsettled: NOW - 50 * DAY },
      { now: NOW },
    )
    const before = planPartition(
      orders,
      partition,
      { ...known, oldestUnsettled: NOW - 70 * DAY },
      { now: NOW },
    )

    expect(inside.resume).toEqual([begun])
    expect(inside.needs).toEqual([range(NOW - 50 * DAY, NOW), range(oldest(90), NOW - 60 * DAY)])
    expect(before.resume).toEqual([])
    expect(before.needs).toEqual([range(oldest(90), NOW)])
  })

  test('reads again the look-back of a run that a later one, stopped half-way, had only begun to read again', () => {
    const first = { ...range(oldest(366), NOW - 20 * DAY), readAt: NOW - 20 * DAY }
    const stopped = { ...range(NOW - 19 * DAY, NOW - 2 * DAY), readAt: NOW - 2 * DAY }
    const known = { ...nothing, covered: [first, stopped] }
    expect(planPartition(tax, partition, known, { now: NOW }).needs).toEqual([
      range(NOW - 3 * DAY, NOW),
      range(NOW - 21 * DAY, NOW - 19 * DAY),
    ])
  })

  test('states what was wanted once, never received, and has expired; and states it once', () => {
    const wanted = { from: oldest(90) - 3 * DAY, lost: [] }
    const known = { ...nothing, covered: [range(NOW - 10 * DAY, NOW)], wanted }
    const lost = [range(oldest(90) - 3 * DAY, oldest(90))]
    expect(planPartition(orders, partition, known, { now: NOW }).lost).toEqual(lost)
    const said = { ...known, wanted: { ...wanted, lost } }
    expect(planPartition(orders, partition, said, { now: NOW }).lost).toEqual([])
  })

  test('after too long a pause states what was lost in between', () => {
    const known = { ...nothing, covered: [range(NOW - 300 * DAY, NOW - 200 * DAY)] }
    expect(planPartition(orders, partition, known, { now: NOW }).lost).toEqual([
      range(NOW - 200 * DAY, oldest(90)),
    ])
  })

  test('does not need a remainder that is about to expire at the venue', () => {
    const known = { ...nothing, covered: [range(oldest(366) + EDGE_MS, NOW)] }
    expect(planPartition(tax, partition, known, { now: NOW }).needs).toEqual([range(NOW - DAY, NOW)])
  })
})
