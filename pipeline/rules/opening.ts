// Losses of returns before the books, as the configuration states them.
import { formatAmount, parseAmount } from '../../models/amount.ts'
import { UsageError } from '../../models/error.ts'
import type { Config } from '../config/config.ts'
import type { Losses, OpeningLosses } from './figures.ts'
import type { Law } from './law.ts'

/** The losses that the configuration states; undefined if it states none. */
export function configuredOpening({
  reports: { losses },
}: Pick<Config, 'reports'>): OpeningLosses | undefined {
  return losses && { into: losses.into, amount: losses.amount, longTerm: losses.long_term }
}

/** The losses by term. UsageError if these rules cannot take them. */
export function readOpening(law: Law, { amount, longTerm = '0' }: OpeningLosses): Losses {
  const [all, long] = [unitsOf(amount), unitsOf(longTerm)]
  const hasTerms = law.termOf !== null
  if (long <= all && (long === 0n || (hasTerms && !law.longIsFree))) return { amount: all, longTerm: long }
  throw new UsageError('The configured losses do not fit the rules.', {
    where: 'the configuration, reports.losses.long_term',
    expected: !hasTerms
      ? `none: the rules ${law.name} do not distinguish terms`
      : law.longIsFree
        ? `none: under the rules ${law.name} no long-term loss is carried forward`
        : `at most the amount, ${formatAmount(all)}`,
    found: longTerm,
    action: 'Correct the configuration.',
  })
}

/** The configuration has already been checked. */
function unitsOf(text: string): bigint {
  const amount = parseAmount(text)
  return amount.ok ? amount.units : 0n
}
