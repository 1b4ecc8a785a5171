// The sums of the net worth report: all accounts by month, and the whole period, on paper and on a narrow terminal.
import { afterEach, describe, expect, test } from 'vitest'
import { type Ledger, openLedger } from '../../pipeline/ledger/ledger.ts'
import { makeReport, type ReportOptions } from '../../pipeline/reports/catalogue.ts'
import { writeReport } from '../../pipeline/reports/print.ts'
import { account, memoryTerminal, publish } from './books.ts'

const opened: Ledger[] = []
afterEach(() => {
  for (const ledger of opened.splice(0)) ledger.close()
})

/** Two accounts of two months: 10 moves from a to b, and b begins in the second month. */
const TWO = [
  ['a', '2025-03-01', 0, 100, 0, 5, 105, 0],
  ['a', '2025-04-01', 105, 0, -10, 1.5, 96.5, 0],
  ['b', '2025-04-01', 0, 0, 10, -2, 8, 0],
]

async function open(
  rows: readonly (readonly (string | number | null)[])[],
  more: readonly string[] = [],
): Promise<Ledger> {
  const cells = (row: readonly (string | number | null)[]): string =>
    row.map((cell) => (typeof cell === 'string' ? `'${cell}'` : String(cell))).join(', ')
  const ledger = await openLedger(
    await publish([
      account('a'),
      account('b'),
      `create table value_bridge (account varchar, month date, opening_value decimal(38, 18), deposits decimal(38, 18),
         transfers decimal(38, 18), realised_gains decimal(38, 18), closing_value decimal(38, 18),
         difference decimal(38, 18), currency varchar, unknown_events bigint, unpriced_coins bigint)`,
      ...rows.map((row) => `insert into value_bridge values (${cells(row)}, 'USDT', 1, 1)`),
      ...more,
    ]),
  )
  opened.push(ledger)
  return ledger
}

async function totals(ledger: Ledger, options: ReportOptions = {}): Promise<unknown[][]> {
  const report = await makeReport(ledger, 'net-worth', options)
  return report.totals.map((row) => [...row])
}

describe('net worth', () => {
  test('adds up all accounts by month, and the period from its opening to its closing value', async () => {
    // Coins without a price are not added up: both accounts may lack the price of the same coin.
    expect(await totals(await open(TWO))).toEqual([
      ['total', '2025-03-01', '0', '100', '0', '5', '105', '0', 'USDT', 1, null],
      ['total', '2025-04-01', '105', '0', '0', '-0.5', '104.5', '0', 'USDT', 2, null],
      ['total', null, '0', '100', '0', '4.5', '104.5', '0', 'USDT', 3, null],
    ])
  })

  test('of one account adds up the period alone, and of one row nothing', async () => {
    const ledger = await open(TWO)
    expect(await totals(ledger, { account: 'a' })).toEqual([
      ['total', null, '0', '100', '-10', '6.5', '96.5', '0', 'USDT', 2, null],
    ])
    expect(await totals(ledger, { account: 'b' })).toEqual([])
    expect(await totals(ledger, { year: 2024 })).toEqual([])
  })

  test('says so where a London day reaches across the end of a month, which then differs like the next', async () => {
    const found = (day: string, severity: string): string =>
      `insert into breaks (check_name, severity, account, occurred_at, status)
       values ('value_bridge', '${severity}', 'a', '${day} 00:00:00+00', 'open')`
    const ledger = await open(TWO, [found('2025-03-01', 'notice'), found('2025-04-01', 'notice')])
    const noteOf = async (one: Ledger, options: ReportOptions): Promise<string[]> =>
      (await makeReport(one, 'net-worth', options)).notes.filter((note) => note.includes('London'))
    const words =
      'A day of London, whose sales count as one, reaches across the end of a UTC month: what was sold later that day is in the ' +
      'difference of both months, with opposite signs'
    expect(await noteOf(ledger, {})).toEqual([`${words} (2025-03, 2025-04).`])
    expect(await noteOf(ledger, { from: '2025-04-01' })).toEqual([`${words} (2025-04).`])
    expect(await noteOf(ledger, { account: 'b' })).toEqual([])
    expect(await noteOf(await open(TWO, [found('2025-03-01', 'warning')]), {})).toEqual([])
  })

  test('does not call a difference known where a value is not', async () => {
    const unknown = ['b', '2025-04-01', null, 0, 10, -2, 8, null]
    expect((await totals(await open([...TWO.slice(0, 2), unknown])))[1]).toEqual([
      'total',
      '2025-04-01',
      '105',
      '0',
      '0',
      '-0.5',
      '104.5',
      null,
      'USDT',
      2,
      null,
    ])
  })

  test('on a terminal too narrow for its lines side by side shows the period’s below each other', async () => {
    const shown = async (width: number): Promise<string> => {
      const terminal = { ...memoryTerminal(), width }
      await writeReport(await makeReport(await open(TWO), 'net-worth'), 'table', {
        dir: '/nowhere',
        terminal,
      })
      return terminal.text()
    }
    const lines = [
      'From the opening to the closing value of the period:',
      '',
      'line            value  currency',
      '──────────────  ─────  ────────',
      'opening_value     0    USDT',
      'deposits        100    USDT',
      'transfers         0    USDT',
      'realised_gains    4.5  USDT',
      'closing_value   104.5  USDT',
      'difference        0    USDT',
    ]
    expect(await shown(70)).toContain(lines.join('\n'))
    expect(await shown(200)).not.toContain(lines[0])
  })
})
