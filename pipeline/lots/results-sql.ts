// From the engine's numbers to the published tables. Rows keep the engine's order, whatever order the database keeps.
// The bits of `known` are those of results.ts: 1 proceeds, 2 cost, 4 denied loss, 8 date, 16 bought again.
import { type DuckDBConnection, type DuckDBListValue, LIST, VARCHAR } from '@duckdb/node-api'
import type { FeesInKind, ShortSales } from './event.ts'
import {
  type LotTable,
  type LotTableName,
  lotTableNames,
  lotTables,
  MATCHING_TABLE,
  matchingTable,
} from './tables.ts'
import type { WriterColumns } from './writer.ts'

/** Columns of the temporary tables `found_…`; a whole number is the row of an event, a word's code, or days. */
export const scratchTables: Readonly<Record<LotTableName, WriterColumns>> = {
  disposals: {
    event: 'whole',
    lot: 'whole',
    known: 'whole',
    quantity: 'amount',
    proceeds: 'amount',
    cost_basis: 'amount',
    denied_loss: 'amount',
    method: 'whole',
    holding_days: 'whole',
    term: 'whole',
  },
  lots: {
    account: 'whole',
    coin: 'whole',
    lot: 'whole',
    known: 'whole',
    quantity_left: 'amount',
    cost_basis_left: 'amount',
  },
  unknown_basis: {
    account: 'whole',
    coin: 'whole',
    quantity: 'amount',
    unvalued_quantity: 'amount',
    disposals: 'whole',
  },
  lot_transfers: {
    event: 'whole',
    lot: 'whole',
    known: 'whole',
    to_account: 'whole',
    quantity: 'amount',
    cost_basis: 'amount',
    method: 'whole',
    basis: 'whole',
  },
  short_sales: {
    sale: 'whole',
    closing: 'whole',
    known: 'whole',
    quantity: 'amount',
    proceeds: 'amount',
    cost_basis: 'amount',
    method: 'whole',
    holding_days: 'whole',
    term: 'whole',
  },
  borrowed_coins: { account: 'whole', coin: 'whole', quantity: 'amount' },
  lot_problems: {
    problem: 'whole',
    account: 'whole',
    coin: 'whole',
    happened_us: 'time',
    event: 'whole',
    lot: 'whole',
    named_lot: 'whole',
    quantity: 'amount',
  },
}

const word = (code: string): string => `list_extract($words, ${code} + 1)`
/** Code -1 is no word, and list_extract counts from the end at zero. */
const wordOrNull = (code: string): string => `case when ${code} >= 0 then ${word(code)} end`
const known = (bit: number, value: string): string => `case when (known & ${bit}) > 0 then ${value} end`

const selects: Readonly<Record<LotTableName, string>> = {
  // What an account held before its own books begin stands beside them as `account/before`.
  disposals: `
    select
      case when ends_with(sold.account, '/before') then sold.account[:-8] else sold.account end,
      sold.coin, ${word('method')}, $rules, sold.happened_at, ${known(8, 'bought.happened_at')}, found.quantity,
      ${known(1, 'proceeds')}, ${known(2, 'cost_basis')}, ${known(4, 'denied_loss')},
      case when (known & 3) = 3 then proceeds - cost_basis + denied_loss end,
      $currency, case when holding_days >= 0 then holding_days end, ${wordOrNull('term')},
      sold.event_id, bought.event_id
    from temp.found_disposals as found
    join lot_events as sold on sold.rowid = found.event
    left join lot_events as bought on bought.rowid = found.lot
    order by found.rowid`,
  lots: `
    select ${wordOrNull('found.account')}, ${word('found.coin')}, $method, ${known(8, 'bought.happened_at')},
      quantity_left, ${known(2, 'cost_basis_left')}, $currency, bought.event_id
    from temp.found_lots as found
    left join lot_events as bought on bought.rowid = found.lot
    order by found.rowid`,
  unknown_basis: `
    select ${word('account')}, ${word('coin')}, quantity, unvalued_quantity, disposals
    from temp.found_unknown_basis order by rowid`,
  lot_transfers: `
    select sent.coin, ${word('method')}, sent.event_id, sent.happened_at, sent.account, ${wordOrNull('to_account')},
      ${known(8, 'bought.happened_at')}, found.quantity, ${known(2, 'cost_basis')}, $currency, bought.event_id,
      ${word('basis')}
    from temp.found_lot_transfers as found
    join lot_events as sent on sent.rowid = found.event
    left join lot_events as bought on bought.rowid = found.lot
    order by found.rowid`,
  short_sales: `
    select sold.account, sold.coin, sold.happened_at, found.quantity, ${known(1, 'proceeds')}, closing.happened_at,
      ${known(2, 'cost_basis')}, case when (known & 3) = 3 then proceeds - cost_basis end, $currency,
      sold.event_id, closing.event_id
    from temp.found_short_sales as found
    join lot_events as sold on sold.rowid = found.sale
    left join lot_events as closing on closing.rowid = found.closing
    order by found.rowid`,
  borrowed_coins: `
    select ${word('account')}, ${word('coin')}, quantity from temp.found_borrowed_coins order by rowid`,
  lot_problems: `
    select ${word('problem')}, ${word('found.account')}, ${word('found.coin')}, make_timestamptz(happened_us),
      coalesce(events.event_id, ${wordOrNull('named_lot')}),
      coalesce(named.event_id, ${wordOrNull('named_lot')}), found.quantity
    from temp.found_lot_problems as found
    left join lot_events as events on events.rowid = found.event
    left join lot_events as named on named.rowid = found.lot
    order by found.rowid`,
}

/** Short sales that were bought again are disposals too; the lot of each is that purchase. */
const CLOSED_SHORT_SALES = `
  insert into disposals
  select sold.account, sold.coin, ${word('method')}, $rules,
    case when $short_sales = 'when sold' then sold.happened_at else closing.happened_at end, closing.happened_at,
    found.quantity, ${known(1, 'proceeds')}, ${known(2, 'cost_basis')}, null,
    case when (known & 3) = 3 then proceeds - cost_basis end, $currency,
    case when holding_days >= 0 then holding_days end, ${wordOrNull('term')}, sold.event_id, closing.event_id
  from temp.found_short_sales as found
  join lot_events as sold on sold.rowid = found.sale
  join lot_events as closing on closing.rowid = found.closing
  where (known & 16) > 0
  order by found.rowid`

const sqlTypes = {
  VARCHAR: 'VARCHAR',
  TIMESTAMPTZ: 'TIMESTAMPTZ',
  AMOUNT: 'DECIMAL(38,18)',
  BIGINT: 'BIGINT',
} as const

interface Given {
  readonly words: DuckDBListValue
  readonly rules: string
  readonly currency: string | null
  readonly method: string
  readonly short_sales: ShortSales
}

const types = {
  words: LIST(VARCHAR),
  rules: VARCHAR,
  currency: VARCHAR,
  method: VARCHAR,
  short_sales: VARCHAR,
}

/**
 * Makes the published tables anew and drops what they were made from.
 * Only the `filled` ones are joined with their texts: a join with nothing would still read every event.
 */
export async function writeOut(
  connection: DuckDBConnection,
  filled: readonly LotTableName[],
  given: Given,
): Promise<void> {
  await connection.run(lotTableNames.map((table) => definition(table, lotTables[table])).join(';\n'))
  const run = async (statement: string): Promise<void> => {
    const named = Object.keys(types).filter((name) => statement.includes(`$${name}`)) as (keyof Given)[]
    await connection.run(
      statement,
      Object.fromEntries(named.map((name) => [name, given[name]])),
      Object.fromEntries(named.map((name) => [name, types[name]])),
    )
  }
  for (const table of filled) await run(`insert into ${table} ${selects[table]}`)
  if (filled.includes('short_sales')) await run(CLOSED_SHORT_SALES)
  await connection.run(lotTableNames.map((table) => `drop table temp.found_${table}`).join(';\n'))
}

/** What the one row of `lot_matching` says. */
export interface MatchedBy {
  readonly method: string
  readonly scope: string
  readonly rules: string
  readonly timeZone: string
  readonly feesInKind: FeesInKind
}

/** Makes `lot_matching` anew. */
export async function writeMatching(connection: DuckDBConnection, by: MatchedBy): Promise<void> {
  const { method, scope, rules, timeZone, feesInKind } = by
  await connection.run(definition(MATCHING_TABLE, matchingTable))
  await connection.run(
    `insert into ${MATCHING_TABLE} values ($method, $scope, $rules, $timeZone, $feesInKind)`,
    {
      method,
      scope,
      rules,
      timeZone,
      feesInKind,
    },
  )
}

/** What it and its columns mean is written down by whoever keeps the tables. */
function definition(table: string, { columns }: LotTable): string {
  const typed = Object.entries(columns).map(([name, { type }]) => `${name} ${sqlTypes[type]}`)
  return `create or replace table ${table} (${typed.join(', ')})`
}
