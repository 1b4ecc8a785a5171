// What values leave out of futures: an open position is in a balance only to the extent that it is realised.
import type { Ledger } from '../ledger/ledger.ts'
import { OF_ACCOUNT, type ReportRequest } from './report.ts'

export const OPEN_POSITIONS = 'Open futures positions are included only to the extent that they are realised.'

/** That sentence and where the rest is, for accounts that had futures before the period ended. */
export async function openPositions(
  ledger: Ledger,
  { account, period }: Pick<ReportRequest, 'account' | 'period'>,
): Promise<string[]> {
  if (!['futures_pnl', 'unrealised'].every((table) => ledger.tables.has(table))) return []
  const [row] = await ledger.query(
    `select count(*) > 0 from futures_pnl where ${OF_ACCOUNT}
       and ($before::timestamptz is null or timezone('UTC', day::timestamp) < $before::timestamptz)`,
    { account: account ?? null, before: period.before },
  )
  return row?.[0] === true
    ? [`${OPEN_POSITIONS} The unrealised part, as last valued by the venue, is in the table \`unrealised\`.`]
    : []
}
