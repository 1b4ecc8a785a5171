// The double entry of the published ledger as exports read it: transactions in time order, each with its
// postings, and what must be known about the whole before the first is written.

import type { Ledger } from '../ledger/ledger.ts'
import type { Row } from '../output/cell.ts'
import { requireTable } from '../reports/report.ts'
import { consecutive } from './consecutive.ts'

/** Where an entry comes from; a counter side has no source of its own. */
export interface Source {
  readonly entryId: string
  readonly sourceFeed: string
  readonly sourceId: string
  /** Journal frame and the row in it; null if no single row is the source. */
  readonly pageId: number | null
  readonly pageRow: number | null
}

export interface Posting {
  readonly accountName: string
  readonly coin: string
  /** Exact decimal text. */
  readonly amount: string
  readonly source: Source | null
}

export interface Transaction {
  readonly id: string
  /** ISO-8601 in UTC. */
  readonly at: string
  /** Kinds of its entries, each once. */
  readonly kinds: readonly string[]
  /** Entries first, then their counter sides. */
  readonly postings: readonly Posting[]
}

export interface Balance {
  readonly accountName: string
  readonly coin: string
  readonly quantity: string
}

export interface Outline {
  readonly accountNames: readonly string[]
  /** Coins with the maximum number of decimals of their amounts. */
  readonly coins: ReadonlyMap<string, number>
  readonly balances: readonly Balance[]
  /** UTC days, `2026-01-31`. */
  readonly firstDay: string
  /** The day after the last movement, when every balance holds. */
  readonly closingDay: string
  readonly prices: PriceOutline
}

/** Which prices there are, determined before the first is written. */
export interface PriceOutline {
  /** The reporting currency of the prices; null if there are none. */
  readonly currency: string | null
  /**
   * Held coins without a price at the end, with the day of their last one; null for a coin that never had a
   * price.
   */
  readonly ended: readonly { readonly coin: string; readonly lastDay: string | null }[]
}

/** What one coin was worth at the end of a UTC day. */
export interface Price {
  readonly coin: string
  readonly day: string
  /** Exact decimal text, in the reporting currency. */
  readonly price: string
}

const DAY_MS = 86_400_000

/** Balances that are based on postings; those of imported accounts are not. */
export const OF_THE_VENUE = "ledger <> 'IMPORT'"

/** The UTC day `days` after that of an ISO-8601 time. */
export function dayOf(at: string, days = 0): string {
  return new Date(Date.parse(at) + days * DAY_MS).toISOString().slice(0, 10)
}

/** UsageError if the ledger is missing a table. */
export async function readOutline(ledger: Ledger): Promise<Outline> {
  for (const table of ['postings', 'entries', 'balances']) requireTable(ledger, table)
  const balances = await ledger.query(
    `select 'Assets:Venue:' || account || ':' || ledger as account_name, coin, quantity
     from balances where ${OF_THE_VENUE} order by account_name, coin`,
  )
  const names = await ledger.query(
    `select account_name from postings
     union select 'Assets:Venue:' || account || ':' || ledger from balances where ${OF_THE_VENUE} order by 1`,
  )
  // An amount is printed without trailing zeros, so its decimals are the digits after the point.
  const coins = await ledger.query(
    `with amounts as (
       select coin, rtrim(cast(amount as varchar), '0') as shown from entries
       union all select coin, rtrim(cast(quantity as varchar), '0') from balances where ${OF_THE_VENUE}
     )
     select coin, max(length(shown) - instr(shown, '.')) from amounts group by coin order by coin`,
  )
  const [span] = await ledger.query('select min(occurred_at), max(occurred_at) from entries')
  const [first, last] = span ?? []
  const [closing] = await ledger.query(`select max(as_of) from balances where ${OF_THE_VENUE}`)
  const prices = await readPriceOutline(ledger)
  const decimals = new Map(coins.map(([coin, places]) => [String(coin), Number(places)]))
  if (prices.currency !== null && !decimals.has(prices.currency))
    decimals.set(prices.currency, VALUE_DECIMALS)
  const latest = [last, closing?.[0]].filter((at) => typeof at === 'string').toSorted()
  return {
    accountNames: names.map(([name]) => String(name)),
    coins: decimals,
    balances: balances.map(([accountName, coin, quantity]) => ({
      accountName: String(accountName),
      coin: String(coin),
      quantity: String(quantity),
    })),
    firstDay: dayOf(typeof first === 'string' ? first : '1970-01-01T00:00:00Z'),
    closingDay: dayOf(latest.at(-1) ?? '1970-01-01T00:00:00Z', 1),
    prices,
  }
}

/** Decimals of values in a reporting currency that the books never move. */
const VALUE_DECIMALS = 8

/** Exactly the prices of the daily balances, once for each coin and day. */
const PRICES = `
  select coin, day, any_value(price) as price, any_value(currency) as currency
  from daily_valuation where ${OF_THE_VENUE} group by coin, day`

/** Books of an earlier version have none. */
const hasPrices = (ledger: Ledger): boolean => ledger.tables.has('daily_valuation')

async function readPriceOutline(ledger: Ledger): Promise<PriceOutline> {
  if (!hasPrices(ledger)) return { currency: null, ended: [] }
  const rows = await ledger.query(
    `with prices as (${PRICES}),
     coins as (
       select coin, max(day) as last_held, max(day) filter (price is not null) as last_priced
       from prices group by coin
     )
     select (select min(currency) from prices where price is not null and coin <> currency), coin, last_priced
     from coins where last_priced is null or last_priced < last_held
     union all select min(currency), null, null from prices where price is not null and coin <> currency
     order by coin`,
  )
  const currency = rows[0]?.[0] ?? null
  return {
    currency: currency === null ? null : String(currency),
    ended: rows.flatMap(([, coin, day]) =>
      coin === null ? [] : [{ coin: String(coin), lastDay: day === null ? null : String(day) }],
    ),
  }
}

/** Every price by day, in the reporting currency, which has none itself; memory holds one batch. */
export async function* readPrices(ledger: Ledger): AsyncIterable<Price> {
  if (!hasPrices(ledger)) return
  const { rows } = await ledger.stream(
    `with prices as (${PRICES})
     select coin, day, price from prices where price is not null and coin <> currency order by day, coin`,
  )
  for await (const batch of rows)
    for (const [coin, day, price] of batch)
      yield { coin: String(coin), day: String(day), price: String(price) }
}

/** What a reader of exported prices must know, line by line. */
export function priceNotes({ currency, ended }: PriceOutline): string[] {
  if (currency === null) return ['No prices: nothing in these books is valued.']
  return [
    `Prices in ${currency}: those of the table daily_valuation, at the end of each UTC day on which a coin is held.`,
    ...ended.map(({ coin, lastDay }) =>
      lastDay === null
        ? `${coin} has no price.`
        : `${coin} has no price after ${lastDay}, and no value in our books; other tools continue to use that price.`,
    ),
  ]
}

const TRANSACTIONS = `
  with
  times as (
    select transaction_id, min(occurred_at) as happened_at from postings group by transaction_id
  )
  select postings.transaction_id, times.happened_at, postings.account_name, postings.coin, postings.amount,
    postings.entry_id, entries.kind, entries.source_feed, entries.source_id, entries.page_id, entries.page_row
  from postings
  join times on times.transaction_id = postings.transaction_id
  left join entries on entries.entry_id = postings.entry_id
  order by times.happened_at, postings.transaction_id, postings.entry_id nulls last, postings.account_name,
    postings.coin, postings.posting_id`

/** Every transaction by time; memory holds one batch of postings. */
export async function* readTransactions(ledger: Ledger): AsyncIterable<Transaction> {
  const { rows } = await ledger.stream(TRANSACTIONS)
  for await (const run of consecutive(rows, 0)) {
    const kinds = run.flatMap((row) => (row[6] === null ? [] : [String(row[6])]))
    yield {
      id: String(run[0][0]),
      at: String(run[0][1]),
      kinds: [...new Set(kinds)],
      postings: run.map(postingOf),
    }
  }
}

/** Cells are in the order of the last select of TRANSACTIONS. */
function postingOf([, , accountName, coin, amount, entryId, , feed, sourceId, page, row]: Row): Posting {
  const source = {
    entryId: String(entryId),
    sourceFeed: String(feed),
    sourceId: String(sourceId),
    pageId: Number(page),
    pageRow: Number(row),
  }
  return {
    accountName: String(accountName),
    coin: String(coin),
    amount: String(amount),
    source: entryId === null ? null : source,
  }
}
