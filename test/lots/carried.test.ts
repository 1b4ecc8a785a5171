// Lots that are carried on from a moment before the first change come to what matching everything again comes to: random books
// that grow, and change, night by night, with transfers across any midnight, loans, gifts, and coins of unknown source.
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { mulberry32 } from '../../bench/random.ts'
import { worthKeeping } from '../../pipeline/lots/carried.ts'
import type { Method } from '../../pipeline/lots/engine.ts'
import type { EventKind, LotEvent, Scope } from '../../pipeline/lots/event.ts'
import { type LotsStepOptions, lotsStep } from '../../pipeline/lots/step.ts'
import { lotTableNames } from '../../pipeline/lots/tables.ts'
import { at, borrow, buy, into, out, sell } from './books.ts'
import { insertEvents, makeLotEvents } from './database.ts'

const DAY_US = 86_400_000_000n
const FIRST = at('2025-01-01T00:00:00Z')
const day = (number: number): string =>
  new Date(Number((FIRST + BigInt(number) * DAY_US) / 1_000n)).toISOString().slice(0, 10)

let instance: DuckDBInstance
let connection: DuckDBConnection

beforeEach(async () => {
  instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  connection = await instance.connect()
  await connection.run("set timezone = 'UTC'; attach ':memory:' as staging")
  await makeLotEvents(connection)
})

afterEach(() => {
  connection.closeSync()
  instance.closeSync()
})

async function tablesIn(one: DuckDBConnection): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {}
  for (const name of [...lotTableNames, 'lot_matching'])
    found[name] = (await one.runAndReadAll(`select * from ${name} order by all`)).getRowObjectsJson()
  return found
}

/** What a run over all these events makes, in a database of its own. */
async function made(
  events: readonly LotEvent[],
  options: LotsStepOptions,
): Promise<Record<string, unknown[]>> {
  const apart = await DuckDBInstance.create(':memory:', { threads: '1' })
  const own = await apart.connect()
  try {
    await own.run("set timezone = 'UTC'")
    await makeLotEvents(own)
    await insertEvents(own, events)
    await lotsStep(options).run(own)
    return await tablesIn(own)
  } finally {
    own.closeSync()
    apart.closeSync()
  }
}

/** The books now, as rows in another order than last night. */
async function put(events: readonly LotEvent[]): Promise<void> {
  await connection.run('truncate lot_events')
  await insertEvents(connection, events)
}

const momentsKept = async (): Promise<string[]> =>
  (
    await connection.runAndReadAll(
      'select distinct cast(moment as date)::varchar from staging.lot_moments order by 1',
    )
  )
    .getRows()
    .map(([moment]) => String(moment))

/** Random events of these days, with both legs of a transfer among them. */
function randomEvents(
  random: () => number,
  [from, to]: readonly [number, number],
  count: number,
  name: string,
): LotEvent[] {
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T
  const whole = (most: number): bigint => BigInt(1 + Math.floor(random() * most))
  const time = (): bigint => FIRST + BigInt(Math.floor((from + random() * (to - from)) * 24)) * (DAY_US / 24n)
  return Array.from({ length: count }, (_, number): LotEvent[] => {
    const id = `${name}-${number}`
    const coin = pick(['BTC', 'ETH', 'SOL'])
    const [account, other] = pick([
      ['main', 'cold'],
      ['cold', 'main'],
      ['main', 'shop'],
    ])
    const event = (kind: EventKind, extra: Partial<LotEvent> = {}): LotEvent => ({
      ...{ account: account as string, coin, happenedAtUs: time(), place: whole(1_000), id, kind },
      ...{ quantity: whole(1e6) * 10n ** 12n, value: random() < 0.2 ? null : whole(1e6) * 10n ** 13n },
      ...extra,
    })
    const chance = random()
    if (chance < 0.4) return [event('acquire')]
    if (chance < 0.65) return [event('dispose')]
    if (chance < 0.7) return [event('give')]
    if (chance < 0.74) return [event('transfer_in', { transferId: `alone ${id}` })]
    if (chance < 0.78) return [event('transfer_out', { transferId: `alone ${id}` })]
    // Only one coin is ever borrowed.
    if (chance < 0.84) return [event(pick(['borrow', 'repay']), { coin: 'SOL', transferId: '', value: null })]
    const [left, hours] = [time(), BigInt(Math.floor(random() * 30) - 3)]
    const quantity = whole(1e6) * 10n ** 12n
    return [
      event('transfer_out', { id: `${id}:out`, happenedAtUs: left, quantity, transferId: id }),
      event('transfer_in', {
        ...{ id: `${id}:in`, account: other as string, transferId: id },
        happenedAtUs: left + hours * (DAY_US / 24n),
        quantity: random() < 0.5 ? quantity : whole(1e6) * 10n ** 12n,
      }),
    ]
  }).flat()
}

const METHODS: readonly Method[] = ['fifo', 'lifo', 'hifo', 'lofo', 'specific']
const SEEDS = Number(process.env.SEEDS ?? 1)

const SCOPES: readonly Scope[] = ['account', 'universal']

/** Under each scope, or only one; and what changes on the way, as the rules us do in 2025. */
const matchings: readonly LotsStepOptions[] = [
  ...METHODS.flatMap((method, place) =>
    (method === 'fifo' || SEEDS > 1 ? SCOPES : [SCOPES[place % 2] as Scope]).map((scope) => ({
      method,
      scope,
    })),
  ),
  {
    method: 'fifo',
    scope: 'universal',
    changes: [{ fromUs: FIRST + 120n * DAY_US, method: 'fifo', scope: 'account' }],
  },
  {
    method: 'hifo',
    scope: 'account',
    changes: [
      { fromUs: FIRST + 60n * DAY_US, method: 'lifo', scope: 'account' },
      { fromUs: FIRST + 205n * DAY_US, method: 'hifo', scope: 'universal' },
    ],
  },
]

const shown = ({ method, scope, changes = [] }: LotsStepOptions): string =>
  [{ method, scope }, ...changes].map((one) => `${one.method} by ${one.scope}`).join(', then ')

// SEEDS=20 tries as many other books.
describe('nights', () => {
  for (let seed = 1; seed <= SEEDS; seed += 1)
    for (const options of matchings)
      it(`${shown(options)}, with seed ${seed}, come to what a run over everything makes`, async () => {
        const random = mulberry32(100 * seed + matchings.indexOf(options))
        const step = lotsStep(options)
        let events = randomEvents(random, [0, 200], 600, 'first')
        await put(events)
        await step.run(connection, { keepsSteps: true })
        expect(await tablesIn(connection)).toEqual(await made(events, options))
        let carried = 0
        for (let night = 1; night <= 4; night += 1) {
          const last = 200 + night * 3
          // Most nights bring the last days, some what is late, and take back what has changed.
          const from = night % 3 === 0 ? Math.floor(random() * last) : last - 1 - Math.floor(random() * 4)
          const first = FIRST + BigInt(from) * DAY_US
          const lasting = events.filter(({ transferId, happenedAtUs }) => {
            const legs = events.filter((leg) => transferId !== undefined && leg.transferId === transferId)
            return (
              [happenedAtUs, ...legs.map((leg) => leg.happenedAtUs)].some((us) => us < first) ||
              random() < 0.9
            )
          })
          const legsOf = ({ transferId }: LotEvent) =>
            lasting.filter((leg) => leg.transferId === transferId).length
          const whole = lasting.filter(
            (event) =>
              event.transferId === undefined || !event.id.toString().includes(':') || legsOf(event) === 2,
          )
          const added = randomEvents(random, [from + 0.2, last], 12, `night ${night}`).filter(
            ({ happenedAtUs }) => happenedAtUs >= first,
          )
          events = [...added, ...whole]
          await put(events)
          if (await step.carryOn?.(connection, day(from))) carried += 1
          else await step.run(connection, { keepsSteps: true })
          expect(await tablesIn(connection), `night ${night}, from day ${from} of ${last}`).toEqual(
            await made(events, options),
          )
        }
        expect(carried).toBeGreaterThanOrEqual(2)
      })
})

describe('what is carried on', () => {
  const options: LotsStepOptions = { method: 'fifo', scope: 'account' }
  const step = lotsStep(options)
  const books = [
    buy('b1', '2025-03-01', '3', '30'),
    sell('s1', '2025-03-10', '1', '12'),
    buy('e1', '2025-03-02', '5', '5', { coin: 'ETH' }),
    sell('s2', '2025-06-30', '1', '14'),
  ]

  it('goes on from the last moment before the change: rows before it are not read again', async () => {
    await put(books)
    await step.run(connection, { keepsSteps: true })
    expect(await momentsKept()).toEqual(['2025-05-29', '2025-06-28'])
    // What is not among the events any more would be missed, if it were read.
    await put([...books.filter(({ id }) => id !== 's1'), sell('s3', '2025-06-30T13:00:00Z', '1', '15')])
    expect(await step.carryOn?.(connection, '2025-06-30')).toBe(true)
    const rows = await tablesIn(connection)
    expect(rows.disposals).toEqual(
      ['s1', 's2', 's3'].map((id) => expect.objectContaining({ disposal_id: id, lot_id: 'b1' })),
    )
    expect(rows.lots).toEqual([expect.objectContaining({ coin: 'ETH', lot_id: 'e1' })])
    // A new moment is noted once the last is a week old.
    for (const [last, noted] of [
      ['2025-07-05', '2025-06-28'],
      ['2025-07-06', '2025-07-04'],
    ] as const) {
      await put([...books, buy('e2', last, '1', '1', { coin: 'ETH' })])
      expect(await step.carryOn?.(connection, '2025-06-30')).toBe(true)
      expect((await momentsKept()).at(-1)).toBe(noted)
    }
    // Of those that are not a month old, the first and the last stay.
    await put([...books, buy('e2', '2025-07-14', '1', '1', { coin: 'ETH' })])
    expect(await step.carryOn?.(connection, '2025-07-05')).toBe(true)
    expect(await momentsKept()).toEqual(['2025-05-29', '2025-06-28', '2025-07-12'])
  })

  it('is refused for a day before every moment, for another matching, and where nothing was carried forward', async () => {
    await put(books)
    expect(await step.carryOn?.(connection, '2025-06-30')).toBe(false)
    await step.run(connection, { keepsSteps: true })
    expect(await step.carryOn?.(connection, '2025-05-28')).toBe(false)
    expect(await lotsStep({ ...options, method: 'lifo' }).carryOn?.(connection, '2025-06-30')).toBe(false)
    await lotsStep({ ...options, method: 'average' }).run(connection, { keepsSteps: true })
    expect(await step.carryOn?.(connection, '2025-06-30')).toBe(false)
  })

  it('is refused if a lot that was carried forward is not among the events, or is there twice', async () => {
    await put(books)
    await step.run(connection, { keepsSteps: true })
    const [first] = books
    const without = books.filter(({ id }) => id !== 'e1')
    for (const events of [without, [...books, first as LotEvent], [...without, first as LotEvent]]) {
      await put(events)
      expect(await step.carryOn?.(connection, '2025-06-30')).toBe(false)
    }
  })

  it('notes the moments after a late change again', async () => {
    const late = [...books, buy('b2', '2025-06-01', '2', '50')]
    const later = [...late, sell('s4', '2025-06-30T14:00:00Z', '2', '40')]
    await put(books)
    await step.run(connection, { keepsSteps: true })
    for (const [events, from] of [
      [late, '2025-06-01'],
      [later, '2025-06-30'],
    ] as const) {
      await put(events)
      expect(await step.carryOn?.(connection, from)).toBe(true)
      expect(await tablesIn(connection)).toEqual(await made(events, options))
      expect(await momentsKept()).toEqual(['2025-05-29', '2025-06-28'])
    }
  })

  it('does not begin between the legs of a transfer, whichever of them came first', async () => {
    const legs = [
      out('t1:out', '2025-06-27T23:00:00Z', '1', { account: 'main' }),
      into('t1:in', '2025-06-28T01:00:00Z', '1', { account: 'cold' }),
      // An hour before it left, by another clock.
      into('t2:in', '2025-06-27T22:30:00Z', '1', { account: 'cold' }),
      out('t2:out', '2025-06-27T23:30:00Z', '1', { account: 'main' }),
      // The one leg at midnight itself.
      out('t4:out', '2025-05-28T20:00:00Z', '0.5', { account: 'main' }),
      into('t4:in', '2025-05-29T00:00:00Z', '0.5', { account: 'cold' }),
    ]
    await put([...books, ...legs])
    await step.run(connection, { keepsSteps: true })
    const reader = await connection.runAndReadAll(
      'select moment::varchar from staging.lot_moments order by 1',
    )
    expect(reader.getRows()).toEqual([['2025-05-28 20:00:00+00'], ['2025-06-27 22:30:00+00']])
    // A moment that has come to lie between two legs since is passed over.
    const more = [
      ...[...books, ...legs],
      out('t3:out', '2025-06-27T22:00:00Z', '1', { account: 'main' }),
      into('t3:in', '2025-06-30T09:00:00Z', '1', { account: 'cold' }),
    ]
    await put(more)
    expect(await step.carryOn?.(connection, '2025-06-30')).toBe(true)
    expect(await tablesIn(connection)).toEqual(await made(more, options))
  })

  it('begins again with the first event of a coin that had been borrowed by then', async () => {
    const loan = [
      buy('c1', '2025-03-01', '1', '10', { coin: 'SOL' }),
      borrow('l1', '2025-03-02', '4', { coin: 'SOL' }),
      sell('c2', '2025-03-03', '3', '60', { coin: 'SOL' }),
    ]
    const later = [...books, ...loan, buy('c3', '2025-06-30', '2', '20', { coin: 'SOL' })]
    await put([...books, ...loan])
    await step.run(connection, { keepsSteps: true })
    await put(later)
    expect(await step.carryOn?.(connection, '2025-06-30')).toBe(true)
    expect(await tablesIn(connection)).toEqual(await made(later, options))
    expect((await tablesIn(connection)).short_sales).toHaveLength(2)
  })

  it('is offered only where each method decides immediately and keeps lots', () => {
    const can = (more: Partial<LotsStepOptions>): boolean =>
      lotsStep({ ...options, ...more }).carryOn !== undefined
    expect(METHODS.map((method) => can({ method }))).toEqual([true, true, true, true, true])
    expect(can({ method: 'average' })).toBe(false)
    expect(can({ method: 'uk', scope: 'universal' })).toBe(false)
    expect(can({ method: 'ca', scope: 'universal' })).toBe(false)
    expect(can({ shortSales: 'when sold' })).toBe(false)
    expect(can({ changes: [{ fromUs: FIRST, method: 'lifo', scope: 'account' }] })).toBe(true)
    expect(can({ changes: [{ fromUs: FIRST, method: 'average', scope: 'account' }] })).toBe(false)
    expect(can({ method: 'average', changes: [{ fromUs: FIRST, method: 'fifo', scope: 'account' }] })).toBe(
      false,
    )
    expect(can({ selections: new Map() })).toBe(false)
    expect(can({ allocations: [] })).toBe(false)
    expect(can({ tables: ['lots'] })).toBe(false)
  })
})

it('of each class of age, the newest and the oldest moment stay, and the newest of the oldest class', () => {
  const ages = [2, 3, 7, 8, 9, 20, 31, 32, 50, 127, 128, 200, 400]
  const last = 1_000n * DAY_US
  expect(
    worthKeeping(
      ages.map((age) => last - BigInt(age) * DAY_US),
      last,
    ).map((us) => Number((last - us) / DAY_US)),
  ).toEqual([31, 2, 32])
})
