// Retention that is about to expire: by what the books say of time, never by the machine's clock.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TestBooks } from '../support/books.ts'
import { runModel } from '../support/one-model.ts'

let books: TestBooks

beforeEach(async () => {
  books = await TestBooks.open({ only: ['checks.retention_expiring'] })
  await books.account('main', 'unified')
})

afterEach(async () => {
  await books.close()
})

/** Tax records are remembered for 366 days, order history for 90: two weeks before its end is day 76. */
const tax = (from: string, to: string) => books.tax('SPOT', [], { covers: [from, to] })
const orders = (from: string, to: string) =>
  books.page('trade.orderHistory', [], { partition: 'SPOT', covers: [from, to] })

const expiring = async (config = {}) =>
  (await books.build(config)).openBreaks
    .filter(({ checkName }) => checkName === 'retention_expiring')
    .map(({ severity, account, occurredAt, evidence }) => `${severity} ${account} ${occurredAt} ${evidence}`)

describe('what the venue is about to drop', () => {
  it('is nothing after a complete night, however long ago that was', async () => {
    await tax('2025-01-01 00:00:00+00', '2026-01-01 00:00:00+00')
    await orders('2025-10-03 00:00:00+00', '2026-01-01 00:00:00+00')
    expect(await expiring()).toEqual([])
  })

  it.each([
    [
      '76 days',
      '2025-10-17 00:00:00+00',
      ['warning main 2026-01-15T00:00:00.000Z ["trade.orderHistory SPOT"]'],
    ],
    ['a little less', '2025-10-17 00:00:00.001+00', []],
  ])('is a feed that was last requested %s before the others', async (_what, until, expected) => {
    await tax('2025-01-01 00:00:00+00', '2026-01-01 00:00:00+00')
    await orders('2025-10-01 00:00:00+00', until)
    expect(await expiring()).toEqual(expected)
  })

  it('is what is pending, until it has been fetched', async () => {
    const range = { starts_at: '2025-10-05 00:00:00+00', ends_at: '2025-10-09 00:00:00+00' }
    const pending = { feed: 'trade.orderHistory', partition: 'SPOT', status: 'pending', ...range }
    await books.statement(pending)
    await orders('2025-10-09 00:00:00+00', '2026-01-01 00:00:00+00')
    const warning = 'warning main 2026-01-03T00:00:00.000Z ["trade.orderHistory SPOT"]'
    expect(await expiring()).toEqual([warning])
    await orders('2025-10-05 00:00:00+00', '2025-10-09 00:00:00+00')
    expect(await expiring()).toEqual([])
  })

  it('is a notice if a credential is missing, since that is the cause', async () => {
    await tax('2025-01-01 00:00:00+00', '2026-01-01 00:00:00+00')
    await orders('2025-10-01 00:00:00+00', '2025-10-10 00:00:00+00')
    await books.statement({ feed: 'trade.orderHistory', status: 'failed', code: '40014' })
    expect(await expiring()).toEqual(['notice main 2026-01-08T00:00:00.000Z ["trade.orderHistory SPOT"]'])
  })

  it('is nothing of a feed that no longer applies, or that the configuration no longer names', async () => {
    await tax('2025-01-01 00:00:00+00', '2026-01-01 00:00:00+00')
    await orders('2025-10-01 00:00:00+00', '2025-10-10 00:00:00+00')
    expect(await expiring({ namedFeeds: ['tax.records'] })).toEqual([])
    await books.statement({ feed: 'trade.orderHistory', status: 'not_applicable', code: '40084' })
    expect(await expiring()).toEqual([])
  })

  it('is a part of a feed even if another part does not apply', async () => {
    await tax('2025-01-01 00:00:00+00', '2026-01-01 00:00:00+00')
    await orders('2025-10-01 00:00:00+00', '2025-10-10 00:00:00+00')
    const line = { feed: 'trade.orderHistory', status: 'not_applicable', code: '40099' }
    await books.statement({ ...line, partition: 'USDC-FUTURES' })
    expect(await expiring()).toEqual(['warning main 2026-01-08T00:00:00.000Z ["trade.orderHistory SPOT"]'])
    await books.statement({ ...line, partition: 'SPOT' })
    expect(await expiring()).toEqual([])
  })

  it('follows the configuration if it states the venue’s retention', async () => {
    await tax('2025-01-01 00:00:00+00', '2026-01-01 00:00:00+00')
    await orders('2025-10-01 00:00:00+00', '2025-10-10 00:00:00+00')
    expect(await expiring({ retentionDays: { 'trade.orderHistory': 400 } })).toEqual([])
  })
})

it('what is open begins with a range that is pending, refused or missing, and was asked for until the last word on anything', async () => {
  const at = (time: string): string => `2026-01-01 ${time}:00+00`
  const covered = (account: string, until: string, feed = 'kept') => [account, feed, '', at(until)]
  const missing = (account: string, status: string, code: string) => [
    ...[account, 'kept', '', status, code, at('10:00')],
  ]
  const ranges = ['failed', 'lost', 'missing', 'no-key', 'pending']
  const rows = await runModel('checks.retention_expiring', {
    'staging.covered_ranges': {
      columns: 'account varchar, feed varchar, partition varchar, ends_at timestamptz',
      rows: [
        ...ranges.map((account) => covered(account, '11:20')),
        ...['refusal', 'statement', 'unnamed'].map((account) =>
          covered(account, '10:00', account === 'unnamed' ? 'other' : 'kept'),
        ),
        covered('unnamed', '11:20'),
      ],
    },
    'landing.statements': {
      columns: 'account varchar, status varchar, ends_at timestamptz',
      rows: [
        // The venue's own words say nothing of coverage.
        ['refusal', null, at('11:20')],
        ['statement', 'pending', at('11:20')],
      ],
    },
    'staging.missing_ranges': {
      columns:
        'account varchar, feed varchar, partition varchar, status varchar, code varchar, starts_at timestamptz',
      rows: [
        missing('failed', 'failed', '40704'),
        missing('lost', 'lost', 'retention'),
        missing('missing', 'missing', 'not stated'),
        missing('no-key', 'failed', '40014'),
        missing('pending', 'pending', '40014'),
      ],
    },
    'staging.permission_codes': { columns: 'code varchar', rows: [['40014']] },
    // Kept for a hundred minutes; a warning comes twenty before the end.
    'staging.feed_retention': {
      columns: 'feed varchar, kept_minutes integer, warning_minutes integer',
      rows: [
        ['kept', '100', '20'],
        ['other', '100', '20'],
      ],
    },
    'staging.named_feeds': { columns: 'feed varchar', rows: [['kept']] },
  })
  expect(
    rows.map(({ account, severity, occurred_at }) => `${account} ${severity} ${occurred_at}`).toSorted(),
  ).toEqual([
    `failed warning ${at('11:40')}`,
    `missing warning ${at('11:40')}`,
    `no-key notice ${at('11:40')}`,
    `pending warning ${at('11:40')}`,
    `statement warning ${at('11:40')}`,
  ])
})
