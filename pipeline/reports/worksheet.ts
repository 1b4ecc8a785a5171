// What nobody knows the cost of, as a file to fill in: one row for each arrival without a basis, in the form that
// `tieout import lots` takes back. The cost that stands there is what the coins were worth when they arrived, where prices
// say so: a proposal, for only their owner knows what they cost.
import type { Ledger } from '../ledger/ledger.ts'
import { shippedModel } from '../ledger/models.ts'
import type { Reader } from '../ledger/reader.ts'
import type { QueryResult } from '../ledger/session.ts'
import type { RowBatches } from '../output/column.ts'
import { csvText } from '../output/csv.ts'
import { jsonText } from '../output/json.ts'
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

/** Arrivals without a known cost, by sql/intermediate/values/unknown_arrivals.sql over what was published. */
const unknown = (): string => shippedModel('staging.unknown_arrivals').select

/** Those that a worksheet lists. */
const listed = (): string => `select * from (${unknown()}) where told_by = 'worksheet'`

/** Of each coin with arrivals without a known cost, the ids of those that a worksheet lists; none of a ledger of an earlier version that cannot tell. */
export async function unknownArrivals(
  ledger: Reader,
): Promise<ReadonlyMap<string, { readonly listed: ReadonlySet<string> }>> {
  if (!ledger.tables.has('lot_events') || !ledger.tables.has('entries')) return new Map()
  const byCoin = new Map<string, { readonly listed: Set<string> }>()
  const { rows } = await ledger.stream(`select coin, event_id, told_by from (${unknown()})`)
  for await (const batch of rows)
    for (const [coin, id, toldBy] of batch) {
      const ofCoin = byCoin.get(String(coin)) ?? { listed: new Set() }
      byCoin.set(String(coin), ofCoin)
      if (toldBy === 'worksheet') ofCoin.listed.add(String(id))
    }
  return byCoin
}

/** Rows in the columns of `import lots` and a note. UsageError for a ledger of an earlier version. */
export async function worksheet(ledger: Ledger): Promise<QueryResult> {
  for (const table of ['lot_events', 'entries', 'valuations']) requireTable(ledger, table)
  return await ledger.stream(arrivals())
}

/** The text of a worksheet as its rows are read, and what has gone by of it: all rows, and those without a basis. */
export function worksheetText(
  { columns, rows }: QueryResult,
  form: 'csv' | 'json',
): {
  readonly text: AsyncIterable<string>
  readonly counts: { readonly all: number; readonly open: number }
} {
  const basis = columns.findIndex(({ name }) => name === 'basis')
  const counts = { all: 0, open: 0 }
  async function* counting(): RowBatches {
    for await (const batch of rows) {
      counts.all += batch.length
      counts.open += batch.filter((row) => row[basis] === null).length
      yield batch
    }
  }
  return { text: (form === 'json' ? jsonText : csvText)(columns, counting()), counts }
}
