// Positions of futures after nights that rebuild only what follows from a changed day: what an earlier day left is carried on.
// SEEDS=40 tries as many other histories.
import { expect, test } from 'vitest'
import { mulberry32 } from '../../bench/random.ts'
import type { BuildOptions, BuildResult } from '../../pipeline/ledger/build.ts'
import { isSame } from '../../pipeline/ledger/rows.ts'
import { type Cells, TestBooks } from '../support/books.ts'

const FROM = Number(process.env.FROM ?? 1)
const SEEDS = Number(process.env.SEEDS ?? 1)

const LINE = 'USDT-FUTURES'
const FIRST = Date.UTC(2026, 0, 1)
const DAY_MS = 86_400_000

const CARRIED = [
  'staging.futures_runs',
  'staging.futures_episodes',
  'staging.futures_stretches',
  'staging.futures_position_moves',
]
const POSITIONS = [
  ...CARRIED,
  'staging.futures_levels',
  'staging.futures_fills',
  'main.futures_positions_pnl',
]

const build = (books: TestBooks, options: Partial<BuildOptions> = {}): Promise<BuildResult> =>
  books.build({}, { keepSteps: true, publishAnyway: true, ...options })

/** Of the tables of positions, those in which the build differs from a full one. */
async function differences(books: TestBooks, { found }: BuildResult): Promise<string[]> {
  const full = await build(books, { only: POSITIONS, publish: false, keepSteps: false })
  return POSITIONS.filter((table) => !isSame(full.found.get(table), found.get(table)))
}

const slicedIn = ({ tables }: BuildResult): string[] =>
  tables.flatMap(({ table, days }) => (days === undefined ? [] : [table]))

const timeOf = (ms: number): string => `${new Date(ms).toISOString().replace('T', ' ').replace('Z', '')}+00`

interface Arriving {
  readonly night: number
  readonly order?: Cells
  readonly record?: Cells
}

const HISTORY_DAYS = 40
const NIGHTS = 5
const HOUR_MS = 3_600_000

/** A contract and side; of one-way mode, most orders reverse what is held. */
interface Contract {
  readonly symbol: string
  readonly side: 'long' | 'short' | null
  readonly heldBefore: number
}

const CONTRACTS: readonly Contract[] = [
  { symbol: 'BTCUSDT', side: 'long', heldBefore: 0 },
  { symbol: 'BTCUSDT', side: 'short', heldBefore: 0 },
  { symbol: 'ETHUSDT', side: null, heldBefore: 0 },
  { symbol: 'SOLUSDT', side: null, heldBefore: 0 },
  { symbol: 'SOLUSDT', side: 'long', heldBefore: 2 },
]

/** Orders that open, close and reverse positions, with their records; some arrive late, or in two versions. */
function history(random: () => number): Arriving[] {
  const below = (limit: number): number => Math.floor(random() * limit)
  const arriving: Arriving[] = []
  const nightOf = (at: number): number =>
    Math.max(0, Math.floor((at - FIRST) / DAY_MS) - HISTORY_DAYS + NIGHTS)
  for (const { symbol, side, heldBefore } of CONTRACTS) {
    let [at, held] = [FIRST + below(3 * DAY_MS), heldBefore]
    for (let nth = 0; at < FIRST + HISTORY_DAYS * DAY_MS; nth += 1) {
      const closes = held !== 0 && (side === null ? below(4) === 0 : below(2) === 0)
      const amount = closes ? Math.abs(held) : 1 + below(2) + (side === null ? Math.abs(held) : 0)
      const sign = closes || (side === null && below(5) > 0) ? -Math.sign(held) || 1 : Math.sign(held) || 1
      held += sign * amount
      const lasts = below(6) === 0 ? below(4 * DAY_MS) : below(HOUR_MS)
      const version = (quantity: number, updated: number): Cells => ({
        ...{ order_id: `${symbol} ${side} ${nth}`, category: LINE, symbol, pos_side: side },
        ...{ side: (side === 'short') === sign > 0 ? 'sell' : 'buy', order_status: 'filled' },
        ...{
          cum_exec_qty: String(quantity),
          created_time: timeOf(at - lasts),
          updated_time: timeOf(updated),
        },
      })
      const night = nightOf(at) + (side === null && below(15) === 0 ? below(3) : 0)
      if (amount > 1 && below(10) === 0)
        arriving.push(
          { night, order: version(1, at - lasts) },
          { night: night + 1, order: version(amount, at) },
        )
      else arriving.push({ night, order: version(amount, at) })
      const type = side === null ? 'buy_deal' : `${sign > 0 ? 'open' : 'close'}_${side}`
      for (let record = below(3); record > 0; record -= 1)
        arriving.push({
          night: nightOf(at) + (below(15) === 0 ? 1 : 0),
          record: {
            ...{ id: `${symbol} ${side} ${nth} ${record}`, symbol, margin_coin: 'USDT' },
            future_tax_type: below(5) === 0 ? 'contract_main_settle_fee_user_in' : type,
            ...{ amount: String(below(9)), fee: String(-below(2)) },
            ts: timeOf(at - Math.min(lasts, below(HOUR_MS)) + (below(3) === 0 ? HOUR_MS : 0)),
          },
        })
      at += HOUR_MS + below(below(8) === 0 ? 3 * DAY_MS : 8 * HOUR_MS)
    }
  }
  return arriving
}

const sliced = new Set<string>()

for (let seed = FROM; seed < FROM + SEEDS; seed += 1)
  test(`positions of history ${seed} are those of a full build after each night`, async () => {
    const random = mulberry32(seed)
    const books = await TestBooks.open()
    try {
      await books.account('classic', 'classic')
      const arriving = history(random)
      const ofNight = (night: number): Arriving[] =>
        arriving.filter((one) => Math.min(one.night, NIGHTS) === night)
      for (let night = 0; night <= NIGHTS; night += 1) {
        const [orders, records] = [[], []] as [Cells[], Cells[]]
        for (const { order, record } of ofNight(night)) {
          if (order !== undefined) orders.push(order)
          if (record !== undefined) records.push(record)
        }
        const of = { account: 'classic', partition: LINE }
        await books.page('trade.orderHistory', orders, of)
        await books.futures(LINE, records, { account: 'classic' })
        const built = await build(books)
        for (const table of slicedIn(built)) sliced.add(table)
        if (night > 0) expect(await differences(books, built), `night ${night}`).toEqual([])
      }
    } finally {
      await books.close()
    }
  }, 600_000)

test('and of each of their tables, some night rebuilt some days alone', () => {
  expect([...sliced]).toEqual(expect.arrayContaining(CARRIED))
})

test('an order across midnight reverses a position as long as no other was live, whichever night says so', async () => {
  const books = await TestBooks.open()
  const at = (day: number, time: string): string =>
    timeOf(FIRST + (day - 1) * DAY_MS).replace('00:00:00', time)
  const of = { account: 'classic', partition: LINE }
  const order = (
    id: string,
    symbol: string,
    change: number,
    from: string,
    to = from,
    side?: string,
  ): Cells => ({
    ...{ order_id: id, category: LINE, symbol, pos_side: side ?? null, order_status: 'filled' },
    ...{ side: change > 0 ? 'buy' : 'sell', cum_exec_qty: String(Math.abs(change)) },
    ...{ created_time: from, updated_time: to },
  })
  let id = 0
  const record = (symbol: string, amount: string, fee: string, ts: string, type = 'buy_deal'): Cells => ({
    ...{ id: String(++id), symbol, margin_coin: 'USDT', future_tax_type: type, amount, fee, ts },
  })
  const positions = (): Promise<(string | null)[][]> =>
    books.query(
      `select hold_side, state, strftime(opened_at, '%d %H:%M'), strftime(closed_at, '%d %H:%M'), realised_pnl, fees
       from futures_positions_pnl where symbol = 'ETHUSDT' order by opened_at`,
    )
  try {
    await books.account('classic', 'classic')
    const days = Array.from({ length: 20 }, (_, day) => day + 1)
    await books.page(
      'trade.orderHistory',
      [
        ...days.flatMap((day) => [
          order(`open ${day}`, 'BTCUSDT', 1, at(day, '08:00:00'), at(day, '08:00:00'), 'long'),
          order(`close ${day}`, 'BTCUSDT', -1, at(day, '18:00:00'), at(day, '18:00:00'), 'long'),
        ]),
        order('opens', 'ETHUSDT', 2, at(21, '10:00:00')),
        order('reverses', 'ETHUSDT', -5, at(22, '22:00:00'), at(23, '02:00:00')),
        order('closes', 'ETHUSDT', 3, at(23, '12:00:00')),
        order('between opens', 'ETHUSDT', 1, at(23, '13:00:00')),
        order('between closes', 'ETHUSDT', -1, at(24, '02:00:00')),
      ],
      of,
    )
    await books.futures(
      LINE,
      [
        ...days.map((day) => record('BTCUSDT', '1', '0', at(day, '18:00:00'), 'close_long')),
        record('ETHUSDT', '0', '-1', at(21, '10:00:00')),
        record('ETHUSDT', '7', '0', at(23, '02:00:00')),
        record('ETHUSDT', '9', '0', at(23, '12:00:00')),
      ],
      { account: 'classic' },
    )
    await build(books)
    const reversed = [
      ['long', 'closed', '21 10:00', '23 02:00', '7', '-1'],
      ['short', 'closed', '23 02:00', '23 12:00', '9', '0'],
    ]
    expect(await positions()).toEqual(reversed)
    const nights: [() => Promise<unknown>, (string | null)[][]][] = [
      [
        async () => {
          const late = order('late', 'ETHUSDT', 1, at(23, '01:00:00'), at(24, '03:00:00'))
          await books.page('trade.orderHistory', [late], of)
          await books.futures(LINE, [record('ETHUSDT', '0', '-2', at(24, '03:00:00'))], {
            account: 'classic',
          })
        },
        [
          ['long', 'closed', '21 10:00', '23 12:00', '16', '-1'],
          ['long', 'open', '24 03:00', null, '0', '-2'],
        ],
      ],
      [
        async () => {
          await books.sql("delete from landing.main.orders where order_id = 'late'")
          await books.sql('delete from landing.main.futures_records where fee = -2')
        },
        reversed,
      ],
      // The fee of the reversing order is of both positions; the result between its beginning and its end is of the first.
      [
        () =>
          books.futures(
            LINE,
            [
              record('ETHUSDT', '4', '0', at(23, '00:30:00')),
              record('ETHUSDT', '0', '-3', at(23, '01:00:00')),
            ],
            { account: 'classic' },
          ),
        [
          ['long', 'closed', '21 10:00', '23 02:00', '11', '-1'],
          [null, 'unknown', '23 01:00', null, '0', '-3'],
          ['short', 'closed', '23 02:00', '23 12:00', '9', '0'],
        ],
      ],
    ]
    for (const [change, expected] of nights) {
      await change()
      const built = await build(books)
      expect(slicedIn(built)).toEqual(expect.arrayContaining(CARRIED.slice(2)))
      expect(await positions()).toEqual(expected)
      expect(await differences(books, built)).toEqual([])
    }
  } finally {
    await books.close()
  }
})
