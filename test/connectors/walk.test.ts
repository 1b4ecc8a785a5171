// How ranges are asked for and what each page proves, on pages written by hand.
import { describe, expect, test } from 'vitest'
import { days, type Endpoint } from '../../connectors/endpoint.ts'
import { customers } from '../../connectors/endpoints/broker.ts'
import { p2pOrders } from '../../connectors/endpoints/p2p.ts'
import { taxRecords } from '../../connectors/endpoints/tax.ts'
import { orderHistory } from '../../connectors/endpoints/trade.ts'
import { lastMark, type Page } from '../../connectors/envelope.ts'
import { EndlessCursor, MalformedAnswer, RepeatedCursor } from '../../connectors/errors.ts'
import { extractPage, firstPage, turnPage, watchPages } from '../../connectors/pages.ts'
import { advance as advanceBy, beginWalk, resumeWalk } from '../../connectors/walk.ts'
import {
  giveUpWindow,
  narrowWindow,
  openRanges,
  partsOf,
  type Step,
  skipWindow,
  type WalkState,
} from '../../connectors/walk-state.ts'
import type { Range } from '../../models/ranges.ts'

const DAY = days(1)

/** Tax records with pages of three, so that a test shows whole pages. */
const tax: Endpoint = { ...taxRecords, page: { ...taxRecords.page, size: 3 } as Endpoint['page'] }

const row = (id: number | string, ts: number) => ({ id: String(id), ts: String(ts) })

const pageOf = (endpoint: Endpoint, rows: readonly unknown[]) => extractPage(endpoint, rows)

const shown = ({ window, cursor }: WalkState) => ({ window, cursor })

/** A page that can have shown all of its window. */
const advance = (endpoint: Endpoint, state: WalkState, page: Page): Step =>
  advanceBy(endpoint, state, page, state.window)

describe('a walk through tax records', () => {
  test('begins with the newest window of the documented span', () => {
    const state = beginWalk(tax, { start: 0, end: 20 * DAY })
    expect(shown(state)).toEqual({ window: { start: 13 * DAY, end: 20 * DAY }, cursor: null })
  })

  test('is one window if the need is shorter than the span', () => {
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
    expect(step).toEqual({ covers: { start: 5, end: 9 }, unproven: null, next: null })
  })

  test('newest first: continues from the oldest row of a full page, whose new rows prove the page before', () => {
    const begun = beginWalk(tax, { start: 0, end: 100 })
    const first = advance(tax, begun, pageOf(tax, [row(9, 90), row(8, 80), row(7, 70)]))
    expect(first.covers).toBeNull()
    expect(shown(first.next!)).toEqual({ window: { start: 0, end: 70 }, cursor: null })
    const second = advance(tax, first.next!, pageOf(tax, [row(7, 70), row(6, 70), row(5, 40)]))
    expect(second.covers).toEqual({ start: 71, end: 100 })
    const third = advance(tax, second.next!, pageOf(tax, [row(5, 40)]))
    expect(third.covers).toEqual({ start: 41, end: 69 })
    expect(shown(third.next!)).toEqual({ window: { start: 0, end: 40 }, cursor: '5' })
  })

  test('oldest first: continues from the newest row of a full page', () => {
    const begun = beginWalk(tax, { start: 0, end: 100 })
    const first = advance(tax, begun, pageOf(tax, [row(1, 10), row(2, 20), row(3, 30)]))
    expect(first.covers).toBeNull()
    expect(shown(first.next!)).toEqual({ window: { start: 30, end: 100 }, cursor: null })
    const second = advance(tax, first.next!, pageOf(tax, [row(3, 30), row(4, 40)]))
    expect(second.covers).toEqual({ start: 0, end: 39 })
    expect(shown(second.next!)).toEqual({ window: { start: 30, end: 100 }, cursor: '4' })
    const end = advance(tax, second.next!, pageOf(tax, []))
    expect(end).toEqual({ covers: { start: 40, end: 100 }, unproven: null, next: null })
  })

  test('requests both sides of a full page after which nothing new arrived', () => {
    const begun = beginWalk(tax, { start: 0, end: 100 })
    const first = advance(tax, begun, pageOf(tax, [row(9, 90), row(8, 80), row(7, 70)]))
    const second = advance(tax, first.next!, pageOf(tax, [row(7, 70)]))
    expect(second.covers).toEqual({ start: 71, end: 89 })
    const third = advance(tax, second.next!, pageOf(tax, []))
    expect(third.covers).toEqual({ start: 0, end: 70 })
    expect(shown(third.next!)).toEqual({ window: { start: 90, end: 100 }, cursor: null })
  })

  test('continues after a short page that reached far into its window from the oldest row, inclusive', () => {
    const begun = beginWalk(tax, { start: 0, end: 20 * DAY })
    const step = advance(tax, begun, pageOf(tax, [row(2, 15 * DAY), row(1, 14 * DAY)]))
    expect(step.covers).toEqual({ start: 14 * DAY + 1, end: 20 * DAY })
    expect(shown(step.next!)).toEqual({ window: { start: 7 * DAY, end: 14 * DAY }, cursor: null })
    const older = advance(tax, step.next!, pageOf(tax, [row(1, 14 * DAY), row(0, 8 * DAY)]))
    expect(older.covers).toEqual({ start: 8 * DAY + 1, end: 14 * DAY })
  })

  test('requests only what follows a short page of the newest rows', () => {
    const begun = beginWalk(tax, { start: 0, end: 20 * DAY })
    const step = advance(tax, begun, pageOf(tax, [row(2, 19 * DAY), row(1, 18 * DAY)]))
    expect(step.covers).toEqual({ start: 18 * DAY + 1, end: 20 * DAY })
    expect(shown(step.next!)).toEqual({ window: { start: 13 * DAY, end: 20 * DAY }, cursor: '1' })
  })

  test('claims nothing for a short page of one instant, whose order is unknown, until nothing follows it', () => {
    const begun = beginWalk(tax, { start: 0, end: 20 * DAY })
    const first = advance(tax, begun, pageOf(tax, [row(1, 14 * DAY)]))
    expect(first.covers).toBeNull()
    expect(shown(first.next!)).toEqual({ window: { start: 13 * DAY, end: 20 * DAY }, cursor: '1' })
    const empty = advance(tax, first.next!, pageOf(tax, []))
    expect(empty.covers).toEqual({ start: 13 * DAY, end: 20 * DAY })
  })

  test('learns the order from the rows after a short page of one instant', () => {
    const begun = beginWalk(tax, { start: 0, end: 100 })
    const first = advance(tax, begun, pageOf(tax, [row(5, 50)]))
    const older = advance(tax, first.next!, pageOf(tax, [row(4, 40)]))
    expect(older.covers).toEqual({ start: 41, end: 100 })
    const newer = advance(tax, first.next!, pageOf(tax, [row(6, 60)]))
    expect(newer.covers).toEqual({ start: 0, end: 59 })
  })

  test('claims no instant of which a page of several instants may show only the beginning', () => {
    const begun = beginWalk(tax, { start: 0, end: 100 })
    const first = advance(tax, begun, pageOf(tax, [row(5, 50)]))
    const older = advance(tax, first.next!, pageOf(tax, [row(4, 50), row(3, 45), row(2, 40)]))
    expect(older.covers).toEqual({ start: 51, end: 100 })
    const newer = advance(tax, first.next!, pageOf(tax, [row(6, 50), row(7, 55), row(8, 60)]))
    expect(newer.covers).toEqual({ start: 0, end: 49 })
  })

  test.each([
    ['newest first', [row(9, 90), row(8, 80)], [row(2, 20), row(3, 30)], { start: 40, end: 80 }],
    ['oldest first', [row(1, 10), row(2, 20)], [row(9, 90), row(8, 80)], { start: 60, end: 100 }],
  ])('%s: claims nothing of a page behind that is in the other order', (_, rows, behind, half) => {
    const first = advance(tax, beginWalk(tax, { start: 0, end: 100 }), pageOf(tax, rows))
    const second = advance(tax, first.next!, pageOf(tax, behind))
    expect([second.covers, second.next!.window]).toEqual([null, half])
  })

  test('requests separate windows if a cursor returns known rows again', () => {
    const begun = beginWalk(tax, { start: 0, end: 100 })
    const first = advance(tax, begun, pageOf(tax, [row(1, 10), row(2, 20)]))
    expect(first.covers).toEqual({ start: 0, end: 19 })
    const again = advance(tax, first.next!, pageOf(tax, [row(1, 10)]))
    expect(again.covers).toBeNull()
    expect(shown(again.next!)).toEqual({ window: { start: 21, end: 100 }, cursor: null })
    const empty = advance(tax, again.next!, pageOf(tax, []))
    expect(shown(empty.next!)).toEqual({ window: { start: 20, end: 20 }, cursor: null })
  })

  test('reads what lies before, after and in a full page of one instant separately', () => {
    const begun = beginWalk(tax, { start: 0, end: 60 })
    const first = advance(tax, begun, pageOf(tax, [row(9, 50), row(8, 50), row(7, 50)]))
    expect(first.covers).toBeNull()
    expect(shown(first.next!)).toEqual({ window: { start: 51, end: 60 }, cursor: null })
    const after = advance(tax, first.next!, pageOf(tax, []))
    expect(after.covers).toEqual({ start: 51, end: 60 })
    const instant = advance(tax, after.next!, pageOf(tax, [row(9, 50), row(8, 50), row(7, 50)]))
    expect(shown(instant.next!)).toEqual({ window: { start: 50, end: 50 }, cursor: '7' })
    const rest = advance(tax, instant.next!, pageOf(tax, [row(6, 50)]))
    const end = advance(tax, rest.next!, pageOf(tax, []))
    expect(end.covers).toEqual({ start: 50, end: 50 })
    expect(shown(end.next!)).toEqual({ window: { start: 0, end: 49 }, cursor: null })
  })

  test.each([
    ['ids that rise, and a cursor that brings known rows again', [1, 2, 3], [[1, 2]]],
    ['ids in no order, and a cursor that may have passed some', [3, 9, 2], [[1]]],
    ['ids in no order, of which the last is the smallest, and nothing behind it', [5, 9, 3], [[]]],
    ['ids that are no numbers, and nothing behind the last', ['a', 'b', 'c'], [[]]],
    ['ids that are no numbers, on more than one short page', ['b', 'a'], [['c']]],
    ['ids that fall, and a known row among the new ones behind the cursor', [9, 8, 7], [[8, 6]]],
    ['ids that fall, and a known row on a page before the last', [9, 8, 7], [[8, 6], [5]]],
    ['a cursor that comes twice', [9, 8, 7], [[6, 7]]],
  ])('states that an instant is unproven with %s', (_, ids, behind) => {
    const answer = (ids: readonly (number | string)[]) =>
      pageOf(
        tax,
        ids.map((id) => row(id, 50)),
      )
    let step = advance(tax, beginWalk(tax, { start: 50, end: 50 }), answer(ids))
    for (const page of [...behind, []]) {
      expect(step.covers).toBeNull()
      if (step.next !== null) step = advance(tax, step.next, answer(page))
    }
    expect(step).toEqual({ covers: null, unproven: { start: 50, end: 50 }, next: null })
  })

  test('takes no row from another time for one of the instant that it reads', () => {
    const begun = beginWalk(tax, { start: 50, end: 50 })
    const beside = pageOf(tax, [row(3, 10), row(2, 10), row(1, 10)])
    const alone = advance(tax, begun, beside)
    expect(alone.covers).toBeNull()
    expect(shown(alone.next!)).toEqual({ window: { start: 50, end: 50 }, cursor: null })
    const first = advance(tax, begun, pageOf(tax, [row(9, 50), row(8, 50), row(7, 50)]))
    const behind = advance(tax, first.next!, beside)
    expect(behind).toEqual({ covers: null, unproven: { start: 50, end: 50 }, next: null })
  })

  test('takes a new row from outside the window for no proof of the page before', () => {
    const begun = beginWalk(tax, { start: 0, end: 100 })
    const first = advance(tax, begun, pageOf(tax, [row(9, 90), row(8, 80), row(7, 70)]))
    const second = advance(tax, first.next!, pageOf(tax, [row(7, 70), row(20, 150)]))
    expect(second.covers).toEqual({ start: 71, end: 89 })
  })

  test('learns nothing from a page of which most rows lie outside the window', () => {
    const wide: Endpoint = { ...tax, page: { ...tax.page, size: 9 } as Endpoint['page'] }
    const rows = [row(9, 90), row(8, 80), row(3, 3), row(2, 2), row(1, 1)]
    const first = advance(wide, beginWalk(wide, { start: 10, end: 100 }), pageOf(wide, rows))
    expect([first.covers, openRanges(first.next!)]).toEqual([null, [{ start: 10, end: 100 }]])
  })

  test.each([
    ['out of order on one page', [row(5, 30), row(4, 60), row(3, 40)]],
    ['newer than the window', [row(5, 101), row(4, 60), row(3, 50)]],
    ['older than the window', [row(5, 60), row(4, 50), row(3, 5)]],
    ['without a readable time', [{ id: '5', ts: 'yesterday' }, { id: '4' }, { id: '3' }]],
  ])('divides a window whose full page has rows %s', (_, rows) => {
    const begun = beginWalk(tax, { start: 10, end: 100 })
    const first = advance(tax, begun, pageOf(tax, rows))
    expect(first.covers).toBeNull()
    expect(shown(first.next!)).toEqual({ window: { start: 55, end: 100 }, cursor: null })
    expect(openRanges(first.next!)).toEqual([{ start: 10, end: 100 }])
  })

  test('claims a short page out of order if nothing follows it', () => {
    const wide: Endpoint = { ...tax, page: { ...tax.page, size: 9 } as Endpoint['page'] }
    const begun = beginWalk(wide, { start: 10, end: 100 })
    const first = advance(wide, begun, pageOf(wide, [row(3, 30), row(2, 60), row(1, 40)]))
    expect(first.covers).toBeNull()
    const end = advance(wide, first.next!, pageOf(wide, []))
    expect(end).toEqual({ covers: { start: 10, end: 100 }, unproven: null, next: null })
  })

  test('skips single rows without a readable time or id', () => {
    const begun = beginWalk(tax, { start: 0, end: 100 })
    const step = advance(tax, begun, pageOf(tax, [row(9, 90), row(8, 80), { id: null, ts: '' }]))
    expect(shown(step.next!)).toEqual({ window: { start: 0, end: 80 }, cursor: null })
  })

  test('refuses a full page on which no row has an id', () => {
    const rows = [{ ts: '90' }, { ts: '80' }, { ts: '70' }]
    expect(() => advance(tax, beginWalk(tax, { start: 0, end: 100 }), pageOf(tax, rows))).toThrow(
      MalformedAnswer,
    )
  })

  test('takes a short page on which no row has an id as the usual end', () => {
    const step = advance(tax, beginWalk(tax, { start: 0, end: 100 }), pageOf(tax, [{ ts: '90' }]))
    expect(step).toEqual({ covers: { start: 0, end: 100 }, unproven: null, next: null })
  })

  test('claims nothing that a page cannot have shown, at either end', () => {
    const begun = beginWalk(tax, { start: 0, end: 100 })
    const bounds = { start: 20, end: 95 }
    const first = advanceBy(tax, begun, pageOf(tax, [row(9, 90), row(8, 80), row(7, 70)]), bounds)
    const second = advanceBy(tax, first.next!, pageOf(tax, [row(7, 70), row(6, 60)]), { start: 20, end: 70 })
    expect(second.covers).toEqual({ start: 61, end: 95 })
    const end = advanceBy(tax, second.next!, pageOf(tax, []), { start: 20, end: 70 })
    expect(end.covers).toEqual({ start: 20, end: 60 })
  })

  test('claims what a short page could show when it was asked for, although nothing followed it later', () => {
    const begun = beginWalk(tax, { start: 0, end: 100 })
    const first = advanceBy(tax, begun, pageOf(tax, [row(5, 50)]), { start: 0, end: 95 })
    const empty = advanceBy(tax, first.next!, pageOf(tax, []), { start: 5, end: 100 })
    expect(empty.covers).toEqual({ start: 0, end: 95 })
  })

  test('gives up or divides the rows of a first page too, which the window behind them was to claim', () => {
    const begun = beginWalk(tax, { start: 0, end: 20 * DAY })
    const first = advance(tax, begun, pageOf(tax, [row(7, 14 * DAY), row(8, 15 * DAY), row(9, 16 * DAY)]))
    expect(first.next!.window).toEqual({ start: 16 * DAY, end: 20 * DAY })
    expect(giveUpWindow(tax, first.next!)).toEqual({ gone: [{ start: 0, end: 20 * DAY }], next: null })
    expect(openRanges(narrowWindow(tax, first.next!)!)).toEqual([{ start: 0, end: 20 * DAY }])
  })

  test('gives up a window and everything older, and continues with what is newer', () => {
    const begun = beginWalk(tax, { start: 0, end: 20 * DAY })
    const first = advance(tax, begun, pageOf(tax, [row(9, 19 * DAY), row(8, 18 * DAY), row(7, 17 * DAY)]))
    const { gone, next } = giveUpWindow(tax, first.next!)
    expect(gone).toEqual([{ start: 0, end: 17 * DAY }])
    expect(shown(next!)).toEqual({ window: { start: 17 * DAY + 1, end: 20 * DAY }, cursor: null })
  })

  test('looks for what is still available in a refused window, and gives up nothing that is undecided', () => {
    const begun = beginWalk(tax, { start: 0, end: 20 * DAY })
    const first = advance(tax, begun, pageOf(tax, [row(9, 19 * DAY), row(8, 18 * DAY), row(7, 17 * DAY)]))
    const next = narrowWindow(tax, first.next!)
    // The days that the first page showed, which its window was to claim, are asked for again.
    expect(shown(next!)).toEqual({ window: { start: 17 * DAY + 1, end: 20 * DAY }, cursor: null })
    expect(openRanges(next!)).toEqual(openRanges(first.next!))
  })

  test('keeps every digit of an id that came as a number beyond 2^53', () => {
    const step = advance(
      tax,
      beginWalk(tax, { start: 0, end: 100 }),
      pageOf(tax, [row(8, 80), row('1375573238088888367', 70)]),
    )
    expect(step.next!.cursor).toBe('1375573238088888367')
  })

  test('skips everything that depends on the answer, not only the requested window, and continues with the rest', () => {
    const begun = beginWalk(tax, { start: 0, end: 20 * DAY })
    const rows = [19, 18, 17].map((day) => row(day, day * DAY))
    const first = advance(tax, begun, pageOf(tax, rows)).next!
    expect(shown(first)).toEqual({ window: { start: 13 * DAY, end: 17 * DAY }, cursor: null })
    const { gone, next } = skipWindow(tax, first)
    expect(gone).toEqual([{ start: 13 * DAY, end: 20 * DAY }])
    expect(shown(next!)).toEqual({ window: { start: 6 * DAY, end: 13 * DAY }, cursor: null })
    expect(openRanges(next!)).toEqual([{ start: 0, end: 13 * DAY }])
  })

  test('divides what was skipped into parts that share an instant, but nothing shorter than an hour', () => {
    const HOUR = DAY / 24
    const windows = (hours: number) =>
      partsOf(tax, beginWalk(tax, { start: 0, end: hours * HOUR })).map(({ window, rest }) => ({
        window,
        rest,
      }))
    expect(windows(4)).toEqual([
      { window: { start: 2 * HOUR, end: 4 * HOUR }, rest: [] },
      { window: { start: 0, end: 2 * HOUR }, rest: [] },
    ])
    expect(windows(1)).toEqual([])
  })

  test('requests by itself what a page left open of a longer window and is too short to be divided', () => {
    const window = { start: 0, end: 2 * DAY }
    const parts = (open: Range) => partsOf(tax, { window, open }).map((part) => part.window)
    expect(parts({ start: 70, end: 70 })).toEqual([{ start: 70, end: 70 }])
    expect(parts({ start: 0, end: DAY / 24 })).toEqual([{ start: 0, end: DAY / 24 }])
    expect(partsOf(tax, { window: { start: 70, end: 70 }, open: { start: 70, end: 70 } })).toEqual([])
    // A page of which rows on one side were asked for: more depends on the answer than was requested.
    const side = { window: { start: 70, end: 80 }, open: { start: 60, end: 80 } }
    expect(partsOf(tax, side)).toEqual([])
  })

  test('skips what is left of a window whose newer part a page has proven', () => {
    const begun = beginWalk(tax, { start: 0, end: 100 })
    const short = advance(tax, begun, pageOf(tax, [row(9, 90), row(8, 80)]))
    expect(short.covers).toEqual({ start: 81, end: 100 })
    expect(skipWindow(tax, short.next!)).toEqual({ gone: [{ start: 0, end: 80 }], next: null })
  })
})

describe('a walk through orders', () => {
  const answer = (list: unknown, cursor?: unknown) => extractPage(orderHistory, { list, cursor })
  const order = { orderId: '5', createdTime: '50' }

  test('claims a window only when its last page has arrived', () => {
    const begun = beginWalk(orderHistory, { start: 0, end: 40 * DAY })
    const first = advance(orderHistory, begun, answer([order], '77'))
    expect(first.covers).toBeNull()
    expect(shown(first.next!)).toEqual({ window: { start: 10 * DAY, end: 40 * DAY }, cursor: '77' })
    const last = advance(orderHistory, first.next!, answer([order], null))
    expect(last.covers).toEqual({ start: 10 * DAY, end: 40 * DAY })
    expect(shown(last.next!)).toEqual({ window: { start: 0, end: 10 * DAY }, cursor: null })
  })

  test('claims what its first page could show by then, from what the venue still had at its last', () => {
    const begun = beginWalk(orderHistory, { start: 0, end: 100 })
    const first = advanceBy(orderHistory, begun, answer([order], '77'), { start: 10, end: 95 })
    const last = advanceBy(orderHistory, first.next!, answer([order], null), { start: 20, end: 100 })
    expect(last.covers).toEqual({ start: 20, end: 95 })
  })

  test('claims of a window that it resumed only what its last pages prove', () => {
    const resumed = resumeWalk({ start: 0, end: 100 }, { start: 0, end: 60 }, '77')
    expect(advance(orderHistory, resumed, answer([order], null)).covers).toEqual({ start: 0, end: 60 })
  })

  test.each([
    ['absent', undefined],
    ['null', null],
    ['empty', ''],
  ])('ends a window where the cursor is %s', (_, cursor) => {
    const step = advance(orderHistory, beginWalk(orderHistory, { start: 0, end: 9 }), answer([order], cursor))
    expect(step).toEqual({ covers: { start: 0, end: 9 }, unproven: null, next: null })
  })

  test('does not take a full page without a cursor for the end: halves of the window show it, and a single instant is unproven', () => {
    const full = answer(
      Array.from({ length: 100 }, () => order),
      null,
    )
    const first = advance(orderHistory, beginWalk(orderHistory, { start: 0, end: 9 }), full)
    expect(first.covers).toBeNull()
    expect(shown(first.next!)).toEqual({ window: { start: 4, end: 9 }, cursor: null })
    const newer = advance(orderHistory, first.next!, answer([order], null))
    expect(newer.covers).toEqual({ start: 4, end: 9 })
    expect(shown(newer.next!)).toEqual({ window: { start: 0, end: 4 }, cursor: null })
    const instant = advance(orderHistory, beginWalk(orderHistory, { start: 7, end: 7 }), full)
    expect(instant).toEqual({ covers: null, unproven: { start: 7, end: 7 }, next: null })
    // As the second page of a list, too.
    const second = resumeWalk({ start: 0, end: 9 }, { start: 0, end: 9 }, '77')
    expect(shown(advance(orderHistory, second, full).next!).window).toEqual({ start: 4, end: 9 })
  })

  test('ends a window with an empty page, whatever its cursor', () => {
    const state = resumeWalk({ start: 0, end: 9 }, { start: 0, end: 9 }, '77')
    const step = advance(orderHistory, state, answer([], '77'))
    expect(step).toEqual({ covers: { start: 0, end: 9 }, unproven: null, next: null })
  })

  test('continues over an empty page whose cursor continues', () => {
    const begun = beginWalk(orderHistory, { start: 0, end: 9 })
    const step = advance(orderHistory, begun, answer([], '77'))
    expect(step.covers).toBeNull()
    expect(shown(step.next!)).toEqual({ window: { start: 0, end: 9 }, cursor: '77' })
    expect(advance(orderHistory, step.next!, answer([order], null)).covers).toEqual({ start: 0, end: 9 })
  })

  test.each([[{ next: '5' }], [['5']], [true]])('refuses %j for a cursor', (cursor) => {
    expect(() => answer([order], cursor)).toThrow(MalformedAnswer)
  })

  test('refuses a cursor that is repeated, even across a stop', () => {
    const state = resumeWalk({ start: 0, end: 9 }, { start: 0, end: 9 }, '77')
    expect(() => advance(orderHistory, state, answer([order], '77'))).toThrow(RepeatedCursor)
  })

  test('claims of a list by id what the venue still had at its last page', () => {
    const p2p: Endpoint = { ...p2pOrders, page: { ...p2pOrders.page, size: 2 } as Endpoint['page'] }
    const list = (...orders: readonly (readonly [number, number])[]) =>
      extractPage(p2p, { orderList: orders.map(([id, at]) => ({ orderId: String(id), cTime: String(at) })) })
    const first = advanceBy(p2p, beginWalk(p2p, { start: 0, end: 100 }), list([9, 90], [8, 80]), {
      start: 10,
      end: 95,
    })
    const second = advanceBy(p2p, first.next!, list([7, 70]), { start: 15, end: 95 })
    const end = advanceBy(p2p, second.next!, list(), { start: 20, end: 100 })
    expect(end.covers).toEqual({ start: 20, end: 95 })
  })

  test('halves a window whose list proves nothing, also if its rows are of one instant outside it', () => {
    const p2p: Endpoint = { ...p2pOrders, page: { ...p2pOrders.page, size: 2 } as Endpoint['page'] }
    const rows = [9, 8].map((id) => ({ orderId: String(id), cTime: '5' }))
    const page = extractPage(p2p, { orderList: rows })
    const first = advance(p2p, beginWalk(p2p, { start: 10, end: 100 }), page)
    const again = advance(p2p, first.next!, page)
    expect(again.covers).toBeNull()
    expect(shown(again.next!)).toEqual({ window: { start: 55, end: 100 }, cursor: null })
    expect(openRanges(again.next!)).toEqual([{ start: 10, end: 100 }])
  })

  test('takes the cursor of P2P orders from minOrderId, as text or as a number', () => {
    expect(extractPage(p2pOrders, { orderList: [{}], minOrderId: 42 }).cursor).toBe('42')
    expect(extractPage(p2pOrders, { orderList: [{}], minOrderId: '42' }).cursor).toBe('42')
  })
})

describe('a cursor that returns no new row', () => {
  /** At which of these pages, from 1, the list is given up; null for none. A page is the mark of its last row. */
  function givenUpAt(marks: readonly (string | null)[]): number | null {
    const watch = watchPages(orderHistory)
    for (const [index, mark] of marks.entries())
      try {
        watch(index === 0 ? null : `c${index}`, mark === null ? 0 : 1, mark)
      } catch (error) {
        expect(error).toBeInstanceOf(EndlessCursor)
        return index + 1
      }
    return null
  }
  const times = <T>(count: number, ...some: readonly T[]): T[] =>
    Array.from({ length: count }, () => some).flat()

  test('is given up at the tenth page in a row, be they empty, the same, or the one and the other', () => {
    expect(givenUpAt(['a', ...times(20, null)])).toBe(11)
    expect(givenUpAt(times(20, 'a'))).toBe(11)
    expect(givenUpAt(['a', ...times(20, null, 'a')])).toBe(11)
  })

  test('is followed if there are fewer of them between new rows', () => {
    expect(givenUpAt([...times(10, 'a'), 'b', ...times(9, null), 'c'])).toBeNull()
  })

  test('is known by the id of the last row, whatever else has changed in it', () => {
    expect(lastMark(orderHistory, [{ orderId: '4' }, { orderId: '5', qty: '1' }])).toBe('5')
    expect(lastMark(orderHistory, [{ qty: '1' }])).toBe('{"qty":"1"}')
    expect(lastMark(orderHistory, [])).toBeNull()
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

  test('are refused if the venue sends the same page again', () => {
    const second = turnPage(customers, firstPage, page('a', 'b'))!
    expect(() => turnPage(customers, second, page('a', 'b'))).toThrow(RepeatedCursor)
  })
})

describe('what a walk costs if the venue keeps to the document', () => {
  const SPAN = 100
  const wide: Endpoint = {
    ...tax,
    page: { ...tax.page, size: 500 } as Endpoint['page'],
    window: { ...tax.window!, spanMaxMs: SPAN },
  }

  /** Requests for records that come newest first, with `size` to a page. */
  function requestsFor(
    records: readonly { readonly id: string; readonly ts: string }[],
    size: number,
  ): number {
    const endpoint = { ...wide, page: { ...wide.page, size } as Endpoint['page'] }
    let requests = 0
    let state: WalkState | null = beginWalk(endpoint, { start: 0, end: 1_000 })
    while (state !== null) {
      requests += 1
      const { window, cursor }: WalkState = state
      const rows = records
        .filter(({ ts }) => Number(ts) >= window.start && Number(ts) <= window.end)
        .filter(({ id }) => cursor === null || Number(id) < Number(cursor))
        .toSorted((a, b) => Number(b.id) - Number(a.id))
      state = advance(endpoint, state, extractPage(endpoint, rows.slice(0, size))).next
    }
    return requests
  }

  const dense = Array.from({ length: 1_000 }, (_, place) => row(place + 1, place + 1))

  test('one request a window if pages are never full, dense or empty', () => {
    expect(requestsFor(dense, 500)).toBeLessThanOrEqual(11)
    expect(requestsFor([], 500)).toBe(10)
  })

  test('one request a page if windows hold many pages: a page shares one row with the next', () => {
    // 101 rows to a window: pages of 23, of which 22 are new, and one that asks what follows the newest window's last.
    expect(requestsFor(dense, 23)).toBeLessThanOrEqual(5 * 10 + 1)
  })
})
