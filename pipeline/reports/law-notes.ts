// What the law makes of the figures of disposals, for the notes of a report: what is still to come can change the last of them,
// or makes a figure of a sale that has none yet, and a day that is one disposal stands under one account.
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

/** An import tells the day and the value of a gift that was received, and nothing of its giver. */
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
    `${counted(count, 'piece')} of disposals ${count === 1 ? 'is' : 'are'} of coins received as a gift (gift_in), with the day and the value of the ` +
      `receipt. Under ${name} rules those of the giver count (${giverCounts}): import such coins as opening lots with the giver’s day and cost, ` +
      'in place of their gift_in, which would count them twice (`tieout import --undo ID`, then the file without it).',
  ]
}

/** A gift that is a disposal has its value in the figures, whoever received it: an import does not say who that was. */
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
    `${counted(count, 'gift')} (gift_out) ${are} at ${their} value then in these figures, whoever received ${them}. Under ${name} rules ${giftsTo}.`,
  ]
}

/**
 * Where the sale of borrowed coins is the disposal, one that nothing has closed is of the period in which it was sold, and has no
 * gain yet. Elsewhere it is of the period that closes it.
 */
async function openShortSales(reader: Reader, law: Law, request: ReportRequest): Promise<string[]> {
  const sold = await soldShort(reader, law, { ...valuesOf(request), currency: request.currency ?? null })
  if (sold.length === 0) return []
  return [
    `Sold of borrowed coins and not bought again where the books end: ${sold.join(', ')}. Under ${law.name} rules the disposal is the ` +
      `sale: it belongs to this period, and is in no figure before it is closed (docs/rules/${law.name}.md).`,
  ]
}

/**
 * What was sold of borrowed coins within a time and is not bought again, coin by coin in words; nothing under rules to which
 * the sale is no disposal. `values` are account, from, before and currency.
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
 * What of a tax year in which rates change fell on each side, which its figures do not tell apart. `values` are those of
 * `yearSums`.
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
    `${what} on ${dateText(day)}, and the figures of the year do not say what fell on which side: before that day ` +
      `${amounts(old)}, from then on ${amounts(later)}. ${todo} (${source}).`,
  ]
}

/** Where all accounts are one holding, their sales of a day are one, and it has one account. */
function acrossAccounts({ name, takesDayAsOne }: Law, request: ReportRequest): string[] {
  const { account } = request
  if (account === undefined || !takesDayAsOne || !isOneHolding(request)) return []
  return [
    `Under ${name} rules the sales of one day are one disposal, shown under the account of the first: figures of one account ` +
      'alone may hold those of others, and lack its own.',
  ]
}

/** Accounts are one holding but for whoever wants each by itself. */
const isOneHolding = ({ lots }: ReportRequest): boolean => lots.scope !== 'account'

/**
 * A coin's pool is without lots: a piece that has one has met its purchase, and no later one takes its place. Where all accounts
 * are one holding a purchase in any of them can be it. An account of which imports have told nothing for so long is a note of its
 * own.
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

/** The disposals of the report that lie so near to where the books of their account end that something later can change them. */
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
    const end = isImported ? `imports tell of ${account} until ${at}` : `the books end at ${at}`
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
  return more > 0 ? [...notes.slice(0, SHOWN), `The same holds for ${more} more accounts of imports.`] : notes
}
