// What a run of the lots leaves for the next night: what is held of each coin at a few moments, in tables among the
// intermediate steps. The next run goes on from the last of these moments before anything that it reads has changed.
import {
  type DuckDBConnection,
  type DuckDBDecimalValue,
  type DuckDBValue,
  LIST,
  listValue,
  VARCHAR,
} from '@duckdb/node-api'
import { Amounts, bigintsOf, integersOf } from '../engine/chunk.ts'
import { literal } from '../engine/quote.ts'
import { compareAcquisition, type Parcel, wholeLot } from './parcel.ts'
import type { CarriedForward, HeldParcel } from './running-book.ts'
import type { UnknownBasisRow } from './unknown-basis.ts'
import { Words } from './words.ts'
import { RowWriter, type WriterColumns } from './writer.ts'

/**
 * How many days before the last event the moments are: a record is rarely late by more than a few, and each moment costs as much
 * as is held then.
 */
const AGES_DAYS = [2, 32] as const
/** A new moment is noted once the last is so old: going over a week again costs less than noting every night what is held. */
const NOTED_EVERY_DAYS = 8n
const DAY_US = 86_400_000_000n

/** Of each moment: by which matching. Of each coin then: the last position in the order of acquisition; null if it begins again. */
const TABLES = {
  moments: 'staging.lot_moments',
  coins: 'staging.lot_moment_coins',
  parcels: 'staging.lot_moment_parcels',
  unknown: 'staging.lot_moment_unknown',
} as const

const COINS = { moment: 'time', coin: 'whole', last_order: 'whole' } as const satisfies WriterColumns

/** A parcel is dated unless it arrived from an unknown source. */
const PARCELS = {
  moment: 'time',
  coin: 'whole',
  account: 'whole',
  lot: 'whole',
  is_dated: 'whole',
  lot_order: 'whole',
  lot_quantity: 'amount',
  lot_value: 'amount',
  from_quantity: 'amount',
  to_quantity: 'amount',
  from_cost: 'amount',
  to_cost: 'amount',
} as const satisfies WriterColumns

const UNKNOWN = {
  moment: 'time',
  account: 'whole',
  coin: 'whole',
  quantity: 'amount',
  unvalued_quantity: 'amount',
  disposals: 'whole',
} as const satisfies WriterColumns

const word = (code: string): string => `list_extract($words, ${code} + 1)`

/** The parcels find their lots by the key of `lot_events`, because its rows move. */
const selects = {
  coins: `select moment, ${word('coin')} as coin, last_order from temp.carried_coins`,
  parcels: `
    select moment, ${word('carried.coin')} as coin, ${word('carried.account')} as account, lots.happened_at as happened_at,
      lots.place as place, lots.account as lot_account, lots.event_id as event_id,
      ${columnsFrom('is_dated', PARCELS)}
    from temp.carried_parcels as carried
    join lot_events as lots on lots.rowid = carried.lot`,
  unknown: `
    select moment, ${word('account')} as account, ${word('coin')} as coin, ${columnsFrom('quantity', UNKNOWN)}
    from temp.carried_unknown`,
} as const

function columnsFrom(first: string, columns: WriterColumns): string {
  const names = Object.keys(columns)
  return names.slice(names.indexOf(first)).join(', ')
}

/** Collects what is held at moments, and adds it to the tables. */
export class CarryingForward {
  readonly #matching: string
  readonly #words = new Words()
  readonly #coins: RowWriter<typeof COINS>
  readonly #parcels: RowWriter<typeof PARCELS>
  readonly #unknown: RowWriter<typeof UNKNOWN>

  private constructor(
    matching: string,
    coins: RowWriter<typeof COINS>,
    parcels: RowWriter<typeof PARCELS>,
    unknown: RowWriter<typeof UNKNOWN>,
  ) {
    this.#matching = matching
    this.#coins = coins
    this.#parcels = parcels
    this.#unknown = unknown
  }

  /** `matching`: the name of what the run matches by. */
  static async open(connection: DuckDBConnection, matching: string): Promise<CarryingForward> {
    return new CarryingForward(
      matching,
      await RowWriter.create(connection, 'carried_coins', COINS, TABLES.coins),
      await RowWriter.create(connection, 'carried_parcels', PARCELS, TABLES.parcels),
      await RowWriter.create(connection, 'carried_unknown', UNKNOWN, TABLES.unknown),
    )
  }

  /** `held`: null if a run cannot go on from it. `unknown`: of this coin, by then. */
  add(atUs: bigint, coin: string, held: CarriedForward | null, unknown: readonly UnknownBasisRow[]): void {
    const code = this.#words.codeOf(coin)
    const lots = held !== null && isOfEvents(held) ? held : null
    const coins = this.#coins
    coins.columns.moment.set(coins.row, atUs)
    coins.columns.coin.set(coins.row, code)
    coins.columns.last_order.set(coins.row, lots === null ? null : lots.order)
    coins.endRow()
    for (const { account, parcel } of lots?.parcels ?? []) {
      const { lot, from, to, costFrom, costTo } = parcel
      const { columns, row } = this.#parcels
      columns.moment.set(row, atUs)
      columns.coin.set(row, code)
      columns.account.set(row, this.#words.codeOf(account))
      columns.lot.set(row, lot.id as number)
      columns.is_dated.set(row, lot.acquiredAtUs === null ? 0 : 1)
      columns.lot_order.set(row, lot.order)
      columns.lot_quantity.set(row, lot.quantity)
      columns.lot_value.set(row, lot.value)
      columns.from_quantity.set(row, from)
      columns.to_quantity.set(row, to)
      columns.from_cost.set(row, costFrom)
      columns.to_cost.set(row, costTo)
      this.#parcels.endRow()
    }
    for (const { account, quantity, unvaluedQuantity, disposals } of lots === null ? [] : unknown) {
      const { columns, row } = this.#unknown
      columns.moment.set(row, atUs)
      columns.account.set(row, this.#words.codeOf(account))
      columns.coin.set(row, code)
      columns.quantity.set(row, quantity)
      columns.unvalued_quantity.set(row, unvaluedQuantity)
      columns.disposals.set(row, disposals)
      this.#unknown.endRow()
    }
  }

  /** Writes what was collected at these moments, and forgets those that no later night needs. */
  async finish(connection: DuckDBConnection, momentsUs: readonly bigint[]): Promise<void> {
    for (const writer of [this.#coins, this.#parcels, this.#unknown]) writer.close()
    const words = listValue(this.#words.list())
    for (const [name, select] of Object.entries(selects))
      await connection.run(
        `insert into ${TABLES[name as keyof typeof selects]} ${select}`,
        { words },
        { words: LIST(VARCHAR) },
      )
    for (const us of momentsUs)
      await connection.run(`insert into ${TABLES.moments} values (${moment(us)}, ${literal(this.#matching)})`)
    await connection.run(
      ['carried_coins', 'carried_parcels', 'carried_unknown']
        .map((name) => `drop table temp.${name}`)
        .join(';\n'),
    )
    const reader = await connection.runAndReadAll(`select epoch_us(moment) from ${TABLES.moments}`)
    const all = reader.getRows().map(([us]) => BigInt(String(us)))
    const stay = worthKeeping(all, await lastDayUs(connection))
    await forget(connection, `moment not in (${stay.map(moment).join(', ')})`)
  }
}

/** Only lots that an event brought, and that have arrived, can be found again. */
const isOfEvents = ({ parcels, underway }: CarriedForward): boolean =>
  underway.size === 0 && parcels.every(({ parcel }) => typeof parcel.lot.id === 'number')

const moment = (us: bigint): string => `make_timestamptz(${us})`

async function forget(connection: DuckDBConnection, which: string): Promise<void> {
  for (const table of Object.values(TABLES)) await connection.run(`delete from ${table} where ${which}`)
}

/** Of each class of age the newest and the oldest, which will be the newest of the next class one day. */
export function worthKeeping(momentsUs: readonly bigint[], lastUs: bigint): bigint[] {
  const edges = [0, ...AGES_DAYS.slice(1), Number.POSITIVE_INFINITY]
  return edges.flatMap((from, at) => {
    const until = edges[at + 1]
    if (until === undefined) return []
    const own = momentsUs
      .filter((us) => {
        const days = Number(lastUs - us) / Number(DAY_US)
        return days >= from && days < until
      })
      .toSorted((a, b) => (a < b ? -1 : 1))
    const [oldest, newest] = [own[0], own.at(-1)]
    if (oldest === undefined || newest === undefined) return []
    return until === Number.POSITIVE_INFINITY || oldest === newest ? [newest] : [oldest, newest]
  })
}

/** Creates the tables, empty. */
export async function createMoments(connection: DuckDBConnection): Promise<void> {
  await connection.run(`
    create or replace table ${TABLES.moments} (moment timestamptz, matching varchar);
    create or replace table ${TABLES.coins} (moment timestamptz, coin varchar, last_order integer);
    create or replace table ${TABLES.parcels} (moment timestamptz, coin varchar, account varchar, happened_at timestamptz,
      place bigint, lot_account varchar, event_id varchar, is_dated integer, lot_order integer,
      lot_quantity decimal(38, 18), lot_value decimal(38, 18), from_quantity decimal(38, 18),
      to_quantity decimal(38, 18), from_cost decimal(38, 18), to_cost decimal(38, 18));
    create or replace table ${TABLES.unknown} (moment timestamptz, account varchar, coin varchar, quantity decimal(38, 18),
      unvalued_quantity decimal(38, 18), disposals integer)`)
}

export async function dropMoments(connection: DuckDBConnection): Promise<void> {
  await connection.run(
    Object.values(TABLES)
      .map((table) => `drop table if exists ${table}`)
      .join(';\n'),
  )
}

/** The start of the day of the last event. */
async function lastDayUs(connection: DuckDBConnection): Promise<bigint> {
  const reader = await connection.runAndReadAll(
    'select coalesce(max(epoch_us(happened_at)), 0) from lot_events',
  )
  const us = BigInt(String(reader.getRows()[0]?.[0]))
  return us - (us % DAY_US)
}

/**
 * The moments at which something is to be carried forward, ascending, by a run that begins at `afterUs`, null for one that
 * begins at the start.
 */
export async function momentsAfter(connection: DuckDBConnection, afterUs: bigint | null): Promise<bigint[]> {
  const last = await lastDayUs(connection)
  if (afterUs !== null && last - afterUs < NOTED_EVERY_DAYS * DAY_US) return []
  const found = new Set<bigint>()
  for (const days of AGES_DAYS) {
    const us = await betweenTransfers(connection, last - BigInt(days) * DAY_US)
    if (us !== null && us > (afterUs ?? 0n)) found.add(us)
  }
  return [...found].toSorted((a, b) => (a < b ? -1 : 1))
}

/** A transfer is followed from its first leg to its last, so nothing can begin between them. */
const firstLegAcross = (us: bigint): string => `
  select min(begins_us) from (
    select min(epoch_us(happened_at)) as begins_us, max(epoch_us(happened_at)) as ends_us
    from lot_events
    where transfer_id is not null and kind in ('transfer_in', 'transfer_out')
    group by coin, transfer_id
  ) where begins_us < ${us} and ends_us >= ${us}`

async function legAcross(connection: DuckDBConnection, us: bigint): Promise<bigint | null> {
  const reader = await connection.runAndReadAll(firstLegAcross(us))
  const [[begins] = []] = reader.getRows()
  return begins === null || begins === undefined ? null : BigInt(String(begins))
}

/** How often it is worth looking for a moment further back. */
const MOST_STEPS_BACK = 8

/** The last moment up to this one that no transfer crosses; null if there is none near it. */
async function betweenTransfers(connection: DuckDBConnection, us: bigint): Promise<bigint | null> {
  let at = us
  for (let steps = 0; steps < MOST_STEPS_BACK; steps += 1) {
    const begins = await legAcross(connection, at)
    if (begins === null) return at
    at = begins
  }
  return null
}

/** What was held at a moment. */
export interface BroughtForward {
  readonly atUs: bigint
  /** Coins of which something was known by then. */
  readonly coins: readonly string[]
  /** What was held of one of them. Parcels of a whole history may be too many to be in memory together. */
  lotsOf(coin: string): Promise<CarriedForward>
  readonly unknown: readonly UnknownBasisRow[]
  /** Coins that begin again with their first event, such as those that had been borrowed by then. */
  readonly fromStart: readonly string[]
}

/**
 * What was held at the last moment by this UTC day at which it was carried forward by the same matching; null if there is
 * none, or one of its lots is not among the events any more. Forgets the moments after it.
 */
export async function broughtForward(
  connection: DuckDBConnection,
  matching: string,
  day: string,
): Promise<BroughtForward | null> {
  const atUs = await lastMoment(connection, matching, day)
  if (atUs === null) return null
  const at = moment(atUs)
  if (!(await findLots(connection, at))) return null
  const reader = await connection.runAndReadAll(
    `select coin, last_order from ${TABLES.coins} where moment = ${at} order by coin`,
  )
  const orders = new Map(reader.getRows().map(([coin, order]) => [String(coin), order] as const))
  const unknown = await connection.runAndReadAll(
    `select account, coin, quantity, unvalued_quantity, disposals
     from ${TABLES.unknown} where moment = ${at} order by coin, account`,
  )
  await forget(connection, `moment > ${at}`)
  return {
    atUs,
    coins: [...orders].flatMap(([coin, order]) => (order === null ? [] : [coin])),
    lotsOf: async (coin) => ({
      coin,
      parcels: await readParcels(connection, coin),
      underway: new Map(),
      order: Number(orders.get(coin)),
    }),
    unknown: unknown.getRows().map(([account, coin, quantity, unvalued, disposals]) => ({
      account: String(account),
      coin: String(coin),
      quantity: units(quantity),
      unvaluedQuantity: units(unvalued),
      disposals: Number(disposals),
    })),
    fromStart: [...orders].flatMap(([coin, order]) => (order === null ? [coin] : [])),
  }
}

async function lastMoment(
  connection: DuckDBConnection,
  matching: string,
  day: string,
): Promise<bigint | null> {
  const tables = await connection.runAndReadAll(
    "select 1 from duckdb_tables() where database_name = 'staging' and table_name = 'lot_moments'",
  )
  if (tables.currentRowCount === 0) return null
  const reader = await connection.runAndReadAll(
    `select epoch_us(moment) from ${TABLES.moments}
     where matching = ${literal(matching)} and moment <= timestamptz ${literal(`${day} 00:00:00+00`)} order by moment desc`,
  )
  for (const [us] of reader.getRows()) {
    const atUs = BigInt(String(us))
    // A transfer may have been tied since.
    if ((await legAcross(connection, atUs)) === null) return atUs
  }
  return null
}

/** Parcels of a moment with the rows of their lots, in any order. */
const FOUND = 'temp.lots_brought_forward'

/** Finds the event of each parcel's lot; returns whether each has exactly one. */
async function findLots(connection: DuckDBConnection, at: string): Promise<boolean> {
  const reader = await connection.runAndReadAll(`
    create or replace temp table lots_brought_forward as
    select carried.coin as coin, carried.account as account, lots.account as lot_account,
      cast(lots.rowid as integer) as lot, lot_order, is_dated, carried.happened_at as happened_at, lot_quantity,
      cast(lot_value is not null as integer) as is_valued, coalesce(lot_value, 0) as lot_value,
      from_quantity, to_quantity, from_cost, to_cost
    from ${TABLES.parcels} as carried
    join lot_events as lots
      on lots.place = carried.place and lots.event_id = carried.event_id and lots.coin = carried.coin
      and lots.account = carried.lot_account and lots.happened_at = carried.happened_at
    where carried.moment = ${at} and lots.happened_at < ${at} and lots.kind in ('acquire', 'transfer_in');
    select (select count(*) from ${FOUND}) = (select count(*) from ${TABLES.parcels} where moment = ${at})
      and not exists (select 1 from ${FOUND} group by coin, lot_order, from_quantity having count(*) > 1)`)
  return reader.getRows()[0]?.[0] === true
}

async function readParcels(connection: DuckDBConnection, coin: string): Promise<HeldParcel[]> {
  const result = await connection.run(
    `select account, lot_account, lot, lot_order, is_dated, happened_at, lot_quantity, is_valued, lot_value,
       from_quantity, to_quantity, from_cost, to_cost
     from ${FOUND} where coin = $coin`,
    { coin },
  )
  const parcels: HeldParcel[] = []
  for (let at = 0; at < result.chunkCount; at += 1) {
    const chunk = result.getChunk(at)
    const [accounts, lotAccounts] = [chunk.getColumnValues(0), chunk.getColumnValues(1)]
    const [rows, orders, dated] = [integersOf(chunk, 2), integersOf(chunk, 3), integersOf(chunk, 4)]
    const [times, quantities, valued] = [bigintsOf(chunk, 5), new Amounts(chunk, 6), integersOf(chunk, 7)]
    const [values, froms, tos] = [new Amounts(chunk, 8), new Amounts(chunk, 9), new Amounts(chunk, 10)]
    const [fromCosts, toCosts] = [new Amounts(chunk, 11), new Amounts(chunk, 12)]
    for (let row = 0; row < rows.length; row += 1) {
      const { lot } = wholeLot(
        rows[row]!,
        String(lotAccounts[row]),
        dated[row] === 1 ? times[row]! : null,
        orders[row]!,
        quantities.at(row),
        valued[row] === 1 ? values.at(row) : null,
      )
      const parcel: Parcel = {
        lot,
        from: froms.at(row),
        to: tos.at(row),
        costFrom: fromCosts.at(row),
        costTo: toCosts.at(row),
      }
      const account = accounts[row] ?? null
      parcels.push({ account: account === null ? null : String(account), parcel })
    }
  }
  return parcels.sort((a, b) => compareAcquisition(a.parcel, b.parcel))
}

const units = (value: DuckDBValue | undefined): bigint => (value as DuckDBDecimalValue).value
