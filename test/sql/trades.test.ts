// Trades: legs of fills put together again, both sides told apart, and what is left over.
import { it as alone, describe, expect } from 'vitest'
import { balanced, LEDGER_CHECKS, type Move, TestBooks } from '../support/books.ts'
import { sharedBooks } from '../support/many-books.ts'
import { runModel, runModels } from '../support/one-model.ts'

/** What these books are made of. */
const MADE = ['entries', 'postings', 'trades', ...LEDGER_CHECKS, 'checks.trade_legs']

const { it, books } = sharedBooks({ only: MADE }, (each) => each.account('main', 'unified'))

const types: Readonly<Record<string, string>> = {
  in: 'ORDER_DEALT_IN',
  out: 'ORDER_DEALT_FROZEN_OUT',
  fee: 'ORDER_PLF_FEE_OUT',
}

/** Legs of one millisecond, written `in 1 BTC`, `out -100 USDT fee -0.1`; ids rise from the given one. */
function fills(firstId: number, ts: string, legs: readonly string[]): Move[] {
  return legs.map((leg, place) => {
    const [type = '', amount = '', coin = '', , fee = '0'] = leg.split(' ')
    return { id: String(firstId + place), coin, type: types[type] ?? type, amount, fee, ts }
  })
}

const at = '2026-01-05 10:00:00.123+00'
const open = { BTC: '10', ETH: '50', BGB: '100', USDT: '1000000' }

const trades = () =>
  books.query(
    'select trade_id, symbol, side, quantity, price, quote_amount, fee, fee_coin from trades order by trade_id',
  )

const loud = (result: { openBreaks: readonly { severity: string; checkName: string }[] }): string[] =>
  result.openBreaks.filter(({ severity }) => severity !== 'notice').map(({ checkName }) => checkName)

describe.concurrent('a fill', () => {
  it('is a buy with its fee in the platform coin, as in the published sample', async () => {
    await books.tax(
      'SPOT',
      balanced(fills(11, at, ['in 0.5696 BGB', 'fee -0.0004556178732628 BGB', 'out -1.9998656 USDT']), open),
    )
    expect(loud(await books.build())).toEqual([])
    expect(await trades()).toEqual([
      ['main/tax.records/11', 'BGBUSDT', 'buy', '0.5696', '3.511', '1.9998656', '0.0004556178732628', 'BGB'],
    ])
    expect(await books.query("select distinct transaction_id from entries where part <> 'opening'")).toEqual([
      ['main/tax.records/11'],
    ])
  })

  it('is a sale if the quote coin was received, with the fee of its leg', async () => {
    await books.tax('SPOT', balanced(fills(11, at, ['in 300 USDT fee -0.3', 'out -0.1 ETH']), open))
    await books.build()
    expect(await trades()).toEqual([
      ['main/tax.records/11', 'ETHUSDT', 'sell', '0.1', '3000', '300', '0.3', 'USDT'],
    ])
  })

  it('has a price rounded half to even at 18 decimals', async () => {
    await books.tax('SPOT', balanced(fills(11, at, ['in 3 ETH', 'out -10 USDT']), open))
    await books.build()
    expect((await trades())[0]?.[4]).toBe('3.333333333333333333')
  })

  it('follows the symbol of an order against the list of quote coins', async () => {
    await books.page(
      'trade.orderHistory',
      [{ order_id: '1', category: 'SPOT', symbol: 'USDTBRL', created_time: at, updated_time: at }],
      { partition: 'SPOT' },
    )
    await books.tax('SPOT', balanced(fills(11, at, ['in 100 USDT', 'out -550 BRL']), { BRL: '1000' }))
    await books.build()
    expect((await trades())[0]?.slice(1, 5)).toEqual(['USDTBRL', 'buy', '100', '5.5'])
  })

  it('of isolated margin is one like any other', async () => {
    await books.tax(
      'MARGIN-isolated',
      balanced(
        fills(11, at, ['FIXED_ORDER_DEALT_IN 1 ETH', 'FIXED_ORDER_DEALT_FROZEN_OUT -3000 USDT']),
        open,
      ),
    )
    await books.build()
    expect((await trades())[0]?.slice(1, 4)).toEqual(['ETHUSDT', 'buy', '1'])
    expect(await books.query('select product_line, kind from trades')).toEqual([['MARGIN', 'trade']])
  })
})

describe.concurrent('several fills in one millisecond', () => {
  const three = [
    ...['in 1 ETH', 'fee -0.1 BGB', 'out -3000 USDT'],
    ...['in 2 ETH', 'fee -0.2 BGB', 'out -6002 USDT'],
    ...['in 3 ETH', 'fee -0.3 BGB', 'out -9006 USDT'],
  ]

  it('are distinguished by the order of their legs', async () => {
    await books.tax('SPOT', balanced(fills(11, at, three), open))
    expect(loud(await books.build())).toEqual([])
    expect((await trades()).map((row) => [row[0], row[3], row[5], row[6]])).toEqual([
      ['main/tax.records/11', '1', '3000', '0.1'],
      ['main/tax.records/14', '2', '6002', '0.2'],
      ['main/tax.records/17', '3', '9006', '0.3'],
    ])
  })

  it.each([
    ['the received leg', '14', ['1', '3']],
    ['the fee', '15', ['1', '2', '3']],
    ['the paid leg', '16', ['1', '3']],
  ])('keep their pairs when %s of the middle one is missing', async (_what, missing, quantities) => {
    await books.tax(
      'SPOT',
      balanced(fills(11, at, three), open).filter(({ id }) => id !== missing),
    )
    const result = await books.build()
    expect((await trades()).map((row) => row[3])).toEqual(quantities)
    expect(loud(result)).toEqual(['balance_chain'])
  })

  it('are paired by the usual order of the account if that is a different one', async () => {
    const before = [1, 2, 3].flatMap((nth) =>
      fills(nth * 10, `2026-01-0${nth} 00:00:00+00`, ['out -3000 USDT', 'in 1 ETH']),
    )
    await books.tax(
      'SPOT',
      balanced(
        [...before, ...fills(91, at, ['out -100 USDT', 'in 4 ETH', 'out -200 USDT', 'in 5 ETH'])],
        open,
      ),
    )
    expect(loud(await books.build())).toEqual([])
    expect((await trades()).slice(3).map((row) => [row[3], row[5]])).toEqual([
      ['4', '100'],
      ['5', '200'],
    ])
  })
})

describe.concurrent('a leg without the rest of its fill', () => {
  it('is a warning, and is on a suspense account', async () => {
    await books.tax('SPOT', balanced(fills(11, at, ['in 1 ETH']), open))
    const result = await books.build()
    expect(result.openBreaks[0]).toMatchObject({
      severity: 'warning',
      checkName: 'trade_legs',
      evidence: '["11"]',
      account: 'main',
    })
    expect(loud(result)).toEqual(['trade_legs'])
    expect(
      await books.query(
        "select account_name, amount from postings where transaction_id = 'main/tax.records/11' order by 2",
      ),
    ).toEqual([
      ['Equity:Suspense', '-1'],
      ['Assets:Venue:main:UNIFIED', '1'],
    ])
    expect(
      await books.query(
        "select leg_of, source_id from unmatched_legs join entries using (account, place) where part = 'amount'",
      ),
    ).toEqual([['trade', '11']])
  })

  it('is a notice if the type of the other leg is unknown', async () => {
    await books.tax('SPOT', balanced(fills(11, at, ['in 1 ETH', 'ORDER_DEALT_SIDEWAYS -3000 USDT']), open))
    const result = await books.build()
    expect(loud(result)).toEqual(['unknown_type'])
    expect(result.openBreaks.find(({ checkName }) => checkName === 'trade_legs')?.explanation).toContain(
      'ORDER_DEALT_SIDEWAYS',
    )
  })
})

describe.concurrent('a conversion', () => {
  it('of two coins is a trade of its own kind', async () => {
    await books.tax(
      'OTHER',
      balanced(
        fills(11, at, [
          'SMALL_ASSET_SOURCE_TOKEN_USER_OUT -0.001 ETH',
          'SMALL_ASSET_TARGET_TOKEN_USER_IN 0.9 BGB',
        ]),
        open,
      ),
    )
    expect(loud(await books.build())).toEqual([])
    expect(await books.query('select kind, symbol, side, quantity, quote_amount from trades')).toEqual([
      ['conversion', 'BGBETH', 'buy', '0.9', '0.001'],
    ])
  })

  it('of several coins into one is neither a trade nor a break', async () => {
    await books.tax(
      'OTHER',
      balanced(
        fills(11, at, [
          'SMALL_ASSET_SOURCE_TOKEN_USER_OUT -0.001 ETH',
          'SMALL_ASSET_SOURCE_TOKEN_USER_OUT -0.0001 BTC',
          'SMALL_ASSET_TARGET_TOKEN_USER_IN 5 BGB',
        ]),
        open,
      ),
    )
    expect(loud(await books.build())).toEqual([])
    expect(await books.query('select count(*) from trades')).toEqual([['0']])
    expect(
      await books.query("select count(distinct transaction_id) from entries where kind = 'conversion'"),
    ).toEqual([['1']])
  })
})

describe.concurrent('an account without tax records', () => {
  it('has its trades from its orders', async () => {
    await books.page(
      'trade.orderHistory',
      [
        {
          order_id: '77',
          category: 'SPOT',
          symbol: 'ETHUSDT',
          side: 'sell',
          cum_exec_qty: '2',
          cum_exec_value: '6001',
          fee_detail: '[{"feeCoin":"USDT","fee":"6.001"},{"feeCoin":null,"fee":""}]',
          order_status: 'filled',
          created_time: at,
          updated_time: at,
        },
        {
          order_id: '78',
          category: 'SPOT',
          symbol: 'ETHUSDT',
          side: 'buy',
          cum_exec_qty: '0',
          created_time: at,
        },
        {
          // The platform coin ran out between two fills.
          order_id: '79',
          category: 'SPOT',
          symbol: 'ETHUSDT',
          side: 'buy',
          cum_exec_qty: '1',
          cum_exec_value: '3000',
          fee_detail: '[{"feeCoin":"ETH","fee":"0.0004"},{"feeCoin":"BGB","fee":"1.2"}]',
          order_status: 'filled',
          created_time: at,
          updated_time: at,
        },
      ],
      { partition: 'SPOT', account: 'keyless' },
    )
    await books.build()
    expect(await trades()).toEqual([
      ['keyless/trade.orderHistory/77', 'ETHUSDT', 'sell', '2', '3000.5', '6001', '6.001', 'USDT'],
      ['keyless/trade.orderHistory/79', 'ETHUSDT', 'buy', '1', '3000', '3000', '1.2', 'BGB'],
    ])
    expect(await books.query('select other_fee, other_fee_coin from trades order by trade_id')).toEqual([
      ['0', null],
      ['0.0004', 'ETH'],
    ])
  })

  alone(
    'lists a trade once that an order and imported fills tell of, and keeps the orders that nothing was imported of',
    async ({ onTestFinished }) => {
      const books = await TestBooks.open({ only: MADE })
      onTestFinished(() => books.close())
      await books.account('main', 'unified')
      const minute = 60_000
      const start = Date.parse('2026-01-05T12:00:00.250Z')
      const order = (id: string, begins: number, quantity: string) => ({
        order_id: id,
        category: 'SPOT',
        symbol: 'ETHUSDT',
        side: 'buy',
        cum_exec_qty: quantity,
        cum_exec_value: '3000',
        order_status: 'filled',
        created_time: new Date(begins).toISOString(),
        updated_time: new Date(begins + minute).toISOString(),
      })
      const rows = [
        order('1', start, '2'),
        order('2', start + 10 * minute, '2'),
        order('3', start + 20 * minute, '2'),
        order('4', start + 30 * minute, '2'),
      ]
      await books.page('trade.orderHistory', rows, { partition: 'SPOT', account: 'keyless' })
      await books.sql(
        "insert into landing.main.imports values (900, 'trades', 'fills.csv', 5, 'hash', '2026-02-01T00:00:00Z', null)",
      )
      const imported = [
        // In two fills; in one whose time has no fraction; the other side; a part of it.
        ['a', start + 5_000, 'buy', '1.5'],
        ['b', start + minute, 'buy', '0.5'],
        ['c', Math.floor((start + 10 * minute) / 1_000) * 1_000, 'buy', '2'],
        ['d', start + 20 * minute, 'sell', '2'],
        ['e', start + 30 * minute, 'buy', '1.9'],
      ] as const
      for (const [row, [id, time, type, quantity]] of imported.entries())
        await books.sql(
          `insert into landing.main.imported_trades values
           (900, ${row}, '${id}', '${new Date(time).toISOString()}', 0, 'keyless', '${type}', 'ETH', ${quantity}, 'USDT', 3000, 0, null)`,
        )
      await books.build()
      expect(await books.query('select trade_id from trades order by 1')).toEqual([
        ['a'],
        ['b'],
        ['c'],
        ['d'],
        ['e'],
        ['keyless/trade.orderHistory/3'],
        ['keyless/trade.orderHistory/4'],
      ])
    },
  )
})

alone(
  'a pair is named as its orders spell it, else by the quote coin that ranks first, and fees are one for each coin',
  async () => {
    const amount = 'decimal(38, 18)'
    const group = (
      id: string,
      family: string,
      [received, receivedFee]: readonly [coin: string, fee: string],
      [paid, paidFee]: readonly [coin: string, fee: string],
      [platform, platformFee]: readonly [coin: string | null, fee: string],
    ) => [
      ...['main', id, `t${id}`, family === 'spot' ? 'f' : 'c', 'SPOT', 'SPOT', family, at],
      ...[received, '2', receivedFee, '1', paid, '6', paidFee, '2', platform, platformFee, '3'],
    ]
    const [, rows = []] = await runModels(['staging.pair_sides', 'main.trades'], {
      'staging.trade_groups': {
        columns: `account varchar, group_place bigint, transaction_id varchar, feed varchar, line varchar,
        product_line varchar, family varchar, occurred_at timestamptz, received_coin varchar, received ${amount},
        received_fee ${amount}, received_place bigint, paid_coin varchar, paid ${amount}, paid_fee ${amount},
        paid_place bigint, platform_fee_coin varchar, platform_fee ${amount}, fee_place bigint`,
        rows: [
          // Two fees in USDT are one, beside that in BGB.
          group('1', 'spot', ['BTC', '0'], ['USDT', '-0.5'], ['USDT', '-0.25']),
          group('2', 'spot', ['BTC', '-0.1'], ['USDT', '0'], ['BGB', '-0.2']),
          group('3', 'convert', ['BTC', '0'], ['USDT', '0'], [null, '0']),
          // An order spells it the other way round than the ranks.
          group('4', 'spot', ['EUR', '0.1'], ['USDT', '0'], [null, '0']),
          // Orders spell it in both ways: the ranks decide.
          group('5', 'spot', ['BTC', '0'], ['ETH', '0'], [null, '0']),
          // No rank at all: the alphabet.
          group('6', 'spot', ['YYY', '0'], ['XXX', '0'], [null, '0']),
        ],
      },
      'main.orders': {
        columns: 'category varchar, symbol varchar',
        rows: [
          ['SPOT', 'BTCUSDT'],
          ['margin', 'USDTEUR'],
          ['SPOT', 'ETHBTC'],
          ['SPOT', 'BTCETH'],
          // Futures do not name a pair of coins.
          ['USDT-FUTURES', 'YYYXXX'],
        ],
      },
      'staging.quote_ranks': {
        columns: 'coin varchar, rank bigint',
        rows: [
          ['USDT', '1'],
          ['EUR', '2'],
          ['BTC', '3'],
        ],
      },
      'staging.line_ledgers': {
        columns: 'account varchar, feed varchar, line varchar, ledger varchar',
        rows: [
          ['main', 'f', 'SPOT', 'UNIFIED'],
          ['main', 'c', 'SPOT', 'CLASSIC'],
        ],
      },
      'staging.trade_orders': { columns: 'account varchar, group_place bigint, order_id varchar', rows: [] },
      'staging.order_trades': {
        columns: `account varchar, order_id varchar, category varchar, symbol varchar, side varchar, base varchar,
        quote varchar, quantity ${amount}, quote_amount ${amount}, fee ${amount}, fee_coin varchar,
        other_fee ${amount}, other_fee_coin varchar, traded_at timestamptz`,
        rows: [],
      },
      'main.imported_trades': {
        columns: `id varchar, account varchar, type varchar, asset varchar, currency varchar, quantity ${amount},
        total ${amount}, fee ${amount}, fee_currency varchar, occurred_at timestamptz`,
        rows: [
          ['i1', 'kraken', 'buy', 'SOL', 'EUR', '4', '8', '0', null, at],
          ['i2', 'kraken', 'sell', 'SOL', null, '4', null, '0', null, at],
          ['i3', 'kraken', 'buy', 'SOL', 'EUR', '4', '8', '0', null, at],
        ],
      },
      'staging.imported_twins': { columns: 'id varchar', rows: [['i3']] },
    })
    expect(
      rows
        .map((row) =>
          [
            ...[row.trade_id, row.ledger, row.kind, row.side, row.symbol, row.venue_symbol, row.price],
            ...[row.fee, row.fee_coin, row.other_fee, row.other_fee_coin],
          ]
            .map((cell) => cell ?? '-')
            .join(' '),
        )
        .toSorted(),
    ).toEqual([
      'i1 - trade buy SOLEUR - 2 0 - 0 -',
      't1 UNIFIED trade buy BTCUSDT BTCUSDT 3 0.75 USDT 0 -',
      't2 UNIFIED trade buy BTCUSDT BTCUSDT 3 0.2 BGB 0.1 BTC',
      't3 CLASSIC conversion buy BTCUSDT - 3 0 - 0 -',
      't4 UNIFIED trade sell USDTEUR USDTEUR 0.333333333333333333 -0.1 EUR 0 -',
      't5 UNIFIED trade sell ETHBTC - 0.333333333333333333 0 - 0 -',
      't6 UNIFIED trade sell XXXYYY - 0.333333333333333333 0 - 0 -',
    ])
  },
)

alone('a symbol ends in its longest quote coin, and begins with something', async () => {
  const rows = await runModel('staging.symbol_coins', {
    'main.orders': {
      columns: 'category varchar, symbol varchar',
      rows: [
        ['SPOT', 'ETHBUSD'],
        ['margin', 'ETHUSD'],
        ['MARGIN', 'ETHUSD'],
        ['SPOT', 'BUSD'],
        ['SPOT', 'USD'],
        ['SPOT', 'ETHXYZ'],
        ['USDT-FUTURES', 'BTCUSD'],
      ],
    },
    'staging.quote_ranks': {
      columns: 'coin varchar, rank bigint',
      rows: [
        ['USD', '1'],
        ['BUSD', '2'],
      ],
    },
  })
  expect(rows.map(({ symbol, base, quote }) => `${symbol} ${base} ${quote}`).toSorted()).toEqual([
    'BUSD B USD',
    'ETHBUSD ETH BUSD',
    'ETHUSD ETH USD',
  ])
})

alone('the sequence of the legs of a fill is that of the fills alone in their millisecond', async () => {
  const legs = (line: string, ...moments: string[]) =>
    moments.flatMap((moment, ms) =>
      moment
        .split(' ')
        .map((leg, place) => [
          ...['main', 'f', line, 'spot', leg.replace('0', ''), `2026-01-05 10:00:00.00${ms}+00`],
          ...[String(ms * 10 + place), leg.endsWith('0') ? '0' : '1'],
        ]),
    )
  const [, rows = []] = await runModels(['staging.leg_votes', 'staging.leg_orders'], {
    'staging.moves': {
      columns: `account varchar, feed varchar, line varchar, family varchar, role varchar, occurred_at timestamptz,
        place bigint, amount decimal(38, 18)`,
      rows: [
        ...legs('fee first or last', 'fee received paid', 'received paid fee'),
        ...legs('fee last', 'received paid fee', 'received fee paid', 'received paid fee'),
        ...legs('fee between', 'paid fee received', 'fee paid received'),
        ...legs('of nothing', 'paid received paid0'),
        ...legs('two in one', 'paid received paid received'),
      ],
    },
  })
  expect(
    rows.map((row) => [row.line, row.received_phase, row.fee_phase, row.paid_phase].join(' ')).toSorted(),
  ).toEqual([
    'fee between 4 3 2',
    // As often one as the other.
    'fee first or last 2 1 4',
    'fee last 2 5 4',
    'of nothing 4 3 2',
    // Nothing tells the two apart: the usual sequence.
    'two in one 2 3 4',
  ])
})
