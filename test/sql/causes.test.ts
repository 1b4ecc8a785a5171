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
        // One of one's own accounts may be the other side of the same order.
        ['erased-order', 'USDT', 'buy', '6', noon, 'o', 'order'],
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
  expect(rows.filter(({ account }) => account === 'paired')).toMatchObject([
    { expected: '4', found: '5', difference: '1', evidence: '["r","o"]' },
  ])
})

const LINE_LEDGERS = (accounts: readonly string[]): Planted => ({
  columns: 'account varchar, feed varchar, line varchar, ledger varchar',
  rows: accounts.map((account) => [account, 'tax.records', 'USDT-FUTURES', 'UNIFIED']),
})

test('futures_v3_v2: a cause of the coin at that time; what is older than the unified feed is not compared', async () => {
  const others = ['first', 'older', 'transfer', 'uncovered']
  const all = [...ACCOUNTS, ...others]
  const rows = await runModel('checks.futures_v3_v2', {
    ...causes({ before: at(15, '11:59:59'), after: at(15, '12:00:01') }),
    'staging.moves': {
      columns: 'account varchar, feed varchar, occurred_at timestamptz',
      rows: [
        ['first', 'tax.records', noon],
        ['older', 'tax.records', at(15, '12:00:01')],
        ['none', 'tax.p2pRecords', at(16)],
      ],
    },
    'staging.futures_secondary': {
      columns: `account varchar, line varchar, coin varchar, occurred_at timestamptz, booked_id varchar, secondary_id varchar,
        kind varchar, amount decimal(38, 18), fee decimal(38, 18)`,
      rows: all.flatMap((account) => {
        const kind = account === 'transfer' ? 'transfer' : 'realised_pnl'
        const record = (booked: string | null, secondary: string | null, amount: string) => [
          ...[account, 'USDT-FUTURES', 'USDT', noon, booked, secondary, kind, amount, '-1'],
        ]
        return [record('7', null, '3'), record(null, '8', '9'), record('9', '9', '100')]
      }),
    },
    'staging.both_covered': {
      columns:
        'comparison varchar, account varchar, line varchar, starts_at timestamptz, ends_at timestamptz',
      rows: all.map((account) => [
        ...['futures', account, account === 'uncovered' ? 'COIN-FUTURES' : 'USDT-FUTURES', noon, noon],
      ]),
    },
    'staging.line_ledgers': LINE_LEDGERS(all),
  })
  expect(severities(rows)).toEqual({ ...EXPECTED, any: 'warning', first: 'warning' })
  // 3 and 9, each less its fee of 1.
  expect(rows.find(({ account }) => account === 'none')).toMatchObject({
    ...{ expected: '2', found: '8', difference: '6' },
    evidence: '["tax.futuresRecords/8","tax.records/7"]',
  })
})

/** From the fourteenth at noon until the fifteenth at noon. */
const LASTING: Edges = {
  ...{ before: at(14, '11:59:59'), early: at(14), late: noon, after: at(15, '12:00:01') },
}

const SECONDARY: Planted = {
  columns:
    'account varchar, coin varchar, symbol varchar, occurred_at timestamptz, booked_id varchar, secondary_id varchar',
  rows: [
    ['one-feed', 'USDT', null, noon, '7', null],
    ['other-feed', 'USDT', 'BTCUSDT', noon, null, '7'],
    ['both-feeds', 'USDT', 'BTCUSDT', noon, '7', '7'],
  ],
}
const OF_SECONDARY = { 'one-feed': 'notice', 'other-feed': 'notice', 'both-feeds': 'warning' }

test('orders_vs_futures: a cause while the position was held, or other fees of the same contract', async () => {
  const closed = (account: string, realised = '5', isLikely = 'false', begins = at(14)) => [
    ...[
      account,
      'USDT-FUTURES',
      'BTCUSDT',
      'long',
      'long',
      begins,
      noon,
      '3',
      realised,
      '2',
      '[a]',
      isLikely,
    ],
  ]
  const others = ['fees', 'fees-before', 'fees-of-ether']
  const rows = await runModel('checks.orders_vs_futures', {
    ...causes(LASTING),
    'staging.closed_position_values': {
      columns: `account varchar, line varchar, symbol varchar, position_side varchar, hold_side varchar, begins_at timestamptz,
        ends_at timestamptz, worth decimal(38, 18), realised decimal(38, 18), allowance decimal(38, 18), ids varchar[],
        is_brought_along boolean`,
      rows: [
        ...[...ACCOUNTS, ...others, ...Object.keys(OF_SECONDARY)].map((account) => closed(account)),
        closed('within', '4.99'),
        closed('likely', '5', 'true'),
        closed('likely-in-part', '5', 'true', at(13)),
        closed('likely-in-part'),
      ],
    },
    'staging.futures_secondary': SECONDARY,
    'checks.order_fees': {
      columns: 'account varchar, coin varchar, culprit varchar, occurred_at timestamptz',
      rows: [
        ['fees', 'USDT', 'USDT-FUTURES/BTCUSDT/USDT', at(13)],
        ['fees-before', 'USDT', 'USDT-FUTURES/BTCUSDT/USDT', at(13, '11:59:59')],
        ['fees-of-ether', 'USDT', 'USDT-FUTURES/ETHUSDT/USDT', noon],
      ],
    },
  })
  expect(severities(rows)).toEqual({
    ...EXPECTED,
    ...OF_SECONDARY,
    ...{ fees: 'notice', 'fees-before': 'warning', 'fees-of-ether': 'warning' },
    ...{ likely: 'notice', 'likely-in-part': 'notice' },
  })
})

test('positions: a cause since the opening; funding of either sign, and nothing that is in doubt', async () => {
  interface Sums {
    readonly profits?: string
    readonly fees?: string
    readonly funding?: string
    readonly comparable?: string
    readonly doubled?: string
    readonly doubtful?: string
    readonly mode?: string
  }
  const held = (account: string, sums: Sums = { profits: '4' }) => {
    const { profits = '3', fees = '2', funding = '1', comparable = 'true' } = sums
    return [
      ...[account, 'USDT-FUTURES', 'BTCUSDT', 'USDT', 'long', at(14), noon, '3', profits, '2', fees, '1'],
      ...[funding, comparable, sums.doubled ?? 'false', sums.doubtful ?? 'false'],
      ...[sums.mode ?? 'one_way_mode', '[a]', 'false'],
    ]
  }
  const all = [...ACCOUNTS, ...Object.keys(OF_SECONDARY)]
  const rows = await runModel('checks.positions', {
    ...causes(LASTING),
    'staging.position_sums': {
      columns: `account varchar, line varchar, symbol varchar, coin varchar, hold_side varchar, opened_at timestamptz,
        compared_at timestamptz, achieved_profits decimal(38, 18), our_profits decimal(38, 18), fees decimal(38, 18),
        our_fees decimal(38, 18), funding decimal(38, 18), our_funding decimal(38, 18), is_funding_comparable boolean,
        is_doubled boolean, is_doubtful boolean, pos_mode varchar, ids varchar[], may_hold_principal boolean`,
      rows: [
        ...all.map((account) => held(account)),
        held('fees', { fees: '-2' }),
        held('funding', { funding: '2' }),
        held('hedge', { profits: '4', doubled: 'true', mode: 'hedge_mode' }),
        // None of these.
        held('equal', {}),
        held('funding-sign', { funding: '-1' }),
        held('funding-unknown', { funding: '2', comparable: 'false' }),
        held('hedge-funding', { funding: '2', doubled: 'true', mode: 'hedge_mode' }),
        held('one-way', { profits: '4', doubled: 'true' }),
        held('doubtful', { profits: '4', doubtful: 'true' }),
      ],
    },
    'staging.futures_secondary': SECONDARY,
    'staging.line_ledgers': LINE_LEDGERS(all),
  })
  expect(severities(rows)).toEqual({
    ...EXPECTED,
    ...OF_SECONDARY,
    ...{ fees: 'warning', funding: 'warning', hedge: 'warning' },
  })
})

/** What makes up a unified wallet; the first is the easiest to forget. */
const PARTS = [
  ...['OTHER', 'SPOT', 'MARGIN-crossed', 'MARGIN-isolated', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'],
]

test('balance_snapshots: any cause until then; the last reading with records on both sides of it, and none within a minute', async () => {
  const subject = (account: string, page: string, coin: string, reported: string, more = {}) => {
    const { feed = 'futures.subaccountAssets', ts = noon } = more as { feed?: string; ts?: string }
    return [account, account, 'USDT-FUTURES', coin, reported, page, ts, feed]
  }
  const entry = (account: string, amount: string, ts: string, coin = 'USDT') => [
    ...[account, 'USDT-FUTURES', coin, amount, ts, '1', `${account} ${ts}`],
  ]
  const others = [
    ...[
      'coins',
      'feeds',
      'known',
      'later',
      'minute-after',
      'minute-before',
      'older',
      'short',
      'twice',
      'unit',
    ],
  ]
  const all = [...ACCOUNTS, ...others]
  const simple = all.filter((account) => !['feeds', 'twice', 'unit'].includes(account))
  const rows = await runModel('checks.balance_snapshots', {
    ...causes({ before: at(15, '11:59:59'), after: at(15, '12:00:01') }),
    'main.accounts': {
      columns: 'account varchar, kind varchar',
      rows: [
        ...all.map((account) => [account, 'classic']),
        ...['unified', 'unified-in-part'].map((account) => [account, 'unified']),
      ],
    },
    'staging.balance_subjects': {
      columns: `account varchar, member varchar, ledger varchar, coin varchar, reported decimal(38, 18), page_id bigint,
        read_at timestamptz, feed varchar`,
      rows: [
        ...simple.map((account) => subject(account, '1', 'USDT', account === 'known' ? '10' : '11')),
        ...['unified', 'unified-in-part'].map((account) => [
          ...[account, account, 'UNIFIED', 'USDT', '11', '1', noon, 'futures.subaccountAssets'],
        ]),
        subject('coins', '1', 'BTC', '1'),
        subject('older', '2', 'USDT', '10', { ts: at(17) }),
        // Two readings of one moment: the later page is right.
        subject('twice', '1', 'USDT', '11'),
        subject('twice', '2', 'USDT', '10'),
        // A later reading of another feed is right.
        subject('feeds', '1', 'USDT', '11'),
        subject('feeds', '2', 'USDT', '10', { feed: 'loan.ltv', ts: at(15, '13:00:00') }),
        subject('unit', '1', 'USDT', '11', { feed: 'loan.ltv' }),
      ],
    },
    'staging.covered_ranges': {
      columns: 'account varchar, feed varchar, partition varchar, starts_at timestamptz, ends_at timestamptz',
      rows: [
        ...all.map((account) => [
          ...[account, 'tax.futuresRecords', 'USDT-FUTURES', at(1)],
          at(15, account === 'short' ? '12:00:59' : '14:00:00'),
        ]),
        ...PARTS.map((part) => ['unified', 'tax.records', part, at(1), at(16)]),
        ...PARTS.slice(1).map((part) => ['unified-in-part', 'tax.records', part, at(1), at(16)]),
      ],
    },
    'main.entries': {
      columns: `account varchar, ledger varchar, coin varchar, amount decimal(38, 18), occurred_at timestamptz, place bigint,
        entry_id varchar`,
      rows: [
        ...all.map((account) => entry(account, '10', at(14))),
        entry('coins', '1', at(15, '11:59:30'), 'BTC'),
        entry('later', '5', at(16)),
        entry('minute-after', '5', at(15, '12:01:00')),
        entry('minute-before', '5', at(15, '11:59:00')),
      ],
    },
  })
  expect(severities(rows)).toEqual({
    ...{ ...EXPECTED, before: 'notice' },
    ...{ coins: 'warning', feeds: 'warning', later: 'warning', 'minute-before': 'warning', older: 'warning' },
    ...{ unified: 'warning', unit: 'notice' },
  })
  expect(rows.map(({ account, found }) => `${account} ${found}`)).toContain('later 10')
  expect(rows.map(({ account, found }) => `${account} ${found}`)).toContain('minute-before 15')
})

/** The fifteenth as a whole. */
const DAY: Edges = {
  ...{ before: at(14, '23:59:59'), early: at(15, '00:00:00') },
  ...{ late: at(15, '23:59:59'), after: at(16, '00:00:00') },
}

const LEFT_OVER: Planted = {
  columns: 'account varchar, occurred_at timestamptz, source_id varchar, status varchar',
  rows: [
    ['leg', noon, '7', 'leftover'],
    ['whole', noon, '7', 'trade'],
  ],
}
const OF_LEGS = { leg: 'notice', whole: 'warning' }

test('orders_vs_tax: a cause on one of the days; values only of equal quantities, beyond what may be cut off', async () => {
  const day = '2026-02-15'
  interface Island {
    readonly symbol?: string
    readonly island?: string
    readonly ordered?: string
    readonly traded?: string
    readonly value?: string
    readonly unknown?: string
  }
  const island = (account: string, { symbol = 'BTCUSDT', island = day, ...sums }: Island = {}) => [
    ...[account, 'SPOT', symbol, island, island, island, sums.ordered ?? '3', sums.traded ?? '1', '100'],
    ...[sums.value ?? '100', sums.unknown ?? 'false', '2', null],
  ]
  const equal = { ordered: '5', traded: '5' }
  const islands = [
    ...[...ACCOUNTS, ...Object.keys(OF_LEGS)].map((account) => island(account)),
    island('value', { ...equal, value: '99.98' }),
    island('open', { traded: '4' }),
    island('both', { ...equal, value: '99', island: '2026-02-16' }),
    island('both'),
    island('two-bases', { symbol: 'ABUSD' }),
    // None of these.
    island('equal', equal),
    island('cut-off', { ...equal, value: '99.99' }),
    island('unknown-value', { ...equal, value: '99', unknown: 'true' }),
    island('not-asked', { traded: '4' }),
  ]
  const named = islands.map(([account = '', line = '', symbol = '', first = '']) => ({
    ...{ account, line, symbol, first },
  }))
  const rows = await runModel('checks.orders_vs_tax', {
    ...causes(DAY),
    'staging.order_islands': {
      columns: `account varchar, line varchar, symbol varchar, island date, begins_on date, ends_on date,
        all_ordered decimal(38, 18), all_traded decimal(38, 18), all_ordered_value decimal(38, 18),
        all_traded_value decimal(38, 18), is_value_unknown boolean, order_count bigint, value_decimals bigint`,
      rows: islands,
    },
    'staging.last_decimals': {
      columns: 'decimals bigint, last_decimal decimal(38, 18)',
      rows: [
        ['0', '1'],
        ['2', '0.01'],
      ],
    },
    'landing.pages': {
      columns: 'account varchar, feed varchar',
      rows: [
        ['open', 'trade.openOrders'],
        ['not-asked', 'trade.orderHistory'],
      ],
    },
    'staging.trade_legs': LEFT_OVER,
    'staging.order_runs': {
      columns: 'account varchar, line varchar, symbol varchar, first_day date, island date',
      rows: named.map(({ account, line, symbol, first }) => [account, line, symbol, first, first]),
    },
    'staging.order_spans': {
      columns: 'account varchar, line varchar, symbol varchar, first_day date, id varchar',
      rows: named.map(({ account, line, symbol, first }) => [account, line, symbol, first, first]),
    },
    'main.trades': {
      columns: 'symbol varchar, kind varchar, base varchar, quote varchar',
      rows: [
        ['BTCUSDT', 'trade', 'BTC', 'USDT'],
        ['BTCUSDT', 'conversion', 'BTCU', 'SDT'],
        ['ABUSD', 'trade', 'A', 'BUSD'],
        ['ABUSD', 'trade', 'AB', 'USD'],
      ],
    },
    'staging.symbol_coins': {
      columns: 'symbol varchar, base varchar, quote varchar',
      rows: [['ABUSD', 'AB', 'USD']],
    },
  })
  expect(severities(rows)).toEqual({
    ...{ ...EXPECTED, ...OF_LEGS, coin: 'notice' },
    ...{ both: 'warning', open: 'warning', 'two-bases': 'warning', value: 'warning' },
  })
  const figures = (name: string) =>
    rows
      .filter(({ account }) => account === name)
      .map(({ coin, expected, found, difference }) => `${coin} ${expected} ${found} ${difference}`)
  expect(figures('value')).toEqual(['USDT 100 99.98 -0.02'])
  expect(figures('both')).toEqual(['BTC 3 1 -2'])
  expect(figures('open')).toEqual(['BTC 3 4 1'])
  expect(figures('two-bases')).toEqual(['AB 3 1 -2'])
})

test('order_fees: a cause on one of the days; no run of days in which something else may explain the difference', async () => {
  const day = '2026-02-15'
  interface Fees {
    readonly reported?: string
    readonly charged?: string
    readonly decimals?: string
    readonly allowance?: string
    /** What the orders and the trades of the run filled. */
    readonly ordered?: string
    readonly traded?: string
    readonly line?: string
    /** A record on another day or of another kind than the fee itself: `day symbol kind type`. */
    readonly beside?: string
    /** Where an order reports no fee: `symbol island`. */
    readonly silent?: string
  }
  const fees: Record<string, Fees> = {
    ...Object.fromEntries(
      [...ACCOUNTS, ...Object.keys(OF_LEGS), ...Object.keys(OF_SECONDARY)].map((account) => [account, {}]),
    ),
    // More decimals than the orders print, but too much for what these cut off; and no more decimals at all.
    'beyond-cut-off': { charged: '1.001', reported: '1.02' },
    'not-cut-off': { charged: '1.01', reported: '1.02', allowance: '0.05' },
    'later-unknown': { beside: '17 ? fee OPEN_LONG' },
    'other-liquidated': { beside: '15 ETHUSDT liquidation X' },
    'silent-ether': { silent: 'ETHUSDT 2026-02-15' },
    'silent-later': { silent: 'BTCUSDT 2026-02-17' },
    'charged-more': { charged: '3' },
    twice: {},
    // None of these.
    'cut-off': { charged: '1.001', reported: '1.002' },
    'without-symbol': { beside: '15 ? fee OPEN_LONG' },
    liquidated: { beside: '15 BTCUSDT liquidation X' },
    burst: { beside: '15 BTCUSDT fee BURST_LONG' },
    forced: { beside: '15 BTCUSDT fee force_close' },
    deleveraged: { beside: '15 BTCUSDT fee adl_close' },
    'fills-missing': { ordered: '4', traded: '5' },
    'orders-missing': { ordered: '6', traded: '5', line: 'SPOT' },
    silent: { silent: 'BTCUSDT 2026-02-15' },
    'charged-more-unasked': { charged: '3' },
  }
  const all = Object.entries(fees).map(([account, one]) => ({ account, line: 'USDT-FUTURES', ...one }))
  const feeDay = (account: string, line: string, side: string, fee: string | null, more: Fees = {}) => {
    const [symbol = 'BTCUSDT', on = day] = more.silent?.split(' ') ?? []
    const coin = side === 'silent' ? null : 'USDT'
    const [allowance = null, decimals = null] = side === 'reported' ? [more.allowance, more.decimals] : []
    return [account, line, symbol, on, coin, side, fee, allowance, decimals]
  }
  const rows = await runModel('checks.order_fees', {
    ...causes(DAY),
    'staging.order_fee_days': {
      columns: `account varchar, line varchar, symbol varchar, first_day date, coin varchar, side varchar, fee decimal(38, 18),
        allowance decimal(38, 18), most_decimals bigint`,
      rows: all.flatMap(({ account, line, ...one }) => [
        feeDay(account, line, 'reported', one.reported ?? '2', {
          ...{ allowance: one.allowance ?? '0.01', decimals: one.decimals ?? '2' },
        }),
        feeDay(account, line, 'charged', one.charged ?? '1'),
        ...(one.silent === undefined ? [] : [feeDay(account, line, 'silent', null, one)]),
        ...(account === 'twice'
          ? [[account, line, 'BTCUSDT', '2026-02-17', 'USDT', 'charged', '0.5', null, null]]
          : []),
      ]),
    },
    'staging.order_runs': {
      columns: 'account varchar, line varchar, symbol varchar, first_day date, island date',
      rows: all.flatMap(({ account, line }) =>
        ['BTCUSDT', 'ETHUSDT'].flatMap((symbol) =>
          [day, '2026-02-17'].map((first) => [account, line, symbol, first, first]),
        ),
      ),
    },
    'staging.order_islands': {
      columns: `account varchar, line varchar, symbol varchar, island date, begins_on date, ends_on date,
        all_ordered decimal(38, 18), all_traded decimal(38, 18)`,
      rows: [
        ...all.map(({ account, line, ordered = '5', traded = '5' }) => [
          ...[account, line, 'BTCUSDT', day, day, day, ordered, traded],
        ]),
        ['twice', 'USDT-FUTURES', 'BTCUSDT', '2026-02-17', '2026-02-17', '2026-02-17', '5', '5'],
      ],
    },
    'main.entries': {
      columns: `account varchar, product_line varchar, symbol varchar, kind varchar, type varchar, coin varchar,
        entry_id varchar, occurred_at timestamptz`,
      rows: all.flatMap(({ account, line, beside }) => {
        const own = [account, line, 'BTCUSDT', 'fee', 'OPEN_LONG', 'USDT', `${account}/1`, noon]
        if (beside === undefined) return [own]
        const [on, symbol = '', kind = '', type = ''] = beside.split(' ')
        const other = [symbol === '?' ? null : symbol, kind, type, 'USDT', `${account}/2`, at(Number(on))]
        return [own, [account, line, ...other]]
      }),
    },
    'landing.pages': {
      columns: 'account varchar, feed varchar',
      rows: [
        ['charged-more', 'trade.openOrders'],
        ['twice', 'trade.openOrders'],
        ['charged-more-unasked', 'trade.orderHistory'],
      ],
    },
    'staging.trade_legs': LEFT_OVER,
    'staging.futures_secondary': SECONDARY,
    'staging.order_spans': {
      columns:
        'account varchar, line varchar, symbol varchar, first_day date, what varchar, id varchar, order_id varchar',
      rows: [
        ...all.map(({ account, line }) => [
          ...[account, line, 'BTCUSDT', day, 'futures fee', `${account}/1`, null],
        ]),
        ['twice', 'USDT-FUTURES', 'BTCUSDT', '2026-02-17', 'futures fee', 'none/1', null],
      ],
    },
    'main.trades': {
      columns:
        'trade_id varchar, fee decimal(38, 18), fee_coin varchar, other_fee decimal(38, 18), other_fee_coin varchar',
      rows: [],
    },
    'main.order_fee_details': {
      columns: 'account varchar, order_id varchar, is_current boolean, fee_coin varchar, fee decimal(38, 18)',
      rows: [],
    },
  })
  const others = [
    ...['beyond-cut-off', 'charged-more', 'later-unknown', 'not-cut-off', 'other-liquidated'],
    ...['silent-ether', 'silent-later', 'twice'],
  ]
  expect(severities(rows)).toEqual({
    ...{ ...EXPECTED, ...OF_LEGS, ...OF_SECONDARY, coin: 'notice' },
    ...Object.fromEntries(others.map((account) => [account, 'warning'])),
  })
  expect(rows.find(({ account }) => account === 'none')).toMatchObject({
    ...{ expected: '2', found: '1', difference: '-1', evidence: '["none/1"]' },
  })
  // The first of two runs of days is the one that names its records.
  expect(rows.find(({ account }) => account === 'twice')).toMatchObject({
    ...{ expected: '2', found: '1.5', difference: '-0.5', evidence: '["twice/1"]' },
  })
})
