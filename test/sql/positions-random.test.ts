// Results of futures positions over random books, each of them an account: against a plain account of what is held, where one
// order follows the other, and whatever orders and records there are, so that each record counts once.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ModelRow, type Planted, runModels } from '../support/one-model.ts'

const START = Date.UTC(2026, 0, 5)
const HALF_AN_HOUR = 1_800_000

const moment = (ms: number): string => new Date(ms).toISOString()

interface Fill {
  readonly symbol: string
  readonly created: number
  readonly filled: number
  /** `net` of the one-way mode. */
  readonly side: string
  readonly change: number
}

interface Recorded {
  readonly symbol: string | null
  readonly coin: string
  readonly type: string
  readonly at: number
  readonly amount: number
  readonly fee: number
}

interface Book {
  readonly fills: readonly Fill[]
  readonly records: readonly Recorded[]
}

/** By type: kind and side, as staging.types has them. */
const TYPES: ReadonlyMap<string, readonly [kind: string, side: string]> = new Map([
  ['BUY_DEAL', ['realised_pnl', '']],
  ['CLOSE_LONG', ['realised_pnl', 'long']],
  ['CLOSE_SHORT', ['realised_pnl', 'short']],
  ['BURST_BUY_SSM', ['liquidation', '']],
  ['SETTLE_FEE', ['funding', '']],
])

const LINE = 'USDT-FUTURES'
const ENTRY = ['account', 'place', 'part', 'symbol', 'coin', 'kind', 'amount'] as const

/** What moves nothing makes no entry. */
const entriesOf = (books: readonly Book[]): ModelRow[] =>
  books.flatMap(({ records }, account) =>
    records.flatMap(({ symbol, coin, type, at, amount, fee }, place) =>
      [
        { part: 'amount', kind: TYPES.get(type)?.[0] ?? '', amount },
        { part: 'fee', kind: 'fee', amount: fee },
      ]
        .filter((part) => part.amount !== 0)
        .map((part) => ({
          account: String(account),
          place: String(place),
          part: part.part,
          symbol,
          coin,
          kind: part.kind,
          amount: String(part.amount),
          type,
          at: moment(at),
        })),
    ),
  )

const planted = (books: readonly Book[]): Record<string, Planted> => ({
  'staging.types': {
    columns: 'feed varchar, type varchar, side varchar',
    rows: [...TYPES].map(([type, [, side]]) => ['tax.records', type, side]),
  },
  'staging.futures_fills': {
    columns: `account varchar, line varchar, symbol varchar, order_id varchar, created_time timestamptz,
      filled_at timestamptz, position_side varchar, change decimal(38, 18)`,
    rows: books.flatMap(({ fills }, account) =>
      fills.map(({ symbol, created, filled, side, change }, id) => [
        ...[String(account), LINE, symbol, String(id)],
        ...[moment(created), moment(filled), side, String(change)],
      ]),
    ),
  },
  'main.entries': {
    columns: `account varchar, place bigint, part varchar, symbol varchar, coin varchar, kind varchar, amount decimal(38, 18),
      type varchar, occurred_at timestamptz, product_line varchar, source_feed varchar`,
    rows: entriesOf(books).map((entry) => [
      ...ENTRY.map((name) => entry[name] ?? null),
      ...[entry.type ?? '', entry.at ?? '', LINE, 'tax.records'],
    ]),
  },
})

async function positionsOf(books: readonly Book[]) {
  const [stretches = [], moves = [], , , positions = []] = (
    await runModels(
      [
        'staging.futures_runs_before',
        'staging.futures_runs',
        'staging.futures_levels',
        'staging.futures_episodes_before',
        'staging.futures_episodes',
        'staging.futures_stretches_before',
        'staging.futures_stretches',
        'staging.futures_position_moves',
        'staging.futures_position_sums_before',
        'staging.futures_position_sums',
        'main.futures_positions_pnl',
      ],
      planted(books),
    )
  ).slice(-5)
  return { stretches, moves, positions }
}

const whole = <One>(one: fc.Arbitrary<One>, maxLength: number): fc.Arbitrary<One[]> =>
  fc.array(one, { maxLength, size: 'max' })

const change = fc.constantFrom(-3, -2, -1, 1, 2, 3)

// One order after the other: what is held at each moment is known, and so is what each record is of.

interface Ordered {
  readonly after: number
  readonly takes: number
  readonly change: number
}

/** Waits so many half hours for the order before it to be filled, and is filled over so many, a unit at a time. */
const ordered: fc.Arbitrary<Ordered> = fc.record({
  after: fc.constantFrom(1, 1, 2),
  takes: fc.constantFrom(0, 0, 1, 3),
  change,
})

interface Held {
  readonly side: string
  readonly from: number
  to: number | null
  results: number
  fees: number
  funding: number
  records: number
}

/** The book of such orders, and the positions that come of it; of each order a result of 7 a unit and a fee of 1, of each hour 5. */
function followed(orders: readonly Ordered[]): { book: Book; told: string[] } {
  const fills: Fill[] = []
  const records: Recorded[] = []
  const told: Held[] = []
  const unknown = { fees: 0, funding: 0 }
  const record = (type: string, at: number, amount: number, fee: number): void => {
    records.push({ symbol: 'BTCUSDT', coin: 'USDT', type, at, amount, fee })
  }
  let position: Held | null = null
  let held = 0
  let at = START
  let hour = START
  const fund = (before: number): void => {
    for (; hour < before; hour += 2 * HALF_AN_HOUR) {
      if (position === null) continue
      // Some stamps come late.
      record('SETTLE_FEE', hour + ((hour / HALF_AN_HOUR) % 4) * 6_000, 5, 0)
      position.funding += 5
      position.records++
    }
  }
  const open = (side: number, from: number): Held => {
    const opened = {
      side: side > 0 ? 'long' : 'short',
      from,
      to: null,
      results: 0,
      fees: 0,
      funding: 0,
      records: 0,
    }
    told.push(opened)
    return opened
  }
  for (const { after, takes, change } of orders) {
    const created = at + after * HALF_AN_HOUR
    const filled = created + takes * HALF_AN_HOUR
    const units = Math.abs(change)
    const each = Array.from(
      { length: units },
      (_, unit) => created + ((unit + 1) * takes * HALF_AN_HOUR) / units,
    )
    const unitSide = Math.sign(change)
    const turns = held !== 0 && Math.sign(held) === -Math.sign(held + change)
    fills.push({ symbol: 'BTCUSDT', created, filled, side: 'net', change })
    fund(each[0] ?? filled)
    for (const time of each) {
      const closes = Math.sign(held) === -unitSide
      if (turns) {
        for (; hour < time; hour += 2 * HALF_AN_HOUR) {
          record('SETTLE_FEE', hour, 5, 0)
          unknown.funding += 5
        }
      } else fund(time)
      position ??= open(unitSide, time)
      held += unitSide
      record('BUY_DEAL', time, closes ? 7 : 0, -1)
      if (closes) position.results += 7
      if (turns) unknown.fees -= 1
      else position.fees -= 1
      position.records++
    }
    if (turns && hour === filled) {
      record('SETTLE_FEE', hour, 5, 0)
      unknown.funding += 5
      hour += 2 * HALF_AN_HOUR
    }
    if (position !== null && (held === 0 || turns)) position.to = filled
    if (held === 0) position = null
    if (turns) position = open(held, filled)
    at = filled
  }
  fund(at + 1)
  const rows = told
    .filter((one) => one.records > 0)
    .map((one) => {
      const closed = one.to === null ? 'open null' : `closed ${moment(one.to)}`
      return `${one.side} ${moment(one.from)} ${closed} ${one.results} ${one.fees} ${one.funding}`
    })
  const rest = unknown.fees === 0 ? [] : [`null unknown 0 ${unknown.fees} ${unknown.funding}`]
  return { book: { fills, records }, told: [...rows.toSorted(), ...rest] }
}

const timeOf = (cell: string | null | undefined): string =>
  cell == null ? 'null' : moment(Date.parse(cell.replace(' ', 'T').replace('+00', 'Z')))

const shown = (row: ModelRow): string => {
  const amounts = `${row.realised_pnl} ${row.fees} ${row.funding}`
  if (row.state === 'unknown') return `${row.hold_side} unknown ${amounts}`
  return `${row.hold_side} ${timeOf(row.opened_at)} ${row.state} ${timeOf(row.closed_at)} ${amounts}`
}

test('consecutive orders make the positions that were held, each with its own records', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(whole(ordered, 8), { minLength: 60, maxLength: 60 }), async (all) => {
      const expected = all.map(followed)
      const { positions } = await positionsOf(expected.map(({ book }) => book))
      const found = all.map((_, account) =>
        positions
          .filter((row) => row.account === String(account))
          .map(shown)
          .toSorted(),
      )
      expect(found).toEqual(expected.map(({ told }) => told.toSorted()))
    }),
    { numRuns: 4, endOnFailure: true },
  )
})

// However little orders and records fit together.

const symbol = fc.constantFrom('BTCUSDT', 'BTCUSDT', 'ETHUSDT')

/** Orders that overlap or follow each other within a millisecond, of both modes. */
const fills = whole(
  fc.record({
    symbol,
    after: fc.constantFrom(-HALF_AN_HOUR, 0, 1, HALF_AN_HOUR, HALF_AN_HOUR + 1),
    takes: fc.constantFrom(0, 0, 1, 3),
    side: fc.constantFrom('net', 'net', 'net', 'net', 'long', 'short'),
    change,
  }),
  8,
).map((orders): Fill[] => {
  let at = START
  return orders.map(({ after, takes, ...order }) => {
    const created = at + after
    at = created + takes * HALF_AN_HOUR
    return { ...order, created, filled: at }
  })
})

const records = whole(
  fc.record({
    symbol: fc.option(symbol, { freq: 9 }),
    coin: fc.constantFrom('USDT', 'USDT', 'BGB'),
    type: fc.constantFrom(...TYPES.keys()),
    at: fc
      .tuple(fc.integer({ min: -1, max: 14 }), fc.constantFrom(0, 0, 0, 1, 12_000))
      .map(([halves, ms]) => START + halves * HALF_AN_HOUR + ms),
    amount: fc.integer({ min: -9, max: 9 }),
    fee: fc.constantFrom(0, -1, -2),
  }),
  9,
)

function totals(rows: readonly ModelRow[], amounts: (row: ModelRow) => readonly [string, unknown][]) {
  const sums = new Map<string, number>()
  for (const row of rows)
    for (const [name, amount] of amounts(row)) {
      const key = `${row.account} ${row.symbol} ${row.coin ?? row.margin_coin} ${name}`
      sums.set(key, (sums.get(key) ?? 0) + Number(amount))
    }
  return [...sums].filter(([, sum]) => sum !== 0).toSorted()
}

const repeated = (keys: readonly string[]): string[] =>
  keys.filter((key, place) => keys.indexOf(key) !== place)

test('whatever orders and records exist, each record counts once, in one position of one side', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ fills, records }), { minLength: 100, maxLength: 100 }),
      async (books) => {
        const { stretches, moves, positions } = await positionsOf(books)
        const entries = entriesOf(books)
        const place = (row: ModelRow): string => `${row.account} ${row.place} ${row.part}`
        expect(moves.map(place).toSorted()).toEqual(entries.map(place).toSorted())
        const columnOf = (kind: unknown) =>
          kind === 'liquidation' ? 'realised_pnl' : kind === 'fee' ? 'fees' : String(kind)
        expect(
          totals(positions, (row) => ['realised_pnl', 'fees', 'funding'].map((name) => [name, row[name]])),
        ).toEqual(totals(entries, ({ kind, amount }) => [[columnOf(kind), amount]]))
        const begun = ({ account, symbol, position_side, number, begins_at }: ModelRow) =>
          `${account} ${symbol} ${position_side} ${number} ${begins_at}`
        expect(repeated(stretches.map(begun))).toEqual([])
        const key = (row: ModelRow) =>
          `${row.account} ${row.symbol} ${row.margin_coin} ${row.hold_side} ${row.position_number}`
        expect(repeated(positions.map(key))).toEqual([])
        const sides = moves
          .filter(({ stretch }) => stretch !== null)
          .map(
            (row) =>
              `${row.account} ${row.symbol} ${row.position_side} ${row.number} ${row.stretch}: ${row.hold_side}`,
          )
        expect(repeated([...new Set(sides)].map((side) => side.split(':')[0] ?? ''))).toEqual([])
        expect(
          positions.filter((row) => row.closed_at != null && timeOf(row.opened_at) > timeOf(row.closed_at)),
        ).toEqual([])
      },
    ),
    { numRuns: 4, endOnFailure: true },
  )
})
