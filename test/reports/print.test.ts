// A report in each of its formats, on a terminal and in a file.
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeReport } from '../../pipeline/reports/catalogue.ts'
import { printReport, writeReport } from '../../pipeline/reports/print.ts'
import { account, memoryTerminal } from './books.ts'
import { LOTS, sharedLedgers } from './small-ledgers.ts'

const open = sharedLedgers()

describe('a report', () => {
  test('of figures whose pieces lack gains begins with how many, in every format', async () => {
    const ledger = await open(
      ...LOTS,
      `insert into disposals values ('main', 'ETH', 'fifo', 'us', '2025-05-01 00:00:00+00', null, 2.5, null,
        null, null, null, 'USDT', null, null, 's2', null)`,
      `insert into lot_events values
        ('main', 'ETH', '2025-05-01 00:00:00+00', 4, 's2', 'dispose', 2.5, null, 'USDT', null)`,
    )
    for (const [name, options] of [
      ['gains', {}],
      ['pnl', {}],
      ['taxes', { rules: 'us', year: 2025 }],
      ['form-8949', { year: 2025 }],
    ] as const) {
      const report = await makeReport(ledger, name, options)
      const [, , first] = (await printReport(report)).split('\n')
      expect([name, first]).toEqual([
        name,
        expect.stringMatching(/^INCOMPLETE: [12] of [23] pieces of disposals ha/),
      ])
      const terminal = memoryTerminal()
      await writeReport(await makeReport(ledger, name, options), 'csv', { dir: '/nowhere', terminal })
      expect(terminal.told[0]).toMatch(/^INCOMPLETE/)
      const page = memoryTerminal()
      await writeReport(await makeReport(ledger, name, options), 'html', { dir: '/nowhere', terminal: page })
      expect(page.text().indexOf('INCOMPLETE')).toBeLessThan(page.text().indexOf('<table'))
      expect(page.text()).toContain('INCOMPLETE')
    }
  })

  test('prints the same figures in each format', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'reports-'))
    const ledger = await open(...LOTS)
    const files: string[] = []
    for (const format of ['table', 'csv', 'json', 'html', 'xlsx'] as const) {
      const terminal = memoryTerminal()
      const report = await makeReport(ledger, 'gains', { account: 'main', year: 2025 })
      const file = await writeReport(report, format, { out: dir, dir: '/nowhere', terminal })
      files.push(String(file).slice(dir.length + 1))
      expect(terminal.text()).toBe('')
      expect(terminal.told.length > 0).toBe(format === 'csv' || format === 'json')
    }
    expect(files).toEqual(['txt', 'csv', 'json', 'html', 'xlsx'].map((end) => `gains-main-2025.${end}`))
    for (const file of files.slice(0, 4)) {
      const text = readFileSync(join(dir, file), 'utf8')
      // A document says above the column that its times are in UTC.
      const time = file.endsWith('.html') ? '2025-12-31 23:59:59.999' : '2025-12-31T23:59:59.999Z'
      for (const figure of [time, '250', '150', 's1']) expect(text).toContain(figure)
    }
  })

  test('without rows says so, on a terminal and elsewhere', async () => {
    const ledger = await open(...LOTS)
    const report = () => makeReport(ledger, 'gains', { account: 'main', year: 2031 })
    expect((await printReport(await report())).split('\n').slice(0, 4)).toEqual([
      'Gains 2031, days of UTC',
      '',
      'None.',
      '',
    ])
    const terminal = { ...memoryTerminal(), width: 60 }
    await writeReport(await report(), 'table', { dir: '/nowhere', terminal })
    expect(terminal.text()).toMatch(/^Gains 2031, days of UTC\n\nNone\.\n\n/)
  })

  test('as a table on a terminal wraps its notes between words', async () => {
    const report = await makeReport(await open(...LOTS), 'gains', { account: 'main', year: 2025 })
    const note = 'A note that is longer than the sixty columns of the terminal that shows it to its reader.'
    const terminal = { ...memoryTerminal(), width: 60 }
    await writeReport({ ...report, warnings: [note], notes: [note] }, 'table', { dir: '/nowhere', terminal })
    const lines = terminal.text().split('\n')
    expect(lines.filter((line) => line.length > 60)).toEqual([])
    const broken = [
      'A note that is longer than the sixty columns of the',
      '  terminal that shows it to its reader.',
    ]
    expect(lines.join('\n').split(broken.join('\n'))).toHaveLength(3)
  })

  test('as a table shows title, rows, totals and notes', async () => {
    const ledger = await open(
      account('main'),
      `insert into balances values ('main', 'UNIFIED', 'BTC', 0.5, 0.5, '2025-03-01 00:00:00+00')`,
    )
    expect(await printReport(await makeReport(ledger, 'balances'))).toBe(
      [
        'Balances',
        '',
        'account  ledger   coin  quantity  venue_balance  as_of',
        '───────  ───────  ────  ────────  ─────────────  ────────────────────────',
        'main     UNIFIED  BTC        0.5            0.5  2025-03-01T00:00:00.000Z',
        '',
        'No run has reached the venue yet.',
        'No open breaks of severity error or warning.',
      ].join('\n'),
    )
  })

  test('as a workbook requires a file', async () => {
    const report = await makeReport(await open(), 'balances')
    const written = writeReport(report, 'xlsx', { dir: '/nowhere', terminal: memoryTerminal() })
    await expect(written).rejects.toMatchObject({ exitCode: 2 })
    expect(existsSync('balances.xlsx')).toBe(false)
  })
})
