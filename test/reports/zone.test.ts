// The zone whose days, months and years a report counts.
import { describe, expect, test } from 'vitest'
import { allRows } from '../../pipeline/output/column.ts'
import { makeReport } from '../../pipeline/reports/catalogue.ts'
import { account, futures } from './books.ts'
import { entry, objects, sharedLedgers } from './small-ledgers.ts'

const open = sharedLedgers()

describe('one zone in a report', () => {
  const BERLIN = { rules: 'de' }
  // Half past eleven at night in UTC is the next day, month and year in Berlin.
  const LATE = [
    account('main'),
    `insert into lot_events values
      ('main', 'BTC', '2025-01-02 00:00:00+00', 1, 'b1', 'acquire', 1, 100, 'EUR', null),
      ('main', 'BTC', '2025-12-31 23:30:00+00', 2, 's1', 'dispose', 1, 250, 'EUR', null)`,
    futures('1', '2025-12-31 23:30:00', 'USDT-FUTURES', 'BTCUSDT', 'USDT', '10', 'realised_pnl'),
    entry('2', '2025-12-31 23:30:00', 'EUR', '7', 'reward'),
    `insert into income values ('2', 'main', 'UNIFIED', 'EUR', 7, 'reward', '2025-12-31 23:30:00+00', 7, 'EUR')`,
  ]
  const reports = ['gains', 'pnl', 'income', 'statement', 'balances'] as const

  test('gains, P&L, income, statement and balances count the same days', async () => {
    const ledger = await open(...LATE)
    for (const name of reports) {
      const rows = async (year: number): Promise<unknown[]> => {
        const report = await makeReport(ledger, name, { year }, BERLIN)
        expect(report.title).toContain('days of Europe/Berlin')
        return (await allRows(report.rows)).filter(
          (row) => !row.includes('opening') && !row.includes('closing'),
        )
      }
      expect([name, (await rows(2025)).length]).toEqual([name, 0])
      expect([name, (await rows(2026)).length > 0]).toEqual([name, true])
    }
  })

  test('net worth has UTC months, and does not call other days its own', async () => {
    const ledger = await open(
      'create table value_bridge (account varchar, month date, unknown_events bigint, unpriced_coins bigint)',
    )
    const report = await makeReport(ledger, 'net-worth', { year: 2026 }, BERLIN)
    expect(report.title).toBe('Net worth by UTC month 2026')
    expect(report.facts).toContainEqual(['Time zone', 'UTC'])
  })

  test.each([
    'UTC',
    'America/New_York',
    'Europe/Berlin',
    // A day has begun fourteen hours before it does in UTC, or begins twelve hours later.
    'Pacific/Kiritimati',
    'Etc/GMT+12',
  ])('net worth of a year in %s has its twelve months', async (timeZone) => {
    const ledger = await open(
      'create table value_bridge (account varchar, month date, unknown_events bigint, unpriced_coins bigint)',
      `insert into value_bridge
       select 'main', month::date, 0, 0 from range(timestamp '2024-11-01', timestamp '2026-03-01', interval 1 month) as r(month)`,
    )
    const report = await makeReport(ledger, 'net-worth', { year: 2025 }, { rules: 'us', timeZone })
    const months = (await allRows(report.rows)).map((row) => row[1])
    expect([months[0], months.at(-1), months.length]).toEqual(['2025-01-01', '2025-12-01', 12])
  })

  test('a period that begins with a month of its zone shows no earlier month', async () => {
    const ledger = await open(...LATE)
    const options = { from: '2026-01-01', rules: 'de' }
    expect((await objects(ledger, 'pnl', options)).map(({ month }) => month)).toEqual([
      '2026-01-01',
      '2026-01-01',
    ])
  })

  test('rules that leave the zone to the taxpayer state that none is configured', async () => {
    const ledger = await open(...LATE)
    const notes = async (timeZone?: string, rules = 'us') =>
      (await makeReport(ledger, 'gains', { rules }, timeZone === undefined ? {} : { timeZone })).notes
    expect((await notes()).filter((note) => note.includes('so UTC is used'))).toHaveLength(1)
    expect((await notes()).join()).toContain('`reports: { time_zone: America/New_York }`')
    expect((await notes(undefined, 'ca')).join()).toContain('`reports: { time_zone: America/Toronto }`')
    expect((await notes('America/New_York')).filter((note) => note.includes('so UTC is used'))).toEqual([])
  })
})
