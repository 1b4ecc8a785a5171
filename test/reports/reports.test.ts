// What every report states or refuses, whatever its figures.
import { describe, expect, test } from 'vitest'
import { allRows } from '../../pipeline/output/column.ts'
import { makeReport, type ReportOptions, reportNames } from '../../pipeline/reports/catalogue.ts'
import { account } from './books.ts'
import { objects, sharedLedgers } from './small-ledgers.ts'

const open = sharedLedgers()

describe('every report', () => {
  const BREAKS = [
    account('main'),
    `insert into runs values ('r1', '2025-03-01 00:00:00+00', '2025-03-01 00:01:00+00', 'nightly', 1, 1, 0, 'done')`,
    `insert into breaks values
      ('k1', 'balance_chain', 'warning', 'main', 'UNIFIED', 'USDT', '2025-01-05 00:00:00+00', 3, 2, -1, 'one record is missing', '["1","3"]', '2025-03-01 00:00:00+00', 'open'),
      ('k2', 'retention', 'warning', 'main', null, null, null, null, null, null, 'w', '[]', '2025-03-01 00:00:00+00', 'open'),
      ('k3', 'double_entry', 'error', 'main', null, null, null, null, null, null, 'e', '[]', '2025-03-01 00:00:00+00', 'open'),
      ('k4', 'drift', 'notice', 'main', null, null, null, null, null, null, 'n', '[]', '2025-03-01 00:00:00+00', 'open'),
      ('k5', 'orders', 'warning', 'main', null, null, null, null, null, null, 'r', '[]', '2025-03-01 00:00:00+00', 'resolved')`,
  ]

  /** Tables of the days' values, for the reports that read nothing else. */
  const DAYS: Readonly<Record<string, readonly string[]>> = {
    'account-values': [
      'create table balance_history (account varchar, ledger varchar, coin varchar, day date, quantity decimal(38, 18), change decimal(38, 18), borrowed decimal(38, 18))',
      'create table daily_valuation (account varchar, ledger varchar, coin varchar, day date, value decimal(38, 18), own_value decimal(38, 18), currency varchar)',
    ],
    'net-worth': [
      'create table value_bridge (account varchar, month date, unknown_events bigint, unpriced_coins bigint)',
    ],
  }

  test.each(reportNames)('%s states its date, and which breaks are open', async (name) => {
    const options = name === 'taxes' ? { rules: 'us', year: 2025 } : {}
    const report = await makeReport(await open(...BREAKS, ...(DAYS[name] ?? [])), name, options)
    expect(report.notes).toContain('As of the run that ended at 2025-03-01T00:01:00.000Z.')
    expect(report.notes).toContain(
      'Open breaks: 1 error: double_entry (1); 2 warnings: balance_chain (1), retention (1).',
    )
  })

  const OTHERS = [
    account('other'),
    'alter table breaks add column note varchar',
    `insert into breaks values
      ('k6', 'retention', 'warning', 'other', null, null, null, null, null, null, 'o', '[]', '2025-03-01 00:00:00+00', 'open', null),
      ('k7', 'price_sources', 'warning', null, null, null, null, null, null, null, 'p', '[]', '2025-03-01 00:00:00+00', 'open', null),
      ('k8', 'retention', 'warning', 'main', null, null, null, null, null, null, 'x', '[]', '2025-03-01 00:00:00+00', 'explained', 'of main'),
      ('k9', 'retention', 'warning', 'other', null, null, null, null, null, null, 'y', '[]', '2025-03-01 00:00:00+00', 'explained', 'of other')`,
  ]

  test('of one account states its breaks and those of no account, and says so', async () => {
    const ledger = await open(...BREAKS, ...OTHERS)
    const standing = async (options: ReportOptions) =>
      (await makeReport(ledger, 'breaks', options)).notes.filter((note) => /breaks|Explained/.test(note))
    expect(await standing({ account: 'main' })).toEqual([
      'Open breaks (of main, and of no account): 1 error: double_entry (1); 3 warnings: balance_chain (1), price_sources (1), retention (1).',
      'Explained: retention k8: of main',
    ])
    expect(await standing({ account: 'other' })).toEqual([
      'Open breaks (of other, and of no account): 2 warnings: price_sources (1), retention (1).',
      'Explained: retention k9: of other',
    ])
    expect(await standing({})).toEqual([
      'Open breaks: 1 error: double_entry (1); 4 warnings: balance_chain (1), price_sources (1), retention (2).',
      'Explained: retention k8: of main',
      'Explained: retention k9: of other',
    ])
    const quiet = await open(...BREAKS, account('quiet'))
    expect((await makeReport(quiet, 'balances', { account: 'quiet' })).notes).toContain(
      'No open breaks of severity error or warning (of quiet, and of no account).',
    )
  })

  test('lists the breaks that it counts', async () => {
    const report = await makeReport(await open(...BREAKS, ...OTHERS), 'breaks', { account: 'other' })
    expect((await allRows(report.rows)).map(([id]) => id)).toEqual(['k7', 'k6', 'k9'])
  })

  test('net worth states what its months leave open, and for a period not in months that they are whole', async () => {
    const ledger = await open(
      account('main'),
      'create table value_bridge (account varchar, month date, unknown_events bigint, unpriced_coins bigint)',
      `insert into value_bridge values ('main', '2025-03-01', 2, 0), ('main', '2025-04-01', 0, 0),
        ('main', '2025-05-01', 0, 0), ('main', '2026-03-01', 0, 1), ('main', '2026-04-01', 0, 1)`,
    )
    const told = async (options: ReportOptions, rules = 'generic') => {
      const report = await makeReport(ledger, 'net-worth', options, { rules })
      const months = (await allRows(report.rows)).map((row) => String(row[1]))
      return [months, report.notes.filter((note) => /^(Months|Not known)/.test(note))]
    }
    const leftOpen =
      'A coin without a price is not included in any value; what cannot be attributed is shown as difference.'
    const whole =
      'Months are whole months: those that begin in the period are shown to their end, and a month already in progress when it begins is not shown.'
    expect(await told({ from: '2025-04-01', to: '2025-05-31' })).toEqual([['2025-04-01', '2025-05-01'], []])
    expect(await told({ from: '2025-04-01', to: '2025-05-31' }, 'de')).toEqual([
      ['2025-04-01', '2025-05-01'],
      [],
    ])
    expect(await told({ year: 2025 })).toEqual([
      ['2025-03-01', '2025-04-01', '2025-05-01'],
      [`Not known: the value or cost of 2 changes. ${leftOpen}`],
    ])
    // Both months may lack the price of the same coin.
    expect(await told({ year: 2025 }, 'uk')).toEqual([
      ['2025-05-01', '2026-03-01', '2026-04-01'],
      [whole, `Not known: the price of up to 1 coin at the end of a month. ${leftOpen}`],
    ])
  })

  test('of breaks lists the open ones, the most severe first, with their ids', async () => {
    const breaks = await objects(await open(...BREAKS), 'breaks')
    expect(breaks.map((row) => [row.break_id, row.severity])).toEqual([
      ['k3', 'error'],
      ['k1', 'warning'],
      ['k2', 'warning'],
      ['k4', 'notice'],
    ])
  })

  test('of coverage lists intervals and what was never received', async () => {
    const ledger = await open(
      account('main'),
      `insert into coverage values
        ('main', 'tax.records', 'SPOT', '2025-01-01 00:00:00+00', '2025-03-01 00:00:00+00', 'complete', null, null, false, false),
        ('main', 'p2p.orders', '', null, null, 'not_applicable', '70102', 'no merchant', false, false)`,
    )
    expect((await objects(ledger, 'coverage')).map((row) => [row.feed, row.starts_at, row.status])).toEqual([
      ['p2p.orders', null, 'not_applicable'],
      ['tax.records', '2025-01-01T00:00:00.000Z', 'complete'],
    ])
  })

  test('of balances is as of a moment, others are for a period', async () => {
    const ledger = await open(account('main'))
    const factOf = async (name: 'balances' | 'income', options: ReportOptions) =>
      (await makeReport(ledger, name, options)).facts?.[0]
    expect(await factOf('balances', {})).toEqual(['As of', 'the end of the books'])
    expect(await factOf('balances', { to: '2025-06-30' })).toEqual(['As of', 'the end of 2025-06-30'])
    expect(await factOf('balances', { year: 2025 })).toEqual(['As of', 'the end of 2025'])
    expect(await factOf('income', {})).toEqual(['Period', 'all of history'])
  })

  test('refuses an option that it would ignore', async () => {
    await expect(makeReport(await open(), 'balances', { method: 'lifo' })).rejects.toMatchObject({
      exitCode: 2,
      message: 'The report balances does not take --method.',
      details: { expected: '--account, --to, --year' },
    })
  })
})
