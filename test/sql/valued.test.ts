// Figures in the reporting currency, day by day, worked out by hand: what is held and owed, and what is not realised yet.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lotsStep } from '../../pipeline/lots/step.ts'
import { balanced, TestBooks } from '../support/books.ts'
import { type Planted, runModel, runModels } from '../support/one-model.ts'

let books: TestBooks

const price = (row: string, asset: string, at: string, of: string): Promise<void> =>
  books.insert('imported_prices', {
    page_id: '91',
    page_row: row,
    priced_at: at,
    asset,
    currency: 'USDT',
    price: of,
    source: 'market',
  })

beforeAll(async () => {
  books = await TestBooks.open({ only: ['daily_valuation', 'net_worth', 'unrealised', 'income'] })
  await books.account('main', 'unified')
  await books.insert('imports', {
    page_id: '91',
    kind: 'prices',
    file_name: 'prices.csv',
    imported_at: '2026-02-01 00:00:00+00',
  })
  await price('0', 'BTC', '2026-01-05 00:00:00+00', '100')
  await price('1', 'BTC', '2026-01-06 12:00:00+00', '120')
  await price('2', 'BTC', '2026-01-07 06:00:00+00', '90')
  // Where the venue tells of an account, no price leads beyond the last change.
  await price('3', 'BTC', '2026-01-20 06:00:00+00', '500')
  await books.tax(
    'SPOT',
    balanced(
      [
        { id: '1', coin: 'BTC', type: 'ORDER_DEALT_IN', amount: '2', ts: '2026-01-05 01:00:00+00' },
        {
          id: '2',
          coin: 'USDT',
          type: 'ORDER_DEALT_FROZEN_OUT',
          amount: '-200',
          ts: '2026-01-05 01:00:00+00',
        },
        { id: '3', coin: 'BTC', type: 'BORROW', amount: '1', ts: '2026-01-06 01:00:00+00' },
        { id: '4', coin: 'USDT', type: 'ORDER_DEALT_IN', amount: '60', ts: '2026-01-06 13:00:00+00' },
        {
          id: '5',
          coin: 'BTC',
          type: 'ORDER_DEALT_FROZEN_OUT',
          amount: '-0.5',
          ts: '2026-01-06 13:00:00+00',
        },
        {
          id: '6',
          coin: 'BTC',
          type: 'INTEREST_SETTLEMENT_OUT',
          amount: '-0.1',
          ts: '2026-01-07 08:00:00+00',
        },
        { id: '7', coin: 'ODD', type: 'TRANSFER_IN', amount: '7', ts: '2026-01-07 09:00:00+00' },
      ],
      { USDT: '1000' },
    ),
  )
  await books.build(
    { reportingCurrency: 'USDT' },
    { steps: [lotsStep({ method: 'fifo', scope: 'account' })] },
  )
})

afterAll(() => books.close())

test('each day is valued at the newest valid price, and what has none has no value', async () => {
  expect(
    await books.query(
      `select coin, day, quantity, borrowed, price, price_source, value, own_value from daily_valuation
       where coin <> 'USDT' order by coin, day`,
    ),
  ).toEqual([
    ['BTC', '2026-01-05', '2', '0', '100', 'market', '200', '200'],
    ['BTC', '2026-01-06', '2.5', '1', '120', 'market', '300', '180'],
    ['BTC', '2026-01-07', '2.4', '1', '90', 'market', '216', '126'],
    ['ODD', '2026-01-07', '7', '0', null, null, null, null],
  ])
})

test('net worth is what is held less what is owed, with the coins without a price counted separately', async () => {
  expect(
    await books.query('select day, value, currency, unpriced_coins from net_worth order by day'),
  ).toEqual([
    ['2026-01-05', '1000', 'USDT', '0'],
    ['2026-01-06', '1040', 'USDT', '0'],
    ['2026-01-07', '986', 'USDT', '1'],
  ])
})

test('what is unrealised: open lots at the last price, open short sales, and lots of unknown cost separately', async () => {
  expect(
    await books.query(
      `select product_line, symbol, is_cost_known, quantity, cost_basis, value, unrealised_pnl,
         strftime(timezone('UTC', valued_at), '%d %H:%M') from unrealised
       order by product_line, symbol`,
    ),
  ).toEqual([
    // Two for 200; interest took 0.1 of the borrowed half that is left, so both are there still.
    ['LOTS', 'BTC', 'true', '2', '200', '180', '-20', '07 06:00'],
    ['LOTS', 'ODD', 'false', '7', null, null, null, null],
    ['SHORT', 'BTC', 'true', '0.6', '69', '54', '15', '07 06:00'],
  ])
})

test('interest is valued when it is paid', async () => {
  expect(await books.query('select coin, amount, value, currency, price_source from income')).toEqual([
    ['BTC', '-0.1', '-9', 'USDT', 'market'],
  ])
})

test('an open coin-margined position has no value in its coin: its price is in dollars; a closed one has no row', async () => {
  const futures = await TestBooks.open({ only: ['unrealised'] })
  try {
    await futures.account('main', 'unified')
    const held = { hold_side: 'long', total: '0.5', mark_price: '60000' }
    const coin = { ...held, symbol: 'BTCUSD', margin_coin: 'BTC', unrealized_pl: '0.01' }
    const dollar = { ...held, symbol: 'BTCUSDT', margin_coin: 'USDT', unrealized_pl: '600' }
    await futures.page('futures.positions', [coin], { partition: 'COIN-FUTURES' })
    const closed = { ...dollar, symbol: 'ETHUSDT', total: '0', unrealized_pl: '0' }
    await futures.page('futures.positions', [dollar, closed], { partition: 'USDT-FUTURES' })
    await futures.build({}, { steps: [lotsStep({ method: 'fifo', scope: 'account' })] })
    expect(
      await futures.query(
        'select symbol, coin, quantity, value, unrealised_pnl from unrealised order by symbol',
      ),
    ).toEqual([
      ['BTCUSD', 'BTC', '0.5', null, '0.01'],
      ['BTCUSDT', 'USDT', '0.5', '30000', '600'],
    ])
  } finally {
    await futures.close()
  }
})

test('what is outside the books of its account is not unrealised, nor a short sale that was closed', async () => {
  const rows = await runModel('main.unrealised', {
    'main.daily_valuation': {
      columns:
        'account varchar, coin varchar, day date, price decimal(38, 18), priced_at timestamptz, currency varchar',
      rows: [
        ['main', 'BTC', '2026-01-05', '100', '2026-01-05 00:00:00+00', 'USDT'],
        ['main', 'BTC', '2026-01-06', '120', '2026-01-06 00:00:00+00', 'USDT'],
        // A price is that of every account.
        ['other', 'BTC', '2026-01-06', '120', '2026-01-06 00:00:00+00', 'USDT'],
      ],
    },
    'main.lots': {
      columns:
        'account varchar, coin varchar, currency varchar, cost_basis_left decimal(38, 18), quantity_left decimal(38, 18)',
      rows: [
        ['main', 'BTC', 'USDT', '90', '1'],
        ['main/before', 'BTC', 'USDT', '10', '2'],
      ],
    },
    'main.short_sales': {
      columns: `account varchar, coin varchar, currency varchar, proceeds decimal(38, 18), quantity decimal(38, 18),
        closed_at timestamptz`,
      rows: [
        ['main', 'BTC', 'USDT', '200', '2', null],
        ['main', 'BTC', 'USDT', '700', '7', '2026-01-06 00:00:00+00'],
      ],
    },
    'main.positions': {
      columns: `account varchar, partition varchar, symbol varchar, hold_side varchar, margin_coin varchar,
        total decimal(38, 18), mark_price decimal(38, 18), unrealized_pl decimal(38, 18), is_current boolean`,
      rows: [],
    },
    'staging.newest_lists': {
      columns: 'account varchar, partition varchar, feed varchar, read_at timestamptz',
      rows: [],
    },
  })
  expect(
    rows
      .map(({ account, product_line, quantity, cost_basis, value, unrealised_pnl }) =>
        [account, product_line, quantity, cost_basis, value, unrealised_pnl].join(' '),
      )
      .toSorted(),
  ).toEqual(['main LOTS 1 90 120 30', 'main SHORT 2 200 240 -40'])
})

/** An entry of `main` on one day, `place part kind amount coin`, whose id is its place and part; and what it is worth by prices. */
async function eventsOf(
  entries: readonly string[],
  worths: readonly (readonly [entry: string, value: string, rank: string, steps: string])[],
  tables: Readonly<Record<string, Planted['rows']>>,
) {
  const moment = '2026-01-05 10:00:00+00'
  const amount = 'decimal(38, 18)'
  const planted = (table: string, columns: string): Record<string, Planted> => ({
    [table]: { columns, rows: tables[table] ?? [] },
  })
  const rows = await runModel('main.lot_events', {
    'main.entries': {
      columns: `account varchar, ledger varchar, coin varchar, occurred_at timestamptz, place bigint, part varchar,
        kind varchar, entry_id varchar, amount ${amount}`,
      rows: entries.map((entry) => {
        const [place = '', part = '', kind = '', quantity = '', coin = ''] = entry.split(' ')
        return ['main', 'UNIFIED', coin, moment, place, part, kind, `${place}/${part}`, quantity]
      }),
    },
    'main.valuations': {
      columns: `entry_id varchar, value ${amount}, rank bigint, steps bigint`,
      rows: worths,
    },
    'main.kinds': {
      columns: 'kind varchar, effect varchar',
      rows: [
        ['trade', 'exchange'],
        ['fee', 'cost'],
        ['p2p_trade', 'fiat'],
        ['opening', 'opening'],
      ],
    },
    'staging.reporting': { columns: 'currency varchar', rows: [['USD']] },
    ...planted(
      'staging.trade_sides',
      `account varchar, group_place bigint, received_place bigint, paid_place bigint, fee_side varchar,
        is_of_coins boolean, stated_value ${amount}`,
    ),
    ...planted('staging.fill_fees', `account varchar, group_place bigint, value ${amount}`),
    ...planted(
      'staging.set_values',
      `account varchar, place bigint, value ${amount}, value_given ${amount}, value_shared ${amount},
        value_before_fees ${amount}, is_received_for_coins boolean`,
    ),
    ...planted('staging.imported_counterparts', 'entry_id varchar, transfer_id varchar, place bigint'),
    ...planted('staging.imported_values', `place bigint, network_value ${amount}`),
    ...planted('main.p2p_trades', 'entry_id varchar, coin varchar'),
    ...planted('staging.stated_values', `id varchar, coin varchar, currency varchar, stated_value ${amount}`),
    ...planted('main.transfers', 'entry_id varchar, transfer_id varchar'),
    ...planted('staging.basis_carry_overs', `entry_id varchar, quantity_taken ${amount}`),
    ...planted(
      'staging.imported_lot_events',
      `account varchar, coin varchar, happened_at timestamptz, place bigint, event_id varchar, kind varchar,
        quantity ${amount}, value ${amount}, currency varchar, transfer_id varchar, value_given ${amount},
        value_shared ${amount}, is_kept_back boolean, value_before_fees ${amount}`,
    ),
  })
  return rows
    .map(({ place, kind, quantity, coin, value, is_kept_back }) =>
      [
        place?.padStart(2, '0'),
        kind,
        quantity,
        coin,
        value,
        ...(is_kept_back === 'true' ? ['kept'] : []),
      ].join(' '),
    )
    .toSorted()
}

test('of two sources equally good, a fill takes the price over fewer steps', async () => {
  const fill = async (received: string, paid: string) =>
    await eventsOf(
      ['1 amount trade 2 SOL', '2 amount trade -1 ETH'],
      [
        ['1/amount', '190', '1', received],
        ['2/amount', '200', '1', paid],
      ],
      { 'staging.trade_sides': [['main', '1', '1', '2', 'received', 'true', null]] },
    )
  expect(await fill('2', '1')).toEqual(['05 acquire 2 SOL 200', '09 dispose 1 ETH 200'])
  expect(await fill('2', '2')).toEqual(['05 acquire 2 SOL 190', '09 dispose 1 ETH 190'])
})

test('only a fee that is taken from the coin received is kept back, never a rebate in it', async () => {
  const fill = async (fee: string) =>
    await eventsOf(
      ['1 amount trade 2 SOL', `1 fee fee ${fee} SOL`, '2 amount trade -1 ETH', '2 fee fee -0.5 ETH'],
      [
        ['1/amount', '190', '1', '1'],
        ['1/fee', '9.5', '1', '1'],
        ['2/amount', '200', '1', '1'],
        ['2/fee', '100', '1', '1'],
      ],
      { 'staging.trade_sides': [['main', '1', '1', '2', 'received', 'true', null]] },
    )
  const others = ['05 acquire 2 SOL 190', '09 dispose 1 ETH 190', '10 dispose 0.5 ETH 100']
  expect(await fill('-0.1')).toEqual([others[0], '06 dispose 0.1 SOL 9.5 kept', ...others.slice(1)])
  expect(await fill('0.1')).toEqual([others[0], '06 acquire 0.1 SOL 9.5', ...others.slice(1)])
})

test('what a deal sells arrived before it and what it buys leaves after it; its money is its value, not the market', async () => {
  expect(
    await eventsOf(
      [
        '1 amount p2p_trade 3 BTC',
        '1 deal p2p_trade -3 BTC',
        '2 amount p2p_trade -1 BTC',
        '2 deal p2p_trade 1 BTC',
      ],
      [
        ['1/amount', '300', '1', '1'],
        ['1/amount/paid', '310', '1', '1'],
        ['1/deal', '300', '1', '1'],
        ['2/amount', '100', '1', '1'],
        ['2/deal', '100', '1', '1'],
      ],
      { 'main.p2p_trades': [['1/amount', 'BTC']] },
    ),
  ).toEqual(['05 acquire 3 BTC 310', '07 dispose 3 BTC 300', '08 acquire 1 BTC 100', '09 dispose 1 BTC 100'])
})

test('an entry whose basis is wholly carried over is no event, one carried over in part is one of the rest', async () => {
  expect(
    await eventsOf(['1 opening opening 3 BTC', '2 opening opening 5 ETH'], [], {
      'staging.basis_carry_overs': [
        ['1/opening', '3'],
        ['2/opening', '4'],
      ],
    }),
  ).toEqual(['08 acquire 1 ETH '])
})

test('a wallet that only owes a coin has a day, one without any has none, whoever else holds it', async () => {
  const rows = await runModel('main.daily_valuation', {
    'main.balance_history': {
      columns: `account varchar, ledger varchar, coin varchar, day date, quantity decimal(38, 18),
        borrowed decimal(38, 18)`,
      rows: [
        ['main', 'UNIFIED', 'BTC', '2026-01-05', '3', '2'],
        ['main', 'EMPTY', 'BTC', '2026-01-05', '0', '0'],
        ['main', 'SHORT', 'BTC', '2026-01-05', '0', '0.5'],
      ],
    },
    'main.valuations': {
      columns:
        'entry_id varchar, value decimal(38, 18), sources varchar, priced_at timestamptz, currency varchar',
      rows: [['day/BTC/2026-01-05', '100', 'candles', '2026-01-05 00:00:00+00', 'USDT']],
    },
  })
  expect(
    rows
      .map(({ ledger, quantity, borrowed, value, own_value }) =>
        [ledger, quantity, borrowed, value, own_value].join(' '),
      )
      .toSorted(),
  ).toEqual(['SHORT 0 0.5 0 -50', 'UNIFIED 3 2 300 100'])
})

test('of the changes without a value of a coin, the first five are named, whatever their days and accounts', async () => {
  const event = (coin: string, id: string, at: string, account = 'main', currency: string | null = null) => [
    ...[coin, `2026-01-${at}:00+00`, currency, account, '1', id],
  ]
  const [, rows = []] = await runModels(['staging.unpriced_days', 'staging.unpriced_changes'], {
    'staging.unpriced_events': {
      columns:
        'coin varchar, happened_at timestamptz, currency varchar, account varchar, place bigint, event_id varchar',
      rows: [
        event('BTC', 'g', '07 00:00'),
        event('BTC', 'b', '05 23:59', 'other', 'USD'),
        event('BTC', 'a', '05 23:59'),
        event('BTC', 'd', '06 12:00'),
        event('BTC', 'c', '06 00:00', 'main', 'EUR'),
        event('BTC', 'f', '06 12:00'),
        event('BTC', 'e', '06 12:00'),
        ...['5', '4', '3', '2', '1', '0'].map((minute) => event('ETH', minute, `05 12:0${minute}`, 'sub')),
      ],
    },
  })
  expect(
    rows
      .map((row) => [row.coin, row.event_count, row.occurred_at, row.currency, row.account, row.ids])
      .toSorted(),
  ).toEqual([
    ['BTC', '7', '2026-01-05 23:59:00+00', 'EUR', null, '[a, b, c, d, e]'],
    ['ETH', '6', '2026-01-05 12:00:00+00', null, 'sub', '[0, 1, 2, 3, 4]'],
  ])
})
