// Arrivals without a known cost, as a file to fill in: one row for each, in the form that `tieout import
// lots` takes back. The cost is prefilled with the market value on arrival if there is a price for it. That
// is only a proposal: the owner alone knows what the coins cost.
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
    case arrivals.entry_kind
      when 'opening' then 'held before the books begin'
      when 'rebase' then 'received in a split or merger'
      else 'came from a wallet outside the books'
    end
      || case
        when valuations.value is null then '; no price at that time: fill in the cost'
        else '; the basis is its market value then: replace it with the cost'
      end as note
  from (${listed()}) as arrivals
  left join valuations on valuations.entry_id = arrivals.event_id
  order by arrivals.happened_at, arrivals.account, arrivals.coin, arrivals.place, arrivals.event_id`

/**
 * Arrivals without a known cost, by sql/intermediate/values/unknown_arrivals.sql over the published tables.
 */
const unknown = (): string => shippedModel('staging.unknown_arrivals').select

/** The arrivals that a worksheet lists. */
const listed = (): string => `select * from (${unknown()}) where told_by = 'worksheet'`

/**
 * By coin with arrivals of unknown cost, the ids of those that a worksheet lists; empty for a ledger of an
 * earlier version that does not record them.
 */
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

/**
 * The text of a worksheet as its rows are read, and counts of the rows read so far: all, and those without a
 * basis.
 */
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
