// How ranges are asked for and what each page proves, on pages written by hand and on a model venue at random.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { days, type Endpoint } from '../connectors/endpoint.ts'
import { customers } from '../connectors/endpoints/broker.ts'
import { p2pOrders } from '../connectors/endpoints/p2p.ts'
import { taxRecords } from '../connectors/endpoints/tax.ts'
import { orderHistory } from '../connectors/endpoints/trade.ts'
import { MalformedAnswer, RepeatedCursor } from '../connectors/errors.ts'
import {
  advance,
  beginWalk,
  extractPage,
  firstPage,
  type Range,
  resumeWalk,
  turnPage,
  type WalkState,
} from '../connectors/walk.ts'

const DAY = days(1)

/** Tax records with pages of three, so that a test shows whole pages. */
const tax: Endpoint = { ...taxRecords, page: { ...taxRecords.page, size: 3 } as Endpoint['page'] }

const row = (id: number | string, ts: number) => ({ id: String(id), ts: String(ts) })

const pageOf = (endpoint: Endpoint, rows: readonly unknown[]) => extractPage(endpoint, rows)

const shown = ({ window, cursor }: WalkState) => ({ window, cursor })

describe('a walk through tax records', () => {
  test('begins with the newest window of the documented span', () => {
    const state = beginWalk(tax, { start: 0, end: 20 * DAY })
    expect(shown(state)).toEqual({ window: { start: 13 * DAY, end: 20 * DAY }, cursor: null })
  })

  test('is one window where the need is shorter than the span', () => {
    const state = beginWalk(tax, { start: 5, end: 9 })
    expect(shown(state)).toEqual({ window: { start: 5, end: 9 }, cursor: null })
  })

  test('takes an empty page as proof of its window, and the next window shares its first instant', () => {
    const step = advance(tax, beginWalk(tax, { start: 0, end: 20 * DAY }), pageOf(tax, []))
    expect(step.covers).toEqual({ start: 13 * DAY, end: 20 * DAY })
    expect(shown(step.next!)).toEqual({ window: { start: 6 * DAY, end: 13 * DAY }, cursor: null })
  })

  test('ends with the empty page of the last window', () => {
    const step = advance(tax, beginWalk(tax, { start: 5, end: 9 }), pageOf(tax, []))
    expect(step).toEqual({ covers: { start: 5, end: 9 }, next: null })
  })

  test('proves a full page down to just above its oldest instant, which may go on on the next page', () => {
    const begun = beginWalk(tax, { start: 0, end: 100 })
    const first = advance(tax, begun, pageOf(tax, [row(9, 90), row(8, 80), row(7, 70)]))
    expect(first.covers).toEqual({ start: 71, end: 100 })
    expect(shown(first.next!)).toEqual({ window: { start: 0, end: 100 }, cursor: '7' })
    const second = advance(tax, first.next!, pageOf(tax, [row(6, 70), row(5, 70), row(4, 40)]))
    expect(second.covers).toEqual({ start: 41, end: 71 })
    const third = advance(tax, second.next!, pageOf(tax, []))
    expect(third).toEqual({ covers: { start: 0, end: 41 }, next: null })
  })

  test('goes on behind a short page that reached far into its window from the oldest row, inclusive', () => {
    const begun = beginWalk(tax, { start: 0, end: 20 * DAY })
    const step = advance(tax, begun, pageOf(tax, [row(2, 15 * DAY), row(1, 14 * DAY)]))
    expect(step.covers).toEqual({ start: 14 * DAY + 1, end: 20 * DAY })
    expect(shown(step.next!)).toEqual({ window: { start: 7 * DAY, end: 14 * DAY }, cursor: null })
    const older = advance(tax, step.next!, pageOf(tax, [row(1, 14 * DAY), row(0, 8 * DAY)]))
    expect(older.covers).toEqual({ start: 8 * DAY + 1, end: 14 * DAY + 1 })
  })

  test('asks for the next page behind a short page of the newest rows alone', () => {
    const begun = beginWalk(tax, { start: 0, end: 20 * DAY })
    const step = advance(tax, begun, pageOf(tax, [row(1, 19 * DAY)]))
    expect(step.covers).toEqual({ start: 19 * DAY + 1, end: 20 * DAY })
    expect(shown(step.next!)).toEqual({ window: { start: 13 * DAY, end: 20 * DAY }, cursor: '1' })
  })

  test('does not believe a short page that brings only the rows it began at', () => {
    const begun = beginWalk(tax, { start: 0, end: 20 * DAY })
    const first = advance(tax, begun, pageOf(tax, [row(1, 14 * DAY)]))
    const again = advance(tax, first.next!, pageOf(tax, [row(1, 14 * DAY)]))
    expect(again.covers).toBeNull()
    expect(shown(again.next!)).toEqual({ window: { start: 7 * DAY, end: 14 * DAY }, cursor: '1' })
    const empty = advance(tax, again.next!, pageOf(tax, []))
    expect(empty.covers).toEqual({ start: 7 * DAY, end: 14 * DAY + 1 })
  })

  test('asks for the next page where a short page reached the first instant of the need', () => {
    const step = advance(tax, beginWalk(tax, { start: 0, end: 10 }), pageOf(tax, [row(1, 0)]))
    expect(step.covers).toEqual({ start: 1, end: 10 })
    expect(shown(step.next!)).toEqual({ window: { start: 0, end: 10 }, cursor: '1' })
  })

  test('claims nothing while one instant fills whole pages', () => {
    const begun = beginWalk(tax, { start: 0, end: 50 })
    const first = advance(tax, begun, pageOf(tax, [row(9, 50), row(8, 50), row(7, 50)]))
    expect(first.covers).toBeNull()
    const second = advance(tax, first.next!, pageOf(tax, [row(6, 50), row(5, 50), row(4, 50)]))
    expect(second.covers).toBeNull()
    const third = advance(tax, second.next!, pageOf(tax, []))
    expect(third).toEqual({ covers: { start: 0, end: 50 }, next: null })
  })

  test.each([
    ['out of order on one page', [row(3, 30), row(2, 60)]],
    ['newer than the window', [row(3, 101), row(2, 60)]],
    ['older than the window', [row(3, 60), row(2, 5)]],
    ['without a readable time', [{ id: '3', ts: 'yesterday' }, { id: '2' }]],
  ])('claims a window with rows %s only when an empty page ends it', (_, rows) => {
    const begun = beginWalk(tax, { start: 10, end: 100 })
    const first = advance(tax, begun, pageOf(tax, rows))
    expect(first.covers).toBeNull()
    const second = advance(tax, first.next!, pageOf(tax, [row(0, 20)]))
    expect(second.covers).toBeNull()
    const end = advance(tax, second.next!, pageOf(tax, []))
    expect(end).toEqual({ covers: { start: 10, end: 100 }, next: null })
  })

  test('sees rows that are out of order from one page to the next', () => {
    const first = advance(
      tax,
      beginWalk(tax, { start: 0, end: 100 }),
      pageOf(tax, [row(9, 90), row(8, 80), row(7, 70)]),
    )
    const second = advance(tax, first.next!, pageOf(tax, [row(6, 75), row(5, 60), row(4, 50)]))
    expect(second.covers).toBeNull()
    expect(second.next!.disordered).toBe(true)
  })

  test('passes over single rows without a readable time or id', () => {
    const begun = beginWalk(tax, { start: 0, end: 100 })
    const step = advance(tax, begun, pageOf(tax, [row(9, 90), row(8, 80), { id: null, ts: '' }]))
    expect(step.covers).toEqual({ start: 81, end: 100 })
    expect(step.next!.cursor).toBe('8')
  })

  test('refuses a full page on which no row has an id', () => {
    const rows = [{ ts: '90' }, { ts: '80' }, { ts: '70' }]
    expect(() => advance(tax, beginWalk(tax, { start: 0, end: 100 }), pageOf(tax, rows))).toThrow(
      MalformedAnswer,
    )
  })

  test('takes a short page on which no row has an id as the usual end', () => {
    const step = advance(tax, beginWalk(tax, { start: 0, end: 100 }), pageOf(tax, [{ ts: '90' }]))
    expect(step).toEqual({ covers: { start: 0, end: 100 }, next: null })
  })

  test('refuses a cursor that comes twice', () => {
    const rows = [row(9, 90), row(8, 80), row(7, 70)]
    const first = advance(tax, beginWalk(tax, { start: 0, end: 100 }), pageOf(tax, rows))
    expect(() => advance(tax, first.next!, pageOf(tax, rows))).toThrow(RepeatedCursor)
  })

  test('goes on after a stop from where its pages had claimed', () => {
    const state = resumeWalk(tax, { start: 0, end: 71 }, { start: 0, end: 100 }, '7')
    const step = advance(tax, state, pageOf(tax, [row(6, 70), row(5, 60)]))
    expect(step.covers).toEqual({ start: 61, end: 71 })
    expect(step.next!.cursor).toBe('5')
  })

  test('claims nothing after a stop in a window of which nothing had been claimed, until its end', () => {
    const state = resumeWalk(tax, { start: 0, end: 100 }, { start: 0, end: 100 }, '7')
    const step = advance(tax, state, pageOf(tax, [row(6, 70), row(5, 60)]))
    expect(step.covers).toBeNull()
    const end = advance(tax, step.next!, pageOf(tax, []))
    expect(end).toEqual({ covers: { start: 0, end: 100 }, next: null })
  })

  test('keeps every digit of an id that came as a number beyond 2^53', () => {
    const step = advance(
      tax,
      beginWalk(tax, { start: 0, end: 100 }),
      pageOf(tax, [row(9, 9), row(8, 8), row('1375573238088888367', 7)]),
    )
    expect(step.next!.cursor).toBe('1375573238088888367')
  })
})

describe('a walk through orders', () => {
  const answer = (list: unknown, cursor?: unknown) => extractPage(orderHistory, { list, cursor })
  const order = { orderId: '5', createdTime: '50' }

  test('claims a window only when its last page has come', () => {
    const begun = beginWalk(orderHistory, { start: 0, end: 40 * DAY })
    const first = advance(orderHistory, begun, answer([order], '77'))
    expect(first.covers).toBeNull()
    expect(shown(first.next!)).toEqual({ window: { start: 10 * DAY, end: 40 * DAY }, cursor: '77' })
    const last = advance(orderHistory, first.next!, answer([order], null))
    expect(last.covers).toEqual({ start: 10 * DAY, end: 40 * DAY })
    expect(shown(last.next!)).toEqual({ window: { start: 0, end: 10 * DAY }, cursor: null })
  })

  test.each([
    ['absent', undefined],
    ['null', null],
    ['empty', ''],
  ])('ends a window where the cursor is %s', (_, cursor) => {
    const step = advance(orderHistory, beginWalk(orderHistory, { start: 0, end: 9 }), answer([order], cursor))
    expect(step).toEqual({ covers: { start: 0, end: 9 }, next: null })
  })

  test('ends a window with an empty page, whatever its cursor', () => {
    const state = resumeWalk(orderHistory, { start: 0, end: 9 }, { start: 0, end: 9 }, '77')
    const step = advance(orderHistory, state, answer([], '77'))
    expect(step).toEqual({ covers: { start: 0, end: 9 }, next: null })
  })

  test('refuses a cursor that comes twice, also over a stop', () => {
    const state = resumeWalk(orderHistory, { start: 0, end: 9 }, { start: 0, end: 9 }, '77')
    expect(() => advance(orderHistory, state, answer([order], '77'))).toThrow(RepeatedCursor)
  })

  test('takes the cursor of P2P orders from minOrderId, as text or as a number', () => {
    expect(extractPage(p2pOrders, { orderList: [{}], minOrderId: 42 }).cursor).toBe('42')
    expect(extractPage(p2pOrders, { orderList: [{}], minOrderId: '42' }).cursor).toBe('42')
  })
})

describe('numbered pages', () => {
  const page = (...uids: string[]) =>
    extractPage(
      customers,
      uids.map((uid) => ({ uid })),
    )

  test('are counted from 1 until one is empty', () => {
    const second = turnPage(customers, firstPage, page('a', 'b'))!
    expect(second.cursor).toBe('2')
    expect(turnPage(customers, second, page('c'))!.cursor).toBe('3')
    expect(turnPage(customers, second, page())).toBeNull()
  })

  test('are refused where the venue sends the same page again', () => {
    const second = turnPage(customers, firstPage, page('a', 'b'))!
    expect(() => turnPage(customers, second, page('a', 'b'))).toThrow(RepeatedCursor)
  })
})

describe('a model venue that serves what is asked, newest first, with pages cut short at random', () => {
  const SPAN = 100
  const model: Endpoint = {
    ...tax,
    window: { ...tax.window!, spanMaxMs: SPAN },
  }

  type Kept = { readonly id: string; readonly ts: string }

  /** Records by (time, id) descending; cursor is exclusive; both ends of the window are inclusive. */
  function ask(records: readonly Kept[], state: WalkState, cut: number): Kept[] {
    const inWindow = records.filter(
      ({ ts }) => Number(ts) >= state.window.start && Number(ts) <= state.window.end,
    )
    const from = state.cursor === null ? 0 : inWindow.findIndex(({ id }) => id === state.cursor) + 1
    return inWindow.slice(from, from + Math.max(1, Math.min(3, cut)))
  }

  const times = fc.oneof(
    fc.array(fc.integer({ min: 0, max: 1_000 }), { maxLength: 60 }),
    fc.array(
      fc.integer({ min: 0, max: 12 }).map((n) => n * 83),
      { maxLength: 60 },
    ),
  )

  test('gives every record, and no claim is ahead of what was received', () => {
    fc.assert(
      fc.property(times, fc.infiniteStream(fc.integer({ min: 1, max: 3 })), (instants, cuts) => {
        const records = instants
          .toSorted((a, b) => b - a)
          .map((ts, place) => ({ id: String(1_000 - place), ts: String(ts) }))
        const received = new Set<string>()
        const claims: Range[] = []
        let requests = 0
        let state: WalkState | null = beginWalk(model, { start: 0, end: 1_000 })
        while (state !== null) {
          requests += 1
          const rows = ask(records, state, cuts.next().value ?? 3)
          for (const { id } of rows) received.add(id)
          const { covers, next } = advance(model, state, extractPage(model, rows))
          if (covers !== null) {
            claims.push(covers)
            const ahead = records.filter(
              ({ id, ts }) => Number(ts) >= covers.start && Number(ts) <= covers.end && !received.has(id),
            )
            expect(ahead).toEqual([])
          }
          state = next
        }
        expect(received.size).toBe(records.length)
        const [newest] = claims
        expect(newest?.end).toBe(1_000)
        expect(claims.at(-1)?.start).toBe(0)
        // Neighbouring claims touch, so that their union has no hole.
        for (const [place, claim] of claims.entries())
          if (place > 0) expect(claim.end).toBeGreaterThanOrEqual(claims[place - 1]!.start)
        // Ten windows, and for each record at most its page, its repetition and the page that settles the doubt.
        expect(requests).toBeLessThanOrEqual(11 + 3 * records.length)
      }),
      { numRuns: 400 },
    )
  })

  test('costs one request a window where full pages never come short, dense or empty', () => {
    const dense = Array.from({ length: 1_000 }, (_, place) => row(place, 1_000 - place))
    const wide: Endpoint = { ...model, page: { ...tax.page, size: 500 } as Endpoint['page'] }
    for (const records of [dense, []]) {
      let requests = 0
      let state: WalkState | null = beginWalk(wide, { start: 0, end: 1_000 })
      while (state !== null) {
        requests += 1
        const { window, cursor }: WalkState = state
        const rows: Kept[] = records
          .filter(({ ts }) => Number(ts) >= window.start && Number(ts) <= window.end)
          .filter(({ id }) => cursor === null || Number(id) > Number(cursor))
        state = advance(wide, state, extractPage(wide, rows)).next
      }
      expect(requests).toBeLessThanOrEqual(11)
    }
  })
})
