// What a build found, in words: printed at the end of build, nightly and demo, and by check.
import { withoutEndZeros } from '../../models/amount.ts'
import { counted } from '../../models/text.ts'
import { SEVERITIES } from '../ledger/breaks.ts'
import type { Break, BuildResult } from '../ledger/build.ts'
import { printable } from '../output/table.ts'
import { duration } from './status-text.ts'

export const NOT_PUBLISHED =
  'tieout: The books contradict themselves, so this build was not published; the published ledger is from the build before it.\n' +
  '  next:     Run `tieout check` to see the breaks, or build with --publish-anyway to publish with them.'

/** One line of counts, then one line for each check that found something. */
export function describeBreaks({
  breaks,
  openBreaks,
  explainedBreaks = [],
}: Pick<BuildResult, 'breaks' | 'openBreaks'> & Partial<Pick<BuildResult, 'explainedBreaks'>>): string {
  const explained =
    explainedBreaks.length === 0 ? [] : [`Explained by a note: ${counted(explainedBreaks.length, 'break')}.`]
  if (openBreaks.length === 0) return ['No open breaks.', ...explained].join('\n')
  const counts = SEVERITIES.map((severity) => counted(breaks[severity], severity)).join(', ')
  const lines = SEVERITIES.flatMap((severity) => {
    const of = openBreaks.filter((one) => one.severity === severity)
    return [...new Set(of.map((one) => one.checkName))].map((name) => {
      const same = of.filter((one) => one.checkName === name)
      return `  ${severity.padEnd(7)}  ${name} (${same.length}): ${printable(same[0]?.explanation ?? '')}`
    })
  })
  return [`Open breaks: ${counts}.`, ...lines, ...explained].join('\n')
}

/**
 * Each break with what was expected and found, its age at `now` (Unix milliseconds) and the note that
 * explains it; as JSON, objects with the columns of `breaks`.
 */
export function printBreaks(breaks: readonly Break[], json: boolean, now?: number): string {
  if (json) return JSON.stringify(breaks.map(asColumns), null, 2)
  const none = breaks.some(({ status }) => status === 'open') ? [] : ['No open breaks.']
  return [...none, ...breaks.map((one) => paragraph(one, now))].join('\n\n')
}

/**
 * The same for a script: whether the build was published, how many breaks are open, and each with the columns
 * of `breaks`.
 */
export function buildJson({ published, breaks, openBreaks }: BuildResult): Record<string, unknown> {
  return { published, breaks, open_breaks: openBreaks.map(asColumns) }
}

/** One line on the outcome, what is open and what to do next. */
export function closingLine({
  published,
  breaks: { error, warning, notice },
}: Pick<BuildResult, 'published' | 'breaks'>): string {
  const what = published ? 'Published' : 'Not published'
  if (error + warning === 0) {
    const open = notice === 0 ? 'nothing is open' : `only ${counted(notice, 'notice')} open`
    return `${what}; ${open}. Next: \`tieout status\`, or \`tieout report balances\`.`
  }
  return `${what}; ${counted(error + warning, 'break')} open. Next: \`tieout check\` shows each break and what to do.`
}

function asColumns(one: Break): Record<string, unknown> {
  return {
    break_id: one.breakId,
    check_name: one.checkName,
    severity: one.severity,
    account: one.account,
    ledger: one.ledger,
    coin: one.coin,
    occurred_at: one.occurredAt,
    ...figures(one),
    explanation: one.explanation,
    evidence: one.evidence,
    first_seen_at: one.firstSeenAt,
    status: one.status,
    note: one.note,
    noted_at: one.notedAt,
    figures_hash: one.figuresHash,
  }
}

/** As in every report: without the trailing zeros of a database decimal. */
function figures({ expected, found, difference }: Break): Pick<Break, 'expected' | 'found' | 'difference'> {
  const plain = (amount: string | null): string | null => (amount === null ? null : withoutEndZeros(amount))
  return { expected: plain(expected), found: plain(found), difference: plain(difference) }
}

function paragraph(one: Break, now: number | undefined): string {
  const place = [one.account, one.ledger, one.coin, one.occurredAt].filter((part) => part !== null).join(' ')
  const { expected, found, difference } = figures(one)
  const lines = [
    `${one.severity} ${one.checkName}: ${place}${one.status === 'explained' ? ' (explained)' : ''}`,
    one.explanation,
    expected === null && found === null
      ? ''
      : `expected ${expected}, found ${found}, difference ${difference}`,
    one.evidence === '[]' ? '' : `see ${one.evidence}`,
    `id ${one.breakId}, first seen ${one.firstSeenAt}${ageOf(one, now)}`,
    one.status === 'explained' ? `note of ${one.notedAt}: ${one.note ?? 'erased'}` : '',
  ]
  return lines
    .filter((line) => line !== '')
    .map((line, index) => (index === 0 ? '' : '  ') + printable(line))
    .join('\n')
}

/** `, 12 d ago`; empty if the clock is before the first sighting. */
function ageOf({ firstSeenAt }: Break, now: number | undefined): string {
  const age = now === undefined ? -1 : now - Date.parse(firstSeenAt)
  return age < 0 ? '' : `, ${duration(age)} ago`
}
