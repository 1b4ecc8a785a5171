// What each account was worth at most in a year, on which day, and at the end of the year: the figures that
// foreign account reports (FBAR, Form 8938) ask for. Values are those of `daily_valuation` at the end of each
// UTC day, for everything that the account held, borrowed or not. If a coin has no price on a day, that day's
// value covers only the coins that have one. A balance below zero, for which imports are missing, counts as
// zero. The report opens with a warning about either.
import { counted } from '../../models/text.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Row } from '../output/cell.ts'
import { asBatches, type Column } from '../output/column.ts'
import { isBelowNothing } from './below-nothing.ts'
import { reportNotes } from './notes.ts'
import { OPEN_POSITIONS } from './open-positions.ts'
import {
  addAmounts,
  fileNameOf,
  lastAnswered,
  OF_ACCOUNT,
  type Report,
  type ReportRequest,
  reach,
  sums,
  valuesOf,
  within,
} from './report.ts'

const COLUMNS: readonly Column[] = [
  { name: 'account' },
  { name: 'venue' },
  { name: 'uid' },
  { name: 'highest_value', kind: 'amount' },
  { name: 'highest_on', kind: 'date' },
  { name: 'of_which_borrowed', kind: 'amount' },
  { name: 'end_value', kind: 'amount' },
  { name: 'end_on', kind: 'date' },
  { name: 'currency' },
  { name: 'days', kind: 'number' },
  { name: 'unpriced_days', kind: 'number' },
  { name: 'last_day', kind: 'date' },
]

/** Places of `owes` and `short_days` in a row that was found. */
const OWES = COLUMNS.length + 2
const SHORT_DAYS = COLUMNS.length + 3

/**
 * `ends_on` is the last day of the period or, if the period extends past the venue's last answer, the last
 * complete day before that answer, as in `balance_history`. What an account held on its last day it still
 * holds on later days, but nobody looked up prices for them: the value there is unknown unless the balance is
 * zero.
 */
const valuesBy = (ledger: Ledger): string => `
  with
  rows_of_days as (
    select history.account, history.day, history.quantity <> 0 or history.borrowed <> 0 as is_held,
      history.change <> 0 as is_moved,
      case when is_nothing then 0 else valued.value end as value,
      case when is_nothing then 0 else valued.value - valued.own_value end as borrowed,
      ${isBelowNothing('history')} as is_short, valued.currency
    from (
      select *, (quantity = 0 and borrowed = 0) or ${isBelowNothing('balance_history')} as is_nothing from balance_history
    ) as history
    left join daily_valuation as valued
      on valued.account = history.account and valued.ledger = history.ledger and valued.coin = history.coin
      and valued.day = history.day
    where ${OF_ACCOUNT.replaceAll('account =', 'history.account =')}
      and ($before::timestamptz is null or timezone('UTC', history.day::timestamp) < $before::timestamptz)
  ),
  all_days as (
    select account, day, sum(value) as value, sum(borrowed) as borrowed, min(currency) as currency,
      count(*) filter (value is null) as unpriced, bool_or(is_held) as is_held,
      bool_or(is_moved) as is_moved, bool_or(is_short) as is_short,
      count(*) * coalesce(max(abs(cast(value as double))), 0) as bound
    from rows_of_days group by account, day
  ),
  -- If an account moved nothing within the period, its last day lies before it.
  lasts as (
    select account, max(day) as last_day, arg_max(is_held, day) as holds_on,
      max(day) filter (is_moved) as moved_on
    from all_days group by account
  ),
  days as (
    select *, row_number() over (partition by account order by value desc nulls last, day) as nth
    from all_days where ${within("timezone('UTC', day::timestamp)")}
  ),
  ends as (
    select lasts.*, coalesce(
        least(
          cast(timezone('UTC', $before::timestamptz) as date) - 1,
          (select case when answered.ended_at is not null then
             greatest(cast(timezone('UTC', answered.ended_at) as date) - 1, (select max(day) from balance_history)) end
           from (select ${lastAnswered(ledger)} as ended_at) as answered)
        ),
        lasts.last_day
      ) as ends_on
    from lasts
  )
  select ends.account, accounts.venue, accounts.uid,
    max(days.value) filter (nth = 1) as highest_value, max(days.day) filter (nth = 1) as highest_on,
    max(days.borrowed) filter (nth = 1) as of_which_borrowed,
    case
      when bool_or(days.day = ends_on and days.unpriced = 0 and not days.is_short) then max(days.value) filter (days.day = ends_on)
      when last_day < ends_on and not holds_on then 0
    end as end_value,
    ends_on, min(days.currency) as currency, count(days.day) as days,
    count(*) filter (days.unpriced > 0) as unpriced_days, last_day,
    holds_on and last_day < ends_on as is_open, moved_on, coalesce(bool_or(days.borrowed <> 0), false) as owes,
    count(*) filter (days.is_short) as short_days, ${reach('days.bound')}
  from ends
  left join days on days.account = ends.account
  left join accounts on accounts.account = ends.account
  group by ends.account, accounts.venue, accounts.uid, ends_on, last_day, holds_on, moved_on
  order by ends.account`

export async function accountValuesReport(ledger: Ledger, request: ReportRequest): Promise<Report> {
  const standing = await reportNotes(ledger, request)
  const found = await sums(ledger, valuesBy(ledger), valuesOf(request))
  const rows = found.map((row) => row.slice(0, COLUMNS.length) as Row)
  const { label } = request.period
  const currency = found.map((row) => row[8]).find((each) => typeof each === 'string') ?? null
  return {
    fileName: fileNameOf('account-values', request),
    title: label === '' ? 'Account values' : `Account values ${label}`,
    columns: COLUMNS,
    rows: asBatches(rows),
    totals: rows.length === 0 ? [] : [totalOf(rows, currency)],
    warnings: found.flatMap(incomplete),
    notes: [...loanNotes(found), ...conversionNotes(currency), ...standing],
  }
}

/**
 * The highest values of all accounts added up, each from its own day: the sum that the reporting thresholds
 * are compared with.
 */
function totalOf(rows: readonly Row[], currency: unknown): Row {
  const sum = addAmounts(rows.map((row) => row[3]))
  return COLUMNS.map(({ name }) => {
    if (name === 'account') return 'sum of highest values'
    if (name === 'highest_value') return sum
    return name === 'currency' ? (currency as string | null) : null
  })
}

function incomplete(row: Row): string[] {
  const [account, unpriced, lastDay, isOpen, movedOn] = [row[0], Number(row[10]), row[11], row[12], row[13]]
  const short = Number(row[SHORT_DAYS])
  // Values continue to the day before the last run, or to the last day on which any account has a record.
  const known =
    movedOn === lastDay
      ? `the last record of ${account} is from ${lastDay}, and it held coins then`
      : `the last record of ${account} is from ${movedOn}, and it still held coins at the end of the books, ${lastDay}`
  return [
    ...(unpriced === 0
      ? []
      : [
          `INCOMPLETE: on ${unpriced} day${unpriced === 1 ? '' : 's'} ${account} held a coin without a price, so its highest value may be higher. ` +
            'Import prices (`tieout import prices`), or fetch them (`tieout prices fetch`).',
        ]),
    ...(isOpen === true || isOpen === 'true'
      ? [`INCOMPLETE: ${known}. Their value on later days of the period is not included.`]
      : []),
    ...(short === 0
      ? []
      : [
          `INCOMPLETE: on ${counted(short, 'day')} the balance of a coin or currency in ${account} was below zero, because its imports take out more than ` +
            'they bring in. It is counted as zero, so the highest value may be higher. Import what is missing (`tieout import trades`).',
        ]),
  ]
}

/** Looks at the values of every day in the period. */
function loanNotes(found: readonly Row[]): string[] {
  if (!found.some((row) => row[OWES] === true || row[OWES] === 'true')) return []
  return [
    'Values cover everything held, including borrowed coins (`of_which_borrowed`); values in `report balances` are net of what is borrowed.',
  ]
}

/** Which rates were used, and which ones the United States forms require. */
function conversionNotes(currency: unknown): string[] {
  if (typeof currency !== 'string') return []
  const usd =
    currency === 'USD'
      ? 'Values are in USD at each day’s price, which is not a Treasury rate.'
      : `Values are in ${currency}, and nothing is converted: FBAR and Form 8938 require USD, converted at the Treasury Reporting Rate of Exchange of the last day of the year, or at another verifiable rate if there is none.`
  return [
    `${usd} On the FBAR, highest values are rounded up to whole dollars.`,
    `${OPEN_POSITIONS} docs/rules/us.md explains which accounts must be reported.`,
  ]
}
