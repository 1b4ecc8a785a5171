// Accounts: what each wallet holds according to the books and the venue, its daily history, and the trial balance of a period.
import { currencyOf, worthOf } from '../../reports/period-prices.ts'
import { movesOf } from '../../reports/report.ts'
import type { AccountRow, Accounts, BalanceDay, BalanceHistory, BalanceRow, TrialBalanceRow } from '../api.ts'
import type { Edition } from '../published.ts'
import { Conditions, type Question, question, rowsOf } from '../question.ts'
import { Refusal } from '../refusal.ts'
import { type Filters, periodOf } from './filters.ts'

export function accountsQuestion({ account }: Filters): Question {
  const conditions = new Conditions().oneOf('account', account)
  return question(
    `
    select account, venue, uid, kind, account_mode
    from accounts
    ${conditions.where}
    order by account`,
    conditions.values,
  )
}

const wallets = ({ account, ledger, coin }: Filters, of = ''): Conditions =>
  new Conditions().oneOf(`${of}account`, account).oneOf(`${of}ledger`, ledger).oneOf(`${of}coin`, coin)

export function balancesQuestion(filters: Filters): Question {
  const conditions = wallets(filters, 'balances.')
  return question(
    `
    with
    last_values as (
      select * from daily_valuation where day = (select max(day) from daily_valuation)
    )
    select balances.account, balances.ledger, balances.coin, balances.quantity, balances.borrowed, balances.own,
      balances.venue_balance, balances.quantity - balances.venue_balance as difference, balances.as_of,
      ${worthOf('balances.own', 'last_values.own_value')} as own_value,
      ${currencyOf('balances.own', 'last_values.currency')} as currency
    from balances
    left join last_values on last_values.account = balances.account and last_values.ledger = balances.ledger
      and last_values.coin = balances.coin
    ${conditions.where}
    order by balances.account, balances.ledger, balances.coin`,
    conditions.values,
  )
}

/** Both inclusive; null if there is no limit. */
export interface Days {
  readonly from: string | null
  readonly to: string | null
}

/** The requested days, else the month of the last day in the books: a whole history is shown only on request. */
export async function daysOf({ ledger }: Edition, { from, to }: Filters): Promise<Days> {
  periodOf({ from, to })
  if (from !== undefined || to !== undefined) return { from: from ?? null, to: to ?? null }
  const [row] = await ledger.query(
    "select date_trunc('month', max(day))::date, max(day) from balance_history",
  )
  const [first, last] = row ?? []
  return {
    from: first === null || first === undefined ? null : String(first),
    to: last === null || last === undefined ? null : String(last),
  }
}

/** Opening balance, in, out and closing balance of every wallet that held or moved something. */
export function trialBalanceQuestion({ ledger }: Edition, filters: Filters, days: Days): Question {
  const { from, before } = periodOf({ from: days.from ?? undefined, to: days.to ?? undefined })
  const conditions = wallets(filters).within('occurred_at', { from, before })
  const held = wallets(filters)
  const values = { ...conditions.values }
  const first = from === null ? "'-infinity'" : `'${from}'`
  const chosen = held.where.replace(/\$v(\d+)/g, '$h$1')
  for (const [name, value] of Object.entries(held.values)) values[name.replace('v', 'h')] = value
  return question(
    `
    with
    openings as (
      select account, ledger, coin, max_by(quantity, day) as opening
      from balance_history
      ${chosen === '' ? 'where' : `${chosen}\n  and`} day < (${first}::timestamptz at time zone 'UTC')::date
      group by account, ledger, coin
    ),
    moves as (
      select account, ledger, coin, sum(greatest(amount, 0)) as incoming, sum(least(amount, 0)) as outgoing
      from ${movesOf(ledger)} as moves
      ${conditions.where}
      group by account, ledger, coin
    )
    select account, ledger, coin, coalesce(opening, 0) as opening, coalesce(incoming, 0) as incoming,
      coalesce(outgoing, 0) as outgoing, coalesce(opening, 0) + coalesce(incoming, 0) + coalesce(outgoing, 0) as closing
    from openings
    full join moves using (account, ledger, coin)
    where coalesce(opening, 0) <> 0 or incoming <> 0 or outgoing <> 0
    order by account, ledger, coin`,
    values,
  )
}

export async function trialBalanceOf(edition: Edition, filters: Filters): Promise<Question> {
  return trialBalanceQuestion(edition, filters, await daysOf(edition, filters))
}

export async function accounts(edition: Edition, filters: Filters): Promise<Accounts> {
  const { ledger, stamp } = edition
  const period = await daysOf(edition, filters)
  return {
    stamp,
    accounts: await rowsOf<AccountRow>(ledger, accountsQuestion(filters)),
    balances: await rowsOf<BalanceRow>(ledger, balancesQuestion(filters)),
    trialBalance: await rowsOf<TrialBalanceRow>(ledger, trialBalanceQuestion(edition, filters, period)),
    period,
  }
}

/** The daily history of one wallet and coin. */
export function historyQuestion(filters: Filters): Question {
  for (const name of ['account', 'ledger', 'coin']) {
    if (filters[name] !== undefined) continue
    throw new Refusal(400, 'A history needs one wallet and one coin.', {
      where: name,
      expected: 'account, ledger and coin',
      action: 'Name all three.',
    })
  }
  const conditions = wallets(filters, 'history.')
  const { from, before } = periodOf(filters)
  if (from !== null) conditions.add(`history.day >= ${conditions.value(from)}::timestamptz::date`)
  if (before !== null) conditions.add(`history.day < ${conditions.value(before)}::timestamptz::date`)
  return question(
    `
    select history.day, history.change, history.quantity, history.borrowed, valuation.own_value as value, valuation.currency
    from balance_history as history
    left join daily_valuation as valuation on valuation.account = history.account and valuation.ledger = history.ledger
      and valuation.coin = history.coin and valuation.day = history.day
    ${conditions.where}
    order by history.day`,
    conditions.values,
  )
}

export async function balanceHistory({ ledger, stamp }: Edition, filters: Filters): Promise<BalanceHistory> {
  return { stamp, history: await rowsOf<BalanceDay>(ledger, historyQuestion(filters)) }
}
