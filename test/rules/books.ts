// Small books in the currency of a country, published, and their reports, for the tests of the rules.

import type { Row } from '../../pipeline/output/cell.ts'
import {
  makeReport,
  type ReportDefaults,
  type ReportName,
  type ReportOptions,
} from '../../pipeline/reports/catalogue.ts'
import { writeReport } from '../../pipeline/reports/print.ts'
import { memoryTerminal, publish } from '../reports/books.ts'
import { PublishedLedger } from '../support/published-ledger.ts'

/**
 * `main buy b1 2024-01-15 1 BTC 40000`, `… sell …`, or `out`/`in` without a value; `?` is a value nobody knows. A `reward` or
 * `interest` is income as well as a purchase at its value; interest below zero is paid, and income alone. `more` are
 * statements besides.
 */
export async function book(
  currency: string,
  lines: readonly string[],
  more: readonly string[] = [],
): Promise<string> {
  const accounts = new Set(lines.map((line) => line.split(' ')[0]))
  return await publish([
    ...[...accounts].map((name) => `insert into accounts values ('${name}', 'v', '1', 'unified', 'unified')`),
    ...lines
      .filter((line) => !line.includes(' -'))
      .map((line, place) => `insert into lot_events values (${eventOf(line, place, currency)})`),
    ...lines.filter((line) => / (reward|interest) /.test(line)).map((line) => incomeOf(line, currency)),
    ...more,
  ])
}

const KINDS: Readonly<Record<string, string>> = {
  buy: 'acquire',
  sell: 'dispose',
  out: 'transfer_out',
  in: 'transfer_in',
  borrow: 'borrow',
  repay: 'repay',
  reward: 'acquire',
  interest: 'acquire',
}

function incomeOf(line: string, currency: string): string {
  const [account, kind, id, time = '', amount, coin, value = '?'] = line.split(' ')
  const at = time.length === 10 ? `${time} 12:00:00+00` : time
  return `insert into income values ('${id}', '${account}', 'SPOT', '${coin}', '${amount}', '${kind}', '${at}',
    ${value === '?' ? 'null' : `'${value}'`}, '${currency}')`
}

function eventOf(line: string, place: number, currency: string): string {
  const [account, kind = '', id = '', time = '', quantity, coin, value = '?'] = line.split(' ')
  const at = time.length === 10 ? `${time} 12:00:00+00` : time
  const money = value === '?' ? 'null, null' : `'${value}', '${currency}'`
  const transfer = KINDS[kind]?.startsWith('transfer') ? `'${id.split(':')[0]}'` : 'null'
  return `'${account}', '${coin}', '${at}', ${place}, '${id}', '${KINDS[kind]}', '${quantity}', ${money}, ${transfer}`
}

/** A run that asked the venue until this instant. */
export const runUntil = (at: string): string =>
  `insert into runs values ('r', '${at}', '${at}', 'nightly', 1, 1, 0, 'done')`

export interface Shown {
  readonly rows: readonly Record<string, unknown>[]
  readonly totals: readonly Row[]
  readonly warnings: readonly string[]
  readonly notes: readonly string[]
}

/** What the reports of a test read. */
const ledger = new PublishedLedger()

/** A report of published books, with its rows as its JSON has them. Not for tests that run beside each other. */
export async function show(
  dir: string,
  name: ReportName,
  options: ReportOptions,
  defaults: ReportDefaults = {},
): Promise<Shown> {
  const terminal = memoryTerminal()
  const report = await makeReport(await ledger.of(dir), name, options, defaults)
  await writeReport(report, 'json', { dir: '/nowhere', terminal })
  return {
    rows: JSON.parse(terminal.text()),
    totals: report.totals,
    warnings: report.warnings ?? [],
    notes: report.notes,
  }
}

/** Named cells of each row, with spaces between them; `-` for an empty one. */
export function cells({ rows }: Shown, ...columns: readonly string[]): string[] {
  return rows.map((row) => columns.map((column) => row[column] ?? '-').join(' '))
}

/** `figure: value`, with the line of the form before it where there is one. */
export function figures({ rows }: Shown): string[] {
  return rows.map(
    ({ line, figure, value }) => `${line === null ? '' : `${line} `}${figure}: ${value ?? 'unknown'}`,
  )
}

/** `c5 0.5 BTC of c1: 30969 - 10005 = 20964 short`, in any order; records of the venue as `v12/amount`. */
export function piecesOf(gains: Shown): string[] {
  const short = (id: unknown): string => String(id).replace(/^[a-z]+\/tax\.records\//, 'v')
  return gains.rows
    .map((row) => {
      const of = row.lot_id === null ? '' : ` of ${short(row.lot_id)}`
      const denied = row.denied_loss === null ? '' : ` + ${row.denied_loss}`
      const term = row.term === null ? '' : ` ${row.term}`
      const [proceeds, cost, gain] = [row.proceeds, row.cost_basis, row.gain].map((cell) => cell ?? 'unknown')
      return `${short(row.disposal_id)} ${row.quantity} ${row.coin}${of}: ${proceeds} - ${cost}${denied} = ${gain}${term}`
    })
    .toSorted()
}
