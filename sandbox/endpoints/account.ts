// The unified account itself: its settings, and manual repayment of what it owes. Interface document, 4.14, 4.15.

import type { Account, Debt } from '../core/accounts.ts'
import { COINS, CONTRACTS } from '../core/market.ts'
import { available } from '../core/matching.ts'
import { cut, least, per, text, times } from '../core/money.ts'
import type { Venue } from '../core/venue.ts'
import { listOf, required, string } from '../http/params.ts'
import { refusals } from '../http/refusals.ts'
import { endpoint } from './endpoint.ts'

export const settings = endpoint({
  section: '4.14',
  name: 'account.settings',
  method: 'GET',
  path: '/api/v3/account/settings',
  rate: { count: 20, perMs: 1_000, scope: 'uid' },
  permissions: ['uta_mgt'],
  isUnifiedOnly: true,
  params: {},
  handle: ({ account }) => ({
    uid: account.uid,
    accountMode: 'unified',
    // Beyond the document: only accounts that may borrow have more than the basic level.
    accountLevel: account.roles.includes('institution') ? 'advanced' : 'basic',
    assetMode: 'multi_assets',
    holdMode: account.holdMode,
    stpMode: 'none',
    // Isolated margin mode is not available through the API at present.
    symbolConfigList: CONTRACTS.map(({ line, symbol }) => ({
      category: line,
      symbol,
      marginMode: 'crossed',
      leverage: '10',
    })),
    coinConfigList: [
      { coin: 'USDT', leverage: '6' },
      { coin: 'BTC', leverage: '3' },
      { coin: 'ETH', leverage: '3' },
    ],
  }),
})

const coins = listOf(string, 100)

/** The amount repaid is stated in USDT, since several coins may have been repaid at once. */
export const repay = endpoint({
  section: '4.15',
  name: 'account.repay',
  method: 'POST',
  path: '/api/v3/account/repay',
  rate: { count: 5, perMs: 1_000, scope: 'uid' },
  permissions: ['uta_mgt'],
  writes: true,
  isUnifiedOnly: true,
  params: { repayableCoinList: required(coins), paymentCoinList: required(coins) },
  handle: ({ venue, account, params }) => {
    const { repayableCoinList, paymentCoinList } = params
    for (const coin of [...repayableCoinList, ...paymentCoinList]) {
      if (COINS[coin] === undefined) throw refusals.order(`Parameter ${coin} does not exist`)
    }
    if (repayableCoinList.length === 0) throw refusals.missing('repayableCoinList')
    if (paymentCoinList.length === 0) throw refusals.missing('paymentCoinList')
    const atMs = venue.writeTimeMs()
    const repaid = account.debts
      .filter(({ coin }) => repayableCoinList.includes(coin))
      .flatMap((debt) => paymentCoinList.map((coin) => repayWith(venue, account, debt, coin, atMs)))
      .reduce((sum, amount) => sum + amount, 0n)
    account.debts = account.debts.filter(({ principal }) => principal > 0n)
    return { result: repaid > 0n ? 'YES' : 'NO', repayAmount: text(cut(repaid, 8)) }
  },
})

/** Repays what one payment coin can, exchanging it first if it is another coin; returns how much, in dollars. */
function repayWith(venue: Venue, account: Account, debt: Debt, coin: string, atMs: number): bigint {
  const free = available(venue, { account, wallet: 'crossed_margin' }, coin)
  const debtPrice = venue.market.dollarPrice(debt.coin, atMs)
  const paymentPrice = venue.market.dollarPrice(coin, atMs)
  const covered = coin === debt.coin ? free : cut(per(times(free, paymentPrice), debtPrice), 8)
  const amount = least(debt.principal, covered)
  if (amount <= 0n) return 0n
  const { marginType } = debt
  const prefix = marginType === 'isolated' ? 'FIXED_' : ''
  const post = (type: string, inCoin: string, change: bigint): void =>
    venue.post(account, atMs, { line: 'MARGIN', marginType, coin: inCoin, type, amount: change })
  if (coin !== debt.coin) {
    // Rounded up by one unit of the eighth decimal, so that the payment is never short.
    const spent = least(free, cut(per(times(amount, debtPrice), paymentPrice), 8) + 10n ** 10n)
    post('REPAY_SOURCE_USER_OUT', coin, -spent)
    post('REPAY_TARGET_USER_IN', debt.coin, amount)
  }
  post(`${prefix}REPAYMENT`, debt.coin, -amount)
  debt.principal -= amount
  return times(amount, debtPrice)
}
