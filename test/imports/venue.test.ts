// Imported history beside what the venue tells of the same account: coins that both tell of count once, and get the time
// and the cost that the import knows. Before: the venue's records; action: an import; after: lots and gains.
import { describe, expect } from 'vitest'
import { lotsStep } from '../../pipeline/lots/step.ts'
import { sharedBooks } from '../support/many-books.ts'

const { it, books } = sharedBooks(
  {},
  (own) => own.account('main', 'unified'),
  async (all) => {
    await all.insert('imports', {
      page_id: '900',
      kind: 'trades',
      file_name: 'history.csv',
      row_count: '9',
      sha256: '',
      imported_at: '2026-02-01 00:00:00+00',
    })
    return await all.build({}, { steps: [lotsStep({ method: 'fifo', scope: 'account' })] })
  },
)

type Built = Awaited<ReturnType<typeof books.build>>

let rows = 0

const place = () => {
  rows += 1
  return { page_id: '900', page_row: String(rows), nanos: '0' }
}

const lot = (id: string, acquired_at: string, quantity: string, basis: string) =>
  books.insert('imported_lots', {
    ...place(),
    ...{ id, acquired_at, account: 'main', asset: 'BTC', quantity, basis, currency: 'USDT' },
  })

const row = (
  id: string,
  occurred_at: string,
  account: string,
  type: string,
  quantity: string,
  total: string | null = null,
) =>
  books.insert('imported_trades', {
    ...place(),
    ...{
      id,
      occurred_at,
      account,
      type,
      asset: 'BTC',
      quantity,
      currency: total === null ? null : 'USDT',
      total,
    },
    ...{ fee: '0', fee_currency: null },
  })

/** The venue's year begins with a sale of 1 BTC for 100 USDT out of a balance of 2. */
const saleOutOfTwo = () =>
  books.tax('SPOT', [
    {
      id: '1',
      coin: 'USDT',
      type: 'ORDER_DEALT_IN',
      amount: '100',
      balance: '100',
      ts: '2025-06-01 00:00:00+00',
    },
    {
      id: '2',
      coin: 'BTC',
      type: 'ORDER_DEALT_FROZEN_OUT',
      amount: '-1',
      balance: '1',
      ts: '2025-06-01 00:00:00+00',
    },
  ])

const disposals = () =>
  books.query(
    'select account, disposal_id, lot_id, quantity, cost_basis, gain from disposals order by disposed_at, lot_id',
  )

const openLots = () =>
  books.query('select account, lot_id, quantity_left, cost_basis_left from lots order by account, lot_id')

const breaks = ({ openBreaks }: Built) =>
  openBreaks.map(
    ({ severity, checkName, account, found }) => `${severity} ${checkName} ${account} ${Number(found)}`,
  )

describe.concurrent('opening lots of an account of the venue', () => {
  it('give the opening balance its cost and its date; the part that they do not cover stays unknown', async () => {
    await saleOutOfTwo()
    await lot('l1', '2020-05-01 00:00:00+00', '1.5', '60')
    const result = await books.build()
    expect(await disposals()).toEqual([['main', 'main/tax.records/2/amount', 'l1', '1', '40', '60']])
    expect(await openLots()).toEqual([
      ['main', 'l1', '0.5', '20'],
      ['main', 'main/tax.records/2/opening', '0.5', null],
    ])
    expect(breaks(result)).toEqual([])
  })

  it('never add to what the venue holds: an excess is a break and stays outside', async () => {
    await saleOutOfTwo()
    await lot('l1', '2020-05-01 00:00:00+00', '5', '200')
    const result = await books.build()
    expect(await openLots()).toEqual([
      ['main', 'l1', '1', '40'],
      ['main/before', 'l1', '3', '120'],
    ])
    expect(breaks(result)).toEqual(['warning imported_history main 3'])
    expect(result.published).toBe(true)
  })

  it('that are younger than the books wait for coins that arrive from elsewhere', async () => {
    await saleOutOfTwo()
    await books.tax('SPOT', [
      { id: '3', coin: 'BTC', type: 'TRANSFER_IN', amount: '3', balance: '4', ts: '2025-08-01 00:00:00+00' },
    ])
    await lot('l1', '2025-07-01 00:00:00+00', '2', '300')
    const result = await books.build()
    expect(await disposals()).toEqual([
      ['main', 'main/tax.records/2/amount', 'main/tax.records/2/opening', '1', null, null],
    ])
    expect(await openLots()).toEqual([
      ['main', 'l1', '2', '300'],
      ['main', 'main/tax.records/2/opening', '1', null],
      ['main', 'main/tax.records/3/amount', '1', null],
    ])
    expect(breaks(result)).toEqual(['notice unknown_basis main 1'])
  })
})

describe.concurrent('imported history of an account of the venue', () => {
  it('ends where its books begin: what is left by then is the opening balance', async () => {
    await saleOutOfTwo()
    await row('b1', '2024-01-01 00:00:00+00', 'main', 'buy', '3', '90')
    await row('s1', '2024-02-01 00:00:00+00', 'main', 'sell', '1', '50')
    const result = await books.build()
    expect(await disposals()).toEqual([
      ['main', 's1', 'b1', '1', '30', '20'],
      ['main', 'main/tax.records/2/amount', 'b1', '1', '30', '70'],
    ])
    expect(await openLots()).toEqual([['main', 'b1', '1', '30']])
    expect(breaks(result)).toEqual([])
    expect(
      await books.query("select trade_id, account, side from trades where source = 'import' order by all"),
    ).toEqual([
      ['b1', 'main', 'buy'],
      ['s1', 'main', 'sell'],
    ])
    expect(await books.query("select count(*) from entries where account like '%before%'")).toEqual([['0']])
  })

  it('gives up no coin that a later imported row needs', async () => {
    await saleOutOfTwo()
    await row('b1', '2024-01-01 00:00:00+00', 'main', 'buy', '2', '60')
    await row('s1', '2025-07-01 00:00:00+00', 'main', 'sell', '0.5', '50')
    const result = await books.build()
    expect(await openLots()).toEqual([
      ['main', 'b1', '0.5', '15'],
      ['main', 'main/tax.records/2/opening', '0.5', null],
    ])
    expect(breaks(result)).toEqual([])
  })

  it('brings coins from another exchange with their basis: the venue’s record is the arriving leg', async () => {
    await saleOutOfTwo()
    await books.tax('SPOT', [
      { id: '3', coin: 'BTC', type: 'TRANSFER_IN', amount: '1', balance: '2', ts: '2025-08-01 00:00:00+00' },
    ])
    await row('k1', '2025-07-01 00:00:00+00', 'kraken', 'buy', '1', '120')
    await row('t1:out', '2025-08-01 00:10:00+00', 'kraken', 'transfer_out', '1')
    await row('t1:in', '2025-08-01 00:20:00+00', 'main', 'transfer_in', '1')
    const result = await books.build()
    expect(await openLots()).toEqual([
      ['main', 'k1', '1', '120'],
      ['main', 'main/tax.records/2/opening', '1', null],
    ])
    // What was bought was paid with money that no row brings.
    expect(breaks(result)).toEqual(['notice imported_balance kraken -120', 'notice unknown_basis main 1'])
  })

  it('lets coins leave for another exchange with their basis, less what the network takes', async () => {
    await books.tax('SPOT', [
      {
        id: '1',
        coin: 'BTC',
        type: 'ORDER_DEALT_IN',
        amount: '2',
        balance: '2',
        ts: '2025-06-01 00:00:00+00',
      },
      {
        id: '2',
        coin: 'USDT',
        type: 'ORDER_DEALT_FROZEN_OUT',
        amount: '-200',
        balance: '0',
        ts: '2025-06-01 00:00:00+00',
      },
      {
        id: '3',
        coin: 'BTC',
        type: 'TRANSFER_OUT',
        amount: '-1',
        balance: '1',
        ts: '2025-06-01 12:00:00+00',
      },
    ])
    await row('t1:out', '2025-06-01 12:00:00+00', 'main', 'transfer_out', '1')
    await row('t1:in', '2025-06-01 12:30:00+00', 'kraken', 'transfer_in', '0.9')
    await row('s1', '2025-07-01 00:00:00+00', 'kraken', 'sell', '0.9', '180')
    const result = await books.build()
    expect(
      await books.query(
        'select account, disposal_id, quantity, proceeds, cost_basis from disposals order by 1',
      ),
    ).toEqual([
      ['kraken', 's1', '0.9', '180', '90'],
      ['main', 'main/tax.records/3/amount', '0.1', '10', '10'],
    ])
    expect(await openLots()).toEqual([['main', 'main/tax.records/1/amount', '1', '100']])
    expect(breaks(result)).toEqual([])
  })
})

describe.concurrent('consecutive equal movements, of which the import has only the days', () => {
  const BOUGHT = [
    { id: '1', coin: 'BTC', type: 'ORDER_DEALT_IN', amount: '3', balance: '3', ts: '2025-06-01 00:00:00+00' },
    {
      ...{ id: '2', coin: 'USDT', type: 'ORDER_DEALT_FROZEN_OUT', amount: '-300', balance: '0' },
      ts: '2025-06-01 00:00:00+00',
    },
  ]
  /** One coin leaves in the afternoon of each day; a row of the import stands at midnight. */
  const sent = (id: string, day: string, balance: string) => ({
    ...{ id, coin: 'BTC', type: 'TRANSFER_OUT', amount: '-1', balance },
    ts: `2025-06-${day} 15:00:00+00`,
  })
  const arrived = async (id: string, day: string) => {
    await row(`${id}:out`, `2025-06-${day} 00:00:00+00`, 'main', 'transfer_out', '1')
    await row(`${id}:in`, `2025-06-${day} 00:00:00+00`, 'kraken', 'transfer_in', '1')
  }
  const paired = () =>
    books.query(`select event_id, transfer_id from lot_events
      where account = 'main' and kind = 'transfer_out' order by happened_at`)

  it('are matched in order, though the record of the day before is nearer, and all keep their cost', async () => {
    await books.tax('SPOT', [...BOUGHT, sent('3', '02', '2'), sent('4', '03', '1')])
    await arrived('t1', '02')
    await arrived('t2', '03')
    await row('s1', '2025-07-01 00:00:00+00', 'kraken', 'sell', '2', '400')
    const result = await books.build()
    expect(await paired()).toEqual([
      ['main/tax.records/3/amount', 'import/t1:out'],
      ['main/tax.records/4/amount', 'import/t2:out'],
    ])
    expect(await disposals()).toEqual([
      ['kraken', 's1', 'main/tax.records/1/amount', '1', '100', '100'],
      ['kraken', 's1', 'main/tax.records/1/amount', '1', '100', '100'],
    ])
    expect(breaks(result)).toEqual([])
  })

  it('are matched to the nearest if their numbers differ', async () => {
    await books.tax('SPOT', [...BOUGHT, sent('3', '02', '2'), sent('4', '03', '1')])
    await arrived('t2', '03')
    await books.build()
    // 9 hours from the one, 15 from the other: which of them it is nobody can tell.
    expect(await paired()).toEqual([
      ['main/tax.records/3/amount', 'import/t2:out'],
      ['main/tax.records/4/amount', null],
    ])
  })
})

describe.concurrent('what an import and the venue both report', () => {
  it('counts once, as the venue reports it: gains, months, trades and the bridge agree', async () => {
    await row('b', '2024-01-01 00:00:00+00', 'main', 'buy', '2', '40')
    await saleOutOfTwo()
    await row('s', '2025-06-01 00:00:00+00', 'main', 'sell', '1', '100')
    const result = await books.build()
    expect(await disposals()).toEqual([['main', 'main/tax.records/2/amount', 'b', '1', '20', '80']])
    expect(await openLots()).toEqual([['main', 'b', '1', '20']])
    expect(await books.query('select sum(realised_pnl) from pnl_monthly')).toEqual([['80']])
    expect(await books.query("select trade_id from trades where side = 'sell'")).toHaveLength(1)
    expect(await books.query('select id from imported_trades order by id')).toEqual([['b'], ['s']])
    expect(breaks(result)).toEqual(['notice imported_history main 1'])
  })

  it('is one row for each record of the venue: a second sale of the same quantity in that minute stays', async () => {
    await row('b', '2024-01-01 00:00:00+00', 'main', 'buy', '4', '40')
    await saleOutOfTwo()
    await row('s1', '2025-06-01 00:00:10+00', 'main', 'sell', '1', '100')
    await row('s2', '2025-06-01 00:00:20+00', 'main', 'sell', '1', '100')
    await books.build()
    expect(await disposals()).toEqual([
      ['main', 'main/tax.records/2/amount', 'b', '1', '10', '90'],
      ['main', 's2', 'b', '1', '10', '90'],
    ])
  })

  it('is reported if a row of that time has no record: a file in another zone may contain what the venue also has', async () => {
    await row('b', '2024-01-01 00:00:00+00', 'main', 'buy', '4', '40')
    await saleOutOfTwo()
    // On another day than the arrivals of other tests: between two accounts of the venue, it would be their transfer.
    await books.tax('SPOT', [
      {
        id: '3',
        coin: 'BTC',
        type: 'TRANSFER_OUT',
        amount: '-1',
        balance: '0',
        ts: '2025-08-02 00:00:00+00',
      },
    ])
    // The venue's sale of 1, two hours later; and one after all that the venue has told yet.
    await row('s1', '2025-06-01 02:00:00+00', 'main', 'sell', '1', '100')
    await row('s2', '2025-08-02 00:00:01+00', 'main', 'sell', '1', '100')
    const { openBreaks } = await books.build()
    const told = openBreaks.filter(({ checkName }) => checkName === 'imported_history')
    expect(told.map(({ severity, found, evidence }) => [severity, Number(found), evidence])).toEqual([
      ['warning', 1, '["s1"]'],
    ])
    expect(told[0]?.explanation).toContain('import only what is older than 2025-06-01 00:00 (UTC)')
  })

  it('is reported too if imports account for all that the account held when its records begin', async () => {
    await row('b', '2024-01-01 00:00:00+00', 'main', 'buy', '3', '30')
    // All of its records are of BTC, whose history begins with the import.
    await books.tax('SPOT', [
      {
        id: '1',
        coin: 'BTC',
        type: 'TRANSFER_OUT',
        amount: '-0.37',
        balance: '1.63',
        ts: '2025-03-03 00:00:00+00',
      },
      {
        id: '2',
        coin: 'BTC',
        type: 'TRANSFER_OUT',
        amount: '-0.38',
        balance: '1.25',
        ts: '2025-05-05 00:00:00+00',
      },
    ])
    await row('s1', '2025-04-04 00:00:00+00', 'main', 'sell', '1', '100')
    const { openBreaks } = await books.build()
    const told = openBreaks.filter(({ checkName }) => checkName === 'imported_history')
    expect(told.map(({ severity, found, evidence }) => [severity, Number(found), evidence])).toEqual([
      ['warning', 1, '["s1"]'],
    ])
  })

  it('is not a purchase of the same quantity, nor a sale in another minute', async () => {
    await row('b', '2024-01-01 00:00:00+00', 'main', 'buy', '3', '30')
    await saleOutOfTwo()
    await row('p', '2025-06-01 00:00:30+00', 'main', 'buy', '1', '100')
    await row('s', '2025-06-01 00:01:00+00', 'main', 'sell', '1', '100')
    await books.build()
    expect(await books.query("select trade_id from trades where source = 'import' order by all")).toEqual([
      ['b'],
      ['p'],
      ['s'],
    ])
  })
})
