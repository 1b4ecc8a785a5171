// Lots in another currency than the published one: each event of `lot_events` valued at the rate of its own time, as if
// the books had been built in that currency. Rates are prices between two currencies of the state, as imported (such as
// the reference rates of the ECB); without one a value is unknown, never zero.
import { dirname } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { literal } from '../engine/quote.ts'
import { moneyCodes } from '../imports/money.ts'
import { registerExactFunctions } from '../ledger/functions.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { shippedModel } from '../ledger/models.ts'
import { loadTable } from '../output/load.ts'
import { requireTable } from './report.ts'

/** What an imported row states in the wanted currency itself needs no rate. */
const STATED = `
  select id, asset as coin, case when type in ('sell', 'gift_out') then total - fee else total + fee end as value
  from imported_trades
  where currency = $wanted and total is not null and type not in ('transfer_in', 'transfer_out')
    and (fee = 0 or fee_currency = $wanted)
  union all
  select id, asset, basis from imported_lots where currency = $wanted`

const NOTHING_STATED = `select ''::varchar as id, ''::varchar as coin, 0::decimal(38, 18) as value
  where $wanted is null`

const REVALUED = `
  with
  straight as (select * from staging.reporting_prices where coin = $published and steps = 1),
  crossed as (select * from staging.reporting_prices where coin = $published and steps = 2),
  timed as (
    select valued_events.*, straight.numerator, straight.denominator, straight.valid_until >= happened_at as is_fresh
    from valued_events
    asof left join straight on straight.priced_at <= happened_at
  ),
  rated as (
    select timed.* exclude (numerator, denominator, is_fresh),
      case when is_fresh then timed.numerator when crossed.valid_until >= happened_at then crossed.numerator end
        as numerator,
      case when is_fresh then timed.denominator when crossed.valid_until >= happened_at then crossed.denominator end
        as denominator
    from timed
    asof left join crossed on crossed.priced_at <= happened_at
  )
  select rated.* exclude (numerator, denominator) replace (
    case
      when stated.id is not null then stated.value
      when rated.value = 0 then rated.value
      else exact_ratio(rated.value, numerator, denominator)
    end as value,
    $wanted as currency
  )
  from rated
  left join stated on stated.id = rated.event_id and stated.coin = rated.coin
  where rated.coin <> $wanted`

/** The one currency in which the published lots are reckoned; null while nothing is. */
export async function publishedCurrency(ledger: Ledger): Promise<string | null> {
  const table = ledger.tables.has('lot_events') ? 'lot_events' : 'disposals'
  const [row] = await ledger.query(`select min(currency) from ${table}`)
  return typeof row?.[0] === 'string' ? row[0] : null
}

/** Whether lots in the one can be had in the other: coins that are money in the books have no lots to value. */
export function canRevalue(ledger: Ledger, published: string): boolean {
  return moneyCodes(dirname(ledger.file)).has(published)
}

/** Replaces `lot_events` on the connection by the same events in the wanted currency. */
export async function revalueEvents(
  connection: DuckDBConnection,
  ledger: Ledger,
  published: string,
  wanted: string,
): Promise<void> {
  requireTable(ledger, 'prices')
  const money = [...new Set([...moneyCodes(dirname(ledger.file)), wanted])].map(literal)
  const list = money.join(', ')
  const prices = `select coin, currency, priced_at, price, source from prices
    where coin in (${list}) and currency in (${list})`
  await copy(connection, ledger, 'prices', prices, {})
  const hasImports = ['imported_trades', 'imported_lots'].every((table) => ledger.tables.has(table))
  await copy(connection, ledger, 'stated', hasImports ? STATED : NOTHING_STATED, { wanted })
  registerExactFunctions(connection)
  await connection.run('create schema staging')
  await connection.run('create table staging.reporting as select $wanted::varchar as currency', { wanted })
  await connection.run(
    `create table staging.fiat as select unnest([${money.map((code) => `${code}::varchar`).join(', ')}]) as currency`,
  )
  const { table, select } = shippedModel('staging.reporting_prices')
  await connection.run(`create table ${table} as ${select}`)
  await connection.run('alter table lot_events rename to valued_events')
  await connection.run(`create table lot_events as ${REVALUED}`, { published, wanted })
}

async function copy(
  connection: DuckDBConnection,
  ledger: Ledger,
  table: string,
  sql: string,
  values: Readonly<Record<string, string>>,
): Promise<void> {
  const session = await ledger.session()
  const statement = await session.run(() => session.connection.prepare(sql))
  statement.bind({ ...values })
  await loadTable(connection, table, await session.start(statement))
}
