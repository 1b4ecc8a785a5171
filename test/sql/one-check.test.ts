// Checks that a sound build never lets fire, each alone over planted tables: what they are there for is seen here.
import { expect, test } from 'vitest'
import { type Planted, runModel } from '../support/one-model.ts'

const at = '2026-01-05 10:00:00+00'

const postings = (rows: Planted['rows']): Record<string, Planted> => ({
  'main.postings': {
    columns:
      'transaction_id varchar, account varchar, coin varchar, amount decimal(38, 18), occurred_at timestamptz',
    rows,
  },
})

test('double_entry: a transaction whose postings do not sum to zero is an error, to the last decimal', async () => {
  const sound = [
    ['t1', 'main', 'BTC', '1.000000000000000001', at],
    ['t1', 'main', 'BTC', '-1.000000000000000001', at],
    ['t1', 'main', 'USDT', '5', at],
    ['t1', 'main', 'USDT', '-5', at],
  ]
  expect(await runModel('checks.double_entry', postings(sound))).toEqual([])
  const broken = [
    ...sound,
    ['t2', 'main', 'BTC', '2', at],
    ['t2', 'main', 'BTC', '-1.999999999999999999', at],
  ]
  expect(await runModel('checks.double_entry', postings(broken))).toEqual([
    expect.objectContaining({
      severity: 'error',
      account: 'main',
      coin: 'BTC',
      occurred_at: at,
      expected: '0',
      found: '0.000000000000000001',
      culprit: 't2',
      evidence: '["t2"]',
    }),
  ])
})

const wallets = (chains: Planted['rows']): Record<string, Planted> => ({
  'main.balances': {
    columns:
      'account varchar, ledger varchar, coin varchar, quantity decimal(38, 18), venue_balance decimal(38, 18), as_of timestamptz',
    rows: [
      ['main', 'UNIFIED', 'BTC', '1.5', '1.5', at],
      ['main', 'UNIFIED', 'ETH', '2', null, at],
      ['main', 'UNIFIED', 'USDT', '10.000000000000000001', '10', at],
    ],
  },
  'main.balance_chain': {
    columns: 'account varchar, ledger varchar, coin varchar, status varchar, source_id varchar, place bigint',
    rows: chains,
  },
  'main.entries': {
    columns: 'account varchar, ledger varchar, coin varchar, amount decimal(38, 18), place bigint',
    rows: [['main', 'UNIFIED', 'USDT', '3', '7']],
  },
})

test('entries_match_balance: entries that do not add up to the venue’s last balance are a warning', async () => {
  const closed = wallets([['main', 'UNIFIED', 'USDT', 'closed', '7', '7']])
  expect(await runModel('checks.entries_match_balance', closed)).toEqual([
    expect.objectContaining({
      severity: 'warning',
      coin: 'USDT',
      expected: '10',
      found: '10.000000000000000001',
      difference: '0.000000000000000001',
    }),
  ])
})

test('entries_match_balance: an open chain of the wallet is the cause, and makes it a notice that names it', async () => {
  const open = wallets([
    ['main', 'UNIFIED', 'USDT', 'open', '7', '7'],
    ['main', 'UNIFIED', 'USDT', 'open', '9', '9'],
  ])
  expect(await runModel('checks.entries_match_balance', open)).toEqual([
    expect.objectContaining({
      severity: 'notice',
      coin: 'USDT',
      explanation: 'Follows from 2 open steps of the balance chain, the first at record 7.',
      evidence: '["7"]',
    }),
  ])
})

test('a model that is run alone names the tables that nobody planted', async () => {
  await expect(runModel('checks.entries_match_balance', postings([]))).rejects.toThrow(
    'checks.entries_match_balance reads main.balance_chain, main.balances, main.entries: plant these as well.',
  )
})
