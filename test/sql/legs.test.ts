// Which legs are still looking for their other side, and which accounts are sub-accounts of others: each model alone.
import { expect, test } from 'vitest'
import { type Planted, runModel, runModels } from '../support/one-model.ts'

const noon = '2026-02-15 12:00:00+00'

test('untied_legs: those of pairs in sequence within five minutes and between two wallets are not looked for', async () => {
  const transfer = (id: string, amount: string): string[] => [
    ...[id, 'main', 'UNIFIED', 'SPOT', 'USDT', 'transfer', noon, amount, id, 'amount'],
  ]
  const entries: Planted = {
    columns: `entry_id varchar, account varchar, ledger varchar, product_line varchar, coin varchar, kind varchar,
      occurred_at timestamptz, amount decimal(38, 18), place bigint, part varchar`,
    rows: [
      ...['1', '3', '5'].flatMap((out) => [transfer(out, '-7'), transfer(String(Number(out) + 1), '7')]),
      ['7', 'main', 'UNIFIED', 'SPOT', 'USDT', 'transfer', noon, '-1', '7', 'fee'],
      ['8', 'main', 'UNIFIED', 'SPOT', 'USDT', 'trade', noon, '-1', '8', 'amount'],
    ],
  }
  const turns: Planted = {
    columns: 'first_id varchar, second_id varchar, farthest_ms bigint, stays_in_wallet integer',
    rows: [
      ['1', '2', '300000', '0'],
      ['3', '4', '300001', '0'],
      ['5', '6', '1000', '1'],
    ],
  }
  const [, rows = []] = await runModels(['staging.transfer_legs', 'staging.untied_legs'], {
    'main.entries': entries,
    'staging.transfer_turns': turns,
  })
  expect(rows.map(({ id, is_second, quantity }) => [id, is_second, quantity]).toSorted()).toEqual([
    ['3', '0', '7'],
    ['4', '1', '7'],
    ['5', '0', '7'],
    ['6', '1', '7'],
  ])
})

test('families: an account of these books that another one reports, by each of three answers; never its own', async () => {
  const rows = await runModel('staging.families', {
    'main.accounts': {
      columns: 'account varchar, uid varchar',
      rows: [
        ['parent', '1'],
        ['one', '11'],
        ['two', '12'],
        ['three', '13'],
        ['nobody', null],
      ],
    },
    'main.subaccount_assets': {
      columns: 'account varchar, user_id varchar',
      rows: [
        ['parent', '11'],
        ['parent', '1'],
        ['parent', '99'],
      ],
    },
    'main.subaccount_emails': {
      columns: 'account varchar, sub_uid varchar',
      rows: [
        ['parent', '12'],
        ['parent', '11'],
      ],
    },
    'main.ltv': {
      columns: 'account varchar, sub_account_uids varchar',
      rows: [
        ['parent', '["13", "1"]'],
        ['parent', 'none'],
        ['parent', null],
      ],
    },
  })
  expect(rows.map(({ parent, sub }) => `${parent} ${sub}`).toSorted()).toEqual([
    'parent one',
    'parent three',
    'parent two',
  ])
})
