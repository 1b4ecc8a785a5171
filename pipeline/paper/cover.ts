// The cover of a paper: whose books these are, how complete they are, and what they were made from.
import { endpoints } from '../../connectors/catalogue.ts'
import { counted } from '../../models/text.ts'
import { literal } from '../engine/quote.ts'
import type { Reader } from '../ledger/reader.ts'
import { CONCERNS_ACCOUNT, OF_ACCOUNT } from '../reports/report.ts'
import { type PaperQuestion, readable } from './question.ts'

/** Accounts with their uids at the venue, if known. */
export async function who(ledger: Reader, account: string | undefined): Promise<string> {
  const rows = await ledger.query(`select account, uid from accounts where ${OF_ACCOUNT} order by account`, {
    account: account ?? null,
  })
  const names = rows.map(([name, uid]) => (uid === null ? String(name) : `${name} (${uid})`))
  return names.length === 0 ? (account ?? 'none') : names.join(', ')
}

/** Market feeds, which belong to no account. */
const OF_THE_MARKET = endpoints.flatMap((one) => (one.public ? [literal(one.name)] : [])).join(', ')

export async function completeness({ ledger, request, values, matched }: PaperQuestion): Promise<string> {
  const account = request.account ?? null
  const breaks = await ledger.query(
    `select severity, count(*) from breaks
     where status = 'open' and severity in ('error', 'warning') and ${CONCERNS_ACCOUNT}
     group by severity order by severity`,
    { account },
  )
  const gaps = ledger.tables.has('coverage')
    ? await ledger.query(
        `select status, count(*) from coverage
         where ${OF_ACCOUNT} and status in ('lost', 'failed', 'pending', 'missing', 'unproven')
           and feed not in (${OF_THE_MARKET})
         group by status order by status`,
        { account },
      )
    : []
  const [pieces] = await matched.query(
    `select count(*) filter (gain is null), count(*) from disposals
     where ${OF_ACCOUNT} and ($from::timestamptz is null or disposed_at >= $from::timestamptz)
       and ($before::timestamptz is null or disposed_at < $before::timestamptz)`,
    { account, from: values.from ?? null, before: values.before ?? null },
  )
  const listed = (rows: readonly (readonly unknown[])[]): string =>
    rows.map(([what, count]) => `${count} ${what}`).join(', ')
  return [
    `${pieces?.[0] ?? 0} of ${counted(Number(pieces?.[1] ?? 0), 'piece')} of disposals without a known gain`,
    breaks.length === 0
      ? 'no open errors or warnings'
      : `open breaks: ${breaks.map(([severity, count]) => counted(Number(count), String(severity))).join(', ')}`,
    gaps.length === 0 ? 'no gaps in the records received' : `gaps in the records received: ${listed(gaps)}`,
  ].join('; ')
}

/** Venues that were asked, and files that were imported. */
export async function sources({ ledger, request }: PaperQuestion): Promise<string> {
  const venues = await ledger.query(
    `select distinct venue from accounts where ${OF_ACCOUNT} and venue is not null order by venue`,
    { account: request.account ?? null },
  )
  const [runs] = await ledger.query('select count(*), min(started_at), max(ended_at) from runs')
  const [imports] = ledger.tables.has('imports') ? await ledger.query('select count(*) from imports') : []
  const [count, first, last] = runs ?? []
  return [
    `records of ${venues.length === 0 ? 'no venue' : venues.map(([venue]) => venue).join(', ')}, received in ${counted(Number(count ?? 0), 'run')}${first === null ? '' : ` from ${readable(String(first), request.zone)} to ${last === null ? 'now' : readable(String(last), request.zone)}`}`,
    ...(Number(imports?.[0] ?? 0) === 0 ? [] : [counted(Number(imports?.[0]), 'imported file')]),
  ].join('; ')
}
