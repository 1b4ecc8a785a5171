// The report of gains: each figure against one worked out by hand from a small book.
import { describe, expect, test } from 'vitest'
import { allRows } from '../../pipeline/output/column.ts'
import { makeReport, type ReportOptions } from '../../pipeline/reports/catalogue.ts'
import { account } from './books.ts'
import { LOTS, objects, sharedLedgers } from './small-ledgers.ts'

const open = sharedLedgers()

describe('gains', () => {
  test('as published have the columns of disposals', async () => {
    expect(await objects(await open(...LOTS), 'gains', { year: 2025 })).toEqual([
      {
        account: 'main',
        coin: 'BTC',
        method: 'fifo',
        rules: 'generic',
        disposed_at: '2025-12-31T23:59:59.999Z',
        acquired_at: '2025-01-02T00:00:00.000Z',
        quantity: '1',
        proceeds: '250',
        cost_basis: '100',
        denied_loss: null,
        gain: '150',
        currency: 'USDT',
        holding_days: 363,
        term: null,
        disposal_id: 's1',
        lot_id: 'b1',
        fees: '0',
      },
    ])
  })

  test('by another method are computed from the published events, and say so', async () => {
    const ledger = await open(...LOTS)
    const [gain] = await objects(ledger, 'gains', { method: 'lifo' })
    expect(gain).toMatchObject({
      method: 'lifo',
      rules: 'generic',
      cost_basis: '200',
      gain: '50',
      lot_id: 'b2',
    })
    expect(Object.keys(gain ?? {})).toEqual(ledger.tables.get('disposals'))
    const report = await makeReport(ledger, 'gains', { method: 'lifo' })
    expect(report.notes[0]).toBe('Computed for this report: method lifo, scope account, rules generic.')
    const [average] = await objects(ledger, 'gains', { method: 'average' })
    expect(average).toMatchObject({ method: 'average', cost_basis: '150', gain: '100', lot_id: null })
    const [uk] = await objects(ledger, 'gains', { rules: 'uk' })
    expect(uk).toMatchObject({ method: 'uk', rules: 'uk', cost_basis: '150', gain: '100' })
  })

  test('over all accounts take the oldest lot wherever it is', async () => {
    const ledger = await open(
      account('main'),
      account('desk'),
      `insert into lot_events values
        ('desk', 'BTC', '2025-01-01 00:00:00+00', 1, 'd1', 'acquire', 1, 10, 'USDT', null),
        ('main', 'BTC', '2025-01-02 00:00:00+00', 2, 'b1', 'acquire', 1, 100, 'USDT', null),
        ('main', 'BTC', '2025-03-01 00:00:00+00', 3, 's1', 'dispose', 1, 250, 'USDT', null)`,
    )
    const gains = async (scope: string): Promise<unknown[]> =>
      (await objects(ledger, 'gains', { method: 'fifo', scope })).map((row) => [
        row.account,
        row.lot_id,
        row.gain,
      ])
    expect(await gains('account')).toEqual([['main', 'b1', '150']])
    expect(await gains('universal')).toEqual([['main', 'd1', '240']])
  })

  test('exclude what has no known cost from the totals and name it', async () => {
    const ledger = await open(
      ...LOTS,
      `insert into disposals values ('main', 'ETH', 'fifo', 'generic', '2025-05-01 00:00:00+00', null, 2.5, 900,
        null, null, null, 'USDT', null, null, 's2', null)`,
    )
    const report = await makeReport(ledger, 'gains')
    const total = (row: readonly unknown[]): unknown => [row[0], row[7], row[8], row[10], row[11]]
    expect(report.totals.map(total)).toEqual([
      ['total', '250', '100', '150', 'USDT'],
      ['total without a known gain', '900', null, null, 'USDT'],
    ])
    expect(report.warnings).toEqual([
      'INCOMPLETE: 1 of 2 pieces of disposals has no known gain and is excluded from the figures: 2.5 ETH (main). ' +
        '1 piece without a known cost, because the purchase is missing: import the older trades (`tieout import trades`), or what was held before (`tieout import lots`).',
    ])
    expect(await allRows(report.rows)).toHaveLength(2)
  })

  test.each<[ReportOptions, string]>([
    [{ method: 'best' }, 'Unknown --method: best.'],
    [{ rules: 'fr' }, 'Unknown rules: fr.'],
    [{ rules: 'us', scope: 'universal' }, 'The rules do not allow this scope.'],
    [{ rules: 'de', scope: 'account,2026:universal' }, 'The rules do not allow this scope.'],
    [{ method: '2025:fifo' }, '--method does not state clearly what applies from when.'],
    [{ scope: 'planet' }, 'Unknown --scope: planet.'],
    [{ method: 'fifo', rules: 'uk' }, 'The rules do not allow this method.'],
    [{ currency: 'EUR' }, 'The gains are not calculated in EUR.'],
    [{ account: 'nobody' }, 'The ledger has no account nobody.'],
    [{ from: '2025-02-30' }, '--from is not a date.'],
    [{ year: 2025, from: '2025-01-01' }, '--year cannot be combined with --from or --to.'],
  ])('with %j are refused', async (options, message) => {
    await expect(makeReport(await open(...LOTS), 'gains', options)).rejects.toMatchObject({
      exitCode: 2,
      message,
    })
  })
})
