// The risk rate of an institutional lending unit: the assets and debts of the parent with its sub-accounts. Interface
// document, 4.16 and 2.16.

import type { Account } from '../core/accounts.ts'
import { cut, per, text, times } from '../core/money.ts'
import type { Venue } from '../core/venue.ts'
import { optional, string } from '../http/params.ts'
import { refusals } from '../http/refusals.ts'
import { endpoint } from './endpoint.ts'

export const ltv = endpoint({
  section: '4.16',
  name: 'loan.ltv',
  method: 'GET',
  path: '/api/v3/ins-loan/ltv-convert',
  rate: { count: 3, perMs: 1_000, scope: 'uid' },
  permissions: ['uta_mgt'],
  isUnifiedOnly: true,
  params: { riskUnitId: optional(string) },
  // For a lending unit itself, or for the primary account that names one.
  handle: ({ venue, account, params, nowMs }) => {
    const unit = params.riskUnitId === undefined ? account : venue.account(params.riskUnitId)
    if (!unit?.roles.includes('institution')) {
      throw refusals.notForThisAccount('40099')
    }
    const isPrimary = account === unit || account.uid === unit.parentUid
    if (params.riskUnitId !== undefined && (!isPrimary || !account.roles.includes('parent'))) {
      throw refusals.notForThisAccount('40099')
    }
    const members = venue.accounts.filter((member) => member === unit || member.parentUid === unit.uid)
    return riskOf(venue, members, nowMs)
  },
})

function riskOf(venue: Venue, members: Account[], nowMs: number): Record<string, unknown> {
  const held = new Map<string, bigint>()
  const owed = new Map<string, bigint>()
  const add = (sums: Map<string, bigint>, coin: string, amount: bigint) => {
    sums.set(coin, (sums.get(coin) ?? 0n) + amount)
  }
  for (const member of members) {
    for (const { coin, quantity } of venue.books.holdings(member.uid, 'UNIFIED')) add(held, coin, quantity)
    for (const { coin, principal } of member.debts) add(owed, coin, principal)
  }
  const inDollars = (sums: Map<string, bigint>): bigint =>
    [...sums].reduce((sum, [coin, amount]) => sum + times(amount, venue.market.dollarPrice(coin, nowMs)), 0n)
  const [balance, debt] = [inDollars(held), inDollars(owed)]
  return {
    ltv: text(balance === 0n ? 0n : cut(per(debt, balance), 4)),
    subAccountUids: members.map(({ uid }) => uid),
    usdtBalance: text(cut(balance, 8)),
    unpaidUsdtAmount: text(cut(debt, 8)),
    // Interest is settled from the balance as it falls due, so that only principal is unpaid.
    unpaidInfo: [...owed].map(([coin, principal]) => ({
      coin,
      unpaidQty: text(principal),
      unpaidInterest: '0',
    })),
    balanceInfo: [...held].map(([coin, amount]) => {
      const price = venue.market.dollarPrice(coin, nowMs)
      return {
        coin,
        price: text(cut(price, 8)),
        amount: text(amount),
        convertedUsdtAmount: text(cut(times(amount, price), 8)),
      }
    }),
  }
}
