// Lots in a currency other than the published one: each event of `lot_events` is valued at the rate of its
// own time, as if the books had been built in that currency. The rates come from the models that value the
// books, run once more over the published prices. Without a rate a value is unknown, never zero.
import { dirname } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { literal } from '../engine/quote.ts'
import { moneyCodes, quoteCoins } from '../imports/money.ts'
import { registerExactFunctions } from '../ledger/functions.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { type Model, shippedModel } from '../ledger/models.ts'
import { createMacros } from '../ledger/portable.ts'
import { priceWays } from '../ledger/price-ways.ts'
import { loadTable } from '../output/load.ts'
import { requireTable } from './report.ts'

/**
 * A value stated in the wanted currency needs no rate; which values those are is defined by the model that
 * values the books.
 */
const stated = (): string =>
  `select id, coin, stated_value as value, stated_value + stated_fees as value_before_fees from (${shippedModel('staging.stated_values').select}) where currency = $wanted`

/** The tables that it reads. */
const STATED_IN = ['imported_trades', 'imported_lots', 'p2p_trades']

/**
 * The published value of each event is an amount of the published currency at its time, and so are the value
 * given, the value shared and the value before fees if they differ.
 */
const AMOUNTS = `
  select rowid::varchar as entry_id, $published::varchar as coin, abs(value) as quantity, happened_at as valued_at
  from valued_events
  where value is not null
  union all
  select rowid::varchar || '/given', $published::varchar, abs(value_given), happened_at
  from valued_events
  where value_given is not null and value_given is distinct from value
  union all
  select rowid::varchar || '/shared', $published::varchar, abs(value_shared), happened_at
  from valued_events
  where value_shared is not null and value_shared is distinct from value
  union all
  select rowid::varchar || '/before', $published::varchar, abs(value_before_fees), happened_at
  from valued_events
  where value_before_fees is not null and value_before_fees is distinct from value`

const revaluedAs = (value: string, valuation: string, stated = 'value'): string => `
  case
    when stated.id is not null then stated.${stated}
    when events.${value} = 0 then events.${value}
    when events.${value} < 0 then -${valuation}.value
    else ${valuation}.value
  end`

/** In a coin, an exchange fee cannot be on the other side, as in books that are built in a coin. */
const otherValue = (isMoney: boolean, value: string, valuation: string): string => `
    case
      when ${isMoney ? `events.${value} is distinct from events.value` : 'false'}
      then ${revaluedAs(value, valuation)}
      else ${revaluedAs('value', 'valuations')}
    end as ${value}`

const revalued = (isMoney: boolean): string => `
  select events.* exclude (place_of_event) replace (
    ${revaluedAs('value', 'valuations')} as value,
    ${otherValue(isMoney, 'value_given', 'given_valuations')},
    ${otherValue(isMoney, 'value_shared', 'shared_valuations')},
    case
      when stated.id is not null or events.value_before_fees is distinct from events.value
      then ${revaluedAs('value_before_fees', 'before_valuations', 'value_before_fees')}
      else ${revaluedAs('value', 'valuations')}
    end as value_before_fees,
    $wanted as currency
  )
  from (select *, rowid::varchar as place_of_event from valued_events) as events
  left join valuations on valuations.entry_id = events.place_of_event
  left join valuations as given_valuations on given_valuations.entry_id = events.place_of_event || '/given'
  left join valuations as shared_valuations on shared_valuations.entry_id = events.place_of_event || '/shared'
  left join valuations as before_valuations on before_valuations.entry_id = events.place_of_event || '/before'
  left join stated on stated.id = events.event_id and stated.coin = events.coin
  where events.coin <> $wanted`

/** The valuation models' inputs, in the order in which they are built. */
const valuationModels = (): Model[] => [
  shippedModel('staging.price_links'),
  shippedModel('staging.price_pairs'),
  shippedModel('staging.straight_prices'),
  shippedModel('staging.price_questions'),
  priceWays,
  shippedModel('main.valuations'),
]

/** The single currency in which the published lots are calculated; null if there are none. */
export async function publishedCurrency(ledger: Ledger): Promise<string | null> {
  const table = ledger.tables.has('lot_events') ? 'lot_events' : 'disposals'
  const [row] = await ledger.query(`select min(currency) from ${table}`)
  return typeof row?.[0] === 'string' ? row[0] : null
}

/**
 * Whether lots in one currency can be had in the other: coins that are money in the books have no lots to
 * value.
 */
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
  for (const table of ['prices', 'price_sources', ...STATED_IN]) requireTable(ledger, table)
  const dir = dirname(ledger.file)
  const money = [...new Set([...moneyCodes(dir), wanted])]
  const hubs = quoteCoins(dir)
  // A route from money to money uses only money and quote coins: no price of another coin is inverted.
  const known = [...new Set([...money, ...hubs])].map(literal).join(', ')
  await copy(
    connection,
    ledger,
    'prices',
    `select * from prices where coin in (${known}) and currency in (${known})`,
    {},
  )
  await copy(connection, ledger, 'stated', stated(), { wanted })
  await connection.run('alter table lot_events rename to valued_events')
  await valueAmounts(connection, ledger, { currency: wanted, money, amounts: AMOUNTS, values: { published } })
  await connection.run(`create table lot_events as ${revalued(moneyCodes(dir).has(wanted))}`, { wanted })
}

interface Valuation {
  readonly currency: string
  /** Codes of money; those of the books if absent. */
  readonly money?: readonly string[]
  /** A select of the amounts to be valued, with the columns of `staging.amounts_to_value`. */
  readonly amounts: string
  readonly values?: Readonly<Record<string, string>>
}

/**
 * Creates the table `valuations` from the table `prices` on the connection, with the models that value the
 * books.
 */
export async function valueAmounts(
  connection: DuckDBConnection,
  ledger: Ledger,
  { currency, money, amounts, values = {} }: Valuation,
): Promise<void> {
  const dir = dirname(ledger.file)
  await copy(connection, ledger, 'price_sources', 'select * from price_sources', {})
  registerExactFunctions(connection)
  await createMacros(connection)
  await connection.run('create schema staging')
  await connection.run('create table staging.reporting as select $currency::varchar as currency', {
    currency,
  })
  await connection.run(`create table staging.fiat as ${listOf(money ?? [...moneyCodes(dir)], 'currency')}`)
  await connection.run(`create table staging.quote_ranks as ${listOf(quoteCoins(dir), 'coin')}`)
  await connection.run(`create table staging.amounts_to_value as ${amounts}`, { ...values })
  for (const { table, select } of valuationModels())
    await connection.run(`create table ${table} as ${select}`)
}

const listOf = (codes: readonly string[], column: string): string =>
  `select unnest([${codes.map((code) => `${literal(code)}::varchar`).join(', ')}]) as ${column}`

/** Fills a table on the connection with the result of a query on the published ledger. */
export async function copy(
  connection: DuckDBConnection,
  ledger: Ledger,
  table: string,
  sql: string,
  values: Readonly<Record<string, string>>,
): Promise<void> {
  const session = await ledger.session(sql)
  const statement = await session.run(() => session.connection.prepare(sql))
  statement.bind({ ...values })
  await loadTable(connection, table, await session.start(statement))
}
