// What the law implies for the figures of disposals, for the notes of a report: later events can change the
// most recent figures or supply the figure of a sale that has none yet, and a day treated as one disposal
// appears under one account.
import { listValue } from '@duckdb/node-api'
import { formatAmount } from '../../models/amount.ts'
import { counted } from '../../models/text.ts'
import type { Reader, Values } from '../ledger/reader.ts'
import { dayIn } from '../lots/day.ts'
import { dateText, startOfDay, type TaxCalendar } from '../rules/calendar.ts'
import { calendarOf } from '../rules/catalogue.ts'
import { disposalCount, type Sums } from '../rules/figures.ts'
import type { Law } from '../rules/law.ts'
import { CHOSEN_DISPOSALS } from './completeness.ts'
import { endsOfBooks, QUIET_DAYS } from './gaps.ts'
import { OF_ACCOUNT, type ReportRequest, reach, sums, valuesOf, within } from './report.ts'
import { yearSums } from './year-totals.ts'

/** `reader` has the disposals, matched under the law. */
export async function lawNotes(
  ledger: Reader,
  reader: Reader,
  law: Law,
  request: ReportRequest,
): Promise<string[]> {
  return [
    ...(await stillOpen(ledger, reader, law, request)),
    ...(await openShortSales(reader, law, request)),
    ...(await receivedAsGifts(ledger, reader, law, request)),
    ...(await givenAway(ledger, law, request)),
    ...acrossAccounts(law, request),
  ]
}

/** An import gives the day and the value of a gift received, but nothing about its giver. */
async function receivedAsGifts(
  ledger: Reader,
  reader: Reader,
  { name, giverCounts }: Law,
  request: ReportRequest,
): Promise<string[]> {
  if (giverCounts === null || !ledger.tables.has('imported_trades')) return []
  const gifts = await ledger.query("select distinct id from imported_trades where type = 'gift_in'")
  if (gifts.length === 0) return []
  const [row] = await reader.query(
    `select count(*) from disposals where ${CHOSEN_DISPOSALS} and lot_id in (select unnest($gifts::varchar[]))`,
    {
      ...valuesOf(request),
      currency: request.currency ?? null,
      gifts: listValue(gifts.map(([id]) => String(id))),
    },
  )
  const count = Number(row?.[0] ?? 0)
  if (count === 0) return []
  return [
    `${counted(count, 'piece')} of disposals ${count === 1 ? 'is' : 'are'} of coins received as a gift (gift_in), with the day and the value of ` +
      `receipt. Under ${name} rules the giver’s day and cost count (${giverCounts}): import such coins as opening lots with these ` +
      'instead of as gift_in; both together would count them twice (`tieout import --undo ID`, then import the file without that row).',
  ]
}

/**
 * A gift that is a disposal is included at its value, whoever received it: an import does not state the
 * recipient.
 */
async function givenAway(ledger: Reader, { name, giftsTo }: Law, request: ReportRequest): Promise<string[]> {
  if (giftsTo === null || !ledger.tables.has('lot_events')) return []
  const [row] = await ledger.query(
    `select count(*)
     from (select regexp_replace(account, '/before$', '') as account, happened_at from lot_events where kind = 'give')
     where ${OF_ACCOUNT} and ${within('happened_at')}`,
    valuesOf(request),
  )
  const count = Number(row?.[0] ?? 0)
  if (count === 0) return []
  const [are, their, them] = count === 1 ? ['is a disposal', 'its', 'it'] : ['are disposals', 'their', 'them']
  return [
    `${counted(count, 'gift')} (gift_out) ${are} included in these figures at ${their} value at that time, whoever received ${them}. Under ${name} rules ${giftsTo}.`,
  ]
}

/**
 * If the sale of borrowed coins is the disposal, a sale that nothing has closed belongs to the period in
 * which it was sold, and has no gain yet. Otherwise it belongs to the period that closes it.
 */
async function openShortSales(reader: Reader, law: Law, request: ReportRequest): Promise<string[]> {
  const sold = await soldShort(reader, law, { ...valuesOf(request), currency: request.currency ?? null })
  if (sold.length === 0) return []
  return [
    `Borrowed coins sold and not bought back by the end of the books: ${sold.join(', ')}. Under ${law.name} rules the disposal is the ` +
      `sale: it belongs to this period, and is not included in any figure until it is closed (docs/rules/${law.name}.md).`,
  ]
}

/**
 * What was sold of borrowed coins within a period and not bought back, in words, coin by coin; empty under
 * rules that do not treat the sale as a disposal. `values` are account, from, before and currency.
 */
export async function soldShort(reader: Reader, { shortSales }: Law, values: Values): Promise<string[]> {
  if (shortSales !== 'when sold' || !reader.tables.has('short_sales')) return []
  const rows = await sums(
    reader,
    `select coin, sum(quantity), sum(proceeds), min(currency), ${reach('quantity', 'proceeds')}
     from short_sales
     where closed_at is null and ${OF_ACCOUNT} and ${within('sold_at')}
       and ($currency::varchar is null or currency is null or currency = $currency)
     group by coin, proceeds is null order by proceeds is null desc, coin`,
    values,
  )
  return rows.map(([coin, quantity, proceeds, currency]) =>
    [
      `${String(quantity)} ${String(coin)} for`,
      proceeds === null ? 'an unknown value' : `${String(proceeds)} ${String(currency)}`,
    ].join(' '),
  )
}

/**
 * For a tax year in which rates change: how much fell on each side, which the figures of the year do not
 * show. `values` are those of `yearSums`.
 */
export async function rateNotes(
  reader: Reader,
  { rateChange }: Law,
  { timeZone }: TaxCalendar,
  year: number,
  values: Values,
): Promise<string[]> {
  if (rateChange?.year !== year) return []
  const { day, what, todo, source } = rateChange
  const at = new Date(startOfDay(day, timeZone)).toISOString()
  const [old, later] = [
    await yearSums(reader, { ...values, before: at }),
    await yearSums(reader, { ...values, from: at }),
  ]
  if (disposalCount(later) === 0) return []
  const currency = String(values.currency ?? '')
  const amounts = ({ gains, losses }: Sums): string =>
    `gains were ${formatAmount(gains.gain)} ${currency} and losses ${formatAmount(-losses.gain)} ${currency}`
  return [
    `${what} on ${dateText(day)}, and the figures of the year do not separate the two sides: before that day ` +
      `${amounts(old)}, from then on ${amounts(later)}. ${todo} (${source}).`,
  ]
}

/** If all accounts are one holding, their sales of a day are one disposal, which has one account. */
function acrossAccounts({ name, takesDayAsOne }: Law, request: ReportRequest): string[] {
  const { account } = request
  if (account === undefined || !takesDayAsOne || !isOneHolding(request)) return []
  return [
    `Under ${name} rules the sales of one day are one disposal, shown under the account of the first sale: figures for a single account ` +
      'may include sales of other accounts and exclude its own.',
  ]
}

/** Accounts are one holding unless the scope keeps each apart. */
const isOneHolding = ({ lots }: ReportRequest): boolean => lots.scope !== 'account'

/**
 * A piece with a lot has already been matched with its purchase, and no later purchase replaces it; a piece
 * from a coin's pool has no lot. If all accounts are one holding, a purchase in any of them may match. An
 * account whose imports have been silent for long has its own note.
 */
const OPEN_PIECES = `
  with ends as (
    select unnest($accounts::varchar[]) as account, unnest($since::varchar[])::date as since,
      unnest($until::varchar[])::date as until
  ),
  pieces as (
    select account, cast(timezone($zone::varchar, disposed_at) as date) as day
    from disposals
    where ${CHOSEN_DISPOSALS} and lot_id is null and ($losses = false or proceeds < cost_basis)
  )
  select ends.account, datediff('day', date '1970-01-01', min(pieces.day)),
    datediff('day', date '1970-01-01', max(pieces.day))
  from pieces join ends on $together or ends.account = pieces.account
  where pieces.day between ends.since and ends.until
  group by ends.account order by ends.account`

const SHOWN = 10

/**
 * The disposals of the report so close to the end of their account's books that a later event can still
 * change them.
 */
async function stillOpen(
  ledger: Reader,
  reader: Reader,
  law: Law,
  request: ReportRequest,
): Promise<string[]> {
  const { lookAhead, lookAheadDays } = law
  if (lookAhead === null) return []
  const ends = await endsOfBooks(ledger)
  if (ends.size === 0) return []
  const zone = calendarOf(law, request.lots.timeZone).timeZone
  const dayOf = dayIn(zone)
  const lastDays = [...ends.values()].map(({ at }) => dayOf(BigInt(Date.parse(at)) * 1_000n))
  const found = await reader.query(OPEN_PIECES, {
    ...valuesOf(request),
    currency: request.currency ?? null,
    zone,
    losses: lookAhead.pieces === 'losses',
    accounts: listValue([...ends.keys()]),
    since: listValue(lastDays.map((day) => dateText(day - lookAheadDays))),
    until: listValue(lastDays.map((day) => dateText(day + QUIET_DAYS))),
    together: isOneHolding(request),
  })
  const days = new Map<string, { readonly first: number; readonly last: number }>()
  for (const [account, first, last] of found) {
    const { at, isImported } = ends.get(String(account))!
    const end = isImported ? `imports cover ${account} until ${at}` : `the books end at ${at}`
    const same = days.get(end)
    days.set(end, {
      first: Math.min(Number(first), same?.first ?? Number(first)),
      last: Math.max(Number(last), same?.last ?? Number(last)),
    })
  }
  const { what, pieces, source } = lookAhead
  const notes = [...days].map(
    ([end, { first, last }]) =>
      `${what} until ${dateText(last + lookAheadDays)} can still change ${pieces} from ${dateText(first)} on ` +
      `(${lookAheadDays} days, ${source}): ${end}.`,
  )
  const more = notes.length - SHOWN
  return more > 0 ? [...notes.slice(0, SHOWN), `The same applies to ${more} more imported accounts.`] : notes
}
