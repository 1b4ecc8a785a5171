// Reads `lot_events` in the order that the engine needs, slice by slice, with bounded memory and as numbers
// only: an event's id is its row in that table, an account and a coin are positions in a short list. Texts
// are joined back in SQL. A stream is not used, because an append on the same connection ends it early and
// silently (DuckDB 1.5.6). Order and pairing of transfers are those of `inOrder`; a test compares the two.
import type { DuckDBConnection, DuckDBDataChunk, DuckDBMaterializedResult } from '@duckdb/node-api'
import { TieoutError } from '../../models/error.ts'
import { Amounts, bigintsOf, integersOf } from '../engine/chunk.ts'
import { EVENT_KINDS, type EventKind, type FeesInKind, type LotEvent, type Twin } from './event.ts'

const SLICE_ROWS = 100_000

/**
 * `lot_events` with its row number and with the twin of each leg of a transfer. The first leg out of a
 * transfer belongs to the first leg in. A leg that left after its twin arrived is early.
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
twins as (
  select
    leg.event_row as leg_row,
    twin.event_row as twin_row,
    twin.event_id as twin_id,
    twin.account as twin_account,
    twin.happened_at as twin_happened_at,
    twin.place as twin_place,
    twin.quantity as twin_quantity,
    leg.kind = 'transfer_out'
      and (twin.happened_at, twin.place, twin.account, twin.event_id)
        < (leg.happened_at, leg.place, leg.account, leg.event_id) as is_early
  from legs as leg
  join legs as twin
    on twin.coin = leg.coin and twin.transfer_id = leg.transfer_id
    and twin.leg = leg.leg and twin.kind <> leg.kind
),
placed as (
  select numbered.*, twins.* exclude (leg_row, is_early), coalesce(twins.is_early, false) as is_early
  from numbered
  left join twins on twins.leg_row = numbered.event_row
)`

/**
 * Read twice, but the legs of transfers are few: keeping a copy of all events would cost more than both
 * readings.
 */
const asTheyStand = (which: string): string =>
  `numbered as not materialized (select *, cast(rowid as integer) as event_row from lot_events where ${which})`

/** All of them. */
const ALL = 'true'

/**
 * The parts of a record are in four adjacent places, the amount in the second and its fee in the third; those
 * of an imported row, whose places are negative, have the fee in the fourth. So a fee in the coin that its
 * own record brings finds the acquisition.
 */
const beside = (which: string): string => `
beside as (
  select *, cast(rowid as integer) as event_row, cast(floor(place / 4.0) as bigint) as record
  from lot_events where ${which}
)`
const IS_FEE_OF = `fee.account = bought.account and fee.coin = bought.coin and fee.happened_at = bought.happened_at
    and fee.record = bought.record and bought.kind = 'acquire' and fee.kind = 'dispose'
    and bought.place - bought.record * 4 in (1, case when fee.place < 0 then 2 else 1 end)
    and fee.place - fee.record * 4 = case when fee.place < 0 then 3 else 2 end`

/**
 * From an instant on, the fees of exchanges of two coins belong to the coin given, whichever coins pay them.
 */
const feesGivenFrom = (fromUs: bigint, which: string): string => `
numbered as not materialized (
  select * replace (case when epoch_us(happened_at) >= ${fromUs} then value_given else value end as value),
    cast(rowid as integer) as event_row
  from lot_events where ${which}
)`

/** Half of the fee of an exchange of two coins belongs to each. */
const feesShared = (which: string): string => `
numbered as not materialized (
  select * replace (value_shared as value), cast(rowid as integer) as event_row from lot_events where ${which}
)`

const isKeptBack = (fromUs: bigint): string => `is_kept_back and epoch_us(happened_at) >= ${fromUs}`

/** The same, and a fee that is withheld is paid from the coins received, whose row is `kept_from`. */
const feesKeptFrom = (fromUs: bigint, which: string): string => `${beside(which)},
kept_back as (
  select fee.event_row as fee_row, bought.event_row as kept_from
  from (select * from beside where ${isKeptBack(fromUs)}) as fee
  join beside as bought on ${IS_FEE_OF}
),
numbered as (
  select beside.* exclude (record)
      replace (case when epoch_us(happened_at) >= ${fromUs} then value_given else value end as value),
    coalesce(kept_from, -1) as kept_from
  from beside
  left join kept_back on fee_row = event_row
)`

/** Such a fee is deducted from the acquisition, and its value from the cost that includes it. */
const netted = (which: string): string => `${beside(which)},
fees as (
  select bought.event_row as bought_row, fee.event_row as fee_row, fee.quantity as fee_quantity, fee.value as fee_value
  from beside as bought
  join beside as fee on ${IS_FEE_OF}
  where fee.quantity < bought.quantity
),
numbered as (
  select beside.* exclude (record, quantity, value), beside.quantity - coalesce(fees.fee_quantity, 0) as quantity,
    case when fees.bought_row is null then beside.value else beside.value - fees.fee_value end as value
  from beside
  left join fees on fees.bought_row = beside.event_row
  where beside.event_row not in (select fee_row from fees)
)`

/** Without a transfer there is nothing to pair and nothing early, which saves half of the time. */
const unpaired = (events: string): string => `
with
${events},
placed as (select * from numbered)`

/**
 * The leg out of a transfer comes before the leg in. Word codes have the order of the words, and sort faster.
 */
const orderBy = (coin: string, account: string): string => `
  ${coin},
  case when is_early then twin_happened_at else happened_at end,
  case when is_early then twin_place else place end,
  case when is_early then 0 else 1 end,
  ${account},
  event_id`

/** `lot_events` in the engine's order as `number`, with the twin of each leg of a transfer. */
export const EVENTS_IN_ORDER = `${placed(asTheyStand(ALL))}
select
  account, coin, happened_at, place, event_id, kind,
  cast(quantity as decimal(38, 18)) as quantity,
  cast(value as decimal(38, 18)) as value,
  transfer_id, twin_id, twin_account, twin_happened_at,
  cast(twin_quantity as decimal(38, 18)) as twin_quantity,
  row_number() over (order by ${orderBy('coin', 'account')}) as number,
  case when is_early then twin_happened_at else happened_at end as effective_at
from placed`

/** What some books have and most do not, so that only they pay for it. */
interface Asked {
  readonly hasTransfers: boolean
  readonly hasLoans: boolean
  readonly hasKeptBack: boolean
}

const LOANS = "'borrow', 'repay'"

/** What a disposal's value is net of, wherever the law puts the fees. A rebate is no fee: it is part of the value. */
const FEES = `cast(
    case when kinds.word in ('dispose', 'give') and value is not null and value_before_fees > value
      then value_before_fees - value else 0 end as decimal(38, 18)
  )`

/** The same in numbers; nulls are flagged, because a null is more expensive than it is informative. */
const numbersInOrder = (
  events: string,
  { hasTransfers, hasLoans, hasKeptBack }: Asked,
): string => `${hasTransfers ? placed(events) : unpaired(events)}
select
  event_row,
  accounts.code as account,
  coins.code as coin,
  kinds.code as kind,
  happened_at,
  cast(quantity as decimal(38, 18)) as quantity,
  cast(value is not null as integer) as is_valued,
  cast(coalesce(value, 0) as decimal(38, 18)) as value,
  ${FEES} as fees${hasLoans ? ', coalesce(debts.code, -1) as debt' : ''}${hasKeptBack ? ', kept_from' : ''}${hasTransfers ? TWIN_IN_NUMBERS : ''}
from placed
join temp.lot_words as accounts on accounts.word = placed.account
join temp.lot_words as coins on coins.word = placed.coin
join temp.lot_words as kinds on kinds.word = placed.kind
${hasTransfers ? 'left join temp.lot_words as twin_accounts on twin_accounts.word = placed.twin_account' : ''}
${hasLoans ? `left join temp.lot_words as debts on debts.word = placed.transfer_id and placed.kind in (${LOANS})` : ''}
order by ${hasTransfers ? orderBy('coins.code', 'accounts.code') : 'coins.code, happened_at, place, accounts.code, event_id'}`

const TWIN_IN_NUMBERS = `,
  coalesce(twin_row, -1) as twin_row,
  coalesce(twin_accounts.code, -1) as twin_account,
  coalesce(twin_happened_at, happened_at) as twin_happened_at,
  cast(coalesce(twin_quantity, 0) as decimal(38, 18)) as twin_quantity`

/**
 * Every account, coin, kind and loan wallet of the events by its code, which is its position. Creates the
 * table `lot_words`.
 */
export async function readWords(connection: DuckDBConnection, which: string = ALL): Promise<string[]> {
  await connection.run(`create or replace temp table lot_words as
    select word, cast(row_number() over (order by word) - 1 as integer) as code
    from (
      select account as word from lot_events where ${which}
      union select coin from lot_events where ${which}
      union select kind from lot_events where ${which}
      union select transfer_id from lot_events where kind in (${LOANS}) and transfer_id is not null and (${which})
    )`)
  const words = await connection.runAndReadAll('select word from temp.lot_words order by code')
  return words.getRows().map(([word]) => String(word))
}

/** Where fees belong. Fees in kind are netted only where exchange fees belong to the base. */
export interface FeeReading {
  /** How a fee in the acquired coin is treated; by default it is disposed of. */
  readonly feesInKind?: FeesInKind
  /**
   * From when on the fee of an exchange of two coins belongs to the coin given, and is paid from the coins
   * received if it is withheld from them; Unix microseconds, null or absent for never.
   */
  readonly exchangeFeesGivenFromUs?: bigint | null
  /** Whether the fee of an exchange of two coins belongs to both, half to each. */
  readonly sharesExchangeFees?: boolean
}

function eventsOfReading(
  { feesInKind = 'disposal', exchangeFeesGivenFromUs = null, sharesExchangeFees = false }: FeeReading,
  { hasKeptBack }: Asked,
  which: string,
): string {
  if (feesInKind === 'net') return netted(which)
  if (sharesExchangeFees) return feesShared(which)
  if (exchangeFeesGivenFromUs === null) return asTheyStand(which)
  const read = hasKeptBack ? feesKeptFrom : feesGivenFrom
  return read(exchangeFeesGivenFromUs, which)
}

/**
 * Yields events a chunk at a time; at each yield the connection is free for other work. `which`: a condition for those to be
 * read, which includes both legs of a transfer or neither.
 */
export async function* readEvents(
  connection: DuckDBConnection,
  fees: FeeReading = {},
  which: string = ALL,
): AsyncGenerator<LotEvent[]> {
  await refuseUnknownKinds(connection)
  const words = await readWords(connection, which)
  const { exchangeFeesGivenFromUs: givenFromUs = null } = fees
  const has = async (what: string): Promise<boolean> => {
    const found = await connection.runAndReadAll(
      `select 1 from lot_events where ${what} and (${which}) limit 1`,
    )
    return found.currentRowCount > 0
  }
  const asked = {
    hasTransfers: await has("transfer_id is not null and kind in ('transfer_in', 'transfer_out')"),
    hasLoans: await has(`kind in (${LOANS})`),
    hasKeptBack: givenFromUs !== null && (await has(isKeptBack(givenFromUs))),
  }
  const inOrder = numbersInOrder(eventsOfReading(fees, asked, which), asked)
  await connection.run(`create or replace temp table lot_events_in_order as ${inOrder}`)
  try {
    for (let done = 0; ; done += SLICE_ROWS) {
      const slice = await connection.run(
        `select *, rowid from temp.lot_events_in_order where rowid >= ${done} and rowid < ${done + SLICE_ROWS}`,
      )
      if (slice.rowCount === 0) return
      for (const chunk of inPlace(slice)) yield eventsOf(chunk, words, asked)
    }
  } finally {
    // The next reading replaces what cannot be dropped, and an earlier error must not be masked.
    await connection
      .run('drop table if exists temp.lot_events_in_order; drop table if exists temp.lot_words')
      .catch(() => undefined)
  }
}

/** The single currency of all values; null if nothing has a value. */
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

/** A scan keeps order within a chunk but not always across chunks, and sorting again would cost more. */
function inPlace(slice: DuckDBMaterializedResult): DuckDBDataChunk[] {
  const chunks = Array.from({ length: slice.chunkCount }, (_, at) => slice.getChunk(at))
  const firstRow = (chunk: DuckDBDataChunk): bigint => bigintsOf(chunk, chunk.columnCount - 1)[0]!
  return chunks
    .map((chunk) => ({ chunk, first: firstRow(chunk) }))
    .sort((a, b) => (a.first < b.first ? -1 : 1))
    .map(({ chunk }) => chunk)
}

/** Columns are in the order of the last select of numbersInOrder, followed by the row number. */
function eventsOf(chunk: DuckDBDataChunk, words: readonly string[], asked: Asked): LotEvent[] {
  const [rows, accounts, coins] = [integersOf(chunk, 0), integersOf(chunk, 1), integersOf(chunk, 2)]
  const [kinds, times, quantities] = [integersOf(chunk, 3), bigintsOf(chunk, 4), new Amounts(chunk, 5)]
  const [valued, values, charges] = [integersOf(chunk, 6), new Amounts(chunk, 7), new Amounts(chunk, 8)]
  const debts = asked.hasLoans ? integersOf(chunk, 9) : null
  const afterDebts = debts === null ? 9 : 10
  const kept = asked.hasKeptBack ? integersOf(chunk, afterDebts) : null
  const twinOf = asked.hasTransfers
    ? twinsOf(chunk, kept === null ? afterDebts : afterDebts + 1, words)
    : null
  const events: LotEvent[] = []
  for (let row = 0; row < rows.length; row += 1) {
    const kind = words[kinds[row]!] as EventKind
    const fees = kind === 'dispose' || kind === 'give' ? charges.at(row) : 0n
    const bare: LotEvent = {
      account: words[accounts[row]!]!,
      coin: words[coins[row]!]!,
      happenedAtUs: times[row]!,
      place: 0n,
      id: rows[row]!,
      kind,
      quantity: quantities.at(row),
      value: valued[row] === 0 ? null : values.at(row),
    }
    const event = fees === 0n ? bare : { ...bare, fees }
    const twin = twinOf === null ? null : twinOf(row)
    const debt = debts === null ? -1 : debts[row]!
    const keptFrom = kept === null ? -1 : kept[row]!
    if (debt >= 0) events.push({ ...event, transferId: words[debt]! })
    else if (keptFrom >= 0) events.push({ ...event, keptFrom })
    else events.push(twin === null ? event : { ...event, twin })
  }
  return events
}

function twinsOf(
  chunk: DuckDBDataChunk,
  first: number,
  words: readonly string[],
): (row: number) => Twin | null {
  const [rows, accounts] = [integersOf(chunk, first), integersOf(chunk, first + 1)]
  const [times, quantities] = [bigintsOf(chunk, first + 2), new Amounts(chunk, first + 3)]
  return (row) => {
    const id = rows[row]!
    if (id < 0) return null
    const [account, happenedAtUs] = [words[accounts[row]!]!, times[row]!]
    return { id, account, happenedAtUs, quantity: quantities.at(row) }
  }
}

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
    action: 'Correct the model that builds lot_events.',
  })
}
