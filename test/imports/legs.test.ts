// Which legs of imported transfers belong together is told once, and the books, the lots, the bridge and the printed report
// all say it. What belongs together stands here by hand, so that none of them can go its own way unseen.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openLedger } from '../../pipeline/ledger/ledger.ts'
import { lotsStep } from '../../pipeline/lots/step.ts'
import { transfersOf } from '../../pipeline/paper/imported.ts'
import { balanced, type Cells, TestBooks } from '../support/books.ts'
import { runModel, runModels } from '../support/one-model.ts'

let books: TestBooks

beforeEach(async () => {
  books = await TestBooks.open({ only: ['value_bridge', 'imported_entries', 'lot_events', 'transfers'] })
  await books.insert('imports', { page_id: '900', kind: 'trades', file_name: 'moves.csv' })
})

afterEach(async () => {
  await books.close()
})

let rows = 0

const row = (
  id: string,
  at: string,
  account: string,
  type: string,
  asset: string,
  quantity: string,
  more: Cells = {},
) => {
  rows += 1
  return books.insert('imported_trades', {
    ...{ page_id: '900', page_row: String(rows), id, occurred_at: `2026-01-${at}:00+00`, nanos: '0' },
    ...{ account, type, asset, quantity, fee: '0', ...more },
  })
}

const build = () =>
  books.build({ reportingCurrency: 'USDT' }, { steps: [lotsStep({ method: 'fifo', scope: 'account' })] })

/** Each leg with the account of its other leg, as the printed report lists them: those of imported accounts. */
async function printed(): Promise<unknown[][]> {
  const ledger = await openLedger(books.dir)
  try {
    const sql = `select entry_id, account, counter_account, counter_ledger from ${transfersOf(ledger)}`
    return (await ledger.query(`${sql} where ledger = 'IMPORT' order by entry_id`)).map((cells) => [...cells])
  } finally {
    ledger.close()
  }
}

const booked = () =>
  books.query(
    `select imported_id, account, counter_account, counter_ledger from imported_entries
     where kind = 'transfer' order by imported_id`,
  )

/** Where the lots of each leg out went. */
const moved = () =>
  books.query('select distinct transfer_id, from_account, to_account from lot_transfers order by all')

test('several legs of one id are matched first to first, coins and money separately, by everything that reads them', async () => {
  await books.account('main', 'unified')
  const opening = { id: '1', coin: 'USDT', type: 'TRANSFER_IN', amount: '1', ts: '2026-01-02 00:00:00+00' }
  await books.tax('SPOT', balanced([opening]))
  await row('x1', '01 00:00', 'kraken', 'gift_in', 'BTC', '9', { currency: 'USDT', total: '900' })
  await row('x2', '01 00:00', 'kraken', 'gift_in', 'ETH', '9', { currency: 'USDT', total: '90' })
  await row('x3', '01 00:00', 'kraken', 'transfer_in', 'USDT', '1000')
  // In the file the second leg stands first: what happened first is first.
  await row('t:2', '10 02:00', 'kraken', 'transfer_out', 'BTC', '2')
  await row('t:1', '10 01:00', 'kraken', 'transfer_out', 'BTC', '1')
  await row('t:3', '10 03:00', 'kraken', 'transfer_out', 'BTC', '3')
  await row('t:4', '10 05:00', 'cold', 'transfer_in', 'BTC', '1')
  await row('t:5', '10 06:00', 'main', 'transfer_in', 'BTC', '2')
  await row('t:6', '10 01:30', 'kraken', 'transfer_out', 'ETH', '1')
  await row('t:7', '10 07:00', 'attic', 'transfer_in', 'ETH', '1')
  await row('t:8', '10 01:15', 'kraken', 'transfer_out', 'USDT', '100')
  await row('t:9', '10 01:45', 'kraken', 'transfer_out', 'USDT', '200')
  await row('t:a', '10 08:00', 'attic', 'transfer_in', 'USDT', '100')
  await row('t:b', '10 09:00', 'main', 'transfer_in', 'USDT', '200')
  await row('u:1', '12 00:00', 'kraken', 'transfer_out', 'USDT', '40')
  await build()

  const legs = [
    ['t:1', 'kraken', 'cold', 'IMPORT'],
    ['t:2', 'kraken', 'main', null],
    ['t:3', 'kraken', null, null],
    ['t:4', 'cold', 'kraken', 'IMPORT'],
    ['t:6', 'kraken', 'attic', 'IMPORT'],
    ['t:7', 'attic', 'kraken', 'IMPORT'],
    ['t:8', 'kraken', 'attic', 'IMPORT'],
    ['t:9', 'kraken', 'main', null],
    ['t:a', 'attic', 'kraken', 'IMPORT'],
    ['u:1', 'kraken', null, null],
    ['x3', 'kraken', null, null],
  ]
  expect(await booked()).toEqual(legs)
  expect(await printed()).toEqual(legs)
  expect(await moved()).toEqual([
    ['t:1', 'kraken', 'cold'],
    ['t:2', 'kraken', 'main/before'],
    ['t:3', 'kraken', null],
    ['t:6', 'kraken', 'attic'],
  ])
  // 1000 came, 200 went beside the books of main, 40 to nobody knows where; and of 990 of coins 500 left likewise.
  expect(await books.query('select account, deposits, transfers from value_bridge order by account')).toEqual(
    [
      ['attic', '0', '110'],
      ['cold', '0', '100'],
      ['kraken', '1250', '-210'],
      ['main', '1', '0'],
    ],
  )
})

test('the venue’s record takes the place of the leg that it is, even if it comes later than another leg of that id', async () => {
  await books.account('main', 'unified')
  const arrival = { id: '1', coin: 'BTC', type: 'TRANSFER_IN', amount: '1', ts: '2026-01-10 06:00:00+00' }
  await books.tax('SPOT', balanced([arrival]))
  await row('x1', '01 00:00', 'kraken', 'gift_in', 'BTC', '3', { currency: 'USDT', total: '300' })
  await row('t:1', '10 01:00', 'kraken', 'transfer_out', 'BTC', '1')
  await row('t:2', '10 02:00', 'kraken', 'transfer_out', 'BTC', '2')
  await row('t:3', '10 03:00', 'main', 'transfer_in', 'BTC', '1')
  await row('t:4', '10 04:00', 'cold', 'transfer_in', 'BTC', '2')
  await build()
  expect(await printed()).toEqual([
    ['t:1', 'kraken', 'main', null],
    ['t:2', 'kraken', 'cold', 'IMPORT'],
    ['t:4', 'cold', 'kraken', 'IMPORT'],
  ])
  expect(await moved()).toEqual([
    ['t:1', 'kraken', 'main'],
    ['t:2', 'kraken', 'cold'],
  ])
  expect(await books.query('select account, quantity_left, cost_basis_left from lots order by all')).toEqual([
    ['cold', '2', '200'],
    ['main', '1', '100'],
  ])
})

test('a coin that the books leave out because its amounts are too large to be summed is moved nowhere', async () => {
  await row('t:1', '10 01:00', 'kraken', 'transfer_out', 'HUGE', '50000000000000000000')
  await row('t:2', '10 02:00', 'cold', 'transfer_in', 'HUGE', '50000000000000000000')
  await build()
  expect(await booked()).toEqual([])
  expect(await printed()).toEqual([])
  expect(await moved()).toEqual([])
})

test('imported_entries: each part of a row in its coin, and what stands on the other side of a move', async () => {
  let place = 0
  const row = (
    account: string,
    type: string,
    asset: string,
    quantity: string,
    more: (string | null)[] = [],
  ) => {
    place += 1
    const [currency = null, total = null, fee = '0', feeCurrency = null] = more
    return [
      ...[String(place), `r${place}`, account.split('/')[0] as string, account, '2026-01-05 10:00:00+00'],
      ...[type, asset, quantity, currency, total, fee, feeCurrency],
    ]
  }
  const rows = await runModel('main.imported_entries', {
    'staging.imported_rows': {
      columns: `place bigint, id varchar, account varchar, book_account varchar, occurred_at timestamptz, type varchar,
        asset varchar, quantity decimal(38, 18), currency varchar, total decimal(38, 18), fee decimal(38, 18),
        fee_currency varchar`,
      rows: [
        row('k', 'buy', 'BTC', '2', ['EUR', '100', '1', 'BNB']),
        // Euros only pay and are paid, also fees: how many there are is not known.
        row('k', 'sell', 'BTC', '1', ['EUR', '60', '2', 'EUR']),
        row('k', 'transfer_out', 'ETH', '5', [null, null, '0.1', 'ETH']),
        row('k', 'transfer_in', 'ETH', '3', [null, null, '0.2', 'ETH']),
        row('k', 'buy', 'SOL', '3', ['USDC', '0']),
        // A fee that is given back; pounds come from outside.
        row('k', 'income', 'GBP', '5', [null, null, '-0.5', 'GBP']),
        row('k', 'sell', 'SOL', '1', ['GBP', '7']),
        row('k', 'gift_out', 'ADA', '2'),
        row('main/before', 'buy', 'BTC', '9', ['EUR', '9']),
      ],
    },
    'staging.imported_legs': {
      columns:
        'place bigint, twin_account varchar, twin_book_account varchar, twin_id varchar, twin_place bigint',
      rows: [
        ['3', 'cold', 'cold', 't', '20'],
        ['4', 'main', 'main/before', 'u', '21'],
      ],
    },
    'staging.imported_counterparts': {
      columns: 'place bigint, entry_id varchar',
      rows: [['21', 'main/7']],
    },
    'staging.imported_transfers': {
      columns: 'place bigint, is_fee_within boolean',
      rows: [
        ['3', 'true'],
        ['4', 'false'],
      ],
    },
    'staging.fiat': { columns: 'currency varchar', rows: [['EUR'], ['GBP']] },
  })
  expect(
    rows.map((one) => [one.entry_id, one.account, one.coin, one.amount, one.kind].join(' ')).toSorted(),
  ).toEqual([
    ...['r1/asset k BTC 2 trade', 'r1/fee k BNB -1 fee', 'r2/asset k BTC -1 trade'],
    ...['r3/asset k ETH -5 transfer', 'r4/asset k ETH 3 transfer', 'r4/fee k ETH -0.2 fee'],
    ...['r5/asset k SOL 3 trade', 'r6/asset k GBP 5 income', 'r6/fee k GBP 0.5 fee'],
    ...['r7/asset k SOL -1 trade', 'r7/total k GBP 7 trade', 'r8/asset k ADA -2 gift'],
  ])
  expect(
    rows
      .filter(({ counter_account }) => counter_account !== null)
      .map((one) => [one.entry_id, one.counter_account, one.counter_ledger, one.counter_entry_id])
      .toSorted(),
  ).toEqual([
    ['r3/asset', 'cold', 'IMPORT', 't/asset'],
    ['r4/asset', 'main', null, 'main/7'],
  ])
})

test('what of a transfer the network keeps, which fee is part of it, and which parts of a row need a price', async () => {
  const amount = 'decimal(38, 18)'
  const moment = '2026-01-05 10:00:00+00'
  const legs = ([place, asset, type, quantity, twin, fee, feeCoin]: readonly string[]) => ({
    leg: [
      ...[
        place ?? '',
        `r${place}`,
        'k',
        moment,
        type ?? '',
        `t${place}`,
        asset ?? '',
        fee ?? '',
        feeCoin ?? '',
      ],
      ...[twin === '-' ? null : `${place}0`, `p${place}`, String(asset === 'EUR'), quantity ?? ''],
      twin === '-' ? null : (twin ?? ''),
    ],
    row: [
      place ?? '',
      `r${place}`,
      asset ?? '',
      quantity ?? '',
      moment,
      `t${place}`,
      null,
      null,
      fee ?? '',
      feeCoin ?? '',
    ],
  })
  const all = [
    // All of the fee is in what did not arrive; more than that is separate; so is that of a leg without another.
    legs(['1', 'BTC', 'transfer_out', '5', '4.9', '0.1', 'BTC']),
    legs(['2', 'BTC', 'transfer_out', '5', '4.9', '0.2', 'BTC']),
    legs(['3', 'BTC', 'transfer_out', '5', '-', '0.1', 'BTC']),
    // A fee in another coin, one that is given back, and one of what arrives.
    legs(['4', 'BTC', 'transfer_out', '5', '4.9', '0.1', 'BNB']),
    legs(['5', 'BTC', 'transfer_out', '5', '4.9', '-0.1', 'BTC']),
    legs(['6', 'BTC', 'transfer_in', '5', '4.9', '0.1', 'BTC']),
    // Money has no network.
    legs(['7', 'EUR', 'transfer_out', '5', '4', '0', 'EUR']),
    // The venue's record of the leg has 6, and its fee.
    legs(['8', 'BTC', 'transfer_out', '5', '4.9', '0.1', 'BTC']),
  ]
  const [transfers = [], parts = []] = await runModels(
    ['staging.imported_transfers', 'staging.imported_parts'],
    {
      'staging.imported_legs': {
        columns: `place bigint, id varchar, book_account varchar, occurred_at timestamptz, type varchar,
        transfer_id varchar, asset varchar, fee ${amount}, fee_currency varchar, twin_place bigint, pair_id varchar,
        is_asset_money boolean, quantity ${amount}, twin_quantity ${amount}`,
        rows: all.map(({ leg }) => leg),
      },
      'staging.imported_counterparts': { columns: `place bigint, quantity ${amount}`, rows: [['8', '6']] },
      'staging.imported_rows': {
        columns: `place bigint, id varchar, asset varchar, quantity ${amount}, occurred_at timestamptz,
        transfer_id varchar, currency varchar, total ${amount}, fee ${amount}, fee_currency varchar`,
        rows: [
          ...all.map(({ row }) => row),
          ['9', 'r9', 'SOL', '2', moment, null, 'EUR', '20', '-0.5', 'BNB'],
          ['10', 'r10', 'SOL', '2', moment, null, 'EUR', null, '0', null],
        ],
      },
    },
  )
  expect(
    transfers.map((one) => `${one.place} ${one.network_quantity} ${one.is_fee_within}`).toSorted(),
  ).toEqual([
    ...['1 0.1 true', '2 0.1 false', '3 0 false', '4 0.1 false', '5 0.1 false', '6 0 false', '7 1 false'],
    '8 1.1 true',
  ])
  expect(parts.map((one) => `${one.part_id} ${one.quantity} ${one.coin}`).toSorted()).toEqual([
    'import/r1/fee 0.1 BTC',
    'import/r1/network 0.1 BTC',
    'import/r10/asset 2 SOL',
    'import/r2/fee 0.2 BTC',
    'import/r2/network 0.1 BTC',
    'import/r3/fee 0.1 BTC',
    'import/r4/fee 0.1 BNB',
    'import/r4/network 0.1 BTC',
    'import/r5/fee 0.1 BTC',
    'import/r5/network 0.1 BTC',
    'import/r6/fee 0.1 BTC',
    'import/r8/network 1.1 BTC',
    'import/r9/asset 2 SOL',
    'import/r9/fee 0.5 BNB',
    'import/r9/total 20 EUR',
  ])
})
