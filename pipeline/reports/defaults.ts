// The configuration's settings for lots, zone and losses, in the form that reports take.
import type { Config } from '../config/config.ts'
import { configuredChoice } from '../rules/matching.ts'
import type { ReportDefaults } from './catalogue.ts'

export function defaultsOf(config: Pick<Config, 'reports'>): ReportDefaults {
  const { losses } = config.reports
  const opening = losses && { into: losses.into, amount: losses.amount, longTerm: losses.long_term }
  return { ...configuredChoice(config), losses: opening }
}
