// The reports by name, the options that each of them knows, and the way from a command line to one of them.
import { UsageError } from '../../models/error.ts'
import { balancesReport } from './balances.ts'
import type { LotChoice } from './disposals.ts'
import { gainsReport } from './gains.ts'
import type { Ledger } from './ledger.ts'
import { type PeriodOptions, readPeriod } from './period.ts'
import { pnlReport } from './pnl.ts'
import { type Report, type ReportRequest, requireAccount, requireTable } from './report.ts'
import { statementReport } from './statement.ts'
import { breaksReport, coverageReport, incomeReport } from './tables.ts'

/** Options of `tieout report`, as given. */
export interface ReportOptions extends PeriodOptions, Omit<LotChoice, 'timeZone'> {
  readonly account?: string | undefined
  readonly currency?: string | undefined
}

interface Declaration {
  readonly make: (ledger: Ledger, request: ReportRequest) => Promise<Report>
  /** Published tables that it reads, besides `runs` and `breaks`, which every report does. */
  readonly reads: readonly string[]
  /** Options that it heeds; another one is refused, so that no figure looks filtered that is not. */
  readonly options: readonly (keyof ReportOptions)[]
}

const PERIOD = ['account', 'from', 'to', 'year'] as const
const LOTS = ['method', 'scope', 'rules', 'currency'] as const

const declarations = {
  balances: { make: balancesReport, reads: ['balances', 'entries'], options: ['account', 'to', 'year'] },
  pnl: { make: pnlReport, reads: ['disposals', 'futures_pnl'], options: [...PERIOD, ...LOTS] },
  gains: { make: gainsReport, reads: ['disposals'], options: [...PERIOD, ...LOTS] },
  income: { make: incomeReport, reads: ['income'], options: PERIOD },
  statement: { make: statementReport, reads: ['entries'], options: PERIOD },
  breaks: { make: breaksReport, reads: [], options: PERIOD },
  coverage: { make: coverageReport, reads: ['coverage'], options: PERIOD },
} satisfies Record<string, Declaration>

export type ReportName = keyof typeof declarations

export const reportNames = Object.keys(declarations) as ReportName[]

/**
 * Makes a report from the ledger, which stays open until the rows have been read.
 * UsageError for an option that the report does not know, an unknown account and an impossible period.
 */
export async function makeReport(
  ledger: Ledger,
  name: ReportName,
  options: ReportOptions = {},
  timeZone?: string,
): Promise<Report> {
  const { make, reads, options: known }: Declaration = declarations[name]
  const { account, from, to, year, method, scope, rules, currency } = options
  for (const [option, value] of Object.entries({ account, from, to, year, method, scope, rules, currency })) {
    if (value === undefined || known.includes(option as keyof ReportOptions)) continue
    throw new UsageError(`The report ${name} does not take --${option}.`, {
      where: `--${option}`,
      expected: known.map((each) => `--${each}`).join(', '),
      action: 'Leave the option away.',
    })
  }
  for (const table of ['runs', 'breaks', ...reads]) requireTable(ledger, table)
  await requireAccount(ledger, account)
  const period = readPeriod({ from, to, year })
  return await make(ledger, { account, period, lots: { method, scope, rules, timeZone }, currency })
}
