// Of what imports take more than they bring, what brought it is in no file: the balance is below nothing until it is imported,
// and every value that the balance is part of is too low.
import type { Reader } from '../ledger/reader.ts'
import { OF_ACCOUNT, type ReportRequest } from './report.ts'

/** Whether a row of `balance_history`, under this name, is such a balance. Loans are not: the venue's records tell of them. */
export const isBelowNothing = (row: string): string => `(${row}.ledger = 'IMPORT' and ${row}.quantity < 0)`

/**
 * Says whose balances are below nothing on a day of the period, by account and coin, or `atEnd` on the last day before its
 * end. The sentences are few: an account has one.
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
      `Imports take more from ${name} than they bring: of ${coins} it has less than nothing, first on ${since}, and its worth ` +
      'is too low by that. Import the purchase, the leg in of a transfer or the deposit that is missing (`tieout import ' +
      'trades`), or what was held before (`tieout import lots`).',
  )
}
