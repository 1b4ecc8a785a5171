// Checks that a sound build never lets fire, each alone over planted tables: what they are there for is seen here.
import { describe, expect, test } from 'vitest'
import { type ModelRow, type Planted, runModel, runModels } from '../support/one-model.ts'

const at = '2026-01-05 10:00:00+00'

const postings = (rows: Planted['rows']): Record<string, Planted> => ({
  'main.postings': {
    columns:
      'transaction_id varchar, account varchar, coin varchar, amount decimal(38, 18), occurred_at timestamptz',
    rows,
  },
})

/** The check reads the sums of the transactions that do not balance. */
const doubleEntry = async (rows: Planted['rows']): Promise<ModelRow[] | undefined> =>
  (await runModels(['staging.uneven_transactions', 'checks.double_entry'], postings(rows))).at(-1)

test('double_entry: a transaction whose postings do not sum to zero is an error, to the last decimal', async () => {
  const sound = [
    ['t1', 'main', 'BTC', '1.000000000000000001', at],
    ['t1', 'main', 'BTC', '-1.000000000000000001', at],
    ['t1', 'main', 'USDT', '5', at],
    ['t1', 'main', 'USDT', '-5', at],
  ]
  expect(await doubleEntry(sound)).toEqual([])
  const broken = [
    ...sound,
    ['t2', 'main', 'BTC', '2', at],
    ['t2', 'main', 'BTC', '-1.999999999999999999', at],
  ]
  expect(await doubleEntry(broken)).toEqual([
    expect.objectContaining({
      severity: 'error',
      account: 'main',
      coin: 'BTC',
      occurred_at: at,
      expected: '0',
      found: '0.000000000000000001',
      culprit: 't2',
      evidence: '["t2"]',
    }),
  ])
})

const wallets = (chains: Planted['rows']): Record<string, Planted> => ({
  'main.balances': {
    columns:
      'account varchar, ledger varchar, coin varchar, quantity decimal(38, 18), venue_balance decimal(38, 18), as_of timestamptz',
    rows: [
      ['main', 'UNIFIED', 'BTC', '1.5', '1.5', at],
      ['main', 'UNIFIED', 'ETH', '2', null, at],
      ['main', 'UNIFIED', 'USDT', '10.000000000000000001', '10', at],
    ],
  },
  'main.balance_chain': {
    columns: 'account varchar, ledger varchar, coin varchar, status varchar, source_id varchar, place bigint',
    rows: chains,
  },
  'main.entries': {
    columns: 'account varchar, ledger varchar, coin varchar, amount decimal(38, 18), place bigint',
    rows: [['main', 'UNIFIED', 'USDT', '3', '7']],
  },
})

test('entries_match_balance: entries that do not add up to the venue’s last balance are a warning', async () => {
  const closed = wallets([['main', 'UNIFIED', 'USDT', 'closed', '7', '7']])
  expect(await runModel('checks.entries_match_balance', closed)).toEqual([
    expect.objectContaining({
      severity: 'warning',
      coin: 'USDT',
      expected: '10',
      found: '10.000000000000000001',
      difference: '0.000000000000000001',
    }),
  ])
})

test('entries_match_balance: an open chain of the wallet is the cause, which makes it a notice that names the chain', async () => {
  const open = wallets([
    ['main', 'UNIFIED', 'USDT', 'open', '7', '7'],
    ['main', 'UNIFIED', 'USDT', 'open', '9', '9'],
  ])
  expect(await runModel('checks.entries_match_balance', open)).toEqual([
    expect.objectContaining({
      severity: 'notice',
      coin: 'USDT',
      explanation: 'Follows from 2 open steps of the balance chain, the first at record 7.',
      evidence: '["7"]',
    }),
  ])
})

test('unsettled_write: two in one millisecond are two breaks, and the second keeps its id once the first is settled', async () => {
  const culprits = async (first: string | null) => {
    const sent = (seq: string, outcome: string | null, ms = '123') =>
      [seq, 'main', 'spot.placeOrder', `2026-01-05 10:00:00.${ms}+00`, outcome] as const
    const rows = await runModel('checks.unsettled_write', {
      'landing.writes': {
        columns: 'seq bigint, account varchar, endpoint varchar, intended_at timestamptz, outcome varchar',
        rows: [sent('7', first), sent('9', 'unknown'), sent('11', null, '124')],
      },
    })
    return rows.map(({ culprit, evidence }) => `${culprit} ${evidence}`).toSorted()
  }
  const later = ['spot.placeOrder/1767607200123/2 [9]', 'spot.placeOrder/1767607200124 [11]']
  expect(await culprits(null)).toEqual(['spot.placeOrder/1767607200123 [7]', ...later].toSorted())
  expect(await culprits('refused')).toEqual(later)
})

describe('lots_match_balance', () => {
  type Rows = Readonly<Record<string, Planted['rows']>>
  const found = async (scope: string, { entries = [], moves = [], taken = [], lots = [], ...more }: Rows) => {
    const holding = (name: string): string => `account varchar, coin varchar, ${name} decimal(38, 18)`
    const rows = await runModel('checks.lots_match_balance', {
      'main.lot_matching': { columns: 'scope varchar', rows: [[scope]] },
      'staging.entry_days': { columns: holding('amount'), rows: entries },
      'staging.imported_moves': {
        columns: 'book_account varchar, coin varchar, amount decimal(38, 18)',
        rows: moves,
      },
      'staging.basis_carry_overs': { columns: holding('quantity_taken'), rows: taken },
      'main.lots': { columns: holding('quantity_left'), rows: lots },
      'main.borrowed_coins': { columns: holding('quantity'), rows: more.borrowed ?? [] },
      'main.unknown_basis': { columns: holding('quantity'), rows: more.unknown ?? [] },
      'staging.reporting': { columns: 'currency varchar', rows: [['USDT']] },
    })
    return rows
      .map(({ severity, account, coin, expected, found, difference }) =>
        [severity, account, coin, expected, found, difference].join(' '),
      )
      .toSorted()
  }
  const sound: Rows = {
    entries: [
      ['main', 'BTC', '5'],
      ['main', 'USDT', '100'],
    ],
    moves: [
      ['main/before', 'BTC', '4'],
      ['kraken', 'BTC', '2'],
    ],
    taken: [['main', 'BTC', '1']],
    lots: [
      ['main', 'BTC', '3'],
      ['main/before', 'BTC', '3'],
      ['kraken', 'BTC', '2'],
    ],
    borrowed: [['main', 'BTC', '3']],
    unknown: [['main', 'BTC', '1']],
  }

  test.each(['account', 'universal'])(
    'counts what is borrowed, unknown, imported and carried over: %s',
    async (scope) => {
      expect(await found(scope, sound)).toEqual([])
    },
  )

  test('is an error of each account and coin, whether there is too much in the lots, too little, or nothing else', async () => {
    expect(
      await found('account', {
        entries: [
          ['less', 'BTC', '2'],
          ['more', 'BTC', '1'],
          ['none', 'BTC', '1'],
        ],
        lots: [
          ['less', 'BTC', '1'],
          ['more', 'BTC', '2'],
          ['alone', 'BTC', '1'],
        ],
      }),
    ).toEqual([
      'error alone BTC 0 1 1',
      'error less BTC 2 1 -1',
      'error more BTC 1 2 1',
      'error none BTC 1 0 -1',
    ])
  })

  test('is one of each coin, if accounts hold their lots together: these may be those of another account', async () => {
    const entries = [
      ['main', 'BTC', '1'],
      ['desk', 'BTC', '1'],
      ['main', 'ETH', '1'],
    ]
    const lots = [
      ['main', 'BTC', '2'],
      ['main', 'ETH', '1.5'],
    ]
    expect(await found('universal', { entries, lots })).toEqual(['error  ETH 1 1.5 0.5'])
  })
})

test('imported_balance: the first moment below nothing, and the lowest balance; money, and what is only paid with, are notices', async () => {
  const day = (date: number): string => `2026-01-0${date} 00:00:00+00`
  const entry = (account: string, coin: string, date: number, amount: string, id: string, part = 'asset') => [
    ...[account, 'IMPORT', coin, day(date), amount, id, `${id}/${part}`],
  ]
  const rows = await runModel('checks.imported_balance', {
    'staging.fiat': { columns: 'currency varchar', rows: [['EUR']] },
    'staging.reporting': { columns: 'currency varchar', rows: [['USDC']] },
    'main.imported_entries': {
      columns: `account varchar, ledger varchar, coin varchar, occurred_at timestamptz, amount decimal(38, 18),
        imported_id varchar, entry_id varchar`,
      rows: [
        entry('k', 'BTC', 1, '5', 'a'),
        // Of one moment, whichever row comes first; down to nothing and no further.
        entry('k', 'BTC', 2, '-7', 'b'),
        entry('k', 'BTC', 2, '2', 'c'),
        entry('k', 'BTC', 3, '-1', 'e'),
        entry('k', 'BTC', 3, '-1', 'd'),
        entry('k', 'BTC', 4, '-1', 'f'),
        entry('k', 'BTC', 5, '9', 'g'),
        entry('k', 'EUR', 1, '-4', 'h'),
        entry('k', 'USDC', 1, '-4', 'i'),
        entry('k', 'ETH', 1, '-4', 'j', 'total'),
        entry('k', 'XRP', 1, '-4', 'l'),
        entry('k', 'SOL', 1, '-4', 'm'),
        // Lots of another account, or another coin, are short.
        entry('other', 'SOL', 1, '-4', 'n'),
      ],
    },
    'main.unknown_basis': {
      columns: 'account varchar, coin varchar, quantity decimal(38, 18)',
      rows: [
        ['k', 'SOL', '4'],
        // Disposed of at an unknown cost, and not beyond what is held.
        ['k', 'XRP', '0'],
      ],
    },
  })
  expect(
    rows
      .map(({ account, coin, severity, occurred_at, found, evidence }) =>
        [account, coin, severity, occurred_at?.slice(0, 10), found, evidence].join(' '),
      )
      .toSorted(),
  ).toEqual([
    'k BTC warning 2026-01-03 -3 ["d"]',
    'k ETH notice 2026-01-01 -4 ["j"]',
    'k EUR notice 2026-01-01 -4 ["h"]',
    'k USDC notice 2026-01-01 -4 ["i"]',
    'k XRP warning 2026-01-01 -4 ["l"]',
    'other SOL warning 2026-01-01 -4 ["n"]',
  ])
})

describe('imported_history', () => {
  const day = (date: number): string => `2026-01-${String(date).padStart(2, '0')} 00:00:00+00`
  const found = async (scope: string): Promise<string[]> => {
    const told = (id: string, date: number, type = 'buy', isMoney = 'false') => [
      ...['main', id, day(date), type, isMoney === 'true' ? 'EUR' : 'BTC', 'ETH', isMoney],
    ]
    const rows = await runModel('checks.imported_history', {
      'main.lot_matching': { columns: 'scope varchar', rows: [[scope]] },
      'main.lots': {
        columns: 'lot_id varchar, account varchar, coin varchar, quantity_left decimal(38, 18)',
        rows: [
          ['lot-1', 'main/before', 'BTC', '2'],
          ['lot-2', 'main', 'BTC', '7'],
        ],
      },
      'staging.imported_moves': {
        columns: 'book_account varchar, coin varchar, amount decimal(38, 18)',
        rows: [
          ['main/before', 'SOL', '5'],
          ['main/before', 'XRP', '5'],
          ['main/before', 'ADA', '-1'],
          ['kraken', 'SOL', '9'],
        ],
      },
      'staging.basis_carry_overs': {
        columns: 'account varchar, coin varchar, quantity_taken decimal(38, 18)',
        rows: [
          ['main', 'SOL', '4'],
          ['main', 'XRP', '5'],
        ],
      },
      'main.wallet_beginnings': {
        columns: 'account varchar, begins_at timestamptz',
        rows: [
          ['main', day(1)],
          ['main', day(5)],
        ],
      },
      'main.entries': {
        columns: 'account varchar, occurred_at timestamptz',
        rows: [
          ['main', day(2)],
          ['main', day(9)],
        ],
      },
      'staging.imported_rows': {
        columns: `account varchar, id varchar, occurred_at timestamptz, type varchar, asset varchar, currency varchar,
          is_asset_money boolean`,
        rows: [
          // Not every wallet is covered, and then no longer any.
          told('a', 4),
          told('f', 10),
          told('b', 5),
          told('c', 9, 'sell'),
          told('d', 6, 'income'),
          told('e', 6, 'transfer_in'),
          told('g', 6, 'buy', 'true'),
          ['kraken', 'h', day(6), 'buy', 'BTC', 'EUR', 'false'],
        ],
      },
      'staging.imported_twins': {
        columns: 'account varchar, coin varchar, id varchar',
        rows: [
          ['main', 'BTC', 't2'],
          ['main', 'BTC', 't1'],
        ],
      },
    })
    return rows
      .map(({ account, coin, severity, found, evidence, culprit }) =>
        [account, coin, severity, found, evidence, culprit].join(' ').trim(),
      )
      .toSorted()
  }
  const rows = ['main BTC notice 2 ["t1","t2"] twins', 'main BTC warning 3 ["b","c","d"] untold']

  test('is what lots are left outside the books, rows told twice, and those that no record matches', async () => {
    expect(await found('account')).toEqual([
      rows[0],
      'main BTC warning 2 ["lot-1"]',
      rows[1],
      'main ETH warning 1 ["g"] untold',
    ])
  })

  test('is what was moved less what was carried over, if accounts hold their lots together', async () => {
    expect(await found('universal')).toEqual([
      ...rows,
      'main ETH warning 1 ["g"] untold',
      'main SOL warning 1 []',
    ])
  })
})

describe('price_sources', () => {
  type Asked = readonly [page: string, run: string, coin: string, problem: string | null]
  /** What was asked for prices, and the pages of runs besides, `page run command outcome`; every run calls now what it likes. */
  const found = async (asked: readonly Asked[], pages: readonly string[], now: string) => {
    const seen = pages.map((one) => one.split(' '))
    const rows = await runModel('checks.price_sources', {
      'landing.price_pages': {
        columns:
          'page_id bigint, run_id varchar, source varchar, asset varchar, currency varchar, unit varchar, received_at timestamptz, starts_at timestamptz, problem varchar',
        rows: asked.map(([page, run, coin, problem]) => [
          page,
          run,
          'candles',
          coin,
          'USDT',
          '1h',
          at,
          null,
          problem,
        ]),
      },
      'landing.pages': {
        columns: 'page_id bigint, run_id varchar',
        rows: seen.map(([page = '', run = '']) => [page, run]),
      },
      'landing.runs': {
        columns: 'run_id varchar, command varchar, outcome varchar, started_at timestamptz',
        rows: seen.map(([, run = '', command = '', outcome = 'done']) => [
          run,
          command,
          outcome === 'killed' ? null : outcome,
          now,
        ]),
      },
    })
    return rows.map(({ explanation }) => String(explanation).split(':')[0])
  }
  const warning = ['The price source candles did not deliver 1 series (BTC in USDT)']
  const failed: Asked = ['5', 'n1', 'BTC', 'code 40010']

  test.each(['2025-06-30 00:00:00+00', '2027-06-30 00:00:00+00'])(
    'follows the order of the journal, whatever now is for the runs: %s',
    async (now) => {
      expect(await found([failed], ['1 n1 nightly'], now)).toEqual(warning)
      // A run that asks for no prices tells nothing of them.
      expect(await found([failed], ['1 n1 nightly', '7 s1 sync'], now)).toEqual(warning)
      // What a later night, or a later fetching of prices, does not ask for is no longer needed.
      for (const outcome of ['done', 'refused'])
        expect(await found([failed], ['1 n1 nightly', `7 n2 nightly ${outcome}`], now)).toEqual([])
      // One that was stopped before it came to prices has not asked for any.
      for (const outcome of ['incomplete', 'killed'])
        expect(await found([failed], ['1 n1 nightly', `7 n2 nightly ${outcome}`], now)).toEqual(warning)
      expect(await found([failed, ['8', 'p1', 'ETH', null]], ['1 n1 nightly'], now)).toEqual([])
    },
  )
})

test('duplicate_records: a liquidation is doubtful only if no page alone explains how often its answer lists it', async () => {
  const amount = 'decimal(38, 18)'
  const row = (page: string, symbol: string) => ['main', 'USDT', page, symbol, 'buy', '100', '1', at, null]
  const rows = await runModel('checks.duplicate_records', {
    'landing.liquidations': {
      columns: `account varchar, partition varchar, page_id bigint, symbol varchar, side varchar, price ${amount},
        amount ${amount}, ts timestamptz, extra varchar`,
      // BTC: two on one page, and one in a later answer. ETH: one on each page of an answer.
      rows: [row('1', 'BTC'), row('1', 'BTC'), row('3', 'BTC'), row('1', 'ETH'), row('2', 'ETH')],
    },
    'staging.answer_pages': {
      columns: 'account varchar, partition varchar, page_id bigint, first_page bigint',
      rows: [
        ['main', 'USDT', '1', '1'],
        ['main', 'USDT', '2', '1'],
        ['main', 'USDT', '3', '3'],
      ],
    },
    'staging.equal_records': {
      columns: `account varchar, what varchar, feed varchar, line varchar, coin varchar, happened_at timestamptz,
        quantity ${amount}, record_count bigint, type varchar, symbol varchar, ids varchar[], first_id varchar`,
      rows: [],
    },
    'staging.line_ledgers': {
      columns: 'account varchar, feed varchar, line varchar, ledger varchar',
      rows: [],
    },
  })
  expect(rows.map(({ severity, evidence }) => `${severity} ${evidence}`)).toEqual([
    'notice ["market.liquidations page 2"]',
  ])
})

test('doubtful_type: a result is certain if its position was compared, by what is certain of that position', async () => {
  const key = 'account varchar, line varchar, symbol varchar'
  // One record for each position.
  const positions: readonly (readonly [
    string,
    doubtful: string,
    doubled: string,
    mode: string,
    other: string,
  ])[] = [
    ['sound', 'false', 'false', 'one_way_mode', 'false'],
    ['hedged', 'false', 'true', 'hedge_mode', 'false'],
    ['doubled', 'false', 'true', 'one_way_mode', 'false'],
    ['doubtful', 'true', 'false', 'one_way_mode', 'false'],
    ['other', 'false', 'false', 'one_way_mode', 'true'],
  ]
  const rows = await runModel('checks.doubtful_type', {
    'staging.moves': {
      columns: `account varchar, place bigint, feed varchar, source_id varchar, type varchar, coin varchar,
        amount decimal(38, 18), occurred_at timestamptz`,
      rows: [
        ...positions.map(([symbol], n) => ['main', String(n), 'f', symbol, 'CLOSE', 'USDT', '5', at]),
        ['main', '8', 'f', 'nothing', 'CLOSE', 'USDT', '0', at],
        ['main', '9', 'f', 'plain', 'SURE', 'USDT', '5', at],
      ],
    },
    'staging.types': {
      columns: 'feed varchar, type varchar, doubt varchar',
      rows: [
        ['f', 'CLOSE', 'principal'],
        ['f', 'SURE', ''],
      ],
    },
    'staging.compared_position_moves': {
      columns: `${key}, place bigint, coin varchar, hold_side varchar, is_of_other_side boolean`,
      rows: positions.map(([symbol, , , , other], n) => [
        'main',
        'L',
        symbol,
        String(n),
        'USDT',
        'long',
        other,
      ]),
    },
    'staging.position_sums': {
      columns: `${key}, coin varchar, hold_side varchar, is_doubtful boolean, is_doubled boolean, pos_mode varchar`,
      rows: positions.map(([symbol, doubtful, doubled, mode]) => [
        'main',
        'L',
        symbol,
        'USDT',
        'long',
        doubtful,
        doubled,
        mode,
      ]),
    },
    'staging.futures_position_moves': {
      columns: `${key}, place bigint, position_side varchar, number bigint`,
      rows: [],
    },
    'staging.closed_position_values': { columns: `${key}, position_side varchar, number bigint`, rows: [] },
    'staging.type_doubts': {
      columns: 'doubt varchar, meaning varchar, precedence bigint',
      rows: [
        ['principal', 'The owner said so.', '1'],
        ['principal', 'It may include principal.', '2'],
      ],
    },
  })
  expect(rows.map(({ explanation, evidence }) => `${explanation} ${evidence}`)).toEqual([
    '3 records of type "CLOSE" are of doubtful meaning. The owner said so. ["f/doubled","f/doubtful","f/other"]',
  ])
})

test('unknown_basis: what would supply a cost is named for the arrival itself, or without a lot for those of its coin', async () => {
  const amount = 'decimal(38, 18)'
  const holdings = ['OPEN', 'SHUT', 'LOT', 'POOL', 'MOVED']
  const rows = await runModel('checks.unknown_basis', {
    'main.unknown_basis': {
      columns: `account varchar, coin varchar, quantity ${amount}, unvalued_quantity ${amount}`,
      rows: holdings.map((coin) => ['main', coin, coin === 'OPEN' || coin === 'SHUT' ? '1' : '0', '2']),
    },
    'main.balance_chain': {
      columns: 'account varchar, coin varchar, source_id varchar, status varchar',
      rows: [
        ['main', 'OPEN', '7', 'closed'],
        ['main', 'OPEN', '8', 'open'],
        ['main', 'SHUT', '9', 'closed'],
      ],
    },
    'main.disposals': {
      columns: `account varchar, coin varchar, lot_id varchar, cost_basis ${amount}`,
      rows: [
        ['main', 'LOT', 'a1', null],
        ['main', 'POOL', null, null],
        ['main', 'MOVED', null, null],
      ],
    },
    'staging.unknown_arrivals': {
      columns: 'event_id varchar, coin varchar, told_by varchar',
      rows: [
        // One row of an import brings two coins, and LOT arrived once more, in a lot that is still there.
        ['a1', 'LOT', 'worksheet'],
        ['a1', 'ODD', 'type'],
        ['a2', 'LOT', 'price'],
        ['a3', 'POOL', 'price'],
        ['a4', 'POOL', 'transfer'],
        ['a5', 'MOVED', 'transfer'],
      ],
    },
  })
  const found = new Map(
    rows.map(({ coin, severity, explanation }) => [
      coin,
      `${severity} ${String(explanation).split('; they have no gain')[1]}`,
    ]),
  )
  const import_ =
    ' Import what is missing: the purchase or incoming transfer leg (`tieout import trades`), or what was held before (`tieout import lots`).'
  expect(Object.fromEntries(found)).toEqual({
    OPEN: 'notice . Follows from the open balance chain at record 8.',
    SHUT: `warning . Import the missing history: \`tieout import trades\`.${import_}`,
    LOT: 'notice . `tieout worksheet` lists what arrived without a cost; fill it in and run `tieout import lots`.',
    POOL: 'notice . Coins that arrived without a price for that time need one: `tieout import prices`, or `tieout prices fetch`.',
    MOVED: `notice .${import_}`,
  })
})

test('a model that is run alone names the tables that are missing', async () => {
  await expect(runModel('checks.entries_match_balance', postings([]))).rejects.toThrow(
    'checks.entries_match_balance reads main.balance_chain, main.balances, main.entries: plant these as well.',
  )
})
