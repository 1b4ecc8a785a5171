// The report of income: its lines, their totals, and what of it has no known value.
import { describe, expect, test } from 'vitest'
import { makeReport } from '../../pipeline/reports/catalogue.ts'
import { writeReport } from '../../pipeline/reports/print.ts'
import { account, memoryTerminal } from './books.ts'
import { objects, sharedLedgers } from './small-ledgers.ts'

const open = sharedLedgers()

describe('a report', () => {
  test('of income filters by account and time', async () => {
    const ledger = await open(
      account('main'),
      `insert into income values
        ('i1', 'main', 'UNIFIED', 'USDT', 1.5, 'interest', '2025-03-01 00:00:00+00', null, null),
        ('i2', 'main', 'UNIFIED', 'USDT', 2, 'reward', '2026-03-01 00:00:00+00', null, null)`,
    )
    expect(await objects(ledger, 'income', { year: 2025, account: 'main' })).toMatchObject([
      { entry_id: 'i1', amount: '1.5', kind: 'interest' },
    ])
  })

  test('of income adds up what was received and, separately, what was paid', async () => {
    const ledger = await open(
      account('main'),
      `insert into income values
        ('i1', 'main', 'UNIFIED', 'USDT', 1.5, 'interest', '2025-03-01 00:00:00+00', 1.5, 'USDT'),
        ('i2', 'main', 'UNIFIED', 'USDT', -0.25, 'interest', '2025-03-02 00:00:00+00', -0.25, 'USDT'),
        ('i3', 'main', 'UNIFIED', 'USDT', -0.5, 'interest', '2025-03-03 00:00:00+00', -0.5, 'USDT'),
        ('i4', 'main', 'UNIFIED', 'BTC', -0.01, 'interest', '2025-03-04 00:00:00+00', -900, 'USDT'),
        ('i5', 'main', 'UNIFIED', 'BGB', 3, 'reward', '2025-03-05 00:00:00+00', 4, 'USDT'),
        ('i6', 'main', 'UNIFIED', 'BGB', 3, 'reward', '2026-03-05 00:00:00+00', 4, 'USDT')`,
    )
    const told =
      'Amounts below zero were paid, such as interest on loans; they are not part of any total received.'
    const report = await makeReport(ledger, 'income', { year: 2025 })
    const names = ['account', 'kind', 'coin', 'amount', 'value', 'currency']
    const places = names.map((name) => report.columns.findIndex((column) => column.name === name))
    expect(report.totals.map((row) => places.map((at) => row[at]))).toEqual([
      ['total received', 'interest', 'USDT', '1.5', '1.5', 'USDT'],
      ['total paid', 'interest', 'BTC', '-0.01', '-900', 'USDT'],
      ['total paid', 'interest', 'USDT', '-0.75', '-0.75', 'USDT'],
      ['total paid', 'interest', null, null, '-900.75', 'USDT'],
      ['total received', 'reward', 'BGB', '3', '4', 'USDT'],
    ])
    expect(report.notes).toContain(told)
    expect((await makeReport(ledger, 'income', { year: 2026 })).notes).not.toContain(told)
  })

  test('of income begins with how many of its lines have no known value, and shows the empty column', async () => {
    const ledger = await open(
      account('main'),
      `insert into income values
        ('i1', 'main', 'UNIFIED', 'ETH', 1, 'reward', '2025-06-02 00:00:00+00', null, 'USDT'),
        ('i2', 'main', 'UNIFIED', 'BTC', 1, 'reward', '2025-06-03 00:00:00+00', 90, 'USDT')`,
    )
    expect((await makeReport(ledger, 'income', { to: '2025-06-02' })).warnings).toEqual([
      'INCOMPLETE: 1 of 1 line of income has no known value, because there is no price for ETH. Import prices (`tieout import prices`), or fetch them (`tieout prices fetch`).',
    ])
    expect((await makeReport(ledger, 'income')).warnings).toEqual([
      expect.stringMatching(
        /^INCOMPLETE: 1 of 2 lines of income has no known value, because there is no price for ETH/,
      ),
    ])
    expect((await makeReport(ledger, 'income', { from: '2025-06-03' })).warnings).toEqual([])
    const terminal = memoryTerminal(80)
    await writeReport(await makeReport(ledger, 'income', { to: '2025-06-02' }), 'table', {
      dir: '/nowhere',
      terminal,
    })
    expect(terminal.text()).toMatch(/kind +occurred_at UTC +value +currency/)
  })
})
