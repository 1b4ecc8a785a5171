// Reads `lot_events` in the order that the engine needs, slice by slice, with bounded memory.
// A stream is not used: an append on the same connection ends it early, silently (DuckDB 1.5.6).
// Order and pairing of transfers are those of `inOrder`; a test holds the two to each other.
import {
  type DuckDBConnection,
  type DuckDBDataChunk,
  DuckDBDecimalValue,
  DuckDBTimestampTZValue,
  type DuckDBValue,
} from '@duckdb/node-api'
import { TieoutError } from '../../models/error.ts'
import type { EventKind, LotEvent } from './event.ts'

const SLICE_ROWS = 100_000

const kinds: ReadonlySet<string> = new Set(['acquire', 'dispose', 'give', 'transfer_in', 'transfer_out'])

/**
 * `lot_events` with the twin of each leg of a transfer, and the engine's order as `number`.
 * The first leg out of a transfer belongs to the first leg in; the leg out stands before the leg in.
 */
export const EVENTS_IN_ORDER = `
with
legs as (
  select
    *,
    row_number() over (
      partition by coin, transfer_id, kind order by happened_at, place, account, event_id
    ) as leg
  from lot_events
  where transfer_id is not null and kind in ('transfer_in', 'transfer_out')
),
paired as (
  select
    leg.* exclude (leg),
    twin.event_id as twin_id,
    twin.account as twin_account,
    twin.happened_at as twin_happened_at,
    twin.place as twin_place,
    twin.quantity as twin_quantity
  from legs as leg
  left join legs as twin
    on twin.coin = leg.coin and twin.transfer_id = leg.transfer_id
    and twin.leg = leg.leg and twin.kind <> leg.kind
),
events as (
  select * from paired
  union all by name
  select * from lot_events
  where transfer_id is null or kind not in ('transfer_in', 'transfer_out')
),
placed as (
  select
    *,
    coalesce(
      kind = 'transfer_out'
      and (twin_happened_at, twin_place, twin_account, twin_id) < (happened_at, place, account, event_id),
      false
    ) as is_early
  from events
)
select
  account, coin, happened_at, place, event_id, kind,
  cast(quantity as decimal(38, 18)) as quantity,
  cast(value as decimal(38, 18)) as value,
  transfer_id, twin_id, twin_account, twin_happened_at,
  cast(twin_quantity as decimal(38, 18)) as twin_quantity,
  row_number() over (
    order by
      coin,
      case when is_early then twin_happened_at else happened_at end,
      case when is_early then twin_place else place end,
      case when is_early then 0 else 1 end,
      account,
      event_id
  ) as number,
  case when is_early then twin_happened_at else happened_at end as effective_at
from placed`

/** Yields events a chunk at a time; at each yield the connection is free for other work. */
export async function* readEvents(connection: DuckDBConnection): AsyncGenerator<LotEvent[]> {
  await connection.run(`create or replace temp table lot_events_in_order as ${EVENTS_IN_ORDER}`)
  try {
    for (let done = 0; ; done += SLICE_ROWS) {
      const slice = await connection.run(
        `select * from lot_events_in_order where number > ${done} and number <= ${done + SLICE_ROWS} order by number`,
      )
      if (slice.rowCount === 0) return
      for (let at = 0; at < slice.chunkCount; at += 1) yield eventsOf(slice.getChunk(at))
    }
  } finally {
    await connection.run('drop table if exists lot_events_in_order')
  }
}

/** The one currency that all values are in; null where nothing has a value. */
export async function readCurrency(connection: DuckDBConnection): Promise<string | null> {
  const result = await connection.runAndReadAll(
    'select distinct currency from lot_events where currency is not null order by currency',
  )
  const currencies = result.getRows().map(([currency]) => String(currency))
  if (currencies.length <= 1) return currencies[0] ?? null
  throw new TieoutError('The lots engine needs all values in one currency.', {
    where: 'table lot_events, column currency',
    expected: 'one currency',
    found: currencies.join(', '),
    action: 'Value every event in the reporting currency.',
  })
}

function eventsOf(chunk: DuckDBDataChunk): LotEvent[] {
  const columns = chunk.getColumns()
  const events: LotEvent[] = []
  for (let row = 0; row < chunk.rowCount; row += 1) events.push(eventOf(columns, row))
  return events
}

/** Columns stand as the last select of EVENTS_IN_ORDER lists them. */
function eventOf(columns: readonly DuckDBValue[][], row: number): LotEvent {
  const cell = (column: number): DuckDBValue => columns[column]![row] ?? null
  const kind = String(cell(5))
  const id = String(cell(4))
  if (!kinds.has(kind)) throw unknownKind(id, kind)
  const event: LotEvent = {
    account: String(cell(0)),
    coin: String(cell(1)),
    happenedAtUs: microsOf(cell(2)),
    place: BigInt(cell(3) as bigint),
    id,
    kind: kind as EventKind,
    quantity: unitsOf(cell(6)) ?? 0n,
    value: unitsOf(cell(7)),
  }
  const transferId = cell(8)
  if (transferId === null) return event
  const twinId = cell(9)
  if (twinId === null) return { ...event, transferId: String(transferId) }
  const twin = {
    id: String(twinId),
    account: String(cell(10)),
    happenedAtUs: microsOf(cell(11)),
    quantity: unitsOf(cell(12)) ?? 0n,
  }
  return { ...event, transferId: String(transferId), twin }
}

function microsOf(value: DuckDBValue): bigint {
  if (value instanceof DuckDBTimestampTZValue) return value.micros
  throw new TypeError(`A time of lot_events is ${String(value)}, not a TIMESTAMPTZ.`)
}

function unitsOf(value: DuckDBValue): bigint | null {
  return value instanceof DuckDBDecimalValue ? value.value : null
}

function unknownKind(id: string, kind: string): TieoutError {
  return new TieoutError('An event for the lots is of an unknown kind.', {
    where: `table lot_events, event ${id}`,
    expected: [...kinds].join(', '),
    found: kind,
    action: 'Correct the model that makes lot_events.',
  })
}
