// What every report states besides its figures: the state of the books it was made from, what they do not
// cover, and which breaks are open or explained.

import { counted } from '../../models/text.ts'
import type { Reader } from '../ledger/reader.ts'
import { fromOrdersAlone, outsideTheBooks } from './gaps.ts'
import { answeredRuns, CONCERNS_ACCOUNT, type ReportRequest } from './report.ts'

/**
 * Notes of a report: the last run, gaps, open breaks of severity error and warning by name, the user's
 * explanations. With an account, the breaks are its own and those that belong to no account.
 */
export async function reportNotes(
  ledger: Reader,
  asked: Pick<ReportRequest, 'account' | 'period'>,
): Promise<string[]> {
  return [
    ...(await asOf(ledger, asked.period.before)),
    ...(await outsideTheBooks(ledger, asked)),
    ...(await fromOrdersAlone(ledger, asked)),
    await openBreaks(ledger, asked.account),
    ...(await explainedBreaks(ledger, asked.account)),
  ]
}

async function asOf(ledger: Reader, before: string | null): Promise<string[]> {
  const [last] = await ledger.query(`select max(ended_at), max(started_at) from ${answeredRuns(ledger)}`)
  const [ended, started] = last ?? []
  if (typeof ended === 'string') {
    const isEarly = before !== null && ended < before
    return [
      `As of the run that ended at ${ended}.`,
      ...(isEarly ? ['The period extends past that run: anything later is not included in any figure.'] : []),
    ]
  }
  return typeof started === 'string'
    ? [`As of the run that began at ${started} and has not ended.`]
    : ['No run has reached the venue yet.']
}

async function openBreaks(ledger: Reader, account: string | undefined): Promise<string> {
  const rows = await ledger.query(
    `select severity, check_name, count(*) from breaks
     where status = 'open' and severity in ('error', 'warning') and ${CONCERNS_ACCOUNT}
     group by severity, check_name order by severity, check_name`,
    { account: account ?? null },
  )
  const parts = ['error', 'warning'].flatMap((severity) => {
    const of = rows.filter((row) => row[0] === severity)
    const count = of.reduce((sum, row) => sum + Number(row[2]), 0)
    const names = of.map(([, name, times]) => `${name} (${times})`).join(', ')
    return count === 0 ? [] : [`${counted(count, severity)}: ${names}`]
  })
  const whose = account === undefined ? '' : ` (of ${account}, and of no account)`
  return parts.length === 0
    ? `No open breaks of severity error or warning${whose}.`
    : `Open breaks${whose}: ${parts.join('; ')}.`
}

/** Explained warnings with their explanations; a ledger of an earlier version has no notes. */
async function explainedBreaks(ledger: Reader, account: string | undefined): Promise<string[]> {
  if (ledger.tables.get('breaks')?.includes('note') !== true) return []
  const rows = await ledger.query(
    `select check_name, break_id, coalesce(note, 'erased') from breaks
     where status = 'explained' and severity = 'warning' and ${CONCERNS_ACCOUNT} order by check_name, break_id`,
    { account: account ?? null },
  )
  return rows.map(([check, id, note]) => `Explained: ${check} ${id}: ${note}`)
}
