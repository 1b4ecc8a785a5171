// Whether the figures of a report are complete: how many pieces of its disposals have no known gain, why, and
// what would fix it. Every format prints this before the figures.
import { counted } from '../../models/text.ts'
import type { Reader, Values } from '../ledger/reader.ts'
import { OF_ACCOUNT, reach, sums, within } from './report.ts'
import { unknownArrivals } from './worksheet.ts'

/** SQL condition for the disposals that a report is about: by account, period and the value `$currency`. */
export const CHOSEN_DISPOSALS = `${OF_ACCOUNT} and ${within('disposed_at')}
  and ($currency::varchar is null or currency is null or currency = $currency)`

const NAMED = 10

/**
 * One warning if lines of income have no known value: how many of how many, for which coins, and what to do.
 */
export async function withoutValue(reader: Reader, values: Values): Promise<string[]> {
  // Books of an earlier version have no values of income.
  if (reader.tables.get('income')?.includes('value') !== true) return []
  const rows = await reader.query(
    `select coin, count(*) filter (value is null), count(*) from income
     where ${OF_ACCOUNT} and ${within('occurred_at')} group by coin order by coin`,
    values,
  )
  const total = (column: number): number => rows.reduce((sum, row) => sum + Number(row[column]), 0)
  const unknown = total(1)
  if (unknown === 0) return []
  const coins = rows.filter((row) => Number(row[1]) > 0).map(([coin]) => String(coin))
  const more = coins.length > NAMED ? ` and ${coins.length - NAMED} more` : ''
  return [
    `INCOMPLETE: ${unknown} of ${counted(total(2), 'line')} of income ${unknown === 1 ? 'has' : 'have'} no known value, because there is no ` +
      `price for ${coins.slice(0, NAMED).join(', ')}${more}. Import prices (\`tieout import prices\`), or fetch them (\`tieout prices fetch\`).`,
  ]
}

/**
 * One warning if pieces have no known gain: how many of how many, for which coins, and what to do. `values`
 * are those of a report, with `currency`; `reader` has the disposals that were asked for, `ledger` the
 * published ones.
 */
export async function withoutGain(ledger: Reader, reader: Reader, values: Values): Promise<string[]> {
  const asked = {
    account: values.account ?? null,
    from: values.from ?? null,
    before: values.before ?? null,
    currency: values.currency ?? null,
  }
  const rows = await sums(
    reader,
    `select account, coin, count(*), count(*) filter (gain is null), sum(quantity) filter (gain is null),
       count(*) filter (cost_basis is null), count(*) filter (proceeds is null), ${reach('quantity')}
     from disposals where ${CHOSEN_DISPOSALS} group by account, coin order by account, coin`,
    asked,
  )
  const total = (column: number): number => rows.reduce((sum, row) => sum + Number(row[column]), 0)
  const unknown = total(3)
  if (unknown === 0) return []
  const concerned = rows.filter((row) => Number(row[3]) > 0)
  const named = concerned
    .slice(0, NAMED)
    .map(([account, coin, , , quantity]) => `${quantity} ${coin} (${account})`)
  const more = concerned.length > NAMED ? ` and ${concerned.length - NAMED} more` : ''
  const cures = [
    ...(total(5) > 0 ? await withoutCost(ledger, reader, asked) : []),
    ...(total(6) > 0 ? await withoutProceeds(ledger, reader, asked) : []),
  ]
  return [
    `INCOMPLETE: ${unknown} of ${counted(total(2), 'piece')} of disposals ${unknown === 1 ? 'has' : 'have'} no known gain and ` +
      `${unknown === 1 ? 'is' : 'are'} excluded from the figures: ${named.join(', ')}${more}. ${cures.join(' ')}`,
  ]
}

/**
 * What would supply the proceeds of the pieces without any; for loans from before the books, no price can.
 */
async function withoutProceeds(ledger: Reader, reader: Reader, asked: Values): Promise<string[]> {
  const repaid = new Set<string>()
  if (ledger.tables.has('lot_events')) {
    const { rows } = await ledger.stream(`select coin, event_id from lot_events where kind = 'repay'`)
    for await (const batch of rows) for (const row of batch) repaid.add(JSON.stringify(row))
  }
  const { rows } = await reader.stream(
    `select coin, disposal_id, count(*) from disposals
     where ${CHOSEN_DISPOSALS} and proceeds is null group by coin, disposal_id`,
    asked,
  )
  const pieces = { repaid: 0, unpriced: 0 }
  for await (const batch of rows)
    for (const [coin, id, count] of batch)
      pieces[repaid.has(JSON.stringify([coin, id])) ? 'repaid' : 'unpriced'] += Number(count)
  return [
    ...cured(
      pieces.unpriced,
      ' without a price at that time: import prices (`tieout import prices`), or fetch them (`tieout prices fetch`).',
    ),
    ...cured(
      pieces.repaid,
      ' repaid on a loan from before the books: nothing that can be imported shows what those coins were sold for. If they had been sold, calculate the result of that sale by hand; if not, there is none.',
    ),
  ]
}

const cured = (count: number, cure: string): string[] =>
  count === 0 ? [] : [`${counted(count, 'piece')}${cure}`]

/** Coins of which more was disposed of than all known lots held. */
async function soldBeyondLots(ledger: Reader): Promise<ReadonlySet<string>> {
  if (!ledger.tables.has('unknown_basis')) return new Set()
  const rows = await ledger.query('select distinct coin from unknown_basis where quantity > 0')
  return new Set(rows.map(([coin]) => String(coin)))
}

/** What would supply the cost of the pieces without one, by where their lots came from. */
async function withoutCost(ledger: Reader, reader: Reader, asked: Values): Promise<string[]> {
  const arrivals = await unknownArrivals(ledger)
  const oversold = await soldBeyondLots(ledger)
  const { rows } = await reader.stream(
    `select coin, lot_id, count(*) from disposals where ${CHOSEN_DISPOSALS} and cost_basis is null group by all`,
    asked,
  )
  const pieces = { listed: 0, missing: 0, other: 0 }
  for await (const batch of rows)
    for (const [coin, lot, count] of batch) {
      const ofCoin = arrivals.get(String(coin))
      // A piece of a pool does not name its arrival, so the arrivals of its coin are used.
      if (lot === null && (ofCoin === undefined || oversold.has(String(coin))))
        pieces.missing += Number(count)
      else if (lot === null ? ofCoin?.listed.size : ofCoin?.listed.has(String(lot)))
        pieces.listed += Number(count)
      else pieces.other += Number(count)
    }
  return [
    ...cured(
      pieces.listed,
      ' without a known cost: import the older trades (`tieout import trades`), or fill in the costs (`tieout worksheet`, then `tieout import lots`).',
    ),
    ...cured(
      pieces.missing,
      ' without a known cost, because the purchase is missing: import the older trades (`tieout import trades`), or what was held before (`tieout import lots`).',
    ),
    ...cured(
      pieces.other,
      ' without a known cost, whose arrival states none: import the purchase or the outgoing leg of the transfer that brought the coins in (`tieout import trades`), or the missing price (`tieout import prices`, or `tieout prices fetch`). If the venue states no reason for the arrival, give its type a meaning (`tax_types.csv` in the folder of the books).',
    ),
  ]
}
