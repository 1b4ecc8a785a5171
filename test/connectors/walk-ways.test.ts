// Every row, whatever the order of the pages and whatever the cursor means: model venues at random, in all the ways in
// which this venue has been reported to page, and in some that nobody has reported. Source: venue-facts, Paging.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Endpoint } from '../../connectors/endpoint.ts'
import { p2pOrders } from '../../connectors/endpoints/p2p.ts'
import { futuresRecords } from '../../connectors/endpoints/tax.ts'
import { extractPage, MOST_BESIDE } from '../../connectors/pages.ts'
import { advance, beginWalk } from '../../connectors/walk.ts'
import { liesBeside, openRanges, type WalkState } from '../../connectors/walk-state.ts'
import type { Range } from '../../models/ranges.ts'
import { union } from '../../models/ranges.ts'

/** Small pages, so that a few rows fill many; larger where no order may show by chance. */
const sizeOf = (way: Way): number => (way.order === 'none' || way.ids === 'unordered' ? 9 : 3)
const SPAN = 100
const NEED = { start: 0, end: 1_000 }

const byTime = (size: number): Endpoint => ({
  ...futuresRecords,
  page: { ...futuresRecords.page, size } as Endpoint['page'],
  window: { ...futuresRecords.window!, spanMaxMs: SPAN },
})
const byId = (size: number): Endpoint => ({
  ...p2pOrders,
  page: { ...p2pOrders.page, size } as Endpoint['page'],
  window: { ...p2pOrders.window!, spanMaxMs: SPAN },
})

interface Kept {
  readonly id: number
  readonly ts: number
}

interface Way {
  readonly order: 'newest first' | 'oldest first' | 'none'
  /** Whether ids of one instant are in the order of the list, against it, or in none. */
  readonly ids: 'rising' | 'unordered'
  readonly cursor: 'goes on' | 'ids below' | 'ids above' | 'ignored'
  /** Which rows of a window a page takes, and in which order it shows them, may differ. */
  readonly shows: 'as listed' | 'turned round'
  /** Rows beside the window: one that is first or last on every page, or what windows rounded to tens hold. */
  readonly beside?: 'first' | 'last' | 'rounded'
}

const PINNED: Kept = { id: 1, ts: -5_000 }

/** The rows of an answer. */
function ask(records: readonly Kept[], way: Way, state: WalkState, cut: number): Kept[] {
  const { start, end } = way.beside === 'rounded' ? rounded(state.window) : state.window
  const inWindow = listed(
    records.filter(({ ts }) => ts >= start && ts <= end),
    way,
  )
  const cursor = state.cursor === null ? null : Number(state.cursor)
  const behind = {
    'goes on': () => inWindow.slice(inWindow.findIndex(({ id }) => id === cursor) + 1),
    'ids below': () => inWindow.filter(({ id }) => id < cursor!),
    'ids above': () => inWindow.filter(({ id }) => id > cursor!),
    ignored: () => inWindow,
  }
  const size = Math.min(sizeOf(way), cut)
  const rows = (cursor === null ? inWindow : behind[way.cursor]()).slice(0, size)
  const shown = way.shows === 'as listed' ? rows : rows.toReversed()
  if (way.beside === 'first') return [PINNED, ...shown].slice(0, sizeOf(way))
  return way.beside === 'last' ? [...shown.slice(0, sizeOf(way) - 1), PINNED] : shown
}

const rounded = ({ start, end }: Range): Range => ({
  start: Math.floor(start / 10) * 10,
  end: Math.ceil(end / 10) * 10,
})

/** Records in the order of the list. */
function listed(records: readonly Kept[], way: Way): Kept[] {
  const rising = records.toSorted((a, b) => a.ts - b.ts || a.id - b.id)
  if (way.order === 'none') return rising.toSorted((a, b) => rank(a.id) - rank(b.id))
  const sorted =
    way.ids === 'rising' ? rising : rising.toSorted((a, b) => a.ts - b.ts || rank(a.id) - rank(b.id))
  return way.order === 'newest first' ? sorted.toReversed() : sorted
}

/** Scatters ids; large pages make sure that no order shows by chance. */
const rank = (id: number): number => (id * 7_919) % 1_009

const recordsOf = (instants: readonly number[]): Kept[] =>
  instants.toSorted((a, b) => a - b).map((ts, place) => ({ id: 1_000 + place, ts }))

interface Outcome {
  readonly received: ReadonlySet<number>
  readonly claims: readonly Range[]
  readonly unproven: readonly Range[]
  readonly requests: number
}

const holds = (ranges: readonly Range[], ts: number): boolean =>
  ranges.some(({ start, end }) => start <= ts && ts <= end)

/** Walks to the end; every claim is held against what has been received by then. */
function walk(
  of: (size: number) => Endpoint,
  list: readonly Kept[],
  way: Way,
  cuts: () => number = () => sizeOf(way),
): Outcome {
  const endpoint = of(sizeOf(way))
  const received = new Set<number>()
  const claims: Range[] = []
  const unproven: Range[] = []
  let requests = 0
  let beside = 0
  let state: WalkState | null = beginWalk(endpoint, NEED)
  while (state !== null && beside < MOST_BESIDE) {
    requests += 1
    if (requests > 5_000) throw new Error(`goes round for ever: ${JSON.stringify(state)}`)
    expect(state.window.end - state.window.start).toBeLessThanOrEqual(SPAN)
    const rows = ask(list, way, state, cuts())
    for (const { id } of rows) received.add(id)
    const wire = rows.map(({ id, ts }) => ({
      id: String(id),
      orderId: String(id),
      ts: String(ts),
      cTime: String(ts),
    }))
    const least = rows.length === 0 ? null : String(Math.min(...rows.map(({ id }) => id)))
    const data = of === byId ? { orderList: wire, minOrderId: least } : wire
    const page = extractPage(endpoint, data)
    const step = advance(endpoint, state, page, state.window)
    beside = liesBeside(endpoint, state.window, page) ? beside + 1 : 0
    if (step.covers !== null) {
      claims.push(step.covers)
      const ahead = list.filter(({ id, ts }) => holds([step.covers!], ts) && !received.has(id))
      expect(ahead, `claimed ${JSON.stringify(step.covers)}`).toEqual([])
    }
    if (step.unproven !== null) unproven.push(step.unproven)
    // A run that is stopped here says of all that is not claimed that it was not had.
    const open = step.next === null ? [] : openRanges(step.next)
    expect(union([...claims, ...unproven, ...open])).toEqual([NEED])
    state = step.next
  }
  return { received, claims, unproven, requests }
}

/** Every instant of the need is claimed, or said to be unproven. */
function expectWhole({ claims, unproven }: Outcome): void {
  expect(union([...claims, ...unproven])).toEqual([NEED])
}

const times = fc.oneof(
  fc.array(fc.integer({ min: 0, max: 1_000 }), { maxLength: 120 }),
  // Many rows to an instant, more than a page holds.
  fc.array(
    fc.integer({ min: 0, max: 12 }).map((n) => n * 83),
    { maxLength: 90 },
  ),
  fc.array(
    fc.integer({ min: 0, max: 3 }).map((n) => 500 + n),
    { maxLength: 30 },
  ),
)

const plain = { shows: 'as listed' } as const
const REPORTED: readonly (readonly [string, Way])[] = [
  ['newest first, ids below', { order: 'newest first', ids: 'rising', cursor: 'ids below', ...plain }],
  ['newest first, going on', { order: 'newest first', ids: 'rising', cursor: 'goes on', ...plain }],
  ['oldest first, going forward', { order: 'oldest first', ids: 'rising', cursor: 'goes on', ...plain }],
  ['oldest first, ids below', { order: 'oldest first', ids: 'rising', cursor: 'ids below', ...plain }],
  [
    'newest first, ids of an instant in no order',
    { order: 'newest first', ids: 'unordered', cursor: 'ids below', ...plain },
  ],
]

const cursors = ['goes on', 'ids below', 'ids above', 'ignored'] as const
const ways: fc.Arbitrary<Way> = fc.record({
  order: fc.constantFrom('newest first', 'oldest first', 'none'),
  ids: fc.constantFrom('rising', 'unordered'),
  cursor: fc.constantFrom(...cursors),
  shows: fc.constantFrom('as listed', 'turned round'),
})

/** Every row has come, but of instants that are said to be unproven. */
function expectAll(list: readonly Kept[], outcome: Outcome): void {
  expectWhole(outcome)
  const lacking = list.filter(({ id, ts }) => !outcome.received.has(id) && !holds(outcome.unproven, ts))
  expect(lacking).toEqual([])
}

/** Instants that hold more rows than a page. */
const crowded = (list: readonly Kept[], size: number): number[] => {
  const counts = new Map<number, number>()
  for (const { ts } of list) counts.set(ts, (counts.get(ts) ?? 0) + 1)
  return [...counts].filter(([, count]) => count >= size).map(([ts]) => ts)
}

describe.each([
  ['a feed whose rows prove their times', byTime],
  ['a feed that only whole windows prove', byId],
])('%s', (_, endpoint) => {
  test.each(REPORTED)('%s: every row arrives, or its instant is stated to be unproven', (_, way) => {
    fc.assert(
      fc.property(times, (instants) => {
        const list = recordsOf(instants)
        const outcome = walk(endpoint, list, way)
        expectAll(list, outcome)
        // Only what no page can hold is ever unproven.
        const full = crowded(list, sizeOf(way))
        for (const range of outcome.unproven) expect(full).toContain(range.start)
      }),
      { numRuns: 200 },
    )
  })

  test.each(REPORTED.slice(0, 3))('%s: crowded instants are read completely by the cursor', (_, way) => {
    fc.assert(
      fc.property(times, (instants) => {
        const list = recordsOf(instants)
        const outcome = walk(endpoint, list, way)
        expect(outcome.received.size).toBe(list.length)
        expect(outcome.unproven).toEqual([])
      }),
      { numRuns: 200 },
    )
  })

  test('any other way: nothing is claimed without its rows', () => {
    fc.assert(
      fc.property(ways, times, (way, instants) => {
        // Where pages are turned round or in no order, nothing tells the rows of one instant apart.
        const isPlain = way.shows === 'as listed' && way.order !== 'none'
        const list = recordsOf(isPlain ? instants : [...new Set(instants)])
        expectAll(list, walk(endpoint, list, way))
      }),
      { numRuns: 600 },
    )
  })

  test.each(['newest first', 'oldest first'] as const)(
    '%s, pages cut short at random: every row arrives',
    (order) => {
      fc.assert(
        fc.property(times, fc.infiniteStream(fc.integer({ min: 1, max: 3 })), (instants, cuts) => {
          const way: Way = { order, ids: 'rising', cursor: 'goes on', shows: 'as listed' }
          const list = recordsOf(instants)
          const outcome = walk(endpoint, list, way, () => cuts.next().value ?? 3)
          expectAll(list, outcome)
          expect(outcome.received.size).toBe(list.length)
        }),
        { numRuns: 200 },
      )
    },
  )
})

describe('rows outside the window', () => {
  /** Sparse and dense, so that some windows have nothing but what lies beside them. */
  const few = fc.array(fc.integer({ min: 0, max: 1_000 }), { maxLength: 40 })
  const strays: fc.Arbitrary<Way> = fc
    .tuple(ways, fc.constantFrom('first', 'last', 'rounded'))
    .map(([way, beside]) => ({ ...way, beside }))

  test('prove nothing: nothing is claimed without its rows, and after a bounded number of requests the walk ends or is given up', () => {
    fc.assert(
      fc.property(strays, few, (way, instants) => {
        const list = recordsOf([...new Set(instants)])
        const { requests } = walk(byTime, list, way)
        expect(requests).toBeLessThan(200 + 40 * list.length)
      }),
      { numRuns: 400 },
    )
  })

  test('from before 1970 may have taken the place of another on a full page', () => {
    const way: Way = {
      order: 'newest first',
      ids: 'rising',
      cursor: 'goes on',
      shows: 'turned round',
      beside: 'first',
    }
    walk(byTime, recordsOf([900, 901, 902, 903]), way)
  })

  test('stop nothing if they are rounded and the cursor continues: every row arrives', () => {
    const orders = fc.constantFrom('newest first', 'oldest first')
    // No more of them than a page has room for beside a row of its window.
    const apart = fc.uniqueArray(
      fc.integer({ min: 0, max: 90 }).map((n) => n * 11),
      { maxLength: 40 },
    )
    fc.assert(
      fc.property(orders, apart, (order, instants) => {
        const list = recordsOf(instants)
        const way: Way = { order, ids: 'rising', cursor: 'goes on', shows: 'as listed', beside: 'rounded' }
        expectAll(list, walk(byTime, list, way))
      }),
      { numRuns: 300 },
    )
  })
})

test.each([
  'cTime',
  // As the document's sample of 4.23 spells it.
  'ctime',
])(
  'rows of one instant (%s) on both sides of a page’s edge are read again separately: one of them may be on neither page',
  (time) => {
    // As listed: 42 stands between 49 and 28, but behind 35, so that "ids below 35" never brings it, and all that came falls.
    const list: readonly Kept[] = [
      { id: 49, ts: 60 },
      { id: 35, ts: 50 },
      { id: 42, ts: 50 },
      { id: 28, ts: 50 },
      { id: 21, ts: 40 },
    ]
    const endpoint = byId(2)
    const received = new Set<number>()
    const unproven: Range[] = []
    let state: WalkState | null = beginWalk(endpoint, { start: 0, end: 100 })
    while (state !== null) {
      const { window, cursor } = state
      const rows = list
        .filter(({ ts }) => ts >= window.start && ts <= window.end)
        .filter(({ id }) => cursor === null || id < Number(cursor))
        .slice(0, 2)
      for (const { id } of rows) received.add(id)
      const orderList = rows.map(({ id, ts }) => ({ orderId: String(id), [time]: String(ts) }))
      const step = advance(endpoint, state, extractPage(endpoint, { orderList, minOrderId: null }), window)
      for (const { id, ts } of list)
        if (step.covers !== null && holds([step.covers], ts)) expect(received).toContain(id)
      if (step.unproven !== null) unproven.push(step.unproven)
      state = step.next
    }
    expect(received).toContain(42)
    expect(unproven).toEqual([{ start: 50, end: 50 }])
  },
)
