// Imported rows that tell what the venue's own records tell: which of its records each row is, and that it counts once.
// Before: purchases, conversions, fees and interest of the venue; action: a file that overlaps them; after: gains and trades.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lotsStep } from '../../pipeline/lots/step.ts'
import { balanced, type Move, TestBooks } from '../support/books.ts'

let books: TestBooks

const begin = async (only?: readonly string[]) => {
  books = await TestBooks.open(only === undefined ? {} : { only })
  await books.account('main', 'unified')
  await books.insert('imports', { page_id: '900', kind: 'trades', file_name: 'history.csv' })
}

afterEach(async () => {
  await books.close()
})

let rows = 0

/** `id,day and time,type,asset,quantity,currency,total`, as a file has them; the last two may be left out. */
const row = (line: string) => {
  rows += 1
  const [id, at, type, asset, quantity, currency = null, total = null] = line.split(',')
  return books.insert('imported_trades', {
    ...{ page_id: '900', page_row: String(rows), nanos: '0', account: 'main' },
    ...{ id, occurred_at: `2025-${at}+00`, type, asset, quantity, currency, total, fee: '0' },
  })
}

const price = (day: string, asset: string, value: string) => {
  rows += 1
  return books.insert('imported_prices', {
    ...{ page_id: '900', page_row: String(rows), priced_at: `2025-${day} 00:00:00+00`, source: 'import' },
    ...{ asset, currency: 'EUR', price: value },
  })
}

const move = (id: string, at: string, type: string, coin: string, amount: string): Move => ({
  ...{ id, coin, type, amount, ts: `2025-${at}+00` },
})

const deal = (id: string, at: string, p2p_tax_type: string, coin: string, balance: string) => ({
  ...{ id, p2p_tax_type, coin, balance, ts: `2025-${at}+00` },
})

const order = (order_id: string, at: string, side: string, coin: string, count: string, amount: string) => ({
  ...{ order_id, side, coin, count, fiat: 'EUR', amount, price: '1', status: 'Completed' },
  ...{ c_time: `2025-${at}+00`, release_time: `2025-${at}+00`, u_time: `2025-${at}+00` },
})

const DUST_OUT = 'SMALL_ASSET_SOURCE_TOKEN_USER_OUT'
const DUST_IN = 'SMALL_ASSET_TARGET_TOKEN_USER_IN'

describe('what the venue reports in records other than trades', () => {
  beforeEach(() => begin())

  it('counts once: P2P deals, a conversion, a fee in the platform coin, paid interest', async () => {
    await books.page('tax.p2pRecords', [
      deal('11', '01-05 09:00:00', 'buy', 'BTC', '1'),
      deal('12', '01-06 09:00:00', 'sell', 'BTC', '0.2'),
      deal('13', '01-07 09:00:00', 'transfer_out', 'BTC', '0.5'),
    ])
    await books.page('p2p.orders', [
      order('71', '01-05 09:00:00', 'buy', 'BTC', '1', '40000'),
      order('72', '01-06 09:00:00', 'sell', 'BTC', '0.2', '9000'),
    ])
    const spot = [
      move('1', '01-07 09:00:00', 'TRANSFER_IN', 'BTC', '0.5'),
      move('2', '03-01 12:00:00', DUST_OUT, 'BTC', '-0.01'),
      move('3', '03-01 12:00:00', DUST_IN, 'BGB', '100'),
      move('4', '03-02 12:00:00', 'ORDER_DEALT_IN', 'ETH', '1'),
      move('5', '03-02 12:00:00', 'ORDER_PLF_FEE_OUT', 'BGB', '-1'),
      move('6', '03-02 12:00:00', 'ORDER_DEALT_FROZEN_OUT', 'EUR', '-2000'),
      move('7', '03-03 12:00:00', 'INTEREST_SETTLEMENT_OUT', 'BGB', '-2'),
    ]
    await books.tax('SPOT', balanced(spot, { EUR: '10000' }))
    await price('03-01', 'BGB', '5')
    await price('03-02', 'BGB', '6')
    await price('03-03', 'BGB', '7')
    await row('k1,01-05 09:00:30,buy,BTC,1,EUR,40000')
    await row('k2,01-06 09:00:30,sell,BTC,0.2,EUR,9000')
    await row('k3,03-01 12:00:59,sell,BTC,0.01,BGB,100')
    await row('k4,03-02 12:00:00,buy,ETH,1,EUR,2000')
    await row('k5,03-02 12:00:00,sell,BGB,1')
    await row('k6,03-03 12:00:00,sell,BGB,2,EUR,14')
    const { openBreaks, published } = await books.build(
      { reportingCurrency: 'EUR' },
      { steps: [lotsStep({ method: 'fifo', scope: 'account' })] },
    )

    expect(published).toBe(true)
    // 0.01 BTC cost 400 and brought 100 BGB worth 500, 5 each; the fee and the interest are those at 6 and at 7.
    expect(
      await books.query(
        'select disposal_id, quantity, proceeds, cost_basis, gain from disposals order by disposed_at',
      ),
    ).toEqual([
      ['main/tax.p2pRecords/12/amount', '0.2', '9000', '8000', '1000'],
      ['main/tax.records/2/amount', '0.01', '500', '400', '100'],
      ['main/tax.records/5/amount', '1', '6', '5', '1'],
      ['main/tax.records/7/amount', '2', '14', '10', '4'],
    ])
    expect(
      await books.query('select account, coin, quantity_left, cost_basis_left from lots order by all'),
    ).toEqual([
      ['main', 'BGB', '97', '485'],
      ['main', 'BTC', '0.79', '31600'],
      ['main', 'ETH', '1', '2006'],
    ])
    expect(await books.query("select trade_id from trades where source = 'import'")).toEqual([])
    expect(
      openBreaks.map(({ severity, checkName, coin, found }) => [severity, checkName, coin, Number(found)]),
    ).toEqual([
      ['notice', 'imported_history', 'BGB', 2],
      ['notice', 'imported_history', 'BTC', 3],
      ['notice', 'imported_history', 'ETH', 1],
    ])
  })
})

describe('the record that corresponds to a row', () => {
  beforeEach(() => begin(['trades', 'income']))

  /** Ids of the rows that are no record of the venue. */
  const left = async (): Promise<string[]> => {
    await books.build({ reportingCurrency: 'EUR' })
    const found = await books.query(
      "select trade_id as id from trades where source = 'import' union all select entry_id from income where kind = 'income' order by id",
    )
    return found.map(([id]) => String(id))
  }

  it('is found by either coin of an exchange, whichever the row counts', async () => {
    await books.tax(
      'SPOT',
      balanced(
        [
          // Two small balances at once for 4 BGB: what each of them brought is the file's own reckoning.
          move('1', '03-01 12:00:00', DUST_OUT, 'BTC', '-0.01'),
          move('2', '03-01 12:00:00', DUST_OUT, 'ETH', '-0.2'),
          move('3', '03-01 12:00:00', DUST_IN, 'BGB', '4'),
          move('4', '03-02 12:00:00', DUST_IN, 'BGB', '8'),
          move('5', '03-02 12:00:00', DUST_OUT, 'BTC', '-0.02'),
          // Of this one 0.001 ETH are kept back as the fee, and the file has what is left.
          move('6', '03-03 12:00:00', 'ORDER_DEALT_IN', 'ETH', '1'),
          move('7', '03-03 12:00:00', 'ORDER_DEALT_FROZEN_OUT', 'BTC', '-0.05'),
        ],
        { BTC: '1', ETH: '1' },
      ),
    )
    // The classic feeds name no other side.
    await books.tax('MARGIN', [
      move('21', '03-05 12:00:00', 'Buy', 'BTC', '0.3'),
      move('22', '03-05 12:00:01', 'Buy', 'BTC', '0.3'),
    ])
    await books.page('tax.p2pRecords', [deal('11', '03-04 12:00:00', 'buy', 'USDT', '100')])
    await row('a,03-01 12:00:00,buy,BGB,2.67,BTC,0.01')
    await row('b,03-01 12:00:00,sell,ETH,0.2,BGB,1.33')
    await row('c1,03-02 12:00:00,sell,BTC,0.02,EUR,1000')
    await row('c2,03-02 12:00:00,buy,BGB,8,EUR,1000')
    await row('d,03-03 12:00:00,buy,ETH,0.999,BTC,0.05')
    await row('e,03-04 12:00:00,sell,EUR,92,USDT,100')
    await row('f1,03-05 12:00:00,buy,BTC,0.3,EUR,9000')
    await row('f2,03-05 12:00:00,buy,BTC,0.3,USDT,9900')
    expect(await left()).toEqual([])
  })

  it('is not an exchange with a different coin on its other side, and not one that corresponds to another row', async () => {
    await books.tax(
      'SPOT',
      balanced(
        [
          move('1', '03-01 12:00:00', DUST_OUT, 'BTC', '-0.01'),
          move('2', '03-01 12:00:00', DUST_IN, 'BGB', '100'),
          move('3', '03-02 12:00:00', 'INTEREST_SETTLEMENT_OUT', 'BGB', '-2'),
          move('4', '03-03 12:00:00', 'BONUS_GRANT_USER_IN', 'BGB', '3'),
          move('5', '03-03 12:00:00', 'Trading fee rebate', 'BGB', '0.5'),
        ],
        { BTC: '1' },
      ),
    )
    await books.page('tax.p2pRecords', [deal('11', '03-04 12:00:00', 'buy', 'BTC', '0.5')])
    await row('eth,03-01 12:00:00,sell,BTC,0.01,ETH,0.15')
    await row('told,03-01 12:00:10,sell,BTC,0.01,BGB,100')
    await row('again,03-01 12:00:20,buy,BGB,100,EUR,500')
    await row('other sum,03-01 12:00:30,sell,BTC,0.011,BGB,110')
    await row('usdt,03-02 12:00:00,sell,BGB,2,USDT,10')
    await row('in,03-02 12:00:00,buy,BGB,2,EUR,10')
    await row('given,03-02 12:00:00,income,BGB,2')
    await row('minute,03-02 12:01:00,sell,BGB,2,EUR,10')
    await row('bonus,03-03 12:00:00,income,BGB,3')
    await row('rebate,03-03 12:00:00,income,BGB,0.5')
    await row('bought,03-03 12:00:00,buy,BGB,3,EUR,15')
    await row('for ETH,03-04 12:00:00,buy,BTC,0.5,ETH,8')
    await row('deal,03-04 12:00:00,buy,BTC,0.5,EUR,20000')
    expect(await left()).toEqual(
      ['again', 'bought', 'eth', 'for ETH', 'given', 'in', 'minute', 'other sum', 'usdt'].toSorted(),
    )
  })

  it('agrees in both quantities before it agrees in one, and corresponds to one row of several', async () => {
    await books.tax(
      'SPOT',
      balanced(
        [
          move('1', '03-01 12:00:00', 'ORDER_DEALT_IN', 'BTC', '0.0021'),
          move('2', '03-01 12:00:00', 'ORDER_DEALT_FROZEN_OUT', 'USDT', '-100'),
          ...['02', '03'].flatMap((second, nth) => [
            move(`${nth}3`, `03-02 12:00:${second}`, 'ORDER_DEALT_IN', 'BTC', '0.002'),
            move(`${nth}4`, `03-02 12:00:${second}`, 'ORDER_DEALT_FROZEN_OUT', 'USDT', '-100'),
          ]),
          move('5', '03-03 12:00:00', 'ORDER_DEALT_IN', 'BTC', '0.003'),
          move('6', '03-03 12:00:00', 'ORDER_DEALT_FROZEN_OUT', 'USDT', '-150'),
        ],
        { USDT: '1000' },
      ),
    )
    await row('a1,03-01 12:00:00,buy,BTC,0.0020,USDT,100')
    await row('a2,03-01 12:00:00,buy,BTC,0.0021,USDT,100')
    await row('b1,03-02 12:00:00,buy,BTC,0.002,USDT,100')
    await row('b2,03-02 12:00:00,buy,BTC,0.002,USDT,100')
    await row('b3,03-02 12:00:00,buy,BTC,0.002,USDT,100')
    // One leg is this row's and the other leg that row's: one of them stays.
    await row('c1,03-03 12:00:00,buy,BTC,0.003,USDT,149')
    await row('c2,03-03 12:00:00,buy,BTC,0.0031,USDT,150')
    expect(await left()).toEqual(['a1', 'b3', 'c1'])
  })
})
