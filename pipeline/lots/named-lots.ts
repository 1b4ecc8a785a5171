// The owner's own choices name disposals and lots by their ids; the build step knows them by the row of the
// event. The database translates all of them at once. A lot that does not exist is kept by its name, so that
// the engine reports it as missing.
import type { DuckDBConnection, DuckDBMaterializedResult } from '@duckdb/node-api'
import { Amounts, ChunkWriter, IntegerColumn, integersOf, TextColumn } from '../engine/chunk.ts'
import {
  type Allocation,
  BRINGING_KINDS,
  type EventId,
  type NamedLotsOf,
  type Selection,
  type Selections,
} from './event.ts'
import { smaller } from './share.ts'

const NONE = -1

/** Kinds of events for which no lot can be named, for SQL. */
export const BRINGING: string = BRINGING_KINDS.map((kind) => `'${kind}'`).join(', ')

/** The events that brought a lot of a given name, the first for each coin. */
const ACQUIRED = `
acquired as (
  select event_id, coin, cast(arg_min(lot_events.rowid, (happened_at, place, lot_events.rowid)) as integer) as lot_row
  from lot_events
  where kind in ('acquire', 'transfer_in') and event_id in (select lot from temp.named_lots)
  group by event_id, coin
)`

/** Lines without a coin are for the coin of their lot, where its name decides it, else for each coin of the disposal. */
const LINES_BY_ROW = `
with ${ACQUIRED},
lot_coins as (
  select event_id, case when count(*) = 1 then any_value(coin) end as only_coin from acquired group by event_id
),
coins as (
  select coin, cast(row_number() over (order by coin) as integer) as code from (select distinct coin from lot_events)
)
select
  named.place, named.choice, cast(takers.rowid as integer), coalesce(acquired.lot_row, ${NONE}), coins.code,
  cast(takers.quantity as decimal(38, 18))
from temp.named_lots as named
join lot_events as takers
  on takers.event_id = named.disposal and takers.kind not in (${BRINGING})
join coins on coins.coin = takers.coin
left join lot_coins on lot_coins.event_id = named.lot
left join acquired on acquired.event_id = named.lot and acquired.coin = takers.coin
where coalesce(nullif(named.coin, ''), lot_coins.only_coin, takers.coin) = takers.coin
order by named.choice, coins.code, takers.happened_at, takers.place, takers.rowid, named.place`

/** By the row of each event that disposes; events of one id and coin, in their order, share what is named. */
export async function selectionsByRow(connection: DuckDBConnection, given: Selections): Promise<NamedLots> {
  if (given.size === 0) return new NamedLots(0)
  const lines: Selection[] = []
  await fillNames(connection, function* () {
    let choice = 0
    for (const [disposal, lots] of given) {
      for (const lot of lots) {
        yield [lines.length, choice, disposal, lot.lotId, lot.coin ?? '']
        lines.push(lot)
      }
      choice += 1
    }
  })
  const named = new NamedLots(await eventRows(connection))
  let together: Together | null = null
  let first: Line | null = null
  const end = (): void => {
    if (together !== null) named.addTogether(together)
    else if (first !== null) named.addOne(first.row, lotOf(first))
  }
  const lotOf = ({ lotRow, place }: Line): NamedLot => ({ row: lotRow, named: lines[place]! })
  for (const line of await linesByRow(connection)) {
    if (first === null || first.choice !== line.choice || first.coin !== line.coin) {
      end()
      first = line
      together = null
      continue
    }
    together ??= { takers: [first], lots: [lotOf(first)] }
    if (together.takers.at(-1)?.row !== line.row) together.takers.push(line)
    if (together.takers.length === 1) together.lots.push(lotOf(line))
  }
  end()
  return named
}

/** One more than the highest row. */
async function eventRows(connection: DuckDBConnection): Promise<number> {
  const found = await connection.runAndReadAll('select coalesce(max(rowid), -1) + 1 from lot_events')
  return Number(found.getRows()[0]?.[0])
}

interface NamedLot {
  /** The event that brought it; none if there is no such lot. */
  readonly row: number
  readonly named: Selection
}

/** What is named for one disposal and coin, and the events that share it. */
interface Together {
  readonly takers: { readonly row: number; readonly quantity: bigint }[]
  readonly lots: NamedLot[]
}

/**
 * The lots named for each disposing event, by its row. A disposal that names a single lot for itself, as
 * almost all do, is stored as two numbers and its owner's line: a million small lists would cost the garbage
 * collector more than the matching itself.
 */
export class NamedLots implements NamedLotsOf {
  /** By the row of an event that names one lot for itself: the position of that lot, from 1. */
  readonly #one: Int32Array
  readonly #lots: { readonly rows: number[]; readonly lines: Selection[] } = { rows: [], lines: [] }
  readonly #several = new Map<EventId, readonly Selection<EventId>[]>()

  /** `events` is greater than the row of any event. */
  constructor(events: number) {
    this.#one = new Int32Array(events)
  }

  get(row: EventId): readonly Selection<EventId>[] | undefined {
    const place = (typeof row === 'number' ? this.#one[row] : undefined) ?? 0
    if (place === 0) return this.#several.get(row)
    const { rows, lines } = this.#lots
    return [selectionOf({ row: rows[place - 1]!, named: lines[place - 1]! })]
  }

  addOne(row: number, lot: NamedLot): void {
    const { rows, lines } = this.#lots
    this.#one[row] = rows.push(lot.row)
    lines.push(lot.named)
  }

  /** Each event in turn up to its quantity; the last one gets the rest. */
  addTogether({ takers, lots }: Together): void {
    let open: readonly Selection<EventId>[] = lots.map(selectionOf)
    for (const [at, { row, quantity }] of takers.entries()) {
      const [own, rest] = at === takers.length - 1 ? [open, []] : split(open, quantity)
      this.#several.set(row, own)
      open = rest
    }
  }
}

/** A lot that does not exist keeps its name. */
const selectionOf = ({ row, named: { lotId, quantity } }: NamedLot): Selection<EventId> => ({
  lotId: row === NONE ? lotId : row,
  quantity,
})

export async function allocationsByRow(
  connection: DuckDBConnection,
  given: readonly Allocation[],
): Promise<Allocation<EventId>[]> {
  if (given.length === 0) return []
  await fillNames(connection, function* () {
    for (const [at, { coin, lotId }] of given.entries()) yield [at, at, '', lotId, coin]
  })
  const found = await connection.run(`with ${ACQUIRED}
    select named.place, acquired.lot_row from temp.named_lots as named
    join acquired on acquired.event_id = named.lot and acquired.coin = named.coin`)
  const rows = new Map<number, number>()
  for (const [place, row] of await found.getRows()) rows.set(place as number, row as number)
  return given.map((one, at) => ({ ...one, lotId: rows.get(at) ?? one.lotId }))
}

/** The front of the line up to a quantity, and what is left of it. */
function split(
  lots: readonly Selection<EventId>[],
  quantity: bigint,
): [Selection<EventId>[], Selection<EventId>[]] {
  const [front, rest]: [Selection<EventId>[], Selection<EventId>[]] = [[], []]
  let open = quantity
  for (const lot of lots) {
    const taken = smaller(open, lot.quantity)
    open -= taken
    if (taken > 0n) front.push({ ...lot, quantity: taken })
    if (taken < lot.quantity) rest.push({ ...lot, quantity: lot.quantity - taken })
  }
  return [front, rest]
}

type Name = [place: number, choice: number, disposal: string, lot: string, coin: string]

async function fillNames(connection: DuckDBConnection, names: () => Iterable<Name>): Promise<void> {
  await connection.run(`create or replace temp table named_lots
    (place integer, choice integer, disposal varchar, lot varchar, coin varchar)`)
  const appender = await connection.createAppender('named_lots', 'main', 'temp')
  const [places, choices] = [new IntegerColumn(), new IntegerColumn()]
  const [disposals, lots, coins] = [new TextColumn(), new TextColumn(), new TextColumn()]
  const chunks = new ChunkWriter(appender, [places, choices, disposals, lots, coins])
  for (const [place, choice, disposal, lot, coin] of names()) {
    places.set(chunks.row, place)
    choices.set(chunks.row, choice)
    disposals.set(chunks.row, disposal)
    lots.set(chunks.row, lot)
    coins.set(chunks.row, coin)
    chunks.endRow()
  }
  chunks.flush()
  appender.closeSync()
}

interface Line {
  readonly place: number
  readonly choice: number
  readonly row: number
  readonly lotRow: number
  /** Its code. */
  readonly coin: number
  readonly quantity: bigint
}

async function linesByRow(connection: DuckDBConnection): Promise<Iterable<Line>> {
  const found = await connection.run(LINES_BY_ROW)
  await connection.run('drop table temp.named_lots')
  return lines(found)
}

/** Columns are in the order of LINES_BY_ROW. */
function* lines(found: DuckDBMaterializedResult): Iterable<Line> {
  for (let nth = 0; nth < found.chunkCount; nth += 1) {
    const chunk = found.getChunk(nth)
    const [places, choices, rows] = [integersOf(chunk, 0), integersOf(chunk, 1), integersOf(chunk, 2)]
    const [lotRows, coins, quantities] = [integersOf(chunk, 3), integersOf(chunk, 4), new Amounts(chunk, 5)]
    for (let at = 0; at < rows.length; at += 1)
      yield {
        place: places[at]!,
        choice: choices[at]!,
        row: rows[at]!,
        lotRow: lotRows[at]!,
        coin: coins[at]!,
        quantity: quantities.at(at),
      }
  }
}
