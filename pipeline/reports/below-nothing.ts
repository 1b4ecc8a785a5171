// If imports take more of a coin than they bring, the record that brought it is in no file. The balance is
// below zero until it is imported, and every value that includes the balance is too low.
import type { Reader } from '../ledger/reader.ts'
import { OF_ACCOUNT, type ReportRequest } from './report.ts'

/**
 * Whether a row of `balance_history`, under this alias, is such a balance. Loans are not: the venue's records
 * account for them.
 */
export const isBelowNothing = (row: string): string => `(${row}.ledger = 'IMPORT' and ${row}.quantity < 0)`

/**
 * Lists the balances that are below zero on a day of the period, by account and coin, or with `atEnd` on the
 * last day before its end. There is one sentence per account.
 */
export async function belowNothing(
  ledger: Reader,
  { account, period }: Pick<ReportRequest, 'account' | 'period'>,
  { atEnd }: { readonly atEnd: boolean },
): Promise<string[]> {
  if (!ledger.tables.has('balance_history')) return []
  const short = isBelowNothing('history')
  const day = "timezone('UTC', history.day::timestamp)"
  const rows = await ledger.query(
    `select account, string_agg(coin, ', ' order by coin), cast(min(first_day) as varchar)
     from (
       select account, coin, min(history.day) filter (${short}) as first_day
       from balance_history as history
       where ${OF_ACCOUNT} and ($before::timestamptz is null or ${day} < $before::timestamptz)
       group by account, ledger, coin
       having ${
         atEnd
           ? `arg_max(${short}, history.day)`
           : `bool_or(${short} and ($from::timestamptz is null or ${day} >= $from::timestamptz))`
       }
     ) group by account order by account`,
    { account: account ?? null, before: period.before, ...(atEnd ? {} : { from: period.from }) },
  )
  return rows.map(
    ([name, coins, since]) =>
      `Imports take out more of ${name} than they bring in: its balance of ${coins} is below zero, first on ${since}, and its value ` +
      'is too low by that amount. Import the missing purchase, incoming transfer leg or deposit (`tieout import ' +
      'trades`), or what was held before (`tieout import lots`).',
  )
}
