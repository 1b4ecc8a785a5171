// The tables `kinds`, `income` and `fees`: what the effect of a kind says is income or a cost, wherever it stands; results of futures and of liquidations are in the profit and loss alone.
import { expect, test } from 'vitest'
import { type Planted, runModel } from '../support/one-model.ts'

const NO_ROWS = { rows: [] } as const

const planted = (entries: Planted['rows'], parts: Planted['rows']): Record<string, Planted> => ({
  'main.entries': {
    columns: `entry_id varchar, account varchar, ledger varchar, product_line varchar, kind varchar, coin varchar,
      amount decimal(38, 18), occurred_at timestamptz`,
    rows: entries,
  },
  'main.kinds': {
    columns: 'kind varchar, counter_account varchar, effect varchar',
    rows: [
      ['interest', 'Expenses:Interest', 'income'],
      ['liquidation', 'Income:Liquidations', 'income'],
      ['adjustment', 'Income:Adjustments', 'income'],
      ['funding', 'Income:Funding', 'income'],
      ['referral', 'Income:Referrals', 'income'],
      ['fee', 'Expenses:Fees', 'cost'],
      ['transfer', 'Equity:Transfers', 'move'],
    ],
  },
  'staging.entry_pnl_parts': {
    columns: 'entry_id varchar, interest decimal(38, 18), funding decimal(38, 18)',
    rows: parts,
  },
  'main.valuations': {
    columns: 'entry_id varchar, value decimal(38, 18), currency varchar, sources varchar',
    rows: [['waived', '12.5', 'EUR', 'candles']],
  },
  'main.imported_trades': {
    columns: `id varchar, account varchar, asset varchar, quantity decimal(38, 18), occurred_at timestamptz, type varchar`,
    ...NO_ROWS,
  },
  'staging.reporting': { columns: 'currency varchar', rows: [['EUR']] },
  'staging.imported_twins': { columns: 'id varchar', ...NO_ROWS },
  'staging.imported_rows': { columns: 'id varchar, type varchar, place bigint', ...NO_ROWS },
  'staging.imported_values': { columns: 'place bigint, row_value decimal(38, 18)', ...NO_ROWS },
})

const AT = '2026-01-05 12:00:00+00'

test('what the venue waives on a margin line, and a user’s own kind, are income; liquidations, futures and fees are not', async () => {
  const found = await runModel(
    'main.income',
    planted(
      [
        ['lent', 'main', 'MARGIN', 'MARGIN-crossed', 'interest', 'USDT', '-0.5', AT],
        ['waived', 'main', 'MARGIN', 'MARGIN-crossed', 'adjustment', 'USDT', '14', AT],
        ['compensated', 'main', 'MARGIN', 'MARGIN-crossed', 'liquidation', 'USDT', '14', AT],
        ['liquidated', 'main', 'FUTURES', 'USDT-FUTURES', 'liquidation', 'USDT', '-300', AT],
        ['funded', 'main', 'FUTURES', 'USDT-FUTURES', 'funding', 'USDT', '1', AT],
        ['referred', 'main', 'SPOT', 'SPOT', 'referral', 'USDT', '3', AT],
        ['charged', 'main', 'SPOT', 'SPOT', 'fee', 'USDT', '-1', AT],
        ['moved', 'main', 'SPOT', 'SPOT', 'transfer', 'USDT', '9', AT],
        ['strange', 'main', 'SPOT', 'SPOT', 'of no known kind', 'USDT', '9', AT],
      ],
      [
        ['lent', '-0.5', '0'],
        ['compensated', '0', '0'],
        ['liquidated', '0', '0'],
        ['funded', '0', '1'],
      ],
    ),
  )
  const shown = found.map(({ entry_id, kind, amount, value }) => [entry_id, kind, amount, value])
  expect(shown.toSorted()).toEqual([
    ['lent', 'interest', '-0.5', null],
    ['referred', 'referral', '3', null],
    ['waived', 'adjustment', '14', '12.5'],
  ])
})

test('what the user classifies as a cost is a fee, also on a line of futures, whose results it is none of', async () => {
  const entry = (id: string, line: string, kind: string, amount: string, transaction = id) => [
    ...[id, transaction, 'main', 'UNIFIED', line, 'USDT', null, kind, amount, AT],
  ]
  const entries: Planted = {
    columns: `entry_id varchar, transaction_id varchar, account varchar, ledger varchar, product_line varchar, coin varchar,
      symbol varchar, kind varchar, amount decimal(38, 18), occurred_at timestamptz`,
    rows: [
      entry('bought', 'SPOT', 'trade', '1', 'fill'),
      entry('paid', 'SPOT', 'trade', '-5', 'fill'),
      entry('charged for it', 'SPOT', 'fee', '-0.25', 'fill'),
      entry('card', 'SPOT', 'card_fee', '-2'),
      entry('data', 'USDT-FUTURES', 'card_fee', '-3'),
      entry('opened', 'USDT-FUTURES', 'fee', '-0.5'),
      entry('moved', 'SPOT', 'transfer', '9'),
    ],
  }
  const kinds: Planted = {
    columns: 'kind varchar, counter_account varchar, effect varchar',
    rows: [
      ['trade', 'Equity:Trading', 'exchange'],
      ['fee', 'Expenses:Fees', 'cost'],
      ['card_fee', 'Expenses:Card', 'cost'],
      ['transfer', 'Equity:Transfers', 'move'],
    ],
  }
  const parts = await runModel('staging.entry_pnl_parts', { 'main.entries': entries, 'main.kinds': kinds })
  const counted = parts.map(({ entry_id, fee, is_of_futures }) => [entry_id, fee, is_of_futures])
  expect(counted.toSorted()).toEqual([
    ['card', '-2', 'false'],
    ['data', '-3', 'false'],
    ['opened', '-0.5', 'true'],
  ])
  const fees = await runModel('main.fees', {
    ...{ 'main.entries': entries, 'main.kinds': kinds },
    'main.valuations': {
      columns: 'entry_id varchar, value decimal(38, 18), currency varchar, sources varchar',
      rows: [['card', '1.5', 'EUR', 'candles']],
    },
    'main.trades': { columns: 'trade_id varchar, venue_symbol varchar, order_id varchar', ...NO_ROWS },
    'staging.futures_fee_orders': { columns: 'entry_id varchar, order_id varchar', ...NO_ROWS },
  })
  expect(fees.map(({ entry_id, fee, value }) => [entry_id, fee, value]).toSorted()).toEqual([
    ['card', '2', '1.5'],
    ['charged for it', '0.25', null],
    ['data', '3', null],
    ['opened', '0.5', null],
  ])
})

test('what a kind does is determined by the user’s row, if there is one', async () => {
  const shipped = ['fee', 'Expenses:Fees', 'cost', 'A fee', '1']
  const found = await runModel('main.kinds', {
    'staging.kinds': {
      columns: 'kind varchar, counter_account varchar, effect varchar, meaning varchar, precedence integer',
      rows: [
        shipped,
        ['rebate', 'Income:Rebates', 'income', 'Ours', '0'],
        ['rebate', 'Expenses:Fees', 'cost', 'A rebate', '1'],
      ],
    },
  })
  expect(found.toSorted((one, other) => String(one.kind).localeCompare(String(other.kind)))).toEqual([
    { kind: 'fee', counter_account: 'Expenses:Fees', effect: 'cost', meaning: 'A fee' },
    { kind: 'rebate', counter_account: 'Income:Rebates', effect: 'income', meaning: 'Ours' },
  ])
})
