// What the names of types mean: each that is known to the public has a kind in the feed that may send it, the same name
// may mean another thing in another feed, what leaves a doubt says so, and what nobody knows is kept and shown.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, it as alone, describe, expect } from 'vitest'
import { columnName } from '../../models/record.ts'
import { packageRoot } from '../../pipeline/config/root.ts'
import { feedRecords } from '../../pipeline/ledger/feeds.ts'
import { balanced, type Cells, LEDGER_CHECKS, type Move, TestBooks } from '../support/books.ts'
import { sharedBooks } from '../support/many-books.ts'

/** What these books are made of. */
const MADE = [
  'balances',
  'entries',
  'futures_pnl',
  'transfers',
  ...LEDGER_CHECKS,
  'checks.doubtful_type',
  'checks.orders_vs_futures',
  'checks.positions',
]

const { it, books } = sharedBooks({ only: MADE })

const closers: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const close of closers) await close()
})

const loud = (result: { openBreaks: readonly { severity: string; checkName: string }[] }): string[] =>
  result.openBreaks.filter(({ severity }) => severity !== 'notice').map(({ checkName }) => checkName)

/** Names that the public has seen, by the ledger in which it saw them. */
const names = JSON.parse(
  readFileSync(join(packageRoot, 'test', 'fixtures', 'type-names.json'), 'utf8'),
) as Readonly<Record<string, readonly string[]>>

const taxLedgers = Object.keys(names).filter((ledger) => ledger !== 'p2p_seen')

const second = (nth: number): string => new Date(Date.UTC(2026, 0, 10, 12, 0, nth)).toISOString()

const futures = (
  id: number,
  symbol: string,
  type: string,
  amount: string,
  fee: string,
  ts: string,
): Cells => ({
  id: String(id),
  symbol: symbol === '' ? null : symbol,
  margin_coin: 'USDT',
  future_tax_type: type,
  amount,
  fee,
  ts,
})

describe.concurrent('the futures of a classic account in one-way mode', () => {
  it('have their results in records of the types buy and sell, which are no spot trades', async () => {
    await books.account('old', 'classic')
    const records = [
      futures(1, '', 'trans_from_exchange', '500', '0', '2026-01-10 12:00:00+00'),
      futures(2, 'BTCUSDT', 'buy', '0', '-0.6', '2026-01-10 13:00:00+00'),
      futures(3, 'BTCUSDT', 'sell', '85.5', '-0.7', '2026-01-11 13:00:00+00'),
      futures(4, '', 'trans_to_exchange', '-400', '0', '2026-01-12 12:00:00+00'),
    ]
    await books.futures('USDT-FUTURES', records, { account: 'old' })
    expect(loud(await books.build())).toEqual([])
    expect(
      await books.query(
        'select symbol, day, realised_pnl, fees, funding, net_pnl from futures_pnl order by day',
      ),
    ).toEqual([
      ['BTCUSDT', '2026-01-10', '0', '-0.6', '0', '-0.6'],
      ['BTCUSDT', '2026-01-11', '85.5', '-0.7', '0', '84.8'],
    ])
    expect(await books.query('select direction, quantity from transfers order by occurred_at')).toEqual([
      ['in', '500'],
      ['out', '400'],
    ])
    expect(await books.query('select quantity from balances')).toEqual([['184.2']])
  })

  it('are results in the futures lines of the unified feed too, and a spot line has trades', async () => {
    await books.account('main', 'unified')
    const row = (id: string, amount: string): Move => ({
      id,
      coin: 'USDT',
      type: 'Buy',
      amount,
      ts: second(Number(id)),
    })
    const [first, last] = balanced([row('1', '85.5'), row('2', '-30')])
    await books.tax('USDT-FUTURES', [first!])
    await books.tax('SPOT', [last!])
    await books.build()
    expect(await books.query('select product_line, kind, amount from entries order by 1')).toEqual([
      ['SPOT', 'trade', '-30'],
      ['USDT-FUTURES', 'realised_pnl', '85.5'],
    ])
  })
})

describe.concurrent('every name that is publicly known', () => {
  it('has a kind in both tax feeds, and each moves the balance by its amount', async () => {
    await books.account('main', 'unified')
    await books.account('old', 'classic')
    const all = [...new Set(taxLedgers.flatMap((ledger) => names[ledger]!))]
    const rows = balanced(
      all.map((type, nth) => ({
        id: String(nth + 1),
        coin: `C${nth}`,
        type,
        amount: '2',
        fee: '-1',
        ts: second(nth),
      })),
    )
    await books.tax('OTHER', rows)
    const inFutures = names.uta_financial_2026_09!.concat(names.tax_2025_12_extra!, names.futures_ledger!)
    const records = inFutures.map((type, nth) => futures(nth + 1, 'BTCUSDT', type, '2', '-1', second(nth)))
    await books.futures('USDT-FUTURES', records, { account: 'old' })
    const result = await books.build()
    expect(result.openBreaks.filter(({ checkName }) => checkName === 'unknown_type')).toEqual([])
    expect(
      await books.query(
        `select account, count(*), sum(amount) from entries where part = 'amount' and kind <> 'unclassified'
         group by account order by account`,
      ),
    ).toEqual([
      ['main', String(all.length), String(2 * all.length)],
      ['old', String(inFutures.length), String(2 * inFutures.length)],
    ])
    expect(
      await books.query(
        `select distinct kind from entries where regexp_matches(type, '_(SYS|SYSTEM)_') and part = 'amount'`,
      ),
    ).toEqual([['venue_side']])
    expect(
      await books.query(
        `select distinct kind from entries where regexp_matches(lower(type), '^trans_(to|from)_|copytrade$') and part = 'amount'`,
      ),
    ).toEqual([['transfer']])
  })

  it('has a kind in the P2P feed, and a direction', async () => {
    await books.account('main', 'unified')
    const rows = names.p2p_seen!.map((type, nth) => ({
      id: String(nth + 1),
      p2p_tax_type: type,
      coin: 'USDT',
      balance: '5',
      ts: second(nth),
    }))
    await books.page('tax.p2pRecords', rows)
    expect(loud(await books.build())).toEqual([])
    expect(await books.query('select kind, amount from entries order by amount')).toEqual([
      ['transfer', '-5'],
      ['transfer', '5'],
    ])
  })

  it('is found however its words are separated and capitalised', async () => {
    await books.account('main', 'unified')
    const spelled = [
      'airdrop reward-a',
      'AIRDROP_REWARD_A',
      'Fiat withdrawal success - Deduct',
      'fiat-withdrawal success_deduct',
      ' Trans--From Exchange ',
    ]
    const rows = spelled.map((type, nth) => ({
      id: String(nth + 1),
      coin: `C${nth}`,
      type,
      amount: '1',
      ts: second(nth),
    }))
    await books.tax('SPOT', balanced(rows))
    expect(loud(await books.build())).toEqual([])
    expect((await books.query('select kind from entries order by place')).flat()).toEqual([
      'reward',
      'reward',
      'transfer',
      'transfer',
      'transfer',
    ])
  })
})

describe.concurrent('a type that is not classified', () => {
  const typed = feedRecords.flatMap(({ feed, record }) =>
    record.typed === null ? [] : [{ feed, record, typed: record.typed }],
  )

  it('may come with every record that has a field for it', () => {
    const withField = feedRecords.filter(({ record }) =>
      Object.keys(record.fields).some((name) => /^type$|taxType$/i.test(name)),
    )
    expect(typed.map(({ feed }) => feed)).toEqual(withField.map(({ feed }) => feed))
    expect(typed.length).toBeGreaterThan(2)
  })

  it.each(typed)('is kept and shown in $feed', async ({ feed, record, typed: { field, coin, time } }) => {
    await books.account('main', 'unified')
    const row: Cells = {
      id: '7',
      [columnName(field)]: 'airdrop_of_the_moon',
      [columnName(coin)]: 'USDT',
      [columnName(time)]: second(1),
      ...(record.fields.amount === undefined ? { balance: '3' } : { amount: '3', fee: '0' }),
    }
    await books.page(feed, [row], { partition: feed === 'tax.futuresRecords' ? 'USDT-FUTURES' : '' })
    const { openBreaks } = await books.build()
    expect(openBreaks.filter(({ checkName }) => checkName === 'unknown_type')).toMatchObject([
      { severity: 'warning', coin: 'USDT', evidence: '["7"]' },
    ])
    expect(openBreaks[0]?.explanation).toContain(`${feed} has the type "airdrop_of_the_moon"`)
    expect(await books.query(`select id from ${record.table}`)).toEqual([['7']])
  })

  it('gets a kind from a row of the user, in the venue’s spelling or by a pattern, for one feed or for both', async ({
    onTestFinished,
  }) => {
    const books = await TestBooks.open({ only: MADE })
    onTestFinished(() => books.close())
    await books.account('main', 'unified')
    const header = 'feed,type,kind,direction,family,role,note'
    const rules = [
      'tax.records,Moon Gift-2,reward,in,,,',
      'tax,Moon*,transfer,either,,,',
      'p2p,Moon gift,p2p_trade,in,,,',
    ]
    writeFileSync(join(books.dir, 'tax_types.csv'), [header, ...rules, ''].join('\n'))
    const rows = ['MOON_GIFT_2', 'moon rock'].map((type, nth) => ({
      id: String(nth + 1),
      coin: `C${nth}`,
      type,
      amount: '1',
      ts: second(nth),
    }))
    await books.tax('SPOT', balanced(rows))
    await books.page('tax.p2pRecords', [
      { id: '3', p2p_tax_type: 'moon_gift', coin: 'USDT', balance: '1', ts: second(3) },
    ])
    expect(loud(await books.build())).toEqual([])
    expect((await books.query('select kind from entries order by place')).flat()).toEqual([
      'reward',
      'transfer',
      'p2p_trade',
    ])
  })
})

describe.concurrent('a record whose type is ambiguous', () => {
  const doubts = async () =>
    (await books.build()).openBreaks
      .filter(({ checkName }) => checkName === 'doubtful_type')
      .map(({ severity, coin, evidence, explanation }) => [
        severity,
        coin,
        evidence,
        explanation.split('. ')[0],
      ])

  const rows = (types: readonly string[], amount = '1') =>
    balanced(
      types.map((type, nth) => ({ id: String(nth + 1), coin: `C${nth % 2}`, type, amount, ts: second(nth) })),
    )

  it('counts as classified, and is a notice: one for each account and ambiguity', async () => {
    await books.account('main', 'unified')
    await books.tax(
      'SPOT',
      rows(['', 'unknown', 'LIQ_CONVERT_SYS_IN', '', 'Staking', 'REBASE_COIN_SPLIT_IN']),
    )
    expect(await doubts()).toEqual([
      ['notice', 'C0', '["tax.records/3"]', '1 record of type "LIQ_CONVERT_SYS_IN" is of doubtful meaning'],
      ['notice', 'C0', '["tax.records/5"]', '1 record of type "Staking" is of doubtful meaning'],
      ['notice', 'C1', '["tax.records/6"]', '1 record of type "REBASE_COIN_SPLIT_IN" is of doubtful meaning'],
      [
        'notice',
        null,
        '["tax.records/1","tax.records/2","tax.records/4"]',
        '3 records of type "", "unknown" are of doubtful meaning',
      ],
    ])
    expect(await books.query('select sum(quantity) from balances')).toEqual([['6']])
    expect(loud(await books.build())).toEqual([])
  })

  it('is no notice if it moves nothing', async () => {
    await books.account('main', 'unified')
    await books.tax('USDT-FUTURES', rows(['FIXED_OPEN_LONG', 'FIXED_CLOSE_LONG'], '0'))
    expect(await doubts()).toEqual([])
  })

  const covers = ['2026-01-01 00:00:00+00', '2026-01-31 00:30:00+00'] as const
  const isolated = [
    futures(1, 'BTCUSDT', 'FIXED_OPEN_LONG', '0', '-1', '2026-01-05 12:00:00+00'),
    futures(2, 'BTCUSDT', 'FIXED_CLOSE_LONG', '30', '-0.8', '2026-01-06 12:00:00+00'),
    futures(3, 'ETHUSDT', 'FIXED_CLOSE_SHORT', '12', '-0.5', '2026-01-07 12:00:00+00'),
  ]
  const position = {
    symbol: 'BTCUSDT',
    margin_coin: 'USDT',
    hold_side: 'long',
    pos_mode: 'hedge_mode',
    total: '0.5',
    achieved_profits: '30',
    deducted_fee: '1.8',
    total_fee: '0',
    c_time: '2026-01-05 12:00:00+00',
    u_time: '2026-01-06 12:00:00+00',
  }

  it('is no notice if an open position reports the same result', async () => {
    await books.account('old', 'classic')
    await books.futures('USDT-FUTURES', isolated, { account: 'old', covers })
    await books.page('futures.positions', [position], { account: 'old', partition: 'USDT-FUTURES' })
    expect(await doubts()).toEqual([
      [
        'notice',
        'USDT',
        '["tax.futuresRecords/3"]',
        '1 record of type "FIXED_CLOSE_SHORT" is of doubtful meaning',
      ],
    ])
    expect(loud(await books.build())).toEqual([])
  })

  it('is a break of the position if that reports a different result, and names the ambiguity', async () => {
    await books.account('old', 'classic')
    await books.futures('USDT-FUTURES', isolated.slice(0, 2), { account: 'old', covers })
    const held = { ...position, achieved_profits: '5' }
    await books.page('futures.positions', [held], { account: 'old', partition: 'USDT-FUTURES' })
    const openBreaks = (await books.build()).openBreaks.filter(({ severity }) => severity !== 'notice')
    expect(openBreaks).toMatchObject([
      { checkName: 'positions', severity: 'warning', expected: '5.000000000000000000' },
    ])
    expect(openBreaks[0]?.explanation).toContain('or amounts of isolated margin include principal')
  })

  it.each([
    ['5000', []],
    ['4970', ['orders_vs_futures']],
  ])('is compared with the orders of a closed position: sold for %s', async (value, expected) => {
    await books.account('main', 'unified')
    const day = (nth: number) => `2026-01-${String(nth).padStart(2, '0')} 12:00:00+00`
    const booked: Move[] = [
      { id: '1', coin: 'USDT', type: 'FIXED_OPEN_LONG', amount: '0', fee: '-1', ts: day(5) },
      { id: '2', coin: 'USDT', type: 'FIXED_CLOSE_LONG', amount: '30', fee: '-1', ts: day(6) },
    ]
    await books.tax('USDT-FUTURES', balanced(booked, { USDT: '1000' }), { covers })
    await books.futures(
      'USDT-FUTURES',
      [
        futures(71, 'BTCUSDT', 'fixed_open_long', '0', '-1', day(5)),
        futures(72, 'BTCUSDT', 'fixed_close_long', '30', '-1', day(6)),
      ],
      { covers },
    )
    const order = (id: string, side: string, cum_exec_value: string, ts: string): Cells => ({
      order_id: id,
      category: 'USDT-FUTURES',
      symbol: 'BTCUSDT',
      side,
      pos_side: 'long',
      cum_exec_qty: '0.1',
      cum_exec_value,
      avg_price: '50000',
      order_status: 'filled',
      fee_detail: '[{"feeCoin":"USDT","fee":"1"}]',
      created_time: ts,
      updated_time: ts,
    })
    const orders = [order('901', 'buy', '4970', day(5)), order('902', 'sell', value, day(6))]
    await books.page('trade.orderHistory', orders, { partition: 'USDT-FUTURES', covers })
    await books.page('trade.openOrders', [], {})
    const result = await books.build()
    expect(result.openBreaks.filter(({ checkName }) => checkName === 'doubtful_type')).toEqual([])
    expect(loud(result)).toEqual(expected)
  })
})

describe.concurrent('what a classic account stamps late', () => {
  it('may be the funding of the hour: it belongs to the position held on the hour', async () => {
    await books.account('old', 'classic')
    const covers = ['2026-01-01 00:00:00+00', '2026-01-31 00:30:00+00'] as const
    const records = [
      futures(1, 'BTCUSDT', 'open_long', '0', '-1', '2026-01-05 07:00:00+00'),
      futures(2, 'BTCUSDT', 'close_long', '4', '-1', '2026-01-05 08:00:05+00'),
      futures(3, 'BTCUSDT', 'open_long', '0', '-1', '2026-01-05 08:00:09+00'),
      futures(4, 'BTCUSDT', 'contract_main_settle_fee', '-2', '0', '2026-01-05 08:00:13+00'),
      futures(5, 'BTCUSDT', 'contract_main_settle_fee', '0.5', '0', '2026-01-05 16:00:12+00'),
    ]
    await books.futures('USDT-FUTURES', records, { account: 'old', covers })
    const position = {
      symbol: 'BTCUSDT',
      margin_coin: 'USDT',
      hold_side: 'long',
      pos_mode: 'hedge_mode',
      achieved_profits: '0',
      deducted_fee: '1',
      total_fee: '0.5',
      c_time: '2026-01-05 08:00:09+00',
      u_time: '2026-01-05 08:00:09+00',
    }
    await books.page('futures.positions', [position], { account: 'old', partition: 'USDT-FUTURES' })
    expect(loud(await books.build())).toEqual([])
    expect(await books.query('select sum(funding) from futures_pnl')).toEqual([['-1.5']])
  })

  it('is the same funding as that of the unified feed, if only one of the two is late', async () => {
    await books.account('main', 'unified')
    const covers = ['2026-01-01 00:00:00+00', '2026-01-31 00:00:00+00'] as const
    const hour = '2026-01-10 08:00:00+00'
    const booked: Move[] = [
      { id: '1', coin: 'USDT', type: 'CONTRACT_MAIN_SETTLE_FEE_USER_OUT', amount: '-2', ts: hour },
      { id: '2', coin: 'USDT', type: 'CONTRACT_MAIN_SETTLE_FEE_USER_OUT', amount: '-2', ts: hour },
    ]
    await books.tax('USDT-FUTURES', balanced(booked, { USDT: '10' }), { covers })
    const secondary = [
      futures(71, 'BTCUSDT', 'contract_main_settle_fee', '-2', '0', '2026-01-10 08:00:11+00'),
      futures(72, 'ETHUSDT', 'contract_main_settle_fee', '-2', '0', '2026-01-10 08:00:14.5+00'),
    ]
    await books.futures('USDT-FUTURES', secondary, { covers })
    expect(loud(await books.build())).toEqual([])
    expect(await books.query('select symbol, funding from futures_pnl order by 1')).toEqual([
      ['BTCUSDT', '-2'],
      ['ETHUSDT', '-2'],
    ])
  })

  // Accounts that stand beside each other would send to each other.
  alone.each([
    ['.000', '.024'],
    ['.000', '.057'],
    ['.041', '.000'],
  ])('may be a leg of a transfer: out at 12:00:00%s, in at 12:00:00%s', async (out, into) => {
    const books = await TestBooks.open({ only: MADE })
    closers.push(() => books.close())
    await books.account('old', 'classic')
    await books.futures(
      'USDT-FUTURES',
      [futures(1, '', 'trans_to_otc', '-60', '0', `2026-01-10 12:00:00${out}+00`)],
      {
        account: 'old',
      },
    )
    const row = { id: '9', p2p_tax_type: 'transfer-in', coin: 'USDT', balance: '60' }
    await books.page('tax.p2pRecords', [{ ...row, ts: `2026-01-10 12:00:00${into}+00` }], { account: 'old' })
    expect(loud(await books.build())).toEqual([])
    expect(
      await books.query(
        'select ledger, direction, counter_ledger, transfer_id from transfers order by direction',
      ),
    ).toEqual([
      ['P2P', 'in', 'USDT-FUTURES', 'old/tax.futuresRecords/1/amount'],
      ['USDT-FUTURES', 'out', 'P2P', 'old/tax.futuresRecords/1/amount'],
    ])
  })
})
