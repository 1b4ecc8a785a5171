// What follows from a known cause is a notice that names it; a cause at another time, of another coin or of another account
// explains nothing. Each check alone, over a finding of the fifteenth at noon in several accounts, each with a cause of its own.
import { expect, test } from 'vitest'
import { type ModelRow, type Planted, runModel } from '../support/one-model.ts'

const at = (day: number, time = '12:00:00'): string => `2026-02-${String(day).padStart(2, '0')} ${time}+00`
const noon = at(15)

interface Edges {
  /** The last moment that is too early, the first and the last that count, and the first that is too late. */
  readonly before: string
  readonly early?: string
  readonly late?: string
  readonly after: string
}

const ACCOUNTS = ['after', 'any', 'before', 'coin', 'early', 'late', 'none', 'same'] as const

const causes = (
  { before, early = noon, late = noon, after }: Edges,
  more: Planted['rows'] = [],
): Record<string, Planted> => ({
  'staging.disturbances': {
    columns: 'account varchar, coin varchar, starts_at timestamptz, ends_at timestamptz, cause varchar',
    rows: [
      ['after', 'USDT', after, at(28), 'a cause'],
      ['any', null, noon, noon, 'a cause'],
      ['before', 'USDT', at(1), before, 'a cause'],
      ['coin', 'BTC', noon, noon, 'a cause'],
      ['early', 'USDT', at(1), early, 'a cause'],
      ['late', 'USDT', late, at(28), 'a cause'],
      ['same', 'USDT', noon, noon, 'a cause'],
      ...more,
    ],
  },
})

const severities = (rows: readonly ModelRow[]): Record<string, string | null> =>
  Object.fromEntries(rows.map(({ account, severity }) => [account, severity ?? null]))

const EXPECTED = {
  ...{ after: 'warning', any: 'notice', before: 'warning', coin: 'warning' },
  ...{ early: 'notice', late: 'notice', none: 'warning', same: 'notice' },
}

const FEEDS: Planted = {
  columns: 'feed varchar, is_booked boolean, has_balance boolean, line varchar',
  rows: [
    ['tax.p2pRecords', 'true', 'false', 'P2P'],
    ['tax.futuresRecords', 'true', 'false', null],
    ['tax.records', 'true', 'true', null],
  ],
}

test('negative_balance: any cause until then, in the time that the books prove', async () => {
  const p2p = (account: string, place: string, part: string, amount: string, ts: string) => [
    ...[account, 'P2P', 'USDT', 'tax.p2pRecords', 'P2P', place, part, `${account}/${place}/${part}`],
    ...[amount, ts],
  ]
  const covered = (account: string, feed: string, partition: string, from: string) => [
    ...[account, feed, partition, from, '2026-03-01 00:00:00+00'],
  ]
  const long = '2026-01-01 00:00:00+00'
  const rows = await runModel('checks.negative_balance', {
    ...causes({ before: at(15, '11:59:59'), after: at(15, '12:00:01') }),
    'staging.feeds': FEEDS,
    'main.entries': {
      columns: `account varchar, ledger varchar, coin varchar, source_feed varchar, product_line varchar, place bigint,
        part varchar, entry_id varchar, amount decimal(38, 18), occurred_at timestamptz`,
      rows: [
        ...ACCOUNTS.flatMap((account) => [
          p2p(account, '1', 'amount', '-5', noon),
          p2p(account, '2', 'amount', '-2', at(16)),
        ]),
        // What a deal gives back at once was never missing.
        p2p('deal', '1', 'amount', '-5', noon),
        p2p('deal', '1', 'deal', '5', noon),
        // Thirty days after what is covered.
        p2p('young', '1', 'amount', '-5', noon),
        ...['proven', 'unproven'].map((account) => [
          ...[account, 'USDT-FUTURES', 'USDT', 'tax.futuresRecords', 'USDT-FUTURES', '1', 'amount', '1'],
          ...['-5', noon],
        ]),
        ['unified', 'UNIFIED', 'USDT', 'tax.records', 'SPOT', '1', 'amount', '1', '-5', noon],
      ],
    },
    'staging.covered_ranges': {
      columns: 'account varchar, feed varchar, partition varchar, starts_at timestamptz, ends_at timestamptz',
      rows: [
        ...[...ACCOUNTS, 'deal'].map((account) => covered(account, 'tax.p2pRecords', '', long)),
        covered('young', 'tax.p2pRecords', '', '2026-01-16 12:00:00+00'),
        covered('proven', 'tax.futuresRecords', 'USDT-FUTURES', long),
        covered('unproven', 'tax.futuresRecords', 'COIN-FUTURES', long),
        covered('unified', 'tax.records', 'SPOT', long),
      ],
    },
  })
  expect(severities(rows)).toEqual({
    ...EXPECTED,
    ...{ before: 'notice', proven: 'warning', unproven: 'notice', young: 'notice' },
  })
  expect(rows.find(({ account }) => account === 'none')).toMatchObject({
    ...{ occurred_at: noon, found: '-7', evidence: '["none/1/amount"]' },
  })
})

test('transfer_legs: a cause within five minutes, also in the parent of a sub-account', async () => {
  const five: Edges = {
    ...{ before: at(15, '11:54:59'), early: at(15, '11:55:00') },
    ...{ late: at(15, '12:05:00'), after: at(15, '12:05:01') },
  }
  const all = [...ACCOUNTS, 'sub', 'wallet', 'fill']
  const rows = await runModel('checks.transfer_legs', {
    ...causes(five, [['parent', 'USDT', noon, noon, 'a cause']]),
    'main.transfers': {
      columns: `account varchar, ledger varchar, coin varchar, occurred_at timestamptz, quantity decimal(38, 18),
        direction varchar, entry_id varchar, place bigint`,
      rows: all.map((account) => [account, 'P2P', 'USDT', noon, '5', 'in', account, '1']),
    },
    'main.unmatched_legs': {
      columns: 'account varchar, place bigint, leg_of varchar',
      rows: all.map((account) => [
        account,
        '1',
        ({ sub: 'family', fill: 'trade' } as Record<string, string>)[account] ?? 'transfer',
      ]),
    },
    'staging.families': {
      columns: 'sub varchar, parent varchar',
      rows: [
        ['sub', 'parent'],
        ['wallet', 'parent'],
      ],
    },
  })
  expect(severities(rows)).toEqual({ ...EXPECTED, sub: 'notice', wallet: 'warning' })
})

test('trade_legs: a cause of any coin at that time', async () => {
  const rows = await runModel('checks.trade_legs', {
    ...causes({ before: at(15, '11:59:59'), after: at(15, '12:00:01') }),
    'staging.trade_legs': {
      columns: `account varchar, feed varchar, line varchar, family varchar, occurred_at timestamptz, source_id varchar,
        place bigint, coin varchar, status varchar`,
      rows: [
        ...ACCOUNTS.map((account) => [
          ...[account, 'tax.records', 'SPOT', 'spot', noon, '1', '1', 'USDT', 'leftover'],
        ]),
        ['sound', 'tax.records', 'SPOT', 'spot', noon, '1', '1', 'USDT', 'trade'],
      ],
    },
    'staging.line_ledgers': {
      columns: 'account varchar, feed varchar, line varchar, ledger varchar',
      rows: [...ACCOUNTS, 'sound'].map((account) => [account, 'tax.records', 'SPOT', 'UNIFIED']),
    },
  })
  expect(severities(rows)).toEqual({ ...EXPECTED, coin: 'notice' })
})

test('p2p_match: a cause within a day; and an answer that was erased, within a day of its window', async () => {
  const day: Edges = {
    ...{ before: at(14, '11:59:59'), early: at(14), late: at(16), after: at(16, '12:00:01') },
  }
  const erased = ['erased', 'erased-after', 'erased-before', 'kept', 'own', 'paired']
  const rows = await runModel('checks.p2p_match', {
    ...causes(day),
    'staging.unmatched_deals': {
      columns: `account varchar, coin varchar, side varchar, own_quantity decimal(38, 18), happened_at timestamptz, id varchar,
        wallet varchar`,
      rows: [
        ...[...ACCOUNTS, ...erased].map((account) => [account, 'USDT', 'buy', '5', noon, 'r', 'P2P']),
        ['paired', 'USDT', 'buy', '4', noon, 'o', 'order'],
        ['erased-order', 'USDT', 'buy', '4', noon, 'o', 'order'],
      ],
    },
    'staging.nearest_unmatched': {
      columns: 'among varchar, second_id varchar, first_id varchar',
      rows: [['paired', 'r', 'o']],
    },
    'landing.pages': {
      columns:
        'account varchar, feed varchar, is_erased boolean, window_start timestamptz, window_end timestamptz',
      rows: [
        ['erased', 'p2p.orders', 'true', at(16), at(28)],
        ['erased-after', 'p2p.orders', 'true', at(16, '12:00:01'), at(28)],
        ['erased-before', 'p2p.orders', 'true', at(1), at(14, '11:59:59')],
        ['erased-order', 'tax.p2pRecords', 'true', at(1), at(14)],
        ['kept', 'p2p.orders', 'false', at(1), at(28)],
        ['own', 'tax.p2pRecords', 'true', at(1), at(28)],
        ['paired', 'p2p.orders', 'true', at(1), at(28)],
      ],
    },
  })
  const others = [...erased, 'erased-order'].map((account) => [account, 'warning'])
  expect(severities(rows)).toEqual({ ...EXPECTED, ...Object.fromEntries(others) })
  expect(
    rows
      .filter(({ explanation }) => explanation?.includes('erased'))
      .map(({ account, explanation }) => `${account}: ${explanation}`)
      .toSorted(),
  ).toEqual([
    'erased-order: A completed P2P buy order has no P2P record. Records that were received for this time have been erased.',
    'erased: A P2P buy has no completed merchant order, so its fiat side is unknown. Orders that were received for this time have been erased.',
  ])
  expect(rows.find(({ account }) => account === 'paired')).toMatchObject({
    ...{ expected: '4', found: '5', difference: '1', evidence: '["r","o"]' },
  })
})
