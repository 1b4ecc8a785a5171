// What the books do not tell of, for the notes of a report: the time before they begin, and accounts that are known from
// their orders alone. A figure over what nobody knows is not zero.
import type { Reader } from '../ledger/reader.ts'
import type { ReportRequest } from './report.ts'

type Asked = Pick<ReportRequest, 'account' | 'period'>

/** When the first thing happened that the books tell of, ISO-8601; null while they tell of nothing. */
export async function beginningOf(
  ledger: Reader,
  { account }: Pick<Asked, 'account'>,
): Promise<string | null> {
  const firsts = [
    ['entries', 'occurred_at'],
    ['lot_events', 'happened_at'],
    ['disposals', 'disposed_at'],
  ].flatMap(([table = '', time]) =>
    ledger.tables.has(table)
      ? [
          `select min(${time}) as first_at from ${table}
           where $account::varchar is null or account in ($account, $account || '/before')`,
        ]
      : [],
  )
  if (firsts.length === 0) return null
  const [row] = await ledger.query(`select min(first_at) from (${firsts.join(' union all ')})`, {
    account: account ?? null,
  })
  return typeof row?.[0] === 'string' ? row[0] : null
}

/** The books tell of nothing in the whole period. */
export function isBeforeBooks(beginning: string | null, { before }: Asked['period']): boolean {
  return beginning === null || (before !== null && before <= beginning)
}

/** What of the period lies before the books; none where they tell of all of it. */
export async function beforeTheBooks(ledger: Reader, asked: Asked): Promise<string[]> {
  const { account, period } = asked
  if (period.from === null && period.before === null) return []
  const beginning = await beginningOf(ledger, asked)
  const whose = account === undefined ? 'The books' : `The books of ${account}`
  if (beginning === null) return [`${whose} tell of nothing yet.`]
  if (isBeforeBooks(beginning, period))
    return [`${whose} begin at ${beginning}: they tell of nothing in this period.`]
  if (period.from === null || period.from >= beginning) return []
  return [`${whose} begin at ${beginning}: what happened earlier in the period is in no figure.`]
}

/** Accounts without tax records: their orders tell of trades, and nothing tells of balances. */
export async function fromOrdersAlone(ledger: Reader, { account }: Asked): Promise<string[]> {
  if (!ledger.tables.has('trades')) return []
  const rows = await ledger.query(
    `select account, count(*) from trades
     where source = 'trade.orderHistory' and ($account::varchar is null or account = $account)
     group by account order by account`,
    { account: account ?? null },
  )
  if (rows.length === 0) return []
  const named = rows.map(([name, trades]) => `${name} (trades: ${trades})`).join(', ')
  return [
    `Known from orders alone, without tax records: ${named}. Their balances, lots, gains and income are in no ` +
      'figure; a tax key of the account, or imported trades, would bring them.',
  ]
}
