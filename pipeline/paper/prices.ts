// Prices behind the figures of the period, by coin, day and source; and what had none.
import type { Content } from '../output/html.ts'
import { valuesOf, within } from '../reports/report.ts'
import type { PaperQuestion } from './question.ts'

/** Rows of imported trades, by the ids of their amounts; opening lots state their cost themselves. */
const IMPORTED = (which: string): string =>
  `regexp_replace(entry_id, '^(import/.*)/[^/]+$', '\\1') in (select 'import/' || id from imported_trades where ${which})`

/** Amounts of one account: an entry, the money of a deal, or an imported row. */
const OF_THE_ACCOUNT = `(regexp_replace(entry_id, '/paid$', '') in (select entry_id from entries where account = $account)
  or ${IMPORTED('account = $account')})`

/**
 * Income and gifts whose value their row states, and what was bought or sold for nothing: their coin needs no
 * price.
 */
const IS_STATED = `ends_with(entry_id, '/asset')
  and ${IMPORTED("(type in ('income', 'gift_in', 'gift_out') and currency is not null) or total = 0")}`

const OF_ALL = `(not starts_with(entry_id, 'import/') or ${IMPORTED('true')})`

/** Amounts that were valued in the period; daily values of balances are not included. */
const valued = (account: string | undefined): string => `
  with valued as (
    select *, timezone($zone::varchar, valued_at)::date as day,
      case when quantity <> 0 then exact_divide(value, quantity) end as price
    from valuations
    where not starts_with(entry_id, 'day/') and ${within('valued_at')}
      and ${account === undefined ? OF_ALL : OF_THE_ACCOUNT}
  )`

export async function prices({ ledger, request }: PaperQuestion): Promise<Content> {
  const { account, ...period } = valuesOf(request)
  const values = { ...period, zone: request.zone, ...(request.account === undefined ? {} : { account }) }
  const amounts = valued(request.account)
  const used = await ledger.stream(
    `${amounts}
     select coin, day, currency, sources as source, path, count(*) as amounts,
       min(price) as lowest_price,
       max(price) as highest_price,
       min(priced_at) as oldest_price_at
     from valued where value is not null and steps > 0
     group by all order by coin, day, source, path`,
    values,
  )
  const none = await ledger.stream(
    `${amounts}
     select coin, count(*) as amounts, min(valued_at) as first_at, max(valued_at) as last_at
     from valued where value is null and not (${IS_STATED}) group by coin order by coin`,
    values,
  )
  return {
    words: [
      'A price is value divided by quantity, for each amount that needed one: the lowest and the highest of the day.',
    ],
    tables: [
      { caption: 'Prices used', ...used },
      { caption: 'Amounts without a price', ...none },
    ],
  }
}
