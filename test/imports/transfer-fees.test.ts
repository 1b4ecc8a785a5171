// The fee of a transfer whose leg the venue reports: however the file writes that leg, the venue's record is the leg, and its
// fee counts once. Before: 2 BTC bought for 80,000 EUR; action: 0.3 BTC leave for a wallet of one's own with a fee of 0.0005,
// at 50,000 each; after: one disposal of 0.0005, and 0.3 that cost 12,000 in that wallet.
import { describe, expect } from 'vitest'
import type { Reader } from '../../pipeline/ledger/reader.ts'
import { lotsStep } from '../../pipeline/lots/step.ts'
import { feesOf } from '../../pipeline/paper/imported.ts'
import { balanced, type Move, type TestBooks } from '../support/books.ts'
import { sharedBooks } from '../support/many-books.ts'

const shared = () =>
  sharedBooks(
    {},
    (own) => own.account('main', 'unified'),
    async (all) => {
      await all.insert('imports', { page_id: '900', kind: 'trades', file_name: 'moves.csv' })
      await price(all, '04-01', '50000')
      await price(all, '04-02', '50000')
      return await all.build(
        { reportingCurrency: 'EUR' },
        { steps: [lotsStep({ method: 'fifo', scope: 'account' })] },
      )
    },
  )

const { it, books } = shared()
/** Separate books: beside what leaves the accounts of the others, an arrival would be a transfer between accounts of the venue. */
const arriving = shared()

let rows = 0

const place = () => {
  rows += 1
  return { page_id: '900', page_row: String(rows) }
}

const price = (all: TestBooks, day: string, value: string) =>
  all.insert('imported_prices', {
    ...place(),
    ...{
      priced_at: `2025-${day} 00:00:00+00`,
      asset: 'BTC',
      currency: 'EUR',
      price: value,
      source: 'import',
    },
  })

/** `id,day and time,account,type,quantity,fee,fee_currency` of a leg in a coin; the last two may be left out. */
const leg = (line: string, asset = 'BTC', on = books) => {
  const [id, at, account, type, quantity, fee = '0', fee_currency = null] = line.split(',')
  return on.insert('imported_trades', {
    ...{ ...place(), nanos: '0', id, occurred_at: `2025-${at}:00+00`, account, type, quantity },
    ...{ asset, fee, fee_currency },
  })
}

const move = (id: string, at: string, type: string, coin: string, amount: string, fee = '0'): Move => ({
  ...{ id, coin, type, amount, fee, ts: `2025-${at}:00+00` },
})

const BOUGHT = [
  move('1', '04-01 08:00', 'ORDER_DEALT_IN', 'BTC', '2'),
  move('2', '04-01 08:00', 'ORDER_DEALT_FROZEN_OUT', 'EUR', '-80000'),
]

const disposals = (on = books) =>
  on.query('select account, disposal_id, quantity, proceeds, cost_basis, gain from disposals order by all')

const lots = (on = books) => on.query('select account, quantity_left, cost_basis_left from lots order by all')

const bridge = () =>
  books.query(
    'select account, sum(transfers), sum(fees), sum(realised_gains), sum(difference) from value_bridge group by all order by all',
  )

async function printedFees(): Promise<(string | null)[][]> {
  const tables = new Map<string, string[]>()
  for (const [table, column] of await books.query('select table_name, column_name from duckdb_columns()'))
    tables.set(String(table), [...(tables.get(String(table)) ?? []), String(column)])
  // The letters at the end keep all the places of an amount. The models name their tables in full, so the rows of other tests
  // are left out here: what this test's name of an account has beyond `main` marks them.
  const rows = await books.query(
    `select coin, cast(fee as varchar) || ' paid' from ${feesOf({ tables } as unknown as Reader)}
      where contains(account, substr('main', 5))`,
  )
  return rows.map(([coin = null, fee = null]) => [coin, fee?.replace(' paid', '') ?? null])
}

const WAYS: [way: string, written: string][] = [
  ['what was sent', '0.3'],
  ['what was sent, with the fee beside it', '0.3,0.0005,BTC'],
  ['all that left, with the fee in it', '0.3005,0.0005,BTC'],
  ['all that left, without a word of the fee', '0.3005'],
  ['what was sent, with a fee in a coin that has no price', '0.3,3,USDT'],
]

describe.concurrent('the fee of a transfer', () => {
  it.each(WAYS)('counts once if the leg out has %s', async (_, written) => {
    await books.tax(
      'SPOT',
      balanced([...BOUGHT, move('3', '04-01 12:00', 'TRANSFER_OUT', 'BTC', '-0.3', '-0.0005')], {
        EUR: '100000',
      }),
    )
    await leg(`t1:out,04-01 12:00,main,transfer_out,${written}`)
    await leg('t1:in,04-01 12:30,cold,transfer_in,0.3')
    const { openBreaks } = await books.build()

    expect(await disposals()).toEqual([['main', 'main/tax.records/3/fee', '0.0005', '25', '20', '5']])
    expect(await lots()).toEqual([
      ['cold', '0.3', '12000'],
      ['main', '1.6995', '67980'],
    ])
    expect(await bridge()).toEqual([
      ['cold', '12000', '0', '0', '0'],
      ['main', '-12000', '-25', '5', '0'],
    ])
    expect(await printedFees()).toEqual([['BTC', '0.000500000000000000']])
    expect(openBreaks).toEqual([])
  })

  it.each([
    ['what was sent, with the fee beside it', '0.3,0.0005,BTC'],
    ['all that left, with the fee in it', '0.3005,0.0005,BTC'],
    ['all that left, without a word of the fee', '0.3005'],
  ])(
    'is what did not arrive, if the venue has one record of all that left and the leg has %s',
    async (_, written) => {
      await books.tax(
        'SPOT',
        balanced([...BOUGHT, move('3', '04-01 12:00', 'TRANSFER_OUT', 'BTC', '-0.3005')], { EUR: '100000' }),
      )
      await leg(`t1:out,04-01 12:00,main,transfer_out,${written}`)
      await leg('t1:in,04-01 12:30,cold,transfer_in,0.3')
      const { openBreaks } = await books.build()

      expect(await disposals()).toEqual([['main', 'main/tax.records/3/amount', '0.0005', '25', '20', '5']])
      expect(await lots()).toEqual([
        ['cold', '0.3', '12000'],
        ['main', '1.6995', '67980'],
      ])
      expect(await printedFees()).toEqual([['BTC', '0.000500000000000000']])
      expect(openBreaks).toEqual([])
    },
  )

  it('is not that of the network, which keeps what left and did not arrive', async () => {
    await books.tax(
      'SPOT',
      balanced([...BOUGHT, move('3', '04-01 12:00', 'TRANSFER_OUT', 'BTC', '-0.3', '-0.0005')], {
        EUR: '100000',
      }),
    )
    await leg('t1:out,04-01 12:00,main,transfer_out,0.3005,0.0005,BTC')
    await leg('t1:in,04-01 12:30,cold,transfer_in,0.2999')
    const { openBreaks } = await books.build()

    expect(await disposals()).toEqual([
      ['main', 'main/tax.records/3/amount', '0.0001', '5', '4', '1'],
      ['main', 'main/tax.records/3/fee', '0.0005', '25', '20', '5'],
    ])
    expect(await lots()).toEqual([
      ['cold', '0.2999', '11996'],
      ['main', '1.6995', '67980'],
    ])
    expect(await bridge()).toEqual([
      ['cold', '11996', '0', '0', '0'],
      ['main', '-11996', '-30', '6', '0'],
    ])
    expect((await printedFees()).toSorted()).toEqual([
      ['BTC', '0.000100000000000000'],
      ['BTC', '0.000500000000000000'],
    ])
    expect(openBreaks).toEqual([])
  })

  arriving.it('counts once if the venue takes it off what arrives', async () => {
    const arrival = move('3', '04-01 12:00', 'TRANSFER_IN', 'BTC', '0.3', '-0.0005')
    await arriving.books.tax('SPOT', balanced([...BOUGHT, arrival], { EUR: '100000' }))
    await leg('b,04-01 07:00,cold,gift_in,0.3', 'BTC', arriving.books)
    await leg('t1:out,04-01 11:30,cold,transfer_out,0.3,0.0005,BTC', 'BTC', arriving.books)
    await leg('t1:in,04-01 12:00,main,transfer_in,0.2995', 'BTC', arriving.books)
    const { openBreaks } = await arriving.books.build()

    // The gift was worth 15,000. First in, first out, the fee is of the 2 BTC that cost 40,000 each.
    expect(await disposals(arriving.books)).toEqual([
      ['main', 'main/tax.records/3/fee', '0.0005', '25', '25', '0'],
    ])
    expect(await lots(arriving.books)).toEqual([
      ['main', '0.2995', '14975'],
      ['main', '2', '80000'],
    ])
    expect(openBreaks).toEqual([])
  })

  arriving.it(
    'is what did not arrive, if the venue has one record of what came and the leg has the fee beside all that was sent',
    async () => {
      const arrival = move('3', '04-01 12:00', 'TRANSFER_IN', 'BTC', '0.2995')
      await arriving.books.tax('SPOT', balanced([...BOUGHT, arrival], { EUR: '100000' }))
      await leg('b,04-01 07:00,cold,gift_in,0.3', 'BTC', arriving.books)
      await leg('t1:out,04-01 11:30,cold,transfer_out,0.3', 'BTC', arriving.books)
      await leg('t1:in,04-01 12:00,main,transfer_in,0.3,0.0005,BTC', 'BTC', arriving.books)
      const { openBreaks } = await arriving.books.build()

      // The gift was worth 15,000.
      expect(await disposals(arriving.books)).toEqual([['cold', 't1:out', '0.0005', '25', '25', '0']])
      expect(await lots(arriving.books)).toEqual([
        ['main', '0.2995', '14975'],
        ['main', '2', '80000'],
      ])
      expect(openBreaks).toEqual([])
    },
  )

  it('is what did not arrive of money too', async () => {
    await books.tax(
      'SPOT',
      balanced([...BOUGHT, move('3', '04-01 12:00', 'TRANSFER_OUT', 'EUR', '-100')], { EUR: '100000' }),
    )
    await leg('t1:out,04-01 12:00,main,transfer_out,99.5,0.5,EUR', 'EUR')
    await leg('t1:in,04-01 12:30,bank,transfer_in,99.5', 'EUR')
    const { openBreaks } = await books.build()

    expect(await bridge()).toEqual([
      ['bank', '99.5', '0', '0', '0'],
      ['main', '-99.5', '-0.5', '0', '0'],
    ])
    expect(await printedFees()).toEqual([['EUR', '0.500000000000000000']])
    expect(openBreaks).toEqual([])
  })

  it('is the row’s own if no record of the venue is the leg', async () => {
    await books.tax(
      'SPOT',
      balanced([...BOUGHT, move('3', '04-01 12:00', 'TRANSFER_OUT', 'BTC', '-0.3', '-0.0005')], {
        EUR: '100000',
      }),
    )
    await leg('b,04-01 07:00,cold,gift_in,1')
    await leg('t1:out,04-01 12:00,cold,transfer_out,0.3,0.0004,BTC')
    await leg('t1:in,04-01 12:30,attic,transfer_in,0.2996')
    await books.build()
    expect(await disposals()).toEqual([
      ['cold', 't1:out', '0.0004', '20', '20', '0'],
      ['main', 'main/tax.records/3/fee', '0.0005', '25', '20', '5'],
    ])
  })
})
