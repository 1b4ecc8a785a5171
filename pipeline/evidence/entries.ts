// The lower half of the explanation: a transaction, its entries, and the venue's record behind each.
import type { RecordType } from '../../models/record.ts'
import { columnName } from '../../models/record.ts'
import { identifier } from '../engine/quote.ts'
import { feedRecords } from '../ledger/feeds.ts'
import type { Reader } from '../ledger/reader.ts'
import { ask, atInstant, inTurn, textOf, without } from './source.ts'
import { type Fields, type Place, type Step, step } from './step.ts'
import { valuationSteps } from './valuation.ts'

/**
 * A transaction with its entries, and the trade that they form, if any; null if there is none. `at` is when
 * it happened, if known: its entries share one instant.
 */
export async function transactionStep(
  reader: Reader,
  id: string,
  limit: number,
  at = '',
): Promise<Step | null> {
  const instant = atInstant('occurred_at', at)
  const entries = await ask(
    reader,
    `select * from entries where transaction_id = $id${instant.sql} order by entry_id`,
    { id, ...instant.values },
  )
  const trade = await tradeOf(reader, id, textOf(entries[0]?.occurred_at))
  if (entries.length === 0 && trade === null) return null
  const steps = await inTurn(entries.slice(0, limit), (entry) => entryStep(reader, entry))
  const parts = { steps, omitted: entries.length - steps.length }
  if (trade === null) return step('transaction', id, { entries: entries.length }, parts)
  // A trade without entries comes from an order or an import.
  const source = textOf(trade.source)
  const own = entries.length > 0 ? [] : await recordSteps(reader, id.replace(/^.*\//, ''), source)
  return step('trade', id, without(trade, 'trade_id'), { ...parts, steps: [...steps, ...own] })
}

async function tradeOf(reader: Reader, id: string, at: string): Promise<Fields | null> {
  if (!reader.tables.has('trades')) return null
  const instant = atInstant('traded_at', at)
  const sql = `select * from trades where trade_id = $id${instant.sql}`
  return (await ask(reader, sql, { id, ...instant.values }))[0] ?? null
}

const NOT_OF_THE_ENTRY = ['entry_id', 'transaction_id', 'page_id', 'page_row', 'place']

/** An entry with its counter account, and its record. */
export async function entryStep(reader: Reader, entry: Fields): Promise<Step> {
  const id = textOf(entry.entry_id)
  const at = textOf(entry.occurred_at)
  const instant = atInstant('occurred_at', at)
  const [counter] = reader.tables.has('postings')
    ? await ask(
        reader,
        `select account_name as counter_account from postings where posting_id = $id${instant.sql}`,
        { id: `${id}/counter`, ...instant.values },
      )
    : []
  const place = placeOf(entry)
  const record = await recordAt(reader, textOf(entry.source_feed), textOf(entry.account), place)
  const source = record ?? step('record', textOf(entry.source_id), {}, { place })
  // The amount that a deal states as paid counts, not what the coin was worth.
  const paid = await valuationSteps(reader, `${id}/paid`, at)
  const valued = paid.length > 0 ? paid : await valuationSteps(reader, id, at)
  const steps = [source, ...(await dealSteps(reader, id)), ...valued]
  return step('entry', id, { ...without(entry, ...NOT_OF_THE_ENTRY), ...counter }, { steps })
}

/** The merchant order that shows what was paid or received for a coin in a P2P deal. */
async function dealSteps(reader: Reader, id: string): Promise<Step[]> {
  if (!reader.tables.has('p2p_trades')) return []
  const [deal] = await ask(reader, 'select * from p2p_trades where entry_id = $id', { id })
  if (deal?.order_id === undefined) return []
  const orders = await recordSteps(reader, textOf(deal.order_id), 'p2p.orders')
  return [
    step('deal', textOf(deal.order_id), without(deal, 'entry_id', 'account', 'order_id'), { steps: orders }),
  ]
}

export const placeOf = (fields: Fields): Place | null =>
  fields.page_id === undefined || fields.page_row === undefined
    ? null
    : { frame: Number(fields.page_id), row: Number(fields.page_row) }

async function recordAt(
  reader: Reader,
  feed: string,
  account: string,
  place: Place | null,
): Promise<Step | null> {
  const record = feedRecords.find((one) => one.feed === feed)?.record
  if (record === undefined || place === null || !reader.tables.has(record.table)) return null
  const [row] = await ask(
    reader,
    `select * from ${identifier(record.table)} where account = $account and page_id = $frame and page_row = $row`,
    { account, ...place },
  )
  return row === undefined ? null : recordStep(feed, record, row)
}

/** Every version of every record that the venue gave this id, in one feed or in all. */
export async function recordSteps(reader: Reader, id: string, feed?: string): Promise<Step[]> {
  const steps: Step[] = []
  for (const one of feedRecords) {
    const { table, key } = one.record
    if ((feed !== undefined && one.feed !== feed) || key.length === 0 || !reader.tables.has(table)) continue
    const rows = await ask(
      reader,
      `select * from ${identifier(table)} where ${idSql(one.record)} = $id order by account, page_id, page_row`,
      { id },
    )
    steps.push(...rows.map((row) => recordStep(one.feed, one.record, row)))
  }
  return steps
}

/** The venue's own id of a record, as one text. */
export function idSql({ key }: RecordType): string {
  return `concat_ws('/', ${key.map((name) => identifier(columnName(name))).join(', ')})`
}

function recordStep(feed: string, { key }: RecordType, row: Fields): Step {
  const id = key.map((name) => textOf(row[columnName(name)])).join('/')
  return step('record', id, { feed, ...without(row, 'page_id', 'page_row') }, { place: placeOf(row) })
}
