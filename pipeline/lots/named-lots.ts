// The owner's own choices name disposals and lots by their ids; the step knows them by the row of the event. The database
// translates all of them at once. A lot that there is not is kept by its name, so that the engine finds it missing and
// says so.
import {
  type DuckDBConnection,
  DuckDBDataChunk,
  type DuckDBDecimal128Vector,
  type DuckDBVector,
} from '@duckdb/node-api'
import type { Allocation, Selection, Selections } from './event.ts'
import { smaller } from './share.ts'

const MARK = '?'
const NONE = -1
const CHUNK_ROWS = 2048

/** The name of a lot that there is not; null for one that there is. */
export function nameOfNoLot(id: string): string | null {
  return id.startsWith(MARK) ? id.slice(MARK.length) : null
}

const nameOf = (row: number, id: string): string => (row === NONE ? MARK + id : String(row))

/** The events that brought a lot of a name, of each coin the first. */
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
)
select
  named.place, named.choice, cast(takers.rowid as integer), coalesce(acquired.lot_row, ${NONE}), takers.coin,
  cast(takers.quantity as decimal(38, 18))
from temp.named_lots as named
join lot_events as takers
  on takers.event_id = named.disposal and takers.kind not in ('acquire', 'transfer_in')
left join lot_coins on lot_coins.event_id = named.lot
left join acquired on acquired.event_id = named.lot and acquired.coin = takers.coin
where coalesce(nullif(named.coin, ''), lot_coins.only_coin, takers.coin) = takers.coin
order by named.choice, takers.coin, takers.happened_at, takers.place, takers.rowid, named.place`

/** By the row of each event that disposes; events of one id and coin, in their order, share what is named. */
export async function selectionsByRow(connection: DuckDBConnection, given: Selections): Promise<NamedLots> {
  const named = new NamedLots()
  if (given.size === 0) return named
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
  let together: Together | null = null
  for await (const line of linesByRow(connection)) {
    if (together !== null && (together.choice !== line.choice || together.coin !== line.coin)) {
      named.add(together)
      together = null
    }
    together ??= { choice: line.choice, coin: line.coin, takers: [], lots: [] }
    if (together.takers.at(-1)?.row !== line.row)
      together.takers.push({ row: line.row, quantity: line.quantity })
    if (together.takers.length > 1) continue
    together.lots.push({ row: line.lotRow, named: lines[line.place]! })
  }
  if (together !== null) named.add(together)
  return named
}

interface NamedLot {
  /** Of the event that brought it; none where there is no such lot. */
  readonly row: number
  readonly named: Selection
}

/** What is named for one disposal and coin, and the events that share it. */
interface Together {
  readonly choice: number
  readonly coin: string
  readonly takers: { readonly row: number; readonly quantity: bigint }[]
  readonly lots: NamedLot[]
}

/**
 * What each event that disposes has named, by its row. A disposal that names one lot for itself, as almost all do, is
 * kept as two numbers and the line of its owner: a million small lists would cost the collector more than the matching.
 */
export class NamedLots {
  readonly #one = new Map<number, number>()
  readonly #lotRows: number[] = []
  readonly #lines: Selection[] = []
  readonly #several = new Map<number, readonly Selection[]>()

  /** By the id of the event, which is its row. */
  get(id: string): readonly Selection[] | undefined {
    const row = Number(id)
    const at = this.#one.get(row)
    if (at === undefined) return this.#several.get(row)
    return [selectionOf({ row: this.#lotRows[at]!, named: this.#lines[at]! })]
  }

  /** Each event in turn up to its quantity; the last one has the rest. */
  add({ takers, lots }: Together): void {
    const [taker, another] = takers
    const [lot, second] = lots
    if (taker !== undefined && lot !== undefined && another === undefined && second === undefined) {
      this.#one.set(taker.row, this.#lines.length)
      this.#lotRows.push(lot.row)
      this.#lines.push(lot.named)
      return
    }
    let open: readonly Selection[] = lots.map(selectionOf)
    for (const [at, { row, quantity }] of takers.entries()) {
      const [own, rest] = at === takers.length - 1 ? [open, []] : split(open, quantity)
      this.#several.set(row, own)
      open = rest
    }
  }
}

const selectionOf = ({ row, named: { lotId, quantity } }: NamedLot): Selection => ({
  lotId: nameOf(row, lotId),
  quantity,
})

export async function allocationsByRow(
  connection: DuckDBConnection,
  given: readonly Allocation[],
): Promise<Allocation[]> {
  if (given.length === 0) return []
  await fillNames(connection, function* () {
    for (const [at, { coin, lotId }] of given.entries()) yield [at, at, '', lotId, coin]
  })
  const found = await connection.run(`with ${ACQUIRED}
    select named.place, acquired.lot_row from temp.named_lots as named
    join acquired on acquired.event_id = named.lot and acquired.coin = named.coin`)
  const rows = new Map<number, number>()
  for (const [place, row] of await found.getRows()) rows.set(place as number, row as number)
  return given.map((one, at) => ({ ...one, lotId: nameOf(rows.get(at) ?? NONE, one.lotId) }))
}

/** The front of the line up to a quantity, and what is left of it. */
function split(lots: readonly Selection[], quantity: bigint): [Selection[], Selection[]] {
  const [front, rest]: [Selection[], Selection[]] = [[], []]
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
  const types = Array.from({ length: 5 }, (_, at) => appender.columnType(at))
  let rows: Name[] = []
  const send = (): void => {
    if (rows.length === 0) return
    const chunk = DuckDBDataChunk.create(types, rows.length)
    chunk.setRows(rows)
    appender.appendDataChunk(chunk)
    rows = []
  }
  for (const name of names()) {
    rows.push(name)
    if (rows.length === CHUNK_ROWS) send()
  }
  send()
  appender.closeSync()
}

interface Line {
  readonly place: number
  readonly choice: number
  readonly row: number
  readonly lotRow: number
  readonly coin: string
  readonly quantity: bigint
}

async function* linesByRow(connection: DuckDBConnection): AsyncGenerator<Line> {
  const found = await connection.run(LINES_BY_ROW)
  await connection.run('drop table temp.named_lots')
  const whole = (column: DuckDBVector, at: number): number => column.getItem(at) as number
  for (let nth = 0; nth < found.chunkCount; nth += 1) {
    const chunk = found.getChunk(nth)
    const { rowCount } = chunk
    const [places, choices, rows] = [
      chunk.getColumnVector(0),
      chunk.getColumnVector(1),
      chunk.getColumnVector(2),
    ]
    const [lotRows, coins, quantities] = [
      chunk.getColumnVector(3),
      chunk.getColumnVector(4),
      chunk.getColumnVector(5) as DuckDBDecimal128Vector,
    ]
    for (let at = 0; at < rowCount; at += 1)
      yield {
        place: whole(places, at),
        choice: whole(choices, at),
        row: whole(rows, at),
        lotRow: whole(lotRows, at),
        coin: String(coins.getItem(at)),
        quantity: quantities.getScaledValue(at) as bigint,
      }
  }
}
