// What nobody knows the cost of, as a file to fill in: one row for each arrival without a basis, in the form that
// `tieout import lots` takes back. The cost that stands there is what the coins were worth when they arrived, where prices
// say so: a proposal, for only their owner knows what they cost.
import type { Ledger } from '../ledger/ledger.ts'
import type { QueryResult } from '../ledger/session.ts'
import { requireTable } from './report.ts'

const ARRIVALS = `
  select 'worksheet:' || events.event_id as id, events.happened_at as time, events.account, events.coin as asset,
    events.quantity,
    case
      when valuations.quantity = events.quantity then valuations.value
      else exact_divide(exact_multiply(valuations.value, events.quantity), valuations.quantity)
    end as basis,
    (select any_value(currency) from lot_events where currency is not null) as currency,
    case when entries.kind = 'opening' then 'held before the books begin' else 'came from a wallet that the books do not know' end
      || case
        when valuations.value is null then '; no price of that time: fill in what it cost'
        else '; the basis is its market value then: put in what it cost'
      end as note
  from lot_events as events
  join entries on entries.entry_id = events.event_id
  left join valuations on valuations.entry_id = events.event_id
  where events.kind = 'acquire' and events.value is null and entries.kind in ('opening', 'transfer')
  order by events.happened_at, events.account, events.coin, events.place, events.event_id`

/** Rows in the columns of `import lots` and a note. UsageError for a ledger of an earlier version. */
export async function worksheet(ledger: Ledger): Promise<QueryResult> {
  for (const table of ['lot_events', 'entries', 'valuations']) requireTable(ledger, table)
  return await ledger.stream(ARRIVALS)
}
