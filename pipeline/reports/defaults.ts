// The configuration's settings for lots, zone and losses, in the form that reports take.
import type { Config } from '../config/config.ts'
import { configuredChoice } from '../rules/matching.ts'
import { configuredOpening } from '../rules/opening.ts'
import type { ReportDefaults } from './catalogue.ts'

export function defaultsOf(config: Pick<Config, 'reports'>): ReportDefaults {
  return { ...configuredChoice(config), losses: configuredOpening(config) }
}
