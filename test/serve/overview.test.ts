// What the overview counts, over books made by hand.
import { afterEach, expect, test } from 'vitest'
import { type Ledger, openLedger } from '../../pipeline/ledger/ledger.ts'
import { rowsOf } from '../../pipeline/serve/question.ts'
import { netWorthQuestion } from '../../pipeline/serve/views/overview.ts'
import { account, publish } from '../reports/books.ts'

const opened: Ledger[] = []
afterEach(() => {
  for (const ledger of opened.splice(0)) ledger.close()
})

test('net worth counts a coin without a price once, however many accounts and wallets hold it', async () => {
  const ledger = await openLedger(
    await publish([
      account('a'),
      account('b'),
      'create table net_worth (account varchar, day date, value decimal(38, 18), currency varchar, unpriced_coins bigint)',
      `insert into net_worth values ('a', '2025-03-01', 10, 'EUR', 0), ('a', '2025-03-02', 7, 'EUR', 2),
        ('b', '2025-03-02', null, 'EUR', 1)`,
      'create table daily_valuation (account varchar, ledger varchar, coin varchar, day date, own_value decimal(38, 18))',
      `insert into daily_valuation values ('a', 'UNIFIED', 'EUR', '2025-03-01', 10), ('a', 'UNIFIED', 'EUR', '2025-03-02', 7),
        ('a', 'UNIFIED', 'BTC', '2025-03-02', null), ('a', 'UNIFIED', 'ADA', '2025-03-02', null),
        ('b', 'UNIFIED', 'BTC', '2025-03-02', null), ('b', 'P2P', 'BTC', '2025-03-02', null)`,
    ]),
  )
  opened.push(ledger)
  const days = async (of?: string) =>
    (await rowsOf(ledger, netWorthQuestion(of === undefined ? {} : { account: of }))).rows
  // On the second day, the price of BTC and that of ADA are missing: two coins, although three accounts' lines lack a price.
  expect(await days()).toEqual([
    { day: '2025-03-01', value: '10', currency: 'EUR', unpriced_coins: 0 },
    { day: '2025-03-02', value: '7', currency: 'EUR', unpriced_coins: 2 },
  ])
  expect(await days('b')).toEqual([{ day: '2025-03-02', value: null, currency: 'EUR', unpriced_coins: 1 }])
})
