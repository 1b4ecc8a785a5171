// What the configuration says of lots, zone and losses, as reports take it.
import type { Config } from '../config/config.ts'
import type { ReportDefaults } from './catalogue.ts'

export function defaultsOf({ reports }: Pick<Config, 'reports'>): ReportDefaults {
  const { method, scope, rules, time_zone: timeZone, fees_in_kind: feesInKind, losses } = reports
  const opening = losses && { into: losses.into, amount: losses.amount, longTerm: losses.long_term }
  return { method, scope, rules, timeZone, feesInKind, losses: opening }
}
