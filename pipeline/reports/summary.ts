// What a build found, in words: for the end of build, nightly and demo, and for check.
import type { Break, BuildResult, Severity } from '../build/build.ts'
import { printable } from '../output/table.ts'
import { counted } from './standing.ts'

export const NOT_PUBLISHED =
  'tieout: The books contradict themselves, so this build was not published; the ledger is the one before it.\n' +
  '  next:     `tieout check` shows the breaks; --publish-anyway publishes with them.'

const SEVERITIES: readonly Severity[] = ['error', 'warning', 'notice']

/** One line of counts, then one line for each check that found something. */
export function describeBreaks({ breaks, openBreaks }: Pick<BuildResult, 'breaks' | 'openBreaks'>): string {
  if (openBreaks.length === 0) return 'No open breaks.'
  const counts = SEVERITIES.map((severity) => counted(breaks[severity], severity)).join(', ')
  const lines = SEVERITIES.flatMap((severity) => {
    const of = openBreaks.filter((one) => one.severity === severity)
    return [...new Set(of.map((one) => one.checkName))].map((name) => {
      const same = of.filter((one) => one.checkName === name)
      return `  ${severity.padEnd(7)}  ${name} (${same.length}): ${printable(same[0]?.explanation ?? '')}`
    })
  })
  return [`Open breaks: ${counts}.`, ...lines].join('\n')
}

/** Each open break with what was expected and found; as JSON, objects with the columns of `breaks`. */
export function printBreaks(openBreaks: readonly Break[], json: boolean): string {
  if (json) return JSON.stringify(openBreaks.map(asColumns), null, 2)
  return openBreaks.length === 0 ? 'No open breaks.' : openBreaks.map(paragraph).join('\n\n')
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
    expected: one.expected,
    found: one.found,
    difference: one.difference,
    explanation: one.explanation,
    evidence: one.evidence,
    first_seen_at: one.firstSeenAt,
    status: one.status,
  }
}

function paragraph(one: Break): string {
  const place = [one.account, one.ledger, one.coin, one.occurredAt].filter((part) => part !== null).join(' ')
  const { expected, found, difference } = one
  const lines = [
    `${one.severity} ${one.checkName}: ${place}`,
    one.explanation,
    expected === null && found === null
      ? ''
      : `expected ${expected}, found ${found}, difference ${difference}`,
    one.evidence === '[]' ? '' : `see ${one.evidence}`,
    `id ${one.breakId}, first seen ${one.firstSeenAt}`,
  ]
  return lines
    .filter((line) => line !== '')
    .map((line, index) => (index === 0 ? '' : '  ') + printable(line))
    .join('\n')
}
