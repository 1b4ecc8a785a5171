// The reports by name, the options that each accepts, and the way from a command line to a report.
import { UsageError } from '../../models/error.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { startOfYear, type TaxCalendar, utcCalendar } from '../rules/calendar.ts'
import { calendarOf, type RulesName } from '../rules/catalogue.ts'
import type { Form1099, OpeningLosses } from '../rules/figures.ts'
import type { Law } from '../rules/law.ts'
import { type ConfiguredChoice, type LotChoice, lawOf } from '../rules/matching.ts'
import { FIRST_YEAR_OF_1099_DA, us } from '../rules/us.ts'
import { accountValuesReport } from './account-values.ts'
import { balancesReport } from './balances.ts'
import { form8949Report } from './form-8949.ts'
import { gainsReport } from './gains.ts'
import { importance } from './importance.ts'
import { comparisonReport, parseMethods } from './method-comparison.ts'
import { netWorthReport } from './net-worth.ts'
import { type Period, type PeriodOptions, readPeriod } from './period.ts'
import { pnlReport } from './pnl.ts'
import { type Report, type ReportRequest, requireAccount, requireTable } from './report.ts'
import { statementReport } from './statement.ts'
import { breaksReport, coverageReport, incomeReport } from './tables.ts'
import { taxesReport } from './taxes.ts'

/** Options of `tieout report`, as given. */
export interface ReportOptions extends PeriodOptions, Omit<LotChoice, 'timeZone'> {
  readonly account?: string | undefined
  readonly currency?: string | undefined
  readonly form1099?: Form1099 | undefined
  /** Methods to compare, as `fifo,lifo,hifo`. */
  readonly methods?: string | undefined
}

/**
 * What the configuration sets for lots and losses; it applies to reports of lots unless an option overrides
 * it.
 */
export interface ReportDefaults extends ConfiguredChoice {
  readonly losses?: OpeningLosses | undefined
}

interface Declaration {
  readonly make: (ledger: Ledger, request: ReportRequest) => Promise<Report>
  /** Published tables that it reads, besides `runs` and `breaks`, which every report reads. */
  readonly reads: readonly string[]
  /**
   * Options that it honours. Any other option is refused, so that no figure looks filtered when it is not.
   */
  readonly options: readonly (keyof ReportOptions)[]
  /** The rules that its form belongs to: they apply unless other rules are asked for. */
  readonly rules?: RulesName
  /** The calendar of its days and years, whatever the rules; that of the rules if absent. */
  readonly calendar?: TaxCalendar
  /** Whether its lines are whole UTC months, as its title states, whatever the zone of the period. */
  readonly isOfUtcMonths?: boolean
}

const PERIOD = ['account', 'from', 'to', 'year'] as const
const LOTS = ['method', 'scope', 'rules', 'selection', 'allocation', 'currency'] as const

const declarations = {
  balances: {
    make: balancesReport,
    reads: ['balances', 'entries'],
    options: ['account', 'to', 'year'],
  },
  pnl: { make: pnlReport, reads: ['disposals', 'entries'], options: [...PERIOD, ...LOTS] },
  gains: { make: gainsReport, reads: ['disposals'], options: [...PERIOD, ...LOTS, 'methods'] },
  taxes: {
    make: taxesReport,
    reads: ['disposals', 'entries', 'beginnings', 'income'],
    options: ['account', 'year', ...LOTS, 'form1099'],
  },
  'form-8949': {
    make: form8949Report,
    reads: ['disposals'],
    options: [...PERIOD, ...LOTS, 'form1099'],
    rules: 'us',
  },
  'account-values': {
    make: accountValuesReport,
    reads: ['daily_valuation', 'balance_history', 'accounts'],
    options: PERIOD,
    calendar: utcCalendar,
  },
  income: { make: incomeReport, reads: ['income'], options: PERIOD },
  'net-worth': { make: netWorthReport, reads: ['value_bridge'], options: PERIOD, isOfUtcMonths: true },
  statement: { make: statementReport, reads: ['entries'], options: PERIOD },
  breaks: { make: breaksReport, reads: [], options: PERIOD },
  coverage: { make: coverageReport, reads: ['coverage'], options: PERIOD },
} satisfies Record<string, Declaration>

export type ReportName = keyof typeof declarations

export const reportNames = Object.keys(declarations) as ReportName[]

/**
 * Builds a report from the ledger, which must stay open until the rows have been read. UsageError for an
 * option that the report does not accept, an unknown account and an impossible period.
 */
export async function makeReport(
  ledger: Ledger,
  name: ReportName,
  options: ReportOptions = {},
  defaults: ReportDefaults = {},
  onMethod?: (method: string, done: number) => void,
): Promise<Report> {
  const { make, reads, calendar: own, isOfUtcMonths = false }: Declaration = declarations[name]
  refuseUnheeded(name, options, defaults)
  for (const table of ['runs', 'breaks', ...reads]) requireTable(ledger, table)
  await requireAccount(ledger, options.account)
  const matching = lotsOf(name, options, defaults)
  const { request, law, calendar } = asRequested(name, options, defaults)
  const { account, period, lots } = request
  const made =
    options.methods === undefined
      ? await make(ledger, request)
      : await comparisonReport(ledger, request, methodsOf(options), onMethod)
  const report = { importance: importance[name], ...made }
  const facts: [string, string][] = [
    name === 'balances'
      ? [
          'As of',
          period.before === null ? 'the end of the books' : `the end of ${period.label.replace(/^to /, '')}`,
        ]
      : ['Period', period.label === '' ? 'all of history' : period.label],
    ['Account', account ?? 'all'],
    ...(matching === null ? [] : ([['Rules', law.name]] as [string, string][])),
    ['Time zone', isOfUtcMonths ? utcCalendar.timeZone : calendar.timeZone],
  ]
  if (matching === null && period.label === '') return { ...report, facts }
  const title = isOfUtcMonths ? report.title : `${report.title}, days of ${calendar.timeZone}`
  const zoneNotes = own === undefined ? withoutZone(law, lots.timeZone) : []
  return { ...report, title, facts, notes: [...report.notes, ...zoneNotes] }
}

/**
 * UsageError for an option that would change nothing: one that the report does not accept at all, or not in
 * this case.
 */
function refuseUnheeded(name: ReportName, options: ReportOptions, defaults: ReportDefaults): void {
  const { options: known }: Declaration = declarations[name]
  for (const [option, value] of Object.entries(options)) {
    if (value === undefined || known.includes(option as keyof ReportOptions)) continue
    throw new UsageError(`The report ${name} does not take --${flagOf(option)}.`, {
      where: `--${flagOf(option)}`,
      expected: known.map((each) => `--${flagOf(each)}`).join(', '),
      action: 'Omit the option.',
    })
  }
  if (options.form1099 === undefined) return
  const { law, calendar, request } = asRequested(name, options, defaults)
  const last = lastYearOf(request.period, calendar)
  if (law.name === us.name && (last === null || last >= FIRST_YEAR_OF_1099_DA)) return
  const flag = `--${flagOf('form1099')}`
  throw new UsageError(`The report ${name} cannot use ${flag} here.`, {
    where: flag,
    expected: `rules ${us.name} and sales in ${FIRST_YEAR_OF_1099_DA} or later, the first year with a Form 1099-DA`,
    found: law.name === us.name ? `a period that ends in ${last}` : `rules ${law.name}`,
    action: 'Omit the option.',
  })
}

/** The tax year in which a period ends; null if it has no end. */
function lastYearOf({ year, before }: Period, calendar: TaxCalendar): number | null {
  if (year !== null || before === null) return year
  const end = Date.parse(before)
  const about = new Date(end).getUTCFullYear()
  return [about, about - 1].find((each) => startOfYear(calendar, each) < end) ?? about - 2
}

interface Asked {
  readonly request: ReportRequest
  readonly law: Law
  readonly calendar: TaxCalendar
}

/** What the options amount to: the period in instants, the zone, and how lots are matched. */
export function asRequested(name: ReportName, options: ReportOptions, defaults: ReportDefaults): Asked {
  const { calendar: own }: Declaration = declarations[name]
  const { account, from, to, year, currency, form1099 } = options
  // A report that matches no lots uses the same days and years as the reports that do.
  const lots = lotsOf(name, options, defaults) ?? { rules: defaults.rules, timeZone: defaults.timeZone }
  const law = lawOf(lots)
  const calendar = own ?? calendarOf(law, lots.timeZone)
  const period = readPeriod({ from, to, year }, calendar)
  const { losses } = defaults
  const configured = lawOf(defaults)
  const lossesUnder = configured.figures === null ? null : configured.name
  const zone = calendar.timeZone
  const request = { account, period, zone, lots, currency, form1099, losses, lossesUnder }
  return { request, law, calendar }
}

/** Those of the options that a report honours. */
export function optionsFor(name: ReportName, options: ReportOptions): ReportOptions {
  const { options: known }: Declaration = declarations[name]
  const heeded = Object.entries(options).filter(([option]) => known.includes(option as keyof ReportOptions))
  return Object.fromEntries(heeded)
}

/** Rules that leave the time zone open still count days, in some zone. */
function withoutZone({ name, timeZone }: Law, configured: string | undefined): string[] {
  if (typeof timeZone === 'string' || configured !== undefined) return []
  return [
    `The rules ${name} count days in the taxpayer's own time zone, and none is configured, so UTC is used. Set ` +
      `\`reports: { time_zone: ${timeZone.suchAs} }\`, or the zone that applies, and run \`tieout build\`.`,
  ]
}

function methodsOf({ methods = '', method }: ReportOptions): string[] {
  if (method === undefined) return parseMethods(methods)
  throw new UsageError('--methods and --method cannot be combined.', {
    where: '--method, --methods',
    expected: '--methods to compare several, or --method to use one',
    action: 'Omit one of them.',
  })
}

const flagOf = (option: string): string => (option === 'form1099' ? 'form-1099-da' : option)

/** Without the options that were not given. */
const definite = (options: ReportOptions): ReportOptions =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))

/** How a report matches lots; null if it has none. */
export function lotsOf(name: ReportName, options: ReportOptions, defaults: ReportDefaults): LotChoice | null {
  const { options: known, rules }: Declaration = declarations[name]
  if (!known.includes('method')) return null
  return lotChoice(rules === undefined ? options : { rules, ...definite(options) }, defaults)
}

/** Rules other than the configured ones bring their own methods and scopes. */
function lotChoice(options: ReportOptions, defaults: ReportDefaults): LotChoice {
  const { selection, allocation, rules = defaults.rules } = options
  const isOwn = options.rules === undefined || options.rules === defaults.rules
  const { method = isOwn ? defaults.method : undefined, scope = isOwn ? defaults.scope : undefined } = options
  const feesInKind = isOwn ? defaults.feesInKind : undefined
  return { method, scope, rules, selection, allocation, timeZone: defaults.timeZone, feesInKind }
}
