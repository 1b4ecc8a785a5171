// From the options of a report to the options of the lots engine: which rules, which methods and scopes they
// allow, and in which tax years.
import { UsageError } from '../../models/error.ts'
import type { Config } from '../config/config.ts'
import { type Change, type Method, methods } from '../lots/engine.ts'
import type { Allocation, FeesInKind, Scope, Selections } from '../lots/event.ts'
import type { HoldingRules } from '../lots/held.ts'
import type { LotsStepOptions } from '../lots/step.ts'
import { startOfYear, type TaxCalendar } from './calendar.ts'
import { calendarOf, laws, type RulesName, rulesNames } from './catalogue.ts'
import type { Law } from './law.ts'
import { configuredOpening, readOpening } from './opening.ts'
import { inYear, parseSchedule, type Schedule, showSchedule } from './schedule.ts'

/** What was asked for; anything absent follows from the rules. */
export interface LotChoice {
  /** One method, or one for each range of tax years: `fifo,2025:hifo`. */
  readonly method?: string | undefined
  /** account or universal, or one for each range of tax years. */
  readonly scope?: string | undefined
  readonly rules?: string | undefined
  /** IANA zone whose days count if the rules leave it open; UTC by default. */
  readonly timeZone?: string | undefined
  /** How a fee in the acquired coin is treated, if the rules leave a choice. */
  readonly feesInKind?: FeesInKind | undefined
  /** For the method specific. */
  readonly selection?: Selections | undefined
  /** For a change from universal to account. */
  readonly allocation?: readonly Allocation[] | undefined
}

/** The part of it that the configuration may set. */
export type ConfiguredChoice = Pick<LotChoice, 'method' | 'scope' | 'rules' | 'timeZone' | 'feesInKind'>

/** How the configuration matches lots. */
export function configuredChoice({ reports }: Pick<Config, 'reports'>): ConfiguredChoice {
  const { method, scope, rules, time_zone: timeZone, fees_in_kind: feesInKind } = reports
  return { method, scope, rules, timeZone, feesInKind }
}

export interface Matching {
  readonly law: Law
  readonly calendar: TaxCalendar
  readonly options: LotsStepOptions & { readonly holding: HoldingRules }
  /** For notes. */
  readonly method: string
  readonly scope: string
}

const SCOPES: readonly Scope[] = ['account', 'universal']

/** The rules that a choice names; a method named after rules implies them. UsageError for unknown rules. */
export function lawOf({ rules, method }: LotChoice): Law {
  const name = rules ?? rulesNames.find((each) => each === method) ?? 'generic'
  const found = rulesNames.find((each) => each === name)
  if (found !== undefined) return laws[found satisfies RulesName]
  throw new UsageError(`Unknown rules: ${name}.`, {
    where: '--rules',
    expected: `one of ${rulesNames.join(', ')}`,
    action: 'Correct the name.',
  })
}

/** UsageError for a method or scope that does not exist or that the rules do not allow. */
export function matchingOf(choice: LotChoice): Matching {
  const law = lawOf(choice)
  const calendar = calendarOf(law, knownZone(choice.timeZone))
  const method = parseSchedule('--method', choice.method ?? law.methods[0], methods)
  const scope = choice.scope === undefined ? law.scope : parseSchedule('--scope', choice.scope, SCOPES)
  requireAllowed(law, method, scope)
  const { selection, allocation } = choice
  requireUse(choice, method, scope)
  const feesInKind = feesInKindOf(law, choice)
  const named = { method: showSchedule(method), scope: showSchedule(scope) }
  const options = {
    named,
    method: method[0].value,
    scope: scope[0].value,
    changes: changesOf(method, scope, calendar),
    timeZone: calendar.timeZone,
    gifts: law.gifts,
    shortSales: law.shortSales,
    feesInKind,
    exchangeFeesGivenFromUs: startOf(calendar, law.exchangeFeesGivenFrom),
    sharesExchangeFees: law.sharesExchangeFees && feesInKind !== 'net',
    lookAheadDays: law.lookAheadDays,
    holding: { rules: law.name, timeZone: calendar.timeZone, termOf: law.termOf },
    ...(selection === undefined ? {} : { selections: selection }),
    ...(allocation === undefined ? {} : { allocations: allocation }),
  }
  return { law, calendar, options, ...named }
}

function startOf(calendar: TaxCalendar, year: number): bigint
function startOf(calendar: TaxCalendar, year: number | null): bigint | null
function startOf(calendar: TaxCalendar, year: number | null): bigint | null {
  return year === null ? null : BigInt(startOfYear(calendar, year)) * 1_000n
}

function feesInKindOf(law: Law, { feesInKind = law.feesInKind[0] }: LotChoice): FeesInKind {
  if (law.feesInKind.includes(feesInKind)) return feesInKind
  throw new UsageError('The rules do not allow this treatment of fees.', {
    where: '--fees_in_kind, --rules',
    expected: `${law.feesInKind.join(' or ')} under the rules ${law.name}`,
    found: feesInKind,
    action: 'Remove `fees_in_kind` from the configuration, or choose other rules.',
  })
}

/**
 * The configured choice of lots. UsageError that names the file and the key for a choice that the rules do not allow, or
 * for losses that no return under them could take.
 */
export function configuredMatching(config: Pick<Config, 'reports'>, file: string): Matching {
  try {
    const matching = matchingOf(configuredChoice(config))
    const opening = configuredOpening(config)
    if (opening !== undefined && matching.law.carriedLosses !== null) readOpening(matching.law, opening)
    return matching
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    const { where = '' } = error.details
    const keys = where.replace('the configuration, ', '').replaceAll('--', 'reports.')
    throw new UsageError(error.message, {
      ...error.details,
      where: `${file}, ${keys}`,
      action: 'Correct the configuration.',
    })
  }
}

/** UsageError for an unknown zone. */
function knownZone(timeZone: string | undefined): string | undefined {
  if (timeZone === undefined) return undefined
  try {
    new Intl.DateTimeFormat('en', { timeZone })
    return timeZone
  } catch (cause) {
    throw new UsageError('Unknown time zone.', {
      where: '--time_zone',
      expected: 'the IANA name of a time zone, such as America/Toronto',
      found: timeZone,
      action: 'Correct `reports: { time_zone: … }` in the configuration.',
      cause,
    })
  }
}

function changesOf(method: Schedule<Method>, scope: Schedule<Scope>, calendar: TaxCalendar): Change[] {
  const years = [...method, ...scope].flatMap(({ fromYear }) => (fromYear === null ? [] : [fromYear]))
  return [...new Set(years)]
    .sort((a, b) => a - b)
    .map((year) => ({
      fromUs: startOf(calendar, year),
      method: inYear(method, year),
      scope: inYear(scope, year),
    }))
}

function requireAllowed(law: Law, method: Schedule<Method>, scope: Schedule<Scope>): void {
  const wrong = method.find(({ value }) => !law.methods.includes(value))
  if (wrong !== undefined) {
    throw new UsageError('The rules do not allow this method.', {
      where: '--method, --rules',
      expected: `one of ${law.methods.join(', ')} under the rules ${law.name}`,
      found: `method ${wrong.value}`,
      action: 'Choose another method, or other rules.',
    })
  }
  const binding = law.scopeBindsFrom
  if (binding === null) return
  const bound = inYear(law.scope, binding)
  const years = [binding, ...scope.flatMap(({ fromYear }) => (fromYear === null ? [] : [fromYear]))]
  if (years.every((year) => year < binding || inYear(scope, year) === bound)) return
  throw new UsageError('The rules do not allow this scope.', {
    where: '--scope, --rules',
    expected: `${showSchedule(law.scope)} under the rules ${law.name}`,
    found: showSchedule(scope),
    action: 'Omit --scope.',
  })
}

/** A file that would have no effect is refused, because its owner expects it to count. */
function requireUse(
  { selection, allocation }: LotChoice,
  method: Schedule<Method>,
  scope: Schedule<Scope>,
): void {
  if (selection !== undefined && method.every(({ value }) => value !== 'specific')) {
    throw new UsageError('--selection requires the method specific.', {
      where: '--selection, --method',
      expected: '--method specific',
      found: `method ${showSchedule(method)}`,
      action: 'Add --method specific.',
    })
  }
  const isAllotted = scope.some(
    ({ value }, at) => value === 'account' && scope[at - 1]?.value === 'universal',
  )
  if (allocation === undefined || isAllotted) return
  throw new UsageError('--allocation requires a change of scope from universal to account.', {
    where: '--allocation, --scope',
    expected: 'the rules us, or a scope such as universal,2025:account',
    found: `scope ${showSchedule(scope)}`,
    action: 'Omit --allocation.',
  })
}
