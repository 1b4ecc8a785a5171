// What an amount was worth: over which prices, of which sources, and what is said where the way ends. Figures by hand.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { BuildConfig } from '../../pipeline/ledger/build.ts'
import { balanced, type Cells, type Move, TestBooks } from '../support/books.ts'
import { runModel } from '../support/one-model.ts'

let books: TestBooks
let id = 0
let row = 0

beforeEach(async () => {
  id = 0
  row = 0
  books = await TestBooks.open({
    only: ['checks.valuation', 'checks.price_order', 'main.price_sources', 'main.lot_events'],
  })
  await books.account('main', 'unified')
})

afterEach(async () => {
  await books.close()
})

const covers = ['2026-01-01 00:00:00+00', '2026-01-31 00:00:00+00'] as const
const at = (time: string, day = 10): string => `2026-01-${String(day).padStart(2, '0')} ${time}+00`

const types: Readonly<Record<string, string>> = { in: 'ORDER_DEALT_IN', out: 'ORDER_DEALT_FROZEN_OUT' }

/** Legs of one moment: `in 1 BTC`, `out -100 USDT`, or a type of the venue's. */
const legs = (ts: string, ...written: string[]): Move[] =>
  written.map((leg) => {
    const [type = '', amount = '', coin = ''] = leg.split(' ')
    id += 1
    return { id: String(id), coin, type: types[type] ?? type, amount, ts }
  })

/** `BTC 100 USDT`: what one of the first costs in the second. */
async function price(written: string, pricedAt: string, source = 'index'): Promise<void> {
  const [asset = '', amount = '', currency = ''] = written.split(' ')
  row += 1
  const cells = {
    page_id: '900',
    page_row: String(row),
    priced_at: pricedAt,
    asset,
    currency,
    price: amount,
    source,
  }
  await books.insert('imported_prices', cells)
}

/** A P2P purchase of the coin at noon, with its merchant order where `order` says so. */
async function deal(day: number, quantity: string, coin: string, order?: { fiat: string; amount: string }) {
  id += 1
  const ts = at('12:00:00', day)
  const record = { id: String(id), p2p_tax_type: 'buy', coin, balance: quantity, ts }
  await books.page('tax.p2pRecords', [record], { covers })
  if (order === undefined) return
  const { fiat, amount } = order
  const times = { c_time: at('11:50:00', day), release_time: ts }
  const told: Cells = {
    order_id: `9${id}`,
    side: 'buy',
    coin,
    count: quantity,
    fiat,
    amount,
    status: 'Completed',
  }
  await books.page('p2p.orders', [{ ...told, ...times }], { covers })
}

const build = (config: Partial<BuildConfig> = {}) => books.build({ accounts: [{ name: 'main' }], ...config })

const EUR: Partial<BuildConfig> = { reportingCurrency: 'EUR' }

/** What a price had to value but the balances at the ends of days: coin, value, way and sources. */
const valuations = (where = 'true') =>
  books.query(
    `select coin, value, path, sources from valuations where entry_id not like 'day/%' and ${where}
     order by valued_at, entry_id`,
  )

const missing = async (): Promise<unknown[]> =>
  (await books.query("select explanation from breaks where check_name = 'valuation' order by coin")).flat()

describe('a path over several prices', () => {
  it('leads over three: a fee in BGB by its price in USDT, that in dollars and that in euros', async () => {
    await books.tax('SPOT', balanced(legs(at('10:00:00'), 'BONUS_GRANT_USER_IN 0.1 BGB')))
    await price('BGB 5 USDT', at('08:00:00'))
    await price('USDT 0.99 USD', at('08:30:00'))
    await price('EUR 1.1 USD', at('00:00:00', 9), 'ecb')
    await build(EUR)
    expect(await valuations()).toEqual([['BGB', '0.45', 'BGB > USDT > USD > EUR', 'index > index > ecb']])
    expect(
      await books.query("select steps, priced_at from valuations where entry_id not like 'day/%'"),
    ).toEqual([['3', '2026-01-09 00:00:00+00']])
  })

  it('takes each price as of the amount’s time, even if the second is newer than the first', async () => {
    await books.tax('SPOT', balanced(legs(at('10:00:00'), 'BONUS_GRANT_USER_IN 2 BGB')))
    await price('BGB 5 USDT', at('08:00:00'))
    await price('USDT 0.9 EUR', at('09:00:00'))
    await build(EUR)
    expect(await valuations()).toEqual([['BGB', '9', 'BGB > USDT > EUR', 'index > index']])
  })

  it('of four prices is the longest; five are too many', async () => {
    await books.tax(
      'SPOT',
      balanced(legs(at('10:00:00'), 'BONUS_GRANT_USER_IN 1 BGB', 'BONUS_GRANT_USER_IN 1 XYZ')),
    )
    for (const link of ['XYZ 2 BGB', 'BGB 5 USDT', 'USDT 1 USDC', 'USDC 1 USD', 'USD 0.9 EUR'])
      await price(link, at('08:00:00'))
    await build(EUR)
    expect(await valuations()).toEqual([
      ['BGB', '4.5', 'BGB > USDT > USDC > USD > EUR', 'index > index > index > index'],
      ['XYZ', null, null, null],
    ])
  })

  it('is the shortest, then the one with the newest prices, then the first by name', async () => {
    const gift = legs(
      at('10:00:00'),
      'BONUS_GRANT_USER_IN 1 BGB',
      'BONUS_GRANT_USER_IN 1 XYZ',
      'BONUS_GRANT_USER_IN 1 ABC',
    )
    await books.tax('SPOT', balanced(gift))
    await price('BGB 10 EUR', at('01:00:00'))
    await price('BGB 11 USDT', at('09:00:00'))
    await price('XYZ 3 USDC', at('02:00:00'))
    await price('XYZ 4 USDT', at('03:00:00'))
    await price('ABC 5 USDT', at('02:00:00'))
    await price('ABC 6 USDC', at('02:00:00'))
    await price('USDT 1 EUR', at('09:00:00'))
    await price('USDC 1 EUR', at('09:00:00'))
    await build(EUR)
    expect(await valuations()).toEqual([
      ['BGB', '10', 'BGB > EUR', 'index'],
      ['XYZ', '4', 'XYZ > USDT > EUR', 'index > index'],
      ['ABC', '6', 'ABC > USDC > EUR', 'index > index'],
    ])
  })

  it('inverts a price of a quote coin: from USDT over bitcoin to euros', async () => {
    await books.tax(
      'SPOT',
      balanced(legs(at('10:00:00'), 'BONUS_GRANT_USER_IN 30 USDT', 'BONUS_GRANT_USER_IN 1 XYZ')),
    )
    await price('BTC 60000 USDT', at('08:00:00'))
    await price('BTC 50000 EUR', at('08:00:00'))
    await price('XYZ 2 USDT', at('08:00:00'))
    await build(EUR)
    expect(await valuations()).toEqual([
      ['USDT', '25', 'USDT > BTC > EUR', 'index > index'],
      ['XYZ', '1.666666666666666667', 'XYZ > USDT > BTC > EUR', 'index > index > index'],
    ])
  })
})

describe('a missing price names the missing link', () => {
  it('with the prices that exist and what they lack', async () => {
    await books.tax(
      'SPOT',
      balanced(legs(at('10:00:00'), 'BONUS_GRANT_USER_IN 1 BGB', 'BONUS_GRANT_USER_IN 1 XYZ')),
    )
    await price('BGB 5 USDT', at('08:00:00'))
    await price('XYZ 5 BTC', at('08:00:00'))
    await price('BTC 9 USDT', at('08:00:00'))
    await build(EUR)
    expect(await missing()).toEqual([
      expect.stringContaining('of 1 change are unknown, because BGB has no price in EUR for that time'),
      expect.stringContaining('XYZ has prices in BTC, which lead on to USDT; none of these has one in EUR.'),
    ])
    expect((await missing())[0]).toContain(': BGB has prices in USDT; USDT has none in EUR.')
  })

  it('if only one coin lacks it, if it is too old, if it comes later, and if it never existed', async () => {
    const gifts = ['AAA', 'BBB', 'CCC', 'DDD'].map((coin) => `BONUS_GRANT_USER_IN 1 ${coin}`)
    await books.tax('SPOT', balanced(legs(at('10:00:00'), ...gifts)))
    await price('AAA 5 USDT', at('08:00:00'))
    await price('BBB 5 EUR', at('09:59:59', 9))
    await price('CCC 5 EUR', at('10:00:01'))
    await build(EUR)
    const found = (await missing()).map((text) => /: (.*)\. Import/.exec(String(text))?.[1])
    expect(found).toEqual([
      'AAA has prices in USDT; USDT has none in EUR',
      'the newest price of BBB before 2026-01-10 10:00 dates from 2026-01-09 09:59 and is no longer valid',
      'the first price of CCC dates from 2026-01-10 10:00, later than 2026-01-10 10:00',
      'no source in use has a price of DDD',
    ])
  })

  it('and does not date a price inverted towards a quote coin, which is valid and leads nowhere', async () => {
    const gifts = ['BONUS_GRANT_USER_IN 1 USDT', 'BONUS_GRANT_USER_IN 1 USDC']
    await books.tax('SPOT', balanced(legs(at('10:00:00'), ...gifts)))
    await price('BTC 9 USDT', at('09:00:00'))
    await price('EUR 2 USDT', at('09:59:59', 9))
    await price('BTC 9 USDC', at('09:00:00'))
    await build(EUR)
    const found = (await missing()).map((text) => /: (.*)\. Import/.exec(String(text))?.[1])
    expect(found).toEqual([
      'no source in use has a price of USDC',
      'the newest price of USDT before 2026-01-10 10:00 dates from 2026-01-09 09:59 and is no longer valid',
    ])
  })

  it('at the moment of the break, which no moment of another amount explains', async () => {
    // An earlier move needs no value, and an imported row has a break of its own.
    await books.insert('imports', { page_id: '901', kind: 'trades', imported_at: at('00:00:00') })
    await books.insert('imported_trades', {
      ...{ page_id: '901', page_row: '0', nanos: '0', id: 'a', occurred_at: at('10:00:00', 5) },
      ...{ account: 'kraken', type: 'income', asset: 'SOL', quantity: '1', fee: '0' },
    })
    const early = legs(at('10:00:00', 6), 'TRANSFER_IN 1 SOL')
    const gifts = legs(at('10:00:00'), 'BONUS_GRANT_USER_IN 1 SOL', 'BONUS_GRANT_USER_IN 2 SOL')
    await books.tax('SPOT', balanced([...early, ...gifts]))
    await price('SOL 5 USDT', at('08:00:00'))
    await build(EUR)
    expect(await missing()).toEqual([
      'Costs or proceeds of 2 changes are unknown, because SOL has no price in EUR for that time; for the first of them ' +
        'SOL has prices in USDT; USDT has none in EUR. Import what is missing (`tieout import prices`), or fetch it (`tieout prices fetch`).',
      '1 imported row has no price in EUR for that time, so gains are unknown: the first price of SOL dates from ' +
        '2026-01-10 08:00, later than 2026-01-05 10:00. Import what is missing (`tieout import prices`), or fetch it (`tieout prices fetch`).',
    ])
  })

  it('is none of money that moves: it is in no lot, and what the network took of it needs no price', async () => {
    await books.insert('imports', { page_id: '901', kind: 'trades', imported_at: at('00:00:00') })
    let rows = 0
    const move = (id: string, account: string, type: string, asset: string, quantity: string, fee = '0') =>
      books.insert('imported_trades', {
        ...{ page_id: '901', page_row: String(rows++), nanos: '0', id, occurred_at: at('10:00:00', 5) },
        ...{ account, type, asset, quantity, fee, fee_currency: fee === '0' ? null : asset },
      })
    await move('t1:out', 'kraken', 'transfer_out', 'EUR', '500')
    await move('t1:in', 'bank', 'transfer_in', 'EUR', '498.75')
    // In another currency, for which there is no rate.
    await move('t2:out', 'kraken', 'transfer_out', 'GBP', '300')
    await move('t2:in', 'bank', 'transfer_in', 'GBP', '299')
    await move('t3:out', 'kraken', 'transfer_out', 'GBP', '200', '2')
    await move('t3:in', 'bank', 'transfer_in', 'GBP', '200')
    await build(EUR)
    expect(await missing()).toEqual([])
  })
})

describe('the policy of sources', () => {
  const gift = () => books.tax('SPOT', balanced(legs(at('13:00:00'), 'BONUS_GRANT_USER_IN 2 ETH')))

  it('prefers a valid market price to a fresher private deal', async () => {
    await gift()
    await price('ETH 2000 EUR', at('00:00:00'))
    await deal(10, '1', 'ETH', { fiat: 'EUR', amount: '2500' })
    await build(EUR)
    expect(await valuations("path <> 'EUR' and coin = 'ETH' and entry_id like '%tax.records%'")).toEqual([
      ['ETH', '4000', 'ETH > EUR', 'index'],
    ])
  })

  it('prefers a longer path of market prices to a private deal, and the deal if nothing else is fresh', async () => {
    await gift()
    await books.tax('SPOT', balanced(legs(at('13:00:00', 12), 'BONUS_GRANT_USER_IN 2 ETH')))
    await price('ETH 2200 USD', at('00:00:00'))
    await price('EUR 1.1 USD', at('00:00:00'), 'ecb')
    await deal(10, '1', 'ETH', { fiat: 'EUR', amount: '2500' })
    await deal(12, '2', 'ETH', { fiat: 'EUR', amount: '5100' })
    await build(EUR)
    expect(await valuations("entry_id like '%tax.records%'")).toEqual([
      ['ETH', '4000', 'ETH > USD > EUR', 'index > ecb'],
      ['ETH', '5100', 'ETH > EUR', 'p2p'],
    ])
  })

  it('decides between two sources of one pair, even if a later source is on the path anyway', async () => {
    await books.tax(
      'SPOT',
      balanced(legs(at('13:00:00'), 'BONUS_GRANT_USER_IN 2 BGB', 'BONUS_GRANT_USER_IN 10 USDT')),
    )
    await price('BGB 5 USDT', at('12:00:00'), 'candles')
    await price('USDT 0.9 EUR', at('00:00:00'))
    await price('USDT 0.95 EUR', at('12:00:00'), 'candles')
    await build(EUR)
    // 10 USDT either way, at the rate that was imported, though the candle's is fresher.
    expect(await valuations()).toEqual([
      ['BGB', '9', 'BGB > USDT > EUR', 'candles > index'],
      ['USDT', '9', 'USDT > EUR', 'index'],
    ])
  })

  it('is configurable: with own trades first they apply, with a source left out it values nothing', async () => {
    await books.tax(
      'SPOT',
      balanced(
        [
          ...legs(at('08:00:00'), 'in 1 ETH', 'out -2100 EUR'),
          ...legs(at('13:00:00'), 'BONUS_GRANT_USER_IN 2 ETH'),
        ],
        {
          EUR: '9000',
        },
      ),
    )
    await price('ETH 2000 EUR', at('09:00:00'))
    const rewarded = () => valuations("coin = 'ETH'")
    await build(EUR)
    expect(await rewarded()).toEqual([['ETH', '4000', 'ETH > EUR', 'index']])
    await build({ ...EUR, priceOrder: ['trades', 'others'] })
    expect(await rewarded()).toEqual([['ETH', '4200', 'ETH > EUR', 'trades']])
    expect(await books.query('select source, rank, price_count from price_sources order by 1')).toEqual([
      ['index', '2', '1'],
      ['trades', '1', '1'],
    ])
    await build({ ...EUR, priceOrder: ['ecb'] })
    expect(await rewarded()).toEqual([['ETH', null, null, null]])
    expect(await missing()).toEqual([expect.stringContaining('no source in use has a price of ETH')])
  })
  it('may name sources that have no price yet, but a name that does not exist is a warning', async () => {
    await books.tax('SPOT', balanced(legs(at('10:00:00'), 'BONUS_GRANT_USER_IN 2 ETH')))
    const warned = () =>
      books.query(
        "select severity, explanation from breaks where check_name = 'price_order' and status = 'open' order by explanation",
      )
    const told = (name: string, files: string) => [
      'warning',
      '`prices: order:` of the configuration names the source ' +
        `${name}, which does not exist, so it values nothing. Sources are others, import, ecb, candles, ltv, marks, trades and ` +
        `p2p, and the names in imported files (${files}). Correct the name, or import the prices that it means: \`tieout import ` +
        'prices`. Then run `tieout build`.',
    ]
    await build(EUR)
    expect(await warned()).toEqual([])
    await build({ ...EUR, priceOrder: ['import', 'candels', 'others'] })
    expect(await warned()).toEqual([told('candels', 'there are none yet')])
    await price('ETH 2000 EUR', at('09:00:00'), 'my-bank')
    await price('ETH 2000 EUR', at('09:00:00'), 'desk')
    await build({ ...EUR, priceOrder: ['my-bank', 'my-bnak', 'Candles', 'ecb'] })
    expect(await warned()).toEqual([told('Candles', 'desk, my-bank'), told('my-bnak', 'desk, my-bank')])
  })
})

describe('an exchange with a fee', () => {
  const fill = () =>
    books.tax(
      'SPOT',
      balanced(legs(at('10:00:00'), 'in 1 XYZ', 'out -5 ABC', 'ORDER_PLF_FEE_OUT -0.1 BGB'), {
        ABC: '9',
        BGB: '9',
      }),
    )
  const told = (coin: string, changes: string, why: string) =>
    `Costs or proceeds of ${changes} are unknown, because ${coin} has no price in EUR for that time${why}. Import what is missing ` +
    '(`tieout import prices`), or fetch it (`tieout prices fetch`).'
  const none = (coin: string) => `no source in use has a price of ${coin}`

  it('of which nothing has a price names each of its coins, and its fee once', async () => {
    await fill()
    await build(EUR)
    // Its own price is in the coin that the alphabet makes the quote.
    expect(await missing()).toEqual([
      told('ABC', '1 change', ': ABC has prices in XYZ; XYZ has none in EUR'),
      told('BGB', '1 change', `: ${none('BGB')}`),
      told('XYZ', '1 change', `: ${none('XYZ')}`),
    ])
  })

  it('of which only the fee has no price names that of the fee: for what it belongs to, and for the fee itself', async () => {
    await fill()
    await price('ABC 2 EUR', at('08:00:00'))
    await build(EUR)
    expect(await missing()).toEqual([told('BGB', '2 changes', `; for the first of them ${none('BGB')}`)])
  })
})

describe('prices that are fetched anyway', () => {
  const night = { run: 'night', receivedAt: at('09:00:00') }
  const PERPETUAL = { quote_coin: 'USDT', symbol_type: 'perpetual' }

  /** Positions and the risk rate are read at nine; two ETH, one BTC and two BGB come at ten, after a fill of one's own. */
  async function fetched(): Promise<void> {
    const moves = [
      ...legs(at('09:30:00'), 'in 1 ETH', 'out -2100 USDT'),
      ...legs(at('10:00:00'), 'BONUS_GRANT_USER_IN 3 ETH', 'BONUS_GRANT_USER_IN 1 BTC'),
      ...legs(at('10:00:00'), 'BONUS_GRANT_USER_IN 2 BGB'),
    ]
    await books.tax('SPOT', balanced(moves, { USDT: '9000' }))
    await books.tax('MARGIN', [], { ...night, covers: [covers[0], at('09:00:00')] })
    await books.page(
      'futures.contracts',
      [
        { symbol: 'ETHUSDT', base_coin: 'ETH', ...PERPETUAL },
        { symbol: 'BTCUSDT2603', base_coin: 'BTC', quote_coin: 'USDT', symbol_type: 'delivery' },
      ],
      { ...night, partition: 'USDT-FUTURES' },
    )
    const position = { margin_coin: 'USDT', hold_side: 'long', total: '1' }
    await books.page(
      'futures.positions',
      [
        { ...position, symbol: 'ETHUSDT', mark_price: '2000' },
        { ...position, symbol: 'BTCUSDT2603', mark_price: '60000' },
      ],
      { ...night, partition: 'USDT-FUTURES' },
    )
    const held = [{ coin: 'bgb', price: '5', amount: '1', convertedUsdtAmount: '5' }]
    const risk = { ltv: '0.1', sub_account_uids: '[]', unpaid_info: '[]', balance_info: JSON.stringify(held) }
    await books.page('loan.ltv', [risk], night)
    await price('USDT 0.9 EUR', at('08:00:00'))
  }

  const gifts = () =>
    books.query(
      `select entries.coin, value, path, sources from valuations join entries using (entry_id)
       where kind = 'reward' order by entries.coin`,
    )

  it('value coins before own trades do: marks of perpetual positions, and the values that lending assigns to coins', async () => {
    await fetched()
    await build(EUR)
    expect(await gifts()).toEqual([
      ['BGB', '9', 'BGB > USDT > EUR', 'ltv > index'],
      // The price of a contract that is delivered one day is not that of the coin.
      ['BTC', null, null, null],
      ['ETH', '5400', 'ETH > USDT > EUR', 'marks > index'],
    ])
    expect(await books.query("select priced_at, price from prices where source = 'marks'")).toEqual([
      ['2026-01-10 09:00:00+00', '2000'],
    ])
    expect(await books.query('select source, rank from price_sources order by rank')).toEqual([
      ['index', '1'],
      ['ltv', '4'],
      ['marks', '5'],
      ['trades', '6'],
    ])
  })

  it('are left out by an order that does not name them, and are never among the others', async () => {
    await fetched()
    await build({ ...EUR, priceOrder: ['others', 'trades'] })
    expect(await gifts()).toEqual([
      ['BGB', null, null, null],
      ['BTC', null, null, null],
      ['ETH', '5670', 'ETH > USDT > EUR', 'trades > index'],
    ])
  })
})

describe('a P2P deal in a currency other than that of the books', () => {
  const basis = () => books.query("select quantity, value from lot_events where coin = 'ETH'")

  it('costs what was paid, at the rate of that day, whatever the coin was worth', async () => {
    await price('ETH 1835.9 EUR', at('00:00:00'))
    await price('EUR 1.5 CAD', at('00:00:00'), 'ecb')
    await deal(10, '0.1', 'ETH', { fiat: 'CAD', amount: '281.33' })
    await build(EUR)
    expect(await basis()).toEqual([['0.1', '187.553333333333333333']])
    expect(await valuations("entry_id like '%/paid'")).toEqual([
      ['CAD', '187.553333333333333333', 'CAD > EUR', 'ecb'],
    ])
    expect(await missing()).toEqual([])
  })

  it('has an unknown cost without a rate, never the coin’s price of the day, and the money without a rate is named', async () => {
    await price('ETH 1835.9 EUR', at('00:00:00'))
    await deal(10, '0.1', 'ETH', { fiat: 'CAD', amount: '281.33' })
    await build(EUR)
    expect(await basis()).toEqual([['0.1', null]])
    expect(await missing()).toEqual([
      'Costs or proceeds of 1 change are unknown, because CAD has no price in EUR for that time: no source ' +
        'in use has a price of CAD. Import what is missing (`tieout import prices`), or fetch it (`tieout prices fetch`).',
    ])
  })

  it('is worth what the coin was worth if no order states what was paid', async () => {
    await price('ETH 1835.9 EUR', at('00:00:00'))
    await deal(10, '0.1', 'ETH')
    await build(EUR)
    expect(await basis()).toEqual([['0.1', '183.59']])
  })

  it('never sets the rate of its own money: a daily rate is a market’s', async () => {
    await price('BTC 60000 EUR', at('00:00:00'))
    await books.tax('SPOT', balanced(legs(at('11:00:00'), 'in 0.01 BTC', 'out -900 USD'), { USD: '900' }))
    await deal(10, '0.01', 'BTC', { fiat: 'USD', amount: '1200' })
    await build(EUR)
    expect(await books.query("select value from lot_events where coin = 'BTC' order by happened_at")).toEqual(
      [['600'], [null]],
    )
  })
})

it('one source has one price at a time: of trades all together, and what the user imported before what was fetched', async () => {
  const at = (time: string): string => `2026-01-02 ${time}+00`
  const given = (
    asset: string,
    price: string,
    page: string,
    row = '0',
    time = at('12:00:00'),
    source = 'candles',
  ) => [...[asset, 'USDT', time, price, source, page, row]]
  const columns = `asset varchar, currency varchar, priced_at timestamptz, price decimal(38, 18), source varchar,
    page_id bigint, page_row integer`
  const rows = await runModel('main.prices', {
    'main.trades': {
      columns: `base varchar, quote varchar, traded_at timestamptz, kind varchar, quote_amount decimal(38, 18),
        quantity decimal(38, 18)`,
      rows: [
        ['BTC', 'USDT', at('10:00:00'), 'trade', '100', '1'],
        ['BTC', 'USDT', at('10:00:00'), 'trade', '260', '3'],
        ['BTC', 'USDT', at('10:00:00'), 'conversion', '900', '1'],
        ['NIL', 'USDT', at('10:00:00'), 'trade', '0', '1'],
      ],
    },
    'main.p2p_trades': {
      columns:
        'coin varchar, fiat varchar, traded_at timestamptz, fiat_amount decimal(38, 18), quantity decimal(38, 18)',
      rows: [
        ['USDT', 'EUR', at('10:00:00'), '9', '10'],
        ['USDT', 'EUR', at('10:00:00'), '0', '10'],
        ['USDT', null, at('10:00:00'), '99', '10'],
      ],
    },
    'landing.imported_prices': {
      columns,
      rows: [
        given('BTC', '50', '9'),
        given('BTC', '1', '4'),
        given('ETH', '7', '9', '1'),
        given('ETH', '6', '9', '0'),
      ],
    },
    'landing.import_withdrawals': { columns: 'page_id bigint', rows: [['4']] },
    'landing.fetched_prices': {
      columns: `${columns}, unit varchar`,
      rows: [
        [...given('BTC', '51', '1'), '1h'],
        [...given('SOL', '21', '2'), '1h'],
        [...given('SOL', '22', '1'), '1m'],
        // A day closes with its last moment, and a rate of a day is of that day.
        [...given('XRP', '3', '1', '0', '2026-01-03 00:00:00+00'), '1d'],
        [...given('EUR', '1.1', '1', '0', '2026-01-03 00:00:00+00', 'ecb'), '1d'],
      ],
    },
    'staging.read_prices': {
      columns: columns.replace('asset', 'coin'),
      rows: [given('SOL', '23', '1'), given('ADA', '5', '1', '0', at('12:00:00'), 'marks')],
    },
  })
  expect(
    rows
      .map(({ coin, currency, priced_at, price, source }) =>
        [coin, currency, priced_at, price, source].join(' '),
      )
      .toSorted(),
  ).toEqual([
    'ADA USDT 2026-01-02 12:00:00+00 5 marks',
    'BTC USDT 2026-01-02 10:00:00+00 90 trades',
    'BTC USDT 2026-01-02 12:00:00+00 50 candles',
    'ETH USDT 2026-01-02 12:00:00+00 6 candles',
    'EUR USDT 2026-01-03 00:00:00+00 1.1 ecb',
    'SOL USDT 2026-01-02 12:00:00+00 21 candles',
    'USDT EUR 2026-01-02 10:00:00+00 0.9 p2p',
    'XRP USDT 2026-01-02 23:59:59.999+00 3 candles',
  ])
})
