// What nobody knows the cost of, as a file to fill in: one row for each arrival without a basis, in the form that
// `tieout import lots` takes back. The cost that stands there is what the coins were worth when they arrived, where prices
// say so: a proposal, for only their owner knows what they cost.
import type { Ledger } from '../ledger/ledger.ts'
import { shippedModel } from '../ledger/models.ts'
import type { Reader } from '../ledger/reader.ts'
import type { QueryResult } from '../ledger/session.ts'
import { requireTable } from './report.ts'

const arrivals = (): string => `
  select 'worksheet:' || arrivals.event_id as id, arrivals.happened_at as time, arrivals.account, arrivals.coin as asset,
    arrivals.quantity,
    case
      when valuations.quantity = arrivals.quantity then valuations.value
      else exact_divide(exact_multiply(valuations.value, arrivals.quantity), valuations.quantity)
    end as basis,
    (select any_value(currency) from lot_events where currency is not null) as currency,
    case when arrivals.entry_kind = 'opening' then 'held before the books begin' else 'came from a wallet that the books do not know' end
      || case
        when valuations.value is null then '; no price of that time: fill in what it cost'
        else '; the basis is its market value then: put in what it cost'
      end as note
  from (${listed()}) as arrivals
  left join valuations on valuations.entry_id = arrivals.event_id
  order by arrivals.happened_at, arrivals.account, arrivals.coin, arrivals.place, arrivals.event_id`

/** Arrivals that a worksheet lists: rows of sql/intermediate/values/unknown_arrivals.sql. */
const listed = (): string =>
  `select * from (${shippedModel('staging.unknown_arrivals').select}) where told_by = 'worksheet'`

/** By coin, the ids of the arrivals that a worksheet lists; none of a ledger of an earlier version that cannot tell. */
export async function listedArrivals(ledger: Reader): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  if (!ledger.tables.has('lot_events') || !ledger.tables.has('entries')) return new Map()
  const byCoin = new Map<string, Set<string>>()
  for (const [coin, id] of await ledger.query(`select coin, event_id from (${listed()})`)) {
    const ids = byCoin.get(String(coin)) ?? new Set()
    byCoin.set(String(coin), ids.add(String(id)))
  }
  return byCoin
}

/** Rows in the columns of `import lots` and a note. UsageError for a ledger of an earlier version. */
export async function worksheet(ledger: Ledger): Promise<QueryResult> {
  for (const table of ['lot_events', 'entries', 'valuations']) requireTable(ledger, table)
  return await ledger.stream(arrivals())
}
