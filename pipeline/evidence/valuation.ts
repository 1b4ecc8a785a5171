// How an amount was valued: the prices on the route to the reporting currency, each with its source and its
// age, and what each is based on: a row of an imported file, own trades of that moment, or own P2P deals.
import type { Reader } from '../ledger/reader.ts'
import { ask, atInstant, inTurn, textOf, without } from './source.ts'
import { type Fields, type Place, type Step, step } from './step.ts'

/** How many trades and deals of one moment are listed side by side. */
const NAMED_MAX = 5

const NOT_SHOWN = ['entry_id', 'rank', 'sources', 'priced_at']

/**
 * What the amount with this id was worth then; empty for one that needed no price, such as one in the
 * reporting currency.
 */
export async function valuationSteps(reader: Reader, id: string, at = ''): Promise<Step[]> {
  const found = (await valuationsOf(reader, id, at)).filter(({ steps }) => steps !== 0)
  return await inTurn(found, (valuation) => valuationStep(reader, valuation))
}

/**
 * The parts of an imported row that had to be valued by a price; if the total states the value, the asset
 * needs none.
 */
export async function importedValuationSteps(reader: Reader, id: string): Promise<Step[]> {
  const [total] = await valuationsOf(reader, `import/${id}/total`)
  const parts = total?.steps === 0 ? ['fee'] : ['total', 'asset', 'fee', 'network']
  return (await inTurn(parts, (part) => valuationSteps(reader, `import/${id}/${part}`))).flat()
}

async function valuationsOf(reader: Reader, id: string, at = ''): Promise<Fields[]> {
  if (!reader.tables.has('valuations')) return []
  const instant = atInstant('valued_at', at)
  const sql = `select * from valuations where entry_id = $id${instant.sql}`
  return await ask(reader, sql, { id, ...instant.values })
}

async function valuationStep(reader: Reader, valuation: Fields): Promise<Step> {
  const places = textOf(valuation.path).split(' > ')
  const sources = textOf(valuation.sources).split(' > ')
  const hops = places
    .slice(1)
    .map((to, at) => ({ from: places[at] as string, to, source: sources[at] ?? '' }))
  const steps = await inTurn(hops, (hop) => priceStep(reader, hop, valuation))
  return step('valuation', textOf(valuation.entry_id), without(valuation, ...NOT_SHOWN), { steps })
}

interface Hop {
  readonly from: string
  readonly to: string
  readonly source: string
}

/** The source's newest price between the two before that moment, as quoted, before any inversion. */
async function priceStep(reader: Reader, { from, to, source }: Hop, valuation: Fields): Promise<Step> {
  const [price] = await ask(
    reader,
    `select *, cast($at::timestamptz - priced_at as varchar) as age from prices
     where source = $source and priced_at <= $at::timestamptz
       and ((coin = $from and currency = $to)
         or (coin = $to and currency = $from and (source not in ('trades', 'p2p') or $to = $reporting)))
     order by priced_at desc, coin = $from desc
     limit 1`,
    { from, to, source, at: textOf(valuation.valued_at), reporting: textOf(valuation.currency) },
  )
  const title = `${from} > ${to}`
  if (price === undefined) return step('price', title, { source })
  const { page_id: frame, page_row: row, ...fields } = price
  const place: Place | null =
    frame === undefined || row === undefined ? null : { frame: Number(frame), row: Number(row) }
  return step('price', title, fields, { place, steps: place === null ? await originsOf(reader, price) : [] })
}

/** Trades or deals of that moment; the price is their average. */
async function originsOf(reader: Reader, price: Fields): Promise<Step[]> {
  const isDeal = price.source === 'p2p'
  const sql = isDeal
    ? `select entry_id as id, side, quantity, fiat_amount, order_id from p2p_trades
       where coin = $coin and fiat = $currency and traded_at = $at::timestamptz order by entry_id`
    : `select trade_id as id, account, side, quantity, quote_amount from trades
       where base = $coin and quote = $currency and traded_at = $at::timestamptz and kind = 'trade' order by trade_id`
  const values = { coin: textOf(price.coin), currency: textOf(price.currency), at: textOf(price.priced_at) }
  const rows = await ask(reader, `${sql} limit ${NAMED_MAX}`, values)
  return rows.map((row) => step(isDeal ? 'own deal' : 'own trade', textOf(row.id), without(row, 'id')))
}
