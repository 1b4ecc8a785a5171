// From the engine's numbers to the published tables. Rows keep the engine's order, whatever order the
// database uses.
import {
  type DuckDBConnection,
  type DuckDBListValue,
  DuckDBTimestampTZValue,
  LIST,
  TIMESTAMPTZ,
  VARCHAR,
} from '@duckdb/node-api'
import type { FeesInKind, ShortSales } from './event.ts'
import { type LotTable, type LotTableName, lotTableNames, MATCHING_TABLE } from './tables.ts'
import type { WriterColumns } from './writer.ts'

/** Columns of the temporary tables `found_…`; a whole number is the row of an event, a word's code, or days. */
export const scratchTables = {
  disposals: {
    account: 'whole',
    coin: 'whole',
    event: 'whole',
    lot: 'whole',
    quantity: 'amount',
    proceeds: 'amount',
    fees: 'amount',
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
    to_account: 'whole',
    quantity: 'amount',
    cost_basis: 'amount',
    method: 'whole',
    basis: 'whole',
  },
  short_sales: {
    sale: 'whole',
    closing: 'whole',
    /** 1 where the closing is a purchase. */
    is_bought_again: 'whole',
    sold_at: 'time',
    closed_at: 'time',
    quantity: 'amount',
    proceeds: 'amount',
    fees: 'amount',
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
    happened_at: 'time',
    event: 'whole',
    lot: 'whole',
    named_lot: 'whole',
    quantity: 'amount',
  },
} as const satisfies Readonly<Record<LotTableName, WriterColumns>>

const word = (code: string): string => `list_extract($words, ${code} + 1)`

/**
 * Texts and times of the events that bring coins, and of those that take them: hashing each for its own join
 * halves the cost. A lot that arrived by a transfer from an unknown source has no date.
 */
const CAME = `(
  select rowid as event_row, event_id, case when kind = 'acquire' then happened_at end as acquired_at
  from lot_events where kind in ('acquire', 'transfer_in')
)`
const LEFT = `(
  select rowid as event_row, event_id, happened_at from lot_events where kind not in ('acquire', 'transfer_in')
)`

const selects: Readonly<Record<LotTableName, string>> = {
  disposals: `
    select ${word('account')}, ${word('coin')}, ${word('method')}, $rules, disposed_at, acquired_at, quantity, proceeds,
      cost_basis, denied_loss, proceeds - (cost_basis - coalesce(denied_loss, 0)), $currency, holding_days, ${word('term')},
      disposal_id, lot_id, fees
    from (
      select found.*, sold.event_id as disposal_id, sold.happened_at as disposed_at, bought.event_id as lot_id, acquired_at
      from temp.found_disposals as found
      join ${LEFT} as sold on sold.event_row = found.event
      left join ${CAME} as bought on bought.event_row = found.lot
      order by found.rowid
    )`,
  lots: `
    select ${word('found.account')}, ${word('found.coin')}, $method, acquired_at, quantity_left, cost_basis_left,
      $currency, bought.event_id
    from temp.found_lots as found
    left join ${CAME} as bought on bought.event_row = found.lot
    order by found.rowid`,
  unknown_basis: `
    select ${word('account')}, ${word('coin')}, quantity, unvalued_quantity, disposals
    from temp.found_unknown_basis order by rowid`,
  lot_transfers: `
    select sent.coin, ${word('method')}, sent.event_id, sent.happened_at, sent.account, ${word('to_account')}, acquired_at,
      found.quantity, cost_basis, $currency, bought.event_id, ${word('basis')}
    from temp.found_lot_transfers as found
    join lot_events as sent on sent.rowid = found.event
    left join ${CAME} as bought on bought.event_row = found.lot
    order by found.rowid`,
  short_sales: `
    select sold.account, sold.coin, sold_at, found.quantity, proceeds, closed_at, cost_basis, proceeds - cost_basis,
      $currency, sold.event_id, closing.event_id
    from temp.found_short_sales as found
    join lot_events as sold on sold.rowid = found.sale
    left join lot_events as closing on closing.rowid = found.closing
    order by found.rowid`,
  borrowed_coins: `
    select ${word('account')}, ${word('coin')}, quantity from temp.found_borrowed_coins order by rowid`,
  lot_problems: `
    select ${word('problem')}, ${word('found.account')}, ${word('found.coin')}, found.happened_at,
      coalesce(events.event_id, ${word('named_lot')}), coalesce(named.event_id, ${word('named_lot')}), found.quantity
    from temp.found_lot_problems as found
    left join lot_events as events on events.rowid = found.event
    left join ${CAME} as named on named.event_row = found.lot
    order by found.rowid`,
}

/** Short sales that were bought back are disposals too; the lot of each is that purchase. */
const CLOSED_SHORT_SALES = `
  insert into disposals
  select sold.account, sold.coin, ${word('method')}, $rules,
    case when $short_sales = 'when sold' then sold_at else closed_at end, closed_at, found.quantity, proceeds,
    cost_basis, null, proceeds - cost_basis, $currency, holding_days, ${word('term')}, sold.event_id,
    closing.event_id, fees
  from temp.found_short_sales as found
  join lot_events as sold on sold.rowid = found.sale
  join lot_events as closing on closing.rowid = found.closing
  where is_bought_again = 1
  order by found.rowid`

const sqlTypes = {
  VARCHAR: 'VARCHAR',
  TIMESTAMPTZ: 'TIMESTAMP WITH TIME ZONE',
  AMOUNT: 'DECIMAL(38,18)',
  BIGINT: 'BIGINT',
  BOOLEAN: 'BOOLEAN',
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
 * Fills the published tables, and drops the tables that they were made from. Only the `filled` ones are
 * joined with their texts: joining an empty one would still read every event.
 */
export async function writeOut(
  connection: DuckDBConnection,
  filled: readonly LotTableName[],
  given: Given,
): Promise<void> {
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
  await connection.run(lotTableNames.map((table) => `drop table if exists temp.found_${table}`).join(';\n'))
}

/** The contents of the single row of `lot_matching`. */
export interface MatchedBy {
  readonly method: string
  readonly scope: string
  readonly rules: string
  readonly timeZone: string
  readonly feesInKind: FeesInKind
  readonly exchangeFeesGivenFromUs: bigint | null
  readonly sharesExchangeFees: boolean
}

/** Writes the row of `lot_matching`. */
export async function writeMatching(connection: DuckDBConnection, by: MatchedBy): Promise<void> {
  const {
    method,
    scope,
    rules,
    timeZone,
    feesInKind,
    exchangeFeesGivenFromUs: fromUs,
    sharesExchangeFees: isShared,
  } = by
  await connection.run(
    `insert into ${MATCHING_TABLE} values ($method, $scope, $rules, $timeZone, $feesInKind, $from, $isShared)`,
    {
      method,
      scope,
      rules,
      timeZone,
      feesInKind,
      isShared,
      from: fromUs === null ? null : new DuckDBTimestampTZValue(fromUs),
    },
    { from: TIMESTAMPTZ },
  )
}

/** Recreates these tables, empty. Their meaning is documented by the component that keeps them. */
export async function defineTables(
  connection: DuckDBConnection,
  tables: readonly (readonly [string, LotTable])[],
): Promise<void> {
  const statements = tables.map(
    ([name, table]) => `create or replace table ${name} (${columnsAsDefined(table)})`,
  )
  await connection.run(statements.join(';\n'))
}

/** The columns of a table, as the engine itself names their types. */
export const columnsAsDefined = ({ columns }: LotTable): string =>
  Object.entries(columns)
    .map(([name, { type }]) => `"${name}" ${sqlTypes[type]}`)
    .join(', ')
