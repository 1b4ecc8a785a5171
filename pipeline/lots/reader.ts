// Reads `lot_events` in the order that the engine needs, slice by slice, with bounded memory and in numbers alone:
// an event's id is its row in that table, an account and a coin are places in a short list. Texts are joined back in SQL.
// A stream is not used: an append on the same connection ends it early, silently (DuckDB 1.5.6).
// Order and pairing of transfers are those of `inOrder`; a test holds the two to each other.
import type {
  DuckDBConnection,
  DuckDBDataChunk,
  DuckDBDecimal128Vector,
  DuckDBMaterializedResult,
  DuckDBVector,
} from '@duckdb/node-api'
import { TieoutError } from '../../models/error.ts'
import { EVENT_KINDS, type EventKind, type FeesInKind, type LotEvent } from './event.ts'

const SLICE_ROWS = 100_000

/**
 * `lot_events` with its row number and with the twin of each leg of a transfer.
 * The first leg out of a transfer belongs to the first leg in.
 */
const placed = (events: string): string => `
with
${events},
legs as (
  select
    *,
    row_number() over (
      partition by coin, transfer_id, kind order by happened_at, place, account, event_id
    ) as leg
  from numbered
  where transfer_id is not null and kind in ('transfer_in', 'transfer_out')
),
paired as (
  select
    leg.* exclude (leg),
    twin.event_row as twin_row,
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
  select * from numbered
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
)`

const AS_THEY_STAND = 'numbered as (select *, cast(rowid as integer) as event_row from lot_events)'

/**
 * The parts of a record stand in four places beside each other, the amount in the second and its fee in the third; those of
 * an imported row, whose places are below zero, have the fee in the fourth. A fee in the coin that its own record brings is
 * taken off the acquisition, and its value off the cost, in which it stands.
 */
const NETTED = `
beside as (
  select *, cast(rowid as integer) as event_row, cast(floor(place / 4.0) as bigint) as record from lot_events
),
fees as (
  select bought.event_row as bought_row, fee.event_row as fee_row, fee.quantity as fee_quantity, fee.value as fee_value
  from beside as bought
  join beside as fee
    on fee.account = bought.account and fee.coin = bought.coin and fee.happened_at = bought.happened_at
    and fee.record = bought.record
  where bought.kind = 'acquire' and fee.kind = 'dispose' and fee.quantity < bought.quantity
    and bought.place - bought.record * 4 in (1, case when fee.place < 0 then 2 else 1 end)
    and fee.place - fee.record * 4 = case when fee.place < 0 then 3 else 2 end
),
numbered as (
  select beside.* exclude (record, quantity, value), beside.quantity - coalesce(fees.fee_quantity, 0) as quantity,
    case when fees.bought_row is null then beside.value else beside.value - fees.fee_value end as value
  from beside
  left join fees on fees.bought_row = beside.event_row
  where beside.event_row not in (select fee_row from fees)
)`

/** The leg out of a transfer stands before the leg in. Codes of words are in the order of the words, and sort faster. */
const orderBy = (coin: string, account: string): string => `
  ${coin},
  case when is_early then twin_happened_at else happened_at end,
  case when is_early then twin_place else place end,
  case when is_early then 0 else 1 end,
  ${account},
  event_id`

/** `lot_events` in the engine's order as `number`, with the twin of each leg of a transfer. */
export const EVENTS_IN_ORDER = `${placed(AS_THEY_STAND)}
select
  account, coin, happened_at, place, event_id, kind,
  cast(quantity as decimal(38, 18)) as quantity,
  cast(value as decimal(38, 18)) as value,
  transfer_id, twin_id, twin_account, twin_happened_at,
  cast(twin_quantity as decimal(38, 18)) as twin_quantity,
  row_number() over (order by ${orderBy('coin', 'account')}) as number,
  case when is_early then twin_happened_at else happened_at end as effective_at
from placed`

/** The same in numbers; what is null is flagged, for a null costs more than it tells. */
const numbersInOrder = (events: string): string => `${placed(events)}
select
  event_row,
  accounts.code as account,
  coins.code as coin,
  kinds.code as kind,
  epoch_us(happened_at) as happened_us,
  cast(quantity as decimal(38, 18)) as quantity,
  cast(value is not null as integer) as is_valued,
  cast(coalesce(value, 0) as decimal(38, 18)) as value,
  coalesce(twin_row, -1) as twin_row,
  coalesce(twin_accounts.code, -1) as twin_account,
  coalesce(epoch_us(twin_happened_at), 0) as twin_us,
  cast(coalesce(twin_quantity, 0) as decimal(38, 18)) as twin_quantity
from placed
join temp.lot_words as accounts on accounts.word = placed.account
join temp.lot_words as coins on coins.word = placed.coin
join temp.lot_words as kinds on kinds.word = placed.kind
left join temp.lot_words as twin_accounts on twin_accounts.word = placed.twin_account
order by ${orderBy('coins.code', 'accounts.code')}`

/** Every account, coin and kind of the events by its code, which is its place. Makes the table `lot_words`. */
export async function readWords(connection: DuckDBConnection): Promise<string[]> {
  await connection.run(`create or replace temp table lot_words as
    select word, cast(row_number() over (order by word) - 1 as integer) as code
    from (
      select account as word from lot_events
      union select coin from lot_events
      union select kind from lot_events
    )`)
  const words = await connection.runAndReadAll('select word from temp.lot_words order by code')
  return words.getRows().map(([word]) => String(word))
}

/** Yields events a chunk at a time; at each yield the connection is free for other work. */
export async function* readEvents(
  connection: DuckDBConnection,
  feesInKind: FeesInKind = 'disposal',
): AsyncGenerator<LotEvent[]> {
  await refuseUnknownKinds(connection)
  const words = await readWords(connection)
  const events = feesInKind === 'net' ? NETTED : AS_THEY_STAND
  await connection.run(`create or replace temp table lot_events_in_order as ${numbersInOrder(events)}`)
  try {
    for (let done = 0; ; done += SLICE_ROWS) {
      const slice = await connection.run(
        `select *, rowid from temp.lot_events_in_order where rowid >= ${done} and rowid < ${done + SLICE_ROWS}`,
      )
      if (slice.rowCount === 0) return
      for (const chunk of inPlace(slice)) yield eventsOf(chunk, words)
    }
  } finally {
    await connection.run('drop table if exists temp.lot_events_in_order; drop table if exists temp.lot_words')
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

/** A scan keeps order within a chunk, but not always among chunks, and sorting it again would cost more. */
function inPlace(slice: DuckDBMaterializedResult): DuckDBDataChunk[] {
  const chunks = Array.from({ length: slice.chunkCount }, (_, at) => slice.getChunk(at))
  const firstRow = (chunk: DuckDBDataChunk): bigint => long(chunk.getColumnVector(chunk.columnCount - 1), 0)
  return chunks
    .map((chunk) => ({ chunk, first: firstRow(chunk) }))
    .sort((a, b) => (a.first < b.first ? -1 : 1))
    .map(({ chunk }) => chunk)
}

/** Columns stand as the last select of numbersInOrder lists them. */
function eventsOf(chunk: DuckDBDataChunk, words: readonly string[]): LotEvent[] {
  const column = (at: number): DuckDBVector => chunk.getColumnVector(at)
  const [rows, accounts, coins, kinds] = [column(0), column(1), column(2), column(3)]
  const [times, quantities, valued, values] = [column(4), column(5), column(6), column(7)]
  const [twinRows, twinAccounts, twinTimes, twinQuantities] = [column(8), column(9), column(10), column(11)]
  const events: LotEvent[] = []
  // Asking for the number of rows leaves JavaScript each time.
  const { rowCount } = chunk
  for (let row = 0; row < rowCount; row += 1) {
    const event: LotEvent = {
      account: words[whole(accounts, row)]!,
      coin: words[whole(coins, row)]!,
      happenedAtUs: long(times, row),
      place: 0n,
      id: String(whole(rows, row)),
      kind: words[whole(kinds, row)] as EventKind,
      quantity: units(quantities, row),
      value: whole(valued, row) === 0 ? null : units(values, row),
    }
    const twinRow = whole(twinRows, row)
    if (twinRow < 0) {
      events.push(event)
      continue
    }
    events.push({
      ...event,
      twin: {
        id: String(twinRow),
        account: words[whole(twinAccounts, row)]!,
        happenedAtUs: long(twinTimes, row),
        quantity: units(twinQuantities, row),
      },
    })
  }
  return events
}

const whole = (column: DuckDBVector, row: number): number => column.getItem(row) as number
const long = (column: DuckDBVector, row: number): bigint => column.getItem(row) as bigint

/** Units of 10^-18, without a wrapper around each. */
const units = (column: DuckDBVector, row: number): bigint =>
  (column as DuckDBDecimal128Vector).getScaledValue(row) as bigint

async function refuseUnknownKinds(connection: DuckDBConnection): Promise<void> {
  const known = EVENT_KINDS.map((kind) => `'${kind}'`).join(', ')
  const found = await connection.runAndReadAll(
    `select event_id, kind from lot_events where kind is null or kind not in (${known}) order by 1, 2 limit 1`,
  )
  const [unknown] = found.getRows()
  if (unknown === undefined) return
  throw new TieoutError('An event for the lots is of an unknown kind.', {
    where: `table lot_events, event ${unknown[0]}`,
    expected: EVENT_KINDS.join(', '),
    found: String(unknown[1]),
    action: 'Correct the model that makes lot_events.',
  })
}
