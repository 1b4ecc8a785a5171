// What the configuration says of lots, zone and losses, as reports take it.
import type { Config } from '../config/config.ts'
import { configuredChoice } from '../rules/matching.ts'
import type { ReportDefaults } from './catalogue.ts'

export function defaultsOf(config: Pick<Config, 'reports'>): ReportDefaults {
  const { losses } = config.reports
  const opening = losses && { into: losses.into, amount: losses.amount, longTerm: losses.long_term }
  return { ...configuredChoice(config), losses: opening }
}
