// The price of each coin when a period begins or ends. The books hold prices at the end of UTC days. A period
// that ends within a UTC day, as days in most zones do, uses the valuation models on the published prices at
// that very instant.
import { literal } from '../engine/quote.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { lastAnswered } from './report.ts'
import { copy, valueAmounts } from './revalue.ts'

/** The last day for which the books have values. */
export const LAST_DAY = '(select max(day) from daily_valuation)'

/** The price of one of each coin at the end of a UTC day; `day` is SQL. */
export const pricesOf = (day: string): string =>
  `select coin, any_value(price) as price, any_value(currency) as currency, any_value(priced_at) as priced_at
   from daily_valuation where day = ${day} group by coin`

/**
 * SQL of what a quantity is worth: zero of a coin is worth zero, whatever its price; an empty value means
 * unknown.
 */
export const worthOf = (quantity: string, valued: string): string =>
  `case when ${quantity} = 0 then 0::decimal(38, 18) else ${valued} end`

/** SQL of the currency of that worth: zero is worth zero in the currency of the books. */
export const currencyOf = (quantity: string, ofPrice: string): string =>
  `coalesce(${ofPrice}, case when ${quantity} = 0 then (select min(currency) from daily_valuation) end)`

const DAY_BEFORE = `cast($before::timestamptz at time zone 'UTC' as date) - interval 1 day`

/**
 * The last UTC day that ended before the value `$before`, or the last day of the books if they end earlier.
 */
const lastDayBefore = (ledger: Ledger): string => `(case
  when $before::timestamptz is null then ${LAST_DAY}
  when $before::timestamptz > ${lastAnswered(ledger)} then least(${LAST_DAY}, ${DAY_BEFORE})
  else ${DAY_BEFORE}
end)`

/** What gives values to a period that ends after the books do. */
export const EXTEND_BOOKS =
  'Run `tieout nightly` to extend them; in books built from imports only, import a price of that day (`tieout import prices`).'

/** The prices that a period ends with, and how far they reach. */
export interface PeriodPrices {
  /** SQL of coin, price, currency and priced_at. */
  readonly sql: string
  /** The last day that has values if the period ends after it, else null. */
  readonly booksEnd: string | null
}

/**
 * Prices just before the instant `before`, or of the last day of the books: if no instant is given, or if the
 * venue last answered before it and nothing imported is later.
 */
export async function pricesBefore(ledger: Ledger, before: string | null): Promise<PeriodPrices> {
  const [row] = await ledger.query(
    `select cast(last_day as varchar), cast(${LAST_DAY} as varchar), last_day > ${LAST_DAY},
       last_day <= ${LAST_DAY} and last_day = ${DAY_BEFORE}
         and $before::timestamptz <> date_trunc('day', $before::timestamptz)
     from (select cast(${lastDayBefore(ledger)} as date) as last_day)`,
    { before },
  )
  const [day = null, end = null, isBeyond, isWithinDay] = row ?? []
  const ofDay = pricesOf(day === null ? 'null' : `${literal(String(day))}::date`)
  if (isWithinDay !== true || before === null || !canValue(ledger))
    return { sql: ofDay, booksEnd: isBeyond === true ? String(end) : null }
  const then = await pricesAt(ledger, before)
  return { sql: new Date(before).getUTCHours() < HALF_A_DAY ? orElse(then, ofDay) : then, booksEnd: null }
}

/**
 * West of UTC a day ends some hours after the UTC day of its date. A file may have one price a day, which
 * applies to the beginning of that UTC day and is no longer used then: a coin without another price takes
 * that of the end of the UTC day.
 */
const HALF_A_DAY = 12

const orElse = (prices: string, others: string): string => `
  select coin, price, currency, priced_at from (${prices})
  union all
  select coin, price, currency, priced_at from (${others}) where coin not in (select coin from (${prices}))`

/** Books of an earlier version may not have the tables that the models read. */
const canValue = (ledger: Ledger): boolean =>
  ['prices', 'price_sources'].every((table) => ledger.tables.has(table))

const HELD = `
  select distinct coin as entry_id, coin, 1::decimal(38, 18) as quantity, $before::timestamptz - interval 1 millisecond as valued_at
  from balance_history`

/** No price is used for longer than five days. */
const PRICES = `
  select * from prices
  where priced_at < $before::timestamptz and priced_at > $before::timestamptz - interval 6 days`

async function pricesAt(ledger: Ledger, before: string): Promise<string> {
  const [reporting] = await ledger.query('select min(currency) from daily_valuation')
  const currency = String(reporting?.[0])
  const reader = await ledger.scratch(async (connection) => {
    await copy(connection, ledger, 'held_coins', HELD, { before })
    await copy(connection, ledger, 'prices', PRICES, { before })
    await valueAmounts(connection, ledger, { currency, amounts: 'select * from held_coins' })
  })
  const rows = await reader.query(
    `select coin, cast(value as varchar), currency, cast(priced_at as varchar)
     from valuations where value is not null order by coin`,
  )
  const cells = rows.map(
    ([coin, price, of, pricedAt]) =>
      `(${literal(String(coin))}, ${literal(String(price))}::decimal(38, 18), ${literal(String(of))},
        ${pricedAt === null ? 'null' : literal(String(pricedAt))}::timestamptz)`,
  )
  const none = 'select null::varchar, null::decimal(38, 18), null::varchar, null::timestamptz where false'
  return `select * from (${cells.length === 0 ? none : `values ${cells.join(', ')}`}) as prices_then(coin, price, currency, priced_at)`
}
